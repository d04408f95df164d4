// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <vector>

#include "engine/data/dataset.h"

namespace temper::ui {

/// A sample of an image-like column with what it shows.
struct Thumbnail {
    QImage image;
    QString caption;
};

/// Pictures of the samples in `firstBatch` (a tensor per column); empty where no column is like an
/// image.
std::vector<Thumbnail> thumbnailsOf(const Dataset& data, const std::vector<Tensor>& firstBatch);

/// A value as text; the class's name where the column has classes.
QString valueText(const Column& column, const Tensor& batch, int64_t sample, int64_t element);

}  // namespace temper::ui
