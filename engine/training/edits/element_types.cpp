// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/element_types.h"

#include <algorithm>
#include <array>
#include <memory>

namespace temper {
namespace {

/// `to` of Cast, `dtype` of generators and `output_datatype` of windows name an element type.
constexpr std::array<const char*, 3> kTypeAttributes = {"to", "dtype", "output_datatype"};

/// The code of the element type; null if there is none.
const int64_t* typeAttribute(const Node& node, const char* key) {
    const auto found = node.attributes().find(key);
    return found == node.attributes().end() ? nullptr : std::get_if<int64_t>(&found->second);
}

class TypeChange {
public:
    TypeChange(Graph& graph, const ElementTypeOf& typeOf) : graph_(graph), typeOf_(typeOf) {}

    void run() {
        for (Value* input : graph_.inputs()) setType(*input, TypeSource::Given);
        for (Value* capture : graph_.captures()) setType(*capture, TypeSource::Computed);
        const std::vector<Value*> initializers = graph_.initializers();
        for (Value* value : initializers) {
            graph_.setConstant(value, changed(value->name(), value->constant()));
        }
        for (Node* node : graph_.nodes()) {
            changeAttributes(*node);
            for (Value* output : node->outputs()) {
                if (output != nullptr) setType(*output, TypeSource::Computed);
            }
        }
    }

private:
    void setType(Value& value, TypeSource source) const {
        ValueType type = value.type();
        type.dtype = typeOf_(value.name(), type.dtype, source);
        value.setType(std::move(type));
    }

    Tensor changed(const std::string& name, const Tensor& tensor) const {
        const DType type = typeOf_(name, tensor.dtype(), TypeSource::Given);
        return type == tensor.dtype() ? tensor : tensor.cast(type);
    }

    /// Some attributes name an element type, tensors hold numbers.
    void changeAttributes(Node& node) const {
        const Value* output = node.output(0);
        const std::string name = output == nullptr ? std::string() : output->name();
        for (const char* key : kTypeAttributes) {
            const int64_t* number = typeAttribute(node, key);
            if (number == nullptr) continue;
            const DType type = typeOf_(name, static_cast<DType>(*number), TypeSource::Given);
            node.setAttribute(key, static_cast<int64_t>(type));
        }
        const Attributes attributes = node.attributes();
        for (const auto& [key, attribute] : attributes) {
            if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
                node.setAttribute(key, changed(name, *tensor));
            } else if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
                std::shared_ptr<Graph> copy = (*body)->clone();
                changeElementTypes(*copy, typeOf_);
                node.setAttribute(key, std::shared_ptr<const Graph>(std::move(copy)));
            }
        }
    }

    Graph& graph_;
    const ElementTypeOf& typeOf_;
};

bool givesAnyOf(const Attribute& attribute, std::initializer_list<DType> types) {
    if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
        return std::ranges::find(types, tensor->dtype()) != types.end();
    }
    const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
    return body != nullptr && temper::givesAnyOf(**body, types);
}

bool givesAnyOf(const Node& node, std::initializer_list<DType> types) {
    const bool names = std::ranges::any_of(kTypeAttributes, [&](const char* key) {
        const int64_t* number = typeAttribute(node, key);
        return number != nullptr &&
               std::ranges::find(types, static_cast<DType>(*number)) != types.end();
    });
    return names || std::ranges::any_of(node.attributes(), [&](const auto& attribute) {
               return givesAnyOf(attribute.second, types);
           });
}

}  // namespace

void changeElementTypes(Graph& graph, const ElementTypeOf& typeOf) {
    TypeChange(graph, typeOf).run();
}

bool givesAnyOf(const Graph& graph, std::initializer_list<DType> types) {
    const auto isOne = [&](const Value* value) {
        return std::ranges::find(types, value->type().dtype) != types.end();
    };
    return std::ranges::any_of(graph.inputs(), isOne) ||
           std::ranges::any_of(graph.initializers(), isOne) ||
           std::ranges::any_of(graph.nodes(),
                               [&](const Node* node) { return givesAnyOf(*node, types); });
}

}  // namespace temper
