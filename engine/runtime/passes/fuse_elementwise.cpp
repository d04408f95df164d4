// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "engine/runtime/kernels/elementwise_kernel.h"
#include "engine/runtime/kernels/fused_kernel.h"
#include "engine/runtime/passes/fusion_groups.h"
#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/passes/step_fuser.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;
using BufferKind = ExecutionPlan::BufferKind;
using Group = FusionGroup;

/// A step that may be a member of a group: how it computes on its own.
struct Candidate {
    RowShape shape;
    RowForm form;
};

std::optional<RowShape> ownShape(const Kernel& kernel) {
    const KernelCapabilities can = kernel.capabilities();
    if (can.elementwise != nullptr) return RowShape{1, can.elementwise->form().count};
    if (can.rows != nullptr) return RowShape{can.rows->form().rows, can.rows->form().columns};
    if (can.fold != nullptr) return RowShape{can.fold->form().rows, can.fold->form().columns};
    return std::nullopt;
}

std::optional<Candidate> candidateOf(const Step& step) {
    const auto shape = ownShape(*step.kernel);
    auto form = shape ? formIn(*shape, *step.kernel) : std::nullopt;
    if (!form) return std::nullopt;
    return Candidate{*shape, *std::move(form)};
}

/// Finds the groups, in one walk over the steps.
class ElementwiseFusion {
public:
    ElementwiseFusion(PlanDraft& draft, const PlanFacts& facts)
        : draft_(draft),
          facts_(facts),
          index_(groups_, draft.buffers.size()),
          groupOf_(draft.steps.size(), kNone) {
        const std::vector<Step>& steps = draft.steps;
        for (size_t i = 0; i < steps.size(); ++i) {
            candidates_.push_back(candidateOf(steps[i]));
            const bool isOther = !candidates_.back() && !isAccumulator(steps[i], facts_);
            otherSteps_.push_back((i == 0 ? 0 : otherSteps_.back()) + (isOther ? 1 : 0));
        }
    }

    void run() {
        for (size_t i = 0; i < draft_.steps.size(); ++i) visit(i);
        fuseGroups();
    }

private:
    static constexpr size_t kNone = static_cast<size_t>(-1);

    void visit(size_t i) {
        const size_t joined = candidates_[i] ? join(i) : kNone;
        std::vector<size_t> blocked = touchedBy(draft_.steps[i]);
        std::erase_if(blocked, [&](size_t g) {
            return g == joined || !isInTheWay(draft_.steps[i], groups_[g]);
        });
        if (blocked.size() == 1 && isAccumulator(draft_.steps[i], facts_)) {
            groups_[blocked.front()].followers.push_back(i);
            index_.add(draft_.steps[i], blocked.front());
            return;
        }
        for (const size_t g : blocked) groups_[g].isOpen = false;
    }

    /// The open groups that make what the step reads, or read what it changes; ascending.
    std::vector<size_t> touchedBy(const Step& step) {
        std::vector<size_t> found;
        for (const uint32_t buffer : step.inputBuffers) index_.collectMakers(buffer, found);
        for (const uint32_t buffer : changedBy(step)) index_.collectReaders(buffer, found);
        return sortedOnce(std::move(found));
    }

    /// The open groups that step `i` may be connected with; ascending.
    std::vector<size_t> around(size_t i) {
        std::vector<size_t> found;
        for (size_t operand = 0; operand < candidates_[i]->form.operands.size(); ++operand) {
            if (!isArray(*candidates_[i], operand)) continue;
            const uint32_t buffer = operandBuffer(draft_.steps[i], operand);
            index_.collectMakers(buffer, found);
            index_.collectReaders(buffer, found);
        }
        return sortedOnce(std::move(found));
    }

    static std::vector<size_t> sortedOnce(std::vector<size_t> groups) {
        std::ranges::sort(groups);
        groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
        return groups;
    }

