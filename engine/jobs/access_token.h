// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace temper {

/// The token in the file: 64 hexadecimal digits that only the owner of the file can read. Makes it
/// if it is missing. Throws: Error(Io) naming the file; Error(InvalidInput) if it is not a token.
std::string ownToken(const std::filesystem::path& path);
/// The token that a server has written. Throws: as ownToken(), Error(NotFound).
std::string readToken(const std::filesystem::path& path);

/// Takes the same time however much of it is right.
bool isSameToken(std::string_view given, std::string_view token);

}  // namespace temper
