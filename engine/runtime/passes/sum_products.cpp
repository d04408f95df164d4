// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/ir/added_product.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/passes/node_match.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/kernel_lowering.h"

namespace temper {
namespace {

namespace names = added_product;

/// The products of matrices in the backward pass of which a Sum is the only reader.
class ProductsForSums {
public:
    explicit ProductsForSums(const OpCatalog& catalog) : catalog_(catalog) {}

    bool contains(const Value* value) const {
        const Node* node = value->producer();
        return node != nullptr && node->isBackward() && value->uses().size() == 1 &&
               !value->isGraphOutput() && isProduct(*node);
    }
    bool areIn(const Node* node) const {
        return node->isBackward() && isOnnx(node, "Sum") &&
               std::ranges::count_if(node->inputs(),
                                     [this](const Value* value) { return contains(value); }) >= 2;
    }

private:
    /// To which nothing is added.
    bool isProduct(const Node& node) const {
        const OperatorFacts& facts = catalog_.facts(node);
        return facts.family == OperatorFamily::Product && facts.factors == std::set<size_t>{0, 1} &&
               (node.input(2) == nullptr || node.attribute<float>("beta", 1.0F) == 0.0F);
    }

    const OpCatalog& catalog_;
};

class ProductSums {
public:
    ProductSums(Graph& graph, const ProductsForSums& products)
        : graph_(graph), products_(products) {
        for (const Node* node : graph.nodes()) {
            for (const Value* value : graph.capturedBy(*node)) captured_.insert(value);
            if (!node->isBackward() && !node->name().empty()) forwardNames_.insert(node->name());
        }
    }

    bool run() {
        bool isChanged = false;
        for (Node* node : graph_.nodes()) {
            if (products_.areIn(node) && !isRepeated(*node)) isChanged = rewrite(node) || isChanged;
        }
        return isChanged;
    }

private:
    /// Whether it computes a value of the forward pass again; nodes of gradients have names.
    bool isRepeated(const Node& node) const {
        return node.name().empty() || forwardNames_.contains(node.name());
    }

    bool isWanted(const Value* value, const Value* sum) const {
        return products_.contains(value) && !captured_.contains(value) &&
               value->type().isStatic() && value->type() == sum->type();
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
        if (others.empty()) {
            graph_.replaceNode(sum, {products.back()});
            return true;
        }
        others.push_back(products.back());
        for (size_t i = 0; i < others.size(); ++i) graph_.setInput(sum, i, others[i]);
        graph_.truncateInputs(sum, others.size());
        return true;
    }

    void addTo(Value* added, Node* product) {
        graph_.setOpType(product, std::string(names::kName), std::string(names::kDomain));
        product->removeAttribute("beta");
        graph_.setInput(product, names::kAdded, added);
    }

    Graph& graph_;
    const ProductsForSums& products_;
    std::unordered_set<const Value*> captured_;
    /// A node of the backward pass that has such a name repeats a forward node, and has to compute
    /// the same bits.
    std::unordered_set<std::string> forwardNames_;
};

}  // namespace

std::unique_ptr<Graph> sumProducts(const Graph& graph, const InputTypes& inputTypes,
                                   const OpCatalog& catalog, const KernelRegistry& /*kernels*/,
                                   const PlanOptions& /*options*/) {
    const ProductsForSums products(catalog);
    const auto haveProducts = [&](const Node* node) { return products.areIn(node); };
    if (std::ranges::none_of(graph.nodes(), haveProducts) ||
        catalog.find(names::kDomain, names::kName) == nullptr) {
        return nullptr;
    }
    std::unique_ptr<Graph> result = withTypes(graph, inputTypes, catalog).graph;
    if (!ProductSums(*result, products).run()) return nullptr;
    result->info().opsetImports.try_emplace(std::string(names::kDomain), 1);
    return result;
}

}  // namespace temper
