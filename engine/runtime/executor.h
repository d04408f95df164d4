// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/core/thread_pool.h"
#include "engine/core/value_data.h"
#include "engine/runtime/device.h"
#include "engine/runtime/execution_plan.h"

namespace temper {

class Profile;

/// Receives the name of an input that a run has changed for the last time.
using WrittenCallback = std::function<void(const std::string& input)>;

/// Memory of a device for intermediate values that several executors use in turn: it grows to the
/// size of the largest plan and stays.
class Arena {
public:
    /// Null: the host's memory; its users compute there.
    explicit Arena(std::shared_ptr<Device> device = nullptr);
    const std::shared_ptr<Device>& device() const { return device_; }

    /// Replaces the memory if it has fewer than `bytes`.
    void reserve(size_t bytes);
    std::byte* data() const { return memory_.get(); }
    const std::shared_ptr<std::byte>& memory() const { return memory_; }
    size_t bytes() const { return bytes_; }

private:
    std::shared_ptr<Device> device_;
    std::shared_ptr<std::byte> memory_;
    size_t bytes_ = 0;
};

/// Runs a plan on the arena's device, on its own memory or others'. A run allocates nothing once
/// addresses are set. Thread: one at a time; executors that share an arena take turns.
class Executor {
public:
    /// Throws: Error(Unsupported) naming the node, if one makes strings and the memory is not the
    /// host's.
    Executor(std::shared_ptr<const ExecutionPlan> plan, std::shared_ptr<Arena> arena,
             ThreadPool& pool);
    Executor(Executor&&) = default;
    ~Executor();

    const ExecutionPlan& plan() const { return *plan_; }

    /// Sets the memory of a tensor input, or of element `element` of a sequence. Data in the
    /// device's memory is used in place (and written to, by operators that update their inputs);
    /// the caller keeps it alive. Data elsewhere is copied. The type has to be the plan's.
    void bind(size_t input, const Tensor& tensor, size_t element = 0);

    /// Computes all outputs; a device may still be computing when it returns. `seed` is that of
    /// random operators in this run.
    /// Throws: Error naming the node, for data that an operator refuses (labels out of range); for
    /// a device, when something waits for it.
    void run(uint64_t seed = 0);

    /// In the order of the graph's outputs, in the device's memory; for a sequence or an optional
    /// without content an empty tensor. Valid until the arena is used again.
    std::span<const Tensor> outputs() const { return outputs_; }
    /// The same with sequences.
    std::vector<ValueData> outputData() const;

    /// Runs step by step; returns the first node (Node::describe()) that makes a NaN or infinity
    /// from its inputs, or "input '<name>'" if one was fed; empty if all numbers are finite.
    std::string findNonFinite(uint64_t seed = 0);

    /// Records each kernel call in it until it is set to null.
    void setProfile(Profile* profile);
    /// Calls it in each run when an input that the plan changes has got its final value; empty:
    /// no longer. It is called between two steps, by the thread that runs them, and in the order of
    /// ExecutionPlan::changedInputs().
    void onWritten(WrittenCallback callback) { written_ = std::move(callback); }

private:
    /// Waits until nothing reads the addresses.
    void wait();
    std::byte* inMemory(uint32_t buffer, const Tensor& tensor);
    void setAddress(uint32_t buffer, std::byte* address);
    void updateAddresses();
    void updateParts();
    void updateOutputs();
    void copyConstants();
    void runSteps(uint64_t seed);
    void runStep(const ExecutionPlan::Step& step, uint64_t seed);
    void runReporting(uint64_t seed);
    void runProfiled(uint64_t seed);
    void listProfiledSteps();
    void report(size_t step, size_t& next) const;
    Tensor view(const ExecutionPlan::Port& port, size_t element = 0) const;
    Tensor content(uint32_t buffer) const;
    bool isFinite(uint32_t buffer) const;

    std::shared_ptr<const ExecutionPlan> plan_;
    std::shared_ptr<Arena> arena_;
    std::shared_ptr<DeviceMemory> memory_;  ///< null: the host's
    ThreadPool& pool_;
    std::vector<std::byte*> addresses_;   ///< of buffers, in the memory
    std::vector<void*> kernelAddresses_;  ///< the same, as kernels see them
    std::map<uint32_t, Tensor> copies_;   ///< of inputs and constants that are elsewhere, by buffer
    std::byte* arenaAddress_ = nullptr;
    bool isRunning_ = false;
    std::vector<Tensor> outputs_;
    WrittenCallback written_;
    Profile* profile_ = nullptr;
    /// For each step of the plan while there is a profile: its number there, and its traffic.
    std::vector<std::pair<size_t, int64_t>> profiledSteps_;
};

}  // namespace temper
