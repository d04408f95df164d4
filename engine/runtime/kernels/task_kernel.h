// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "engine/runtime/kernel.h"

namespace temper {

/// A kernel whose work is independent tasks, each worth a thread, so that a plan can run those of
/// several kernels together. It needs no scratch memory.
class TaskKernel : public Kernel {
public:
    int64_t tasks() const { return tasks_; }
    /// On the calling thread.
    virtual void runTask(const RunContext& context, int64_t task) const = 0;

    void run(const RunContext& context) const final {
        context.pool().forEach(tasks_, [&](int64_t task) { runTask(context, task); });
    }
    KernelCapabilities capabilities() const final { return {.tasks = this}; }

protected:
    TaskKernel(int64_t tasks, KernelTraits traits) : tasks_(tasks) { traits_ = std::move(traits); }

private:
    int64_t tasks_;
};

/// A task kernel from a callable `f(context, task)`.
template <typename F>
std::unique_ptr<Kernel> makeTaskKernel(int64_t tasks, F f, KernelTraits traits) {
    class FunctionKernel final : public TaskKernel {
    public:
        FunctionKernel(int64_t tasks, F function, KernelTraits traits)
            : TaskKernel(tasks, std::move(traits)), function_(std::move(function)) {}
        void runTask(const RunContext& context, int64_t task) const override {
            function_(context, task);
        }

    private:
        F function_;
    };
    return std::make_unique<FunctionKernel>(tasks, std::move(f), std::move(traits));
}

}  // namespace temper
