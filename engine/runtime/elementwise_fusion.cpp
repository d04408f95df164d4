// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/elementwise_kernel.h"
#include "engine/runtime/plan_pass.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;
using BufferKind = ExecutionPlan::BufferKind;

/// A block of a few arrays stays in the first-level cache.
constexpr int64_t kBlock = 1024;
constexpr size_t kMostMembers = 16;
constexpr size_t kMostElementBytes = 8;
constexpr int64_t kGrain = 16384;

const ElementwiseKernel* elementwise(const Step& step) {
    const auto* kernel = dynamic_cast<const ElementwiseKernel*>(step.kernel.get());
    const bool fits = kernel != nullptr && kernel->form().outputBytes <= kMostElementBytes &&
                      kernel->form().count > 0;
    return fits ? kernel : nullptr;
}

uint32_t operandBuffer(const Step& step, size_t operand) {
    return step.inputBuffers[step.inputBegins[operand]];
}

/// Where a member of a fused kernel finds or leaves an array.
struct Place {
    enum class Kind : uint8_t { Input, Output, Block };
    Kind kind = Kind::Input;
    size_t index = 0;  ///< of the fused step's inputs, outputs or of the blocks on the stack
};

struct Member {
    std::unique_ptr<Kernel> owner;
    const ElementwiseKernel* kernel = nullptr;
    std::vector<Place> operands;
    Place output;
};

/// Runs its members block by block: values that only they read live on the stack.
class FusedKernel final : public Kernel {
public:
    FusedKernel(std::vector<Member> members, KernelTraits traits) : members_(std::move(members)) {
        traits_ = std::move(traits);
        count_ = members_.front().kernel->form().count;
        for (const Member& member : members_)
            grain_ = std::min(grain_, member.kernel->form().grain);
    }

    void run(const RunContext& context) const override {
        context.pool().forRanges(count_, grain_, [&](int64_t begin, int64_t end) {
            alignas(64) std::array<std::byte, kMostMembers * kBlock * kMostElementBytes> blocks;
            for (; begin < end; begin += kBlock) {
                const int64_t count = std::min(kBlock, end - begin);
                for (const Member& member : members_)
                    runMember(member, context, blocks.data(), begin, count);
            }
        });
    }

private:
    static void runMember(const Member& member, const RunContext& context, std::byte* blocks,
                          int64_t begin, int64_t count) {
        std::array<const void*, ElementwiseKernel::kMostOperands> inputs{};
        for (size_t i = 0; i < member.operands.size(); ++i) {
            const Place& place = member.operands[i];
            const std::byte* array = addressOf(place, context, blocks);
            inputs[i] = place.kind == Place::Kind::Block
                            ? array
                            : member.kernel->addressOf(i, array, begin);
        }
        std::byte* output = addressOf(member.output, context, blocks);
        if (member.output.kind == Place::Kind::Output)
            output += static_cast<size_t>(begin) * member.kernel->form().outputBytes;
        member.kernel->runBlock(inputs.data(), output, count);
    }

    static std::byte* addressOf(const Place& place, const RunContext& context, std::byte* blocks) {
        switch (place.kind) {
            case Place::Kind::Input: return context.mutableIn<std::byte>(place.index);
            case Place::Kind::Output: return context.out<std::byte>(place.index);
            default: return blocks + place.index * kBlock * kMostElementBytes;
        }
    }

    std::vector<Member> members_;
    int64_t count_ = 0;
    int64_t grain_ = kGrain;
};

/// Makes one step of several.
class StepFuser {
public:
    /// `isReadOutside`: by buffer, whether steps that are no members or the caller read it.
    StepFuser(std::vector<Step>& steps, const std::vector<size_t>& members,
              std::vector<ExecutionPlan::Buffer>& buffers, const std::vector<bool>& isReadOutside)
        : steps_(steps), indices_(members), buffers_(buffers), isReadOutside_(isReadOutside) {}

