// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/weight_groups.h"

#include <algorithm>
#include <limits>

#include "engine/core/joined.h"
#include "engine/training/optimizers/optimizers.h"

namespace temper::classic {
namespace {

constexpr float kDefaultMaxNorm = 1;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A classic optimizer: its attributes with their defaults. Source: spec/training_api.md 10.3.
struct ClassicOptimizer {
    std::string name;
    std::map<std::string, float> floats;
    std::map<std::string, int64_t> integers;
};

const std::vector<ClassicOptimizer>& classicOptimizers() {
    static const std::vector<ClassicOptimizer> kOptimizers = {
        {"SGDOptimizer", {{"max_norm_clip", kDefaultMaxNorm}}, {}},
        {"AdamOptimizer",
         {{"alpha", 0.9F},
          {"beta", 0.999F},
          {"lambda", 0.0F},
          {"epsilon", 1e-8F},
          {"max_norm_clip", kDefaultMaxNorm}},
         {{"do_bias_correction", 1}, {"weight_decay_mode", 0}}},
        {"LambOptimizer",
         {{"alpha", 0.9F},
          {"beta", 0.999F},
          {"lambda", 0.0F},
          {"epsilon", 1e-6F},
          {"ratio_min", -kInfinity},
          {"ratio_max", kInfinity},
          {"max_norm_clip", kDefaultMaxNorm}},
         {{"do_bias_correction", 1}}},
    };
    return kOptimizers;
}

const ClassicOptimizer& findOptimizer(const std::string& name) {
    for (const ClassicOptimizer& optimizer : classicOptimizers()) {
        if (optimizer.name == name) return optimizer;
    }
    throw Error(ErrorCode::Unsupported, "The optimizer '" + name + "' is unknown.",
                "Choose one of: " + joined(classicOptimizers(), &ClassicOptimizer::name) + ".");
}

/// The attributes of one weight.
struct Settings {
    std::map<std::string, float> floats;
    std::map<std::string, int64_t> integers;
    bool operator==(const Settings&) const = default;
};

template <typename T>
void overwrite(std::map<std::string, T>& defaults,
               const std::map<std::string, std::map<std::string, T>>& given,
               const std::string& weight, const std::string& optimizer) {
    const auto found = given.find(weight);
    if (found == given.end()) return;
    for (const auto& [name, value] : found->second) {
        const auto entry = defaults.find(name);
        if (entry == defaults.end()) {
            throw Error(ErrorCode::InvalidInput,
                        "Attribute '" + name + "' of weight '" + weight + "' is unknown to " +
                            optimizer + ".",
                        "Remove it.");
        }
        entry->second = value;
    }
}

Settings settingsOf(const std::string& weight, const TrainingParameters& parameters) {
    const ClassicOptimizer& optimizer = findOptimizer(parameters.optimizerName);
    Settings settings{optimizer.floats, optimizer.integers};
    overwrite(settings.floats, parameters.optimizerAttributes, weight, optimizer.name);
    overwrite(settings.integers, parameters.optimizerIntAttributes, weight, optimizer.name);
    return settings;
}

template <typename T>
void requireWeights(const std::map<std::string, std::map<std::string, T>>& attributes,
                    const std::vector<std::string>& weights) {
    for (const auto& [weight, values] : attributes) {
        if (std::find(weights.begin(), weights.end(), weight) != weights.end()) continue;
        throw Error(
            ErrorCode::InvalidInput,
            "Optimizer attributes are given for '" + weight + "', which is not a trained weight.",
            "Remove them, or train the weight.");
    }
}

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
    throw Error(ErrorCode::Unsupported, what, hint);
}

/// Our name of an optimizer with such settings.
std::string keyOf(const Settings& settings, const std::string& optimizer) {
    if (optimizer == "SGDOptimizer") return "sgd";
    const bool correctsBias = settings.integers.at("do_bias_correction") != 0;
    if (optimizer == "LambOptimizer") {
        const bool limits = settings.floats.at("ratio_min") != -kInfinity ||
                            settings.floats.at("ratio_max") != kInfinity;
        if (!limits && correctsBias) return "lamb";
        refuse("LambOptimizer always corrects its bias and does not limit its ratio.",
               "Omit do_bias_correction, ratio_min and ratio_max.");
    }
    if (settings.integers.at("weight_decay_mode") != 0) return "adamw";
    if (correctsBias) return "adamw-torch";
    refuse("AdamOptimizer without bias correction needs weight_decay_mode 1.",
           "Set weight_decay_mode to 1, or do_bias_correction.");
}

Selection selectionOf(const Settings& settings, const std::string& optimizer) {
    Selection selection{keyOf(settings, optimizer), {}};
    if (selection.key == "sgd") return selection;
    for (const auto& [ours, classic] : {std::pair{"beta1", "alpha"},
                                        {"beta2", "beta"},
                                        {"weight_decay", "lambda"},
                                        {"epsilon", "epsilon"}}) {
        selection.values[ours] = static_cast<double>(settings.floats.at(classic));
    }
    return selection;
}

std::shared_ptr<const Graph> modelOf(const Settings& settings, const TrainingParameters& parameters,
                                     const OpCatalog& catalog, int64_t opset) {
    NameCounter names;
    std::unique_ptr<Graph> model =
        makeOptimizerModel(selectionOf(settings, parameters.optimizerName), catalog, opset, names);
    for (const char* name : {"first_order_moments", "second_order_moments"}) {
        Value* moments = model->find(name);
        if (moments != nullptr) moments->setType({parameters.momentType, std::nullopt, true});
    }
    if (parameters.optimizerName != "AdamOptimizer") return model;
    for (Node* node : model->nodes()) {
        if (!node->hasAttribute("correct_bias")) continue;
        const bool corrects = settings.integers.at("do_bias_correction") != 0;
        node->setAttribute("correct_bias", int64_t{corrects});
    }
    return model;
}

}  // namespace

