// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/dense_layers.h"

#include <algorithm>
#include <optional>

#include "engine/training/edits/fresh_weights.h"
#include "engine/training/edits/head.h"

namespace temper {
namespace {

/// Only one node reads it, and the model does not show it.
bool isReadOnce(const Value& value) { return value.uses().size() == 1 && !value.isGraphOutput(); }

/// Finds layers by walking against the data flow.
class LayerFinder {
public:
    explicit LayerFinder(const OpCatalog& catalog) : catalog_(catalog) {}

    std::optional<DenseLayer> headOf(const Graph& model) const {
        const Head head = findHead(model, catalog_);
        DenseLayer layer;
        if (!takeProduct(*model.at(head.weight)->uses().front().node, layer)) return std::nullopt;
        if (head.bias.empty() || layer.bias != nullptr) return layer;
        layer.bias = model.at(head.bias);
        layer.biasAdd = layer.bias->uses().front().node;
        return layer;
    }

    /// The layer that makes `value`, if nothing else reads anything of it.
    std::optional<DenseLayer> layerThatMakes(const Value* value) const {
        DenseLayer layer;
        while (isReadOnce(*value) && value->producer() != nullptr && value->producerOutput() == 0) {
            Node& node = *value->producer();
            if (takeProduct(node, layer)) return layer;
            if (const Value* sums = takeBias(node, layer)) {
                value = sums;
            } else if (layer.biasAdd == nullptr && isActivation(node)) {
                layer.activation.insert(layer.activation.begin(), &node);
                value = node.input(0);
            } else {
                return std::nullopt;
            }
        }
        return std::nullopt;
    }

private:
    bool takeProduct(Node& node, DenseLayer& layer) const {
        const OperatorFacts& facts = catalog_.facts(node);
        const std::optional<UnitLayout> units = facts.unitsOf(node);
        Value* weight = node.input(1);
        if (facts.family != OperatorFamily::Product || !units || !isFloatingInitializer(weight) ||
            weight->constant().rank() != 2 || node.attribute<int64_t>("transA", 0) != 0)
            return false;
        layer.product = &node;
        layer.weight = weight;
        layer.unitAxis = units->axis;
        if (node.input(2) != nullptr) layer.bias = node.input(2);
        return true;
    }

    /// For an Add of a bias: the value that it is added to.
    const Value* takeBias(Node& add, DenseLayer& layer) const {
        if (add.qualifiedOp() != "Add" || layer.biasAdd != nullptr) return nullptr;
        const size_t at = isFloatingInitializer(add.input(1)) ? 1 : 0;
        if (!isFloatingInitializer(add.input(at))) return nullptr;
        layer.bias = add.input(at);
        layer.biasAdd = &add;
        return add.input(1 - at);
    }

    /// Element-wise without parameters, or dropout.
    bool isActivation(const Node& node) const {
        const OperatorFacts& facts = catalog_.facts(node);
        const bool isElementwise = facts.family == OperatorFamily::Activation &&
                                   facts.applies != ProbabilityFunction::Softmax;
        if (!isElementwise && facts.family != OperatorFamily::Regularization) return false;
        return std::ranges::all_of(node.inputs(), [&](const Value* input) {
            return input == nullptr || input == node.input(0) ||
                   (input->isInitializer() && input->constant().numElements() == 1);
        });
    }

    const OpCatalog& catalog_;
};

}  // namespace

std::string DenseLayer::name() const {
    return product->name().empty() ? product->output(0)->name() : product->name();
}

std::vector<DenseLayer> findDenseLayers(const Graph& model, const OpCatalog& catalog) {
    const LayerFinder finder(catalog);
    const std::optional<DenseLayer> head = finder.headOf(model);
    if (!head) return {};
    std::vector<DenseLayer> layers{*head};
    while (const std::optional<DenseLayer> before = finder.layerThatMakes(layers.back().features()))
        layers.push_back(*before);
    std::ranges::reverse(layers);
    return layers;
}

}  // namespace temper
