// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/model/node_model.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>

#include "ui/graph_view/box_content.h"
#include "ui/messages/problem.h"

namespace temper::ui {
namespace {

QString namesText(const std::vector<Value*>& values) {
    QStringList names;
    for (const Value* value : values)
        if (value != nullptr) names << text(value->name());
    return names.join(QStringLiteral(", "));
}

}  // namespace

QString bytesText(size_t bytes) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes), 1,
                                       QLocale::DataSizeTraditionalFormat);
}

NodeModel::NodeModel(QObject* parent) : QAbstractTableModel(parent) {}

void NodeModel::setGraph(std::shared_ptr<const Graph> graph) {
    beginResetModel();
    graph_ = std::move(graph);
    nodes_ = graph_ ? graph_->nodes() : std::vector<Node*>();
    endResetModel();
}

int NodeModel::rowOf(const std::string& name) const {
    for (size_t row = 0; row < nodes_.size(); ++row)
        if (nodes_[row]->name() == name) return static_cast<int>(row);
    return -1;
}

int NodeModel::rowOf(const Node* node) const {
    const auto found = std::find(nodes_.begin(), nodes_.end(), node);
    return found == nodes_.end() ? -1 : static_cast<int>(found - nodes_.begin());
}

int NodeModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(nodes_.size());
}

int NodeModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant NodeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role != Qt::DisplayRole && role != Qt::UserRole && role != Qt::ToolTipRole) return {};
    const Node& node = *nodes_[static_cast<size_t>(index.row())];
    switch (index.column()) {
        case Operator: return operatorName(node.qualifiedOp());
        case Name: return text(node.name());
        case Inputs: return namesText(node.inputs());
        case Outputs: return namesText(node.outputs());
        default: return {};
    }
}

QVariant NodeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Operator: return tr("Operator");
        case Name: return tr("Node");
        case Inputs: return tr("Reads");
        case Outputs: return tr("Makes");
        default: return {};
    }
}

TensorModel::TensorModel(QObject* parent) : QAbstractTableModel(parent) {}

void TensorModel::setGraph(std::shared_ptr<const Graph> graph) {
    beginResetModel();
    graph_ = std::move(graph);
    values_.clear();
    if (graph_) {
        for (const Value* value : graph_->inputs()) values_.push_back(value);
        for (const Value* value : graph_->initializers()) values_.push_back(value);
        for (const Node* node : graph_->nodes())
            for (const Value* value : node->outputs())
                if (value != nullptr) values_.push_back(value);
    }
    endResetModel();
}

int TensorModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(values_.size());
}

int TensorModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QString TensorModel::roleOf(const Value& value) const {
    if (value.isLiteral()) return tr("literal");
    if (value.isInitializer()) return tr("initializer");
    if (value.isGraphInput()) return tr("input");
    return value.isGraphOutput() ? tr("output") : tr("intermediate");
}

QVariant TensorModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Value& value = *values_[static_cast<size_t>(index.row())];
    if (role == Qt::UserRole && index.column() == Bytes)
        return static_cast<qulonglong>(value.constant().byteSize());
    if (role == Qt::TextAlignmentRole && index.column() == Bytes)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::UserRole && role != Qt::ToolTipRole) return {};
    switch (index.column()) {
        case Name: return text(value.name());
        case Role: return roleOf(value);
        case Type: return value.type().isKnown() ? text(formatType(value.type())) : tr("unknown");
        case Bytes:
            return value.isInitializer() ? bytesText(value.constant().byteSize()) : QString();
        default: return {};
    }
}

QVariant TensorModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role == Qt::TextAlignmentRole && section == Bytes)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Name: return tr("Tensor");
        case Role: return tr("Role");
        case Type: return tr("Type");
        case Bytes: return tr("Size");
        default: return {};
    }
}

}  // namespace temper::ui
