// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "ui/panels/evaluate/strokes.h"

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
    bool isEmpty() const { return isDrawing() && strokes_.empty(); }
    const std::vector<Stroke>& strokes() const { return strokes_; }
    /// Removes the last stroke.
    void undo();
    /// Sets the style of the training pictures: paper and width of a stroke are theirs.
    void setStyle(const StrokeStyle& style);
    /// Sets the width of the next strokes, relative to those of the training pictures.
    void setBrush(double factor) { brush_ = factor; }

    /// Values by pixel of the picture, [height x width]; values far from 0 are marked. Empty: none.
    void setMap(std::vector<float> values, int width, int height);
    bool hasMap() const { return !map_.isNull(); }

    QSize sizeHint() const override;

signals:
    /// The drawing has changed; not for every point.
    void drawn();
    /// There are other strokes, or none, or a picture instead.
    void strokesChanged();
    /// There is no drawing any more, because the user removed it.
    void cleared();
    void pictureDropped(const QString& path);

protected:
    bool event(QEvent* event) override;
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
    void extend(QPointF to);
    void changed();

    std::vector<Stroke> strokes_;
    QImage picture_;
    QImage map_;
    QTimer settle_;
    StrokeStyle style_;
    double brush_ = 1;
};

}  // namespace temper::ui
