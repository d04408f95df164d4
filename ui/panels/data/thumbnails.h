// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <vector>

#include "engine/data/dataset.h"

namespace temper::ui {

/// A sample of an image-like column with its target.
struct Thumbnail {
    QImage image;
    QString caption;
};

/// Pictures of the samples in `batch` (one tensor per column) with their targets; empty if no
/// column is image-like.
std::vector<Thumbnail> thumbnailsOf(const std::vector<Column>& columns,
                                    const std::vector<Tensor>& batch);

/// A value as text; the class's name if the column has classes.
QString valueText(const Column& column, const Tensor& batch, int64_t sample, int64_t element);

}  // namespace temper::ui
