// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/camera_view.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/capture/capture_module.h"
#include "ui/capture/capture_texts.h"
#include "ui/panels/evaluate/device_choice.h"
#include "ui/panels/evaluate/live_picture.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Cameras that adjust to the light take a second or two.
constexpr std::chrono::seconds kPatience{8};

}  // namespace

CameraView::CameraView(CaptureModule& capture, QWidget* parent)
    : QWidget(parent), capture_(capture) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    picture_ = new LivePicture(this);
    picture_->setObjectName(QStringLiteral("livePicture"));
    column->addWidget(picture_, 1);
    auto* row = new QHBoxLayout;
    take_ = makePrimaryButton(tr("Take picture"), {}, this);
    take_->setObjectName(QStringLiteral("takePicture"));
    connect(take_, &QPushButton::clicked, this, &CameraView::press);
    auto* cancelButton = new QPushButton(tr("Cancel"), this);
    cancelButton->setObjectName(QStringLiteral("cancelCamera"));
    connect(cancelButton, &QPushButton::clicked, this, &CameraView::cancel);
    choice_ = new DeviceChoice(this);
    choice_->setObjectName(QStringLiteral("cameraChoice"));
    choice_->setAccessibleName(tr("Camera"));
    connect(choice_, &QComboBox::activated, this, &CameraView::start);
    row->addWidget(take_);
    row->addWidget(cancelButton);
    row->addStretch();
    column->addLayout(row);
    column->addWidget(choice_);
    column->addStretch();
    patience_.setSingleShot(true);
    patience_.setInterval(kPatience);
    connect(&patience_, &QTimer::timeout, this, [this] {
        followDevices();  // not every system tells that one is gone
        if (source_)
            fail(
                tr("The camera sends no picture. Close other programs that use it, or plug it in "
                   "again."));
    });
    connect(&capture_, &CaptureModule::changed, this, &CameraView::followDevices);
}

void CameraView::setPatience(std::chrono::milliseconds patience) {
    patience_.setInterval(patience);
}

void CameraView::open() {
    isOpen_ = true;
    if (CaptureDevices* devices = capture_.devices()) choice_->setDevices(devices->cameras());
    start();
}

void CameraView::close() {
    isOpen_ = false;
    patience_.stop();
    source_.reset();
    frame_ = {};
}

void CameraView::start() {
    source_.reset();  // before another one is opened: it may be the same
    frame_ = {};
    take_->setEnabled(false);
    take_->setText(tr("Take picture"));
    CaptureDevices* devices = capture_.devices();
    if (devices == nullptr) return picture_->setMessage(capture_.obstacle());
    opened_ = choice_->id();
    if (opened_.isEmpty())
        return picture_->setMessage(tr("No camera is connected. Plug one in to see its picture."));
    picture_->setMessage(tr("Starting the camera…"));
    patience_.start();
    source_ = devices->openCamera(
        opened_, {[this](const QImage& frame) { receive(frame); },
                  [this](const CaptureFailure& failure) { fail(cameraText(failure)); }});
}

void CameraView::receive(const QImage& frame) {
    if (frame_.isNull()) {
        take_->setEnabled(true);
        take_->setFocus();
    }
    frame_ = frame;
    picture_->setPicture(frame);
    patience_.start();
}

void CameraView::fail(const QString& message) {
    patience_.stop();
    source_.reset();
    frame_ = {};
    picture_->setMessage(message);
    take_->setText(tr("Try again"));
    take_->setEnabled(true);
}

void CameraView::followDevices() {
    CaptureDevices* devices = isOpen_ ? capture_.devices() : nullptr;
    if (devices == nullptr) return;
    const std::vector<CaptureDevice> cameras = devices->cameras();
    choice_->setDevices(cameras);
    const bool isThere = std::ranges::any_of(
        cameras, [this](const CaptureDevice& camera) { return camera.id == opened_; });
    if (source_ && !isThere) return fail(cameraText({CaptureFault::Unplugged}));
    if (!source_ && !cameras.empty()) start();
}

void CameraView::press() {
    if (!source_) return start();
    const QImage picture = frame_;
    close();
    emit taken(picture);
}

void CameraView::cancel() {
    if (!isOpen_) return;
    close();
    emit cancelled();
}

void CameraView::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape) return QWidget::keyPressEvent(event);
    cancel();
}

/// The picture takes the place of the canvas, a square.
void CameraView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    picture_->setMaximumHeight(std::max(width(), picture_->minimumHeight()));
}

void CameraView::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    cancel();
}

}  // namespace temper::ui
