// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/gradient_graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/autodiff/reachability.h"
#include "engine/autodiff/unbroadcast.h"
#include "engine/ir/lowering.h"
#include "engine/ir/type_inference.h"

namespace temper {
namespace {

using ValueSet = std::unordered_set<const Value*>;

/// Values between the parameters and the loss: those that carry a gradient.
ValueSet gradientPath(const OpCatalog& catalog, const Value* loss,
                      const std::vector<Value*>& parameters) {
    const ValueSet down = reachedFrom(catalog, parameters);
    const ValueSet up = reachingTo(catalog, loss);
    ValueSet path;
    for (const Value* value : down) {
        if (up.contains(value)) path.insert(value);
    }
    return path;
}

bool producesAny(const Node& node, const ValueSet& values) {
    return std::any_of(node.outputs().begin(), node.outputs().end(),
                       [&](const Value* value) { return values.contains(value); });
}

/// The walk from the loss back to the parameters, one node at a time.
class GradientWalk {
public:
    GradientWalk(Graph& graph, const OpCatalog& catalog, const GradientRules& rules, Value* loss,
                 const std::vector<Value*>& parameters)
        : graph_(graph),
          catalog_(catalog),
          rules_(rules),
          loss_(loss),
          path_(gradientPath(catalog, loss, parameters)),
          accumulator_(graph, catalog, "AccumulateGrad") {}

    void run() {
        std::vector<Node*> order = graph_.topologicalOrder();
        seedLoss();
        for (auto node = order.rbegin(); node != order.rend(); ++node) {
            if (producesAny(**node, path_)) differentiate(**node);
        }
    }

    /// The finished gradient of a parameter, under its name.
    Value* gradientOf(Value* parameter) {
        Var gradient = total(parameter);
        if (!gradient) {
            throw Error(ErrorCode::InvalidInput,
                        "Parameter '" + parameter->name() + "' does not influence the loss '" +
                            loss_->name() + "'.",
                        "Freeze it, or choose the output that depends on it for the loss.");
        }
        const std::string name = parameter->name() + "_grad";
        if (gradient.value()->name() != name) gradient = namedCopy(gradient.value(), name);
        ValueType type = parameter->type();
        gradient.value()->setType(std::move(type));
        return gradient.value();
    }

private:
    void seedLoss() {
        const std::string name = graph_.uniqueName(loss_->name() + "_grad");
        const DType dtype = loss_->type().dtype;
        const Tensor one = Tensor::scalar(1.0F);
        seed_ = graph_.addInitializer(name, isFloating(dtype) ? one.cast(dtype) : one);
        parts_[loss_].push_back(seed_);
    }

    void differentiate(const Node& node) {
        if (const auto why = rules_.whyNot(node)) {
            if (why->derivativeIsZero) return;
            throw Error(ErrorCode::Unsupported,
                        node.describe() + " stops gradients: " + why->reason + ".", why->remedy);
        }
        const GradientRule* rule = rules_.find(node);
        TEMPER_ASSERT(rule != nullptr, "training forms were applied before the walk");
        GradientEmitter& emitter = emitterFor(node);
        std::vector<Var> outputGradients;
        for (Value* output : node.outputs()) {
            outputGradients.push_back(output == nullptr ? Var() : total(output, &emitter));
        }
        if (std::none_of(outputGradients.begin(), outputGradients.end(),
                         [](const Var& gradient) { return static_cast<bool>(gradient); })) {
            return;  // e.g. only the mean of a LayerNormalization is on the path of another loss
        }
        std::vector<bool> needed;
        for (size_t i = 0; i < node.inputs().size(); ++i) needed.push_back(needs(node, i));
        const GradientContext context(node, emitter, std::move(outputGradients), needed);
        try {
            collect(node, needed, (*rule)(context), emitter);
        } catch (Error& error) {
            error.addContext("gradient of " + node.describe());
            throw;
        }
    }

    bool needs(const Node& node, size_t input) const {
        return path_.contains(node.input(input)) && isDifferentiableEdge(catalog_, node, input);
    }

    void collect(const Node& node, const std::vector<bool>& needed, const Gradients& gradients,
                 GradientEmitter& emitter) {
        for (size_t i = 0; i < needed.size() && i < gradients.size(); ++i) {
            if (!needed[i] || !gradients[i]) continue;
            Value* input = node.input(i);
            const Var fitted = sumToShapeOf(Var(&emitter, input), gradients[i]);
            parts_[input].push_back(fitted.value());
        }
    }

