// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/ops/op_set.h"

namespace temper::cli {

/// The result of a case.
struct CaseResult {
    std::string problem;   ///< empty if there is none
    bool isDrawn = false;  ///< an output is compared only by dtype, shape and support
};

/// Whether the folder has a 'model.onnx' and at least one 'test_data_set_*'.
bool isConformanceCase(const std::filesystem::path& folder);

/// Runs model.onnx of a folder on the inputs of each test_data_set_* and compares its outputs as
/// ONNX's own backend tests do: to rtol 1e-3, atol 1e-7, NaN equal to NaN. Random outputs are
/// compared by dtype, shape and support instead (see random_support.h).
/// Throws: Error(Unsupported) for what Temper can't run, Error for a model that it rejects.
CaseResult runConformanceCase(const std::filesystem::path& folder, std::shared_ptr<const OpSet> ops,
                              int threads);

}  // namespace temper::cli
