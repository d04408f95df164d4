// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <ranges>
#include <string>
#include <string_view>

namespace temper {

/// The texts of the items with `separator` between them. `text` makes one from an item: a function,
/// or a member of it or of what it points to. If there are more than `most` items, the first of
/// them and "...": "a, b, ...".
template <std::ranges::input_range Items, typename Text = std::identity>
std::string joinedBy(std::string_view separator, Items&& items, Text text = {},
                     size_t most = std::numeric_limits<size_t>::max()) {
    std::string list;
    size_t count = 0;
    for (auto&& item : items) {
        if (count > 0) list += separator;
        if (count++ == most) return list + "...";
        list += std::invoke(text, item);
    }
    return list;
}

/// "a, b", as joinedBy() does.
template <std::ranges::input_range Items, typename Text = std::identity>
std::string joined(Items&& items, Text text = {},
                   size_t most = std::numeric_limits<size_t>::max()) {
    return joinedBy(", ", items, text, most);
}

/// The texts of 0 to `count` - 1 with `separator` between them.
template <typename Text>
std::string joinedIndices(size_t count, Text text, std::string_view separator = ", ") {
    std::string list;
    for (size_t i = 0; i < count; ++i) {
        if (i > 0) list += separator;
        list += text(i);
    }
    return list;
}

/// "'a', 'b'", as joinedBy() does.
template <std::ranges::input_range Items, typename Text = std::identity>
std::string joinedQuoted(Items&& items, Text text = {}) {
    return joined(items,
                  [&](auto&& item) { return "'" + std::string(std::invoke(text, item)) + "'"; });
}

}  // namespace temper
