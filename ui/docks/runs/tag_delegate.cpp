// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/tag_delegate.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>

namespace temper::ui {
namespace {

constexpr QLatin1Char kComma(',');

/// What is typed before the last tag stays.
class TagCompleter : public QCompleter {
public:
    using QCompleter::QCompleter;

    QStringList splitPath(const QString& typed) const override {
        return {typed.section(kComma, -1).trimmed()};
    }

    QString pathFromIndex(const QModelIndex& index) const override {
        const auto* edit = qobject_cast<const QLineEdit*>(widget());
        const QString typed = edit == nullptr ? QString() : edit->text();
        const QString before = typed.left(typed.lastIndexOf(kComma) + 1);
        return before + (before.isEmpty() ? "" : " ") + QCompleter::pathFromIndex(index);
    }
};

}  // namespace

QCompleter* makeTagCompleter(const QStringList& tags, QLineEdit* edit) {
    auto* completer = new TagCompleter(tags, edit);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->popup()->setProperty("completion", true);
    return completer;
}

QWidget* TagDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                                   const QModelIndex& index) const {
    QWidget* editor = ElidingDelegate::createEditor(parent, option, index);
    if (auto* edit = qobject_cast<QLineEdit*>(editor)) {
        edit->setCompleter(makeTagCompleter(tags_, edit));
        edit->setPlaceholderText(tr("Tags, separated by commas"));
        edit->setAccessibleName(tr("Tags"));
    }
    return editor;
}

}  // namespace temper::ui
