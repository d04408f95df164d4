// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "engine/core/tensor.h"
#include "engine/data/tensor_statistics.h"

namespace temper {

/// Writes an NPY file block by block: the same as writeNpy(), without a copy in memory.
/// Returns: false if `stop` was requested; an existing file is then unchanged. Throws:
/// Error(Unsupported) for strings, Error(Io) naming the path.
bool exportNpy(const std::filesystem::path& path, const Tensor& tensor,
               const std::stop_token& stop = {}, Progress* progress = nullptr);

/// Writes comma-separated values that read back as the same numbers: a line for each index of all
/// axes but the last, a single column for vectors, a single number for scalars.
/// Returns: false if `stop` was requested, as above. Throws: as exportNpy().
bool exportCsv(const std::filesystem::path& path, const Tensor& tensor,
               const std::stop_token& stop = {}, Progress* progress = nullptr);

}  // namespace temper
