// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/data/data_file.h"
#include "engine/data/rows.h"

namespace temper {

/// The array of an IDX file, gzipped or not, as parseIdx(): in memory if it is small or supplied by
/// `resolver`; else in the file, or decompressed into a temporary one.
/// Throws: as parseIdx() and openUnpacked(); Error(Io) if there is no room for a temporary file.
RowsPtr openIdxRows(const std::string& path, const FileResolver& resolver = {},
                    size_t mostInMemory = kMaxInMemory);

}  // namespace temper
