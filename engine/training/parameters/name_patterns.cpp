// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parameters/name_patterns.h"

#include <algorithm>
#include <optional>

#include "engine/core/joined.h"
#include "engine/core/name_pattern.h"

namespace temper {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

size_t skipBlanks(std::string_view text, size_t at) {
    return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

/// Starts after the first quote; moves `at` past the last one.
std::string quotedName(std::string_view text, size_t& at) {
    std::string name;
    for (; at < text.size(); ++at) {
        if (text[at] == '"') {
            ++at;
            if (at == text.size() || text[at] != '"') return name;
        }
        name += text[at];
    }
    return name;
}

bool needsQuotes(const std::string& name) {
    return name.empty() || name.find_first_of("*?,") != std::string::npos || name[0] == '!' ||
           name[0] == '"' || kBlanks.find(name.front()) != std::string_view::npos ||
           kBlanks.find(name.back()) != std::string_view::npos;
}

std::string quoted(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + "\"";
}

}  // namespace

NamePatterns::NamePatterns(std::string_view text) : whole_(text) {
    for (size_t at = skipBlanks(text, 0); at < text.size(); at = skipBlanks(text, at)) {
        Entry entry = nextEntry(text, at);
        if (entry.text.empty()) continue;
        if (entries_.empty() && entry.leaves) entries_.push_back({"*", false, false});
        entries_.push_back(std::move(entry));
    }
    index();
}

/// Moves `at` past the comma that ends the entry.
NamePatterns::Entry NamePatterns::nextEntry(std::string_view text, size_t& at) {
    Entry entry;
    entry.leaves = text[at] == '!';
    if (entry.leaves) at = skipBlanks(text, at + 1);
    const bool isQuoted = at < text.size() && text[at] == '"';
    if (isQuoted) entry.text = quotedName(text, ++at);
    const size_t end = std::min(text.find(',', at), text.size());
    if (!isQuoted) {
        const std::string_view found = text.substr(at, end - at);
        entry.text = found.substr(0, found.find_last_not_of(kBlanks) + 1);
    }
    entry.isName = isQuoted || entry.text.find_first_of("*?") == std::string::npos;
    at = std::min(end + 1, text.size());
    return entry;
}

void NamePatterns::index() {
    names_.clear();
    globs_.clear();
    for (size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].isName) {
            names_[entries_[i].text] = i;
        } else {
            globs_.push_back(i);
        }
    }
}

bool NamePatterns::matches(const std::string& name, const std::vector<std::string>& others) const {
    if (name == whole_ || std::ranges::count(others, whole_) > 0) return true;
    std::optional<size_t> last = lastMatching(name);
    for (const std::string& other : others) last = std::max(last, lastMatching(other));
    return last && !entries_[*last].leaves;
}

std::optional<size_t> NamePatterns::lastMatching(const std::string& name) const {
    const auto own = names_.find(name);
    std::optional<size_t> last;
    if (own != names_.end()) last = own->second;
    for (auto glob = globs_.rbegin(); glob != globs_.rend() && *glob >= last.value_or(0); ++glob) {
        if (!matchesPattern(entries_[*glob].text, name)) continue;
        return *glob;
    }
    return last;
}

void NamePatterns::forget(const std::set<std::string>& names) {
    whole_.clear();
    std::erase_if(entries_, [&names](const Entry& entry) {
        return entry.isName && names.contains(entry.text);
    });
    // An exclusion with nothing before it has no effect; at the beginning it would mean all others.
    const auto first = std::ranges::find(entries_, false, &Entry::leaves);
    entries_.erase(entries_.begin(), first);
    index();
}

void NamePatterns::add(const std::set<std::string>& names, const ModuleNames& modules) {
    forget(names);
    for (const std::string& name : names)
        if (!matches(name, moduleNamesOf(modules, name))) entries_.push_back({name, true, false});
    index();
}

void NamePatterns::remove(const std::set<std::string>& names, const ModuleNames& modules) {
    forget(names);
    for (const std::string& name : names)
        if (matches(name, moduleNamesOf(modules, name))) entries_.push_back({name, true, true});
    index();
}

std::string NamePatterns::text() const {
    return joined(entries_, [](const Entry& entry) {
        return (entry.leaves ? "!" : "") +
               (entry.isName && needsQuotes(entry.text) ? quoted(entry.text) : entry.text);
    });
}

}  // namespace temper
