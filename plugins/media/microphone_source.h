// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAudioDevice>
#include <QAudioSource>
#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <memory>

#include "ui/capture/capture_devices.h"

namespace temper::ui {

/// A microphone that delivers sound, in its own rate and format: resampling is not left to the
/// system, so that the same sound gives the same input everywhere.
class MicrophoneSource : public QObject, public CaptureSource {
    Q_OBJECT
public:
    MicrophoneSource(const QAudioDevice& device, SoundListener listener);
    ~MicrophoneSource() override;

private:
    void read();
    void follow(QAudio::State state);
    void fail(CaptureFault fault);

    SoundListener listener_;
    QAudioDevice device_;
    std::unique_ptr<QAudioSource> audio_;
    QPointer<QIODevice> stream_;  ///< owned by audio_, which may end it at any time
    QByteArray rest_;             ///< of an instant that is not complete yet
};

}  // namespace temper::ui
