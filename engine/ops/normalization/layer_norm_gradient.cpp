// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/normalization/normalization.h"

namespace temper {
namespace {

/// Adds the statistics that the gradient reads.
void addStatistics(Graph& graph, Node* node, std::initializer_list<const char*> names) {
    size_t output = 1;
    for (const char* name : names) {
        if (node->output(output) == nullptr) {
            const std::string stem = node->output(0)->name() + "_" + name;
            graph.addOutputTo(node, output, graph.uniqueName(stem));
        }
        ++output;
    }
}

void addLayerNormStatistics(Graph& graph, Node* node) {
    addStatistics(graph, node, {"saved_mean", "saved_inv_std_var"});
}

void addSimplifiedStatistics(Graph& graph, Node* node) {
    addStatistics(graph, node, {"saved_inv_std_var"});
}

Attributes axisOf(const GradientContext& context) {
    return {{"axis", context.attribute<int64_t>("axis", -1)}};
}

/// The kernels take a scale for each normalized element.
Var fullScale(const GradientContext& context) {
    const Var x = context.input(0), scale = context.input(1);
    const auto &wanted = x.type().shape, &found = scale.type().shape;
    if (!wanted || !found) return scale;
    const auto axis = context.attribute<int64_t>("axis", -1);
    const int64_t normalized = axis < 0 ? -axis : x.type().rank() - axis;
    const SymbolicShape tail(wanted->end() - normalized, wanted->end());
    if (*found == tail) return scale;
    const auto sizes = concreteShape(tail);
    if (!sizes) return scale;
    return expand(scale, x.emitter().integers(*sizes));
}

/// ORT's operator has three outputs, wanted or not.
Gradients layerNormGradient(const GradientContext& context) {
    return context.emitter().add(kMicrosoftDomain, "LayerNormalizationGrad",
                                 {context.outputGradient(0), context.input(0), fullScale(context),
                                  context.output(1), context.output(2)},
                                 axisOf(context), {true, true, true});
}

Gradients simplifiedGradient(const GradientContext& context) {
    return context.emitter().add(
        kMicrosoftDomain, "SimplifiedLayerNormalizationGrad",
        {context.outputGradient(0), context.input(0), fullScale(context), context.output(1)},
        axisOf(context), {true, true});
}

}  // namespace

void addLayerNormGradients(GradientRules& gradients) {
    gradients.addTrainingForm(kOnnxDomain, "LayerNormalization", addLayerNormStatistics);
    gradients.add(kOnnxDomain, "LayerNormalization", layerNormGradient);
    gradients.addTrainingForm(kOnnxDomain, "SimplifiedLayerNormalization", addSimplifiedStatistics);
    gradients.add(kOnnxDomain, "SimplifiedLayerNormalization", simplifiedGradient);
}

}  // namespace temper
