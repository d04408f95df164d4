// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/combo_delegate.h"

#include <QComboBox>

namespace temper::ui {

QWidget* ComboDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                     const QModelIndex& index) const {
    auto* box = new QComboBox(parent);
    for (const Item& item : items_) box->addItem(item.label, item.key);
    box->setAccessibleName(
        index.model()->headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
    // A choice is final: it is committed at once, and can be undone.
    auto* self = const_cast<ComboDelegate*>(this);
    connect(box, &QComboBox::activated, self, [self, box] {
        emit self->commitData(box);
        emit self->closeEditor(box);
    });
    return box;
}

void ComboDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    auto* box = static_cast<QComboBox*>(editor);
    box->setCurrentIndex(box->findData(index.data(Qt::EditRole)));
}

void ComboDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                 const QModelIndex& index) const {
    const auto* box = static_cast<QComboBox*>(editor);
    if (box->currentIndex() >= 0) model->setData(index, box->currentData(), Qt::EditRole);
}

}  // namespace temper::ui
