// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/planning/plan_assembly.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/process_memory.h"
#include "engine/ir/custom_operator.h"
#include "engine/runtime/kernels/widened_kernel.h"
#include "engine/runtime/known_data.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/constant_folding.h"
#include "engine/runtime/specialization.h"
#include "engine/runtime/unknown_data.h"

namespace temper {

using BufferKind = ExecutionPlan::BufferKind;
using Step = ExecutionPlan::Step;

namespace {

/// Operators without arithmetic in half precision compute in float32.
std::unique_ptr<Kernel> made(const KernelFactory& factory, const PrepareContext& context) {
    try {
        return factory(context);
    } catch (const UnknownData&) {
        throw;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::Unsupported || !usesHalfPrecision(context)) throw;
    }
    return prepareWidened(factory, context);
}

}  // namespace

PlanDraft PlanAssembly::build(const InputTypes& inputTypes) {
    addSources(graph_, inputTypes, values_);
    addInputPorts();
    for (const Node* node : graph_.topologicalOrder()) addNode(*node);
    addOutputPorts();
    return std::move(draft_);
}

size_t PlanAssembly::bytesOf(const Value& value, const PlanDraft& draft) const {
    const PlanValue* known = values_.find(&value);
    if (known == nullptr) return 0;
    size_t bytes = 0;
    for (const uint32_t buffer : known->buffers) {
        const ExecutionPlan::Buffer& place = draft.buffers[buffer];
        const bool isPart = place.kind == BufferKind::Part;
        const BufferKind kind = isPart ? draft.buffers[place.whole].kind : place.kind;
        if (kind == BufferKind::Arena) bytes += place.type.byteSize();
    }
    return bytes;
}

void PlanAssembly::addInputPorts() {
    for (const Value* input : fedValues(graph_)) {
        ExecutionPlan::Port port{input->name(), input->type().isSequence, {}, {}};
        if (PlanValue* known = values_.find(input)) {
            port.isAbsent = known->isAbsent;
            for (const TensorType& type : known->elements) {
                port.buffers.push_back(draft_.add({BufferKind::External, type, 0, {}}));
            }
            port.types = known->elements;
            known->buffers = port.buffers;
        }
        draft_.inputs.push_back(std::move(port));
    }
}

void PlanAssembly::addOutputPorts() {
    for (const Value* output : graph_.outputs()) {
        const PlanValue& value = values_.at(output);
        draft_.outputs.push_back(
            {output->name(), value.isSequence, value.elements, buffersOf(output), value.isAbsent});
    }
}

/// The buffers of a value; a constant gets one when something reads it.
const std::vector<uint32_t>& PlanAssembly::buffersOf(const Value* value) {
    PlanValue& known = values_.at(value);
    if (known.buffers.empty() && !known.constant.empty()) {
        known.buffers = {
            draft_.add({BufferKind::Constant, known.elements.front(), 0, known.constant})};
    }
    return known.buffers;
}

