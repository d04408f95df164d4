// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "engine/data/image/image.h"

namespace temper::ui {

/// A square to draw on, to drop a picture on, or that shows a sample; with a map of influence laid
/// over it.
class TryCanvas : public QWidget {
    Q_OBJECT
public:
    explicit TryCanvas(QWidget* parent = nullptr);

    /// Shows a picture instead of the drawing.
    void showPicture(const QImage& picture);
    /// Starts a new drawing.
    void clear();
    bool isDrawing() const { return picture_.isNull(); }
    bool isEmpty() const { return isDrawing() && !hasInk_; }
    /// The drawing, light on dark.
    Image drawing() const;
    /// Sets the style of the training pictures: dark on light, stroke width as a share of the side.
    void setStyle(bool lightPaper, double thickness);

    /// Values by pixel of the picture, [height x width]; values far from 0 are marked. Empty: none.
    void setMap(std::vector<float> values, int width, int height);
    bool hasMap() const { return !map_.isNull(); }

    QSize sizeHint() const override;

signals:
    /// The drawing has changed; not for every point.
    void drawn();
    void cleared();
    void pictureDropped(const QString& path);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QRect square() const;
    QPointF toDrawing(QPointF position) const;
    void stroke(QPointF from, QPointF to);

    QImage strokes_;
    QImage picture_;
    QImage map_;
    QPointF last_;
    QTimer settle_;
    bool hasInk_ = false;
    bool lightPaper_ = false;
    double pen_ = 0;
};

}  // namespace temper::ui
