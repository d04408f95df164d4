// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/data/augmentation.h"
#include "engine/data/data_spec.h"
#include "engine/data/dataset.h"
#include "engine/data/image_form.h"

namespace temper {

/// What is done to samples between reading and feeding, in this order: they are varied (training
/// samples only) and normalized, and their channels are moved last if the model wants it so.
struct Preprocessing {
    std::vector<ColumnAugmentation> augmentations;
    std::map<std::string, Normalization> normalization;  ///< by column
    bool channelsLast = false;

    std::shared_ptr<const Dataset> finished(std::shared_ptr<const Dataset> data) const;
    /// The samples as seen in an epoch.
    std::shared_ptr<const Dataset> inEpoch(std::shared_ptr<const Dataset> data,
                                           int64_t epoch) const;
    /// The finished samples; if there are augmentations, Dataset::inEpoch() varies them.
    std::shared_ptr<const Dataset> forTraining(std::shared_ptr<const Dataset> data) const;
};

/// As the specification requests; means and deviations are measured on `training`.
/// Throws: Error(InvalidInput) naming an option.
Preprocessing preprocessingOf(const DataSpec& spec, const Dataset& training, const ImageForm& form);

/// The number of equal parts into which normalization divides a sample: each table column and each
/// channel of [C, H, W] is measured on its own.
int64_t normalizedParts(const Column& column);

}  // namespace temper
