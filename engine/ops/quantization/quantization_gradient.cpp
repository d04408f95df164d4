// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/ops/quantization/quantization.h"

namespace temper {
namespace {

// A QuantizeLinear and its DequantizeLinear round numbers to what integers can hold. For training
// the pair becomes FakeQuant, whose gradient passes straight through the rounding and is 0 where
// the number was clipped.
// Source: ONNX Runtime, QDQFusion; Jacob et al., "Quantization and Training of Neural Networks for
// Efficient Integer-Arithmetic-Only Inference" (2018).

/// The QuantizeLinear before a DequantizeLinear; null if there is none.
const Node* quantizerOf(const Node& node) {
    const Value* value = node.input(0);
    const Node* producer = value == nullptr ? nullptr : value->producer();
    return isQuantizer(producer) ? producer : nullptr;
}

bool areSame(const Value* a, const Value* b) {
    if (a == b) return true;
    if (a == nullptr || b == nullptr || !a->isInitializer() || !b->isInitializer()) return false;
    const Tensor &x = a->constant(), &y = b->constant();
    return x.dtype() == y.dtype() && x.shape() == y.shape() &&
           std::equal(x.data(), x.data() + x.byteSize(), y.data());
}

/// The zero point that all elements share; nullopt if it is not constant or differs.
std::optional<double> commonZero(const Node& node) {
    const Value* value = node.input(2);
    if (value == nullptr) return 0.0;
    if (!value->isInitializer() || value->constant().numElements() == 0) return std::nullopt;
    const Tensor wide = value->constant().cast(DType::Float64);
    const auto numbers = wide.values<double>();
    const bool isCommon = std::all_of(numbers.begin(), numbers.end(),
                                      [&](double number) { return number == numbers.front(); });
    return isCommon ? std::optional(numbers.front()) : std::nullopt;
}

std::string reasonAgainst(const Node& node, const Node& quantizer) {
    if (!areSame(node.input(1), quantizer.input(1)) ||
        !areSame(node.input(2), quantizer.input(2))) {
        return "its scale or zero point differs from that of its QuantizeLinear";
    }
    if (node.attribute<int64_t>("block_size", 0) > 0) return "it quantizes by blocks";
    const bool isOne = isOneNumber(*node.input(1));
    const bool isOneZero = node.input(2) == nullptr || isOneNumber(*node.input(2));
    if (isOne && isOneZero) return {};
    if (!commonZero(node)) return "its zero points are not constant and equal";
    if (isOne) return {};
    if (!node.input(1)->isInitializer()) return "its scales are not constant";
    if (node.output(0)->type().rank() < 0) return "the rank of its input is unknown";
    return {};
}

std::optional<NonDifferentiable> checkPair(const Node& node) {
    const Node* quantizer = quantizerOf(node);
    if (quantizer == nullptr) return std::nullopt;
    const std::string reason = reasonAgainst(node, *quantizer);
    if (reason.empty()) return std::nullopt;
    return NonDifferentiable{reason,
                             "Export the pair with constant scales and zero points that agree, or "
                             "freeze the parameters before it."};
}

/// Scales of an axis as a tensor that is broadcast to x.
Tensor alongAxis(const Tensor& scales, int64_t rank, int64_t axis) {
    Shape shape(static_cast<size_t>(rank - normalizeAxis(axis, rank, "The axis")), 1);
    shape.front() = scales.numElements();
    return scales.reshaped(shape);
}

/// Replaces one pair; see the top of the file.
class PairReplacement {
public:
    PairReplacement(Graph& graph, Node* node, const Node& quantizer)
        : graph_(graph),
          node_(node),
          x_(quantizer.input(0)),
          scale_(node->input(1)),
          range_(IntegerRange::of(quantizer.output(0)->type().dtype)),
          zero_(commonZero(*node)),
          stem_(node->output(0)->name()) {}

