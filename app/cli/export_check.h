// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/cli_context.h"
#include "app/cli/feeds.h"
#include "engine/training/edits/renaming.h"
#include "engine/training/export/output_deviation.h"
#include "engine/training/session/input_normalization.h"
#include "engine/training/session/training_session.h"

namespace temper::cli {

/// How an exported model compares with the eval model that it was made from.
struct ExportCheck {
    std::string notDone;  ///< why it could not be compared, or empty
    std::string hint = {};
    OutputDeviation deviation = {};
    double tolerance = 1e-4;  ///< see OutputDeviation::isWithin()
};

/// The file that is checked.
struct WrittenModel {
    std::filesystem::path path;
    std::vector<std::string> outputs;     ///< by the names of the eval model
    Renames renames = {};                 ///< from those to the file's
    bool isRounded = false;               ///< to half precision
    InputNormalizations normalized = {};  ///< by the file itself
};

/// Runs the file and the session's eval model on the same inputs; feeds use the file's names.
ExportCheck checkExport(TrainingSession& session, const WrittenModel& model, const Feeds& feeds);
/// The same with random inputs, with free dimensions of 2.
ExportCheck checkExport(TrainingSession& session, const WrittenModel& model, uint64_t seed);

/// Prints the result of the check. Throws: Error(Internal) if the models differ.
void report(const ExportCheck& check, CliContext& context);

}  // namespace temper::cli
