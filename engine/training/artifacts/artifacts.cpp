// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/artifacts.h"

#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/onnx/required_outputs.h"
#include "engine/training/artifacts/frozen_statistics.h"
#include "engine/training/artifacts/training_graphs.h"
#include "engine/training/artifacts/training_opset.h"
#include "engine/training/opset/opset_upgrade.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/parameters/parameter_selection.h"

namespace temper {
namespace {

/// The first version in which ONNX Runtime reads parameters from graph inputs.
constexpr int64_t kOldestIrVersion = 4;

void throwFirstError(const std::vector<Finding>& findings) {
    const auto error = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.severity == Severity::Error;
    });
    if (error == findings.end()) return;
    throw Error(ErrorCode::InvalidInput, error->message, error->hint);
}

/// Builds the graphs of one specification; see spec/artifacts.md section 3 for the order.
class Generator {
public:
    Generator(const Graph& model, const OpSet& ops, const ArtifactSpec& spec,
              const ArtifactPlan& plan)
        : ops_(ops),
          rules_(chosenRules(ops.gradients, plan)),
          spec_(spec),
          plan_(plan),
          graph_(foldedForTraining(model, ops, spec)) {}

    Artifacts run() {
        raiseOpset(*graph_);
        fitTrainingOpset(*graph_, ops_.catalog);
        inferTypes(*graph_, ops_.catalog);
        for (const std::string& name : plan_.stopGradient)
            graph_->at(name)->setStopsGradients(true);
        freezeStatistics(*graph_, plan_.frozenStatistics);
        graph_->info().irVersion = std::max(graph_->info().irVersion, kOldestIrVersion);
        setOutputs();
        TrainingGraphs graphs =
            makeTrainingGraphs(std::move(graph_), ops_, rules_, {plan_.trainable, plan_.frozen});
        Artifacts result;
        result.trainingModel = std::move(graphs.training);
        result.evalModel = std::move(graphs.eval);
        result.checkpoint = std::move(graphs.checkpoint);
        if (spec_.optimizer.key != "none") {
            result.optimizerModel = makeOptimizer(result);
        }
        if (spec_.ortFormat) completeForOrt(result);
        return result;
    }

private:
    void completeForOrt(Artifacts& result) const {
        for (auto* model : {&result.trainingModel, &result.evalModel}) {
            const std::shared_ptr<Graph> copy = (*model)->clone();
            completeForOrtFormat(*copy, ops_.catalog);
            *model = copy;
        }
    }

    std::unique_ptr<Graph> makeOptimizer(const Artifacts& result) {
        const Graph& model = *result.evalModel;
        const int64_t opset = model.info().onnxOpset();
        std::vector<std::string> names;
        for (const NamedTensor& tensor : result.checkpoint.trainable) names.push_back(tensor.name);
        const GroupedParameters groups = groupParameters(model, names, spec_, plan_.moduleNames);
        if (groups.isUniform(spec_.optimizer.value(optimizerChoices(), "weight_decay"))) {
            return makeOptimizerModel(spec_.optimizer, ops_.catalog, opset, names_);
        }
        return makeFusedOptimizerModel(spec_.optimizer, opset, &groups);
    }

    void setOutputs() {
        BlockModel base(*graph_, ops_.catalog, names_);
        std::vector<Value*> outputs = plan_.loss.build(base);
        for (const std::string& name : spec_.extraOutputs) {
            Value* value = graph_->at(name);
            if (std::find(outputs.begin(), outputs.end(), value) == outputs.end()) {
                outputs.push_back(value);
            }
        }
        graph_->setOutputs(std::move(outputs));
    }

    const OpSet& ops_;
    const GradientRules rules_;
    const ArtifactSpec& spec_;
    const ArtifactPlan& plan_;
    std::unique_ptr<Graph> graph_;
    NameCounter names_;
};

}  // namespace

GradientRules chosenRules(const GradientRules& rules, const ArtifactPlan& plan) {
    return rules.withStraightThrough(plan.straightThrough)
        .withoutTrainingForm(plan.frozenStatistics);
}

Artifacts generateArtifacts(const Graph& model, const OpSet& ops, const ArtifactSpec& spec,
                            blocks::Block* loss) {
    return generateArtifacts(model, ops, spec, planArtifacts(model, ops, spec, loss));
}

Artifacts generateArtifacts(const Graph& model, const OpSet& ops, const ArtifactSpec& spec,
                            const ArtifactPlan& plan) {
    throwFirstError(plan.findings);
    return Generator(model, ops, spec, plan).run();
}

}  // namespace temper
