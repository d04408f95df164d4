// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/hidden_layers.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/core/error.h"
#include "engine/core/random.h"
#include "engine/ir/type_inference.h"
#include "engine/training/edits/dense_layers.h"
#include "engine/training/edits/fresh_weights.h"
#include "engine/training/edits/head.h"
#include "engine/training/spec/hidden_units.h"

namespace temper {
namespace {

constexpr const char* kChangeOriginal =
    "Change the layers in the original model, and export it again.";

/// Copies the first elements of each dimension that both have, of matrices or rows.
void keepCommon(const Tensor& old, Tensor& fresh) {
    const auto columnsOf = [](const Tensor& tensor) { return tensor.shape().back(); };
    const auto rowsOf = [&](const Tensor& tensor) {
        return columnsOf(tensor) == 0 ? 0 : tensor.numElements() / columnsOf(tensor);
    };
    const int64_t rows = std::min(rowsOf(old), rowsOf(fresh));
    const size_t bytes =
        static_cast<size_t>(std::min(columnsOf(old), columnsOf(fresh))) * dtypeSize(old.dtype());
    for (int64_t row = 0; row < rows; ++row) {
        const auto begin = [&](const Tensor& tensor) {
            return static_cast<size_t>(row * columnsOf(tensor)) * dtypeSize(tensor.dtype());
        };
        std::copy_n(old.data() + begin(old), bytes, fresh.mutableData() + begin(fresh));
    }
}

void requireFewWeights(int64_t inputs, const std::vector<int64_t>& units) {
    double weights = 0;
    for (const int64_t count : units) {
        weights += double(inputs) * double(count);
        inputs = count;
    }
    if (weights <= double(kMaxHiddenWeights)) return;
    throw Error(ErrorCode::InvalidInput,
                "The hidden layers " + hiddenUnitsText(units) + " would have " +
                    std::to_string(std::llround(weights)) + " weights; expected at most " +
                    std::to_string(kMaxHiddenWeights) + ".",
                "Choose fewer units.");
}

/// Changes the layers of one model, once.
class LayerResizer {
public:
    LayerResizer(Graph& model, const OpCatalog& catalog, uint64_t seed)
        : model_(model), seed_(seed), hidden_(findDenseLayers(model, catalog)) {
        if (hidden_.empty()) {
            throw Error(ErrorCode::InvalidInput,
                        "The model's last layer, '" + findHead(model, catalog).node +
                            "', is not fully connected; its hidden layers can't be changed.",
                        kChangeOriginal);
        }
        for (const DenseLayer& layer : hidden_) {
            requireOwn(layer.weight, "the layer '" + layer.name() + "'");
            requireOwn(layer.bias, "the layer '" + layer.name() + "'");
        }
        head_ = hidden_.back();
        hidden_.pop_back();
    }

    /// Returns: the value that the first layer reads.
    Value* resize(const std::vector<int64_t>& units) {
        const DenseLayer& first = hidden_.empty() ? head_ : hidden_.front();
        requireFewWeights(first.inputs(), units);
        Value* const features = first.features();
        Value* last = features;
        int64_t inputs = first.inputs();
        for (size_t at = 0; at < units.size(); ++at) {
            if (at < hidden_.size()) {
                resizeLayer(hidden_[at], at, inputs, units[at], true);
                last = hidden_[at].output();
            } else {
                last = append(last, at, inputs, units[at]);
            }
            inputs = units[at];
        }
        model_.setInput(head_.product, 0, last);
        resizeLayer(head_, units.size(), inputs, head_.units(), units.size() == hidden_.size());
        while (hidden_.size() > units.size()) removeLast();
        return features;
    }

private:
    /// Each tensor has numbers of its own: they do not depend on the other layers.
    Random randomFor(size_t layer, bool isBias) const {
        return Random(seed_, 2 * layer + (isBias ? 2 : 1));  // 0 is the stream of a new head
    }

