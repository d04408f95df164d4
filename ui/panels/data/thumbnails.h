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

/// Pictures of the samples in `batch` (a tensor per column) with what the target says; empty where
/// no column is like an image.
std::vector<Thumbnail> thumbnailsOf(const std::vector<Column>& columns,
                                    const std::vector<Tensor>& batch);

/// A value as text; the class's name where the column has classes.
QString valueText(const Column& column, const Tensor& batch, int64_t sample, int64_t element);

}  // namespace temper::ui
