// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/loss_plan.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <set>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/training/loss/language_model.h"
#include "engine/training/loss/loss_function.h"

namespace temper {
namespace {

Finding finding(const char* code, const std::string& message, const std::string& hint) {
    return {code, Severity::Error, "", "", message, hint, {}};
}

Finding findingOf(const Error& error) { return finding("A008", error.message(), error.hint()); }

std::vector<std::string> lossKeys() {
    std::vector<std::string> keys;
    for (const Choice& choice : lossChoices()) keys.push_back(choice.key);
    return keys;
}

/// Whether the text is one word of letters, like a key.
bool isWord(const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

/// The value of this name from a node or the user; null after a finding.
const Value* namedPrediction(const Graph& model, const std::string& name, LossPlan& plan) {
    const Value* value = model.find(name);
    if (value != nullptr && !value->isInitializer()) return value;
    plan.findings.push_back(
        finding("A004", "The model has no value '" + name + "' for the loss to read.",
                "Its outputs are: " + joined(model.outputs(), &Value::name) + "."));
    return nullptr;
}

void remarkOnOtherOutputs(const Graph& model, const Value* main, LossPlan& plan) {
    std::vector<Value*> others = model.outputs();
    std::erase(others, main);
    plan.findings.push_back({"A021",
                             Severity::Info,
                             "",
                             "",
                             "The loss reads '" + main->name() + "'; the model's other " +
                                 counted(others.size(), "output") + " (" +
                                 joined(others, &Value::name) + ") are ignored.",
                             "To use another one, specify it: --loss-input NAME.",
                             {}});
}

/// The output, of several, that the loss reads; null if that is ambiguous.
const Value* chooseOutput(const Graph& model, const ArtifactSpec& spec) {
    const LossFunction* loss = findLossFunction(spec.loss.key);
    if (loss == nullptr) return nullptr;
    const Value* logits = loss->readsTokens ? findLogits(model) : nullptr;
    return logits != nullptr ? logits : findMainOutput(model);
}

/// What to do if it is unclear which of several outputs the loss reads.
std::string hintForOutputs(const Graph& model) {
    std::optional<LossObjection> objection;
    for (const Value* output : model.outputs()) {
        if (output->type().isTensor()) return "Specify the output that the loss reads.";
        if (!objection) objection = objectionToKind(*output);
    }
    return objection ? objection->hint : "Give the model an output.";
}

/// The output that a loss of one output reads.
const Value* findPrediction(const Graph& model, const ArtifactSpec& spec, LossPlan& plan) {
    if (!spec.lossInputs.empty()) return namedPrediction(model, spec.lossInputs.front(), plan);
    if (model.outputs().size() == 1) return model.outputs().front();
    if (const Value* main = chooseOutput(model, spec)) {
        remarkOnOtherOutputs(model, main, plan);
        return main;
    }
    plan.findings.push_back(finding("A004",
                                    "The model has " + counted(model.outputs().size(), "output") +
                                        " (" + joined(model.outputs(), &Value::name) +
                                        "); the loss reads one of them.",
                                    hintForOutputs(model)));
    return nullptr;
}

void checkTarget(const Graph& model, const std::string& target, LossPlan& plan) {
    const Value* taken = model.find(target);
    if (taken == nullptr || taken->isGraphInput()) return;
    plan.findings.push_back(finding(
        "A005", "The target can't be called '" + target + "': the model has a value of this name.",
        "Give the target another name."));
}

LossPlan planNone(const Graph& model, const ArtifactSpec& spec) {
    LossPlan plan;
    const Value* loss = findPrediction(model, spec, plan);
    if (loss == nullptr) return plan;
    const std::string name = loss->name();
    plan.reads.addPrediction(name);
    plan.build = [name](BlockModel& base) { return blocks::Values{base.value(name)}; };
    if (isSingleNumber(loss->type())) return plan;
    if (const auto objection = objectionToKind(*loss)) {
        plan.findings.push_back(finding("A008", objection->message, objection->hint));
        return plan;
    }
    plan.findings.push_back(finding("A008",
                                    "With loss 'none' the model's output is the loss; '" + name +
                                        "' is " + formatType(loss->type()) +
                                        ", expected a float32 scalar.",
                                    "Choose a loss, or an output that is a single number."));
    return plan;
}

/// The target's name, given or default; absent after a finding.
std::optional<std::string> chooseTarget(const Graph& model, const ArtifactSpec& spec,
                                        const LossFunction& loss, LossPlan& plan) {
    if (spec.lossInputs.size() > 1) return spec.lossInputs[1];
    try {
        return defaultTarget(loss, model);
    } catch (const Error& error) {
        plan.findings.push_back(finding("A020", error.message(), error.hint()));
        return std::nullopt;
    }
}

/// Reports what labels are made from, and which positions have none.
void remarkOnTokens(const Graph& model, const std::string& tokens, LossPlan& plan) {
    const Value* mask = tokenMask(model, blocks::Target(tokens));
    plan.findings.push_back(
        {"A022",
         Severity::Info,
         "",
         "",
         "The labels are the next tokens of '" + tokens + "'" +
             (mask != nullptr ? "; where '" + mask->name() + "' is 0, there are none." : "."),
         "If there is a padding token, specify it: --pad-id NUMBER.",
         {}});
}

/// Finds what the loss itself rejects by building it on a copy.
void tryBuilding(const Graph& model, const OpCatalog& catalog, const char* code, LossPlan& plan) {
    if (hasErrors(plan.findings)) return;
    const std::unique_ptr<Graph> copy = model.clone();
    NameCounter names;
    BlockModel base(*copy, catalog, names);
    try {
        plan.build(base);
    } catch (const Error& error) {
        plan.findings.push_back(finding(code, error.message(), error.hint()));
    }
}

/// A loss of one output, chosen by its key.
LossPlan planChosen(const Graph& model, const OpCatalog& catalog, const ArtifactSpec& spec,
                    const LossFunction& loss) {
    LossPlan plan;
    const Value* prediction = findPrediction(model, spec, plan);
    if (prediction == nullptr) return plan;
    const std::string name = prediction->name();
    plan.reads.addPrediction(name);
    const std::optional<std::string> chosen = chooseTarget(model, spec, loss, plan);
    if (!chosen) return plan;
    const std::string& target = *chosen;
    plan.reads.addTarget(target);
    if (const auto objection = objectionTo(loss, *prediction)) {
        plan.findings.push_back(finding("A008", objection->message, objection->hint));
    }
    checkTarget(model, target, plan);
    try {
        requireValid({loss.choice.key, spec.loss.values, spec.loss.lists}, {loss.choice});
    } catch (const Error& error) {
        plan.findings.push_back(findingOf(error));
    }
    plan.build = [&loss, name, target, options = spec.loss](BlockModel& base) {
        LossArguments arguments;
        arguments.loss = &loss;
        arguments.predictions = {base.value(name)};
        arguments.target = blocks::Target(target);
        arguments.options = options;
        return blocks::Values{loss.build(base, arguments)};
    };
    if (loss.readsLabelLists) tryBuilding(model, catalog, "A008", plan);
    if (loss.readsTokens) {
        tryBuilding(model, catalog, "A020", plan);
        if (!hasErrors(plan.findings)) remarkOnTokens(model, target, plan);
    }
    return plan;
}

LossPlan planUnknown(const std::string& key) {
    LossPlan plan;
    plan.findings.push_back(finding("A008", "Loss '" + key + "' is unknown.",
                                    didYouMean(key, lossKeys()) +
                                        "Choose one of: " + joined(lossKeys()) +
                                        "; or write a formula such as 0.5*mse(output, target)."));
    return plan;
}

LossPlan planPairwise(const LossFunction& loss, const std::string& key) {
    std::string call = key;
    std::replace(call.begin(), call.end(), '-', '_');
    LossPlan plan;
    plan.findings.push_back(
        finding("A008", "Loss '" + key + "' reads " + counted(loss.predictions, "output") + ".",
                "Specify them in a formula: " + call + "(output1, output2, target)."));
    return plan;
}

/// The inputs of losses without arguments in a formula.
std::vector<std::string> defaultInputs(const Graph& model, const ArtifactSpec& spec) {
    if (!spec.lossInputs.empty()) return spec.lossInputs;
    if (model.outputs().size() == 1) return {model.outputs().front()->name()};
    if (const Value* main = findMainOutput(model)) return {main->name()};
    return {};
}

/// Builds on a copy of the model to find out what is read and what is wrong.
void tryFormula(const Graph& model, const OpCatalog& catalog, const LossFormula& formula,
                const std::vector<std::string>& inputs, LossPlan& plan) {
    const std::unique_ptr<Graph> copy = model.clone();
    NameCounter names;
    BlockModel base(*copy, catalog, names);
    FormulaBuilder builder(base, formula, inputs);
    builder.run();
    plan.reads = builder.reads();
    for (const Error& error : builder.errors()) plan.findings.push_back(findingOf(error));
}

/// What a loss reads from the model that it was built on, derived from its nodes.
LossReads readsOf(const Graph& model, const Graph& withLoss, Value* loss) {
    LossReads reads;
    std::vector<const Value*> open = {loss};
    std::set<const Value*> seen;
    while (!open.empty()) {
        const Value* value = open.back();
        open.pop_back();
        if (!seen.insert(value).second) continue;
        if (const Value* own = model.find(value->name())) {
            if (!own->isGraphInput()) reads.addPrediction(own->name());
        } else if (value->producer() != nullptr) {
            for (const Value* input : value->producer()->inputs()) {
                if (input != nullptr) open.push_back(input);
            }
        }
    }
    for (const Value* input : withLoss.inputs()) {
        if (model.find(input->name()) == nullptr) reads.addTarget(input->name());
    }
    return reads;
}

LossPlan planFormula(const Graph& model, const OpCatalog& catalog, const ArtifactSpec& spec) {
    LossPlan plan;
    try {
        const auto formula = std::make_shared<const LossFormula>(parseLoss(spec.loss.key));
        const std::vector<std::string> inputs = defaultInputs(model, spec);
        tryFormula(model, catalog, *formula, inputs, plan);
        plan.build = [formula, inputs](BlockModel& base) {
            FormulaBuilder builder(base, *formula, inputs);
            Value* loss = builder.run();
            if (loss == nullptr) throw builder.errors().front();
            return blocks::Values{loss};
        };
    } catch (const Error& error) {
        plan.findings.push_back(findingOf(error));
    }
    std::vector<std::string> options;
    for (const auto& [key, value] : spec.loss.values) options.push_back(key);
    for (const auto& [key, list] : spec.loss.lists) options.push_back(key);
    for (const std::string& key : options) {
        plan.findings.push_back(
            finding("A008", "'" + key + "' does not apply to a formula as a whole.",
                    "Pass it to the loss that it is for: huber(output, target, delta=2)."));
    }
    return plan;
}

/// What a block reads if nothing is chosen: the outputs that are tensors, if any is.
std::vector<std::string> defaultBlockInputs(const Graph& model) {
    std::vector<Value*> tensors = model.outputs();
    std::erase_if(tensors, [](const Value* output) { return !output->type().isTensor(); });
    return namesOf(tensors.empty() ? model.outputs() : tensors);
}

/// A block may fail at a sequence or an optional in its own way; that is then the reason.
Finding findingOfBlock(const Graph& model, const std::vector<std::string>& inputs,
                       const Error& error) {
    for (const std::string& name : inputs) {
        if (const auto objection = objectionToKind(*model.at(name)))
            return finding("A008", objection->message, objection->hint);
    }
    return findingOf(error);
}

}  // namespace

LossPlan planLoss(const Graph& model, const OpCatalog& catalog, const ArtifactSpec& spec) {
    const std::string& key = spec.loss.key;
    if (key == "none") return planNone(model, spec);
    if (const LossFunction* loss = findLossFunction(key)) {
        return loss->predictions == 1 ? planChosen(model, catalog, spec, *loss)
                                      : planPairwise(*loss, key);
    }
    if (isWord(key) && model.find(key) == nullptr) return planUnknown(key);
    return planFormula(model, catalog, spec);
}

LossPlan planLoss(const Graph& model, const OpCatalog& catalog, const ArtifactSpec& spec,
                  blocks::Block& loss) {
    LossPlan plan;
    std::vector<std::string> inputs = spec.lossInputs;
    if (inputs.empty()) inputs = defaultBlockInputs(model);
    for (const std::string& name : inputs) {
        namedPrediction(model, name, plan);
    }
    plan.build = [&loss, inputs](BlockModel& base) { return loss(base, base.values(inputs)); };
    if (hasErrors(plan.findings)) return plan;
    const std::unique_ptr<Graph> copy = model.clone();
    NameCounter names;
    BlockModel base(*copy, catalog, names);
    try {
        Value* built = plan.build(base).front();
        plan.reads = readsOf(model, *copy, built);
        blocks::requireSingleNumber(*built);
    } catch (const Error& error) {
        plan.findings.push_back(findingOfBlock(model, inputs, error));
    }
    return plan;
}

}  // namespace temper
