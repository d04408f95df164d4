// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parameters/group_membership.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/core/error.h"

namespace temper {
namespace {

/// Changes the patterns of a group; equivalent ones stay as a person wrote them.
void rewrite(ParameterGroup& group, const std::function<void(NamePatterns&)>& change) {
    const std::string before = NamePatterns(group.pattern).text();
    NamePatterns patterns(group.pattern);
    change(patterns);
    const std::string after = patterns.text();
    if (after != before) group.pattern = after;
}

/// The names that are not yet in the target group.
std::set<std::string> namesThatMove(const ParameterMove& move, const GroupMembership& now) {
    std::set<std::string> names;
    for (const std::string& name : move.names)
        if (now.groupOf(name) != move.to) names.insert(name);
    return names;
}

std::vector<int64_t> membersOf(const std::vector<ParameterGroup>& groups,
                               const std::vector<std::string>& parameters,
                               const ModuleNames& modules) {
    const GroupMembership membership(groups, modules);
    std::vector<int64_t> members(groups.size());
    for (const std::string& name : parameters)
        if (const auto group = membership.groupOf(name)) ++members[*group];
    return members;
}

/// Groups after the one that takes the names need not exclude what their patterns match.
void move(std::vector<ParameterGroup>& groups, const std::set<std::string>& names,
          std::optional<size_t> to, const ModuleNames& modules) {
    for (size_t i = 0; i < groups.size(); ++i) {
        rewrite(groups[i], [&](NamePatterns& patterns) {
            if (to == i) {
                patterns.add(names, modules);
            } else if (to && i > *to) {
                patterns.forget(names);
            } else {
                patterns.remove(names, modules);
            }
        });
    }
}

}  // namespace

GroupMembership::GroupMembership(const std::vector<ParameterGroup>& groups, ModuleNames modules)
    : modules_(std::move(modules)) {
    for (const ParameterGroup& group : groups) patterns_.emplace_back(group.pattern);
}

std::optional<size_t> GroupMembership::groupOf(const std::string& name) const {
    const std::vector<std::string> others = moduleNamesOf(modules_, name);
    const auto found = std::ranges::find_if(
        patterns_, [&](const NamePatterns& patterns) { return patterns.matches(name, others); });
    if (found == patterns_.end()) return std::nullopt;
    return static_cast<size_t>(found - patterns_.begin());
}

std::vector<ParameterGroup> withParametersMoved(std::vector<ParameterGroup> groups,
                                                const std::vector<std::string>& parameters,
                                                const ParameterMove& wanted,
                                                const ModuleNames& modules) {
    TEMPER_ASSERT(!wanted.to || *wanted.to <= groups.size(), "a group that is there or a new one");
    const std::set<std::string> names = namesThatMove(wanted, GroupMembership(groups, modules));
    if (names.empty()) return groups;
    std::vector<int64_t> before = membersOf(groups, parameters, modules);
    if (wanted.to == groups.size()) groups.emplace_back();
    before.resize(groups.size());
    move(groups, names, wanted.to, modules);
    const std::vector<int64_t> after = membersOf(groups, parameters, modules);
    for (size_t i = groups.size(); i-- > 0;)
        if (before[i] > 0 && after[i] == 0) groups.erase(groups.begin() + static_cast<int64_t>(i));
    return groups;
}

}  // namespace temper
