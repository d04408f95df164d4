// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/data/data_spec.h"
#include "engine/data/dataset.h"

namespace temper {

/// How training samples are varied in each epoch: the options flip, crop, rotate, noise,
/// brightness, contrast and saturation of a specification.
struct Augmentation {
    bool flipHorizontal = false;  ///< half of the pictures, at random
    bool flipVertical = false;
    int64_t crop = 0;   ///< shifted by up to this many pixels in each direction, padded with 0
    double rotate = 0;  ///< up to this many degrees either way, about the centre
    double noise = 0;   ///< normal; deviation as a share of 0..255, or of the column's deviation
    double brightness = 0;  ///< times 1 - b to 1 + b
    double contrast = 0;    ///< distance from the picture's mean, times 1 - c to 1 + c
    double saturation = 0;  ///< distance from grey, times 1 - s to 1 + s

    bool operator==(const Augmentation&) const = default;
    bool isNone() const { return *this == Augmentation(); }
};

/// Throws: Error(InvalidInput) naming an option that is out of range.
Augmentation augmentationOf(const DataSpec& spec);

/// Whether the values are a picture: [H, W] or [C, H, W] with one, three or four channels.
bool isPicture(const Column& column);

/// The augmentation of one column.
struct ColumnAugmentation {
    size_t column = 0;
    Augmentation options;
    uint64_t seed = 0;
    std::vector<double> noiseUnit;  ///< the amplitude of a noise of 1, per element or one for all
};

/// Reads all of the data once if noise is measured by the deviation of the values.
ColumnAugmentation prepareAugmentation(const Dataset& data, size_t column,
                                       const Augmentation& options, uint64_t seed);

/// `data` with one column varied; other columns stay. The random numbers of a sample depend only on
/// seed, epoch and sample, so that any order and number of threads gives the same values. Numbers
/// that are not pictures get only noise. Bytes stay bytes, rounded.
std::shared_ptr<const Dataset> augmented(std::shared_ptr<const Dataset> data,
                                         const ColumnAugmentation& augmentation, int64_t epoch);

}  // namespace temper
