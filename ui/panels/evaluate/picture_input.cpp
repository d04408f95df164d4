// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/picture_input.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/data/data_file.h"
#include "engine/data/image/image_decoder.h"
#include "ui/capture/capture_module.h"
#include "ui/commands/activity.h"
#include "ui/document/studio_project.h"
#include "ui/panels/evaluate/camera_view.h"
#include "ui/panels/evaluate/drawing_tools.h"
#include "ui/panels/evaluate/live_picture.h"
#include "ui/panels/evaluate/try_canvas.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Pixels of a drawing before it gets the size of a sample.
constexpr int kDrawingSide = 280;

QImage shownImage(const Image& picture) {
    QImage image(static_cast<int>(picture.width), static_cast<int>(picture.height),
                 QImage::Format_RGB888);
    const Image coloured = withChannels(picture, 3);
    for (int y = 0; y < image.height(); ++y)
        std::copy_n(coloured.row(y), 3 * coloured.width, image.scanLine(y));
    return image;
}

/// `image`: grey or RGB888.
Image pictureOf(const QImage& image) {
    const int channels = image.format() == QImage::Format_Grayscale8 ? 1 : 3;
    Image picture(image.width(), image.height(), channels);
    for (int y = 0; y < image.height(); ++y)
        std::copy_n(image.constScanLine(y), channels * image.width(), picture.row(y));
    return picture;
}

}  // namespace

PictureInput::PictureInput(const PanelContext& context, QWidget* parent)
    : QWidget(parent), context_(context) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    views_ = new QStackedWidget(this);
    canvas_ = new TryCanvas(views_);
    canvas_->setObjectName(QStringLiteral("tryCanvas"));
    connect(canvas_, &TryCanvas::drawn, this, &PictureInput::takeDrawing);
    connect(canvas_, &TryCanvas::pictureDropped, this, &PictureInput::openPicture);
    views_->addWidget(canvas_);
    camera_ = new CameraView(context_.capture, views_);
    connect(camera_, &CameraView::taken, this, [this](const QImage& picture) {
        takePicture(pictureOf(picture), picture);
        canvas_->setFocus();
    });
    connect(camera_, &CameraView::cancelled, this, &PictureInput::showCanvas);
    views_->addWidget(camera_);
    row->addWidget(views_, 1);
    row->addWidget(buildTools());
}

QWidget* PictureInput::buildTools() {
    auto* pane = new QWidget(this);
    auto* side = new QVBoxLayout(pane);
    side->setContentsMargins(0, 0, 0, 0);
    tools_ = new DrawingTools(canvas_, pane);
    connect(tools_, &DrawingTools::begun, this, [this] {
        showCanvas();
        canvas_->setFocus();
        emit begun();
    });
    connect(tools_, &DrawingTools::pictureRequested, this, &PictureInput::askForPicture);
    connect(tools_, &DrawingTools::cameraRequested, this, &PictureInput::openCamera);
    side->addWidget(tools_);
    side->addSpacing(em(this, 0.6));
    side->addWidget(makeLabel(tr("As the model sees it"), "muted", pane));
    fed_ = new QLabel(pane);
    fed_->setAccessibleName(tr("The picture as the model sees it"));
    side->addWidget(fed_);
    side->addStretch(1);
    return pane;
}

void PictureInput::setStyle(const StrokeStyle& style) {
    style_ = style;
    canvas_->setStyle(style);
}

void PictureInput::showPicture(const QImage& picture) {
    showCanvas();
    canvas_->showPicture(picture);
}

void PictureInput::showFed(const QImage& picture) {
    const int side = em(this, 4);
    fed_->setPixmap(QPixmap::fromImage(picture).scaled(side, side, Qt::KeepAspectRatio,
                                                       Qt::FastTransformation));
    if (!picture.isNull())
        camera_->picture()->setAspect(double(picture.width()) / picture.height());
}

void PictureInput::takeDrawing() {
    if (!canvas_->isDrawing() || canvas_->isEmpty()) return;
    emit Activity::of(context_.navigator).acted(QStringLiteral("draw"));
    QImage drawn = paintStrokes(placedLikeData(canvas_->strokes(), style_), kDrawingSide);
    if (style_.isDarkOnLight) drawn.invertPixels();
    emit taken(pictureOf(drawn));
}

void PictureInput::takePicture(const Image& picture, const QImage& shown) {
    showCanvas();
    canvas_->clear();
    emit taken(picture);
    canvas_->showPicture(shown);
}

void PictureInput::openPicture(const QString& path) {
    context_.project.tasks()->run(
        tr("Reading the picture"), tr("The picture could not be read"),
        [name = path.toStdString()](std::stop_token) {
            const DataFile file = openDataFile(name);
            return decodeImage({file.bytes, file.name});
        },
        [this](const Image& picture) { takePicture(picture, shownImage(picture)); },
        [this](const Problem& problem) { emit failed(problem); });
}

void PictureInput::askForPicture() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open picture"), {}, tr("Pictures (*.png *.jpg *.jpeg *.webp *.bmp)"));
    if (!path.isEmpty()) openPicture(path);
}

void PictureInput::openCamera() {
    views_->setCurrentWidget(camera_);
    camera_->open();
}

void PictureInput::showCanvas() {
    camera_->close();
    views_->setCurrentWidget(canvas_);
}

void PictureInput::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    tools_->setCamera(context_.capture.isInstalled() ? QString() : CaptureModule::whatToInstall());
}

}  // namespace temper::ui
