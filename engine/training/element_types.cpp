// SPDX-License-Identifier: Apache-2.0
#include "engine/training/element_types.h"

#include <memory>

namespace temper {
namespace {

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

    /// `to` of Cast, `dtype` of generators and `output_datatype` of windows name an element type;
    /// tensors hold numbers.
    void changeAttributes(Node& node) const {
        const Value* output = node.output(0);
        const std::string name = output == nullptr ? std::string() : output->name();
        for (const char* key : {"to", "dtype", "output_datatype"}) {
            const auto* number = node.hasAttribute(key)
                                     ? std::get_if<int64_t>(&node.attributes().find(key)->second)
                                     : nullptr;
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

}  // namespace

void changeElementTypes(Graph& graph, const ElementTypeOf& typeOf) {
    TypeChange(graph, typeOf).run();
}

}  // namespace temper
