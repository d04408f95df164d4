// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/runtime/buffer_uses.h"
#include "engine/runtime/elementwise_kernel.h"
#include "engine/runtime/plan_pass.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;
using BufferKind = ExecutionPlan::BufferKind;

/// Smaller arrays stay in the cache and cost little memory.
constexpr size_t kFewestBytes = size_t{1} << 18;
/// An array so much smaller than another is no burden where it lives longer.
constexpr size_t kMuchSmaller = 16;
/// Kernels with a smaller grain compute slower than memory is read.
constexpr int64_t kFastGrain = 16384;
constexpr int kMostStepsBefore = 4;

/// The same kernel again, for another step of the plan that owns it; null for those that compute
/// too much for that.
std::unique_ptr<Kernel> again(const Kernel& kernel) {
    const auto& mayShare = kernel.traits().mayShare;
    const auto run = [block = dynamic_cast<const BlockKernel*>(&kernel)](
                         const void* const* inputs, void* output, int64_t count) {
        block->runBlock(inputs, output, count);
    };
    if (const auto* elementwise = dynamic_cast<const ElementwiseKernel*>(&kernel)) {
        if (elementwise->form().grain < kFastGrain) return nullptr;
        return makeElementwise(elementwise->form(), run, mayShare);
    }
    if (const auto* row = dynamic_cast<const RowKernel*>(&kernel)) {
        if (row->form().grain < kFastGrain || row->form().isWhole) return nullptr;
        return makeRowKernel(row->form(), run, mayShare);
    }
    return nullptr;
}

bool isFusable(const Step& step) {
    return dynamic_cast<const BlockKernel*>(step.kernel.get()) != nullptr ||
           dynamic_cast<const ColumnFoldKernel*>(step.kernel.get()) != nullptr;
}

/// Finds the values, then makes them again: each right before the first step that reads it there.
class ValueRemaking {
public:
    explicit ValueRemaking(PlanDraft& draft)
        : draft_(draft), uses_(draft), readers_(draft.buffers.size()) {
        for (size_t i = 0; i < draft.steps.size(); ++i) {
            const Step& step = draft.steps[i];
            const bool isOther = !isFusable(step) && !isAccumulator(step, uses_);
            otherSteps_.push_back((i == 0 ? 0 : otherSteps_.back()) + (isOther ? 1 : 0));
            if (step.phase == kBackwardPhase) addReader(step, i);
        }
        for (const auto& port : draft.outputs) {
            for (const uint32_t buffer : port.buffers) uses_.isChanged[buffer] = true;
        }
    }

    void run() {
        for (const Step& step : draft_.steps) {
            const uint32_t value = step.outputBuffers[0];
            if (step.phase == kBackwardPhase || !isWanted(value)) continue;
            Plan plan;
            if (addTo(plan, value, readers_[value].first, kMostStepsBefore)) accept(plan);
        }
        if (!positions_.empty()) insertSteps();
    }

private:
    /// Of the steps of the backward pass.
    struct Readers {
        size_t first = std::numeric_limits<size_t>::max();
        size_t last = 0;
        bool areFusable = true;

        bool isAny() const { return first <= last; }
    };
    /// By value: the step before which it is made again.
    using Plan = std::map<uint32_t, size_t>;

    void addReader(const Step& step, size_t index) {
        for (const uint32_t buffer : step.inputBuffers) {
            Readers& readers = readers_[buffer];
            readers.first = std::min(readers.first, index);
            readers.last = index;
            readers.areFusable = readers.areFusable && isFusable(step);
        }
    }

    bool isArray(uint32_t buffer) const { return draft_.buffers[buffer].kind == BufferKind::Arena; }
    size_t bytesOf(uint32_t buffer) const { return draft_.buffers[buffer].type.byteSize(); }
    bool areNeighbours(size_t a, size_t b) const { return otherSteps_[a] == otherSteps_[b]; }

    /// A large array that one chain of the backward pass reads, and no other step there.
    bool isWanted(uint32_t value) const {
        const Readers& readers = readers_[value];
        return value != 0 && isArray(value) && bytesOf(value) >= kFewestBytes && readers.isAny() &&
               readers.areFusable && areNeighbours(readers.first, readers.last);
    }

