// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/runtime/kernels/elementwise_kernel.h"
#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;
using BufferKind = ExecutionPlan::BufferKind;

/// Smaller arrays stay in the cache and cost little memory.
constexpr size_t kMinBytes = size_t{1} << 18;
/// An array that is smaller by this factor is no burden if it lives longer.
constexpr size_t kMuchSmaller = 16;
/// Kernels with a smaller grain compute slower than memory is read.
constexpr int64_t kFastGrain = 16384;
constexpr int kMaxStepsBefore = 4;

/// The same kernel again, for another step of the plan that owns it; null for those that compute
/// too much.
std::unique_ptr<Kernel> again(const Kernel& kernel) {
    const auto& mayShare = kernel.traits().mayShare;
    const KernelCapabilities can = kernel.capabilities();
    const auto run = [blocks = can.blocks](const void* const* inputs, void* output, int64_t count) {
        blocks->runBlock(inputs, output, count);
    };
    if (can.elementwise != nullptr) {
        const ElementwiseKernel::Form& form = can.elementwise->form();
        return form.grain < kFastGrain ? nullptr : makeElementwise(form, run, mayShare);
    }
    if (can.rows != nullptr) {
        const RowForm& form = can.rows->form();
        if (form.grain < kFastGrain || form.isWhole) return nullptr;
        return makeRowKernel(form, run, mayShare);
    }
    return nullptr;
}

bool isFusable(const Step& step) {
    const KernelCapabilities can = capabilitiesOf(step);
    return can.blocks != nullptr || can.fold != nullptr;
}

/// Finds the values, then recomputes each right before the first step that reads it there.
class ValueRemaking {
public:
    ValueRemaking(PlanDraft& draft, const PlanFacts& facts)
        : draft_(draft), facts_(facts), readers_(draft.buffers.size()) {
        for (size_t i = 0; i < draft.steps.size(); ++i) {
            const Step& step = draft.steps[i];
            const bool isOther = !isFusable(step) && !isAccumulator(step, facts_);
            otherSteps_.push_back((i == 0 ? 0 : otherSteps_.back()) + (isOther ? 1 : 0));
        }
        for (uint32_t buffer = 1; buffer < readers_.size(); ++buffer) {
            for (const size_t reader : facts_.readersOf(buffer))
                addReader(readers_[buffer], reader);
        }
        for (const auto& port : draft.outputs) {
            for (const uint32_t buffer : port.buffers) facts_.isChanged[buffer] = true;
        }
    }

    void run() {
        for (const Step& step : draft_.steps) {
            const uint32_t value = step.outputBuffers[0];
            if (step.phase == kBackwardPhase || !isWanted(value)) continue;
            Plan plan;
            if (addTo(plan, value, readers_[value].first, kMaxStepsBefore)) accept(plan);
        }
        if (!positions_.empty()) insertSteps();
    }

private:
    /// The readers among the steps of the backward pass.
    struct Readers {
        size_t first = std::numeric_limits<size_t>::max();
        size_t last = 0;
        bool areFusable = true;

        bool isAny() const { return first <= last; }
    };
    /// By value: the step before which it is recomputed.
    using Plan = std::map<uint32_t, size_t>;

    void addReader(Readers& readers, size_t index) const {
        const Step& step = draft_.steps[index];
        if (step.phase != kBackwardPhase) return;
        readers.first = std::min(readers.first, index);
        readers.last = index;
        readers.areFusable = readers.areFusable && isFusable(step);
    }

    bool isArray(uint32_t buffer) const { return draft_.buffers[buffer].kind == BufferKind::Arena; }
    size_t bytesOf(uint32_t buffer) const { return draft_.buffers[buffer].type.byteSize(); }
    bool areNeighbours(size_t a, size_t b) const { return otherSteps_[a] == otherSteps_[b]; }

    /// A large array that only one chain of the backward pass reads, and no other step there.
    bool isWanted(uint32_t value) const {
        const Readers& readers = readers_[value];
        return value != 0 && isArray(value) && bytesOf(value) >= kMinBytes && readers.isAny() &&
               readers.areFusable && areNeighbours(readers.first, readers.last);
    }

    /// Adds what is needed to recompute the value at `position`. Returns: whether that is possible.
    bool addTo(Plan& plan, uint32_t value, size_t position, int stepsBefore) const {
        const Step& maker = draft_.steps[facts_.maker[value]];
        if (stepsBefore < 0 || maker.outputBuffers[0] != value || maker.phase == kBackwardPhase ||
            facts_.isChanged[value] || again(*maker.kernel) == nullptr) {
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
        if (facts_.isChanged[input] || positions_.contains(input)) return false;
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
            if (found != positions_.end() && &maker == &draft_.steps[facts_.maker[value]])
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
    PlanFacts facts_;  ///< outputs of the plan count as changed: they are kept
    std::vector<Readers> readers_;
    std::vector<size_t> otherSteps_;  ///< up to each step, neither fusable nor accumulators
    Plan positions_;
    std::map<uint32_t, uint32_t> replacement_;
};

}  // namespace

void remakeValues(PlanDraft& draft, const PlanFacts& facts) { ValueRemaking(draft, facts).run(); }

}  // namespace temper