    /// Returns: the group of step `i`, a new one if none fits.
    size_t join(size_t i) {
        Group joined{{i}, candidates_[i]->shape};
        std::vector<size_t> moved = {i};
        size_t place = kNone;
        for (const size_t g : around(i)) {
            if (!mayJoin(groups_[g], i)) continue;
            auto both = merged(joined, groups_[g]);
            if (!both) continue;
            joined = *std::move(both);
            if (place == kNone) {
                place = g;
                continue;
            }
            std::ranges::copy(groups_[g].members, std::back_inserter(moved));
            std::ranges::copy(groups_[g].followers, std::back_inserter(moved));
            groups_[g] = {{}, {}, {}, false};
        }
        if (place == kNone) {
            place = groups_.size();
            groups_.emplace_back();
        }
        groups_[place] = std::move(joined);
        for (const size_t step : moved) index_.add(draft_.steps[step], place);
        return place;
    }

    /// Considers only the order of the steps.
    bool mayJoin(const Group& group, size_t i) const {
        return group.isOpen && draft_.steps[i].phase == draft_.steps[group.members.back()].phase &&
               isConnected(group, i) && mayWait(group, i);
    }

    /// Empty if there are no rows that all members can process together.
    std::optional<Group> merged(const Group& a, const Group& b) const {
        Group both;
        std::ranges::merge(a.members, b.members, std::back_inserter(both.members));
        std::ranges::merge(a.followers, b.followers, std::back_inserter(both.followers));
        for (const RowShape& shape : {b.shape, a.shape}) {
            both.shape = shape;
            if (fits(both)) return both;
        }
        return std::nullopt;
    }

    bool fits(const Group& group) const {
        const auto members = membersOf(group);
        if (!members) return false;
        const bool needsRows = std::ranges::any_of(
            *members, [&](const FusionMember& m) { return isWhole(m.form, group.shape); });
        if (members->size() > mostMembers(group.shape, needsRows)) return false;
        for (size_t m = 0; m < members->size(); ++m) {
            if (!readsRowsOfOthers(*members, m, group.shape)) return false;
        }
        return true;
    }

    std::optional<std::vector<FusionMember>> membersOf(const Group& group) const {
        std::vector<FusionMember> members;
        for (const size_t step : group.members) {
            auto form = formIn(group.shape, *draft_.steps[step].kernel);
            if (!form) return std::nullopt;
            members.push_back({step, *std::move(form)});
        }
        return members;
    }

