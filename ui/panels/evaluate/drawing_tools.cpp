// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/drawing_tools.h"

#include <QPushButton>
#include <QSlider>
#include <QVBoxLayout>
#include <cmath>

#include "ui/panels/evaluate/try_canvas.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Steps of the brush to each side of the strokes of the data, from half to twice their width.
constexpr int kBrushSteps = 4;
double brushAt(int step) { return std::exp2(static_cast<double>(step) / kBrushSteps); }

}  // namespace

DrawingTools::DrawingTools(TryCanvas* canvas, QWidget* parent) : QWidget(parent), canvas_(canvas) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    QPushButton* anew = makeButton(tr("New drawing"), "newDrawing");
    undo_ = makeButton(tr("Undo stroke"), "undoStroke");
    QPushButton* open = makeButton(tr("Open picture…"), "openPicture");
    camera_ = makeButton(tr("Camera"), "openCamera");
    for (QPushButton* button : {anew, undo_, open, camera_}) column->addWidget(button);
    column->addSpacing(em(this, 0.6));
    column->addWidget(makeLabel(tr("Brush"), "muted", this));
    column->addWidget(makeBrush());
    connect(anew, &QPushButton::clicked, this, &DrawingTools::begin);
    connect(canvas_, &TryCanvas::cleared, this, &DrawingTools::begin);
    connect(undo_, &QPushButton::clicked, canvas_, &TryCanvas::undo);
    connect(open, &QPushButton::clicked, this, &DrawingTools::pictureRequested);
    connect(camera_, &QPushButton::clicked, this, &DrawingTools::cameraRequested);
    connect(canvas_, &TryCanvas::strokesChanged, this, &DrawingTools::refresh);
    refresh();
}

void DrawingTools::setCamera(const QString& obstacle) {
    camera_->setEnabled(obstacle.isEmpty());
    camera_->setToolTip(obstacle);
}

QPushButton* DrawingTools::makeButton(const QString& text, const char* name) {
    auto* button = new QPushButton(text, this);
    button->setObjectName(QLatin1String(name));
    return button;
}

/// Its middle is the width of the strokes in the data.
QWidget* DrawingTools::makeBrush() {
    auto* brush = new QSlider(Qt::Horizontal, this);
    brush->setObjectName(QStringLiteral("brush"));
    brush->setAccessibleName(tr("Width of the brush"));
    brush->setToolTip(tr("In the middle: as wide as the strokes of the training samples"));
    brush->setRange(-kBrushSteps, kBrushSteps);
    brush->setPageStep(1);
    brush->setTickPosition(QSlider::TicksBelow);
    connect(brush, &QSlider::valueChanged, this,
            [this](int step) { canvas_->setBrush(brushAt(step)); });
    return brush;
}

void DrawingTools::begin() {
    canvas_->clear();
    canvas_->setFocus();
    emit begun();
}

void DrawingTools::refresh() {
    undo_->setEnabled(canvas_->isDrawing() && !canvas_->strokes().empty());
}

}  // namespace temper::ui
