// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/file_reader.h"

namespace temper {

/// Where the content of each entry of a ZIP archive begins in its file, in the order of the
/// directory; nullopt if that can't be told, as in archives that follow other content. Says
/// nothing of whether the content is compressed.
/// Source: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
std::optional<std::vector<uint64_t>> entryOffsets(const FileReader& archive);

}  // namespace temper
