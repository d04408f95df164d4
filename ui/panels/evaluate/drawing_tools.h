// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QPushButton;

namespace temper::ui {

class TryCanvas;

/// What changes a drawing: a new one, one stroke less, a picture or the camera instead, and the
/// brush.
class DrawingTools : public QWidget {
    Q_OBJECT
public:
    /// `canvas` outlives it.
    explicit DrawingTools(TryCanvas* canvas, QWidget* parent = nullptr);

    /// Whether there may be a camera: empty, or what to install.
    void setCamera(const QString& obstacle);

signals:
    /// The canvas is empty, and a drawing is about to begin.
    void begun();
    void pictureRequested();
    void cameraRequested();

private:
    QPushButton* makeButton(const QString& text, const char* name);
    QWidget* makeBrush();
    void begin();
    void refresh();

    TryCanvas* canvas_;
    QPushButton* undo_;
    QPushButton* camera_;
};

}  // namespace temper::ui
