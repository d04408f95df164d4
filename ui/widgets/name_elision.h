// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFontMetricsF>
#include <QStringList>
#include <QStyledItemDelegate>

namespace temper::ui {

/// Where names that are too long are cut. Those of tensors, modules and files begin with scopes,
/// "/encoder/layers.0/attention/": names that share them differ after them, so the beginning goes.
/// Of others the middle goes.

/// For a name on its own: whether it begins with long scopes.
Qt::TextElideMode elideModeOf(const QString& name);
/// For a name in a list: whether it begins with the same long scopes as one of those beside it.
Qt::TextElideMode elideModeOf(const QString& name, const QStringList& beside);

/// The name at `place` of a list as it fits into `width`, in pixels.
QString elidedName(const QFontMetricsF& metrics, const QStringList& names, qsizetype place,
                   double width);

/// Cells of tables, trees and lists: the names beside one are those above and below it.
class ElidingDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace temper::ui
