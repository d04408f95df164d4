// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/executor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/core/lost_pages.h"
#include "engine/core/random.h"
#include "engine/runtime/profile.h"
#include "engine/runtime/step_traffic.h"

namespace temper {

using BufferKind = ExecutionPlan::BufferKind;

Arena::Arena(std::shared_ptr<Device> device) : device_(std::move(device)) {}

void Arena::reserve(size_t bytes) {
    if (bytes <= bytes_) return;
    const bool isOnHost = device_ == nullptr || device_->usesHostMemory();
    memory_ = isOnHost ? allocateAligned(bytes) : device_->memory()->allocate(bytes);
    bytes_ = bytes;
}

namespace {

/// Throws: Error(Unsupported) naming the node, if a step makes strings.
void requireNoStrings(const ExecutionPlan& plan) {
    const auto isString = [&plan](uint32_t buffer) {
        const auto& found = plan.buffers()[buffer];
        return found.kind == BufferKind::Arena && found.type.dtype == DType::String;
    };
    for (const ExecutionPlan::Step& step : plan.steps()) {
        if (std::ranges::none_of(step.outputBuffers, isString)) continue;
        throw Error(ErrorCode::Unsupported,
                    step.node + " produces strings, which can't be stored in device memory.",
                    kChooseHostMemory);
    }
}

}  // namespace

Executor::Executor(std::shared_ptr<const ExecutionPlan> plan, std::shared_ptr<Arena> arena,
                   ThreadPool& pool)
    : plan_(std::move(plan)),
      arena_(std::move(arena)),
      memory_(arena_->device() == nullptr ? nullptr : arena_->device()->memory()),
      pool_(pool),
      addresses_(plan_->buffers().size(), nullptr),
      kernelAddresses_(plan_->buffers().size(), nullptr),
      outputs_(plan_->outputs().size()) {
    if (memory_ != nullptr) requireNoStrings(*plan_);
    for (uint32_t i = 0; i < addresses_.size(); ++i) {
        const auto& buffer = plan_->buffers()[i];
        if (buffer.kind == BufferKind::Constant) setAddress(i, inMemory(i, buffer.constant));
    }
}

Executor::~Executor() {
    try {
        wait();
    } catch (...) {  // nobody wants the results
    }
}

void Executor::wait() {
    if (std::exchange(isRunning_, false)) arena_->device()->synchronize();
}

/// Strings that are fed stay in the host's memory.
std::byte* Executor::inMemory(uint32_t buffer, const Tensor& tensor) {
    if (tensor.memory() == memory_ || tensor.dtype() == DType::String) return tensor.address();
    Tensor& copy = copies_[buffer];
    if (copy.empty()) copy = Tensor(tensor.dtype(), tensor.shape(), memory_);
    copy.assign(tensor);
    return copy.address();
}

void Executor::setAddress(uint32_t buffer, std::byte* address) {
    addresses_[buffer] = address;
    const bool isOfDevice = memory_ != nullptr && address != nullptr &&
                            plan_->buffers()[buffer].type.dtype != DType::String;
    kernelAddresses_[buffer] = isOfDevice ? arena_->device()->kernelAddress(address) : address;
}

void Executor::bind(size_t input, const Tensor& tensor, size_t element) {
    const auto& port = plan_->inputs().at(input);
    if (port.buffers.empty()) return;  // nothing reads it
    const uint32_t buffer = port.buffers.at(element);
    const TensorType& type = plan_->buffers()[buffer].type;
    TEMPER_ASSERT(type.dtype == tensor.dtype() && type.shape == tensor.shape(),
                  "an input has the type its plan was compiled for");
    wait();
    setAddress(buffer, inMemory(buffer, tensor));
}

void Executor::updateAddresses() {
    arena_->reserve(plan_->arenaBytes());
    if (arenaAddress_ == arena_->data()) return;
    arenaAddress_ = arena_->data();
    for (uint32_t i = 0; i < addresses_.size(); ++i) {
        const auto& buffer = plan_->buffers()[i];
        if (buffer.kind == BufferKind::Arena) setAddress(i, arenaAddress_ + buffer.offset);
    }
}

void Executor::updateParts() {
    for (const uint32_t part : plan_->parts()) {
        const auto& buffer = plan_->buffers()[part];
        setAddress(part, addresses_[buffer.whole] + buffer.offset);
    }
}

Tensor Executor::view(const ExecutionPlan::Port& port, size_t element) const {
    const uint32_t buffer = port.buffers.at(element);
    const auto& found = plan_->buffers()[buffer];
    const TensorType& type = port.types.at(element);
    if (found.kind == BufferKind::Constant) return found.constant.reshaped(type.shape);
    std::shared_ptr<const void> owner;
    if (found.kind == BufferKind::Arena) owner = arena_->memory();
    Tensor result = Tensor::wrap(type.dtype, type.shape, std::move(owner), addresses_[buffer],
                                 type.dtype == DType::String ? nullptr : memory_);
    // Strings are views of characters of an input, which may be gone before the output is.
    return type.dtype == DType::String ? result.clone() : result;
}

void Executor::updateOutputs() {
    for (size_t i = 0; i < outputs_.size(); ++i) {
        const auto& port = plan_->outputs()[i];
        if (port.isSequence || port.isAbsent) continue;
        const uint32_t buffer = port.buffers.front();
        if (outputs_[i].empty() || outputs_[i].address() != addresses_[buffer])
            outputs_[i] = view(port);
    }
}

std::vector<ValueData> Executor::outputData() const {
    std::vector<ValueData> data;
    for (const ExecutionPlan::Port& port : plan_->outputs()) {
        ValueData& value = data.emplace_back();
        value.isSequence = port.isSequence && !port.isAbsent;
        for (size_t i = 0; i < port.types.size(); ++i) value.tensors.push_back(view(port, i));
    }
    return data;
}

void Executor::copyConstants() {
    for (const auto& [buffer, data] : plan_->initialCopies()) {
        if (data.byteSize() == 0) continue;
        if (memory_ == nullptr)
            std::memcpy(addresses_[buffer], data.data(), data.byteSize());
        else
            memory_->copyFromHost(addresses_[buffer], data.data(), data.byteSize());
    }
}

void Executor::runStep(const ExecutionPlan::Step& step, uint64_t seed) {
    try {
        step.kernel->run(RunContext(kernelAddresses_.data(), step.inputBuffers.data(),
                                    step.inputBegins.data(), step.outputBuffers.data(),
                                    static_cast<std::byte*>(kernelAddresses_[step.scratchBuffer]),
                                    pool_, Random::at(seed, step.randomStream)));
    } catch (Error& error) {
        if (error.context().empty()) error.addContext(step.node);
        throw;
    }
}

void Executor::run(uint64_t seed) {
    wait();
    updateAddresses();
    updateParts();
    copyConstants();
    if (memory_ == nullptr) {
        runSteps(seed);
    } else {
        isRunning_ = true;
        arena_->device()->submit([this, seed] { runSteps(seed); });
    }
    requireNoLostPages();  // inputs and weights may be in mapped files
    updateOutputs();
}

void Executor::runSteps(uint64_t seed) {
    if (profile_ != nullptr) return runProfiled(seed);
    if (written_) return runReporting(seed);
    for (const auto& step : plan_->steps()) runStep(step, seed);
}

/// `next`: the first of the changed inputs that was not reported.
void Executor::report(size_t step, size_t& next) const {
    const auto& changed = plan_->changedInputs();
    for (; next < changed.size() && changed[next].first == step; ++next)
        written_(changed[next].second);
}

void Executor::runReporting(uint64_t seed) {
    size_t next = 0;
    for (size_t i = 0; i < plan_->steps().size(); ++i) {
        runStep(plan_->steps()[i], seed);
        report(i, next);
    }
}

void Executor::runProfiled(uint64_t seed) {
    if (profiledSteps_.empty()) listProfiledSteps();
    size_t next = 0;
    Profile::Clock::time_point begin = Profile::Clock::now();
    for (size_t i = 0; i < plan_->steps().size(); ++i) {
        const ExecutionPlan::Step& step = plan_->steps()[i];
        runStep(step, seed);
        const Profile::Clock::time_point end = Profile::Clock::now();
        const auto& [number, traffic] = profiledSteps_[i];
        profile_->addCall({number, begin, end, step.kernel->traits().flops, traffic});
        if (written_) report(i, next);
        begin = end;
    }
}

void Executor::setProfile(Profile* profile) {
    profile_ = profile;
    profiledSteps_.clear();
}

/// Not before the first run: plans that do not run are not part of a profile.
void Executor::listProfiledSteps() {
    for (const auto& step : plan_->steps()) {
        profiledSteps_.emplace_back(profile_->addStep(step.phase, step.op, step.node),
                                    trafficOf(*plan_, step));
    }
}

/// In the host's memory.
Tensor Executor::content(uint32_t buffer) const {
    const TensorType& type = plan_->buffers()[buffer].type;
    return Tensor::wrap(type.dtype, type.shape, nullptr, addresses_[buffer], memory_).onHost();
}

bool Executor::isFinite(uint32_t buffer) const {
    const DType dtype = plan_->buffers()[buffer].type.dtype;
    if (addresses_[buffer] == nullptr || (dtype != DType::Float32 && dtype != DType::Float64))
        return true;
    const Tensor numbers = content(buffer);
    const auto allFinite = []<typename T>(std::span<const T> values) {
        return std::ranges::all_of(values, [](T number) { return std::isfinite(number); });
    };
    return dtype == DType::Float32 ? allFinite(numbers.values<float>())
                                   : allFinite(numbers.values<double>());
}

std::string Executor::findNonFinite(uint64_t seed) {
    wait();
    updateAddresses();
    updateParts();
    copyConstants();
    for (const auto& port : plan_->inputs()) {
        for (const uint32_t buffer : port.buffers) {
            if (!isFinite(buffer)) return "input '" + port.name + "'";
        }
    }
    for (const auto& step : plan_->steps()) {
        if (memory_ == nullptr) {
            runStep(step, seed);
        } else {
            arena_->device()->submit([this, &step, seed] { runStep(step, seed); });
            arena_->device()->synchronize();
        }
        for (const uint32_t buffer : step.outputBuffers) {
            if (buffer != 0 && !isFinite(buffer)) return step.node;
        }
    }
    return {};
}

}  // namespace temper
