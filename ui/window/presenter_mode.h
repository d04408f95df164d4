// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QFont>
#include <QObject>
#include <QPointer>
#include <functional>
#include <vector>

class QMainWindow;
class QSplitter;
class QTableView;

namespace temper::ui {

class StageRail;
class WindowDocks;

/// For presenting to a room: large type, large figures, the rail as icons, only docks that teach.
/// Lengths that widgets set on construction grow with the type. Leaving it restores everything:
/// type, lengths, splitters, columns, docks.
class PresenterMode : public QObject {
    Q_OBJECT
public:
    static constexpr double kScale = 1.5;

    PresenterMode(QMainWindow& window, StageRail& rail, WindowDocks& docks);

    void setOn(bool on);
    bool isOn() const { return on_; }
    /// Scale of the type: 1 if the mode is off.
    double typeScale() const { return on_ ? kScale : 1; }

signals:
    /// The type size has changed: style sheets with their own sizes must follow.
    void typeScaleChanged(double scale);
    void toggled(bool on);
    /// Emitted after everything has grown, and before it is restored: pages show less meanwhile.
    void presented(bool on);

protected:
    /// Ends the mode on an Escape that no other object handled.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void enter();
    void leave();
    void growLengths();
    void growWidget(QWidget* widget);
    void growTable(QTableView* table);
    void growIcons(QWidget* widget);
    void keepSplitters();
    void setFonts(double scale);
    void hideFrame();
    /// `undo` runs when the mode ends, unless the object was deleted by then.
    template <typename W>
    void restoreLater(W* object, std::function<void(W*)> undo);

    QMainWindow& window_;
    StageRail& rail_;
    WindowDocks& docks_;
    bool on_ = false;
    std::vector<std::pair<const char*, QFont>> fonts_;  ///< by class; null: of all others
    QByteArray layout_;
    std::vector<std::pair<QPointer<QSplitter>, QByteArray>> splitters_;
    std::vector<std::function<void()>> undo_;  ///< run in reverse order
};

}  // namespace temper::ui
