// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/training_graphs.h"

#include <algorithm>
#include <unordered_set>

#include "engine/autodiff/gradient_graph.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/graph_folding.h"
#include "engine/training/artifacts/eval_model.h"

namespace temper {
namespace {

using NameSet = std::unordered_set<std::string>;

class GraphMaker {
public:
    GraphMaker(std::unique_ptr<Graph> forward, const OpSet& ops, const GradientRules& rules,
               const ParameterNames& names)
        : graph_(std::move(forward)), ops_(ops), rules_(rules), names_(names) {}

    TrainingGraphs run() {
        takeParameters();
        result_.eval = makeEvalModel();
        result_.training = makeTrainingModel();
        return std::move(result_);
    }

private:
    /// Turns parameters into inputs, and their data into the checkpoint.
    void takeParameters() {
        const NameSet trainable(names_.trainable.begin(), names_.trainable.end());
        const NameSet frozen(names_.frozen.begin(), names_.frozen.end());
        std::vector<Value*> parameters;
        for (Value* value : graph_->initializers()) {
            const bool trains = trainable.contains(value->name());
            if (!trains && !frozen.contains(value->name())) continue;
            auto& list = trains ? result_.checkpoint.trainable : result_.checkpoint.frozen;
            list.push_back({value->name(), value->constant()});
            parameters.push_back(value);
        }
        graph_->initializersToInputs(parameters);
    }

    std::unique_ptr<Graph> makeEvalModel() const {
        std::unique_ptr<Graph> graph = graph_->clone();
        disableTrainingMode(*graph);
        forgetStops(*graph);
        return graph;
    }

    /// Stops are a choice for training: the eval model has its whole derivative.
    static void forgetStops(Graph& graph) {
        for (const Node* node : graph.nodes()) {
            for (Value* output : node->outputs()) {
                if (output != nullptr) output->setStopsGradients(false);
            }
        }
    }

    /// The inputs that get gradients, in the order of the graph inputs.
    std::vector<Value*> trainableInputs(const Graph& graph) const {
        const NameSet trainable(names_.trainable.begin(), names_.trainable.end());
        std::vector<Value*> inputs;
        for (Value* input : graph.inputs()) {
            if (trainable.contains(input->name())) inputs.push_back(input);
        }
        return inputs;
    }

    std::unique_ptr<Graph> makeTrainingModel() {
        std::unique_ptr<Graph> graph = graph_->clone();
        graph->info().opsetImports[std::string(kMicrosoftDomain)] = 1;
        foldKnownValues(*graph, ops_.catalog, ops_.cpuKernels);
        inferTypes(*graph, ops_.catalog);
        Value* loss = graph->outputs().front();
        const std::vector<Value*> parameters = trainableInputs(*graph);
        loss = applyTrainingForms(*graph, ops_.catalog, rules_, loss, parameters);
        const std::vector<Value*> gradients =
            parameters.empty() ? std::vector<Value*>{}
                               : buildGradients(*graph, ops_.catalog, rules_, loss, parameters);
        addAccumulators(*graph, parameters, gradients);
        graph->removeUnused();
        return graph;
    }

    /// Source: spec/artifacts.md section 4.3.
    static void addAccumulators(Graph& graph, const std::vector<Value*>& parameters,
                                const std::vector<Value*>& gradients) {
        std::vector<Value*> buffers;
        for (const Value* parameter : parameters) {
            buffers.push_back(
                graph.addInput(gradientBufferOf(parameter->name()), parameter->type()));
        }
        const ValueType flag{DType::Bool, SymbolicShape{Dim::of(1)}, false};
        Value* reset = graph.addInput("lazy_reset_grad", flag);
        for (size_t i = 0; i < parameters.size(); ++i) {
            const size_t position = graph.outputs().size();
            const Node* node =
                graph.addNode({.opType = "InPlaceAccumulatorV2",
                               .inputs = {buffers[i], gradients[i], reset},
                               .outputs = {parameters[i]->name() + "_grad.accumulation.out"},
                               .domain = std::string(kMicrosoftDomain),
                               .name = "GradientAccumulator" + std::to_string(position),
                               .isBackward = true});
            node->output(0)->setType(flag);
            graph.addOutput(node->output(0));
        }
    }

    std::unique_ptr<Graph> graph_;
    const OpSet& ops_;
    const GradientRules& rules_;
    const ParameterNames& names_;
    TrainingGraphs result_;
};

}  // namespace

TrainingGraphs makeTrainingGraphs(std::unique_ptr<Graph> forward, const OpSet& ops,
                                  const GradientRules& rules, const ParameterNames& parameters) {
    return GraphMaker(std::move(forward), ops, rules, parameters).run();
}

}  // namespace temper
