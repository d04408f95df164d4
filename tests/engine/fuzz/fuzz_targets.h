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

/// A parser of external input: the bytes of a file or a person's text.
struct FuzzTarget {
    const char* name;
    /// Reads the input and, if there is a writer, writes and reads it again. Returns the message of
    /// the temper::Error that rejected it, or nothing. Any other exception is a fault, as is a file
    /// of ours that we can not read again (std::logic_error).
    std::string (*run)(std::span<const std::byte> bytes);
    /// Derives another input, the same for the same seed; null: its bytes are changed. Seeds of
    /// such a target may be rejected, too.
    std::string (*mutate)(const std::string& input, uint64_t seed) = nullptr;
    /// Combines two inputs, for targets with mutate().
    std::string (*cross)(const std::string& input, const std::string& other,
                         uint64_t seed) = nullptr;
};

/// All targets.
const std::vector<FuzzTarget>& fuzzTargets();

/// Initial inputs by target: valid and small, one of each kind that the parser knows.
std::map<std::string, std::vector<std::string>> fuzzSeeds();

}  // namespace temper::test
