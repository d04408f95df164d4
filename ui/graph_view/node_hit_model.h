// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <memory>
#include <vector>

#include "engine/ir/node_search.h"
#include "ui/graph_view/graph_document.h"

namespace temper::ui {

/// The nodes found by a search, the best first.
class NodeHitModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit NodeHitModel(QObject* parent = nullptr) : QAbstractListModel(parent) {}

    void setHits(std::shared_ptr<const GraphDocument> document, std::vector<NodeHit> hits);
    int node(int row) const { return static_cast<int>(hits_[static_cast<size_t>(row)].node); }
    const std::vector<NodeHit>& hits() const { return hits_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const GraphDocument> document_;
    std::vector<NodeHit> hits_;
};

}  // namespace temper::ui