    /// Whether member `m` reads only the same row of the results of members before it.
    bool readsRowsOfOthers(const std::vector<FusionMember>& members, size_t m,
                           const RowShape& shape) const {
        for (size_t i = 0; i < members[m].form.operands.size(); ++i) {
            const RowOperand& operand = members[m].form.operands[i];
            const uint32_t buffer = operandBuffer(draft_.steps[members[m].step], i);
            for (size_t maker = 0; maker < m; ++maker) {
                if (draft_.steps[members[maker].step].outputBuffers[0] != buffer) continue;
                if (!operand.isAligned(shape.rows) ||
                    operand.width != members[maker].form.outputWidth) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Whether step `i` reads an array that a member makes or reads.
    bool isConnected(const Group& group, size_t i) const {
        const Candidate& candidate = *candidates_[i];
        for (size_t operand = 0; operand < candidate.form.operands.size(); ++operand) {
            const uint32_t buffer = operandBuffer(draft_.steps[i], operand);
            if (!isArray(candidate, operand) || buffer == 0) continue;
            for (const size_t m : group.members) {
                if (draft_.steps[m].outputBuffers[0] == buffer || readsArray(m, buffer))
                    return true;
            }
        }
        return false;
    }

    /// Whether the operand is not broadcast along rows.
    static bool isArray(const Candidate& candidate, size_t operand) {
        const RowOperand& rows = candidate.form.operands[operand];
        return rows.isAligned(candidate.shape.rows) &&
               (!rows.isNumber() || candidate.shape == RowShape{1, 1});
    }

    bool readsArray(size_t step, uint32_t buffer) const {
        for (size_t i = 0; i < candidates_[step]->form.operands.size(); ++i) {
            if (isArray(*candidates_[step], i) && operandBuffer(draft_.steps[step], i) == buffer)
                return true;
        }
        return false;
    }

    /// Whether the members lose nothing by running at step `i`: it is near, or their inputs live
    /// longer.
    bool mayWait(const Group& group, size_t i) const {
        if (otherSteps_[i] == otherSteps_[group.members.back()]) return true;
        return std::ranges::all_of(group.members, [&](size_t m) {
            const Step& step = draft_.steps[m];
            return std::ranges::all_of(step.inputBuffers, [&](uint32_t buffer) {
                return buffer == 0 || facts_.lastReader[buffer] >= i ||
                       draft_.buffers[buffer].kind != BufferKind::Arena;
            });
        });
    }

    /// Whether `step` has to run after all members, or a follower.
    bool isInTheWay(const Step& step, const Group& group) const {
        const auto changes = changedBy(step);
        const auto isChanged = [&](size_t other) {
            const auto& inputs = draft_.steps[other].inputBuffers;
            return std::ranges::any_of(changes, [&](uint32_t buffer) {
                return std::ranges::find(inputs, buffer) != inputs.end();
            });
        };
        const auto isRead = [&](size_t member) {
            const uint32_t made = draft_.steps[member].outputBuffers[0];
            return std::ranges::find(step.inputBuffers, made) != step.inputBuffers.end();
        };
        return std::ranges::any_of(group.members, isRead) ||
               std::ranges::any_of(group.members, isChanged) ||
               std::ranges::any_of(group.followers, isChanged);
    }

    static std::vector<uint32_t> changedBy(const Step& step) {
        std::vector<uint32_t> changes;
        for (const size_t input : step.kernel->traits().mutatedInputs) {
            for (uint32_t at = step.inputBegins[input]; at < step.inputBegins[input + 1]; ++at) {
                if (step.inputBuffers[at] != 0) changes.push_back(step.inputBuffers[at]);
            }
        }
        return changes;
    }

    void fuseGroups() {
        std::erase_if(groups_, [](const Group& group) { return group.members.size() < 2; });
        std::vector<bool> isLater(draft_.steps.size(), false);
        for (size_t g = 0; g < groups_.size(); ++g) {
            for (const size_t m : groups_[g].members) groupOf_[m] = g;
            std::erase_if(groups_[g].followers,
                          [&](size_t step) { return step > groups_[g].members.back(); });
            for (const size_t step : groups_[g].followers) isLater[step] = true;
        }
        const std::vector<bool> isReadOutside = readOutsideOfGroups();
        std::vector<Step> steps;
        for (size_t i = 0; i < draft_.steps.size(); ++i) {
            if (groupOf_[i] != kNone) {
                if (groups_[groupOf_[i]].members.back() == i)
                    addFused(groups_[groupOf_[i]], isReadOutside, steps);
            } else if (!isLater[i]) {
                steps.push_back(std::move(draft_.steps[i]));
            }
        }
        draft_.steps = std::move(steps);
    }

    void addFused(const Group& group, const std::vector<bool>& isReadOutside,
                  std::vector<Step>& steps) {
        steps.push_back(
            fuseSteps(draft_.steps, *membersOf(group), group.shape, draft_.buffers, isReadOutside));
        for (const size_t step : group.followers) steps.push_back(std::move(draft_.steps[step]));
    }

    std::vector<bool> readOutsideOfGroups() const {
        std::vector<bool> isRead(draft_.buffers.size(), false);
        for (uint32_t buffer = 1; buffer < isRead.size(); ++buffer) {
            const size_t group =
                facts_.makers[buffer] == 0 ? kNone : groupOf_[facts_.maker[buffer]];
            isRead[buffer] = facts_.isOutput(buffer) ||
                             std::ranges::any_of(facts_.readersOf(buffer), [&](size_t reader) {
                                 return group == kNone || groupOf_[reader] != group;
                             });
        }
        return isRead;
    }

    PlanDraft& draft_;
    const PlanFacts& facts_;
    std::vector<std::optional<Candidate>> candidates_;  ///< by step
    std::vector<size_t> otherSteps_;  ///< up to each step, neither candidates nor accumulators
    std::vector<Group> groups_;
    FusionGroupIndex index_;
    std::vector<size_t> groupOf_;  ///< by step
};

}  // namespace

void fuseElementwise(PlanDraft& draft, const PlanFacts& facts) {
    ElementwiseFusion(draft, facts).run();
}

}  // namespace temper
