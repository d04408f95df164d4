// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/passes/step_fuser.h"

#include <algorithm>
#include <utility>

#include "engine/core/joined.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;
using BufferKind = ExecutionPlan::BufferKind;

class StepFuser {
public:
    StepFuser(std::vector<Step>& steps, const std::vector<FusionMember>& members,
              const RowShape& shape, std::vector<ExecutionPlan::Buffer>& buffers,
              const std::vector<bool>& isReadOutside)
        : steps_(steps),
          given_(members),
          shape_(shape),
          buffers_(buffers),
          isReadOutside_(isReadOutside) {}

    Step fuse() {
        for (size_t m = 0; m < given_.size(); ++m) addMember(m);
        Step fused = head();
        KernelTraits traits = fusedTraits();
        for (size_t m = 0; m < given_.size(); ++m)
            members_[m].kernel = std::move(steps_[given_[m].step].kernel);
        fused.kernel = makeFusedKernel(shape_, std::move(members_), std::move(traits));
        return fused;
    }

private:
    const Step& step(size_t member) const { return steps_[given_[member].step]; }
    const std::vector<RowOperand>& operandsOf(size_t member) const {
        return given_[member].form.operands;
    }

    void addMember(size_t m) {
        FusedMember member;
        member.form = given_[m].form;
        for (size_t i = 0; i < operandsOf(m).size(); ++i)
            member.operands.push_back(placeOf(operandBuffer(step(m), i)));
        member.output = addOutput(m);
        freeBlocks(m);
        members_.push_back(std::move(member));
    }

    /// Its output is complete only when all rows have been read.
    bool isFold(size_t m) const { return given_[m].form.outputWidth == 0; }

    FusedPlace placeOf(uint32_t buffer) {
        for (const auto& [made, place] : made_) {
            if (made == buffer) return place;
        }
        const auto index =
            static_cast<size_t>(std::ranges::find(inputs_, buffer) - inputs_.begin());
        if (index == inputs_.size()) inputs_.push_back(buffer);
        return {FusedPlace::Kind::Input, index};
    }

    FusedPlace addOutput(size_t m) {
        const uint32_t buffer = step(m).outputBuffers[0];
        FusedPlace place;
        if (isReadOutside_[buffer] || isFold(m)) {
            place = {FusedPlace::Kind::Output, outputs_.size()};
            outputs_.push_back(buffer);
            writers_.push_back(m);
        } else {
            place = {FusedPlace::Kind::Block, blockFor(m)};
            buffers_[buffer].kind = BufferKind::Null;
        }
        made_.emplace_back(buffer, place);
        return place;
    }

    /// A block that an operand releases, if the member may overwrite it, else another.
    size_t blockFor(size_t m) {
        for (size_t i = 0; i < operandsOf(m).size(); ++i) {
            const uint32_t buffer = operandBuffer(step(m), i);
            const FusedPlace place = placeOf(buffer);
            if (place.kind == FusedPlace::Kind::Block && lastReader(buffer) == m &&
                mayShare(buffer, m) && sharesItself(m, i)) {
                return place.index;
            }
        }
        return takeBlock();
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
            if (place.kind == FusedPlace::Kind::Block && lastReader(buffer) <= m &&
                lastBlockUser(place.index) == buffer) {
                isTaken_[place.index] = false;
            }
        }
    }

    /// The last value that was assigned to this block.
    uint32_t lastBlockUser(size_t block) const {
        uint32_t user = 0;
        for (const auto& [buffer, place] : made_) {
            if (place.kind == FusedPlace::Kind::Block && place.index == block) user = buffer;
        }
        return user;
    }

    size_t lastReader(uint32_t buffer) const {
        size_t last = 0;
        for (size_t m = 0; m < given_.size(); ++m) {
            if (reads(m, buffer)) last = m;
        }
        return last;
    }

    bool reads(size_t m, uint32_t buffer) const {
        for (size_t i = 0; i < operandsOf(m).size(); ++i) {
            if (operandBuffer(step(m), i) == buffer) return true;
        }
        return false;
    }

    /// The fused step without its kernel.
    Step head() const {
        Step fused;
        const Step& last = step(given_.size() - 1);
        fused.node = last.node;
        fused.phase = last.phase;
        fused.op = joinedBy("+", given_, [&](const auto& member) {
            const std::string& op = steps_[member.step].op;
            return op.substr(op.rfind('.') + 1);
        });
        fused.inputBuffers = inputs_;
        fused.inputBuffers.resize(std::max(inputs_.size(), kMinPositions), 0);
        for (uint32_t i = 0; i <= fused.inputBuffers.size(); ++i) fused.inputBegins.push_back(i);
        fused.outputBuffers = outputs_;
        fused.outputBuffers.resize(std::max(outputs_.size(), kMinPositions), 0);
        return fused;
    }

    KernelTraits fusedTraits() const {
        KernelTraits traits;
        for (size_t m = 0; m < given_.size(); ++m) traits.flops += step(m).kernel->traits().flops;
        for (size_t input = 0; input < inputs_.size(); ++input) {
            for (size_t output = 0; output < outputs_.size(); ++output) {
                if (mayShare(inputs_[input], writers_[output]))
                    traits.mayShare.emplace_back(input, output);
            }
        }
        return traits;
    }

    /// Whether member `writer` may overwrite the array: it and the members before it are its only
    /// readers, and it allows that itself.
    bool mayShare(uint32_t buffer, size_t writer) const {
        for (size_t m = writer + 1; m < given_.size(); ++m) {
            if (reads(m, buffer)) return false;
        }
        for (size_t m = 0; m <= writer; ++m) {
            for (size_t i = 0; i < operandsOf(m).size(); ++i) {
                if (operandBuffer(step(m), i) != buffer) continue;
                if (!isLikeOutput(operandsOf(m)[i], writer)) return false;
                if (m == writer && !sharesItself(m, i)) return false;
            }
        }
        return true;
    }

    /// Whether each row of the operand is where the same row of the writer's output would be.
    bool isLikeOutput(const RowOperand& operand, size_t writer) const {
        const RowForm& form = given_[writer].form;
        return operand.isAligned(shape_.rows) && operand.width == form.outputWidth &&
               operand.elementBytes == form.outputBytes;
    }

    bool sharesItself(size_t m, size_t operand) const {
        const auto& pairs = step(m).kernel->traits().mayShare;
        return std::ranges::any_of(pairs, [&](const auto& pair) { return pair.first == operand; });
    }

    std::vector<Step>& steps_;
    const std::vector<FusionMember>& given_;
    const RowShape& shape_;
    std::vector<ExecutionPlan::Buffer>& buffers_;
    const std::vector<bool>& isReadOutside_;
    std::vector<FusedMember> members_;
    std::vector<std::pair<uint32_t, FusedPlace>> made_;
    std::vector<uint32_t> inputs_;
    std::vector<uint32_t> outputs_;
    std::vector<size_t> writers_;  ///< members that write the outputs
    std::vector<bool> isTaken_;    ///< blocks
};

}  // namespace

ExecutionPlan::Step fuseSteps(std::vector<Step>& steps, const std::vector<FusionMember>& members,
                              const RowShape& shape, std::vector<ExecutionPlan::Buffer>& buffers,
                              const std::vector<bool>& isReadOutside) {
    return StepFuser(steps, members, shape, buffers, isReadOutside).fuse();
}

}  // namespace temper
