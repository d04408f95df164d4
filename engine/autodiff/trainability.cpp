// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/trainability.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "engine/autodiff/reachability.h"

namespace temper {
namespace {

using ValueSet = std::unordered_set<const Value*>;

bool isRunningStatistic(const Value& value) {
    return std::any_of(value.uses().begin(), value.uses().end(), [](const Value::Use& use) {
        const std::string& op = use.node->opType();
        return (op == "BatchNormalization" || op == "BatchNormInternal") && use.input >= 3;
    });
}

bool hasDifferentiableUse(const Value& value, const OpCatalog& catalog) {
    return std::any_of(value.uses().begin(), value.uses().end(), [&](const Value::Use& use) {
        return isDifferentiableEdge(catalog, *use.node, use.input);
    });
}

ParameterInfo classify(const Value& value, const OpCatalog& catalog) {
    const Tensor& data = value.constant();
    ParameterInfo info{value.name(), data.dtype(), data.shape(), ParameterClass::Constant, {}};
    if (!isFloating(data.dtype())) {
        info.parameterClass = ParameterClass::ShapeData;
        info.reason = "not a floating-point tensor";
    } else if (isRunningStatistic(value)) {
        info.parameterClass = ParameterClass::BatchNormStatistic;
        info.reason = "running statistic of a batch normalization";
    } else if (value.isLiteral() && data.numElements() <= 1) {
        info.reason = "a number written into the model";
    } else if (!hasDifferentiableUse(value, catalog)) {
        info.reason = value.uses().empty() ? "nothing reads it" : "read where no gradient flows";
    } else {
        info.parameterClass = ParameterClass::Trainable;
        info.reason = value.isLiteral() ? "a tensor written into the model" : "a named parameter";
    }
    return info;
}

/// Exporters write factors and bounds as Constant nodes, and only where they are told to, weights.
/// In a model whose weights have names, what is written into it is no weight.
void keepLiteralsConstant(const Graph& graph, std::vector<ParameterInfo>& infos) {
    for (ParameterInfo& info : infos) {
        const bool isLiteral = graph.at(info.name)->isLiteral();
        if (!isLiteral || info.parameterClass != ParameterClass::Trainable) continue;
        info.parameterClass = ParameterClass::Constant;
        info.reason = "written into a model whose parameters have names";
    }
}

/// Values that `outputs` depend on along edges that can carry a gradient.
ValueSet upstreamOf(const OpCatalog& catalog, const std::vector<Value*>& outputs) {
    ValueSet all;
    for (const Value* output : outputs) all.merge(reachingTo(catalog, output));
    return all;
}

std::vector<std::string> parametersBefore(const Node& node, const OpCatalog& catalog,
                                          const std::vector<Value*>& parameters) {
    ValueSet before;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        if (isDifferentiableEdge(catalog, node, i))
            before.merge(reachingTo(catalog, node.input(i)));
    }
    std::vector<std::string> names;
    for (const Value* parameter : parameters) {
        if (before.contains(parameter)) names.push_back(parameter->name());
    }
    return names;
}

std::string listed(const std::vector<std::string>& names) {
    constexpr size_t kShown = 3;
    std::string text;
    for (size_t i = 0; i < std::min(names.size(), kShown); ++i) {
        text += (i > 0 ? ", " : "") + names[i];
    }
    return names.size() > kShown ? text + ", ..." : text;
}

std::string countOf(const std::vector<std::string>& names) {
    return std::to_string(names.size()) + (names.size() == 1 ? " parameter" : " parameters");
}

/// Collects the findings of one analysis.
class Analysis {
public:
    Analysis(const Graph& graph, const OpCatalog& catalog, const GradientRules& rules,
             const std::vector<Value*>& outputs, const std::vector<Value*>& parameters)
        : graph_(graph),
          catalog_(catalog),
          rules_(rules),
          outputs_(outputs),
          parameters_(floatingOnes(parameters)) {}

