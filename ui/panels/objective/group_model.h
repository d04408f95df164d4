// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/training/spec/training_spec.h"

namespace temper::ui {

/// A parameter that can be in a group.
struct GroupMember {
    std::string name;
    int64_t values = 0;
    bool trains = true;
    std::vector<std::string> inModule = {};  ///< its further names

    bool operator==(const GroupMember&) const = default;
};

/// Parameter groups: patterns, learning-rate factor, weight decay, first step, and the number of
/// parameters and values in each (a parameter belongs to the first that matches; frozen ones are
/// distinguished). Edits and drops are requests: the document decides and answers with setGroups().
class GroupModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Pattern, Rate, Decay, Start, Count, Values, kColumns };

    explicit GroupModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    /// `members`: the parameters that can train.
    void setGroups(std::vector<ParameterGroup> groups, std::vector<GroupMember> members);
    const std::vector<ParameterGroup>& groups() const { return groups_; }
    /// Number of frozen members of all groups.
    int64_t frozenMembers() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QStringList mimeTypes() const override;
    Qt::DropActions supportedDropActions() const override { return Qt::CopyAction; }
    bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                         const QModelIndex& parent) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

signals:
    void groupsEdited(const std::vector<temper::ParameterGroup>& groups);
    /// Parameters were dropped on the group `to`, or below all groups if `to` is their number.
    void parametersDropped(const std::set<std::string>& names, size_t to);

private:
    struct Counts {
        int64_t trained = 0, tensors = 0;
        int64_t trainedValues = 0, values = 0;
    };

    QVariant display(const ParameterGroup& group, int row, int column) const;
    QString inWords(int row) const;
    void recount();

    std::vector<ParameterGroup> groups_;
    std::vector<GroupMember> members_;
    std::vector<Counts> counts_;
};

}  // namespace temper::ui
