// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace temper {

/// One row of the table that cmake/EmbedFiles.cmake generates.
struct EmbeddedEntry {
    const char* path;
    const std::byte* begin;
    const std::byte* end;
};

/// Every embedded file. Only embedded.cpp reads it.
std::span<const EmbeddedEntry> embeddedTable();

}  // namespace temper