    void resizeLayer(const DenseLayer& layer, size_t at, int64_t inputs, int64_t units,
                     bool keeps) {
        const int64_t oldUnits = layer.units();
        Shape shape = layer.weight->constant().shape();
        shape[layer.unitAxis] = units;
        shape[1 - layer.unitAxis] = inputs;
        resizeTensor(layer.weight, shape, inputs, randomFor(at, false), keeps);
        if (layer.bias == nullptr || layer.bias->constant().rank() == 0) return;
        Shape biasShape = layer.bias->constant().shape();
        if (biasShape.back() == oldUnits) biasShape.back() = units;
        resizeTensor(layer.bias, biasShape, inputs, randomFor(at, true), keeps);
    }

    void resizeTensor(Value* parameter, const Shape& shape, int64_t inputs, Random random,
                      bool keeps) {
        const Tensor& old = parameter->constant();
        if (keeps && old.shape() == shape) return;
        Tensor fresh = freshWeights(old.dtype(), shape, inputs, random);
        if (keeps) keepCommon(old, fresh);
        model_.setConstant(parameter, std::move(fresh));
    }

    /// A layer in the head's form. Returns: its output.
    Value* append(Value* features, size_t at, int64_t inputs, int64_t units) {
        const std::string name = model_.uniqueName("hidden" + std::to_string(at + 1));
        const DType dtype = head_.weight->constant().dtype();
        const Shape shape = head_.unitAxis == 0 ? Shape{units, inputs} : Shape{inputs, units};
        Random weights = randomFor(at, false), biases = randomFor(at, true);
        Value* weight = model_.addInitializer(model_.uniqueName(name + ".weight"),
                                              freshWeights(dtype, shape, inputs, weights));
        Value* bias = model_.addInitializer(model_.uniqueName(name + ".bias"),
                                            freshWeights(dtype, {units}, inputs, biases));
        Value* sums = nullptr;
        if (head_.product->opType() == "Gemm") {
            const int64_t transposed = head_.unitAxis == 0 ? 1 : 0;
            sums = add("Gemm", {features, weight, bias}, name, {{"transB", transposed}});
        } else {
            Value* product = add(head_.product->opType(), {features, weight}, name + "_product");
            sums = add("Add", {product, bias}, name);
        }
        if (hidden_.empty()) return add("Relu", {sums}, name + "_activation");
        return activate(sums, hidden_.back().activation, name + "_activation");
    }

    /// The same nodes once more, on another value.
    Value* activate(Value* value, const std::vector<Node*>& nodes, const std::string& name) {
        for (const Node* node : nodes) {
            std::vector<Value*> inputs = node->inputs();
            inputs.front() = value;
            value = add(node->opType(), inputs, name, node->attributes(), node->domain());
        }
        return value;
    }

    Value* add(const std::string& op, std::vector<Value*> inputs, const std::string& name,
               Attributes attributes = {}, const std::string& domain = {}) {
        const std::string unique = model_.uniqueName(name);
        NodeSpec spec{op, std::move(inputs), {unique}, std::move(attributes), domain, unique};
        return model_.addNode(std::move(spec))->output(0);
    }

    void removeLast() {
        const DenseLayer layer = hidden_.back();
        hidden_.pop_back();
        for (size_t at = layer.activation.size(); at-- > 0;)
            model_.removeNode(layer.activation[at]);
        if (layer.biasAdd != nullptr) model_.removeNode(layer.biasAdd);
        model_.removeNode(layer.product);
        model_.removeInitializer(layer.weight);
        if (layer.bias != nullptr) model_.removeInitializer(layer.bias);
    }

    Graph& model_;
    uint64_t seed_;
    std::vector<DenseLayer> hidden_;
    DenseLayer head_;
};

void requireConsistent(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::Error) continue;
        throw Error(ErrorCode::InvalidInput,
                    "The hidden layers can't be changed: '" + finding.node + "' (" + finding.op +
                        ") needs the old number of units. " + finding.message,
                    kChangeOriginal);
    }
}

}  // namespace

void setHiddenUnits(Graph& model, const OpCatalog& catalog, const std::vector<int64_t>& units,
                    uint64_t seed) {
    requireBuildable(units);
    const Value* features = LayerResizer(model, catalog, seed).resize(units);
    for (const Value::Use& use : features->uses()) forgetTypesAfter(model, *use.node);
    requireConsistent(inferTypes(model, catalog));
}

}  // namespace temper
