// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/execution_plan.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/ir/custom_operator.h"
#include "engine/ir/graph_set.h"
#include "engine/runtime/constant_folding.h"
#include "engine/runtime/kernel_lowering.h"
#include "engine/runtime/kernels/widened_kernel.h"
#include "engine/runtime/memory_planner.h"
#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/plan_types.h"
#include "engine/runtime/recompute.h"
#include "engine/runtime/specialization.h"
#include "engine/runtime/unknown_data.h"

namespace temper {
namespace {

bool contains(std::span<const uint32_t> buffers, uint32_t buffer) {
    return std::find(buffers.begin(), buffers.end(), buffer) != buffers.end();
}

bool isWanted(const PlanPass& pass, const PlanOptions& options) {
    return std::ranges::find(options.withoutPasses, pass.name) == options.withoutPasses.end();
}

}  // namespace

/// Compiles in four parts: types, kernels and buffers in topological order; the passes over these
/// steps; scratch memory and outputs written over inputs that end there; the arena.
class PlanBuilder {
public:
    PlanBuilder(const Graph& graph, const OpCatalog& catalog, const KernelRegistry& kernels,
                const PlanOptions& options)
        : graph_(graph),
          catalog_(catalog),
          kernels_(kernels),
          options_(options),
          inference_(graph, catalog, values_),
          plan_(std::make_shared<ExecutionPlan>()) {
        plan_->buffers_.emplace_back();  // buffer 0: null
    }

    std::shared_ptr<const ExecutionPlan> build(const InputTypes& inputTypes) {
        addSources(graph_, inputTypes, values_);
        addInputPorts();
        for (const Node* node : graph_.topologicalOrder()) addNode(*node);
        addOutputPorts();
        runPasses();
        addScratch();
        findLifetimes();
        shareMemory();
        countActivations();
        layOutArena();
        return plan_;
    }

    /// Of the nodes that were built.
    RecomputationFacts facts() const {
        return {[this](const Value& value) { return bytesOf(value); },
                [this](const Node& node) { return changing_.contains(&node); }};
    }

private:
    using Buffer = ExecutionPlan::Buffer;
    using BufferKind = ExecutionPlan::BufferKind;
    using Step = ExecutionPlan::Step;

    size_t bytesOf(const Value& value) const {
        const PlanValue* known = values_.find(&value);
        if (known == nullptr) return 0;
        size_t bytes = 0;
        for (const uint32_t buffer : known->buffers) {
            const Buffer& place = plan_->buffers_[buffer];
            if (place.kind == BufferKind::Arena) bytes += place.type.byteSize();
        }
        return bytes;
    }

    uint32_t addBuffer(Buffer buffer) {
        plan_->buffers_.push_back(std::move(buffer));
        return static_cast<uint32_t>(plan_->buffers_.size() - 1);
    }

    void addInputPorts() {
        for (const Value* input : fedValues(graph_)) {
            ExecutionPlan::Port port{input->name(), input->type().isSequence, {}, {}};
            if (PlanValue* known = values_.find(input)) {
                for (const TensorType& type : known->elements) {
                    port.buffers.push_back(addBuffer({BufferKind::External, type, 0, {}}));
                }
                port.types = known->elements;
                known->buffers = port.buffers;
            }
            plan_->inputs_.push_back(std::move(port));
        }
    }

    void addOutputPorts() {
        for (const Value* output : graph_.outputs()) {
            const PlanValue& value = values_.at(output);
            plan_->outputs_.push_back(
                {output->name(), value.isSequence, value.elements, buffersOf(output)});
        }
    }

    /// The buffers of a value; a constant gets one when something reads it.
    const std::vector<uint32_t>& buffersOf(const Value* value) {
        PlanValue& known = values_.at(value);
        if (known.buffers.empty() && !known.constant.empty()) {
            known.buffers = {
                addBuffer({BufferKind::Constant, known.elements.front(), 0, known.constant})};
        }
        return known.buffers;
    }

    void addNode(const Node& node) {
        try {
            requireNoEvaluation(node);
            inference_.infer(node);
            if (allOutputsKnown(node)) return;
            std::unique_ptr<Kernel> kernel = prepare(node);
            if (foldConstants(node, *kernel, values_)) return;
            addStep(node, std::move(kernel));
        } catch (Error& error) {
            if (error.context().empty()) error.addContext(node.describe());
            throw;
        }
    }

