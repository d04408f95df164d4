// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts.h"

#include <algorithm>
#include <unordered_set>

#include "engine/autodiff/gradient_graph.h"
#include "engine/ir/body_types.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/control_folding.h"
#include "engine/runtime/graph_folding.h"
#include "engine/training/eval_model.h"
#include "engine/training/opset_upgrade.h"
#include "engine/training/optimizers.h"

namespace temper {
namespace {

/// ONNX Runtime reads parameters from graph inputs only from this version on.
constexpr int64_t kOldestIrVersion = 4;

void throwFirstError(const std::vector<Finding>& findings) {
    const auto error = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.severity == Severity::Error;
    });
    if (error == findings.end()) return;
    throw Error(ErrorCode::InvalidInput, error->message, error->hint);
}

using NameSet = std::unordered_set<std::string>;

/// Builds the graphs of one specification; see spec/artifacts.md section 3 for the order.
class Generator {
public:
    Generator(const Graph& model, const OpSet& ops, const ArtifactSpec& spec, ArtifactPlan plan)
        : ops_(ops),
          rules_(ops.gradients.withStraightThrough(plan.straightThrough)),
          spec_(spec),
          plan_(std::move(plan)),
          graph_(withFoldedControlFlow(model, ops.catalog, ops.cpuKernels)) {}

    Artifacts run() {
        raiseOpset(*graph_);
        inferTypes(*graph_, ops_.catalog);
        graph_->info().irVersion = std::max(graph_->info().irVersion, kOldestIrVersion);
        setOutputs();
        takeParameters();
        result_.evalModel = makeEvalModel();
        result_.trainingModel = makeTrainingModel();
        if (spec_.optimizer.key != "none") {
            result_.optimizerModel = makeOptimizer();
        }
        if (spec_.ortFormat) typeAllBodies();
        return std::move(result_);
    }

private:
    /// ORT format wants the type of every value.
    void typeAllBodies() {
        for (auto* model : {&result_.trainingModel, &result_.evalModel}) {
            const std::shared_ptr<Graph> copy = (*model)->clone();
            typeBodies(*copy, ops_.catalog);
            *model = copy;
        }
    }

    std::unique_ptr<Graph> makeOptimizer() {
        const int64_t opset = graph_->info().onnxOpset();
        std::vector<std::string> names;
        for (const NamedTensor& tensor : result_.checkpoint.trainable) names.push_back(tensor.name);
        const GroupedParameters groups = groupParameters(*graph_, names, spec_);
        if (groups.isUniform(spec_.optimizer.value(optimizerChoices(), "weight_decay"))) {
            return makeOptimizerModel(spec_.optimizer, ops_.catalog, opset, names_);
        }
        return makeFusedOptimizerModel(spec_.optimizer, opset, &groups);
    }

    void setOutputs() {
        Value* loss = graph_->at(plan_.prediction);
        if (spec_.loss.key != "none") {
            loss = appendLoss(*graph_, ops_.catalog, spec_.loss, loss, plan_.target, names_).loss;
        }
        std::vector<Value*> outputs{loss};
        for (const std::string& name : spec_.extraOutputs) {
            Value* value = graph_->at(name);
            if (value != loss) outputs.push_back(value);
        }
        graph_->setOutputs(std::move(outputs));
    }

    /// Parameters become inputs, and their data the checkpoint.
    void takeParameters() {
        const NameSet trainable(plan_.trainable.begin(), plan_.trainable.end());
        const NameSet frozen(plan_.frozen.begin(), plan_.frozen.end());
        const std::vector<Value*> initializers = graph_->initializers();
        for (Value* value : initializers) {
            const bool trains = trainable.contains(value->name());
            if (!trains && !frozen.contains(value->name())) continue;
            auto& list = trains ? result_.checkpoint.trainable : result_.checkpoint.frozen;
            list.push_back({value->name(), value->constant()});
            graph_->initializerToInput(value);
        }
    }

    std::unique_ptr<Graph> makeEvalModel() const {
        std::unique_ptr<Graph> graph = graph_->clone();
        disableTrainingMode(*graph);
        return graph;
    }

    std::unique_ptr<Graph> makeTrainingModel() {
        std::unique_ptr<Graph> graph = graph_->clone();
        graph->info().opsetImports[std::string(kMicrosoftDomain)] = 1;
        foldKnownValues(*graph, ops_.catalog, ops_.cpuKernels);
        inferTypes(*graph, ops_.catalog);
        Value* loss = graph->outputs().front();
        std::vector<Value*> parameters;
        for (const auto& parameter : result_.checkpoint.trainable) {
            parameters.push_back(graph->at(parameter.name));
        }
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
                graph.addInput(parameter->name() + "_grad.accumulation.buffer", parameter->type()));
        }
        const ValueType flag{DType::Bool, SymbolicShape{Dim::of(1)}, false};
        Value* reset = graph.addInput("lazy_reset_grad", flag);
        for (size_t i = 0; i < parameters.size(); ++i) {
            const size_t position = graph.outputs().size();
            const Node* node = graph.addNode({"InPlaceAccumulatorV2",
                                              {buffers[i], gradients[i], reset},
                                              {parameters[i]->name() + "_grad.accumulation.out"},
                                              {},
                                              std::string(kMicrosoftDomain),
                                              "GradientAccumulator" + std::to_string(position),
                                              std::string(kBackwardPass)});
            node->output(0)->setType(flag);
            graph.addOutput(node->output(0));
        }
    }

    const OpSet& ops_;
    const GradientRules rules_;
    const ArtifactSpec& spec_;
    ArtifactPlan plan_;
    std::unique_ptr<Graph> graph_;
    NameCounter names_;
    Artifacts result_;
};

}  // namespace

Artifacts generateArtifacts(const Graph& model, const OpSet& ops, const ArtifactSpec& spec) {
    ArtifactPlan plan = planArtifacts(model, ops, spec);
    throwFirstError(plan.findings);
    return Generator(model, ops, spec, std::move(plan)).run();
}

}  // namespace temper
