// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/artifact_plan.h"

#include <algorithm>
#include <set>

#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/trainability.h"
#include "engine/autodiff/weight_hints.h"
#include "engine/core/joined.h"
#include "engine/ir/graph_set.h"
#include "engine/ir/origin.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/graph_folding.h"
#include "engine/training/artifacts/frozen_statistics.h"
#include "engine/training/artifacts/sequence_findings.h"
#include "engine/training/artifacts/stop_gradient.h"
#include "engine/training/artifacts/straight_through.h"
#include "engine/training/artifacts/training_graphs.h"
#include "engine/training/artifacts/training_opset.h"
#include "engine/training/edits/free_batch.h"
#include "engine/training/edits/half_precision.h"
#include "engine/training/edits/replacements/replacement.h"
#include "engine/training/loss/double_activation.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/parameter_groups.h"
#include "engine/training/parameters/parameter_selection.h"

namespace temper {
namespace {

Finding finding(const char* code, const std::string& message, const std::string& hint) {
    return {code, Severity::Error, "", "", message, hint, {}};
}

/// Works on a copy of the model whose types are inferred.
class Planner {
public:
    Planner(const Graph& model, const OpSet& ops, const ArtifactSpec& spec, blocks::Block* block)
        : model_(model),
          graph_(foldedForTraining(model, ops, spec)),
          ops_(ops),
          spec_(spec),
          block_(block) {}

    ArtifactPlan run() {
        plan_.findings = inferTypes(*graph_, ops_.catalog);
        selectAll();
        checkNames();
        const std::vector<Value*> predictions = choosePredictions();
        checkExtraOutputs();
        chooseStatistics();
        chooseStraightThrough();
        chooseStops(predictions);
        if (!predictions.empty()) analyze(predictions);
        checkAnyTrains();
        if (auto remark = fitTrainingOpset(*graph_->clone(), ops_.catalog))
            remarks_.push_back(std::move(*remark));
        dropRepeatedFindings(plan_.findings);
        explainSequences(*graph_, ops_.catalog, plan_.findings);
        addAll(std::move(remarks_));
        return std::move(plan_);
    }

private:
    void add(Finding found) { plan_.findings.push_back(std::move(found)); }

    void addAll(std::vector<Finding> found) {
        std::move(found.begin(), found.end(), std::back_inserter(plan_.findings));
    }

    void selectAll() {
        const std::vector<ParameterInfo> parameters = classifyParameters(*graph_, ops_.catalog);
        remarks_ = findHiddenWeights(*graph_, ops_.catalog, parameters);
        if (auto remark = remarkOnHalfPrecision(*graph_)) remarks_.push_back(std::move(*remark));
        if (auto remark = remarkOnFixedBatch(*graph_)) remarks_.push_back(std::move(*remark));
        couldTrain_ = std::ranges::any_of(parameters, canTrain);
        ParameterSelection selection = selectParameters(parameters, spec_);
        plan_.trainable = std::move(selection.trainable);
        plan_.frozen = std::move(selection.frozen);
        for (const ParameterInfo& info : parameters) {
            if (!info.parameters.empty()) plan_.moduleNames.emplace(info.name, info.parameters);
        }
        dropSettledRemarks();
        for (Finding& problem : selection.findings) nameOrigin(problem);
        addAll(std::move(selection.findings));
        addAll(
            checkParameterGroups(plan_.trainable, frozenOf(parameters), spec_, plan_.moduleNames));
    }

    /// Those that could train; statistics can't.
    std::vector<std::string> frozenOf(const std::vector<ParameterInfo>& parameters) const {
        const std::set<std::string> trained(plan_.trainable.begin(), plan_.trainable.end());
        std::vector<std::string> names;
        for (const ParameterInfo& info : parameters)
            if (info.parameterClass == ParameterClass::Trainable && !trained.contains(info.name))
                names.push_back(info.name);
        return names;
    }

    /// Statistics that do not train need no remark, and neither do constants that do.
    void dropSettledRemarks() {
        const std::set<std::string> trained(plan_.trainable.begin(), plan_.trainable.end());
        std::erase_if(remarks_, [&trained](const Finding& remark) {
            const bool trains = std::ranges::any_of(
                remark.parameters,
                [&trained](const std::string& name) { return trained.contains(name); });
            return (remark.code == "W005" && !trains) || (remark.code == "W001" && trains);
        });
    }

