// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "engine/core/tensor.h"

namespace temper {

/// Arrays of an NPZ archive (stored or deflated) by name, without ".npy". `name` is for errors,
/// which also name the array. Entries that are not arrays are an error.
/// Throws: Error(InvalidInput), Error(Unsupported) as parseNpy().
std::map<std::string, Tensor> parseNpz(std::span<const std::byte> bytes, const std::string& name);

/// Throws: also Error(NotFound) and Error(Io) naming the path.
std::map<std::string, Tensor> readNpz(const std::filesystem::path& path);

/// Writes an archive like numpy.savez (stored) or numpy.savez_compressed, under a temporary name
/// first. The same arrays give the same bytes. Throws: Error(Io), Error(Unsupported).
void writeNpz(const std::filesystem::path& path, const std::map<std::string, Tensor>& arrays,
              bool compressed = false);

/// The NPY files in a folder by array name. An `index.json` in it, {"input": "file.npy", ...},
/// gives the names that can't be file names. Throws: Error naming the folder if there are none.
std::map<std::string, std::filesystem::path> feedFiles(const std::filesystem::path& folder);

/// Named arrays for the inputs of a model: an `.npz` file, or a folder as for feedFiles().
/// Throws: Error naming the file.
std::map<std::string, Tensor> loadFeeds(const std::filesystem::path& path);

}  // namespace temper