    void apply() {
        if (isOneNumber(*scale_)) {
            makeFake(x_, scale_, zeroPoint(), 0.0);
        } else {
            applyPerAxis();
        }
        graph_.addOutputTo(node_, 1, graph_.uniqueName(stem_ + "_mask"));
    }

private:
    /// Turns the node into FakeQuant(x, scale, zero) of the range moved by `shift`.
    void makeFake(Value* x, Value* scale, Value* zero, double shift) {
        graph_.setOpType(node_, "FakeQuant", std::string(kMicrosoftDomain));
        graph_.setInput(node_, 0, x);
        graph_.setInput(node_, 1, scale);
        graph_.setInput(node_, 2, zero);
        for (const char* name : {"axis", "block_size", "saturate"}) node_->removeAttribute(name);
        node_->setAttribute("quant_min", static_cast<int64_t>(range_.low - shift));
        node_->setAttribute("quant_max", static_cast<int64_t>(range_.high - shift));
    }

    /// x / scale is rounded with a scale of 1, its range moved so that the zero point is 0, and
    /// multiplied by the scale again: FakeQuant has one scale for all.
    void applyPerAxis() {
        const Tensor& scales = scale_->constant();
        const int64_t rank = x_->type().rank();
        const auto axis = node_->attribute<int64_t>("axis", 1);
        Value* wide = graph_.addInitializer(graph_.uniqueName(stem_ + "_scales"),
                                            alongAxis(scales, rank, axis));
        const std::string divided = graph_.uniqueName(stem_ + "_divided");
        const Node* division = graph_.addNode({"Div", {x_, wide}, {divided}});
        const std::string rounded = graph_.uniqueName(stem_ + "_rounded");
        Node* product = graph_.addNode({"Mul", {x_, wide}, {graph_.uniqueName(stem_)}});
        graph_.takeOver(node_->output(0), product->output(0));
        graph_.setInput(product, 0, graph_.addOutputTo(node_, 0, rounded));
        makeFake(division->output(0), number("_scale", 1.0), number("_zero_point", 0.0), *zero_);
    }

    /// Of the type of x.
    Value* zeroPoint() {
        if (zero_) return number("_zero_point", *zero_);
        const Node* cast = graph_.addNode({"Cast",
                                           {node_->input(2)},
                                           {graph_.uniqueName(stem_ + "_zero_point")},
                                           {{"to", static_cast<int64_t>(x_->type().dtype)}}});
        return cast->output(0);
    }

    Value* number(const char* suffix, double value) {
        const DType dtype = x_->type().dtype;
        return graph_.addInitializer(graph_.uniqueName(stem_ + suffix),
                                     Tensor::scalar(value).cast(dtype));
    }

    Graph& graph_;
    Node* node_;
    Value* x_;
    Value* scale_;
    IntegerRange range_;
    std::optional<double> zero_;  ///< if it is a constant
    std::string stem_;
};

void replacePair(Graph& graph, Node* node) {
    const Node* quantizer = quantizerOf(*node);
    if (quantizer != nullptr) PairReplacement(graph, node, *quantizer).apply();
}

void addRangeMask(Graph& graph, Node* node) {
    if (node->output(1) != nullptr) return;
    graph.addOutputTo(node, 1, graph.uniqueName(node->output(0)->name() + "_mask"));
}

/// dx = dy where the number was inside the range, else 0
Gradients fakeQuantGradient(const GradientContext& node) {
    return {node.emitter().msOp("FakeQuantGrad", {node.outputGradient(0), node.output(1)})};
}

}  // namespace

void addQuantizationGradients(GradientRules& gradients) {
    gradients.addTrainingForm("", "DequantizeLinear", replacePair);
    gradients.addCheck("", "DequantizeLinear", checkPair);
    // Replaced together with the DequantizeLinear after it.
    gradients.addTrainingForm("", "QuantizeLinear", [](Graph&, Node*) {});
    gradients.addTrainingForm(kMicrosoftDomain, "FakeQuant", addRangeMask);
    gradients.add(kMicrosoftDomain, "FakeQuant", fakeQuantGradient);
}

}  // namespace temper
