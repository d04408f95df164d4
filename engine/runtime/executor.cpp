// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/executor.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/lost_pages.h"
#include "engine/core/random.h"
#include "engine/runtime/profile.h"
#include "engine/runtime/step_traffic.h"

namespace temper {

using BufferKind = ExecutionPlan::BufferKind;

void Arena::reserve(size_t bytes) {
    if (bytes <= bytes_) return;
    memory_ = allocateAligned(bytes);
    bytes_ = bytes;
}

Executor::Executor(std::shared_ptr<const ExecutionPlan> plan, std::shared_ptr<Arena> arena,
                   ThreadPool& pool)
    : plan_(std::move(plan)),
      arena_(std::move(arena)),
      pool_(pool),
      addresses_(plan_->buffers().size(), nullptr),
      outputs_(plan_->outputs().size()) {
    for (size_t i = 0; i < addresses_.size(); ++i) {
        Tensor constant = plan_->buffers()[i].constant;
        if (plan_->buffers()[i].kind == BufferKind::Constant)
            addresses_[i] = constant.mutableData();
    }
}

void Executor::bind(size_t input, const Tensor& tensor, size_t element) {
    const auto& port = plan_->inputs().at(input);
    if (port.buffers.empty()) return;  // nothing reads it
    const uint32_t buffer = port.buffers.at(element);
    const TensorType& type = plan_->buffers()[buffer].type;
    TEMPER_ASSERT(type.dtype == tensor.dtype() && type.shape == tensor.shape(),
                  "an input has the type its plan was compiled for");
    // The caller hands out the memory itself; a copy of the Tensor would allocate its shape.
    addresses_[buffer] = const_cast<std::byte*>(tensor.data());
}

void Executor::updateAddresses() {
    arena_->reserve(plan_->arenaBytes());
    if (arenaAddress_ == arena_->data()) return;
    arenaAddress_ = arena_->data();
    for (size_t i = 0; i < addresses_.size(); ++i) {
        const auto& buffer = plan_->buffers()[i];
        if (buffer.kind == BufferKind::Arena) addresses_[i] = arenaAddress_ + buffer.offset;
    }
}

Tensor Executor::view(const ExecutionPlan::Port& port) const {
    const uint32_t buffer = port.buffers.front();
    const auto& found = plan_->buffers()[buffer];
    const TensorType& type = port.types.front();
    if (found.kind == BufferKind::Constant) return found.constant.reshaped(type.shape);
    std::shared_ptr<const void> owner;
    if (found.kind == BufferKind::Arena) owner = arena_->memory();
    Tensor result = Tensor::wrap(type.dtype, type.shape, std::move(owner), addresses_[buffer]);
    // Texts are views of characters of an input, which may be gone before the output is.
    return type.dtype == DType::String ? result.clone() : result;
}

void Executor::updateOutputs() {
    for (size_t i = 0; i < outputs_.size(); ++i) {
        const auto& port = plan_->outputs()[i];
        if (port.isSequence) continue;
        const uint32_t buffer = port.buffers.front();
        if (outputs_[i].empty() || outputs_[i].data() != addresses_[buffer])
            outputs_[i] = view(port);
    }
}

void Executor::copyConstants() {
    for (const auto& [buffer, data] : plan_->initialCopies()) {
        if (data.byteSize() > 0) std::memcpy(addresses_[buffer], data.data(), data.byteSize());
    }
}

void Executor::runStep(const ExecutionPlan::Step& step, uint64_t seed) {
    try {
        step.kernel->run(RunContext(addresses_.data(), step.inputBuffers.data(),
                                    step.inputBegins.data(), step.outputBuffers.data(),
                                    static_cast<std::byte*>(addresses_[step.scratchBuffer]), pool_,
                                    Random::at(seed, step.randomStream)));
    } catch (Error& error) {
        if (error.context().empty()) error.addContext(step.node);
        throw;
    }
}

void Executor::run(uint64_t seed) {
    updateAddresses();
    copyConstants();
    if (profile_ == nullptr) {
        for (const auto& step : plan_->steps()) runStep(step, seed);
    } else {
        runProfiled(seed);
    }
    requireNoLostPages();  // inputs and weights may lie in mapped files
    updateOutputs();
}

void Executor::runProfiled(uint64_t seed) {
    Profile::Clock::time_point begin = Profile::Clock::now();
    for (size_t i = 0; i < plan_->steps().size(); ++i) {
        const ExecutionPlan::Step& step = plan_->steps()[i];
        runStep(step, seed);
        const Profile::Clock::time_point end = Profile::Clock::now();
        const auto& [number, traffic] = profiledSteps_[i];
        profile_->addCall({number, begin, end, step.kernel->traits().flops, traffic});
        begin = end;
    }
}

void Executor::setProfile(Profile* profile) {
    profile_ = profile;
    profiledSteps_.clear();
    if (profile == nullptr) return;
    for (const auto& step : plan_->steps()) {
        profiledSteps_.emplace_back(profile->addStep(step.phase, step.op, step.node),
                                    trafficOf(*plan_, step));
    }
}

bool Executor::isFinite(uint32_t buffer) const {
    const TensorType& type = plan_->buffers()[buffer].type;
    const auto allFinite = [&]<typename T>() {
        const T* begin = static_cast<const T*>(addresses_[buffer]);
        return begin == nullptr || std::all_of(begin, begin + type.numElements(),
                                               [](T number) { return std::isfinite(number); });
    };
    if (type.dtype == DType::Float32) return allFinite.operator()<float>();
    if (type.dtype == DType::Float64) return allFinite.operator()<double>();
    return true;
}

std::string Executor::findNonFinite(uint64_t seed) {
    updateAddresses();
    copyConstants();
    for (const auto& port : plan_->inputs()) {
        for (const uint32_t buffer : port.buffers) {
            if (!isFinite(buffer)) return "input '" + port.name + "'";
        }
    }
    for (const auto& step : plan_->steps()) {
        runStep(step, seed);
        for (const uint32_t buffer : step.outputBuffers) {
            if (buffer != 0 && !isFinite(buffer)) return step.node;
        }
    }
    return {};
}

}  // namespace temper
