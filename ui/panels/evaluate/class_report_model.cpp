// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/class_report_model.h"

#include <QFont>
#include <QLocale>
#include <cmath>

#include "ui/explain/explain.h"
#include "ui/messages/problem.h"

namespace temper::ui {

ClassReportModel::ClassReportModel(QObject* parent) : QAbstractTableModel(parent) {}

void ClassReportModel::setResult(std::shared_ptr<const EvaluationResult> result) {
    beginResetModel();
    result_ = result && result->confusion ? std::move(result) : nullptr;
    endResetModel();
}

int ClassReportModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !result_ ? 0 : static_cast<int>(result_->report.classes.size()) + 2;
}

int ClassReportModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

const ClassFigures& ClassReportModel::figures(int row) const {
    const auto& classes = result_->report.classes;
    const auto index = static_cast<size_t>(row);
    if (index < classes.size()) return classes[index];
    return index == classes.size() ? result_->report.macro : result_->report.weighted;
}

QString ClassReportModel::nameOf(int row) const {
    if (row == rowCount() - 2) return tr("Macro average");
    if (row == rowCount() - 1) return tr("Weighted average");
    return text(figures(row).name);
}

QVariant ClassReportModel::valueOf(int row, int column) const {
    const ClassFigures& all = figures(row);
    switch (column) {
        case Name: return row < rowCount() - 2 ? QVariant(row) : QVariant(rowCount() + row);
        case Precision: return all.precision;
        case Recall: return all.recall;
        case F1: return all.f1;
        case Area:
            return static_cast<size_t>(row) < result_->curves.size()
                       ? result_->curves[static_cast<size_t>(row)].area
                       : std::nan("");
        case Support: return static_cast<qlonglong>(all.support);
        default: return {};
    }
}

QVariant ClassReportModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const bool isMean = index.row() >= rowCount() - 2;
    if (role == Qt::FontRole && isMean) {
        QFont bold;
        bold.setBold(true);
        return bold;
    }
    if (role == Qt::TextAlignmentRole && index.column() != Name)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == kExplainRole) return termOf(index.column());
    const QVariant value = valueOf(index.row(), index.column());
    if (role == Qt::UserRole) return value;
    if (role != Qt::DisplayRole) return {};
    if (index.column() == Name) return nameOf(index.row());
    if (index.column() == Support) return QLocale().toString(value.toLongLong());
    const double number = value.toDouble();
    return std::isfinite(number) ? QLocale().toString(number, 'f', 3) : QStringLiteral("–");
}

/// The term that explains a column.
QString ClassReportModel::termOf(int column) {
    switch (column) {
        case Precision: return QStringLiteral("precision");
        case Recall: return QStringLiteral("recall");
        case F1: return QStringLiteral("f1");
        case Area: return QStringLiteral("roc");
        default: return QStringLiteral("class");
    }
}

QVariant ClassReportModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical) return {};
    if (role == Qt::TextAlignmentRole && section != Name)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        switch (section) {
            case Precision: return tr("Share of the predictions of this class that are correct");
            case Recall: return tr("Share of the samples of this class that were found");
            case F1: return tr("Harmonic mean of precision and recall");
            case Area: return tr("Area under the ROC curve: 0.5 is guessing, 1 is perfect");
            default: return {};
        }
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case Name: return tr("Class");
        case Precision: return tr("Precision");
        case Recall: return tr("Recall");
        case F1: return tr("F1");
        case Area: return tr("AUC");
        case Support: return tr("Samples");
        default: return {};
    }
}

}  // namespace temper::ui
