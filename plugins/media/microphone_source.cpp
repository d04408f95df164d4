// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugins/media/microphone_source.h"

#include <QMediaDevices>
#include <utility>

#include "plugins/media/piece_sound.h"

namespace temper::ui {

MicrophoneSource::MicrophoneSource(const QAudioDevice& device, SoundListener listener)
    : listener_(std::move(listener)), device_(device) {
    if (!device.isNull()) {
        audio_ = std::make_unique<QAudioSource>(device, device.preferredFormat());
        // Queued: a listener may destroy the microphone, which must not happen in its own signal.
        connect(audio_.get(), &QAudioSource::stateChanged, this, &MicrophoneSource::follow,
                Qt::QueuedConnection);
        stream_ = audio_->start();
    }
    if (stream_ == nullptr) {
        QMetaObject::invokeMethod(
            this, [this] { fail(CaptureFault::NotOpened); }, Qt::QueuedConnection);
        return;
    }
    connect(stream_, &QIODevice::readyRead, this, &MicrophoneSource::read, Qt::QueuedConnection);
}

MicrophoneSource::~MicrophoneSource() {
    if (audio_) audio_->stop();
}

void MicrophoneSource::read() {
    if (!stream_) return;
    const QAudioFormat format = audio_->format();
    rest_ += stream_->readAll();
    const Sound piece = soundOf(rest_, format);
    rest_ = rest_.last(rest_.size() % format.bytesPerFrame());
    const auto received = listener_.received;  // may destroy this
    if (!piece.samples.empty()) received(piece);
}

void MicrophoneSource::follow(QAudio::State state) {
    if (state != QAudio::StoppedState || audio_->error() == QAudio::NoError) return;
    fail(audio_->error() == QAudio::OpenError ? CaptureFault::NotOpened : CaptureFault::Other);
}

void MicrophoneSource::fail(CaptureFault fault) {
    const bool isThere = QMediaDevices::audioInputs().contains(device_);
    const auto failed = listener_.failed;  // may destroy this
    failed({isThere ? fault : CaptureFault::Unplugged});
}

}  // namespace temper::ui
