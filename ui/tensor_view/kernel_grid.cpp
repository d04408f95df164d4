// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tensor_view/kernel_grid.h"

#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/data/tensor_numbers.h"
#include "ui/tensor_view/value_colors.h"
#include "ui/theme/theme.h"

namespace temper::ui {
namespace {

constexpr int64_t kLargestKernel = 64;

int clampedColour(double value, double largest) {
    const double part = largest > 0 ? 0.5 + 0.5 * value / largest : 0.5;
    return std::isfinite(part) ? static_cast<int>(std::clamp(part, 0.0, 1.0) * 255) : 0;
}

}  // namespace

KernelGrid::KernelGrid(QWidget* parent) : QAbstractScrollArea(parent) {
    setAccessibleName(tr("Kernels as pictures"));
    setAccessibleDescription(tr("The table has the same values."));
    setFrameShape(QFrame::NoFrame);
}

bool KernelGrid::isKernel(const Tensor& tensor) {
    if (tensor.rank() < 3 || tensor.rank() > 5 || !hasNumbers(tensor.dtype())) return false;
    const auto& shape = tensor.shape();
    const int64_t tall = shape[shape.size() - 2], wide = shape.back();
    return tall * wide > 1 && std::max(tall, wide) <= kLargestKernel && tensor.numElements() > 0;
}

void KernelGrid::setTensor(const Tensor& tensor, double largest) {
    outputs_ = inputs_ = 0;
    tensor_ = tensor;
    largest_ = largest;
    if (isKernel(tensor)) {
        const auto& shape = tensor.shape();
        width_ = shape.back();
        height_ = shape[shape.size() - 2];
        outputs_ = shape[0];
        inputs_ = tensor.numElements() / (outputs_ * width_ * height_);
    }
    coloured_ = coloured_ && canBeColoured();
    fitBars();
    viewport()->update();
}

void KernelGrid::setColoured(bool coloured) {
    coloured_ = coloured && canBeColoured();
    fitBars();
    viewport()->update();
}

double KernelGrid::element(int64_t output, int64_t input, int64_t place) const {
    return numberAt(tensor_, (output * inputs_ + input) * width_ * height_ + place);
}

QImage KernelGrid::kernel(int64_t output, int64_t input) const {
    const Colors& colors = colorsOf(palette());
    QImage image(static_cast<int>(width_), static_cast<int>(height_), QImage::Format_RGB32);
    for (int64_t place = 0; place < width_ * height_; ++place) {
        const QRgb color = coloured_ ? qRgb(clampedColour(element(output, 0, place), largest_),
                                            clampedColour(element(output, 1, place), largest_),
                                            clampedColour(element(output, 2, place), largest_))
                                     : valueColor(element(output, input, place), largest_, colors);
        image.setPixel(static_cast<int>(place % width_), static_cast<int>(place / width_), color);
    }
    return image;
}

/// Elements are whole pixels; the kernel is about three lines of text tall.
QSize KernelGrid::cell() const {
    const auto longest = static_cast<int>(std::max<int64_t>({1, width_, height_}));
    const int pixel = std::max(1, em(this, 3) / longest);
    return {pixel * static_cast<int>(width_), pixel * static_cast<int>(height_)};
}

int KernelGrid::heading() const {
    return fontMetrics().horizontalAdvance(QString::number(outputs_)) + em(this, 0.6);
}

void KernelGrid::fitBars() {
    const int gap = em(this, 0.35);
    const QSize step = cell() + QSize(gap, gap);
    const auto pixels = [](int64_t count, int size) {
        return static_cast<int>(
            std::min<int64_t>(count * size, std::numeric_limits<int>::max() / 2));
    };
    const int tall = pixels(outputs_, step.height()) + em(this, 1.2);
    const int wide = pixels(columns(), step.width()) + heading();
    verticalScrollBar()->setRange(0, std::max(0, tall - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(step.height());
    horizontalScrollBar()->setRange(0, std::max(0, wide - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(step.width());
}

void KernelGrid::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Colors& colors = colorsOf(palette());
    painter.fillRect(viewport()->rect(), colors.surface);
    if (outputs_ == 0) return;
    const int gap = em(this, 0.35), top = em(this, 1.2), left = heading();
    const QSize size = cell();
    const int tall = size.height() + gap, wide = size.width() + gap;
    const int x0 = horizontalScrollBar()->value(), y0 = verticalScrollBar()->value();
    painter.setPen(colors.muted);
    painter.setClipRect(viewport()->rect().adjusted(0, top, 0, 0));
    for (int64_t row = y0 / tall; row < outputs_ && row * tall - y0 < viewport()->height(); ++row) {
        const int y = static_cast<int>(row * tall - y0) + top;
        for (int64_t column = x0 / wide;
             column < columns() && column * wide - x0 < viewport()->width(); ++column)
            painter.drawImage(QRect(QPoint(static_cast<int>(column * wide - x0) + left, y), size),
                              kernel(row, column));
        painter.fillRect(QRect(0, y, left - gap, size.height()), colors.surface);
        painter.drawText(QRect(0, y, left - gap, size.height()), Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(row));
    }
    painter.setClipping(false);
    painter.drawText(QRect(0, 0, viewport()->width(), top), Qt::AlignLeft | Qt::AlignVCenter,
                     coloured_ ? tr("Outputs downwards, inputs as red, green and blue")
                               : tr("Outputs downwards, inputs to the right"));
}

void KernelGrid::resizeEvent(QResizeEvent*) { fitBars(); }

bool KernelGrid::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip || outputs_ == 0)
        return QAbstractScrollArea::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int gap = em(this, 0.35);
    const int64_t row =
        (help->pos().y() - em(this, 1.2) + verticalScrollBar()->value()) / (cell().height() + gap);
    const int64_t column =
        (help->pos().x() - heading() + horizontalScrollBar()->value()) / (cell().width() + gap);
    if (row < outputs_ && column < columns())
        QToolTip::showText(
            help->globalPos(),
            coloured_ ? tr("Output %1").arg(row) : tr("Output %1, input %2").arg(row).arg(column),
            this);
    return true;
}

}  // namespace temper::ui
