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

/// For a room that looks on: large type, large figures, the rail as icons, only docks that teach.
/// Lengths that widgets were given when they were made grow with the type. Leaving it puts
/// everything back as it was: type, lengths, splitters, columns, docks.
class PresenterMode : public QObject {
    Q_OBJECT
public:
    static constexpr double kScale = 1.5;

    PresenterMode(QMainWindow& window, StageRail& rail, WindowDocks& docks);

    void setOn(bool on);
    bool isOn() const { return on_; }
    /// Of the type: 1 where it is off.
    double typeScale() const { return on_ ? kScale : 1; }

signals:
    /// The type has another size: style sheets with sizes of their own have to follow.
    void typeScaleChanged(double scale);
    void toggled(bool on);

protected:
    /// Escape that nobody else wanted ends it.
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
    /// `undo` runs when the mode ends, unless the object is gone by then.
    template <typename W>
    void restoreLater(W* object, std::function<void(W*)> undo);

    QMainWindow& window_;
    StageRail& rail_;
    WindowDocks& docks_;
    bool on_ = false;
    std::vector<std::pair<const char*, QFont>> fonts_;  ///< by class; null: of all others
    QByteArray layout_;
    std::vector<std::pair<QPointer<QSplitter>, QByteArray>> splitters_;
    std::vector<std::function<void()>> undo_;  ///< the latest is undone first
};

}  // namespace temper::ui
