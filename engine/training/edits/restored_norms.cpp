// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/restored_norms.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/core/name_pattern.h"
#include "engine/ir/type_inference.h"
#include "engine/provenance/evidence.h"
#include "engine/provenance/exporter_metadata.h"
#include "engine/provenance/folded_norms.h"
#include "engine/training/edits/fresh_weights.h"

namespace temper {
namespace {

/// Marks a node that restoreNorms() made with its name in the module. Graphs and files keep it.
constexpr const char* kMark = "temper.restored_norm";
constexpr std::string_view kWeightEnding = ".weight";

/// A node with weights that may be followed by a norm.
struct NormLayer {
    Node* node = nullptr;
    int64_t channels = 0;
    Value* output = nullptr;  ///< the input of the norm
    bool isConvolution = false;
    std::optional<FoldedNorm> norm = {};
};

/// 0 if dimension 1 of the node's output is not the channels of its weights.
int64_t channelsOf(const Node& node, const OperatorFacts& facts) {
    if (!isFloatingInitializer(node.input(1)) || node.output(0) == nullptr) return 0;
    const std::optional<UnitLayout> units = facts.unitsOf(node);
    if (!units) return 0;
    const bool isProduct = facts.family == OperatorFamily::Product;
    if (isProduct && node.output(0)->type().rank() != 2) return 0;
    const Shape& weight = node.input(1)->constant().shape();
    const bool isWhole = units->groups > 0 && weight[0] % units->groups == 0;
    return isWhole ? units->count(weight) : 0;
}

/// The output after the bias that is added to a MatMul.
Value* outputWithBias(const Node& node, const OperatorFacts& facts) {
    Value* output = node.output(0);
    if (facts.takesBias() || output->isGraphOutput() || output->uses().size() != 1) {
        return output;
    }
    const Value::Use use = output->uses().front();
    const bool addsBias =
        use.node->qualifiedOp() == "Add" && isFloatingInitializer(use.node->input(1 - use.input));
    return addsBias ? use.node->output(0) : output;
}

bool feedsNorm(const Value& value) {
    return std::ranges::any_of(value.uses(), [](const Value::Use& use) {
        return use.node->qualifiedOp() == "BatchNormalization";
    });
}

std::vector<NormLayer> normLayersOf(Graph& model, const OpCatalog& catalog) {
    std::vector<NormLayer> layers;
    for (Node* node : model.nodes()) {
        const OperatorFacts& facts = catalog.facts(*node);
        const int64_t channels = channelsOf(*node, facts);
        if (channels == 0) continue;
        Value* output = outputWithBias(*node, facts);
        if (feedsNorm(*output)) continue;
        layers.push_back({node, channels, output, facts.family == OperatorFamily::Convolution,
                          foldedNormOf(model, catalog, *node)});
    }
    return layers;
}

bool isMeant(const std::string& choice, const NormLayer& layer, bool normsAreKnown) {
    const std::string& node = layer.node->name();
    const std::string& output = layer.output->name();
    if (choice == node || choice == output) return true;
    if (layer.norm && matchesPattern(choice, layer.norm->path)) return true;
    const bool takesPatterns = layer.norm || (!normsAreKnown && layer.isConvolution);
    return takesPatterns && (matchesPattern(choice, node) || matchesPattern(choice, output));
}

[[noreturn]] void throwUnknown(const std::string& choice, const std::vector<NormLayer>& layers) {
    std::vector<std::string> merged;
    for (const NormLayer& layer : layers)
        if (layer.norm) merged.push_back(layer.norm->path);
    const std::string norms = joined(merged);
    throw Error(ErrorCode::NotFound,
                "'" + choice +
                    "' can't be restored as a batch normalization: no merged one and no layer has "
                    "this name.",
                norms.empty() ? "Specify a Conv, ConvTranspose, Gemm or MatMul with weights by its "
                                "node or output; '*' means all convolutions."
                              : "The merged ones are: " + norms + ".");
}

std::vector<NormLayer> chosenLayers(Graph& model, const OpCatalog& catalog,
                                    const std::vector<std::string>& choices) {
    std::vector<NormLayer> layers = normLayersOf(model, catalog);
    const bool areKnown =
        std::ranges::any_of(layers, [](const NormLayer& layer) { return layer.norm.has_value(); });
    for (const std::string& choice : choices) {
        const auto isThis = [&](const NormLayer& layer) {
            return isMeant(choice, layer, areKnown);
        };
        if (std::ranges::none_of(layers, isThis)) throwUnknown(choice, layers);
    }
    std::erase_if(layers, [&](const NormLayer& layer) {
        return std::ranges::none_of(
            choices, [&](const std::string& choice) { return isMeant(choice, layer, areKnown); });
    });
    return layers;
}

std::string pathFor(const NormLayer& layer) {
    if (layer.norm) return layer.norm->path;
    const std::string& weight = layer.node->input(1)->name();
    const bool isOfModule = weight.ends_with(kWeightEnding);
    return (isOfModule ? weight.substr(0, weight.size() - kWeightEnding.size())
                       : layer.output->name()) +
           "_norm";
}

/// Takes the bias from the layer if it is not a parameter of the module.
std::optional<Tensor> takeMadeBias(Graph& model, const NormLayer& layer, const Evidence& evidence) {
    Value* bias = layer.node->input(2);
    if (!layer.norm || !isFloatingInitializer(bias) || evidence.isParameter(bias->name()) ||
        bias->constant().numElements() != layer.channels ||
        layer.node->attribute<float>("beta", 1.0F) != 1.0F) {
        return std::nullopt;
    }
    Tensor numbers = bias->constant().reshaped({layer.channels});
    model.truncateInputs(layer.node, 2);
    if (bias->uses().empty() && !bias->isGraphOutput()) model.removeInitializer(bias);
    return numbers;
}

Tensor filled(int64_t channels, double number, DType dtype) {
    Tensor tensor(DType::Float64, {channels});
    std::ranges::fill(tensor.mutableValues<double>(), number);
    return tensor.cast(dtype);
}

/// Makes the consumers of `value` read the output of `norm` instead, under the same name.
void moveReaders(Graph& model, Value* value, Node* norm) {
    const std::string name = value->name();
    model.replaceUses(value, norm->output(0));
    model.setInput(norm, 0, value);
    norm->output(0)->setType(value->type());
    model.renameValue(value, model.uniqueName(name + "_before_norm"));
    model.renameValue(norm->output(0), name);
}

/// Returns: the name of the norm.
std::string addNorm(Graph& model, const NormLayer& layer, const Evidence& evidence) {
    const FoldedNorm numbers = layer.norm.value_or(FoldedNorm{});
    const std::string path = pathFor(layer);
    const DType dtype = layer.node->input(1)->constant().dtype();
    const std::optional<Tensor> bias = takeMadeBias(model, layer, evidence);
    const auto add = [&](const char* ending, Tensor tensor) {
        return model.addInitializer(model.uniqueName(path + ending), std::move(tensor));
    };
    const auto epsilon = static_cast<float>(numbers.epsilon);
    Value* scale =
        add(".weight", filled(layer.channels, std::sqrt(1 + static_cast<double>(epsilon)), dtype));
    Value* shift = add(".bias", bias ? *bias : filled(layer.channels, 0, dtype));
    markParameter(*scale);
    markParameter(*shift);
    Value* mean = add(".running_mean", filled(layer.channels, 0, dtype));
    Value* variance = add(".running_var", filled(layer.channels, 1, dtype));
    Node* norm = model.addNode(
        {.opType = "BatchNormalization",
         .inputs = {layer.output, scale, shift, mean, variance},
         .outputs = {model.uniqueName(layer.output->name() + "_normalized")},
         .attributes = {{"epsilon", epsilon}, {"momentum", static_cast<float>(numbers.momentum)}},
         .name = path});
    Metadata metadata = layer.node->metadata();
    metadata[kMark] = path;
    norm->setMetadata(std::move(metadata));
    moveReaders(model, layer.output, norm);
    return path;
}

Finding remarkOnRestored(const std::vector<std::string>& paths) {
    return {"S005",
            Severity::Info,
            "",
            "",
            counted(paths.size(), "batch normalization") + (paths.size() == 1 ? " is" : " are") +
                " restored: " + joinedQuoted(paths) +
                ". Inference results stay the same; in training, they normalize by the batch and "
                "are trained.",
            "Their running statistics are measured on the first batches of the training samples. "
            "Without --restore-norm, only the merged weights train.",
            {}};
}

}  // namespace

std::vector<Finding> restoreNorms(Graph& model, const OpCatalog& catalog,
                                  const std::vector<std::string>& choices) {
    if (choices.empty()) return {};
    inferTypes(model, catalog);
    const Evidence evidence(model);
    std::vector<std::string> paths;
    for (const NormLayer& layer : chosenLayers(model, catalog, choices)) {
        paths.push_back(addNorm(model, layer, evidence));
    }
    inferTypes(model, catalog);
    return {remarkOnRestored(paths)};
}

std::vector<const Node*> restoredNormsOf(const Graph& graph) {
    std::vector<const Node*> norms;
    for (const Node* node : graph.nodes()) {
        if (node->opType() == "BatchNormalization" && node->metadata().contains(kMark)) {
            norms.push_back(node);
        }
    }
    return norms;
}

}  // namespace temper
