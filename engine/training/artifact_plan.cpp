// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "engine/autodiff/trainability.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/control_folding.h"
#include "engine/training/artifacts.h"
#include "engine/training/parameter_selection.h"

namespace temper {
namespace {

/// The runtime hides inputs and outputs with these endings from the user.
constexpr std::array<std::string_view, 3> kReservedEndings = {"_grad", "_grad.accumulation.buffer",
                                                              "_grad.accumulation.out"};

Finding finding(const char* code, const std::string& message, const std::string& hint) {
    return {code, Severity::Error, "", "", message, hint, {}};
}

std::string listOf(const std::vector<Value*>& values) {
    std::string text;
    for (const Value* value : values) text += (text.empty() ? "" : ", ") + value->name();
    return text;
}

/// Works on a copy of the model whose types are inferred.
class Planner {
public:
    Planner(const Graph& model, const OpSet& ops, const ArtifactSpec& spec)
        : graph_(withFoldedControlFlow(model, ops.catalog, ops.cpuKernels)),
          ops_(ops),
          spec_(spec) {}

    ArtifactPlan run() {
        plan_.findings = inferTypes(*graph_, ops_.catalog);
        selectAll();
        checkNames();
        Value* prediction = findPrediction();
        if (prediction != nullptr) checkPrediction(*prediction);
        checkExtraOutputs();
        if (prediction != nullptr) analyze(prediction);
        return std::move(plan_);
    }

private:
    void add(Finding found) { plan_.findings.push_back(std::move(found)); }

    void selectAll() {
        ParameterSelection selection =
            selectParameters(classifyParameters(*graph_, ops_.catalog), spec_);
        plan_.trainable = std::move(selection.trainable);
        plan_.frozen = std::move(selection.frozen);
        std::move(selection.findings.begin(), selection.findings.end(),
                  std::back_inserter(plan_.findings));
        if (plan_.trainable.empty() && spec_.optimizer.key != "none") {
            add(finding("A007", "No parameter of the model trains.",
                        "Choose parameters to train, or the optimizer 'none'."));
        }
    }

    void checkNames() {
        for (const Value* input : graph_->inputs()) {
            const bool reserved = std::any_of(
                kReservedEndings.begin(), kReservedEndings.end(),
                [&](std::string_view ending) { return input->name().ends_with(ending); });
            if (!reserved && input->name() != "lazy_reset_grad") continue;
            add(finding("A009",
                        "Input '" + input->name() + "' has a name that training graphs use.",
                        "Rename the input of the model."));
        }
    }

    Value* findPrediction() {
        if (!spec_.lossInputs.empty()) return namedPrediction(spec_.lossInputs.front());
        if (graph_->outputs().size() == 1) return graph_->outputs().front();
        add(finding("A004",
                    "The model has " + std::to_string(graph_->outputs().size()) + " outputs (" +
                        listOf(graph_->outputs()) + "); the loss reads one of them.",
                    "Name the output that the loss reads."));
        return nullptr;
    }

    Value* namedPrediction(const std::string& name) {
        Value* value = graph_->find(name);
        if (value != nullptr && !value->isInitializer()) return value;
        add(finding("A004", "The model has no value '" + name + "' for the loss to read.",
                    "Its outputs are: " + listOf(graph_->outputs()) + "."));
        return nullptr;
    }

    void checkPrediction(const Value& prediction) {
        if (auto problem = checkLoss(spec_.loss, prediction)) add(std::move(*problem));
        plan_.prediction = prediction.name();
        if (spec_.loss.key == "none") return;
        plan_.target =
            spec_.lossInputs.size() > 1 ? spec_.lossInputs[1] : defaultTargetName(spec_.loss.key);
        const Value* taken = graph_->find(plan_.target);
        if (taken != nullptr && !taken->isGraphInput()) {
            add(finding("A005",
                        "The target is to be called '" + plan_.target +
                            "', but the model has a value of that name.",
                        "Give the target another name."));
        }
    }

    void checkExtraOutputs() {
        std::vector<std::string> seen;
        for (const std::string& name : spec_.extraOutputs) {
            const Value* value = graph_->find(name);
            if (value == nullptr || value->producer() == nullptr) {
                add(finding("A006", "Extra output '" + name + "' is not computed by the model.",
                            "Its outputs are: " + listOf(graph_->outputs()) + "."));
            } else if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
                add(finding("A006", "Extra output '" + name + "' is given twice.",
                            "Give each name once."));
            }
            seen.push_back(name);
        }
    }

    void analyze(Value* prediction) {
        std::vector<Value*> parameters;
        for (const std::string& name : plan_.trainable) parameters.push_back(graph_->at(name));
        std::vector<Finding> found =
            analyzeTrainability(*graph_, ops_.catalog, ops_.gradients, {prediction}, parameters);
        leaveOutUnused(found);
        std::move(found.begin(), found.end(), std::back_inserter(plan_.findings));
    }

    /// Where the user named no parameter, those that do not influence the loss are frozen by
    /// themselves.
    void leaveOutUnused(std::vector<Finding>& found) {
        if (!spec_.trainable.empty()) return;
        for (Finding& problem : found) {
            if (problem.code != "G003") continue;
            problem.severity = Severity::Warning;
            problem.hint = "It is frozen. Choose the output that depends on it to train it.";
            const std::string& name = problem.parameters.front();
            std::erase(plan_.trainable, name);
            plan_.frozen.push_back(name);
        }
    }

    std::unique_ptr<Graph> graph_;
    const OpSet& ops_;
    const ArtifactSpec& spec_;
    ArtifactPlan plan_;
};

}  // namespace

ArtifactPlan planArtifacts(const Graph& model, const OpSet& ops, const ArtifactSpec& spec) {
    return Planner(model, ops, spec).run();
}

}  // namespace temper
