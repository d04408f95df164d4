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
/// samples only), normalised, and their channels come last where the model wants it so.
struct Preprocessing {
    std::vector<ColumnAugmentation> augmentations;
    std::map<std::string, Normalization> normalization;  ///< by column
    bool channelsLast = false;

    std::shared_ptr<const Dataset> finished(std::shared_ptr<const Dataset> data) const;
    /// As an epoch sees them.
    std::shared_ptr<const Dataset> inEpoch(std::shared_ptr<const Dataset> data,
                                           int64_t epoch) const;
    /// The finished samples; where there are augmentations, Dataset::inEpoch() varies them.
    std::shared_ptr<const Dataset> forTraining(std::shared_ptr<const Dataset> data) const;
};

/// As the specification asks; means and deviations are measured on `training`.
/// Throws: Error(InvalidInput) naming an option.
Preprocessing preprocessingOf(const DataSpec& spec, const Dataset& training, const ImageForm& form);

/// Into how many equal parts normalisation cuts a sample: table columns and the channels of
/// [C, H, W] are measured one by one.
int64_t normalizedParts(const Column& column);

}  // namespace temper
