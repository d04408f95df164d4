// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/group_model.h"

#include <algorithm>
#include <cmath>

#include "ui/project/problem.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

/// A number of zero or more, or nothing where the text is none.
std::optional<double> sizeFrom(const QString& typed) {
    const std::optional<double> number = typedNumber(typed);
    return number && *number >= 0 && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace

void GroupModel::setGroups(std::vector<ParameterGroup> groups, std::vector<std::string> trained) {
    if (groups == groups_ && trained == trained_) return;
    const bool sameRows = groups.size() == groups_.size();
    if (!sameRows) beginResetModel();
    groups_ = std::move(groups);
    trained_ = std::move(trained);
    recount();
    if (!sameRows) return endResetModel();
    if (!groups_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

void GroupModel::recount() {
    counts_.assign(groups_.size(), 0);
    for (const std::string& name : trained_) {
        const auto group = std::ranges::find_if(groups_, [&](const ParameterGroup& candidate) {
            return matchesPattern(candidate.pattern, name);
        });
        if (group != groups_.end()) ++counts_[static_cast<size_t>(group - groups_.begin())];
    }
}

int GroupModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(groups_.size());
}

int GroupModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant GroupModel::display(const ParameterGroup& group, int row, int column) const {
    switch (column) {
        case Pattern: return text(group.pattern);
        case Rate: return fieldText(group.learningRateFactor);
        case Decay: return group.weightDecay ? fieldText(*group.weightDecay) : tr("as chosen");
        case Count: return counts_.at(static_cast<size_t>(row));
        default: return {};
    }
}

QVariant GroupModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ParameterGroup& group = groups_.at(static_cast<size_t>(index.row()));
    if (role == Qt::DisplayRole) return display(group, index.row(), index.column());
    if (role == Qt::EditRole) {
        const bool isAsChosen = index.column() == Decay && !group.weightDecay;
        return isAsChosen ? QVariant(QString()) : display(group, index.row(), index.column());
    }
    if (role == Qt::TextAlignmentRole && index.column() != Pattern)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant GroupModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Pattern: return tr("Parameters");
        case Rate: return tr("Rate ×");
        case Decay: return tr("Weight decay");
        case Count: return tr("Tensors");
        default: return {};
    }
}

Qt::ItemFlags GroupModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() && index.column() != Count ? flags | Qt::ItemIsEditable : flags;
}

bool GroupModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !index.isValid()) return false;
    std::vector<ParameterGroup> changed = groups_;
    ParameterGroup& group = changed.at(static_cast<size_t>(index.row()));
    const QString typed = value.toString().trimmed();
    const std::optional<double> number = sizeFrom(typed);
    switch (index.column()) {
        case Pattern:
            if (typed.isEmpty()) return false;
            group.pattern = typed.toStdString();
            break;
        case Rate:
            if (!number) return false;
            group.learningRateFactor = *number;
            break;
        case Decay:
            if (!number && !typed.isEmpty()) return false;
            group.weightDecay = number;
            break;
        default: return false;
    }
    if (changed == groups_) return false;
    emit groupsEdited(changed);
    return true;
}

}  // namespace temper::ui
