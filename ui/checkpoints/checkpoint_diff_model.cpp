// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/checkpoint_diff_model.h"

#include "ui/checkpoints/names_in_module.h"
#include "ui/messages/problem.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/severity.h"

namespace temper::ui {

namespace {

/// Numbers and their headers are on the right.
QVariant alignmentOf(int column) {
    const bool isNumber =
        column >= CheckpointDiffModel::Change && column <= CheckpointDiffModel::Cosine;
    return isNumber ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter)) : QVariant();
}

}  // namespace

CheckpointDiffModel::CheckpointDiffModel(QObject* parent) : QAbstractTableModel(parent) {}

void CheckpointDiffModel::setDiff(CheckpointDiff diff, ModuleNames names) {
    beginResetModel();
    diff_ = std::move(diff);
    names_ = std::move(names);
    endResetModel();
}

const ParameterDiff* CheckpointDiffModel::parameter(int row) const {
    const auto index = static_cast<size_t>(row);
    return row >= 0 && index < diff_.parameters.size() ? &diff_.parameters[index] : nullptr;
}

QString CheckpointDiffModel::nameText(const ParameterDiff& parameter) const {
    return nameInModule(names_, parameter.name);
}

int CheckpointDiffModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return static_cast<int>(diff_.parameters.size() + diff_.onlyInFirst.size() +
                            diff_.onlyInSecond.size());
}

int CheckpointDiffModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant CheckpointDiffModel::lonely(int row, int column) const {
    const size_t index = static_cast<size_t>(row) - diff_.parameters.size();
    const bool inFirst = index < diff_.onlyInFirst.size();
    if (column == Name)
        return nameInModule(names_, inFirst ? diff_.onlyInFirst[index]
                                            : diff_.onlyInSecond[index - diff_.onlyInFirst.size()]);
    if (column == Remark) return inFirst ? tr("only in the first") : tr("only in the second");
    return {};
}

QVariant CheckpointDiffModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ParameterDiff* entry = parameter(index.row());
    const bool odd = entry == nullptr || !entry->mismatch.empty();
    if (role == Qt::DecorationRole && index.column() == Remark && odd)
        return severityIcon(Severity::Warning);
    if (role == Qt::TextAlignmentRole) return alignmentOf(index.column());
    if (role != Qt::DisplayRole && role != Qt::UserRole) return {};
    if (entry == nullptr) return lonely(index.row(), index.column());
    const auto number = [&](double value) {
        if (odd) return QVariant();
        return role == Qt::UserRole ? QVariant(value) : QVariant(decimalText(value, 'g', 4));
    };
    switch (index.column()) {
        case Name: return nameText(*entry);
        case Type: return text(entry->type);
        case Change: return number(entry->changeNorm);
        case Relative: return number(entry->relative);
        case Largest: return number(entry->maxChange);
        case Cosine:
            return role == Qt::UserRole || odd ? number(entry->cosine)
                                               : QVariant(decimalText(entry->cosine, 'f', 6));
        case Remark:
            return !entry->mismatch.empty() ? text(entry->mismatch)
                   : entry->isSame()        ? tr("equal")
                                            : QString();
        default: return {};
    }
}

QVariant CheckpointDiffModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole) return alignmentOf(section);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Name: return tr("Parameter");
        case Type: return tr("Type");
        case Change: return tr("L2 of the change");
        case Relative: return tr("Relative");
        case Largest: return tr("Largest");
        case Cosine: return tr("Cosine");
        case Remark: return tr("Note");
        default: return {};
    }
}

}  // namespace temper::ui
