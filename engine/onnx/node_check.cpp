// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/node_check.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/closest_word.h"
#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/ir/operator_table.h"
#include "engine/onnx/body_check.h"
#include "engine/onnx/operator_schema.h"

namespace temper {
namespace {

using Kind = FormalParameter::Kind;

/// "MatMul '/fc/MatMul'".
std::string subjectOf(const Node& node) {
    if (!node.name().empty()) return node.qualifiedOp() + " '" + node.name() + "'";
    for (const Value* value : node.outputs()) {
        if (value != nullptr) return "The " + node.qualifiedOp() + " of '" + value->name() + "'";
    }
    return "An unnamed " + node.qualifiedOp();
}

/// The permitted minimum and maximum.
struct Range {
    size_t least = 0;
    size_t most = 0;
    bool isOpen = false;

    static Range of(const std::vector<FormalParameter>& parameters) {
        Range range;
        for (const FormalParameter& parameter : parameters) {
            ++range.most;
            if (parameter.kind == Kind::Required) range.least = range.most;
            if (parameter.kind != Kind::Variadic) continue;
            range.isOpen = true;
            range.least = range.most - 1 + parameter.least;
        }
        return range;
    }

    bool holds(size_t count) const { return count >= least && (isOpen || count <= most); }

    std::string text() const {
        if (isOpen) return least == 0 ? "any number" : "at least " + std::to_string(least);
        if (least == most) return most == 0 ? "none" : std::to_string(most);
        return std::to_string(least) + " to " + std::to_string(most);
    }
};

/// "(A, B)", or nothing if the names are unknown.
std::string namesIn(const std::vector<FormalParameter>& parameters) {
    const bool areKnown =
        std::ranges::find(parameters, "_", &FormalParameter::name) == parameters.end();
    if (parameters.empty() || !areKnown) return {};
    const auto text = [](const FormalParameter& parameter) {
        return parameter.name + (parameter.kind == Kind::Variadic ? ", ..." : "");
    };
    return " (" + joined(parameters, text) + ")";
}

/// The checks of one node.
class NodeCheck {
public:
    NodeCheck(const Node& node, int64_t opset, const OperatorSchema& schema)
        : node_(node), opset_(opset), schema_(schema) {}

    void run() const {
        checkInputs();
        checkOutputs();
        for (const auto& [name, attribute] : node_.attributes()) {
            checkName(name);
            checkKind(name, attribute);
        }
        for (const FormalAttribute& attribute : schema_.attributes) {
            if (!attribute.isRequired || node_.hasAttribute(attribute.name)) continue;
            fail("lacks the attribute '" + attribute.name + "' (" + attribute.kind +
                 "), which is required");
        }
        if (const auto problem = bodyProblemOf(node_, opset_)) fail(*problem);
    }

private:
    void checkInputs() const {
        const auto& inputs = node_.inputs();
        const Range range = Range::of(schema_.inputs);
        if (!range.holds(inputs.size())) {
            fail("has " + counted(inputs.size(), "input") + "; it takes " + range.text() +
                 namesIn(schema_.inputs));
        }
        for (size_t i = 0; i < inputs.size(); ++i) {
            const auto& parameter = schema_.inputs[std::min(i, schema_.inputs.size() - 1)];
            if (inputs[i] != nullptr || parameter.kind == Kind::Optional) continue;
            fail("leaves out its input " + std::to_string(i) +
                 (parameter.name == "_" ? "" : " (" + parameter.name + ")") +
                 ", which is required");
        }
    }

    /// Unread outputs may be omitted at the end, but not all of them: graphs also omit what they do
    /// not need.
    void checkOutputs() const {
        const auto& outputs = node_.outputs();
        Range range = Range::of(schema_.outputs);
        range.least = std::min<size_t>(range.least, 1);
        if (outputs.size() < range.least) fail("has no output" + namesIn(schema_.outputs));
        if (!range.holds(outputs.size())) {
            fail("has " + counted(outputs.size(), "output") + "; expected at most " +
                 std::to_string(range.most) + namesIn(schema_.outputs));
        }
        for (size_t i = 0; i < outputs.size(); ++i) {
            const auto& parameter = schema_.outputs[std::min(i, schema_.outputs.size() - 1)];
            if (outputs[i] != nullptr || parameter.kind != Kind::Required) continue;
            fail("has no name for its output " + std::to_string(i) +
                 (parameter.name == "_" ? "" : " (" + parameter.name + ")") +
                 ", which is required");
        }
    }

    /// As in ONNX Runtime, names that begin with two underscores are annotations by tools.
    void checkName(const std::string& name) const {
        if (schema_.isOpen || name.starts_with("__") || schema_.attribute(name) != nullptr) return;
        std::vector<std::string> known;
        for (const FormalAttribute& attribute : schema_.attributes) known.push_back(attribute.name);
        fail("has the attribute '" + name + "', unknown to " + node_.qualifiedOp() + " in opset " +
                 std::to_string(opset_) + "; it takes " + (known.empty() ? "none" : joined(known)),
             didYouMean(name, known));
    }

    void checkKind(const std::string& name, const Attribute& attribute) const {
        const FormalAttribute* known = schema_.attribute(name);
        if (known == nullptr || known->kind == attributeKind(attribute)) return;
        fail("has the attribute '" + name + "' as " + attributeKind(attribute) + "; it takes " +
             known->kind);
    }

    [[noreturn]] void fail(const std::string& what, const std::string& suggestion = {}) const {
        throw Error(ErrorCode::InvalidInput, subjectOf(node_) + " " + what + ".",
                    suggestion + "The model does not follow the specification of " +
                        node_.qualifiedOp() + " (opset " + std::to_string(opset_) +
                        "). Export it again, or check the tool that changed it.");
    }

    const Node& node_;
    const int64_t opset_;
    const OperatorSchema& schema_;
};

/// Schemas are looked up once for each operator of a model.
class ModelCheck {
public:
    explicit ModelCheck(const ModelInfo& info) : info_(info) {}

    void run(const Graph& graph) {
        for (const Node* node : graph.nodes()) {
            if (const auto& schema = schemaOf(*node)) {
                NodeCheck(*node, info_.opsetOf(*node), *schema).run();
            }
            for (const auto& [name, attribute] : node->attributes()) {
                const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
                if (body != nullptr && *body != nullptr) run(**body);
            }
        }
    }

private:
    const std::optional<OperatorSchema>& schemaOf(const Node& node) {
        auto& schemas = schemas_[info_.opsetOf(node)];
        if (const auto* known = schemas.find(node)) return *known;
        schemas.add(node.domain(), node.opType(),
                    operatorSchemaOf(node.domain(), node.opType(), info_.opsetOf(node)));
        return *schemas.find(node);
    }

    const ModelInfo& info_;
    std::map<int64_t, OperatorTable<std::optional<OperatorSchema>>> schemas_;  ///< by opset
};

}  // namespace

void checkNodes(const Graph& graph) { ModelCheck(graph.info()).run(graph); }

}  // namespace temper
