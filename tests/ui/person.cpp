// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/person.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMenu>
#include <QMimeData>
#include <QToolBar>
#include <QToolButton>

namespace temper::ui {

void Person::drop(const QString& path) {
    ++actions_;
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &mime, Qt::LeftButton, {});
    QApplication::sendEvent(&driver_.window(), &enter);
    QDropEvent event(QPointF(50, 50), Qt::CopyAction, &mime, Qt::LeftButton, {});
    QApplication::sendEvent(&driver_.window(), &event);
}

bool Person::click(const QString& name) {
    ++actions_;
    return driver_.click(name);
}

bool Person::click(QAbstractButton* button) {
    ++actions_;
    if (button == nullptr || !button->isVisible() || !button->isEnabled()) return false;
    QTest::mouseClick(button, Qt::LeftButton);
    return true;
}

bool Person::clickTool(const QString& command) {
    const QAction* action = driver_.window().work().commands.action(command);
    const auto* bar = driver_.window().findChild<QToolBar*>(QStringLiteral("toolBar"));
    for (auto* button : bar->findChildren<QToolButton*>())
        if (button->defaultAction() == action) return click(button);
    return false;
}

void Person::command(const QString& id) {
    ++actions_;
    driver_.window().work().commands.action(id)->trigger();
}

bool Person::choose(QAbstractItemView& view, QPoint at, const QString& entry) {
    actions_ += 2;
    emit view.customContextMenuRequested(at);
    for (auto* menu : view.findChildren<QMenu*>()) {
        if (!menu->isVisible()) continue;
        for (QAction* action : menu->actions())
            if (action->text() == entry) return action->trigger(), menu->close(), true;
        menu->close();
    }
    return false;
}

void Person::fill(QLineEdit& field, const QString& text) {
    ++actions_;
    field.selectAll();
    QTest::keyClicks(&field, text);
}

}  // namespace temper::ui
