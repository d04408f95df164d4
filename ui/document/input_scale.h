// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ui/document/loaded_data.h"

namespace temper::ui {

/// How inputs are normalized: what the options normalize=, mean= and std= of data say.
struct InputScale {
    enum class Kind {
        Usual,         ///< pixels to 0…1, other numbers unchanged
        FromMinusOne,  ///< pixels to −1…1
        ImageNet,      ///< pixels by the mean and deviation of ImageNet
        Standard,      ///< by those of the samples, per column of a table or channel
        Given,         ///< by `mean` and `deviation`
        Unchanged
    };

    Kind kind = Kind::Usual;
    /// One number, or one per column or channel, of pictures in units of 0…1.
    std::vector<double> mean = {}, deviation = {};

    bool operator==(const InputScale&) const = default;
};

using DataOptions = std::map<std::string, std::string>;

/// What can't be read counts as not given.
InputScale inputScaleIn(const DataOptions& options, bool arePictures);
void setInputScale(DataOptions& options, const InputScale& scale);

/// The same with mean and deviation: of Standard those measured on `data`, of Unchanged 0 and 1.
/// `data` may be null.
InputScale givenScale(const InputScale& scale, const LoadedData* data);

/// Whether an input of the samples, as they are read, is made of pixels.
bool hasPictures(const LoadedData& data);
/// Whether they have the channels red, green and blue.
bool hasColorPictures(const LoadedData& data);

}  // namespace temper::ui
