// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/gradient_graph.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/autodiff/reachability.h"
#include "engine/autodiff/unbroadcast.h"
#include "engine/ir/graph_table.h"
#include "engine/ir/lowering.h"
#include "engine/ir/type_inference.h"

namespace temper {
namespace {

/// Values between the parameters and the losses: those that carry a gradient.
ValueSet gradientPath(const Graph& graph, const OpCatalog& catalog,
                      const std::vector<Value*>& losses, const std::vector<Value*>& parameters) {
    const ValueSet down = reachedFrom(graph, catalog, parameters);
    ValueSet up;
    for (const Value* loss : losses) up.merge(reachingTo(graph, catalog, loss));
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

/// The walk from the losses back to the parameters, one node at a time.
class GradientWalk {
public:
    GradientWalk(Graph& graph, const OpCatalog& catalog, const GradientRules& rules,
                 const std::vector<Value*>& losses, const std::vector<Value*>& parameters)
        : graph_(graph),
          catalog_(catalog),
          rules_(rules),
          losses_(losses),
          path_(gradientPath(graph, catalog, losses, parameters)),
          accumulator_(graph, catalog, "AccumulateGrad") {}

    /// The gradient that the walk begins with at a loss.
    void seed(Value* loss, Value* gradient) {
        parts_[loss].push_back(gradient);
        seeds_.insert(gradient);
    }

    void run() {
        forEachNode([this](const Node& node) { differentiate(node); });
    }

    /// Continues if a rule refuses and returns the errors, by node. Nodes without a rule end the
    /// walk silently.
    std::vector<std::pair<const Node*, Error>> tryAll() {
        std::vector<std::pair<const Node*, Error>> refusals;
        forEachNode([&](const Node& node) {
            if (rules_.whyNot(node)) return;
            try {
                differentiate(node);
            } catch (const Error& error) {
                refusals.emplace_back(&node, error);
            }
        });
        return refusals;
    }

    bool reaches(const Value* value) const { return parts_.contains(value); }

    /// The finished gradient of a parameter, under its name.
    Value* gradientOf(Value* parameter) {
        Var gradient = total(parameter);
        if (!gradient) {
            throw Error(ErrorCode::InvalidInput,
                        "Parameter '" + parameter->name() + "' does not influence the loss '" +
                            losses_.front()->name() + "'.",
                        "Freeze it, or let the loss read an output that depends on it.");
        }
        const std::string name = parameter->name() + "_grad";
        if (gradient.value()->name() != name) gradient = namedCopy(gradient.value(), name);
        ValueType type = parameter->type();
        gradient.value()->setType(std::move(type));
        return gradient.value();
    }

private:
    template <typename F>
    void forEachNode(F visit) {
        const std::vector<Node*> order = graph_.topologicalOrder();
        for (auto node = order.rbegin(); node != order.rend(); ++node) {
            const auto& outputs = (*node)->outputs();
            const bool arrives = std::any_of(outputs.begin(), outputs.end(),
                                             [&](const Value* value) { return reaches(value); });
            if (arrives && producesAny(**node, path_)) visit(**node);
        }
    }

    void differentiate(const Node& node) {
        if (const auto why = rules_.whyNot(node)) {
            if (why->derivativeIsZero) return;
            throw Error(ErrorCode::Unsupported,
                        node.describe() + " stops gradients: " + why->reason + ".", why->remedy);
        }
        inferNodeTypes(graph_, node, catalog_);  // rules rely on types that fit
        const GradientRule* rule = rules_.find(node);
        TEMPER_ASSERT(rule != nullptr, "training forms were applied before the walk");
        GradientEmitter& emitter = emitterFor(node);
        std::vector<Var> outputGradients;
        for (Value* output : node.outputs()) {
            outputGradients.push_back(output == nullptr ? Var() : total(output, &emitter));
        }
        std::vector<bool> needed;
        for (size_t i = 0; i < node.inputs().size(); ++i) needed.push_back(needs(node, i));
        const std::vector<Value*> captures = graph_.capturedBy(node);
        for (const Value* captured : captures) needed.push_back(path_.contains(captured));
        const GradientContext context(node, emitter, std::move(outputGradients), needed, captures,
                                      rules_);
        try {
            collect(context, (*rule)(context), emitter);
        } catch (Error& error) {
            error.addContext("gradient of " + node.describe());
            throw;
        }
    }

    bool needs(const Node& node, size_t input) const {
        return path_.contains(node.input(input)) && isDifferentiableEdge(catalog_, node, input);
    }

    void collect(const GradientContext& context, const Gradients& gradients,
                 GradientEmitter& emitter) {
        for (size_t i = 0; i < gradients.size(); ++i) {
            if (!context.needs(i) || !gradients[i]) continue;
            Value* input = context.source(i);
            const Var fitted = sumToShapeOf(Var(&emitter, input), gradients[i]);
            parts_[input].push_back(fitted.value());
        }
    }

    /// Sum of all parts that arrived at a value; empty if there are none.
    Var total(Value* value, GradientEmitter* emitter = nullptr) {
        std::vector<Value*>* found = parts_.find(value);
        if (found == nullptr) return {};
        std::vector<Value*>& parts = *found;
        const std::string name = value->name() + "_grad";
        if (parts.size() > 1) parts = {sumOf(parts, name)};
        Value* gradient = parts.front();
        takeName(gradient, name);
        if (!seeds_.contains(gradient) && value->type().shape) gradient->setType(value->type());
        return {emitter == nullptr ? &accumulator_ : emitter, gradient};
    }

    Value* sumOf(const std::vector<Value*>& parts, const std::string& name) {
        for (size_t i = 0; i < parts.size(); ++i) {
            takeName(parts[i], name + "_" + std::to_string(i));
        }
        NodeSpec spec{.opType = "Sum",
                      .inputs = parts,
                      .outputs = {graph_.uniqueName(name)},
                      .name = "AccumulateGrad_" + name,
                      .isBackward = true};
        const Node* node = graph_.addNode(std::move(spec));
        inferNodeTypes(graph_, *node, catalog_);
        named_.insert(node->output(0));
        return node->output(0);
    }

    /// Gives an emitted value its name, once: a value that two gradients share keeps the first.
    void takeName(Value* value, const std::string& name) {
        const bool emitted = value->producer() != nullptr && value->producer()->isBackward();
        if (!emitted || graph_.find(name) != nullptr || !named_.insert(value)) return;
        graph_.renameValue(value, name);
    }

    Var namedCopy(Value* value, const std::string& name) {
        NodeSpec spec{.opType = "Identity",
                      .inputs = {value},
                      .outputs = {name},
                      .name = name + "/Identity",
                      .isBackward = true};
        return {&accumulator_, graph_.addNode(std::move(spec))->output(0)};
    }

    /// Emitters live as long as the walk: Vars point to them.
    GradientEmitter& emitterFor(const Node& node) {
        std::string name = node.name();
        for (const Value* output : node.outputs()) {
            if (name.empty() && output != nullptr) name = output->name();
        }
        emitters_.push_back(std::make_unique<GradientEmitter>(graph_, catalog_, name + "_Grad"));
        return *emitters_.back();
    }

    Graph& graph_;
    const OpCatalog& catalog_;
    const GradientRules& rules_;
    std::vector<Value*> losses_;
    ValueSet path_;
    ValueSet seeds_;
    GradientEmitter accumulator_;
    std::vector<std::unique_ptr<GradientEmitter>> emitters_;
    ValueTable<std::vector<Value*>> parts_;
    ValueSet named_;
};

/// The walk from all of the seeds. Emitted gradients point to its emitters: it must not be copied.
std::unique_ptr<GradientWalk> walkFrom(Graph& graph, const OpCatalog& catalog,
                                       const GradientRules& rules,
                                       const std::vector<GradientSeed>& seeds,
                                       const std::vector<Value*>& parameters) {
    std::vector<Value*> values;
    for (const GradientSeed& seed : seeds) values.push_back(seed.value);
    auto walk = std::make_unique<GradientWalk>(graph, catalog, rules, values, parameters);
    for (const GradientSeed& seed : seeds) walk->seed(seed.value, seed.gradient);
    walk->run();
    return walk;
}

/// Lowering a node may add other nodes to lower, and new values on the path.
void applyForms(Graph& graph, const OpCatalog& catalog, const GradientRules& rules,
                const std::vector<Value*>& losses, const std::vector<Value*>& parameters) {
    bool isChanged = false;
    ValueSet path = gradientPath(graph, catalog, losses, parameters);
    const auto loweringOnPath = [&](const Node& node) {
        return producesAny(node, path) ? rules.loweringOf(node, catalog) : nullptr;
    };
    while (lowerNodesBy(graph, catalog, loweringOnPath)) {
        path = gradientPath(graph, catalog, losses, parameters);
        isChanged = true;
    }
    for (Node* node : graph.topologicalOrder()) {
        const GradientRules::FormEntry* form = rules.trainingForm(*node);
        if (form == nullptr || (!form->always && !producesAny(*node, path))) continue;
        if (!hasFittingTypes(graph, *node, catalog)) continue;
        form->apply(graph, node);
        isChanged = true;
    }
    if (isChanged) inferTypes(graph, catalog);
}

Finding refusalOf(const Graph& graph, const Node& node, const Error& error,
                  const OpCatalog& catalog, const std::vector<Value*>& parameters) {
    Finding finding{"G004",       Severity::Error, node.name(), node.qualifiedOp(),
                    error.what(), error.hint(),    {}};
    const ValueSet before = valuesBefore(graph, catalog, node);
    for (const Value* parameter : parameters) {
        if (before.contains(parameter)) finding.parameters.push_back(parameter->name());
    }
    if (finding.hint.empty()) finding.hint = "Freeze the parameters before it.";
    return finding;
}

}  // namespace

Value* applyTrainingForms(Graph& graph, const OpCatalog& catalog, const GradientRules& rules,
                          Value* loss, const std::vector<Value*>& parameters) {
    applyForms(graph, catalog, rules, {loss}, parameters);
    return loss;
}

std::vector<Value*> applyTrainingForms(Graph& graph, const OpCatalog& catalog,
                                       const GradientRules& rules, std::vector<Value*> losses,
                                       const std::vector<Value*>& parameters) {
    applyForms(graph, catalog, rules, losses, parameters);
    return losses;
}

Value* addLossSeed(Graph& graph, const Value& loss) {
    const DType dtype = loss.type().dtype;
    const Tensor one = Tensor::scalar(1.0F);
    return graph.addInitializer(graph.uniqueName(loss.name() + "_grad"),
                                isFloating(dtype) ? one.cast(dtype) : one);
}

std::vector<Value*> buildGradients(Graph& graph, const OpCatalog& catalog,
                                   const GradientRules& rules, Value* loss,
                                   const std::vector<Value*>& parameters) {
    return buildGradients(graph, catalog, rules, {{loss, addLossSeed(graph, *loss)}}, parameters);
}

std::vector<Value*> buildGradients(Graph& graph, const OpCatalog& catalog,
                                   const GradientRules& rules,
                                   const std::vector<GradientSeed>& seeds,
                                   const std::vector<Value*>& parameters) {
    const auto walk = walkFrom(graph, catalog, rules, seeds, parameters);
    std::vector<Value*> gradients;
    for (Value* parameter : parameters) gradients.push_back(walk->gradientOf(parameter));
    return gradients;
}

std::vector<Value*> buildArrivingGradients(Graph& graph, const OpCatalog& catalog,
                                           const GradientRules& rules,
                                           const std::vector<GradientSeed>& seeds,
                                           const std::vector<Value*>& parameters) {
    const auto walk = walkFrom(graph, catalog, rules, seeds, parameters);
    std::vector<Value*> gradients;
    for (Value* parameter : parameters) {
        gradients.push_back(walk->reaches(parameter) ? walk->gradientOf(parameter) : nullptr);
    }
    return gradients;
}

std::vector<Finding> tryGradients(Graph& graph, const OpCatalog& catalog,
                                  const GradientRules& rules, std::vector<Value*> outputs,
                                  const std::vector<Value*>& parameters) {
    try {
        applyForms(graph, catalog, rules, outputs, parameters);
    } catch (const Error& error) {
        return {{"G004", Severity::Error, "", "", error.what(), error.hint(), namesOf(parameters)}};
    }
    GradientWalk walk(graph, catalog, rules, outputs, parameters);
    for (Value* output : outputs) {
        walk.seed(output,
                  graph.addInput(graph.uniqueName(output->name() + "_grad"), output->type()));
    }
    std::vector<Finding> findings;
    for (const auto& [node, error] : walk.tryAll()) {
        findings.push_back(refusalOf(graph, *node, error, catalog, parameters));
    }
    if (!findings.empty()) return findings;
    for (const Value* parameter : parameters) {
        if (walk.reaches(parameter)) continue;
        findings.push_back(
            {"G003",
             Severity::Error,
             "",
             "",
             "No gradient reaches parameter '" + parameter->name() + "' the way the model uses it.",
             "Freeze it.",
             {parameter->name()}});
    }
    return findings;
}

}  // namespace temper
