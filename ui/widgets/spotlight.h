// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QPointer>
#include <QSplitter>
#include <QWidget>
#include <utility>
#include <vector>

namespace temper::ui {

/// Lets one widget fill a page: hides everything beside it, in larger type, and restores all of it.
class Spotlight {
public:
    /// The type of the widget, relative to that of the page.
    static constexpr double kScale = 1.3;

    /// `widget` is somewhere inside `page`; the one before is restored.
    void show(QWidget* page, QWidget* widget);
    /// Nothing is in the light any more.
    void end();
    QWidget* widget() const { return widget_; }

private:
    QPointer<QWidget> widget_;
    std::vector<QPointer<QWidget>> hidden_;
    std::vector<std::pair<QPointer<QSplitter>, QByteArray>> splitters_;
};

}  // namespace temper::ui
