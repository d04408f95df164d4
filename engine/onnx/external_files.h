// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace temper {

/// The files with tensor data beside a model, as it names them, relative to its folder; sorted.
/// Empty for models without such files and for those in ORT format. They need not exist.
/// Throws: Error(NotFound | Io | InvalidInput) naming the model.
std::vector<std::string> externalFilesOf(const std::filesystem::path& model);

}  // namespace temper
