// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/attribute_range.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace temper {
namespace {

/// Their operators take any integer, clamp it, or have a bound of their own.
constexpr std::array<std::string_view, 19> kUnbounded = {"blocksize",
                                                         "end",
                                                         "ends",
                                                         "ignore_index",
                                                         "k",
                                                         "left_window_size",
                                                         "local_window_size",
                                                         "max_skip_count",
                                                         "maxsplit",
                                                         "ngram_indexes",
                                                         "pool_int64s",
                                                         "right_window_size",
                                                         "seed",
                                                         "shape",
                                                         "split",
                                                         "start",
                                                         "starts",
                                                         "value_int",
                                                         "value_ints"};

/// As in ONNX Runtime, names that begin with two underscores are annotations by tools.
bool isBounded(std::string_view name) {
    return !name.starts_with("__") && std::ranges::find(kUnbounded, name) == kUnbounded.end();
}

void requireRange(std::string_view name, const char* verb, int64_t number) {
    if (number >= -kLargestAttribute && number <= kLargestAttribute) return;
    throw Error(ErrorCode::InvalidInput,
                "Attribute '" + std::string(name) + "' " + verb + " " + std::to_string(number) +
                    "; expected a number from " + std::to_string(-kLargestAttribute) + " to " +
                    std::to_string(kLargestAttribute) + ".",
                "Export the model again: the attribute is wrong.");
}

}  // namespace

void requireAttributeRange(const Node& node) {
    if (node.domain() != kOnnxDomain && node.domain() != kLongOnnxDomain &&
        node.domain() != kMicrosoftDomain) {
        return;
    }
    for (const auto& [name, attribute] : node.attributes()) {
        if (!isBounded(name)) continue;
        if (const auto* number = std::get_if<int64_t>(&attribute))
            requireRange(name, "is", *number);
        if (const auto* numbers = std::get_if<std::vector<int64_t>>(&attribute)) {
            for (const int64_t number : *numbers) requireRange(name, "holds", number);
        }
    }
}

}  // namespace temper
