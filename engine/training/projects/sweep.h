// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/training/spec/training_spec.h"

namespace temper {

/// A choice that can differ from run to run: a setting of the run, a hyperparameter of what is
/// chosen now, or which loss, optimizer or schedule it is.
struct SweepSetting {
    std::string key;         ///< "learning_rate", "optimizer", "optimizer.weight_decay"
    std::string label;       ///< "Learning rate", "Weight decay"
    std::string help;        ///< one sentence
    std::string owner = {};  ///< label of the loss, optimizer or schedule that has it: "AdamW"
    std::vector<std::string> words = {};  ///< what it may be, if that is no number
    bool isWhole = false;                 ///< a whole number
};

/// The settings that these choices have and whose value changes what a run computes, in the order
/// of the forms.
std::vector<SweepSetting> sweepSettings(const TrainingSpec& spec);

/// The value that `spec` has, as withSetting() takes it.
/// Throws: Error(NotFound) naming a key that these choices do not have.
std::string settingValue(const TrainingSpec& spec, const std::string& key);

/// `spec` with another value of one setting.
/// Throws: Error(NotFound) as settingValue(); Error(InvalidInput) naming setting and value for
/// what is not a value of it, or out of its range.
TrainingSpec withSetting(const TrainingSpec& spec, const std::string& key,
                         const std::string& value);

/// The values of a text: numbers or words with commas between them, and ranges "FROM..TO:COUNT",
/// whose steps are equal, or equal factors if both ends are above zero and one is ten times the
/// other or more. Equal values count once.
/// Throws: Error(InvalidInput) naming the part that is neither, and for more than 1000 values.
std::vector<std::string> sweepValues(const SweepSetting& setting, std::string_view text);

}  // namespace temper
