// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/data/data_file.h"
#include "engine/data/rows.h"

namespace temper {

/// The array of an IDX file, packed with gzip or not, as parseIdx(): in memory if it is small or
/// given by `resolver`; else in the file, or unpacked in a temporary one.
/// Throws: as parseIdx() and openUnpacked(); Error(Io) if a temporary file has no room.
RowsPtr openIdxRows(const std::string& path, const FileResolver& resolver = {},
                    size_t mostInMemory = kMaxInMemory);

}  // namespace temper
