// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusConnection>
#include <QObject>
#include <optional>

#include "ui/run/run_model.h"

namespace temper::ui {

class StudioProject;

/// The session's bus, if the desktop has one on this machine; else an unconnected connection.
/// Starts nothing.
QDBusConnection desktopBus();

/// Reports the progress of the training to the desktop: the completed share in the task bar (the
/// signal com.canonical.Unity.LauncherEntry.Update, which docks of several desktops read), and a
/// notification (org.freedesktop.Notifications) when a training ends while the window is inactive.
/// Without a bus or a listener, nothing happens.
class DesktopLink : public QObject {
    Q_OBJECT
public:
    /// All arguments must outlive it.
    DesktopLink(QWidget& window, const StudioProject& project, const RunModel& run,
                const QDBusConnection& bus);
    ~DesktopLink() override;

private:
    void follow();
    void stateChanged(RunState state);
    void showProgress(std::optional<int> percent);
    void notify(const QString& title, const QString& text);
    QString result() const;

    QWidget& window_;
    const StudioProject& project_;
    const RunModel& run_;
    QDBusConnection bus_;
    std::optional<int> percent_;  ///< last reported to the desktop
    bool wasActive_ = false;
};

}  // namespace temper::ui
