// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "engine/core/file_reader.h"

namespace temper {

/// Whether content begins like gzip.
bool isGzip(std::span<const std::byte> bytes);

/// Receives the decompressed content piece by piece.
using TakePiece = std::function<void(std::span<const std::byte>)>;

/// Decompresses gzip; `name` is for errors. Throws: Error(InvalidInput) if it is damaged.
void unpackGzip(std::span<const std::byte> bytes, const std::string& name, const TakePiece& take);
/// The same for a file that is read piece by piece.
void unpackGzip(const FileReader& file, const TakePiece& take);

}  // namespace temper
