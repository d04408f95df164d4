// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/gradient_graph_builder.h"

#include <algorithm>

#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/reachability.h"
#include "engine/core/joined.h"
#include "engine/ir/captures.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/control_folding.h"
#include "engine/runtime/graph_folding.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/opset/opset_upgrade.h"

namespace temper {
namespace {

void throwContradictions(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::Error) continue;
        throw Error(ErrorCode::InvalidInput, finding.message, finding.hint);
    }
}

std::vector<Value*> valuesOf(const Graph& graph, const std::vector<std::string>& names) {
    std::vector<Value*> values;
    for (const std::string& name : names) values.push_back(graph.at(name));
    return values;
}

}  // namespace

GradientGraphBuilder::GradientGraphBuilder(const Graph& model, GradientGraphRequest request,
                                           std::shared_ptr<const OpSet> ops)
    : request_(std::move(request)),
      ops_(std::move(ops)),
      graph_(withFoldedControlFlow(model, ops_->catalog, ops_->cpuKernels, request_.inputs)) {
    raiseOpset(*graph_);
    throwContradictions(inferTypes(*graph_, ops_->catalog));
    check();
}

GradientGraphBuilder::GradientGraphBuilder(std::span<const std::byte> model,
                                           GradientGraphRequest request,
                                           const std::shared_ptr<const OpSet>& ops)
    : GradientGraphBuilder(
          *parseModel(model, "model", {}, {.unifyOpsets = opsetUnifier(ops->catalog)}),
          std::move(request), ops) {}

Value* GradientGraphBuilder::findOutput(const std::string& name) const {
    Value* value = graph_->find(name);
    if (value == nullptr) {
        throw Error(ErrorCode::NotFound, "Node arg '" + name + "' is not found in the graph.",
                    "Available output names: " + joinedQuoted(namesOf(graph_->outputs())) + ".");
    }
    if (value->isInitializer()) {
        throw Error(ErrorCode::InvalidInput,
                    "'" + name + "' is an initializer; expected a value that a node computes.",
                    "Available output names: " + joinedQuoted(namesOf(graph_->outputs())) + ".");
    }
    if (!value->type().isTensor()) {
        throw Error(
            ErrorCode::InvalidInput,
            "'" + name + "' is " + formatType(value->type()) + "; gradients start at tensors.",
            "Specify a tensor, such as one that SequenceAt or ConcatFromSequence gives.");
    }
    return value;
}

Value* GradientGraphBuilder::findInput(const std::string& name) const {
    Value* value = graph_->find(name);
    if (value == nullptr) {
        throw Error(ErrorCode::NotFound, "Node arg '" + name + "' is not found in the graph.",
                    "Specify initializers, graph inputs or intermediate values.");
    }
    if (value->uses().empty() && !capturingNodes(*graph_).contains(value)) {
        throw Error(ErrorCode::InvalidInput, "No node reads '" + name + "'.",
                    "Remove it: it has no gradient.");
    }
    return value;
}

void GradientGraphBuilder::check() {
    std::vector<Value*> inputs;
    for (const std::string& name : request_.inputs) inputs.push_back(findInput(name));
    const ValueSet influenced = reachedFrom(*graph_, ops_->catalog, inputs);
    ValueSet influencing;
    for (const std::string& name : request_.outputs) {
        const Value* output = findOutput(name);
        if (!influenced.contains(output) || output->producer() == nullptr) continue;
        seeds_.push_back(name);
        influencing.merge(reachingTo(*graph_, ops_->catalog, output));
    }
    for (const Value* input : inputs) {
        if (influencing.contains(input)) continue;
        throw Error(ErrorCode::InvalidInput,
                    "Cannot compute the partial derivative for '" + input->name() +
                        "' as it is unreachable from the outputs " +
                        joinedQuoted(request_.outputs) + ".",
                    "Remove it, or specify an output that depends on it.");
    }
    checkLoss();
}

void GradientGraphBuilder::checkLoss() const {
    if (request_.loss.empty()) return;
    const auto& outputs = request_.outputs;
    if (std::find(outputs.begin(), outputs.end(), request_.loss) == outputs.end()) {
        throw Error(ErrorCode::InvalidInput,
                    "The loss '" + request_.loss + "' is not among the outputs " +
                        joinedQuoted(outputs) + ".",
                    "Add it to them.");
    }
    const auto& shape = graph_->at(request_.loss)->type().shape;
    if (!shape) return;
    const auto concrete = concreteShape(*shape);
    if (concrete && numElements(*concrete) == 1) return;
    throw Error(ErrorCode::InvalidInput,
                "The loss '" + request_.loss + "' has the shape " + formatShape(*shape) +
                    "; expected a single number.",
                "Reduce it to its mean or sum, or specify it as an output whose gradient is fed.");
}

Value* GradientGraphBuilder::seedFor(Graph& graph, const std::string& output) const {
    const Value* value = graph.at(output);
    if (output == request_.loss) return addLossSeed(graph, *value);
    return graph.addInput(output + "_grad", value->type());
}

void GradientGraphBuilder::addGradients(Graph& graph) const {
    graph.info().opsetImports[std::string(kMicrosoftDomain)] = 1;
    foldKnownValues(graph, ops_->catalog, ops_->cpuKernels);
    inferTypes(graph, ops_->catalog);
    const std::vector<Value*> inputs = valuesOf(graph, request_.inputs);
    std::vector<GradientSeed> seeds;
    for (Value* value : applyTrainingForms(graph, ops_->catalog, ops_->gradients,
                                           valuesOf(graph, seeds_), inputs)) {
        seeds.push_back({value, seedFor(graph, value->name())});
    }
    for (Value* gradient : buildGradients(graph, ops_->catalog, ops_->gradients, seeds, inputs)) {
        graph.addOutput(gradient);
    }
    graph.removeUnused();
}

void GradientGraphBuilder::build() {
    if (isBuilt_) {
        throw Error(ErrorCode::State, "The gradient graph has already been built.",
                    "Create another builder for other gradients.");
    }
    std::unique_ptr<Graph> graph = graph_->clone();
    addGradients(*graph);
    graph_ = std::move(graph);
    isBuilt_ = true;
}

const Graph& GradientGraphBuilder::model() const {
    if (isBuilt_) return *graph_;
    throw Error(ErrorCode::State, "The gradient graph has not been built yet.",
                "Call build() first.");
}

std::string GradientGraphBuilder::modelBytes() const { return serializeModel(model()); }

void GradientGraphBuilder::save(const std::filesystem::path& path) const {
    saveModel(model(), path);
}

}  // namespace temper
