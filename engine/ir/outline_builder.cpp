// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/outline_builder.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "engine/ir/module_scope.h"

namespace temper {
namespace {

/// A level with more members is split into sections of about kSectionItems.
constexpr size_t kMaxItems = 250;
constexpr size_t kSectionItems = 100;
/// A repeat that fills a level is folded only if it is this long.
constexpr size_t kLongRepeat = 24;
/// How far a border between sections moves to a place that few values cross.
constexpr size_t kBorderSlack = 25;

}  // namespace

std::vector<OutlineGroup> OutlineBuilder::run() {
    addGroup(OutlineKind::Model, {}, -1);
    addScopes();
    addBlocks();
    dissolveSmall(0);
    dissolveRoot();
    foldRepeats(0);
    cutSections(0);
    measure(0);
    compareStructures();
    return renumbered();
}

int OutlineBuilder::addGroup(OutlineKind kind, std::string name, int parent) {
    OutlineGroup added;
    added.kind = kind;
    added.name = std::move(name);
    added.parent = parent;
    if (parent >= 0) {
        const std::string& above = group(parent).path;
        added.path = above.empty() ? added.name : above + "/" + added.name;
    }
    groups_.push_back(std::move(added));
    return static_cast<int>(groups_.size()) - 1;
}

void OutlineBuilder::addScopes() {
    std::map<std::pair<int, std::string>, int> scopes;
    homes_.resize(nodes_.size());
    nodePrints_.resize(nodes_.size());
    for (size_t n = 0; n < nodes_.size(); ++n) {
        int home = 0;
        for (const ModuleScope& module : modulesAround(*nodes_[n])) {
            const auto [scope, isNew] = scopes.try_emplace({home, module.name}, 0);
            if (isNew) {
                scope->second = addGroup(OutlineKind::Scope, module.name, home);
                group(scope->second).className = module.shortClass();
                group(home).items.push_back({scope->second, -1});
            }
            home = scope->second;
        }
        group(home).items.push_back({-1, static_cast<int>(n)});
        homes_[n] = home;
    }
}

void OutlineBuilder::addBlocks() {
    for (const Block& block : blocks_) addBlock(block);
}

void OutlineBuilder::addBlock(const Block& block) {
    std::set<int> members, homes;
    for (const Node* node : block.nodes) {
        members.insert(indices_[node->index()]);
        homes.insert(homes_[static_cast<size_t>(indices_[node->index()])]);
    }
    if (members.size() < 2 || homes.size() != 1) return;
    const int home = *homes.begin();
    const auto isMember = [&](const OutlineItem& item) {
        return item.group < 0 && members.contains(item.node);
    };
    auto& items = group(home).items;
    if (home != 0 && items.size() == members.size()) {
        group(home).block = block.kind;
        return;
    }
    const size_t place =
        static_cast<size_t>(std::find_if(items.begin(), items.end(), isMember) - items.begin());
    std::erase_if(items, isMember);
    const int added = addGroup(OutlineKind::Block, block.kind, home);
    for (const int member : members) {
        group(added).items.push_back({-1, member});
        homes_[static_cast<size_t>(member)] = added;
    }
    auto& rest = group(home).items;
    rest.insert(rest.begin() + static_cast<long>(place), {added, -1});
}

void OutlineBuilder::dissolveSmall(int index) {
    for (size_t i = 0; i < group(index).items.size(); ++i) {
        const int child = group(index).items[i].group;
        if (child < 0) continue;
        dissolveSmall(child);
        if (group(child).items.size() > 1) continue;
        const OutlineItem only = group(child).items.front();
        group(index).items[i] = only;
        if (only.group < 0) continue;
        OutlineGroup& moved = group(only.group);
        moved.parent = index;
        if (moved.kind == OutlineKind::Scope)
            moved.name = group(child).name + "/" + moved.name;
        else
            moved.name = group(child).name + " · " + moved.name;
    }
}

/// A scope around the whole model carries no information.
void OutlineBuilder::dissolveRoot() {
    while (group(0).items.size() == 1 && group(0).items.front().group >= 0) {
        const int only = group(0).items.front().group;
        group(0).items = group(only).items;
        for (const OutlineItem& item : group(0).items)
            if (item.group >= 0) group(item.group).parent = 0;
    }
}

void OutlineBuilder::foldRepeats(int index) {
    for (size_t i = 0; i < group(index).items.size(); ++i)
        if (group(index).items[i].group >= 0) foldRepeats(group(index).items[i].group);
    if (group(index).kind == OutlineKind::Block) return;
    std::vector<uint64_t> keys;
    for (const OutlineItem& item : group(index).items) keys.push_back(structureOf(item));
    std::vector<TandemRepeat> repeats = tandemRepeats(keys);
    // From the end: earlier positions stay valid.
    for (auto repeat = repeats.rbegin(); repeat != repeats.rend(); ++repeat) {
        const bool bareNode = repeat->period == 1 && group(index).items[repeat->first].group < 0;
        if (bareNode) continue;
        const size_t size = repeat->period * repeat->count;
        const bool isAll = size == group(index).items.size();
        if (isAll && repeat->period == 1 && repeat->count < kLongRepeat) {
            group(index).repeats = static_cast<int>(repeat->count);
            continue;
        }
        for (size_t part = repeat->count; repeat->period > 1 && part-- > 0;)
            wrap(index, repeat->first + part * repeat->period, repeat->period,
                 OutlineKind::Section);
        if (isAll && repeat->count < kLongRepeat) {
            group(index).repeats = static_cast<int>(repeat->count);
            continue;
        }
        const int folded = wrap(index, repeat->first, repeat->count, OutlineKind::Repeat);
        group(folded).repeats = static_cast<int>(repeat->count);
    }
}

int OutlineBuilder::wrap(int index, size_t first, size_t count, OutlineKind kind) {
    const auto begin = group(index).items.begin() + static_cast<long>(first);
    const std::vector<OutlineItem> items(begin, begin + static_cast<long>(count));
    const int added = addGroup(kind, nameOf(items.front()) + " … " + nameOf(items.back()), index);
    auto& siblings = group(index).items;
    siblings.erase(siblings.begin() + static_cast<long>(first),
                   siblings.begin() + static_cast<long>(first + count));
    siblings.insert(siblings.begin() + static_cast<long>(first), {added, -1});
    for (const OutlineItem& item : items)
        if (item.group >= 0) group(item.group).parent = added;
    group(added).items = items;
    return added;
}

void OutlineBuilder::cutSections(int index) {
    const size_t size = group(index).items.size();
    if (size > kMaxItems) {
        const std::vector<size_t> borders =
            sectionBorders(index, (size + kSectionItems - 1) / kSectionItems);
        for (size_t i = borders.size() - 1; i-- > 0;)
            if (borders[i + 1] - borders[i] > 1)
                wrap(index, borders[i], borders[i + 1] - borders[i], OutlineKind::Section);
        if (group(index).items.size() > kMaxItems) cutSections(index);
    }
    const std::vector<OutlineItem> items = group(index).items;
    for (const OutlineItem& item : items)
        if (item.group >= 0) cutSections(item.group);
}

/// Borders at equal distances, each moved to the nearby place that the fewest values cross.
std::vector<size_t> OutlineBuilder::sectionBorders(int index, size_t sections) {
    const auto& items = group(index).items;
    std::unordered_map<int, size_t> placeOf;
    std::vector<int> members;
    for (size_t i = 0; i < items.size(); ++i) {
        members.clear();
        collectNodes(items[i], members);
        for (const int member : members) placeOf[member] = i;
    }
    std::vector<int> crossing(items.size() + 1, 0);
    for (const auto& [member, place] : placeOf) {
        for (const Value* input : nodes_[static_cast<size_t>(member)]->inputs()) {
            if (input == nullptr || input->producer() == nullptr) continue;
            const auto from = placeOf.find(indices_[input->producer()->index()]);
            if (from == placeOf.end() || from->second >= place) continue;
            ++crossing[from->second + 1];
            --crossing[place + 1];
        }
    }
    std::partial_sum(crossing.begin(), crossing.end(), crossing.begin());
    std::vector<size_t> borders{0};
    for (size_t section = 1; section < sections; ++section) {
        const size_t wanted = section * items.size() / sections;
        size_t best = wanted;
        for (size_t step = 1; step <= kBorderSlack; ++step)
            for (const size_t place : {wanted - step, wanted + step})
                if (place > borders.back() && place < items.size() &&
                    crossing[place] < crossing[best])
                    best = place;
        borders.push_back(best);
    }
    borders.push_back(items.size());
    return borders;
}

void OutlineBuilder::measure(int index) {
    int count = 0;
    for (size_t i = 0; i < group(index).items.size(); ++i) {
        const int child = group(index).items[i].group;
        if (child >= 0) measure(child);
        count += child >= 0 ? group(child).nodeCount : 1;
    }
    group(index).nodeCount = count;
}

void OutlineBuilder::compareStructures() {
    std::map<uint64_t, std::vector<size_t>> alike;
    for (size_t g = 1; g < groups_.size(); ++g)
        if (groups_[g].nodeCount > 0) alike[structureOf({static_cast<int>(g), -1})].push_back(g);
    int structure = 1;
    for (const auto& [print, members] : alike) {
        for (const size_t member : members) {
            groups_[member].structure = structure;
            groups_[member].alike = static_cast<int>(members.size());
        }
        ++structure;
    }
}

std::vector<OutlineGroup> OutlineBuilder::renumbered() const {
    std::vector<OutlineGroup> result{groups_.front()};
    std::vector<int> open{0};
    // Breadth first: parents before children.
    for (size_t i = 0; i < open.size(); ++i) {
        for (OutlineItem& item : result[i].items) {
            if (item.group < 0) continue;
            OutlineGroup child = groups_[static_cast<size_t>(item.group)];
            child.parent = static_cast<int>(i);
            open.push_back(item.group);
            item.group = static_cast<int>(open.size()) - 1;
            result.push_back(std::move(child));
        }
    }
    return result;
}

std::string OutlineBuilder::nameOf(const OutlineItem& item) const {
    if (item.group >= 0) return groups_[static_cast<size_t>(item.group)].name;
    return nodes_[static_cast<size_t>(item.node)]->opType();
}

void OutlineBuilder::collectNodes(const OutlineItem& item, std::vector<int>& into) const {
    if (item.group < 0) {
        into.push_back(item.node);
        return;
    }
    for (const OutlineItem& child : groups_[static_cast<size_t>(item.group)].items)
        collectNodes(child, into);
}

uint64_t OutlineBuilder::printOf(int node) {
    uint64_t& print = nodePrints_[static_cast<size_t>(node)];
    if (print == 0) print = nodeFingerprint(*nodes_[static_cast<size_t>(node)]);
    return print;
}

/// The content of a group does not change, however it is folded: its fingerprint is computed once.
uint64_t OutlineBuilder::structureOf(const OutlineItem& item) {
    if (item.group < 0) return printOf(item.node);
    const auto [found, isNew] = groupPrints_.try_emplace(item.group, 0);
    if (!isNew) return found->second;
    std::vector<int> members;
    collectNodes(item, members);
    std::sort(members.begin(), members.end());
    std::vector<uint64_t> prints;
    for (const int member : members) prints.push_back(printOf(member));
    found->second = structureFingerprint(nodes_, indices_, members, prints);
    return found->second;
}

}  // namespace temper