    void checkAnyTrains() {
        if (!plan_.trainable.empty() || spec_.optimizer.key == "none") return;
        if (couldTrain_) {
            return add(finding("A007", "No parameter of the model trains.",
                               "Choose parameters to train, or the optimizer 'none'."));
        }
        const auto inBodies = std::ranges::find(remarks_, "W003", &Finding::code);
        if (inBodies == remarks_.end()) {
            return add(finding("A007", "The model has no trainable parameters.",
                               "To compute only its loss, choose the optimizer 'none'."));
        }
        Finding found = finding("A007", "No parameter of the model trains. " + inBodies->message,
                                inBodies->hint);
        found.node = inBodies->node;
        found.op = inBodies->op;
        add(std::move(found));
    }

    void checkNames() {
        for (const Value* input : graph_->inputs()) {
            const bool reserved = std::any_of(
                kReservedEndings.begin(), kReservedEndings.end(),
                [&](std::string_view ending) { return input->name().ends_with(ending); });
            if (!reserved && input->name() != "lazy_reset_grad") continue;
            add(finding(
                "A009",
                "Input '" + input->name() + "' has a name that is reserved for training graphs.",
                "Rename the input of the model."));
        }
    }

    /// Returns: the values where gradients of the loss start.
    std::vector<Value*> choosePredictions() {
        plan_.loss = block_ != nullptr ? planLoss(*graph_, ops_.catalog, spec_, *block_)
                                       : planLoss(*graph_, ops_.catalog, spec_);
        explainFolded(plan_.loss.findings);
        addAll(plan_.loss.findings);
        std::vector<Value*> predictions;
        for (const std::string& name : plan_.loss.reads.predictions) {
            Value* value = graph_->find(name);
            if (value != nullptr && value->type().isTensor()) predictions.push_back(value);
        }
        return predictions;
    }

    /// Names a sequence that became plain tensors here: it is missing, but not for the user.
    void explainFolded(std::vector<Finding>& findings) const {
        const auto missing = std::ranges::find(findings, "A004", &Finding::code);
        if (missing == findings.end() || spec_.lossInputs.empty()) return;
        const std::unique_ptr<Graph> typed = model_.clone();
        inferTypes(*typed, ops_.catalog);
        const Value* value = typed->find(spec_.lossInputs.front());
        const auto objection = value == nullptr ? std::nullopt : objectionToKind(*value);
        if (objection) *missing = finding("A008", objection->message, objection->hint);
    }

    void checkExtraOutputs() {
        std::vector<std::string> seen;
        for (const std::string& name : spec_.extraOutputs) {
            const Value* value = graph_->find(name);
            if (value == nullptr || value->producer() == nullptr) {
                add(finding("A006", "Extra output '" + name + "' is not an output of the model.",
                            "Its outputs are: " + joined(graph_->outputs(), &Value::name) + "."));
            } else if (!value->type().isTensor()) {
                add(finding("A006",
                            "Extra output '" + name + "' is " + formatType(value->type()) +
                                "; a step gives tensors.",
                            "Choose a tensor, or add SequenceAt, ConcatFromSequence or "
                            "OptionalGetElement to the model."));
            } else if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
                add(finding("A006", "Extra output '" + name + "' is given twice.",
                            "Use each name once."));
            }
            seen.push_back(name);
        }
    }

    void chooseStatistics() {
        FrozenStatistics kept = resolveFrozenStatistics(*graph_, spec_.frozenStatistics);
        plan_.frozenStatistics = std::move(kept.outputs);
        addAll(std::move(kept.findings));
        freezeStatistics(*graph_, plan_.frozenStatistics);
    }

    void chooseStraightThrough() {
        StraightThroughNodes nodes =
            resolveStraightThrough(*graph_, ops_.gradients, spec_.straightThrough);
        plan_.straightThrough = std::move(nodes.outputs);
        addAll(std::move(nodes.findings));
    }

    /// Freezes the parameters that the user's stops cut off.
    void chooseStops(const std::vector<Value*>& predictions) {
        StoppedValues stopped = resolveStopGradient(*graph_, spec_.stopGradient);
        addAll(std::move(stopped.findings));
        plan_.stopGradient = std::move(stopped.names);
        if (plan_.stopGradient.empty()) return;
        StoppedGradients stops =
            stopGradients(*graph_, ops_.catalog, plan_.stopGradient, predictions, trainable());
        for (std::string& name : stops.cutOff) {
            std::erase(plan_.trainable, name);
            plan_.frozen.push_back(std::move(name));
        }
        addAll(std::move(stops.findings));
    }

    std::vector<Value*> trainable() const {
        std::vector<Value*> parameters;
        for (const std::string& name : plan_.trainable) parameters.push_back(graph_->at(name));
        return parameters;
    }

