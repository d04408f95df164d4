// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "ui/widgets/name_elision.h"

class QCompleter;
class QLineEdit;

namespace temper::ui {

/// Completes the last of several tags that are separated by commas.
QCompleter* makeTagCompleter(const QStringList& tags, QLineEdit* edit);

/// Edits the tags of a run in their cell, completed from those in use.
class TagDelegate : public ElidingDelegate {
    Q_OBJECT
public:
    using ElidingDelegate::ElidingDelegate;

    void setTags(const QStringList& tags) { tags_ = tags; }
    const QStringList& tags() const { return tags_; }

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override;

private:
    QStringList tags_;
};

}  // namespace temper::ui
