// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

namespace temper::ui {

class Navigator;

/// Tells what is shown and done in a window, to whoever follows it: lessons tick their steps by it,
/// pages show less while the window presents.
class Activity : public QObject {
    Q_OBJECT
public:
    /// That of the window with this navigator.
    static Activity& of(Navigator& navigator);

signals:
    /// A page or dock is visible, or no longer is.
    void placeShown(const QString& id, bool isShown);
    /// The user has done something that a lesson may ask for; see LessonCondition::act.
    void acted(const QString& act);
    /// The window now presents to a room, or is about to end that.
    void presented(bool on);

private:
    using QObject::QObject;
};

}  // namespace temper::ui
