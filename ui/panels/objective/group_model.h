// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/training/training_spec.h"

namespace temper::ui {

/// Parameter groups: pattern, learning-rate factor, weight decay, and how many parameters each one
/// gets (a parameter belongs to the first that matches). Edits are requests: the document decides
/// and shows its answer with setGroups().
class GroupModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Pattern, Rate, Decay, Count, kColumns };

    explicit GroupModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    /// `trained`: names of the parameters that train.
    void setGroups(std::vector<ParameterGroup> groups, std::vector<std::string> trained);
    const std::vector<ParameterGroup>& groups() const { return groups_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    void groupsEdited(const std::vector<temper::ParameterGroup>& groups);

private:
    QVariant display(const ParameterGroup& group, int row, int column) const;
    void recount();

    std::vector<ParameterGroup> groups_;
    std::vector<std::string> trained_;
    std::vector<int> counts_;
};

}  // namespace temper::ui
