// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusConnection>
#include <QObject>
#include <optional>

#include "ui/run/run_model.h"

namespace temper::ui {

class StudioProject;

/// The session's bus, where the desktop has one on this machine; else a connection that is not
/// connected. Nothing is started for it.
QDBusConnection desktopBus();

/// Tells the desktop how far the training is: the share that is done in the task bar (the signal
/// com.canonical.Unity.LauncherEntry.Update, which docks of several desktops read), and a
/// notification (org.freedesktop.Notifications) when a training ends while nobody looks at the
/// window. Without a bus, and where nobody listens, nothing happens.
class DesktopLink : public QObject {
    Q_OBJECT
public:
    /// All have to outlive it.
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
    std::optional<int> percent_;  ///< that the desktop was told
    bool wasActive_ = false;
};

}  // namespace temper::ui
