// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "engine/data/data_file.h"
#include "engine/data/rows.h"

namespace temper {

/// The arrays of an NPZ archive by name, as parseNpz(): small ones in memory; large ones stay in
/// the archive if they are not compressed, else they are decompressed into a temporary file.
/// The checksums of those that stay are verified only if they fit into memory.
/// Throws: as parseNpz() and openDataFile(); Error(Io) if there is no room for a temporary file.
std::map<std::string, RowsPtr> openNpzRows(const std::string& path,
                                           const FileResolver& resolver = {},
                                           size_t mostInMemory = kMaxInMemory);

}  // namespace temper