    Step fuse() {
        for (size_t m = 0; m < indices_.size(); ++m) addMember(m);
        Step fused = head();
        KernelTraits traits = fusedTraits();
        for (size_t m = 0; m < indices_.size(); ++m)
            members_[m].owner = std::move(steps_[indices_[m]].kernel);
        fused.kernel = std::make_unique<FusedKernel>(std::move(members_), std::move(traits));
        return fused;
    }

private:
    const Step& step(size_t member) const { return steps_[indices_[member]]; }

    void addMember(size_t m) {
        Member member;
        member.kernel = elementwise(step(m));
        for (size_t i = 0; i < member.kernel->form().operands.size(); ++i)
            member.operands.push_back(placeOf(operandBuffer(step(m), i)));
        member.output = addOutput(m);
        freeBlocks(m);
        members_.push_back(std::move(member));
    }

    Place placeOf(uint32_t buffer) {
        for (const auto& [made, place] : made_) {
            if (made == buffer) return place;
        }
        const auto index =
            static_cast<size_t>(std::ranges::find(inputs_, buffer) - inputs_.begin());
        if (index == inputs_.size()) inputs_.push_back(buffer);
        return {Place::Kind::Input, index};
    }

    Place addOutput(size_t m) {
        const uint32_t buffer = step(m).outputBuffers[0];
        Place place;
        if (isReadOutside_[buffer]) {
            place = {Place::Kind::Output, outputs_.size()};
            outputs_.push_back(buffer);
            writers_.push_back(m);
        } else {
            place = {Place::Kind::Block, takeBlock()};
            buffers_[buffer].kind = BufferKind::Null;
        }
        made_.emplace_back(buffer, place);
        return place;
    }

    size_t takeBlock() {
        const auto free = std::ranges::find(isTaken_, false);
        const auto index = static_cast<size_t>(free - isTaken_.begin());
        if (free == isTaken_.end()) isTaken_.push_back(true);
        isTaken_[index] = true;
        return index;
    }

    /// Blocks that no later member reads may be used again.
    void freeBlocks(size_t m) {
        for (const auto& [buffer, place] : made_) {
            if (place.kind == Place::Kind::Block && lastReader(buffer) <= m &&
                lastBlockUser(place.index) == buffer) {
                isTaken_[place.index] = false;
            }
        }
    }

    /// The last value that was given this block.
    uint32_t lastBlockUser(size_t block) const {
        uint32_t user = 0;
        for (const auto& [buffer, place] : made_) {
            if (place.kind == Place::Kind::Block && place.index == block) user = buffer;
        }
        return user;
    }

    size_t lastReader(uint32_t buffer) const {
        size_t last = 0;
        for (size_t m = 0; m < indices_.size(); ++m) {
            if (reads(m, buffer)) last = m;
        }
        return last;
    }

    bool reads(size_t m, uint32_t buffer) const {
        for (size_t i = 0; i < elementwise(step(m))->form().operands.size(); ++i) {
            if (operandBuffer(step(m), i) == buffer) return true;
        }
        return false;
    }

    /// The fused step without its kernel.
    Step head() const {
        Step fused;
        const Step& last = step(indices_.size() - 1);
        fused.node = last.node;
        fused.phase = last.phase;
        for (size_t m = 0; m < indices_.size(); ++m) {
            const std::string& op = step(m).op;
            fused.op += (m == 0 ? "" : "+") + op.substr(op.rfind('.') + 1);
        }
        fused.inputBuffers = inputs_;
        fused.inputBuffers.resize(std::max(inputs_.size(), kFewestPositions), 0);
        for (uint32_t i = 0; i <= fused.inputBuffers.size(); ++i) fused.inputBegins.push_back(i);
        fused.outputBuffers = outputs_;
        fused.outputBuffers.resize(std::max(outputs_.size(), kFewestPositions), 0);
        return fused;
    }

    KernelTraits fusedTraits() const {
        KernelTraits traits;
        for (size_t m = 0; m < indices_.size(); ++m) traits.flops += step(m).kernel->traits().flops;
        for (size_t input = 0; input < inputs_.size(); ++input) {
            for (size_t output = 0; output < outputs_.size(); ++output) {
                if (mayShare(inputs_[input], writers_[output]))
                    traits.mayShare.emplace_back(input, output);
            }
        }
        return traits;
    }

