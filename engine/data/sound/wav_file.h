// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/data/sound/sound.h"

namespace temper {

/// The sound of a WAV file: integers of 8, 16, 24 or 32 bits, or floats of 32 or 64 bits. The last
/// instants may be missing, as in a recording that broke off. `name` is the file's in errors.
/// Throws: Error(InvalidInput) if it is no WAV file or damaged, Error(Unsupported) if it is
/// compressed. Source: Microsoft and IBM, "Multimedia Programming Interface and Data Specifications
/// 1.0"; WAVEFORMATEXTENSIBLE.
Sound decodeWav(std::span<const std::byte> bytes, const std::string& name);

}  // namespace temper
