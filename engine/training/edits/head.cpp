// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/head.h"

#include <algorithm>
#include <optional>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/core/random.h"
#include "engine/ir/type_inference.h"
#include "engine/training/edits/fresh_weights.h"

namespace temper {
namespace {

bool isWeight(const Value* value) {
    return isFloatingInitializer(value) && value->constant().rank() >= 1;
}

std::string nameOf(const Node& node) {
    return node.name().empty() ? node.output(0)->name() : node.name();
}

[[noreturn]] void throwNoHead(const Node* node, const Value& value) {
    const std::string what = node == nullptr ? "the input '" + value.name() + "'"
                                             : node->opType() + " '" + nameOf(*node) + "'";
    throw Error(ErrorCode::InvalidInput,
                "The model has no head that can be replaced: its output comes from " + what +
                    "; expected a Gemm, MatMul or Conv with weights.",
                "Change the last layer in the original model, and export it again.");
}

const Value& outputOf(const Graph& model, const std::string& name) {
    if (model.outputs().size() == 1 && name.empty()) return *model.outputs().front();
    for (const Value* output : model.outputs()) {
        if (output->name() == name) return *output;
    }
    throw Error(ErrorCode::InvalidInput,
                name.empty()
                    ? "The model has several outputs; it is unclear which one is the head's."
                    : "The model has no output '" + name + "'.",
                "Choose one of these: " + joined(model.outputs(), &Value::name) + ".");
}

/// Finds the head and its parts.
struct HeadParts {
    Node* node = nullptr;
    Value* weight = nullptr;
    Value* bias = nullptr;
    size_t classAxis = 0;  ///< of the weight

    static HeadParts of(const Graph& model, const OpCatalog& catalog, const std::string& output) {
        const Value* value = &outputOf(model, output);
        HeadParts parts;
        while (true) {
            Node* node = value->producer();
            if (node == nullptr) throwNoHead(nullptr, *value);
            const OperatorFacts& facts = catalog.facts(*node);
            if (parts.take(*node, facts)) return parts;
            if (Value* before = parts.takeBias(*node)) {
                value = before;
            } else if (facts.keepsClasses && node->input(0) != nullptr) {
                value = node->input(0);
            } else {
                throwNoHead(node, *value);
            }
        }
    }

    int64_t classes() const {
        TEMPER_ASSERT(weight != nullptr, "a head has weights");
        return weight->constant().shape()[classAxis];
    }
    int64_t inputs() const {
        return classes() == 0 ? 0 : weight->constant().numElements() / classes();
    }

private:
    /// Takes a layer with units, but not a transposed convolution: the number of inputs of one of
    /// its outputs is not inputs().
    bool take(Node& product, const OperatorFacts& facts) {
        const std::optional<UnitLayout> units = facts.unitsOf(product);
        Value* ofUnits = product.input(1);
        if (!units || !isWeight(ofUnits)) return false;
        if (product.opType() == "ConvTranspose") return false;
        if (product.attribute<int64_t>("group", 1) != 1) return false;
        node = &product;
        weight = ofUnits;
        classAxis = units->axis;
        if (product.input(2) != nullptr) bias = product.input(2);
        return true;
    }

    /// For an Add of a bias: the value that it is added to.
    Value* takeBias(const Node& add) {
        if (add.qualifiedOp() != "Add" || bias != nullptr) return nullptr;
        const size_t at = isWeight(add.input(1)) ? 1 : 0;
        if (!isWeight(add.input(at))) return nullptr;
        bias = add.input(at);
        return add.input(1 - at);
    }
};

void requireConsistent(const std::vector<Finding>& findings, int64_t old) {
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::Error) continue;
        throw Error(ErrorCode::InvalidInput,
                    "The head can't be replaced: '" + finding.node + "' (" + finding.op +
                        ") after it needs the old number of classes, " + std::to_string(old) +
                        ". " + finding.message,
                    "Change the last layer in the original model, and export it again.");
    }
}

}  // namespace

Head findHead(const Graph& model, const OpCatalog& catalog, const std::string& output) {
    const HeadParts parts = HeadParts::of(model, catalog, output);
    return {nameOf(*parts.node),  parts.node->opType(),
            parts.weight->name(), parts.bias == nullptr ? "" : parts.bias->name(),
            parts.inputs(),       parts.classes()};
}

void replaceHead(Graph& model, const OpCatalog& catalog, int64_t classes, uint64_t seed,
                 const std::string& output) {
    const HeadParts parts = HeadParts::of(model, catalog, output);
    if (classes < 1) {
        throw Error(ErrorCode::InvalidInput,
                    "The head would have " + counted(classes, "class", "classes") + ".",
                    "Choose at least 1.");
    }
    requireOwn(parts.weight, "the head '" + nameOf(*parts.node) + "'");
    requireOwn(parts.bias, "the head '" + nameOf(*parts.node) + "'");
    const int64_t old = parts.classes();
    Random random(seed);
    Shape shape = parts.weight->constant().shape();
    shape[parts.classAxis] = classes;
    model.setConstant(parts.weight, freshWeights(parts.weight->constant().dtype(), shape,
                                                 parts.inputs(), random));
    if (parts.bias != nullptr && parts.bias->constant().numElements() > 1) {
        Shape biasShape = parts.bias->constant().shape();
        std::ranges::replace(biasShape, old, classes);
        model.setConstant(parts.bias, freshWeights(parts.bias->constant().dtype(), biasShape,
                                                   parts.inputs(), random));
    }
    forgetTypesAfter(model, *parts.node);
    requireConsistent(inferTypes(model, catalog), old);
}

}  // namespace temper
