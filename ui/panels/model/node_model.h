// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "engine/ir/graph.h"

namespace temper::ui {

/// The nodes of a graph: the graph view as a table.
class NodeModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Operator, Name, Inputs, Outputs, kColumns };

    explicit NodeModel(QObject* parent = nullptr);

    void setGraph(std::shared_ptr<const Graph> graph);
    const Node* node(int row) const { return nodes_[static_cast<size_t>(row)]; }
    int rowOf(const std::string& name) const;
    int rowOf(const Node* node) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const Graph> graph_;
    std::vector<Node*> nodes_;
};

/// The tensors of a graph: inputs, initializers and the values between nodes.
class TensorModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Role, Type, Bytes, kColumns };

    explicit TensorModel(QObject* parent = nullptr);

    void setGraph(std::shared_ptr<const Graph> graph);
    const Value* value(int row) const { return values_[static_cast<size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString roleOf(const Value& value) const;

    std::shared_ptr<const Graph> graph_;
    std::vector<const Value*> values_;
};

/// "1.2 MB".
QString bytesText(size_t bytes);

}  // namespace temper::ui