    /// Nodes that are evaluated between plans need all that they read.
    void requireNoEvaluation(const Node& node) const {
        if (kernels_.findEvaluator(node) == nullptr && !isBranch(node)) return;
        std::vector<std::string> unknown;
        for (const Value* input :
             isBranch(node) ? std::vector<const Value*>{node.input(0)} : inputsOf(graph_, node)) {
            if (input != nullptr && !input->isInitializer()) unknown.push_back(input->name());
        }
        throw UnknownData(
            unknown, "The result of " + node.qualifiedOp() + " depends on the data that is fed.");
    }

    bool allOutputsKnown(const Node& node) const {
        return std::all_of(node.outputs().begin(), node.outputs().end(), [&](const Value* output) {
            return output == nullptr || !values_.at(output).constant.empty();
        });
    }

    std::unique_ptr<Kernel> prepare(const Node& node) const {
        const KernelFactory* factory = kernels_.find(node);
        if (factory == nullptr) {
            throw Error(
                ErrorCode::Unsupported, "Operator " + node.qualifiedOp() + " has no kernel here.",
                adviceOnMissing(node, "Replace the operator, or export the model without it."));
        }
        std::vector<PrepareContext::Input> inputs;
        for (const Value* value : inputsOf(graph_, node)) {
            PrepareContext::Input& input = inputs.emplace_back();
            if (value == nullptr) continue;
            const PlanValue& known = values_.at(value);
            input.isSequence = known.isSequence;
            input.elements = known.elements;
            input.constant = known.constant.empty() ? nullptr : &known.constant;
        }
        std::vector<PrepareContext::Output> outputs;
        for (const Value* value : node.outputs()) {
            PrepareContext::Output& output = outputs.emplace_back();
            if (value == nullptr) continue;
            output.isSequence = values_.at(value).isSequence;
            output.elements = values_.at(value).elements;
        }
        return prepare(*factory,
                       PrepareContext(node, inference_.opsetOf(node), std::move(inputs),
                                      std::move(outputs), {graph_.info(), catalog_, kernels_}));
    }

    /// Operators without arithmetic in half precision compute in float32.
    static std::unique_ptr<Kernel> prepare(const KernelFactory& factory,
                                           const PrepareContext& context) {
        try {
            return factory(context);
        } catch (const UnknownData&) {
            throw;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::Unsupported || !usesHalfPrecision(context)) throw;
        }
        return prepareWidened(factory, context);
    }

    void addStep(const Node& node, std::unique_ptr<Kernel> kernel) {
        const KernelTraits& traits = kernel->traits();
        for (const size_t i : traits.mutatedInputs) makeMutable(node.input(i));
        if (!traits.mutatedInputs.empty()) changing_.insert(&node);
        const size_t viewed = addViews(node, traits);
        Step step;
        addInputs(node, step);
        const size_t written = addOutputs(node, step);
        if (written == 0 && viewed > 0 && traits.mutatedInputs.empty()) return;
        step.kernel = std::move(kernel);
        step.node = node.describe();
        step.op = node.qualifiedOp();
        step.phase = node.docString() == kBackwardPass ? kBackwardPhase : options_.phase;
        step.randomStream = randomStreamOf(node);
        plan_->steps_.push_back(std::move(step));
    }

    /// A constant that a kernel writes to becomes a copy in the arena.
    void makeMutable(const Value* value) {
        if (value == nullptr || values_.at(value).constant.empty()) return;
        PlanValue& known = values_.at(value);
        const uint32_t buffer = addBuffer({BufferKind::Arena, known.elements.front(), 0, {}});
        plan_->initialCopies_.emplace_back(buffer, known.constant);
        known.buffers = {buffer};
        known.constant = {};
    }

    /// Outputs that are their inputs' memory. Returns how many outputs are.
    size_t addViews(const Node& node, const KernelTraits& traits) {
        size_t viewed = 0;
        for (const auto& [from, to] : traits.views) {
            if (node.output(to) == nullptr || node.input(from) == nullptr) continue;
            PlanValue& output = values_.at(node.output(to));
            const std::vector<uint32_t> source = buffersOf(node.input(from));
            output.buffers.insert(output.buffers.end(), source.begin(), source.end());
            if (output.isSequence) {
                const auto& types = values_.at(node.input(from)).elements;
                output.elements.insert(output.elements.end(), types.begin(), types.end());
            }
            ++viewed;
        }
        return viewed;
    }

    void addInputs(const Node& node, Step& step) {
        for (const Value* value : inputsOf(graph_, node)) {
            step.inputBegins.push_back(static_cast<uint32_t>(step.inputBuffers.size()));
            if (value == nullptr) {
                step.inputBuffers.push_back(0);
            } else {
                const auto& buffers = buffersOf(value);
                step.inputBuffers.insert(step.inputBuffers.end(), buffers.begin(), buffers.end());
            }
        }
        while (step.inputBegins.size() < kFewestPositions) {
            step.inputBegins.push_back(static_cast<uint32_t>(step.inputBuffers.size()));
            step.inputBuffers.push_back(0);
        }
        step.inputBegins.push_back(static_cast<uint32_t>(step.inputBuffers.size()));
    }