    std::vector<Finding> run() {
        const ValueSet upstream = upstreamOf(catalog_, outputs_);
        const ValueSet downstream = reachedFrom(catalog_, parameters_);
        collectOpenPaths();
        for (const Node* node : graph_.topologicalOrder()) {
            const bool onPath = std::any_of(
                node->outputs().begin(), node->outputs().end(), [&](const Value* value) {
                    return upstream.contains(value) && downstream.contains(value);
                });
            if (onPath) examine(*node);
        }
        for (const Value* parameter : parameters_) {
            if (!upstream.contains(parameter)) reportUnreachable(*parameter);
        }
        return std::move(findings_);
    }

private:
    std::vector<Value*> floatingOnes(const std::vector<Value*>& parameters) {
        std::vector<Value*> result;
        for (Value* parameter : parameters) {
            if (isFloating(parameter->type().dtype)) {
                result.push_back(parameter);
                continue;
            }
            findings_.push_back({"G005",
                                 Severity::Error,
                                 "",
                                 "",
                                 "Parameter '" + parameter->name() + "' is " +
                                     formatType(parameter->type()) +
                                     "; only floating-point tensors can be trained.",
                                 "Freeze it.",
                                 {parameter->name()}});
        }
        return result;
    }

    /// What the outputs depend on through nodes that pass gradients.
    void collectOpenPaths() {
        std::vector<const Value*> pending(outputs_.begin(), outputs_.end());
        open_.insert(outputs_.begin(), outputs_.end());
        while (!pending.empty()) {
            const Node* node = pending.back()->producer();
            pending.pop_back();
            if (node == nullptr || rules_.whyNot(*node)) continue;
            for (size_t i = 0; i < node->inputs().size(); ++i) {
                if (!isDifferentiableEdge(catalog_, *node, i)) continue;
                if (open_.insert(node->input(i)).second) pending.push_back(node->input(i));
            }
        }
    }

    void examine(const Node& node) {
        const std::optional<NonDifferentiable> why = rules_.whyNot(node);
        if (!why) return;
        Finding finding;
        finding.node = node.name();
        finding.op = node.qualifiedOp();
        finding.parameters = parametersBefore(node, catalog_, parameters_);
        const bool cutsOff = std::any_of(
            finding.parameters.begin(), finding.parameters.end(),
            [&](const std::string& name) { return !open_.contains(graph_.find(name)); });
        const bool hasRule = rules_.find(node) != nullptr || rules_.trainingForm(node) != nullptr;
        finding.code = why->derivativeIsZero ? "G002" : hasRule ? "G004" : "G001";
        finding.severity = why->derivativeIsZero && !cutsOff ? Severity::Warning : Severity::Error;
        finding.message = node.describe() + " stops gradients to " + countOf(finding.parameters) +
                          " (" + listed(finding.parameters) + "): " + why->reason + ".";
        finding.message[0] = static_cast<char>(std::toupper(finding.message[0]));
        finding.hint = why->remedy;
        findings_.push_back(std::move(finding));
    }

    void reportUnreachable(const Value& parameter) {
        findings_.push_back({"G003",
                             Severity::Error,
                             "",
                             "",
                             "Parameter '" + parameter.name() +
                                 "' does not influence the outputs that the loss reads.",
                             "Freeze it, or choose the output that depends on it.",
                             {parameter.name()}});
    }

    const Graph& graph_;
    const OpCatalog& catalog_;
    const GradientRules& rules_;
    const std::vector<Value*>& outputs_;
    std::vector<Finding> findings_;
    std::vector<Value*> parameters_;
    ValueSet open_;
};

}  // namespace

std::string_view parameterClassName(ParameterClass parameterClass) {
    switch (parameterClass) {
        case ParameterClass::Trainable: return "trainable";
        case ParameterClass::BatchNormStatistic: return "batch-norm statistic";
        case ParameterClass::Constant: return "constant";
        case ParameterClass::ShapeData: return "shape data";
    }
    return "constant";
}

std::vector<ParameterInfo> classifyParameters(const Graph& graph, const OpCatalog& catalog) {
    std::vector<ParameterInfo> result;
    bool hasNamedParameters = false;
    for (const Value* value : graph.initializers()) {
        result.push_back(classify(*value, catalog));
        hasNamedParameters |=
            !value->isLiteral() && result.back().parameterClass == ParameterClass::Trainable;
    }
    if (hasNamedParameters) keepLiteralsConstant(graph, result);
    return result;
}

std::vector<Finding> analyzeTrainability(const Graph& graph, const OpCatalog& catalog,
                                         const GradientRules& rules,
                                         const std::vector<Value*>& outputs,
                                         const std::vector<Value*>& parameters) {
    return Analysis(graph, catalog, rules, outputs, parameters).run();
}

}  // namespace temper
