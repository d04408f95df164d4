// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/provenance/module_names.h"

namespace temper {

/// The names of a group: "fc1.weight, conv*, !conv1.bias". Names and glob patterns are separated by
/// commas; with "!" they are excluded. The last entry that matches a name decides, and a list that
/// starts with "!" starts with every name. Names with commas, stars and the like are quoted and
/// then taken literally: "a,b" (a quote is written twice).
class NamePatterns {
public:
    explicit NamePatterns(std::string_view text);

    /// `others`: further names of the same parameter; the last entry that matches any of them
    /// decides.
    bool matches(const std::string& name, const std::vector<std::string>& others = {}) const;

    /// Makes the names match. `modules`: their further names.
    void add(const std::set<std::string>& names, const ModuleNames& modules = {});
    /// Makes the names not match; those that a pattern matches are excluded by name.
    void remove(const std::set<std::string>& names, const ModuleNames& modules = {});
    /// Removes entries that are for these names only; patterns may still match them.
    void forget(const std::set<std::string>& names);

    /// The list as text, as the constructor reads it.
    std::string text() const;

private:
    struct Entry {
        std::string text;
        bool isName = false;  ///< a literal name
        bool leaves = false;
    };

    /// The last entry that matches.
    std::optional<size_t> lastMatching(const std::string& name) const;
    static Entry nextEntry(std::string_view text, size_t& at);
    void index();

    std::vector<Entry> entries_;
    std::string whole_;  ///< as given: a name may be spelled like a list
    std::unordered_map<std::string, size_t> names_;  ///< to the last entry of each
    std::vector<size_t> globs_;
};

}  // namespace temper