    /// Returns how many outputs got a buffer of their own.
    size_t addOutputs(const Node& node, Step& step) {
        size_t written = 0;
        for (const Value* value : node.outputs()) {
            uint32_t buffer = 0;
            if (value != nullptr) {
                PlanValue& output = values_.at(value);
                if (output.buffers.empty() && !output.isSequence) {
                    output.constant = {};
                    output.buffers = {
                        addBuffer({BufferKind::Arena, output.elements.front(), 0, {}})};
                    ++written;
                }
                if (!output.buffers.empty()) buffer = output.buffers.front();
            }
            step.outputBuffers.push_back(buffer);
        }
        step.outputBuffers.resize(std::max(step.outputBuffers.size(), kFewestPositions), 0);
        return written;
    }

    void runPasses() {
        PlanDraft draft{plan_->buffers_, plan_->steps_, plan_->outputs_};
        for (const PlanPass& pass : planPasses()) {
            if (pass.run != nullptr && isWanted(pass, options_)) pass.run(draft, PlanFacts(draft));
        }
    }

    /// Behind the passes, which replace kernels.
    void addScratch() {
        for (Step& step : plan_->steps_) {
            const auto bytes = static_cast<int64_t>(step.kernel->traits().scratchBytes);
            if (bytes == 0) continue;
            step.scratchBuffer = addBuffer({BufferKind::Arena, {DType::UInt8, {bytes}}, 0, {}});
        }
    }

    void findLifetimes() {
        lifetimes_.assign(plan_->buffers_.size(), {});
        std::vector<bool> seen(plan_->buffers_.size(), false);
        const auto touch = [&](uint32_t buffer, uint32_t step) {
            if (!seen[buffer]) lifetimes_[buffer].first = step;
            seen[buffer] = true;
            lifetimes_[buffer].last = std::max(lifetimes_[buffer].last, step);
        };
        for (const auto& copy : plan_->initialCopies_) touch(copy.first, 0);
        for (uint32_t i = 0; i < plan_->steps_.size(); ++i) {
            const Step& step = plan_->steps_[i];
            for (const uint32_t buffer : step.inputBuffers) touch(buffer, i);
            for (const uint32_t buffer : step.outputBuffers) touch(buffer, i);
            touch(step.scratchBuffer, i);
        }
        const auto end = static_cast<uint32_t>(plan_->steps_.size());
        for (const auto& port : plan_->outputs_) {
            for (const uint32_t buffer : port.buffers) touch(buffer, end);
        }
        for (size_t i = 0; i < lifetimes_.size(); ++i) {
            const Buffer& buffer = plan_->buffers_[i];
            if (buffer.kind == BufferKind::Arena) lifetimes_[i].bytes = buffer.type.byteSize();
        }
    }

    void shareMemory() {
        std::vector<uint32_t> replacement(plan_->buffers_.size());
        for (uint32_t i = 0; i < replacement.size(); ++i) replacement[i] = i;
        const auto redirect = [&](std::vector<uint32_t>& buffers) {
            for (uint32_t& buffer : buffers) buffer = replacement[buffer];
        };
        for (uint32_t i = 0; i < plan_->steps_.size(); ++i) {
            Step& step = plan_->steps_[i];
            redirect(step.inputBuffers);
            for (const auto& [input, output] : step.kernel->traits().mayShare) {
                shareOne(i, step, input, output, replacement);
            }
            redirect(step.inputBuffers);  // fused steps may read what they made
            redirect(step.outputBuffers);
        }
        for (auto& port : plan_->outputs_) redirect(port.buffers);
    }

    void shareOne(uint32_t index, const Step& step, size_t input, size_t output,
                  std::vector<uint32_t>& replacement) {
        if (input + 1 >= step.inputBegins.size()) return;
        const uint32_t from = step.inputBuffers[step.inputBegins[input]];
        const uint32_t to = step.outputBuffers[output];
        if (from == 0 || to == 0 || replacement[to] != to) return;
        const bool isFree = plan_->buffers_[from].kind == BufferKind::Arena &&
                            plan_->buffers_[to].kind == BufferKind::Arena &&
                            lifetimes_[from].last == index && lifetimes_[to].first == index &&
                            lifetimes_[from].bytes == lifetimes_[to].bytes &&
                            plan_->buffers_[from].type.dtype == plan_->buffers_[to].type.dtype;
        const auto readers = std::count(step.inputBuffers.begin(), step.inputBuffers.end(), from);
        if (!isFree || readers != 1 || contains(step.outputBuffers, from)) return;
        lifetimes_[from].last = lifetimes_[to].last;
        lifetimes_[to].bytes = 0;
        replacement[to] = from;
    }

