// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/node_hit_model.h"

#include "ui/graph_view/box_content.h"
#include "ui/messages/problem.h"

namespace temper::ui {

void NodeHitModel::setHits(std::shared_ptr<const GraphDocument> document,
                           std::vector<NodeHit> hits) {
    beginResetModel();
    document_ = std::move(document);
    hits_ = std::move(hits);
    endResetModel();
}

int NodeHitModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(hits_.size());
}

QVariant NodeHitModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
    const Node& node = document_->node(this->node(index.row()));
    QString name = text(node.name());
    if (name.isEmpty() && node.output(0) != nullptr) name = text(node.output(0)->name());
    return tr("%1   %2").arg(operatorName(node.qualifiedOp()), name);
}

}  // namespace temper::ui
