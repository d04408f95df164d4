// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QTimer>
#include <QWidget>
#include <chrono>
#include <memory>

#include "ui/capture/capture_devices.h"

class QPushButton;

namespace temper::ui {

class CaptureModule;
class DeviceChoice;
class LivePicture;

/// The live picture of a camera, and the button that takes it. The camera is in use only between
/// open() and close(), or until the view is hidden.
class CameraView : public QWidget {
    Q_OBJECT
public:
    /// `capture` outlives it.
    explicit CameraView(CaptureModule& capture, QWidget* parent = nullptr);

    /// Opens the chosen camera, at first the system's usual one.
    void open();
    void close();
    bool isOpen() const { return isOpen_; }
    /// How long a camera may deliver nothing.
    void setPatience(std::chrono::milliseconds patience);

    LivePicture* picture() const { return picture_; }

signals:
    void taken(const QImage& picture);
    /// The user does not want a picture any more, or the view was hidden.
    void cancelled();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void start();
    void receive(const QImage& frame);
    void fail(const QString& message);
    void followDevices();
    void press();
    void cancel();

    CaptureModule& capture_;
    LivePicture* picture_;
    DeviceChoice* choice_;
    QPushButton* take_;
    std::unique_ptr<CaptureSource> source_;
    QString opened_;  ///< the id of the camera in use
    QImage frame_;
    QTimer patience_;
    bool isOpen_ = false;
};

}  // namespace temper::ui
