// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace temper {

/// The bytes of a file that is part of the program, e.g. "lessons/iris/train.csv". They live as
/// long as the program. Throws: Error(NotFound) listing the files of that folder, or all.
std::span<const std::byte> embeddedFile(std::string_view path);

/// Paths of the files that begin with `prefix`, sorted; "" gives all.
std::vector<std::string> embeddedFiles(std::string_view prefix);

}  // namespace temper
