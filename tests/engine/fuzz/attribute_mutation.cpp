// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>

#include "engine/onnx/operator_schema.h"
#include "tests/engine/fuzz/model_mutation.h"

namespace temper::test {
namespace {

using Kind = onnx::AttributeProto;

/// Kinds by the names of attributeKind().
Kind::AttributeType kindOf(const std::string& name) {
    if (name == "int") return Kind::INT;
    if (name == "float") return Kind::FLOAT;
    if (name == "string") return Kind::STRING;
    if (name == "ints") return Kind::INTS;
    if (name == "floats") return Kind::FLOATS;
    return Kind::UNDEFINED;
}

/// Names of modes, algorithms and activations that operators of ONNX know.
const std::string& word(size_t place) {
    static const std::array<std::string, 24> words = {"",
                                                      "reflect",
                                                      "edge",
                                                      "wrap",
                                                      "linear",
                                                      "cubic",
                                                      "nearest",
                                                      "bidirectional",
                                                      "reverse",
                                                      "Tanh",
                                                      "Sigmoid",
                                                      "Relu",
                                                      "SAME_UPPER",
                                                      "VALID",
                                                      "align_corners",
                                                      "sum",
                                                      "mean",
                                                      "none",
                                                      "tf_crop_and_resize",
                                                      "asymmetric",
                                                      "max",
                                                      "...ij,jk->k",
                                                      "floor",
                                                      "TFIDF"};
    return words[place % words.size()];
}

}  // namespace

void ModelMutator::changeAttribute(onnx::NodeProto& node) {
    auto& attributes = *node.mutable_attribute();
    if (attributes.empty() || below(4) == 0) return addAttribute(node);
    const size_t at = below(attributes.size());
    onnx::AttributeProto& attribute = attributes.at(static_cast<int>(at));
    switch (below(8)) {
        case 0: attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(at)); return;
        case 1: return changeKind(attribute);
        case 2: return setValue(attribute);
        default: return changeValue(attribute);
    }
}

/// One of the operator's attributes; any attribute if it has none.
void ModelMutator::addAttribute(onnx::NodeProto& node) {
    const auto schema = operatorSchemaOf(node.domain(), node.op_type(), opset_);
    onnx::AttributeProto added;
    if (schema && !schema->attributes.empty()) {
        const auto& known = schema->attributes[below(static_cast<int>(schema->attributes.size()))];
        added.set_name(known.name);
        added.set_type(kindOf(known.kind));
    } else {
        added.set_name("axis");
        added.set_type(Kind::INT);
    }
    if (added.type() == Kind::UNDEFINED) return;
    setValue(added);
    for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.name() == added.name()) return attribute.Swap(&added);
    }
    *node.add_attribute() = std::move(added);
}

void ModelMutator::dropUnknownAttributes(onnx::NodeProto& node) const {
    const auto schema = operatorSchemaOf(node.domain(), node.op_type(), opset_);
    if (!schema) return;
    auto& attributes = *node.mutable_attribute();
    for (int i = attributes.size() - 1; i >= 0; --i) {
        if (schema->attribute(attributes.at(i).name()) == nullptr)
            attributes.erase(attributes.begin() + i);
    }
}

void ModelMutator::changeValue(onnx::AttributeProto& attribute) {
    if (attribute.has_i()) return attribute.set_i(number());
    if (attribute.has_f()) return attribute.set_f(static_cast<float>(number()));
    if (attribute.has_s()) return attribute.set_s(word(below(100)));
    if (attribute.has_t()) return attribute.mutable_t()->clear_dims();
    auto& ints = *attribute.mutable_ints();
    if (attribute.floats_size() > 0) return attribute.add_floats(static_cast<float>(number()));
    if (attribute.strings_size() > 0) {
        return attribute.set_strings(static_cast<int>(below(attribute.strings_size())),
                                     word(below(100)));
    }
    if (ints.empty() || below(3) == 0) return attribute.add_ints(number());
    const size_t at = below(ints.size());
    if (below(3) == 0) {
        ints.erase(ints.begin() + static_cast<std::ptrdiff_t>(at));
        return;
    }
    ints.Set(static_cast<int>(at), number());
}

void ModelMutator::changeKind(onnx::AttributeProto& attribute) {
    const std::string name = attribute.name();
    attribute.Clear();
    attribute.set_name(name);
    static constexpr std::array<Kind::AttributeType, 5> kKinds = {
        Kind::INT, Kind::FLOAT, Kind::STRING, Kind::INTS, Kind::FLOATS};
    attribute.set_type(kKinds[below(5)]);
    setValue(attribute);
}

/// Another value of the attribute's kind, whatever the attribute holds.
void ModelMutator::setValue(onnx::AttributeProto& attribute) {
    const size_t count = 1 + below(4);
    switch (attribute.type()) {
        case Kind::INT: return attribute.set_i(number());
        case Kind::FLOAT: return attribute.set_f(static_cast<float>(number()) / 2);
        case Kind::STRING: return attribute.set_s(word(below(100)));
        case Kind::INTS:
            attribute.clear_ints();
            for (size_t i = 0; i < count; ++i) attribute.add_ints(number());
            return;
        case Kind::FLOATS:
            attribute.clear_floats();
            for (size_t i = 0; i < count; ++i) attribute.add_floats(0.5F);
            return;
        default: return;
    }
}

}  // namespace temper::test
