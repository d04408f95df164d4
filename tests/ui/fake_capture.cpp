// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/fake_capture.h"

#include <utility>

namespace temper::ui {

struct FakeCapture::State {
    std::vector<CaptureDevice> cameras, microphones;
    QStringList camerasInUse, microphonesInUse, opened;
    PictureListener picture;
    SoundListener sound;
    std::function<void()> changed;
};

namespace {

using StatePtr = std::shared_ptr<FakeCapture::State>;

class FakeSource : public CaptureSource {
public:
    FakeSource(StatePtr state, QStringList FakeCapture::State::*inUse, QString id)
        : state_(std::move(state)), inUse_(inUse), id_(std::move(id)) {
        (*state_.*inUse_) << id_;
        state_->opened << id_;
    }
    ~FakeSource() override { (*state_.*inUse_).removeOne(id_); }

private:
    StatePtr state_;
    QStringList FakeCapture::State::*inUse_;
    QString id_;
};

class FakeDevices : public CaptureDevices {
public:
    explicit FakeDevices(StatePtr state) : state_(std::move(state)) {}
    ~FakeDevices() override { state_->changed = {}; }

    std::vector<CaptureDevice> cameras() const override { return state_->cameras; }
    std::vector<CaptureDevice> microphones() const override { return state_->microphones; }
    void watch(std::function<void()> changed) override { state_->changed = std::move(changed); }
    std::unique_ptr<CaptureSource> openCamera(const QString& id,
                                              PictureListener listener) override {
        state_->picture = std::move(listener);
        return std::make_unique<FakeSource>(state_, &FakeCapture::State::camerasInUse, id);
    }
    std::unique_ptr<CaptureSource> openMicrophone(const QString& id,
                                                  SoundListener listener) override {
        state_->sound = std::move(listener);
        return std::make_unique<FakeSource>(state_, &FakeCapture::State::microphonesInUse, id);
    }

private:
    StatePtr state_;
};

std::vector<CaptureDevice> devicesOf(const QStringList& names) {
    std::vector<CaptureDevice> devices;
    for (const QString& name : names) devices.push_back({"id of " + name, name});
    return devices;
}

}  // namespace

FakeCapture::FakeCapture() : state_(std::make_shared<State>()) {}

std::unique_ptr<CaptureDevices> FakeCapture::devices() const {
    return std::make_unique<FakeDevices>(state_);
}

void FakeCapture::setCameras(const QStringList& names) {
    state_->cameras = devicesOf(names);
    if (state_->changed) state_->changed();
}

void FakeCapture::setMicrophones(const QStringList& names) {
    state_->microphones = devicesOf(names);
    if (state_->changed) state_->changed();
}

QStringList FakeCapture::camerasInUse() const { return state_->camerasInUse; }
QStringList FakeCapture::microphonesInUse() const { return state_->microphonesInUse; }
QStringList FakeCapture::opened() const { return state_->opened; }

// A listener may open the device again, which replaces the listener: a copy is called.

void FakeCapture::send(const QImage& frame) {
    const auto received = state_->picture.received;
    if (!state_->camerasInUse.isEmpty()) received(frame);
}

void FakeCapture::send(const Sound& piece) {
    const auto received = state_->sound.received;
    if (!state_->microphonesInUse.isEmpty()) received(piece);
}

void FakeCapture::failCamera(const CaptureFailure& failure) {
    const auto failed = state_->picture.failed;
    if (!state_->camerasInUse.isEmpty()) failed(failure);
}

void FakeCapture::failMicrophone(const CaptureFailure& failure) {
    const auto failed = state_->sound.failed;
    if (!state_->microphonesInUse.isEmpty()) failed(failure);
}

}  // namespace temper::ui
