// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/graph_runner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/core/counted.h"
#include "engine/runtime/constant_layouts.h"
#include "engine/runtime/known_data.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/plan_types.h"
#include "engine/runtime/specialization.h"

namespace temper {
namespace {

/// The number of shapes whose plans are kept.
constexpr size_t kPlansKept = 8;

std::vector<TensorType> typesOf(std::span<const Tensor> tensors) {
    std::vector<TensorType> types;
    for (const Tensor& tensor : tensors) types.push_back({tensor.dtype(), tensor.shape()});
    return types;
}

bool isOfType(const Tensor& tensor, const TensorType& type) {
    return tensor.dtype() == type.dtype && tensor.shape() == type.shape;
}

bool isSameTensor(const Tensor& a, const Tensor& b) {
    return a.dtype() == b.dtype() && a.shape() == b.shape() &&
           (a.byteSize() == 0 || std::memcmp(a.data(), b.data(), a.byteSize()) == 0);
}

bool isSame(const ValueData& a, const ValueData& b) {
    return a.isSequence == b.isSequence && std::ranges::equal(a.tensors, b.tensors, isSameTensor);
}

[[noreturn]] void throwNoTensor(const ExecutionPlan::Port& output) {
    const bool isSequence = output.isSequence && !output.isAbsent;
    throw Error(ErrorCode::Unsupported,
                "Output '" + output.name + "' is " +
                    (isSequence ? "a sequence" : "an optional without content") +
                    "; expected a tensor.",
                isSequence ? "Read a tensor: one that SequenceAt or ConcatFromSequence gives."
                           : "Read another output.");
}

/// For a plan whose steps are the nodes of the graph.
PlanOptions withoutAllPasses(PlanOptions options) {
    for (const PlanPass& pass : planPasses()) options.withoutPasses.emplace_back(pass.name);
    return options;
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
    if (options_.constantLayouts == nullptr)
        options_.constantLayouts = std::make_shared<ConstantLayouts>();
    for (const Value* value : fedValues(*graph_)) {
        fedPositions_.push_back(fedInputs_.size());
        fedInputs_.push_back(value->name());
    }
}

void GraphRunner::bindFixed(const std::string& input, std::vector<Tensor> tensors) {
    std::map<std::string, std::vector<Tensor>> inputs;
    inputs.emplace(input, std::move(tensors));
    bindAllFixed(std::move(inputs));
}

void GraphRunner::bindAllFixed(std::map<std::string, std::vector<Tensor>> inputs) {
    TEMPER_ASSERT(compiled_.empty(), "fixed inputs are bound before the first run");
    std::vector<std::string> fed;
    std::vector<size_t> positions;
    for (size_t i = 0; i < fedInputs_.size(); ++i) {
        if (inputs.contains(fedInputs_[i])) continue;
        fed.push_back(std::move(fedInputs_[i]));
        positions.push_back(fedPositions_[i]);
    }
    TEMPER_ASSERT(fed.size() + inputs.size() == fedInputs_.size(), "the graph has these inputs");
    fedInputs_ = std::move(fed);
    fedPositions_ = std::move(positions);
    fixed_.merge(inputs);
}

std::span<const Tensor> GraphRunner::run(std::span<const Tensor> feeds, uint64_t seed) {
    setFeeds(feeds);
    const Executor& executor = execute(feeds_, seed);
    for (size_t i = 0; i < executor.outputs().size(); ++i)
        if (executor.outputs()[i].empty()) throwNoTensor(executor.plan().outputs()[i]);
    return executor.outputs();
}

std::vector<ValueData> GraphRunner::runOn(std::span<const ValueData> feeds, uint64_t seed) {
    feeds_.clear();
    for (const ValueData& feed : feeds)
        feeds_.push_back(feed.isNothing() ? Feed() : std::span<const Tensor>(feed.tensors));
    return execute(feeds_, seed).outputData();
}

std::string GraphRunner::findNonFinite(std::span<const Tensor> feeds, uint64_t seed) {
    setFeeds(feeds);
    return findNonFiniteIn(feeds_, seed);
}

void GraphRunner::setFeeds(std::span<const Tensor> feeds) {
    feeds_.clear();
    for (const Tensor& feed : feeds)
        feeds_.push_back(feed.empty() ? Feed() : std::span<const Tensor>(&feed, 1));
}

Executor& GraphRunner::execute(std::span<const Feed> feeds, uint64_t seed) {
    if (Executor* executor = executorFor(feeds)) {
        executor->run(seed);
        return *executor;
    }
    GraphRunner& inner = specializedFor(feeds, seed);
    return inner.execute(innerFeeds_, seed);
}

std::string GraphRunner::findNonFiniteIn(std::span<const Feed> feeds, uint64_t seed) {
    if (executorFor(feeds) != nullptr) {
        const auto single = runnerOf(graph_, withoutAllPasses(options_));
        return single->executorFor(feeds)->findNonFinite(seed);
    }
    GraphRunner& inner = specializedFor(feeds, seed);
    return inner.findNonFiniteIn(innerFeeds_, seed);
}

bool GraphRunner::isOfTypes(const Feed& feed, const FeedTypes& types) {
    if (!feed || !types) return feed.has_value() == types.has_value();
    return std::ranges::equal(*feed, *types, isOfType);
}

void GraphRunner::setProfile(Profile* profile) {
    profile_ = profile;
    for (Compiled& compiled : compiled_) compiled.executor.setProfile(profile);
    for (Specialized& specialized : specialized_) specialized.runner->setProfile(profile);
    if (decisiveRunner_) decisiveRunner_->setProfile(profile);
}

void GraphRunner::onWritten(const WrittenCallback& callback) {
    written_ = callback;
    for (Compiled& compiled : compiled_) compiled.executor.onWritten(callback);
    for (Specialized& specialized : specialized_) specialized.runner->onWritten(callback);
}

size_t GraphRunner::arenaBytes() const {
    size_t bytes = arenaBytes_;
    if (decisiveRunner_) bytes = std::max(bytes, decisiveRunner_->arenaBytes());
    for (const Specialized& specialized : specialized_) {
        bytes = std::max(bytes, specialized.runner->arenaBytes());
    }
    return bytes;
}

size_t GraphRunner::activationBytes() const {
    size_t bytes = activationBytes_;
    for (const Specialized& specialized : specialized_) {
        bytes = std::max(bytes, specialized.runner->activationBytes());
    }
    return bytes;
}

Executor* GraphRunner::executorFor(std::span<const Feed> feeds) {
    if (feeds.size() != fedInputs_.size()) {
        throw Error(ErrorCode::InvalidInput, "The graph takes " +
                                                 counted(fedInputs_.size(), "input") + "; found " +
                                                 std::to_string(feeds.size()) + ".");
    }
    if (isStaged_) return nullptr;
    const auto found = std::find_if(compiled_.begin(), compiled_.end(), [&](const Compiled& c) {
        return std::equal(feeds.begin(), feeds.end(), c.feeds.begin(), isOfTypes);
    });
    if (found != compiled_.end()) {
        compiled_.splice(compiled_.begin(), compiled_, found);
    } else {
        try {
            compile(feeds);
        } catch (const UnknownData& error) {
            stage(error);
            return nullptr;
        }
    }
    Executor& executor = compiled_.front().executor;
    for (size_t i = 0; i < feeds.size(); ++i) {
        for (size_t element = 0; feeds[i] && element < feeds[i]->size(); ++element)
            executor.bind(fedPositions_[i], (*feeds[i])[element], element);
    }
    return &executor;
}

GraphRunner::Compiled& GraphRunner::compile(std::span<const Feed> feeds) {
    InputTypes types;
    for (const auto& [name, tensors] : fixed_) types[name] = typesOf(tensors);
    std::vector<FeedTypes> feedTypes(feeds.size());
    for (size_t i = 0; i < feeds.size(); ++i) {
        if (!feeds[i]) continue;
        feedTypes[i] = typesOf(*feeds[i]);
        types[fedInputs_[i]] = *feedTypes[i];
    }
    waitForDevice();
    auto plan = ExecutionPlan::compile(*graph_, types, catalog_, kernels_, options_);
    if (plan->arenaBytes() >= arenaBytes_) {
        arenaBytes_ = plan->arenaBytes();
        activationBytes_ = plan->activationBytes();
    }
    Compiled& compiled = compiled_.emplace_front(
        Compiled{std::move(feedTypes), Executor(std::move(plan), arena_, pool_)});
    compiled.executor.setProfile(profile_);
    compiled.executor.onWritten(written_);
    bindFixed(compiled.executor);
    if (compiled_.size() > kPlansKept) compiled_.pop_back();
    return compiled;
}

/// Computations before a run use the host, with the threads of the device's kernels.
void GraphRunner::waitForDevice() const {
    if (arena_->device() != nullptr) arena_->device()->synchronize();
}

void GraphRunner::bindFixed(Executor& executor) const {
    for (size_t i = 0; i < executor.plan().inputs().size(); ++i) {
        const auto found = fixed_.find(executor.plan().inputs()[i].name);
        if (found == fixed_.end()) continue;
        for (size_t element = 0; element < found->second.size(); ++element) {
            executor.bind(i, found->second[element], element);
        }
    }
}

/// From now on, `reason.values()` are computed before each run.
/// Throws: `reason` if knowing more values does not help.
void GraphRunner::stage(const UnknownData& reason) {
    for (const std::string& name : reason.values()) {
        const Value* value = graph_->find(name);
        if (value != nullptr && !knownData(*value)) decisive_.push_back(name);
    }
    if (decisive_.empty() && !isSpecializable(*graph_, kernels_)) throw reason;
    std::sort(decisive_.begin(), decisive_.end());
    decisive_.erase(std::unique(decisive_.begin(), decisive_.end()), decisive_.end());
    isStaged_ = true;
    compiled_.clear();
    if (decisive_.empty()) return;
    std::shared_ptr<Graph> part = graph_->clone();
    std::vector<Value*> outputs;
    for (const std::string& name : decisive_) outputs.push_back(part->at(name));
    part->setOutputs(std::move(outputs));
    part->removeUnused();
    decisiveRunner_ = runnerOf(std::move(part), options_);
}

std::unique_ptr<GraphRunner> GraphRunner::runnerOf(std::shared_ptr<const Graph> graph,
                                                   const PlanOptions& options) const {
    auto runner =
        std::make_unique<GraphRunner>(std::move(graph), catalog_, kernels_, arena_, pool_, options);
    std::map<std::string, std::vector<Tensor>> inputs;
    for (const std::string& name : runner->fedInputs()) {
        const auto found = fixed_.find(name);
        if (found != fixed_.end()) inputs.insert(*found);
    }
    runner->bindAllFixed(std::move(inputs));
    runner->setProfile(profile_);
    return runner;
}

GraphRunner& GraphRunner::specializedFor(std::span<const Feed> feeds, uint64_t seed) {
    std::vector<ValueData> known;
    if (decisiveRunner_) {
        for (const ValueData& data : decisiveRunner_->execute(feeds, seed).outputData())
            known.push_back(data.clone());
    }
    const auto found =
        std::find_if(specialized_.begin(), specialized_.end(), [&](const Specialized& s) {
            return std::equal(known.begin(), known.end(), s.known.begin(), isSame);
        });
    if (found != specialized_.end()) {
        specialized_.splice(specialized_.begin(), specialized_, found);
    } else {
        addSpecialized(std::move(known), seed);
    }
    const Specialized& specialized = specialized_.front();
    innerFeeds_.clear();
    for (const std::optional<size_t>& feed : specialized.feeds) {
        innerFeeds_.push_back(feed ? feeds[*feed] : Feed());
    }
    return *specialized.runner;
}

GraphRunner::Specialized& GraphRunner::addSpecialized(std::vector<ValueData> known, uint64_t seed) {
    waitForDevice();
    KnownData data;
    for (size_t i = 0; i < known.size(); ++i) data[decisive_[i]] = known[i];
    Specialized specialized{std::move(known), {}, nullptr};
    specialized.runner =
        runnerOf(specialize(*graph_, data, catalog_, kernels_, pool_, seed), options_);
    specialized.runner->onWritten(written_);
    for (const std::string& name : specialized.runner->fedInputs()) {
        const auto fed = std::find(fedInputs_.begin(), fedInputs_.end(), name);
        specialized.feeds.emplace_back();
        if (fed != fedInputs_.end()) {
            specialized.feeds.back() = static_cast<size_t>(fed - fedInputs_.begin());
        }
    }
    specialized_.push_front(std::move(specialized));
    if (specialized_.size() > kPlansKept) specialized_.pop_back();
    return specialized_.front();
}

}  // namespace temper
