// SPDX-License-Identifier: Apache-2.0
#include "engine/training/export/batch_norm_folding.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

namespace temper {
namespace {

/// y = factor x + offset, for each channel.
struct ChannelMap {
    std::vector<double> factors;
    std::vector<double> offsets;
};

std::vector<double> numbersOf(const Tensor& tensor) {
    const Tensor numbers = tensor.cast(DType::Float64);
    const auto values = numbers.values<double>();
    return {values.begin(), values.end()};
}

bool isConstant(const Value* value) {
    return value != nullptr && value->isInitializer() && isFloating(value->type().dtype);
}

/// The batch norm as a map; nullopt if it is in training mode, or its statistics are computed or of
/// different sizes.
std::optional<ChannelMap> channelMapOf(const Node& norm) {
    for (size_t i = 1; i <= 4; ++i)
        if (!isConstant(norm.input(i))) return std::nullopt;
    for (size_t i = 1; i < norm.outputs().size(); ++i)
        if (norm.output(i) != nullptr) return std::nullopt;
    if (norm.attribute<int64_t>("training_mode", 0) != 0) return std::nullopt;
    const double epsilon = norm.attribute<float>("epsilon", 1e-5F);
    ChannelMap map{numbersOf(norm.input(1)->constant()), numbersOf(norm.input(2)->constant())};
    const std::vector<double> means = numbersOf(norm.input(3)->constant());
    const std::vector<double> variances = numbersOf(norm.input(4)->constant());
    const size_t channels = map.factors.size();
    if (map.offsets.size() != channels || means.size() != channels || variances.size() != channels)
        return std::nullopt;
    for (size_t c = 0; c < map.factors.size(); ++c) {
        map.factors[c] /= std::sqrt(variances[c] + epsilon);
        map.offsets[c] -= means[c] * map.factors[c];
    }
    return map;
}

/// The dimension of a layer's weights that is its output channels; nullopt for layers whose weight
/// and bias can't absorb a norm. The factors are Gemm's.
std::optional<size_t> channelAxisOf(const Node& node, const OperatorFacts& facts) {
    const std::optional<UnitLayout> units = facts.unitsOf(node);
    if (!units || units->groups != 1 || !facts.takesBias()) return std::nullopt;
    const bool isPlain =
        node.attribute<float>("alpha", 1.0F) == 1.0F && node.attribute<float>("beta", 1.0F) == 1.0F;
    return isPlain ? std::optional(units->axis) : std::nullopt;
}

/// Values captured by the bodies of If, Loop and Scan; they are not among the uses.
std::set<const Value*> capturedIn(const Graph& model) {
    std::set<const Value*> captured;
    for (const Node* node : model.nodes())
        for (const Value* value : model.capturedBy(*node)) captured.insert(value);
    return captured;
}

class BatchNormFolding {
public:
    BatchNormFolding(Graph& model, const OpCatalog& catalog)
        : model_(model), catalog_(catalog), captured_(capturedIn(model)) {}

    size_t run() {
        size_t folded = 0;
        for (Node* node : model_.nodes())
            if (node->qualifiedOp() == "BatchNormalization" && fold(*node)) ++folded;
        model_.removeUnused();
        return folded;
    }

private:
    bool fold(Node& norm) {
        Value* between = norm.input(0);
        Value* result = norm.output(0);
        if (result == nullptr || captured_.contains(result) || !isReadOnce(between)) return false;
        Node* node = between->producer();
        if (node == nullptr || node->output(0) != between) return false;
        const std::optional<size_t> axis = channelAxisOf(*node, catalog_.facts(*node));
        const std::optional<ChannelMap> map = axis ? channelMapOf(norm) : std::nullopt;
        if (!map || !isConstant(node->input(1)) || !fits(*node, *axis, *map)) return false;
        setTensor(*node, 1, scaled(node->input(1)->constant(), *axis, map->factors));
        setTensor(*node, 2, mappedBias(*node, *map));
        model_.replaceNode(&norm, {between});
        return true;
    }

    bool isReadOnce(const Value* value) const {
        return value != nullptr && value->uses().size() == 1 && !value->isGraphOutput() &&
               !captured_.contains(value);
    }

    static bool fits(const Node& node, size_t axis, const ChannelMap& map) {
        const Shape& shape = node.input(1)->constant().shape();
        if (axis >= shape.size()) return false;
        const auto channels = static_cast<size_t>(shape[axis]);
        if (map.factors.size() != channels) return false;
        const Value* bias = node.input(2);
        return bias == nullptr || (isConstant(bias) && bias->constant().shape() ==
                                                           Shape{static_cast<int64_t>(channels)});
    }

    static Tensor scaled(const Tensor& weights, size_t axis, const std::vector<double>& factors) {
        Tensor result = weights.cast(DType::Float64).clone();
        int64_t inner = 1;
        for (size_t i = axis + 1; i < weights.shape().size(); ++i) inner *= weights.shape()[i];
        const auto values = result.mutableValues<double>();
        for (size_t i = 0; i < values.size(); ++i)
            values[i] *= factors[i / static_cast<size_t>(inner) % factors.size()];
        return result.cast(weights.dtype());
    }

    static Tensor mappedBias(const Node& node, const ChannelMap& map) {
        const Value* bias = node.input(2);
        Tensor tensor(DType::Float64, {static_cast<int64_t>(map.offsets.size())});
        const auto values = tensor.mutableValues<double>();
        std::ranges::copy(map.offsets, values.begin());
        if (bias != nullptr) {
            const std::vector<double> before = numbersOf(bias->constant());
            for (size_t c = 0; c < values.size(); ++c) values[c] += map.factors[c] * before[c];
        }
        return tensor.cast(node.input(1)->constant().dtype());
    }

    /// Replaces an initializer that is missing or that others also read by a new one.
    void setTensor(Node& node, size_t input, Tensor data) {
        Value* value = node.input(input);
        const bool isOwn = value != nullptr && value->uses().size() == 1 &&
                           !value->isGraphOutput() && !captured_.contains(value);
        if (isOwn) return model_.setConstant(value, std::move(data));
        const std::string stem =
            value != nullptr ? value->name() : node.output(0)->name() + "_bias";
        model_.setInput(&node, input,
                        model_.addInitializer(model_.uniqueName(stem), std::move(data)));
    }

    Graph& model_;
    const OpCatalog& catalog_;
    const std::set<const Value*> captured_;
};

}  // namespace

size_t foldBatchNorms(Graph& model, const OpCatalog& catalog) {
    return BatchNormFolding(model, catalog).run();
}

}  // namespace temper
