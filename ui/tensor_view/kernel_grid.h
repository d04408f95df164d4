// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <QImage>

#include "engine/core/tensor.h"

namespace temper::ui {

/// The kernels of a convolution, [out, in, height, width], as pictures: one row per output, one
/// column per input. Three inputs can be red, green and blue of one picture. Only what is visible
/// is read and painted.
class KernelGrid : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit KernelGrid(QWidget* parent = nullptr);

    /// Rank 3 to 5 with at least two elements in the last two axes, and small enough to be a
    /// kernel.
    static bool isKernel(const Tensor& tensor);

    /// `largest`: the magnitude with the full colour. An empty tensor clears it.
    void setTensor(const Tensor& tensor, double largest);
    bool canBeColoured() const { return inputs_ == 3; }
    void setColoured(bool coloured);
    int64_t outputs() const { return outputs_; }
    int64_t inputs() const { return inputs_; }
    /// One kernel, one pixel per element.
    QImage kernel(int64_t output, int64_t input) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    int columns() const { return static_cast<int>(coloured_ ? 1 : inputs_); }
    QSize cell() const;
    int heading() const;
    void fitBars();
    double element(int64_t output, int64_t input, int64_t place) const;

    Tensor tensor_;
    double largest_ = 0;
    bool coloured_ = false;
    int64_t outputs_ = 0;
    int64_t inputs_ = 0;
    int64_t height_ = 0;
    int64_t width_ = 0;
};

}  // namespace temper::ui