    void analyze(const std::vector<Value*>& predictions) {
        const GradientRules rules = chosenRules(ops_.gradients, plan_);
        std::vector<Finding> found =
            analyzeTrainability(*graph_, ops_.catalog, rules, predictions, trainable());
        offerReplacements(*graph_, found);
        if (hasErrors(plan_.loss.findings)) {
            std::erase_if(found, [](const Finding& f) { return f.code == "G003"; });
        }
        leaveOutUnused(found);
        const bool isBlocked = hasErrors(found) || hasErrors(plan_.findings);
        addAll(std::move(found));
        addAll(tryRules(rules, isBlocked));
    }

    /// Finds what only the rules themselves know. After another problem, parameters that get no
    /// gradient are no news.
    std::vector<Finding> tryRules(const GradientRules& rules, bool isBlocked) {
        if (hasContradictions()) return {};
        if (isBlocked && hasUnknownOperators()) return {};  // values after them have no types
        try {
            const std::string loss = prepareForGradients();
            if (plan_.trainable.empty()) return {};
            std::vector<Finding> found =
                tryGradients(*graph_, ops_.catalog, rules, {graph_->at(loss)}, trainable());
            if (isBlocked) std::erase_if(found, [](const Finding& f) { return f.code == "G003"; });
            return found;
        } catch (const Error& error) {
            if (isBlocked) return {};
            return {finding("A008", error.what(), error.hint())};
        }
    }

    bool hasContradictions() const {
        return std::any_of(plan_.findings.begin(), plan_.findings.end(), [](const Finding& f) {
            return f.severity == Severity::Error &&
                   (f.code == "T002" || f.code == "A008" || f.code == "A020");
        });
    }

    bool hasUnknownOperators() const {
        return std::any_of(plan_.findings.begin(), plan_.findings.end(),
                           [](const Finding& f) { return f.code == "T001"; });
    }

    /// As for the training model; the graph is then no longer the model. Returns: the loss's name.
    std::string prepareForGradients() {
        NameCounter names;
        BlockModel base(*graph_, ops_.catalog, names);
        const auto nodes = graph_->nodes();
        const GraphSet<Node> own(nodes.begin(), nodes.end());
        Value* loss = plan_.loss.build(base).front();
        for (Finding& found : findDoubleActivations(*graph_, ops_.catalog, own)) {
            remarks_.push_back(std::move(found));
        }
        std::string name = loss->name();
        graph_->setOutputs({loss});
        graph_->info().opsetImports[std::string(kMicrosoftDomain)] = 1;
        std::vector<Value*> parameters;
        for (const auto* list : {&plan_.trainable, &plan_.frozen}) {
            for (const std::string& parameter : *list) parameters.push_back(graph_->at(parameter));
        }
        graph_->initializersToInputs(parameters);
        foldKnownValues(*graph_, ops_.catalog, ops_.cpuKernels);
        inferTypes(*graph_, ops_.catalog);
        return name;
    }

    /// For a name that is a parameter after Identity, Transpose, ...: says which parameter.
    void nameOrigin(Finding& problem) const {
        if (problem.code != "A001") return;
        const Value* origin = originOf(graph_->find(problem.parameters.front()), ops_.catalog);
        if (origin == nullptr) return;
        problem.hint = "It is computed from '" + origin->name() + "': use that name.";
    }

    /// If the user named no parameter, those that do not influence the loss are frozen
    /// automatically.
    void leaveOutUnused(std::vector<Finding>& found) {
        if (!spec_.trainable.empty()) return;
        for (Finding& problem : found) {
            if (problem.code != "G003") continue;
            problem.severity = Severity::Warning;
            problem.hint =
                "It is frozen. To train it, let the loss read an output that depends on it.";
            const std::string& name = problem.parameters.front();
            std::erase(plan_.trainable, name);
            plan_.frozen.push_back(name);
        }
    }

    const Graph& model_;
    std::unique_ptr<Graph> graph_;
    const OpSet& ops_;
    const ArtifactSpec& spec_;
    blocks::Block* block_;
    ArtifactPlan plan_;
    std::vector<Finding> remarks_;
    bool couldTrain_ = false;  ///< something would train if it were chosen
};

}  // namespace

ArtifactPlan planArtifacts(const Graph& model, const OpSet& ops, const ArtifactSpec& spec,
                           blocks::Block* loss) {
    return Planner(model, ops, spec, loss).run();
}

}  // namespace temper
