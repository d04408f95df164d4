// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/loss_terms_model.h"

#include <cmath>

#include "engine/training/loss/loss_function.h"
#include "ui/messages/problem.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

QString lossLabel(const std::string& key) {
    const LossFunction* function = findLossFunction(key);
    return function == nullptr ? text(key) : engineText(function->choice.label);
}

}  // namespace

void LossTermsModel::setTerms(std::vector<WeightedLoss> terms) {
    if (terms == terms_) return;
    const bool sameRows = terms.size() == terms_.size();
    if (!sameRows) beginResetModel();
    terms_ = std::move(terms);
    if (!sameRows) return endResetModel();
    if (!terms_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int LossTermsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(terms_.size());
}

int LossTermsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant LossTermsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const WeightedLoss& term = terms_.at(static_cast<size_t>(index.row()));
    if (role == Qt::TextAlignmentRole && index.column() == Weight)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
    switch (index.column()) {
        case Weight: return fieldText(term.weight);
        case Loss: return role == Qt::EditRole ? text(term.loss) : lossLabel(term.loss);
        case Output: return text(term.output);
        case Target:
            return term.target.empty() && role == Qt::DisplayRole ? tr("default of the loss")
                                                                  : text(term.target);
        default: return {};
    }
}

QVariant LossTermsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Weight: return tr("Weight");
        case Loss: return tr("Loss");
        case Output: return tr("Reads output");
        case Target: return tr("Target");
        default: return {};
    }
}

Qt::ItemFlags LossTermsModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() ? flags | Qt::ItemIsEditable : flags;
}

bool LossTermsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !index.isValid()) return false;
    std::vector<WeightedLoss> changed = terms_;
    WeightedLoss& term = changed.at(static_cast<size_t>(index.row()));
    const std::string typed = value.toString().trimmed().toStdString();
    const std::optional<double> number = typedNumber(value.toString());
    switch (index.column()) {
        case Weight:
            if (!number || !std::isfinite(*number)) return false;
            term.weight = *number;
            break;
        case Loss:
            if (findLossFunction(typed) == nullptr) return false;
            term.loss = typed;
            break;
        case Output:
            if (typed.empty()) return false;
            term.output = typed;
            break;
        case Target: term.target = typed; break;
        default: return false;
    }
    if (changed == terms_) return false;
    emit termsEdited(changed);
    return true;
}

}  // namespace temper::ui
