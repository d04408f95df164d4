// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "engine/data/image/image.h"
#include "engine/data/picture_sample.h"
#include "ui/messages/problem.h"
#include "ui/panels/panel.h"

class QLabel;
class QStackedWidget;

namespace temper::ui {

class CameraView;
class DrawingTools;
class TryCanvas;

/// A picture for the model: drawn, dropped, opened from a file, or taken with a camera.
class PictureInput : public QWidget {
    Q_OBJECT
public:
    explicit PictureInput(const PanelContext& context, QWidget* parent = nullptr);

    TryCanvas* canvas() const { return canvas_; }
    CameraView* camera() const { return camera_; }
    /// How the training pictures are drawn.
    void setStyle(const StrokeStyle& style);
    /// Shows a picture on the canvas.
    void showPicture(const QImage& picture);
    /// Shows what the model gets.
    void showFed(const QImage& picture);
    void openPicture(const QString& path);

signals:
    /// A drawing is about to begin.
    void begun();
    void taken(const temper::Image& picture);
    void failed(const temper::ui::Problem& problem);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* buildTools();
    void takeDrawing();
    void takePicture(const Image& picture, const QImage& shown);
    void askForPicture();
    void openCamera();
    void showCanvas();

    PanelContext context_;
    QStackedWidget* views_ = nullptr;
    TryCanvas* canvas_ = nullptr;
    CameraView* camera_ = nullptr;
    DrawingTools* tools_ = nullptr;
    QLabel* fed_ = nullptr;
    StrokeStyle style_;
};

}  // namespace temper::ui