    /// Whether member `writer` may write over the array: it and those before it are all that read
    /// it, and it allows that itself.
    bool mayShare(uint32_t buffer, size_t writer) const {
        for (size_t m = writer + 1; m < indices_.size(); ++m) {
            if (reads(m, buffer)) return false;
        }
        for (size_t m = 0; m <= writer; ++m) {
            const auto& operands = elementwise(step(m))->form().operands;
            for (size_t i = 0; i < operands.size(); ++i) {
                if (operandBuffer(step(m), i) != buffer) continue;
                if (operands[i].isNumber || (m == writer && !sharesItself(m, i))) return false;
            }
        }
        return true;
    }

    bool sharesItself(size_t m, size_t operand) const {
        const auto& pairs = step(m).kernel->traits().mayShare;
        return std::ranges::any_of(pairs, [&](const auto& pair) { return pair.first == operand; });
    }

    std::vector<Step>& steps_;
    const std::vector<size_t>& indices_;
    std::vector<ExecutionPlan::Buffer>& buffers_;
    const std::vector<bool>& isReadOutside_;
    std::vector<Member> members_;
    std::vector<std::pair<uint32_t, Place>> made_;
    std::vector<uint32_t> inputs_;
    std::vector<uint32_t> outputs_;
    std::vector<size_t> writers_;  ///< members that write the outputs
    std::vector<bool> isTaken_;    ///< blocks
};

/// Steps that will run where the last of them is.
struct Group {
    std::vector<size_t> members;  ///< ascending
    bool isOpen = true;  ///< no other step has read what they make or changed what they read
};

/// Finds the groups, in one walk over the steps.
class ElementwiseFusion {
public:
    explicit ElementwiseFusion(PlanDraft& draft)
        : draft_(draft), lastReader_(draft.buffers.size(), 0), groupOf_(draft.steps.size(), kNone) {
        const std::vector<Step>& steps = draft.steps;
        for (size_t i = 0; i < steps.size(); ++i) {
            for (const uint32_t buffer : steps[i].inputBuffers) lastReader_[buffer] = i;
            otherSteps_.push_back((i == 0 ? 0 : otherSteps_.back()) +
                                  (elementwise(steps[i]) == nullptr ? 1 : 0));
        }
        for (const auto& port : draft.outputs) {
            for (const uint32_t buffer : port.buffers) lastReader_[buffer] = steps.size();
        }
    }

    void run() {
        for (size_t i = 0; i < draft_.steps.size(); ++i) visit(i);
        fuseGroups();
    }

private:
    static constexpr size_t kNone = static_cast<size_t>(-1);

    void visit(size_t i) {
        const size_t joined = elementwise(draft_.steps[i]) == nullptr ? kNone : join(i);
        for (size_t g = 0; g < groups_.size(); ++g) {
            if (groups_[g].isOpen && g != joined && isInTheWay(draft_.steps[i], groups_[g]))
                groups_[g].isOpen = false;
        }
    }

    /// Returns: the group of step `i`, its own where none fits.
    size_t join(size_t i) {
        size_t joined = kNone;
        for (size_t g = 0; g < groups_.size(); ++g) {
            if (!fits(groups_[g], i)) continue;
            if (joined == kNone) {
                joined = g;
            } else if (groups_[joined].members.size() + groups_[g].members.size() < kMostMembers) {
                merge(groups_[joined], groups_[g]);
            }
        }
        if (joined == kNone) {
            joined = groups_.size();
            groups_.emplace_back();
        }
        groups_[joined].members.push_back(i);
        return joined;
    }

    static void merge(Group& target, Group& other) {
        std::vector<size_t> all;
        std::ranges::merge(target.members, other.members, std::back_inserter(all));
        target.members = std::move(all);
        other = {{}, false};
    }

    bool fits(const Group& group, size_t i) const {
        if (!group.isOpen || group.members.size() + 1 > kMostMembers) return false;
        const Step &step = draft_.steps[i], &last = draft_.steps[group.members.back()];
        return step.phase == last.phase &&
               elementwise(step)->form().count == elementwise(last)->form().count &&
               isConnected(group, step) && mayWait(group, i);
    }