std::vector<WeightGroup> makeWeightGroups(const std::vector<std::string>& weights,
                                          const TrainingParameters& parameters,
                                          const OpCatalog& catalog, int64_t opset) {
    requireWeights(parameters.optimizerAttributes, weights);
    requireWeights(parameters.optimizerIntAttributes, weights);
    if (parameters.optimizerName.empty()) return {};
    std::vector<WeightGroup> groups;
    std::vector<Settings> settings;
    for (const std::string& weight : weights) {
        const Settings mine = settingsOf(weight, parameters);
        auto found = std::find(settings.begin(), settings.end(), mine);
        if (found == settings.end()) {
            groups.push_back({modelOf(mine, parameters, catalog, opset), {}});
            found = settings.insert(settings.end(), mine);
        }
        groups[static_cast<size_t>(found - settings.begin())].weights.push_back(weight);
    }
    return groups;
}

double clipNormOf(const std::vector<std::string>& weights, const TrainingParameters& parameters) {
    if (!parameters.enableGradNormClip || parameters.optimizerName.empty()) return 0;
    std::map<float, std::string> norms;
    for (const std::string& weight : weights) {
        norms.emplace(settingsOf(weight, parameters).floats.at("max_norm_clip"), weight);
    }
    if (norms.size() > 1) {
        throw Error(ErrorCode::InvalidInput,
                    "'max_norm_clip' is " + std::to_string(norms.begin()->first) + " for '" +
                        norms.begin()->second + "' and " + std::to_string(norms.rbegin()->first) +
                        " for '" + norms.rbegin()->second +
                        "'; expected one number, because the norm is taken over all gradients.",
                    "Give the same number for all weights.");
    }
    return norms.empty() ? 0 : static_cast<double>(norms.begin()->first);
}

}  // namespace temper::classic
