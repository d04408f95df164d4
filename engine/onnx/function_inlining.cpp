// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/function_inlining.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/onnx/foreign_opset.h"

namespace temper {
namespace {

using Names = std::map<std::string, std::string>;
using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// Functions that call functions can double with each level; a real model, calls included, stays
/// far below.
constexpr int64_t kMaxNodes = 2'000'000;
constexpr size_t kMaxDepth = 64;

/// Fields of newer IR versions: the classes of libonnx 1.12 keep them as unknown fields, those of
/// 1.17 know them. Source: onnx.proto of ONNX 1.16.
constexpr int kFunctionDefaults = 11;
constexpr int kFunctionOverload = 13;
constexpr int kNodeOverload = 8;

using google::protobuf::Message;

std::vector<std::string> knownField(const Message& message,
                                    const google::protobuf::FieldDescriptor& field) {
    const auto& reflection = *message.GetReflection();
    if (!field.is_repeated()) return {reflection.GetString(message, &field)};
    std::vector<std::string> found;
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i)
        found.push_back(reflection.GetRepeatedMessage(message, &field, i).SerializeAsString());
    return found;
}

std::vector<std::string> unknownField(const Message& message, int number) {
    using google::protobuf::UnknownField;
    const auto& fields = message.GetReflection()->GetUnknownFields(message);
    std::vector<std::string> found;
    for (int i = 0; i < fields.field_count(); ++i) {
        const UnknownField& field = fields.field(i);
        const bool isText = field.type() == UnknownField::TYPE_LENGTH_DELIMITED;
        if (isText && field.number() == number) found.push_back(field.length_delimited());
    }
    return found;
}

/// Texts as they are, messages in their serialized form.
std::vector<std::string> newerField(const Message& message, int number) {
    const auto* known = message.GetDescriptor()->FindFieldByNumber(number);
    std::vector<std::string> found =
        known != nullptr ? knownField(message, *known) : unknownField(message, number);
    std::erase(found, "");
    return found;
}

/// The part that a call and its function have in common.
std::string signature(const Message& message, int overloadNumber, const std::string& domain,
                      const std::string& name) {
    std::string text = (domain == "ai.onnx" ? "" : domain) + "." + name;
    for (const std::string& overload : newerField(message, overloadNumber)) text += ":" + overload;
    return text;
}
std::string signature(const onnx::FunctionProto& function) {
    return signature(function, kFunctionOverload, function.domain(), function.name());
}
std::string signature(const onnx::NodeProto& call) {
    return signature(call, kNodeOverload, call.domain(), call.op_type());
}

std::string renamed(const std::string& name, const Names& names) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
}

void rename(onnx::NodeProto& node, const Names& names);

/// A body sees the names around it except those it defines itself.
void rename(onnx::GraphProto& body, Names names) {
    for (const auto& input : body.input()) names.erase(input.name());
    for (const auto& initializer : body.initializer()) names.erase(initializer.name());
    for (const auto& node : body.node()) {
        for (const std::string& output : node.output()) names.erase(output);
    }
    for (auto& node : *body.mutable_node()) rename(node, names);
    for (auto& output : *body.mutable_output()) output.set_name(renamed(output.name(), names));
}

void rename(onnx::NodeProto& node, const Names& names) {
    for (std::string& input : *node.mutable_input()) input = renamed(input, names);
    for (std::string& output : *node.mutable_output()) output = renamed(output, names);
    for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) rename(*attribute.mutable_g(), names);
    }
}

const onnx::AttributeProto* findAttribute(const onnx::NodeProto& node, const std::string& name) {
    const auto found = std::find_if(node.attribute().begin(), node.attribute().end(),
                                    [&](const auto& a) { return a.name() == name; });
    return found == node.attribute().end() ? nullptr : &*found;
}

/// Adds the function's defaults for the attributes that the call omits.
onnx::NodeProto withDefaults(const onnx::NodeProto& call, const onnx::FunctionProto& function) {
    onnx::NodeProto complete = call;
    for (const std::string& bytes : newerField(function, kFunctionDefaults)) {
        onnx::AttributeProto attribute;
        if (!attribute.ParseFromString(bytes)) {
            throw Error(ErrorCode::InvalidInput,
                        "Function '" + function.name() + "' has a damaged default attribute.");
        }
        if (findAttribute(call, attribute.name()) == nullptr) *complete.add_attribute() = attribute;
    }
    return complete;
}

/// Replaces references to the function's attributes by the call's attributes, also in bodies.
void resolveAttributes(onnx::NodeProto& node, const onnx::NodeProto& call) {
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> resolved;
    for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.ref_attr_name().empty()) {
            if (attribute.has_g()) {
                for (auto& inner : *attribute.mutable_g()->mutable_node()) {
                    resolveAttributes(inner, call);
                }
            }
            resolved.Add(std::move(attribute));
            continue;
        }
        const auto* given = findAttribute(call, attribute.ref_attr_name());
        if (given == nullptr) continue;
        onnx::AttributeProto& made = *resolved.Add();
        made = *given;
        made.set_name(attribute.name());
    }
    node.mutable_attribute()->Swap(&resolved);
}

