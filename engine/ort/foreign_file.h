// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace temper {

/// Says what a folder given instead of a checkpoint file is: a checkpoint of ONNX Runtime before
/// 1.15, a folder of artifacts, or another.
/// Throws: Error(Unsupported | InvalidInput), always.
[[noreturn]] void throwNotACheckpoint(const std::filesystem::path& folder);

/// Says what bytes without the identifier of a checkpoint are, if recognizable: an ONNX or ORT
/// model, a zip archive such as PyTorch's, a file that is too short.
/// Throws: Error(InvalidInput), always.
[[noreturn]] void throwNotACheckpoint(std::span<const std::byte> bytes);

}  // namespace temper