    /// `step` reads an array that a member makes or reads.
    bool isConnected(const Group& group, const Step& step) const {
        const auto& operands = elementwise(step)->form().operands;
        for (size_t operand = 0; operand < operands.size(); ++operand) {
            const uint32_t buffer = operandBuffer(step, operand);
            if (operands[operand].isNumber || buffer == 0) continue;
            for (const size_t m : group.members) {
                const Step& member = draft_.steps[m];
                if (member.outputBuffers[0] == buffer || readsArray(member, buffer)) return true;
            }
        }
        return false;
    }

    static bool readsArray(const Step& step, uint32_t buffer) {
        const auto& operands = elementwise(step)->form().operands;
        for (size_t i = 0; i < operands.size(); ++i) {
            if (!operands[i].isNumber && operandBuffer(step, i) == buffer) return true;
        }
        return false;
    }

    /// The members lose nothing by running at step `i`: it is near, or what they read lasts longer.
    bool mayWait(const Group& group, size_t i) const {
        if (otherSteps_[i] == otherSteps_[group.members.back()]) return true;
        return std::ranges::all_of(group.members, [&](size_t m) {
            const Step& step = draft_.steps[m];
            return std::ranges::all_of(step.inputBuffers, [&](uint32_t buffer) {
                return buffer == 0 || lastReader_[buffer] >= i ||
                       draft_.buffers[buffer].kind != BufferKind::Arena;
            });
        });
    }

    /// `step` has to run behind all members.
    bool isInTheWay(const Step& step, const Group& group) const {
        const auto changes = changedBy(step);
        return std::ranges::any_of(group.members, [&](size_t m) {
            const Step& member = draft_.steps[m];
            const uint32_t made = member.outputBuffers[0];
            if (std::ranges::find(step.inputBuffers, made) != step.inputBuffers.end()) return true;
            return std::ranges::any_of(changes, [&](uint32_t buffer) {
                return std::ranges::find(member.inputBuffers, buffer) != member.inputBuffers.end();
            });
        });
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
        for (size_t g = 0; g < groups_.size(); ++g) {
            for (const size_t m : groups_[g].members) groupOf_[m] = g;
        }
        const std::vector<bool> isReadOutside = readOutsideOfGroups();
        std::vector<Step> steps;
        for (size_t i = 0; i < draft_.steps.size(); ++i) {
            if (groupOf_[i] == kNone) {
                steps.push_back(std::move(draft_.steps[i]));
            } else if (groups_[groupOf_[i]].members.back() == i) {
                StepFuser fuser(draft_.steps, groups_[groupOf_[i]].members, draft_.buffers,
                                isReadOutside);
                steps.push_back(fuser.fuse());
            }
        }
        draft_.steps = std::move(steps);
    }

    std::vector<bool> readOutsideOfGroups() const {
        std::vector<size_t> makers(draft_.buffers.size(), kNone);
        for (size_t i = 0; i < draft_.steps.size(); ++i) {
            for (const uint32_t buffer : draft_.steps[i].outputBuffers)
                makers[buffer] = groupOf_[i];
        }
        std::vector<bool> isRead(draft_.buffers.size(), false);
        for (size_t i = 0; i < draft_.steps.size(); ++i) {
            for (const uint32_t buffer : draft_.steps[i].inputBuffers) {
                if (groupOf_[i] == kNone || groupOf_[i] != makers[buffer]) isRead[buffer] = true;
            }
        }
        for (const auto& port : draft_.outputs) {
            for (const uint32_t buffer : port.buffers) isRead[buffer] = true;
        }
        return isRead;
    }

    PlanDraft& draft_;
    std::vector<size_t> lastReader_;  ///< by buffer; the number of steps where the caller reads it
    std::vector<size_t> otherSteps_;  ///< up to each step, those that are not elementwise
    std::vector<Group> groups_;
    std::vector<size_t> groupOf_;  ///< by step
};

}  // namespace

void fuseElementwise(PlanDraft& draft) { ElementwiseFusion(draft).run(); }

}  // namespace temper
