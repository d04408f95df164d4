// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/group_model.h"

#include <QMimeData>
#include <cmath>

#include "engine/training/parameters/group_membership.h"
#include "ui/messages/problem.h"
#include "ui/panels/parameters/parameter_drag.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

constexpr double kMaxStart = 1e9;

/// A non-negative number; no value if the text is not one.
std::optional<double> sizeFrom(const QString& typed) {
    const std::optional<double> number = typedNumber(typed);
    return number && *number >= 0 && std::isfinite(*number) ? number : std::nullopt;
}

/// "3", or "2 of 3" if some are frozen.
QString shareText(int64_t trained, int64_t all) {
    if (trained == all) return integerText(all);
    return GroupModel::tr("%1 of %2").arg(integerText(trained), integerText(all));
}

}  // namespace

void GroupModel::setGroups(std::vector<ParameterGroup> groups, std::vector<GroupMember> members) {
    if (groups == groups_ && members == members_) return;
    const bool sameRows = groups.size() == groups_.size();
    if (!sameRows) beginResetModel();
    groups_ = std::move(groups);
    members_ = std::move(members);
    recount();
    if (!sameRows) return endResetModel();
    if (!groups_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

void GroupModel::recount() {
    counts_.assign(groups_.size(), {});
    ModuleNames modules;
    for (const GroupMember& member : members_) modules[member.name] = member.inModule;
    const GroupMembership membership(groups_, std::move(modules));
    for (const GroupMember& member : members_) {
        const auto group = membership.groupOf(member.name);
        if (!group) continue;
        Counts& counts = counts_[*group];
        ++counts.tensors;
        counts.values += member.values;
        if (!member.trains) continue;
        ++counts.trained;
        counts.trainedValues += member.values;
    }
}

int64_t GroupModel::frozenMembers() const {
    int64_t frozen = 0;
    for (const Counts& counts : counts_) frozen += counts.tensors - counts.trained;
    return frozen;
}

int GroupModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(groups_.size());
}

int GroupModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant GroupModel::display(const ParameterGroup& group, int row, int column) const {
    const Counts& counts = counts_.at(static_cast<size_t>(row));
    switch (column) {
        case Pattern: return text(group.pattern);
        case Rate: return fieldText(group.learningRateFactor);
        case Decay: return group.weightDecay ? fieldText(*group.weightDecay) : tr("from optimizer");
        case Start: return group.startStep == 0 ? tr("immediately") : integerText(group.startStep);
        case Count: return shareText(counts.trained, counts.tensors);
        case Values: return shareText(counts.trainedValues, counts.values);
        default: return {};
    }
}

/// Describes a row in words.
QString GroupModel::inWords(int row) const {
    const Counts& counts = counts_.at(static_cast<size_t>(row));
    const int64_t frozen = counts.tensors - counts.trained;
    QString trains =
        tr("%Ln parameters train in this group.", nullptr, static_cast<int>(counts.trained));
    if (const int64_t start = groups_.at(static_cast<size_t>(row)).startStep; start > 0)
        trains += ' ' + tr("They stay unchanged for the first %Ln steps.", nullptr,
                           static_cast<int>(start));
    if (frozen == 0) return trains;
    return trains + ' ' +
           tr("%Ln more are frozen; the settings of the group apply after you unfreeze them.",
              nullptr, static_cast<int>(frozen));
}

QVariant GroupModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ParameterGroup& group = groups_.at(static_cast<size_t>(index.row()));
    if (role == Qt::DisplayRole) return display(group, index.row(), index.column());
    if (role == Qt::EditRole) {
        if (index.column() == Start && group.startStep > 0)
            return QString::number(group.startStep);  // as it may be typed
        const bool isAsChosen = (index.column() == Decay && !group.weightDecay) ||
                                (index.column() == Start && group.startStep == 0);
        return isAsChosen ? QVariant(QString()) : display(group, index.row(), index.column());
    }
    if (role == Qt::ToolTipRole)
        return index.column() == Pattern ? text(group.pattern) : inWords(index.row());
    if (role == Qt::AccessibleDescriptionRole) return inWords(index.row());
    if (role == Qt::TextAlignmentRole && index.column() != Pattern)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant GroupModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal && section != Pattern)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    // Places: the first group that matches counts.
    if (orientation == Qt::Vertical) return integerText(section + 1);
    switch (section) {
        case Pattern: return tr("Parameters");
        case Rate: return tr("Rate ×");
        case Decay: return tr("Weight decay");
        case Start: return tr("Starts after");
        case Count: return tr("Tensors");
        case Values: return tr("Values");
        default: return {};
    }
}

/// An invalid index is the empty area below, which also accepts drops.
Qt::ItemFlags GroupModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::ItemIsDropEnabled;
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index) | Qt::ItemIsDropEnabled;
    const bool isCounted = index.column() == Count || index.column() == Values;
    return isCounted ? flags : flags | Qt::ItemIsEditable;
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
        case Start:
            if (typed.isEmpty()) {
                group.startStep = 0;
                break;
            }
            if (!number || *number != std::trunc(*number) || *number > kMaxStart) return false;
            group.startStep = static_cast<int64_t>(*number);
            break;
        default: return false;
    }
    if (changed == groups_) return false;
    emit groupsEdited(changed);
    return true;
}

QStringList GroupModel::mimeTypes() const { return {QLatin1String(kParametersMimeType)}; }

bool GroupModel::canDropMimeData(const QMimeData* data, Qt::DropAction /*action*/, int /*row*/,
                                 int /*column*/, const QModelIndex& /*parent*/) const {
    return data != nullptr && data->hasFormat(QLatin1String(kParametersMimeType));
}

bool GroupModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                              const QModelIndex& parent) {
    if (!canDropMimeData(data, action, row, column, parent)) return false;
    const std::set<std::string> names = draggedParameters(*data);
    if (names.empty()) return false;
    emit parametersDropped(names,
                           parent.isValid() ? static_cast<size_t>(parent.row()) : groups_.size());
    return true;
}

}  // namespace temper::ui
