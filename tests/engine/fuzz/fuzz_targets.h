// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace temper::test {

/// A parser of what comes from outside: a file's bytes or a person's text.
struct FuzzTarget {
    const char* name;
    /// Reads the input and, where there is a writer, writes and reads it again. Returns the message
    /// of the temper::Error that refused it, or nothing. Whatever else it throws is a fault, as is
    /// a file of ours that we can not read again (std::logic_error).
    std::string (*run)(std::span<const std::byte> bytes);
    /// Makes another input of one, the same for the same seed; null: its bytes are changed. Seeds
    /// of such a target may be refused, too.
    std::string (*mutate)(const std::string& input, uint64_t seed) = nullptr;
    /// Makes one of two, for targets with mutate().
    std::string (*cross)(const std::string& input, const std::string& other,
                         uint64_t seed) = nullptr;
};

/// All targets.
const std::vector<FuzzTarget>& fuzzTargets();

/// Inputs to begin with, by target: good ones, small, of each kind that the parser knows.
std::map<std::string, std::vector<std::string>> fuzzSeeds();

}  // namespace temper::test
