// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <stop_token>
#include <vector>

#include "engine/core/tensor.h"

namespace temper::ui {

/// A summary of a tensor's values.
struct TensorSummary {
    QString name;
    QString type;  ///< "float32[8, 1, 3, 3]"
    int64_t count = 0;
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    double deviation = 0;
    double norm = 0;
    int64_t zeros = 0;
    int64_t notFinite = 0;
    std::vector<int64_t> histogram;  ///< equal bins from minimum to maximum
    QString values;                  ///< the first ones
};

/// Goes through the values; see measureTensor(). Thread: any.
TensorSummary summarize(const QString& name, const Tensor& tensor,
                        const std::stop_token& stop = {});

/// The first values as text: "0.25, -1.5, ...".
QString firstValues(const Tensor& tensor, int64_t count);

/// A sample as a picture: [H, W], [1, H, W], [3, H, W] or [H, W, 3], sides of at least 4; grey or
/// RGB, scaled from the sample's minimum and maximum. Null if it is not image-like.
QImage sampleImage(const Tensor& batch, int64_t sample);

}  // namespace temper::ui
