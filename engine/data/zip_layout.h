// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/file_reader.h"

namespace temper {

/// The offset in its file where the content of each entry of a ZIP archive begins, in the order of
/// the directory; nullopt if it can't be determined, as in archives appended to other content. Does
/// not say whether the content is compressed.
/// Source: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
std::optional<std::vector<uint64_t>> entryOffsets(const FileReader& archive);

}  // namespace temper
