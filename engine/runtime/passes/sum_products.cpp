// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/ir/added_product.h"
#include "engine/runtime/passes/node_match.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/kernel_lowering.h"

namespace temper {
namespace {

namespace names = added_product;

/// A product to which nothing is added.
bool isProduct(const Node* node) {
    if (node == nullptr) return false;
    const bool hasOtherForm =
        node->domain() == kMicrosoftDomain &&
        (node->opType() == "FusedMatMul" || node->opType() == "TransposeMatMul");
    return hasOtherForm || isOnnx(node, "MatMul") ||
           (isOnnx(node, "Gemm") &&
            (node->input(2) == nullptr || node->attribute<float>("beta", 1.0F) == 0.0F));
}

bool isProductForSum(const Value* value) {
    return isProduct(value->producer()) && value->producer()->isBackward() &&
           value->uses().size() == 1 && !value->isGraphOutput();
}

bool mayHaveProducts(const Node* node) {
    return node->isBackward() && isOnnx(node, "Sum") &&
           std::ranges::count_if(node->inputs(), isProductForSum) >= 2;
}

class ProductSums {
public:
    explicit ProductSums(Graph& graph) : graph_(graph) {
        for (const Node* node : graph.nodes()) {
            for (const Value* value : graph.capturedBy(*node)) captured_.insert(value);
            if (!node->isBackward()) forwardNames_.insert(node->name());
        }
    }

    bool run() {
        bool isChanged = false;
        for (Node* node : graph_.nodes()) {
            if (mayHaveProducts(node) && !forwardNames_.contains(node->name()))
                isChanged = rewrite(node) || isChanged;
        }
        return isChanged;
    }

private:
    bool isWanted(const Value* value, const Value* sum) const {
        return isProductForSum(value) && !captured_.contains(value) && value->type().isStatic() &&
               value->type() == sum->type();
    }

    bool rewrite(Node* sum) {
        std::vector<Value*> products, others;
        for (Value* input : sum->inputs())
            (isWanted(input, sum->output(0)) ? products : others).push_back(input);
        if (products.size() < 2) return false;
        // In the order in which they run.
        std::ranges::stable_sort(products, {},
                                 [](const Value* value) { return value->producer()->index(); });
        for (size_t i = 1; i < products.size(); ++i)
            addTo(products[i - 1], products[i]->producer());
        others.push_back(products.back());
        for (size_t i = 0; i < others.size(); ++i) graph_.setInput(sum, i, others[i]);
        graph_.truncateInputs(sum, others.size());
        if (others.size() == 1) graph_.setOpType(sum, "Identity", std::string(kOnnxDomain));
        return true;
    }

    void addTo(Value* added, Node* product) {
        graph_.setOpType(product, std::string(names::kName), std::string(names::kDomain));
        product->removeAttribute("beta");
        graph_.setInput(product, names::kAdded, added);
    }

    Graph& graph_;
    std::unordered_set<const Value*> captured_;
    /// A node of the backward pass that has such a name repeats a forward node, and has to compute
    /// the same bits.
    std::unordered_set<std::string> forwardNames_;
};

}  // namespace

std::unique_ptr<Graph> sumProducts(const Graph& graph, const InputTypes& inputTypes,
                                   const OpCatalog& catalog, const KernelRegistry& /*kernels*/,
                                   const PlanOptions& /*options*/) {
    if (std::ranges::none_of(graph.nodes(), mayHaveProducts) ||
        catalog.find(names::kDomain, names::kName) == nullptr) {
        return nullptr;
    }
    std::unique_ptr<Graph> result = withTypes(graph, inputTypes, catalog).graph;
    if (!ProductSums(*result).run()) return nullptr;
    result->info().opsetImports.try_emplace(std::string(names::kDomain), 1);
    return result;
}

}  // namespace temper
