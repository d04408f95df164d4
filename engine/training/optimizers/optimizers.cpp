// SPDX-License-Identifier: Apache-2.0
#include "engine/training/optimizers/optimizers.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/core/error.h"
#include "engine/ops/update/update.h"
#include "engine/training/optimizers/optimizer_composer.h"

namespace temper {
namespace {

using Element = OptimizerComposer::Element;
/// Metadata of composed models: the choice as JSON.
constexpr const char* kMetadata = "temper.optimizer";

/// The values of a selection.
struct Values {
    const Selection& selection;

    double operator[](const char* key) const { return selection.value(optimizerChoices(), key); }
};

struct OptimizerEntry {
    Choice choice;
    /// Adds the nodes for ONNX Runtime after clipping. Returns: the flag.
    Value* (*compose)(OptimizerComposer& model, const Values& values);
    double weightDecay = 0;  ///< the default

    OptimizerRule rule() const {
        const auto rule = optimizerRule(choice.key);
        TEMPER_ASSERT(rule, "each optimizer has a rule");
        return *rule;
    }
};

// ---- composition of each optimizer -------------------------------------------------------------

Value* composeSgd(OptimizerComposer& model, const Values&) {
    return model.sgd(model.learningRate(), model.gradients());
}

Attributes adamAttributes(double beta1, double beta2, double epsilon, double decay, bool corrects,
                          int64_t mode) {
    return {{"alpha", static_cast<float>(beta1)},     {"beta", static_cast<float>(beta2)},
            {"epsilon", static_cast<float>(epsilon)}, {"weight_decay", static_cast<float>(decay)},
            {"correct_bias", int64_t{corrects}},      {"adam_mode", mode}};
}

Value* composeAdamW(OptimizerComposer& model, const Values& v) {
    return model.adam(
        nullptr, adamAttributes(v["beta1"], v["beta2"], v["epsilon"], v["weight_decay"], true, 1));
}

Value* composeAdamWTorch(OptimizerComposer& model, const Values& v) {
    return model.adam(
        nullptr, adamAttributes(v["beta1"], v["beta2"], v["epsilon"], v["weight_decay"], true, 0));
}

Value* composeAdam(OptimizerComposer& model, const Values& v) {
    return model.adam(nullptr, adamAttributes(v["beta1"], v["beta2"], v["epsilon"], 0, true, 0));
}

Value* composeMomentum(OptimizerComposer& model, const Values& v) {
    const auto moment = [mu = v["momentum"]](const Element& e) {
        return e.first() * mu + e.gradient();
    };
    Value* flag = model.sgd(model.learningRate(), model.map(moment));
    return model.after(flag, [&] { model.assignFirst(moment); });
}

Value* composeNesterov(OptimizerComposer& model, const Values& v) {
    const auto moment = [mu = v["momentum"]](const Element& e) {
        return e.first() * mu + e.gradient();
    };
    Value* changes =
        model.map([&](const Element& e) { return e.gradient() + moment(e) * v["momentum"]; });
    Value* flag = model.sgd(model.learningRate(), changes);
    return model.after(flag, [&] { model.assignFirst(moment); });
}

/// The AdamWOptimizer, with a rate of zero, changes only the second moment.
Value* composeRmsProp(OptimizerComposer& model, const Values& v) {
    Value* flag =
        model.adam(model.constant(0), adamAttributes(1, v["alpha"], v["epsilon"], 0, false, 1));
    const auto moment = [&v](const Element& e) {
        return e.first() * v["momentum"] + e.gradient() / (sqrt(e.second()) + v["epsilon"]);
    };
    return model.after(flag, [&] {
        Value* moments = model.map(moment);
        model.changeParameters(moments);
        // Not the formula again: it would read what it may already have changed.
        model.assignFirst([=](const Element& e) { return e.at(moments); });
    });
}

Value* composeAdagrad(OptimizerComposer& model, const Values& v) {
    const auto squares = [](const Element& e) { return e.first() + e.gradient() * e.gradient(); };
    Value* changes = model.map([&](const Element& e) {
        return e.gradient() / (sqrt(squares(e) + v["initial_accumulator"]) + v["epsilon"]);
    });
    Value* rate = model.learningRate();
    if (v["rate_decay"] > 0) {
        const Var one = model.number(1);
        const Var steps = (model.step() - one) * model.number(v["rate_decay"]);
        rate = (model.variable(rate) / (steps + one)).value();
    }
    return model.after(model.sgd(rate, changes), [&] { model.assignFirst(squares); });
}

Value* composeLion(OptimizerComposer& model, const Values& v) {
    const auto mixed = [](const Element& e, double beta) {
        return e.first() * beta + e.gradient() * (1 - beta);
    };
    Value* changes = model.map([&](const Element& e) {
        return sign(mixed(e, v["beta1"])) + e.weight() * v["weight_decay"];
    });
    Value* flag = model.sgd(model.learningRate(), changes);
    return model.after(
        flag, [&] { model.assignFirst([&](const Element& e) { return mixed(e, v["beta2"]); }); });
}

/// The AdamWOptimizer, with a rate of zero, changes only the moments.
Value* composeLamb(OptimizerComposer& model, const Values& v) {
    Value* flag = model.adam(model.constant(0),
                             adamAttributes(v["beta1"], v["beta2"], v["epsilon"], 0, false, 1));
    const auto correction = [&](const char* beta) {
        return (model.number(1) - pow(model.number(v[beta]), model.step())).value();
    };
    Value* correction1 = correction("beta1");
    Value* correction2 = correction("beta2");
    return model.after(flag, [&] {
        model.changeParameters(model.map([&](const Element& e) {
            const Var root = sqrt(e.second() / e.outer(correction2));
            const Var ratio = e.first() / e.outer(correction1) / (root + v["epsilon"]);
            const Var weight = e.weight();
            const Var change = ratio + weight * v["weight_decay"];
            const Var weights = sqrt(sum(weight * weight, {}));
            const Var changes = sqrt(sum(change * change, {}));
            const Var zero = weights * 0.0;
            const Var moves = logicalAnd(greater(weights, zero), greater(changes, zero));
            const Var one = zero + 1.0;
            return change * where(moves, weights / where(moves, changes, one), one);
        }));
    });
}

// ---- descriptions ------------------------------------------------------------------------------

/// For ONNX Runtime, prepareGradients() adds what is part of the gradient.
HyperParameter weightDecay(const OptimizerEntry& entry) {
    if (entry.rule().decaysGradient) {
        return {"weight_decay",
                "Weight decay",
                "",
                entry.weightDecay,
                0,
                1,
                "This share of each weight is added to its gradient.",
                HyperParameter::Kind::Number,
                "off"};
    }
    return {"weight_decay",
            "Weight decay",
            "per step and learning rate",
            entry.weightDecay,
            0,
            1,
            "Shrinks the weights a little with every step.",
            HyperParameter::Kind::Number,
            "off"};
}

HyperParameter momentum(double defaultValue) {
    return {"momentum",
            "Momentum",
            "",
            defaultValue,
            0,
            0.999999,
            "Share of the last change that is kept.",
            HyperParameter::Kind::Number,
            "off"};
}

HyperParameter epsilon(double defaultValue) {
    return {"epsilon", "Epsilon", "", defaultValue, 1e-12, 1, "Keeps the division away from zero."};
}

std::vector<HyperParameter> betasAndEpsilon(double defaultEpsilon) {
    return {{"beta1", "Beta 1", "", 0.9, 0, 0.999999, "Decay of the mean of gradients."},
            {"beta2", "Beta 2", "", 0.999, 0, 0.999999, "Decay of the mean of squared gradients."},
            epsilon(defaultEpsilon)};
}

/// Adds what all have.
OptimizerEntry withDecayAndClipping(OptimizerEntry entry) {
    std::vector<HyperParameter>& parameters = entry.choice.hyperParameters;
    parameters.push_back(weightDecay(entry));
    parameters.push_back({"clip_norm", "Clip gradient norm", "", 0, 0, 1e6,
                          "Scales all gradients down to this norm; 0 is off.",
                          HyperParameter::Kind::Number, "off"});
    parameters.push_back({"clip_value", "Clip gradients", "", 0, 0, 1e6,
                          "Clips each number of the gradients to this size; 0 is off.",
                          HyperParameter::Kind::Number, "off"});
    return entry;
}

std::vector<HyperParameter> lionParameters() {
    return {{"beta1", "Beta 1", "", 0.9, 0, 0.999999,
             "Share of the moment in the direction of a step."},
            {"beta2", "Beta 2", "", 0.99, 0, 0.999999, "Decay of the mean of gradients."}};
}

std::vector<HyperParameter> adagradParameters() {
    return {{"rate_decay", "Decay of the rate", "per step", 0, 0, 1,
             "The rate is divided by 1 + this times the steps done.", HyperParameter::Kind::Number,
             "off"},
            {"initial_accumulator", "First sum", "", 0, 0, 1e6,
             "Initial value of the sums of squared gradients."},
            epsilon(1e-10)};
}

std::vector<HyperParameter> rmsPropParameters() {
    return {{"alpha", "Alpha", "", 0.99, 0, 0.999999, "Decay of the mean of squared gradients."},
            momentum(0),
            epsilon(1e-8)};
}

std::vector<OptimizerEntry> makeOptimizerEntries() {
    return {
        {{"adamw", "AdamW", "Adapts the step of each weight; ONNX Runtime's defaults.",
          betasAndEpsilon(1e-6)},
         composeAdamW},
        {{"adamw-torch", "AdamW (PyTorch's form)",
          "The weights decay before the step; PyTorch's defaults.", betasAndEpsilon(1e-8)},
         composeAdamWTorch,
         0.01},
        {{"sgd", "SGD", "Plain gradient descent.", {}}, composeSgd},
        {{"momentum",
          "SGD with momentum",
          "Gradient descent that keeps its direction for a while.",
          {momentum(0.9)}},
         composeMomentum},
        {{"nesterov",
          "SGD with Nesterov's momentum",
          "Like momentum, with the gradient at the point ahead.",
          {momentum(0.9)}},
         composeNesterov},
        {{"adam", "Adam", "AdamW's ancestor: the decay is part of the gradient.",
          betasAndEpsilon(1e-8)},
         composeAdam},
        {{"rmsprop", "RMSProp",
          "Divides the step of each weight by the size of its recent gradients.",
          rmsPropParameters()},
         composeRmsProp},
        {{"adagrad", "Adagrad",
          "Divides the step of each weight by the size of all its gradients so far.",
          adagradParameters()},
         composeAdagrad},
        {{"lion", "Lion", "Steps of fixed size in the direction of the mean; needs a small rate.",
          lionParameters()},
         composeLion},
        {{"lamb", "LAMB", "Adam with a rate for each tensor, for large batches.",
          betasAndEpsilon(1e-6)},
         composeLamb},
    };
}

const std::vector<OptimizerEntry>& optimizerEntries() {
    static const std::vector<OptimizerEntry> kEntries = [] {
        std::vector<OptimizerEntry> entries = makeOptimizerEntries();
        std::ranges::transform(entries, entries.begin(), withDecayAndClipping);
        return entries;
    }();
    return kEntries;
}

const OptimizerEntry& entryOf(const Selection& optimizer) {
    requireValid(optimizer, optimizerChoices());
    const auto found = std::ranges::find_if(optimizerEntries(), [&](const OptimizerEntry& entry) {
        return entry.choice.key == optimizer.key;
    });
    TEMPER_ASSERT(found != optimizerEntries().end(), "the optimizer 'none' has no model");
    return *found;
}

/// Clamps the gradients and adds the penalty, if requested.
void prepareGradients(OptimizerComposer& model, const OptimizerEntry& entry, const Values& values) {
    const double clip = values["clip_value"];
    const double share = entry.rule().decaysGradient ? values["weight_decay"] : 0;
    if (clip <= 0 && share <= 0) return;
    Value* low = clip > 0 ? model.constant(static_cast<float>(-clip)) : nullptr;
    Value* high = clip > 0 ? model.constant(static_cast<float>(clip)) : nullptr;
    model.replaceGradients([=](const Element& e) {
        Var gradient = e.gradient();
        if (clip > 0) {
            GradientEmitter& emitter = gradient.emitter();
            gradient = emitter.op("Min", {gradient, e.outer(high)});
            gradient = emitter.op("Max", {gradient, e.outer(low)});
        }
        return share > 0 ? gradient + e.weight() * share : gradient;
    });
}

std::string toMetadata(const Selection& optimizer) {
    return nlohmann::json{{"key", optimizer.key}, {"values", optimizer.values}}.dump();
}

Selection fromMetadata(const std::string& text) {
    try {
        const nlohmann::json json = nlohmann::json::parse(text);
        Selection selection{json.at("key"), json.at("values")};
        requireValid(selection, optimizerChoices());
        return selection;
    } catch (const nlohmann::json::exception&) {
        throw Error(ErrorCode::InvalidInput,
                    "The optimizer model's metadata '" + std::string(kMetadata) + "' is '" + text +
                        "'; expected a choice of optimizer as JSON.",
                    "Generate the optimizer model again.");
    }
}

}  // namespace

const std::vector<Choice>& optimizerChoices() {
    static const std::vector<Choice> kChoices = [] {
        std::vector<Choice> choices;
        for (const OptimizerEntry& entry : optimizerEntries()) choices.push_back(entry.choice);
        choices.push_back(
            {"none", "None", "No optimizer model: gradients and evaluation only.", {}});
        return choices;
    }();
    return kChoices;
}

std::unique_ptr<Graph> makeOptimizerModel(const Selection& optimizer, const OpCatalog& catalog,
                                          int64_t opset, NameCounter& names) {
    const OptimizerEntry& entry = entryOf(optimizer);
    const Values values{optimizer};
    OptimizerComposer model(catalog, opset, names, entry.rule().moments);
    model.clipNorm(values["clip_norm"]);
    prepareGradients(model, entry, values);
    Value* flag = entry.compose(model, values);
    const bool isComposed = model.isComposed();
    std::unique_ptr<Graph> graph = model.finish(flag);
    if (isComposed) graph->info().metadata[kMetadata] = toMetadata(optimizer);
    return graph;
}

std::unique_ptr<Graph> makeFusedOptimizerModel(const Selection& optimizer, int64_t opset,
                                               const GroupedParameters* groups) {
    const OptimizerEntry& entry = entryOf(optimizer);
    NameCounter names;
    const OpCatalog noOperators;
    OptimizerComposer model(noOperators, opset, names, entry.rule().moments);
    model.clipNorm(Values{optimizer}["clip_norm"]);
    Attributes attributes{{"rule", optimizer.key}};
    for (const HyperParameter& parameter : entry.choice.hyperParameters) {
        if (parameter.key == "clip_norm") continue;
        attributes[parameter.key] =
            static_cast<float>(optimizer.value(optimizerChoices(), parameter.key));
    }
    if (groups != nullptr) {
        attributes["parameters"] = groups->names;
        attributes["learning_rate_factors"] = groups->learningRateFactors;
        attributes["weight_decays"] = groups->weightDecays;
        if (std::ranges::any_of(groups->startSteps, [](int64_t step) { return step != 0; }))
            attributes["start_steps"] = groups->startSteps;
    }
    return model.finish(model.fused(std::move(attributes)));
}

std::shared_ptr<const Graph> executableOptimizer(std::shared_ptr<const Graph> model) {
    const auto found = model->info().metadata.find(kMetadata);
    if (found == model->info().metadata.end()) return model;
    return makeFusedOptimizerModel(fromMetadata(found->second), model->info().onnxOpset());
}

}  // namespace temper