    void countActivations() {
        const std::vector<Step>& steps = plan_->steps_;
        const auto isBackward = [&](uint32_t step) {
            return step < steps.size() && steps[step].phase == kBackwardPhase;
        };
        for (const Lifetime& lifetime : lifetimes_) {
            if (!isBackward(lifetime.first) && isBackward(lifetime.last)) {
                plan_->activationBytes_ += lifetime.bytes;
            }
        }
    }

    void layOutArena() {
        const MemoryLayout layout = planMemory(lifetimes_);
        for (size_t i = 0; i < plan_->buffers_.size(); ++i) {
            plan_->buffers_[i].offset = layout.offsets[i];
        }
        plan_->arenaBytes_ = layout.bytes;
    }

    const Graph& graph_;
    const OpCatalog& catalog_;
    const KernelRegistry& kernels_;
    const PlanOptions& options_;
    PlanValues values_;
    ConcreteInference inference_;
    std::shared_ptr<ExecutionPlan> plan_;
    GraphSet<Node> changing_;  ///< their inputs
    std::vector<Lifetime> lifetimes_;
};

namespace {

/// More segments than that only repeat more.
constexpr size_t kMostSegments = 40;

/// Compiles one graph; where memory is short, further ones with the same results.
class PlanSearch {
public:
    PlanSearch(const InputTypes& inputTypes, const OpCatalog& catalog,
               const KernelRegistry& kernels, const PlanOptions& options)
        : inputTypes_(inputTypes), catalog_(catalog), kernels_(kernels), options_(options) {}

    std::shared_ptr<const ExecutionPlan> find(const Graph& graph) const {
        auto plan = compile(graph);
        if (options_.memoryShare >= 1 && options_.recomputedBlocks.empty()) return plan;
        PlanBuilder asWritten(graph, catalog_, kernels_, options_);
        asWritten.build(inputTypes_);
        const auto target =
            plan->arenaBytes() - static_cast<size_t>((1 - options_.memoryShare) *
                                                     static_cast<double>(plan->activationBytes()));
        const Recomputation recomputation(graph, asWritten.facts());
        if (!options_.recomputedBlocks.empty()) {
            plan = compile(*recomputation.ofBlocks(options_.recomputedBlocks));
        }
        return plan->arenaBytes() <= target ? plan : smallest(recomputation, plan, target);
    }

private:
    /// The first plan that is small enough, with ever more segments; else the smallest.
    std::shared_ptr<const ExecutionPlan> smallest(const Recomputation& recomputation,
                                                  std::shared_ptr<const ExecutionPlan> plan,
                                                  size_t target) const {
        for (size_t segments = 2; segments <= kMostSegments; segments += (segments + 1) / 2) {
            auto other = compile(*recomputation.inSegments(segments));
            if (other->arenaBytes() < plan->arenaBytes()) plan = std::move(other);
            if (plan->arenaBytes() <= target) break;
        }
        return plan;
    }

    std::shared_ptr<const ExecutionPlan> compile(const Graph& graph) const {
        std::unique_ptr<Graph> rewritten;
        for (const PlanPass& pass : planPasses()) {
            if (pass.rewrite == nullptr || !isWanted(pass, options_)) continue;
            auto next = pass.rewrite(rewritten ? *rewritten : graph, inputTypes_, catalog_,
                                     kernels_, options_);
            if (next) rewritten = std::move(next);
        }
        return PlanBuilder(rewritten ? *rewritten : graph, catalog_, kernels_, options_)
            .build(inputTypes_);
    }

    const InputTypes& inputTypes_;
    const OpCatalog& catalog_;
    const KernelRegistry& kernels_;
    const PlanOptions& options_;
};

}  // namespace

std::shared_ptr<const ExecutionPlan> ExecutionPlan::compile(const Graph& graph,
                                                            const InputTypes& inputTypes,
                                                            const OpCatalog& catalog,
                                                            const KernelRegistry& kernels,
                                                            const PlanOptions& options) {
    const auto lowered = loweredForKernels(graph, inputTypes, catalog, kernels);
    return PlanSearch(inputTypes, catalog, kernels, options).find(lowered ? *lowered : graph);
}

}  // namespace temper
