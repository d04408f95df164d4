// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/core/dtype.h"
#include "engine/core/error.h"
#include "engine/core/shape.h"

namespace temper {

/// The bytes of one input file, and its name in errors.
struct DataFile {
    std::string name;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;  ///< keeps the bytes alive; empty if the caller does
};

/// Finds a file that is not on the disk by its path, e.g. among the program's resources; nullopt if
/// there is none. The bytes must stay valid as long as the resolver.
using FileResolver = std::function<std::optional<std::span<const std::byte>>(const std::string&)>;

/// Tries `resolver` first (it may be empty), then the disk.
/// Throws: Error(NotFound) or Error(Io) naming the path.
DataFile openDataFile(const std::string& path, const FileResolver& resolver = {});

/// openDataFile(), decompressed if the content is gzip. Throws: also Error(InvalidInput) naming it.
DataFile openUnpacked(const std::string& path, const FileResolver& resolver = {});

bool dataFileExists(const std::string& path, const FileResolver& resolver = {});

/// The error of a file with wrong content: "File 'name' <problem>."
Error badFile(const std::string& name, const std::string& problem, const std::string& hint = {});

/// Checks that the `found` bytes after a file's header match the elements.
/// Throws: Error(InvalidInput) naming the file, with both numbers.
void requireElements(const std::string& name, size_t found, const Shape& shape, DType dtype);

}  // namespace temper
