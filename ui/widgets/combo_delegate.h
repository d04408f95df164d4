// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/widgets/name_elision.h"

namespace temper::ui {

/// Edits a cell by choosing one of some items; the cell's edit role is an item's key.
class ComboDelegate : public ElidingDelegate {
    Q_OBJECT
public:
    struct Item {
        QString key;
        QString label;
    };

    explicit ComboDelegate(std::vector<Item> items, QObject* parent = nullptr)
        : ElidingDelegate(parent), items_(std::move(items)) {}

    void setItems(std::vector<Item> items) { items_ = std::move(items); }

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model,
                      const QModelIndex& index) const override;

private:
    std::vector<Item> items_;
};

}  // namespace temper::ui
