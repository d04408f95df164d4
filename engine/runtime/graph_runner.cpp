// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/graph_runner.h"

#include <algorithm>

namespace temper {
namespace {

/// Plans of that many shapes are kept.
constexpr size_t kPlansKept = 8;

std::vector<TensorType> typesOf(const std::vector<Tensor>& tensors) {
    std::vector<TensorType> types;
    for (const Tensor& tensor : tensors) types.push_back({tensor.dtype(), tensor.shape()});
    return types;
}

}  // namespace

GraphRunner::GraphRunner(std::shared_ptr<const Graph> graph, const OpCatalog& catalog,
                         const KernelRegistry& kernels, std::shared_ptr<Arena> arena,
                         ThreadPool& pool, PlanOptions options)
    : graph_(std::move(graph)),
      catalog_(catalog),
      kernels_(kernels),
      arena_(std::move(arena)),
      pool_(pool),
      options_(std::move(options)) {
    for (size_t i = 0; i < graph_->inputs().size(); ++i) {
        fedInputs_.push_back(graph_->inputs()[i]->name());
        fedPositions_.push_back(i);
    }
}

void GraphRunner::bindFixed(const std::string& input, std::vector<Tensor> tensors) {
    TEMPER_ASSERT(executors_.empty(), "fixed inputs are bound before the first run");
    const auto found = std::find(fedInputs_.begin(), fedInputs_.end(), input);
    TEMPER_ASSERT(found != fedInputs_.end(), "the graph has this input");
    fedPositions_.erase(fedPositions_.begin() + (found - fedInputs_.begin()));
    fedInputs_.erase(found);
    fixed_[input] = std::move(tensors);
}

std::span<const Tensor> GraphRunner::run(std::span<const Tensor> feeds, uint64_t seed) {
    Executor& executor = executorFor(feeds);
    executor.run(seed);
    return executor.outputs();
}

std::string GraphRunner::findNonFinite(std::span<const Tensor> feeds, uint64_t seed) {
    return executorFor(feeds).findNonFinite(seed);
}

void GraphRunner::setProfile(Profile* profile) {
    profile_ = profile;
    for (Executor& executor : executors_) executor.setProfile(profile);
}

Executor& GraphRunner::executorFor(std::span<const Tensor> feeds) {
    if (feeds.size() != fedInputs_.size()) {
        throw Error(ErrorCode::InvalidInput,
                    "The graph takes " + std::to_string(fedInputs_.size()) + " inputs; found " +
                        std::to_string(feeds.size()) + ".");
    }
    const auto found = std::find_if(executors_.begin(), executors_.end(),
                                    [&](const Executor& e) { return fits(e, feeds); });
    if (found != executors_.end()) {
        executors_.splice(executors_.begin(), executors_, found);
    } else {
        compile(feeds);
    }
    bindFeeds(executors_.front(), feeds);
    return executors_.front();
}

bool GraphRunner::fits(const Executor& executor, std::span<const Tensor> feeds) const {
    for (size_t i = 0; i < feeds.size(); ++i) {
        const auto& port = executor.plan().inputs()[fedPositions_[i]];
        if (port.buffers.empty() != feeds[i].empty()) return false;
        if (feeds[i].empty()) continue;
        const TensorType& type = executor.plan().buffers()[port.buffers.front()].type;
        if (type.dtype != feeds[i].dtype() || type.shape != feeds[i].shape()) return false;
    }
    return true;
}

Executor& GraphRunner::compile(std::span<const Tensor> feeds) {
    InputTypes types;
    for (const auto& [name, tensors] : fixed_) types[name] = typesOf(tensors);
    for (size_t i = 0; i < feeds.size(); ++i) {
        if (!feeds[i].empty()) types[fedInputs_[i]] = {{feeds[i].dtype(), feeds[i].shape()}};
    }
    auto plan = ExecutionPlan::compile(*graph_, types, catalog_, kernels_, options_);
    arenaBytes_ = std::max(arenaBytes_, plan->arenaBytes());
    Executor& executor = executors_.emplace_front(std::move(plan), arena_, pool_);
    executor.setProfile(profile_);
    for (size_t i = 0; i < graph_->inputs().size(); ++i) {
        const auto found = fixed_.find(graph_->inputs()[i]->name());
        if (found == fixed_.end()) continue;
        for (size_t element = 0; element < found->second.size(); ++element) {
            executor.bind(i, found->second[element], element);
        }
    }
    if (executors_.size() > kPlansKept) executors_.pop_back();
    return executor;
}

void GraphRunner::bindFeeds(Executor& executor, std::span<const Tensor> feeds) {
    for (size_t i = 0; i < feeds.size(); ++i) {
        if (!feeds[i].empty()) executor.bind(fedPositions_[i], feeds[i]);
    }
}

}  // namespace temper
