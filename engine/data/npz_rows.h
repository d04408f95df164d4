// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "engine/data/data_file.h"
#include "engine/data/rows.h"

namespace temper {

/// The arrays of an NPZ archive by name, as parseNpz(): small ones in memory; large ones stay in
/// the archive if they are not compressed, else they are unpacked into a temporary file.
/// Of those that stay, checksums are compared only where they fit into memory.
/// Throws: as parseNpz() and openDataFile(); Error(Io) if a temporary file has no room.
std::map<std::string, RowsPtr> openNpzRows(const std::string& path,
                                           const FileResolver& resolver = {},
                                           size_t mostInMemory = kMaxInMemory);

}  // namespace temper
