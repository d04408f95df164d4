// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/slice_worker.h"

#include <algorithm>
#include <utility>

#include "engine/runtime/profile.h"
#include "engine/training/session/module.h"

namespace temper {
namespace {

/// What train steps change besides gradients may be among these.
bool mayBeStatistic(const Parameter& parameter) {
    return !parameter.requiresGrad && !parameter.staysAsItIs();
}

/// Ends the work of a slice whose batch can't be finished.
struct Abandoned {};

}  // namespace

SliceWorker::SliceWorker(TrainingSession& session) : session_(session) { makeModule(); }

SliceWorker::~SliceWorker() { abandon(); }

/// Parameters are the session's; what train steps change besides gradients is the slice's own.
void SliceWorker::makeModule() {
    module_.reset();
    state_ = std::make_unique<CheckpointState>(session_.state());
    state_->optimizerState() = {};  // which would keep memory that the session gives up
    for (Parameter& parameter : state_->parameters()) {
        parameter.gradient = {};
        if (mayBeStatistic(parameter)) parameter.data = parameter.data.clone();
    }
    auto ops = std::make_shared<OpSet>(*session_.context().ops);
    synchronizeBatchNorms(ops->cpuKernels, *this);
    module_ = session_.makeTrainingModule(*state_, std::move(ops));
    module_->onWritten([this](const std::string& input) { written_.insert(input); });
}

bool SliceWorker::hasCurrentParameters() const {
    return std::ranges::all_of(state_->parameters(), [this](const Parameter& parameter) {
        return mayBeStatistic(parameter) ||
               parameter.data.address() ==
                   session_.state().parameter(parameter.name).data.address();
    });
}

void SliceWorker::beginStep() {
    if (!hasCurrentParameters()) makeModule();
    for (Parameter& parameter : state_->parameters()) {
        if (mayBeStatistic(parameter))
            parameter.data.assign(session_.state().parameter(parameter.name).data);
    }
    module_->setProfile(session_.profile());
    module_->lazyResetGrad();
    result_ = {};
}

/// Gradients of several batches are added up in the unit of the latest one.
void SliceWorker::rescale(int64_t samples) {
    if (result_.samples > 0 && result_.unit != samples) {
        const float factor = static_cast<float>(result_.unit) / static_cast<float>(samples);
        for (const std::string& name : module_->trainableParameters())
            module_->context().device->scale(state_->parameter(name).gradient, factor);
    }
    result_.unit = samples;
}

void SliceWorker::begin(std::vector<Tensor> inputs, int64_t samples, uint64_t trainStep) {
    rescale(samples);
    inputs_ = std::move(inputs);
    seed_ = session_.seedOfTrainStep(trainStep);
    isAbandoned_ = false;
    error_ = nullptr;
    thread_ = std::thread([this, samples] { compute(samples); });
    isEnded_ = false;
}

void SliceWorker::proceed() {
    turn_.release();
    done_.acquire();
    if (!isEnded_) return;
    thread_.join();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void SliceWorker::abandon() {
    if (!thread_.joinable()) return;
    isAbandoned_ = true;
    turn_.release();
    done_.acquire();
    thread_.join();
}

size_t SliceWorker::arenaBytes() const { return module_->arenaBytes(); }

// ---- in its thread

void SliceWorker::takeTurn() {
    turn_.acquire();
    if (isAbandoned_) throw Abandoned();
}

void SliceWorker::compute(int64_t samples) {
    try {
        takeTurn();
        latestLoss_ = module_->trainStep(inputs_, seed_)[0].toDouble();
        result_.loss += latestLoss_ * static_cast<double>(samples);
        result_.samples += samples;
    } catch (const Abandoned&) {  // somebody else knows why
    } catch (...) {
        error_ = std::current_exception();
    }
    isEnded_ = true;
    done_.release();
}

std::span<const SliceStatistics> SliceWorker::gather(const std::string& node,
                                                     const SliceStatistics& own) {
    if (isAbandoned_) throw Abandoned();
    const Profile::Clock::time_point begin = Profile::Clock::now();
    node_ = node;
    own_ = own;
    done_.release();
    takeTurn();
    if (Profile* profile = session_.profile()) profile->addWait(Profile::Clock::now() - begin);
    return gathered_;
}

}  // namespace temper
