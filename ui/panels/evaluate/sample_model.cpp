// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/sample_model.h"

#include <QGuiApplication>
#include <QLocale>

#include "ui/messages/problem.h"
#include "ui/theme/colors.h"
#include "ui/translation/number_text.h"

namespace temper::ui {

SampleModel::SampleModel(QObject* parent) : QAbstractTableModel(parent) {}

void SampleModel::setSamples(std::shared_ptr<const EvaluationResult> result,
                             std::vector<int64_t> entries, std::vector<QImage> pictures) {
    beginResetModel();
    result_ = std::move(result);
    entries_ = std::move(entries);
    pictures_ = std::move(pictures);
    endResetModel();
}

int64_t SampleModel::sampleAt(int row) const {
    return result_->set.samples[static_cast<size_t>(entries_[static_cast<size_t>(row)])];
}

int64_t SampleModel::placeAt(int row) const {
    return hasPlaces()
               ? result_->set.places[static_cast<size_t>(entries_[static_cast<size_t>(row)])]
               : 0;
}

int SampleModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

int SampleModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

bool SampleModel::isRight(int64_t entry) const {
    return result_->set.kind == TaskKind::Numbers ||
           result_->set.labels[static_cast<size_t>(entry)] == result_->set.predictedClass(entry);
}

QString SampleModel::numbersText(const Tensor& values, int64_t entry) const {
    constexpr int64_t kShown = 4;
    QStringList parts;
    const int64_t width = result_->set.width();
    for (int64_t k = 0; k < std::min(kShown, width); ++k)
        parts << QLocale().toString(values.values<float>()[static_cast<size_t>(entry * width + k)],
                                    'g', 4);
    return parts.join(QStringLiteral("; ")) + (width > kShown ? QStringLiteral("; …") : QString());
}

QString SampleModel::textOf(int64_t entry, int column) const {
    const PredictionSet& set = result_->set;
    const auto at = static_cast<size_t>(entry);
    const bool isNumber = set.kind == TaskKind::Numbers;
    const auto className = [&](int64_t c) { return text(set.classes[static_cast<size_t>(c)]); };
    switch (column) {
        case Sample: return QLocale().toString(static_cast<qlonglong>(set.samples[at]));
        case Place: return set.places.empty() ? QString() : integerText(set.places[at]);
        case Truth: return isNumber ? numbersText(set.targets, entry) : className(set.labels[at]);
        case Prediction:
            if (isNumber) return numbersText(set.outputs, entry);
            return isRight(entry) ? className(set.predictedClass(entry))
                                  : tr("%1 ✗").arg(className(set.predictedClass(entry)));
        case Certainty:
            return isNumber ? QString()
                            : tr("%1 %").arg(
                                  100.0 * double{set.output(entry, set.predictedClass(entry))}, 0,
                                  'f', 1);
        case Loss: return QLocale().toString(set.losses[at], 'g', 3);
        default: return {};
    }
}

QVariant SampleModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto row = static_cast<size_t>(index.row());
    const int64_t entry = entries_[row];
    if (role == Qt::DisplayRole) return textOf(entry, index.column());
    if (role == Qt::DecorationRole && index.column() == Sample && row < pictures_.size())
        return pictures_[row];
    if (role == Qt::ForegroundRole && index.column() == Prediction && !isRight(entry))
        return currentColors().bad;
    if (role == Qt::AccessibleTextRole && index.column() == Prediction && !isRight(entry))
        return tr("%1, wrong").arg(textOf(entry, Prediction));
    return {};
}

QVariant SampleModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical || role != Qt::DisplayRole) return {};
    switch (section) {
        case Sample: return tr("Sample");
        case Place: return tr("Position");
        case Truth: return tr("Label");
        case Prediction: return tr("Prediction");
        case Certainty: return tr("Probability");
        case Loss: return tr("Loss");
        default: return {};
    }
}

}  // namespace temper::ui
