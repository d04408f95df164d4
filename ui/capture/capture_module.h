// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "ui/capture/capture_devices.h"

namespace temper::ui {

/// The module with camera and microphone, a separate library, because it needs Qt Multimedia. It is
/// loaded when it is first used; most people never do.
class CaptureModule : public QObject {
    Q_OBJECT
public:
    /// `file`: the library. It may be missing.
    explicit CaptureModule(QString file = installedFile(), QObject* parent = nullptr);
    ~CaptureModule() override;

    /// The module that is installed with this program, or built with it.
    static QString installedFile();

    /// Whether there is a module; loads nothing.
    bool isInstalled() const;
    /// What to do if it is not installed: a sentence for tool tips.
    static QString whatToInstall();
    /// Loads the module. Returns: null if that fails, see obstacle().
    CaptureDevices* devices();
    /// Why devices() is null, for people; empty if it is not.
    QString obstacle() const { return obstacle_; }
    /// Uses these instead of the module's.
    void use(std::unique_ptr<CaptureDevices> devices);

signals:
    /// A device was plugged in or out.
    void changed();

private:
    QString file_;
    QString obstacle_;
    std::unique_ptr<CaptureDevices> devices_;
};

}  // namespace temper::ui
