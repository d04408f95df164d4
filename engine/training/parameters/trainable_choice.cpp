// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parameters/trainable_choice.h"

#include <algorithm>

#include "engine/training/parameters/name_expression.h"
#include "engine/training/parameters/parameter_places.h"
#include "engine/training/parameters/parameter_selection.h"

namespace temper {
namespace {

bool isTrainable(const ParameterInfo& parameter) {
    return parameter.parameterClass == ParameterClass::Trainable;
}

constexpr size_t kLastLayers = 3;

/// The parameters from the `count`th last layer with a weight on. A bias may be added by a node
/// after the one with the weight.
std::set<std::string> lastLayers(const Graph& model, const std::set<std::string>& trainable,
                                 size_t count) {
    std::set<std::string> names;
    size_t layers = 0;
    const auto places = parametersByPlace(model, trainable);
    for (auto place = places.rbegin(); place != places.rend() && layers < count; ++place) {
        names.insert(place->second.begin(), place->second.end());
        if (std::ranges::any_of(place->second, [&](const std::string& name) {
                return model.at(name)->type().rank() > 1;
            }))
            ++layers;
    }
    return names;
}

struct NormParameters {
    std::set<std::string> scales;
    std::set<std::string> all;
};

void addNode(const Node& node, const OperatorFacts& facts, NormParameters& norms) {
    if (!facts.scaleInput) return;
    const auto& inputs = node.inputs();
    for (size_t i = *facts.scaleInput; i < inputs.size(); ++i) {
        if (inputs[i] == nullptr || !inputs[i]->isInitializer()) continue;
        norms.all.insert(inputs[i]->name());
        if (i == *facts.scaleInput) norms.scales.insert(inputs[i]->name());
    }
}

/// A decomposed norm multiplies by its scale.
void addBlock(const Block& block, NormParameters& norms) {
    if (!block.kind.ends_with("Norm")) return;
    for (const Value* parameter : block.parameters) norms.all.insert(parameter->name());
    for (const Node* node : block.nodes) {
        if (node->opType() != "Mul") continue;
        for (const Value* input : node->inputs())
            if (input != nullptr && input->isInitializer()) norms.scales.insert(input->name());
    }
}

NormParameters normParameters(const Graph& model, const OpCatalog& catalog,
                              const std::vector<Block>& blocks) {
    NormParameters norms;
    for (const Node* node : model.topologicalOrder()) addNode(*node, catalog.facts(*node), norms);
    for (const Block& block : blocks) addBlock(block, norms);
    return norms;
}

bool isBias(const ParameterInfo& parameter) {
    const std::string& name =
        parameter.parameters.empty() ? parameter.name : parameter.parameters.front();
    return parameter.shape.size() == 1 && !name.ends_with("weight") && !name.ends_with("gamma");
}

int64_t bytesOf(const ParameterInfo& parameter) {
    return numElements(parameter.shape) * static_cast<int64_t>(dtypeSize(parameter.dtype));
}

}  // namespace

std::set<std::string> trainedParameters(const std::vector<ParameterInfo>& parameters,
                                        const ArtifactSpec& spec) {
    const ParameterSelection selection = selectParameters(parameters, spec);
    return {selection.trainable.begin(), selection.trainable.end()};
}

ArtifactSpec withTrainedParameters(ArtifactSpec spec, const std::vector<ParameterInfo>& parameters,
                                   const std::set<std::string>& trained) {
    std::vector<std::string> trains, frozen;
    bool hasConstants = false;
    for (const ParameterInfo& parameter : parameters) {
        const bool isWanted = trained.contains(parameter.name);
        if (isWanted && !isTrainable(parameter)) hasConstants = true;
        if (!isWanted && !isTrainable(parameter)) continue;
        (isWanted ? trains : frozen).push_back(parameter.name);
    }
    spec.trainable.clear();
    spec.frozen.clear();
    const bool sayFrozen = (frozen.size() <= trains.size() || trains.empty()) && !hasConstants;
    (sayFrozen ? spec.frozen : spec.trainable) = sayFrozen ? frozen : trains;
    return spec;
}

std::set<std::string> presetParameters(const Graph& model, const OpCatalog& catalog,
                                       const std::vector<ParameterInfo>& parameters,
                                       const std::vector<Block>& blocks, TrainablePreset preset) {
    const NormParameters norms = normParameters(model, catalog, blocks);
    std::set<std::string> all, biases, ofNorms;
    for (const ParameterInfo& parameter : parameters) {
        if (!isTrainable(parameter)) continue;
        all.insert(parameter.name);
        if (norms.all.contains(parameter.name)) ofNorms.insert(parameter.name);
        if (isBias(parameter) && !norms.scales.contains(parameter.name))
            biases.insert(parameter.name);
    }
    switch (preset) {
        case TrainablePreset::All: return all;
        case TrainablePreset::LastLayer: return lastLayers(model, all, 1);
        case TrainablePreset::LastLayers: return lastLayers(model, all, kLastLayers);
        case TrainablePreset::Biases: return biases;
        case TrainablePreset::Norms: return ofNorms;
        case TrainablePreset::None: break;
    }
    return {};
}

std::set<std::string> matchingParameters(const std::vector<ParameterInfo>& parameters,
                                         const std::string& text) {
    const NameExpression expression(text);
    std::set<std::string> matching;
    for (const ParameterInfo& parameter : parameters)
        if (isTrainable(parameter) &&
            (expression.matches(parameter.name) ||
             std::ranges::any_of(parameter.parameters, [&expression](const std::string& name) {
                 return expression.matches(name);
             })))
            matching.insert(parameter.name);
    return matching;
}

ParameterCounts countParameters(const std::vector<ParameterInfo>& parameters,
                                const std::set<std::string>& trained) {
    ParameterCounts counts;
    for (const ParameterInfo& parameter : parameters) {
        if (trained.contains(parameter.name)) {
            ++counts.trainedTensors;
            counts.trainedElements += numElements(parameter.shape);
            counts.trainedBytes += bytesOf(parameter);
        } else if (isTrainable(parameter)) {
            ++counts.frozenTensors;
            counts.frozenElements += numElements(parameter.shape);
            counts.frozenBytes += bytesOf(parameter);
        }
    }
    return counts;
}

}  // namespace temper
