// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/data/data_file.h"
#include "engine/data/npy_header.h"
#include "engine/data/rows.h"

namespace temper {

/// Bytes at the start of an NPY array that are enough for its header.
constexpr size_t kNpyHeadBytes = 1 << 16;

/// The header of an array that takes `bytes` from `offset` on in a file. `name` is for errors.
/// Throws: as parseNpyHeader(), and if the bytes do not match the shape.
NpyHeader readNpyHeader(const FileReader& file, uint64_t offset, uint64_t bytes,
                        const std::string& name);

/// The array at `offset` of a file, which stays there; an array in Fortran order, whose rows are
/// scattered, is written row by row into a temporary file.
/// Throws: Error(Io) if there is no room for it.
RowsPtr npyRowsIn(std::shared_ptr<const FileReader> file, uint64_t offset, const NpyHeader& header);

/// The array of an NPY file: in memory if it is small or supplied by `resolver`, else in the file.
/// Throws: as parseNpy() and openDataFile().
RowsPtr openNpyRows(const std::string& path, const FileResolver& resolver = {},
                    size_t mostInMemory = kMaxInMemory);

}  // namespace temper
