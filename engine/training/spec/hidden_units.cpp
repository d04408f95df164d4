// SPDX-License-Identifier: Apache-2.0
#include "engine/training/spec/hidden_units.h"

#include <algorithm>
#include <charconv>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/joined.h"

namespace temper {
namespace {

constexpr const char* kNone = "none";

[[noreturn]] void throwWrongText(const std::string& text) {
    throw Error(ErrorCode::InvalidInput,
                "'" + text + "' is invalid as the units of the hidden layers.",
                "Write one number for each hidden layer, such as 8,4, or none.");
}

}  // namespace

std::string hiddenUnitsText(const HiddenUnits& units) {
    if (!units) return {};
    if (units->empty()) return kNone;
    return joinedBy(",", *units, [](int64_t count) { return std::to_string(count); });
}

HiddenUnits parseHiddenUnits(const std::string& text) {
    if (text.empty()) return std::nullopt;
    std::vector<int64_t> units;
    if (text == kNone) return units;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        while (begin < end && text[begin] == ' ') ++begin;
        int64_t count = 0;
        const auto read = std::from_chars(text.data() + begin, text.data() + end, count);
        if (read.ec != std::errc() || read.ptr != text.data() + end) throwWrongText(text);
        units.push_back(count);
        begin = end + 1;
    }
    requireBuildable(units);
    return units;
}

void requireBuildable(const std::vector<int64_t>& units) {
    if (units.size() > kMaxHiddenLayers) {
        throw Error(
            ErrorCode::InvalidInput,
            "The model would have " + counted(units.size(), "hidden layer", "hidden layers") + ".",
            "Choose at most " + std::to_string(kMaxHiddenLayers) + ".");
    }
    for (const int64_t count : units) {
        if (count >= 1 && count <= kMaxUnits) continue;
        throw Error(ErrorCode::InvalidInput,
                    "A hidden layer would have " + counted(count, "unit", "units") + ".",
                    "Choose from 1 to " + std::to_string(kMaxUnits) + ".");
    }
}

}  // namespace temper
