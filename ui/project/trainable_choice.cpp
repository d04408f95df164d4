// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/trainable_choice.h"

#include <algorithm>

namespace temper::ui {
namespace {

bool matchesAny(const std::vector<std::string>& patterns, const std::string& name) {
    return std::any_of(patterns.begin(), patterns.end(), [&name](const std::string& pattern) {
        return pattern == name || matchesPattern(pattern, name);
    });
}

bool isTrained(const ArtifactSpec& spec, const std::string& name) {
    if (spec.trainable.empty()) return !matchesAny(spec.frozen, name);
    return matchesAny(spec.trainable, name) && !matchesAny(spec.frozen, name);
}

bool isTrainable(const ParameterInfo& parameter) {
    return parameter.parameterClass == ParameterClass::Trainable;
}

/// The trainable parameters that the last such node reads, itself or through the nodes (e.g.
/// Transpose) that only prepare weights.
std::set<std::string> lastLayer(const LoadedModel& model, const std::set<std::string>& trainable) {
    const std::vector<Node*> order = model.graph->topologicalOrder();
    std::set<std::string> names;
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        bool hasWeight = false;
        for (const Value* input : (*node)->inputs()) {
            if (input == nullptr || !trainable.contains(input->name())) continue;
            names.insert(input->name());
            hasWeight = hasWeight || input->type().rank() > 1;
        }
        // A bias may be added by a node behind the one with the weight.
        if (hasWeight) break;
    }
    return names;
}

bool isBias(const ParameterInfo& parameter) {
    return parameter.shape.size() <= 1 && !parameter.name.ends_with("weight") &&
           !parameter.name.ends_with("gamma");
}

}  // namespace

std::set<std::string> trainedParameters(const std::vector<ParameterInfo>& parameters,
                                        const ArtifactSpec& spec) {
    std::set<std::string> trained;
    for (const ParameterInfo& parameter : parameters)
        if (isTrainable(parameter) && isTrained(spec, parameter.name))
            trained.insert(parameter.name);
    return trained;
}

ArtifactSpec withTrainedParameters(ArtifactSpec spec, const std::vector<ParameterInfo>& parameters,
                                   const std::set<std::string>& trained) {
    std::vector<std::string> trains, frozen;
    for (const ParameterInfo& parameter : parameters) {
        if (!isTrainable(parameter)) continue;
        (trained.contains(parameter.name) ? trains : frozen).push_back(parameter.name);
    }
    spec.trainable.clear();
    spec.frozen.clear();
    const bool sayFrozen = frozen.size() <= trains.size() || trains.empty();
    (sayFrozen ? spec.frozen : spec.trainable) = sayFrozen ? frozen : trains;
    return spec;
}

std::set<std::string> presetParameters(const LoadedModel& model, TrainablePreset preset) {
    std::set<std::string> all, biases;
    for (const ParameterInfo& parameter : model.parameters) {
        if (!isTrainable(parameter)) continue;
        all.insert(parameter.name);
        if (isBias(parameter)) biases.insert(parameter.name);
    }
    switch (preset) {
        case TrainablePreset::All: return all;
        case TrainablePreset::LastLayer: return lastLayer(model, all);
        case TrainablePreset::Biases: return biases;
        case TrainablePreset::None: break;
    }
    return {};
}

ParameterCounts countParameters(const std::vector<ParameterInfo>& parameters,
                                const std::set<std::string>& trained) {
    ParameterCounts counts;
    for (const ParameterInfo& parameter : parameters) {
        if (trained.contains(parameter.name)) {
            ++counts.trainedTensors;
            counts.trainedElements += elementsOf(parameter);
        } else if (isTrainable(parameter)) {
            ++counts.frozenTensors;
            counts.frozenElements += elementsOf(parameter);
        }
    }
    return counts;
}

}  // namespace temper::ui
