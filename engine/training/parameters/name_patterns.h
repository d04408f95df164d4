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

/// Names as a group has them: "fc1.weight, conv*, !conv1.bias". Names and glob patterns stand
/// between commas; with "!" they leave the list. The last one that matches a name decides, and a
/// list that begins with "!" begins with every name. In quotes stand names that have commas, stars
/// and the like in them, exactly as they are: "a,b" (a quote is written twice).
class NamePatterns {
public:
    explicit NamePatterns(std::string_view text);

    /// `others`: further names of the same parameter; the last entry that matches one decides.
    bool matches(const std::string& name, const std::vector<std::string>& others = {}) const;

    /// Afterwards the names match. `modules`: their further names.
    void add(const std::set<std::string>& names, const ModuleNames& modules = {});
    /// Afterwards the names don't match; those that a pattern matches are left out by name.
    void remove(const std::set<std::string>& names, const ModuleNames& modules = {});
    /// Takes out what stands there for the names alone; patterns may still match them.
    void forget(const std::set<std::string>& names);

    /// The same list, as the constructor reads it.
    std::string text() const;

private:
    struct Entry {
        std::string text;
        bool isName = false;  ///< it stands for itself
        bool leaves = false;
    };

    /// The last entry that matches.
    std::optional<size_t> lastMatching(const std::string& name) const;
    static Entry nextEntry(std::string_view text, size_t& at);
    void index();

    std::vector<Entry> entries_;
    std::string whole_;  ///< as it was given: a name may be spelled like a list
    std::unordered_map<std::string, size_t> names_;  ///< to the last entry of each
    std::vector<size_t> globs_;
};

}  // namespace temper
