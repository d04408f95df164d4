// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace temper {

/// Explains bytes that can't be read as an ONNX model: empty, text, another format, truncated.
/// Throws: Error(InvalidInput), always.
[[noreturn]] void throwNoModel(std::span<const std::byte> bytes);

/// Refuses folders, e.g. legacy checkpoints, and devices; a missing file is left to the caller.
/// Throws: Error(InvalidInput) naming the path.
void checkIsFile(const std::filesystem::path& path);

}  // namespace temper