class Inliner {
public:
    explicit Inliner(onnx::ModelProto& model) : model_(model) {
        for (const auto& function : model.functions()) {
            if (functions_.emplace(signature(function), &function).second) continue;
            throw Error(
                ErrorCode::InvalidInput,
                "Function '" + function.name() + "' is defined twice; expected one definition.");
        }
    }

    void run() {
        expandGraph(*model_.mutable_graph());
        model_.clear_functions();
    }

private:
    void expandGraph(onnx::GraphProto& graph) {
        Nodes expanded;
        for (auto& node : *graph.mutable_node()) expandNode(node, expanded);
        graph.mutable_node()->Swap(&expanded);
    }

    /// Appends the node, or the nodes of the function that it calls.
    void expandNode(onnx::NodeProto& node, Nodes& out) {
        for (auto& attribute : *node.mutable_attribute()) {
            if (attribute.has_g()) expandGraph(*attribute.mutable_g());
        }
        countNode();
        const auto found = functions_.find(signature(node));
        if (found == functions_.end()) {
            out.Add(std::move(node));
            return;
        }
        expandCall(node, *found->second, out);
    }

    void expandCall(const onnx::NodeProto& call, const onnx::FunctionProto& function, Nodes& out) {
        enter(function);
        const int64_t opset = importOpsets(function);
        const bool isForeign = opset != modelVersion("");
        const std::string prefix = function.name() + "_" + std::to_string(++calls_) + "/";
        const Names names = namesInside(call, function, prefix, out);
        const onnx::NodeProto complete = withDefaults(call, function);
        for (onnx::NodeProto node : function.node()) {
            resolveAttributes(node, complete);
            rename(node, names);
            if (!node.name().empty()) node.set_name(prefix + node.name());
            if (isForeign) noteForeignOpset(node, {function.name(), opset});
            expandNode(node, out);
        }
        active_.pop_back();
    }

    void enter(const onnx::FunctionProto& function) {
        const bool recursive =
            std::find(active_.begin(), active_.end(), &function) != active_.end();
        if (recursive || active_.size() >= kMaxDepth) {
            throw Error(ErrorCode::InvalidInput, "Function '" + function.name() +
                                                     "' calls itself or nests deeper than " +
                                                     std::to_string(kMaxDepth) + " calls.");
        }
        active_.push_back(&function);
    }

    void countNode() {
        if (++nodes_ <= kMaxNodes) return;
        throw Error(ErrorCode::InvalidInput, "The model's functions expand to more than " +
                                                 std::to_string(kMaxNodes) + " nodes.");
    }

    /// Imports into the model what only the function imported.
    /// Returns: the version of ONNX's operators that the function uses.
    int64_t importOpsets(const onnx::FunctionProto& function) {
        int64_t own = 0;
        for (const auto& import : function.opset_import()) {
            const std::string domain = import.domain() == "ai.onnx" ? "" : import.domain();
            if (modelVersion(domain) == 0) *model_.add_opset_import() = import;
            if (domain.empty()) own = std::max<int64_t>(own, import.version());
        }
        return own == 0 ? modelVersion("") : own;
    }

    int64_t modelVersion(const std::string& domain) const {
        int64_t version = 0;
        for (const auto& import : model_.opset_import()) {
            const bool same = (import.domain() == "ai.onnx" ? "" : import.domain()) == domain;
            if (same) version = std::max<int64_t>(version, import.version());
        }
        return version;
    }

    /// The names that the function's names become at this call.
    static Names namesInside(const onnx::NodeProto& call, const onnx::FunctionProto& function,
                             const std::string& prefix, Nodes& out) {
        Names names;
        for (const auto& node : function.node()) {
            for (const std::string& output : node.output()) {
                if (!output.empty()) names[output] = prefix + output;
            }
        }
        for (int i = 0; i < function.input_size(); ++i) {
            names[function.input(i)] = i < call.input_size() ? call.input(i) : "";
        }
        const std::set<std::string> inputs(function.input().begin(), function.input().end());
        for (int i = 0; i < function.output_size() && i < call.output_size(); ++i) {
            if (call.output(i).empty()) continue;
            if (!inputs.contains(function.output(i))) {
                names[function.output(i)] = call.output(i);
                continue;
            }
            onnx::NodeProto& passed = *out.Add();
            passed.set_op_type("Identity");
            passed.add_input(names.at(function.output(i)));
            passed.add_output(call.output(i));
        }
        return names;
    }

    onnx::ModelProto& model_;
    std::map<std::string, const onnx::FunctionProto*> functions_;
    std::vector<const onnx::FunctionProto*> active_;
    int64_t calls_ = 0;
    int64_t nodes_ = 0;
};

}  // namespace

void inlineFunctions(onnx::ModelProto& model) {
    if (model.functions_size() > 0) Inliner(model).run();
}

}  // namespace temper
