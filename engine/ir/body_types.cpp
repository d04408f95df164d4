// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/body_types.h"

#include <utility>
#include <vector>

#include "engine/ir/type_inference.h"

namespace temper {
namespace {

/// The body's input i, with its element type. Source: ONNX, Operators.md: Loop, Scan, SequenceMap.
ValueType bodyInput(const Node& node, size_t i) {
    if (node.opType() == "Loop" && i == 0) return {DType::Int64, std::nullopt, false};
    if (node.opType() == "Loop" && i == 1) return {DType::Bool, std::nullopt, false};
    const Value* fed = node.input(i);
    if (fed == nullptr) return {};
    ValueType type = fed->type().withoutShape();
    if (node.opType() == "SequenceMap") type.isSequence = false;
    return type;
}

void setIfOpen(Value* value, const ValueType& type) {
    if (!value->type().isKnown()) value->setType(type.withoutShape());
}

class BodyTyper {
public:
    BodyTyper(const ModelInfo& info, const OpCatalog& catalog) : info_(info), catalog_(catalog) {}

    void run(Graph& graph) const {
        for (Node* node : graph.nodes()) {
            for (const auto& [name, attribute] : Attributes(node->attributes())) {
                const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
                if (body != nullptr) node->setAttribute(name, typed(**body, *node, graph));
            }
        }
    }

private:
    std::shared_ptr<const Graph> typed(const Graph& body, const Node& node,
                                       const Graph& outer) const {
        const std::shared_ptr<Graph> result = body.clone();
        std::vector<ValueType> inputs;
        for (size_t i = 0; i < body.inputs().size(); ++i) {
            inputs.push_back(bodyInput(node, i));
            setIfOpen(result->inputs()[i], inputs.back());
        }
        for (Value* capture : result->captures()) {
            const Value* source = outer.find(capture->name());
            if (source != nullptr) setIfOpen(capture, source->type());
        }
        typeNodes(*result, inputs, outer);
        run(*result);
        return result;
    }

    /// Infers the types of all outputs of nodes, as if all were outputs of the body.
    void typeNodes(Graph& body, const std::vector<ValueType>& inputs, const Graph& outer) const {
        std::vector<Value*> made;
        for (const Node* node : body.nodes()) {
            for (Value* output : node->outputs()) {
                if (output != nullptr) made.push_back(output);
            }
        }
        const std::unique_ptr<Graph> probe = body.clone();
        std::vector<Value*> outputs;
        for (const Value* value : made) outputs.push_back(probe->at(value->name()));
        probe->setOutputs(std::move(outputs));
        const auto captured = [&](const std::string& name) {
            const Value* value = outer.find(name);
            return value == nullptr ? CapturedValue{}
                                    : CapturedValue{value->type(), value->constant()};
        };
        const std::vector<ValueType> types =
            inferBodyTypes(*probe, info_, inputs, captured, catalog_);
        for (size_t i = 0; i < made.size(); ++i) setIfOpen(made[i], types[i]);
    }

    const ModelInfo& info_;
    const OpCatalog& catalog_;
};

}  // namespace

void typeBodies(Graph& graph, const OpCatalog& catalog) {
    BodyTyper(graph.info(), catalog).run(graph);
}

}  // namespace temper
