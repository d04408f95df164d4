// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/core/error.h"

namespace temper {

/// One line; what is not UTF-8 in paths is replaced.
inline std::string jsonText(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// What is wrong with a message, without the library's name for the kind of error.
inline std::string problemOf(const nlohmann::json::exception& error) {
    constexpr int kKeyNotFound = 403;
    const std::string text = error.what();  // "[json.exception.out_of_range.403] key 'a' not found"
    if (error.id != kKeyNotFound)
        return "The message is not valid: " + text.substr(text.find("] ") + 2) + ".";
    const size_t key = text.find('\'');
    return "The message has no " + text.substr(key, text.rfind('\'') + 1 - key) + ".";
}

/// read(json). Throws: Error(InvalidInput) saying what is wrong with the text, or what `read`
/// misses in it.
template <typename F>
auto fromJson(std::string_view text, F&& read) {
    try {
        return read(nlohmann::json::parse(text));
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorCode::InvalidInput, problemOf(error),
                    "Use the same version of Temper on both sides, or see docs/jobs.md.");
    }
}

}  // namespace temper
