// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>
#include <chrono>
#include <memory>

#include "engine/data/sound_sample.h"
#include "ui/capture/capture_devices.h"

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace temper::ui {

class CaptureModule;
class DeviceChoice;
class WaveView;

/// Records a sound or asks for a file with one, shows it, and holds what the data does not say
/// about their sounds. The microphone is in use only while it records, and not while the bar is
/// hidden.
class SoundBar : public QWidget {
    Q_OBJECT
public:
    /// `capture` outlives it.
    explicit SoundBar(CaptureModule& capture, QWidget* parent = nullptr);

    /// How many numbers a sample has.
    void setLength(int64_t numbers);
    SoundFit fit() const;
    /// Shows a sound from elsewhere.
    void setSound(const Sound& sound);
    /// Marks the part of the sound that the model gets.
    void setPart(const FittedSound& fitted);
    /// Ends a recording and shows no sound.
    void clear();
    bool isRecording() const { return source_ != nullptr; }
    /// How long a microphone may deliver nothing.
    void setPatience(std::chrono::milliseconds patience);

    /// Shorter sounds are recorded for a second: the model gets the loudest part.
    double recordedSeconds() const;
    QString message() const;

signals:
    void recorded(const temper::Sound& sound);
    void fileChosen(const QString& path);
    /// There is another fit().
    void fitChanged();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QHBoxLayout* buildRecorder();
    QHBoxLayout* buildFit();
    void press();
    void start();
    void receive(const Sound& piece);
    void finish();
    void release();
    void fail(const QString& message);
    void followDevices();
    void askForFile();
    void setMessage(const QString& message);
    void describeLength();

    CaptureModule& capture_;
    QPushButton* record_;
    QProgressBar* level_;
    DeviceChoice* choice_;
    QComboBox* rate_;
    QCheckBox* loudness_;
    QLabel* length_;
    WaveView* wave_;
    QLabel* message_;
    int64_t numbers_ = 0;
    double typedRate_ = 0;  ///< the last valid one
    std::unique_ptr<CaptureSource> source_;
    QString opened_;  ///< the id of the microphone in use
    Sound recording_;
    QTimer patience_;
};

}  // namespace temper::ui