    /// Adds what it takes to make the value again at `position`. Returns: whether that can be.
    bool addTo(Plan& plan, uint32_t value, size_t position, int stepsBefore) const {
        const Step& maker = draft_.steps[uses_.maker[value]];
        if (stepsBefore < 0 || maker.outputBuffers[0] != value || maker.phase == kBackwardPhase ||
            uses_.isChanged[value] || again(*maker.kernel) == nullptr) {
            return false;
        }
        for (const uint32_t input : maker.inputBuffers) {
            if (isThere(input, value, position)) continue;
            if (!addTo(plan, input, position, stepsBefore - 1)) return false;
        }
        const auto [known, isNew] = plan.emplace(value, position);
        if (!isNew) known->second = std::min(known->second, position);
        return true;
    }

    /// Whether the input of the value's maker is kept in memory until then anyway.
    bool isThere(uint32_t input, uint32_t value, size_t position) const {
        if (input == 0) return true;
        if (uses_.isChanged[input] || positions_.contains(input)) return false;
        if (!isArray(input) || bytesOf(input) * kMuchSmaller <= bytesOf(value)) return true;
        const Readers& readers = readers_[input];
        return readers.isAny() &&
               (readers.last >= position || areNeighbours(readers.last, position));
    }

    void accept(const Plan& plan) {
        for (const auto& [value, position] : plan) {
            const auto [known, isNew] = positions_.emplace(value, position);
            if (!isNew) known->second = std::min(known->second, position);
        }
    }

    void insertSteps() {
        for (const auto& [value, position] : positions_) {
            replacement_[value] = static_cast<uint32_t>(draft_.buffers.size());
            draft_.buffers.push_back({BufferKind::Arena, draft_.buffers[value].type, 0, {}});
        }
        std::multimap<size_t, Step> added = remadeSteps();
        std::vector<Step> steps;
        for (size_t i = 0; i < draft_.steps.size(); ++i) {
            const auto [begin, end] = added.equal_range(i);
            for (auto at = begin; at != end; ++at) steps.push_back(std::move(at->second));
            if (draft_.steps[i].phase == kBackwardPhase) redirect(draft_.steps[i].inputBuffers);
            steps.push_back(std::move(draft_.steps[i]));
        }
        draft_.steps = std::move(steps);
    }

    /// By position; those of one position in the order of the steps that they repeat.
    std::multimap<size_t, Step> remadeSteps() const {
        std::multimap<size_t, Step> added;
        for (const Step& maker : draft_.steps) {
            const uint32_t value = maker.outputBuffers[0];
            const auto found = positions_.find(value);
            if (found != positions_.end() && &maker == &draft_.steps[uses_.maker[value]])
                added.emplace(found->second, remade(maker, value));
        }
        return added;
    }

    Step remade(const Step& maker, uint32_t value) const {
        Step step;
        step.kernel = again(*maker.kernel);
        step.node = maker.node;
        step.op = maker.op;
        step.phase = kBackwardPhase;
        step.inputBuffers = maker.inputBuffers;
        step.inputBegins = maker.inputBegins;
        step.outputBuffers.assign(maker.outputBuffers.size(), 0);
        step.outputBuffers[0] = replacement_.at(value);
        redirect(step.inputBuffers);
        return step;
    }

    void redirect(std::vector<uint32_t>& buffers) const {
        for (uint32_t& buffer : buffers) {
            const auto found = replacement_.find(buffer);
            if (found != replacement_.end()) buffer = found->second;
        }
    }

    PlanDraft& draft_;
    BufferUses uses_;  ///< outputs of the plan count as changed: they are kept
    std::vector<Readers> readers_;
    std::vector<size_t> otherSteps_;  ///< up to each step, neither fusable nor accumulators
    Plan positions_;
    std::map<uint32_t, uint32_t> replacement_;
};

}  // namespace

void remakeValues(PlanDraft& draft) { ValueRemaking(draft).run(); }

}  // namespace temper
