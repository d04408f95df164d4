// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "engine/runtime/kernels/task_kernel.h"
#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"

namespace temper {
namespace {

using Step = ExecutionPlan::Step;
using BufferKind = ExecutionPlan::BufferKind;

/// Smaller products stay on one thread.
constexpr int64_t kMinFlops = 1 << 20;
/// More tasks occupy all cores as they are.
constexpr int64_t kMaxTasks = 64;
/// A result that is made many steps early takes memory for nothing.
constexpr size_t kMaxDistance = 16;

/// The tasks of several kernels. The inputs and outputs of each come after those of the one before.
class JoinedKernel final : public Kernel {
public:
    struct Member {
        std::unique_ptr<Kernel> kernel;
        const TaskKernel* work = nullptr;  ///< the kernel's
        std::vector<uint32_t> inputBegins;
        size_t firstOutput = 0;
        int64_t firstTask = 0;
    };

    JoinedKernel(std::vector<Member> members, KernelTraits traits) : members_(std::move(members)) {
        traits_ = std::move(traits);
    }

    void run(const RunContext& context) const override {
        const Member& last = members_.back();
        context.pool().forEach(last.firstTask + last.work->tasks(), [&](int64_t task) {
            const Member& member =
                *std::prev(std::ranges::upper_bound(members_, task, {}, &Member::firstTask));
            member.work->runTask(
                context.inner(member.inputBegins.data(), member.firstOutput, nullptr),
                task - member.firstTask);
        });
    }

private:
    std::vector<Member> members_;
};

class ProductJoining {
public:
    ProductJoining(PlanDraft& draft, const PlanFacts& facts) : draft_(draft), facts_(facts) {}

    void run() {
        for (size_t i = 0; i < draft_.steps.size(); ++i) {
            const std::vector<size_t> found = joinable(i);
            if (!found.empty()) join(draft_.steps[i], found);
        }
        std::erase_if(draft_.steps, [](const Step& step) { return step.kernel == nullptr; });
    }

private:
    /// Null if it has none that is worth joining.
    static const TaskKernel* workOf(const Step& step) {
        const TaskKernel* work = capabilitiesOf(step).tasks;
        return work == nullptr || work->traits().flops < kMinFlops ? nullptr : work;
    }

    /// The products after step `i` that may run together with it.
    std::vector<size_t> joinable(size_t i) const {
        std::vector<size_t> found;
        if (workOf(draft_.steps[i]) == nullptr) return found;
        int64_t tasks = workOf(draft_.steps[i])->tasks();
        const size_t end = std::min(draft_.steps.size(), i + kMaxDistance + 1);
        for (size_t j = i + 1; j < end; ++j) {
            const TaskKernel* work = workOf(draft_.steps[j]);
            if (work == nullptr || tasks + work->tasks() > kMaxTasks || !mayRunAt(i, j)) continue;
            tasks += work->tasks();
            found.push_back(j);
        }
        return found;
    }

    /// Whether step `j` shares a factor with step `i`, and could run in its place.
    bool mayRunAt(size_t i, size_t j) const {
        const Step &first = draft_.steps[i], &step = draft_.steps[j];
        return first.phase == step.phase &&
               std::ranges::any_of(step.inputBuffers,
                                   [&](uint32_t buffer) {
                                       return buffer != 0 &&
                                              std::ranges::count(first.inputBuffers, buffer) > 0;
                                   }) &&
               std::ranges::all_of(step.inputBuffers, [&](uint32_t buffer) {
                   if (buffer == 0) return true;
                   return !facts_.isChanged[buffer] &&
                          (facts_.makers[buffer] == 0 || facts_.maker[buffer] < i);
               });
    }

    void join(Step& first, const std::vector<size_t>& others) {
        std::vector<JoinedKernel::Member> members;
        KernelTraits traits;
        add(members, traits, first, first.inputBegins, 0, 0);
        for (const size_t other : others) {
            Step& step = draft_.steps[other];
            const size_t inputs = first.inputBegins.size() - 1;
            const size_t outputs = first.outputBuffers.size();
            std::vector<uint32_t> begins = appendOperands(first, step);
            for (const uint32_t buffer : step.outputBuffers)
                facts_.maker[buffer] = static_cast<size_t>(&first - draft_.steps.data());
            add(members, traits, step, std::move(begins), inputs, outputs);
        }
        first.kernel = std::make_unique<JoinedKernel>(std::move(members), std::move(traits));
    }

    /// Takes the kernel of the step, whose operands begin there in the joined one.
    static void add(std::vector<JoinedKernel::Member>& members, KernelTraits& traits, Step& step,
                    std::vector<uint32_t> begins, size_t firstInput, size_t firstOutput) {
        const KernelTraits& own = step.kernel->traits();
        traits.flops += own.flops;
        for (const auto& [input, output] : own.mayShare)
            traits.mayShare.emplace_back(firstInput + input, firstOutput + output);
        const TaskKernel* work = workOf(step);
        const int64_t firstTask =
            members.empty() ? 0 : members.back().firstTask + members.back().work->tasks();
        members.push_back(
            {std::move(step.kernel), work, std::move(begins), firstOutput, firstTask});
    }

    PlanDraft& draft_;
    PlanFacts facts_;  ///< makers are kept up to date
};

}  // namespace

void joinProducts(PlanDraft& draft, const PlanFacts& facts) { ProductJoining(draft, facts).run(); }

}  // namespace temper
