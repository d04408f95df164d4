// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace temper {

/// The tags that a person wrote: separated by commas, without the blanks around them, each once, in
/// their order. "lr, baseline" gives {"lr", "baseline"}.
std::vector<std::string> parseTags(std::string_view text);

/// The tags as they are written: parseTags() gives them back.
std::string tagText(const std::vector<std::string>& tags);

}  // namespace temper