    /// Sum of all parts that arrived at a value; empty where there are none.
    Var total(Value* value, GradientEmitter* emitter = nullptr) {
        const auto found = parts_.find(value);
        if (found == parts_.end()) return {};
        std::vector<Value*>& parts = found->second;
        const std::string name = value->name() + "_grad";
        if (parts.size() > 1) parts = {sumOf(parts, name)};
        Value* gradient = parts.front();
        takeName(gradient, name);
        if (gradient != seed_ && value->type().shape) gradient->setType(value->type());
        return {emitter == nullptr ? &accumulator_ : emitter, gradient};
    }

    Value* sumOf(const std::vector<Value*>& parts, const std::string& name) {
        for (size_t i = 0; i < parts.size(); ++i) {
            takeName(parts[i], name + "_" + std::to_string(i));
        }
        NodeSpec spec{"Sum",
                      parts,
                      {graph_.uniqueName(name)},
                      {},
                      "",
                      "AccumulateGrad_" + name,
                      std::string(kBackwardPass)};
        const Node* node = graph_.addNode(std::move(spec));
        inferNodeTypes(graph_, *node, catalog_);
        named_.insert(node->output(0));
        return node->output(0);
    }

    /// Gives an emitted value its name, once: a value that two gradients share keeps the first.
    void takeName(Value* value, const std::string& name) {
        const bool emitted = value->producer() != nullptr && emittedBy(*value->producer());
        if (!emitted || graph_.find(name) != nullptr || !named_.insert(value).second) return;
        graph_.renameValue(value, name);
    }

    bool emittedBy(const Node& node) const { return node.docString() == kBackwardPass; }

    Var namedCopy(Value* value, const std::string& name) {
        NodeSpec spec{
            "Identity", {value}, {name}, {}, "", name + "/Identity", std::string(kBackwardPass)};
        return {&accumulator_, graph_.addNode(std::move(spec))->output(0)};
    }

    /// Emitters live as long as the walk: Vars point to them.
    GradientEmitter& emitterFor(const Node& node) {
        const std::string name = node.name().empty() ? node.output(0)->name() : node.name();
        emitters_.push_back(std::make_unique<GradientEmitter>(graph_, catalog_, name + "_Grad"));
        return *emitters_.back();
    }

    Graph& graph_;
    const OpCatalog& catalog_;
    const GradientRules& rules_;
    Value* loss_;
    Value* seed_ = nullptr;
    ValueSet path_;
    GradientEmitter accumulator_;
    std::vector<std::unique_ptr<GradientEmitter>> emitters_;
    std::unordered_map<const Value*, std::vector<Value*>> parts_;
    std::unordered_set<const Value*> named_;
};

/// A lowered node may leave others to be lowered, and new values on the path.
Value* lowerOnPath(Graph& graph, const OpCatalog& catalog, const GradientRules& rules,
                   const std::string& loss, const std::vector<Value*>& parameters) {
    bool lowered = true;
    while (lowered) {
        const ValueSet path = gradientPath(catalog, graph.at(loss), parameters);
        lowered = lowerNodes(graph, catalog, [&](const Node& node) {
            return rules.isLowered(node) && producesAny(node, path);
        });
    }
    return graph.at(loss);
}

}  // namespace

Value* applyTrainingForms(Graph& graph, const OpCatalog& catalog, const GradientRules& rules,
                          Value* loss, const std::vector<Value*>& parameters) {
    loss = lowerOnPath(graph, catalog, rules, loss->name(), parameters);
    const ValueSet path = gradientPath(catalog, loss, parameters);
    for (Node* node : graph.topologicalOrder()) {
        const GradientRules::FormEntry* form = rules.trainingForm(*node);
        if (form == nullptr || (!form->always && !producesAny(*node, path))) continue;
        form->apply(graph, node);
    }
    inferTypes(graph, catalog);
    return loss;
}

std::vector<Value*> buildGradients(Graph& graph, const OpCatalog& catalog,
                                   const GradientRules& rules, Value* loss,
                                   const std::vector<Value*>& parameters) {
    GradientWalk walk(graph, catalog, rules, loss, parameters);
    walk.run();
    std::vector<Value*> gradients;
    for (Value* parameter : parameters) gradients.push_back(walk.gradientOf(parameter));
    return gradients;
}

}  // namespace temper