void PlanAssembly::addNode(const Node& node) {
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

/// Nodes that are evaluated between plans need all their inputs.
void PlanAssembly::requireNoEvaluation(const Node& node) const {
    if (kernels_.findEvaluator(node) == nullptr && !isInlined(node)) return;
    std::vector<std::string> unknown;
    for (const Value* input :
         isInlined(node) ? std::vector<const Value*>{node.input(0)} : inputsOf(graph_, node)) {
        if (input != nullptr && !knownData(*input)) unknown.push_back(input->name());
    }
    throw UnknownData(unknown, "The result of " + node.qualifiedOp() + " depends on input data.");
}

bool PlanAssembly::allOutputsKnown(const Node& node) const {
    return std::all_of(node.outputs().begin(), node.outputs().end(), [&](const Value* output) {
        return output == nullptr || !values_.at(output).constant.empty();
    });
}

/// Kernels may need more memory for intermediate results than for their outputs.
static void requireScratch(const Kernel& kernel) {
    requireMemory("Its working memory", static_cast<double>(kernel.traits().scratchBytes));
}

std::unique_ptr<Kernel> PlanAssembly::prepare(const Node& node) const {
    const KernelFactory* factory = kernels_.find(node);
    if (factory == nullptr) {
        throw Error(ErrorCode::Unsupported, "Operator " + node.qualifiedOp() + " has no kernel.",
                    adviceOnMissing(node, "Replace the operator, or export the model without it."));
    }
    std::vector<PrepareContext::Input> inputs;
    for (const Value* value : inputsOf(graph_, node)) {
        PrepareContext::Input& input = inputs.emplace_back();
        if (value == nullptr) continue;
        const PlanValue& known = values_.at(value);
        input.isSequence = known.isSequence;
        input.isAbsent = known.isAbsent;
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
    std::unique_ptr<Kernel> kernel =
        made(*factory,
             PrepareContext(node, inference_.opsetOf(node), std::move(inputs), std::move(outputs),
                            {graph_.info(), catalog_, kernels_, options_.constantLayouts.get()}));
    requireScratch(*kernel);
    return kernel;
}

void PlanAssembly::addStep(const Node& node, std::unique_ptr<Kernel> kernel) {
    const KernelTraits& traits = kernel->traits();
    for (const size_t i : traits.mutatedInputs) makeMutable(node.input(i));
    if (!traits.mutatedInputs.empty()) changing_.insert(&node);
    const size_t viewed = addViews(node, traits);
    addElements(node, traits);
    Step step;
    addInputs(node, step);
    const size_t written = addOutputs(node, traits, step);
    const bool isView = viewed > 0 || !makesTensor(node);
    if (written == 0 && isView && traits.mutatedInputs.empty()) return;
    flops_[&node] = traits.flops;
    step.kernel = std::move(kernel);
    step.node = node.describe();
    step.op = node.qualifiedOp();
    step.phase = node.isBackward() ? kBackwardPhase : options_.phase;
    step.randomStream = randomStreamOf(node);
    draft_.steps.push_back(std::move(step));
}

/// A constant that a kernel writes to becomes a copy in the arena.
void PlanAssembly::makeMutable(const Value* value) {
    if (value == nullptr || values_.at(value).constant.empty()) return;
    PlanValue& known = values_.at(value);
    const uint32_t buffer = draft_.add({BufferKind::Arena, known.elements.front(), 0, {}});
    draft_.initialCopies.emplace_back(buffer, known.constant);
    known.buffers = {buffer};
    known.constant = {};
}

/// Adds outputs that are their inputs' memory. Returns: the number of these outputs.
size_t PlanAssembly::addViews(const Node& node, const KernelTraits& traits) {
    size_t viewed = 0;
    for (const auto& [from, to] : traits.views) {
        if (node.output(to) == nullptr || node.input(from) == nullptr) continue;
        PlanValue& output = values_.at(node.output(to));
        const std::vector<uint32_t> source = buffersOf(node.input(from));
        output.buffers.insert(output.buffers.end(), source.begin(), source.end());
        const PlanValue& input = values_.at(node.input(from));
        if (!output.isTensor()) {
            output.elements.insert(output.elements.end(), input.elements.begin(),
                                   input.elements.end());
            output.isAbsent = input.isAbsent;
        }
        ++viewed;
    }
    PlanValue* first = node.output(0) == nullptr ? nullptr : &values_.at(node.output(0));
    if (first != nullptr && first->isOptional && viewed == 0) first->isAbsent = true;
    return viewed;
}

/// Adds the tensors of a sequence that are not all of an input.
void PlanAssembly::addElements(const Node& node, const KernelTraits& traits) {
    for (const auto& [input, element] : traits.elements) {
        PlanValue& output = values_.at(node.output(0));
        output.buffers.push_back(buffersOf(node.input(input)).at(element));
        output.elements.push_back(values_.at(node.input(input)).elements.at(element));
    }
    for (const TensorType& type : traits.newElements) {
        PlanValue& output = values_.at(node.output(0));
        output.buffers.push_back(draft_.add({BufferKind::Arena, type, 0, {}}));
        output.elements.push_back(type);
    }
}

bool PlanAssembly::makesTensor(const Node& node) const {
    return std::ranges::any_of(node.outputs(), [this](const Value* output) {
        return output != nullptr && values_.at(output).isTensor();
    });
}

void PlanAssembly::addInputs(const Node& node, Step& step) {
    for (const Value* value : inputsOf(graph_, node)) {
        step.inputBegins.push_back(static_cast<uint32_t>(step.inputBuffers.size()));
        if (value == nullptr) {
            step.inputBuffers.push_back(0);
        } else {
            const auto& buffers = buffersOf(value);
            step.inputBuffers.insert(step.inputBuffers.end(), buffers.begin(), buffers.end());
        }
    }
    while (step.inputBegins.size() < kMinPositions) {
        step.inputBegins.push_back(static_cast<uint32_t>(step.inputBuffers.size()));
        step.inputBuffers.push_back(0);
    }
    step.inputBegins.push_back(static_cast<uint32_t>(step.inputBuffers.size()));
}

/// Returns: the number of outputs that got a new buffer.
size_t PlanAssembly::addOutputs(const Node& node, const KernelTraits& traits, Step& step) {
    size_t written = traits.newElements.size();
    for (const Value* value : node.outputs()) {
        uint32_t buffer = 0;
        if (value != nullptr) {
            PlanValue& output = values_.at(value);
            if (output.buffers.empty() && output.isTensor()) {
                output.constant = {};
                output.buffers = {draft_.add({BufferKind::Arena, output.elements.front(), 0, {}})};
                ++written;
            }
            if (!output.buffers.empty()) buffer = output.buffers.front();
        }
        step.outputBuffers.push_back(buffer);
    }
    if (!traits.newElements.empty()) step.outputBuffers = values_.at(node.output(0)).buffers;
    step.outputBuffers.resize(std::max(step.outputBuffers.size(), kMinPositions), 0);
    return written;
}

}  // namespace temper
