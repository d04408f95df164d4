// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper::ui {

/// Possible outputs of an exported model, with ticks: the outputs of the forward model first, then
/// all other values that the model computes from its inputs. Values computed only by the loss are
/// excluded.
class OutputModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Type, Origin, kColumns };

    explicit OutputModel(QObject* parent = nullptr);

    /// Shows values of the eval model that the forward model `model` also has; those that depend on
    /// one of the `targets` are left out. `ticked`: the initial ticks.
    void setGraph(const Graph& evalModel, const Graph& model,
                  const std::vector<std::string>& targets, const std::set<std::string>& ticked);
    void clear();
    /// In the order of the table.
    std::vector<std::string> ticked() const;
    void tick(const std::string& name, bool ticked);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

private:
    struct Output {
        std::string name;
        ValueType type;
        std::string madeBy;
        bool isForward = false;
    };
    std::vector<Output> outputs_;
    std::set<std::string> ticked_;
};

}  // namespace temper::ui
