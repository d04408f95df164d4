// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/type_inference.h"

#include <unordered_map>
#include <utility>

#include "engine/core/counted.h"
#include "engine/ir/attribute_range.h"
#include "engine/ir/custom_operator.h"
#include "engine/ir/tensor_room.h"

namespace temper {
namespace {

/// Shapes have few entries; larger integer tensors are data, not shapes.
constexpr int64_t kLargestContent = 1024;

using ContentMap = std::unordered_map<const Value*, InferenceContext::Content>;

class GraphInference final : public InferenceContext {
public:
    GraphInference(const Graph& graph, const Node& node, int64_t opset, const OpCatalog& catalog,
                   ContentMap& contents)
        : InferenceContext(node, opset), graph_(graph), catalog_(catalog), contents_(contents) {}

    const ValueType& inputType(size_t i) const override {
        static const ValueType kUnknown;
        const Value* value = node().input(i);
        return value == nullptr ? kUnknown : value->type();
    }

    const Tensor* constant(size_t i) const override {
        const Value* value = node().input(i);
        return value != nullptr && value->isInitializer() ? &value->constant() : nullptr;
    }

    std::optional<Content> content(size_t i) const override {
        const Value* value = node().input(i);
        if (value == nullptr) return std::nullopt;
        const auto found = contents_.find(value);
        if (found != contents_.end()) return found->second;
        const Tensor* tensor = constant(i);
        if (tensor == nullptr || !isInteger(tensor->dtype()) ||
            tensor->numElements() > kLargestContent) {
            return std::nullopt;
        }
        return contentOf(*tensor);
    }

    std::vector<ValueType> inferBody(const Graph& body,
                                     const std::vector<ValueType>& inputs) const override {
        const auto captured = [&](const std::string& name) {
            const Value* value = graph_.find(name);
            return value == nullptr ? CapturedValue{}
                                    : CapturedValue{value->type(), value->constant()};
        };
        return inferBodyTypes(body, graph_.info(), inputs, captured, catalog_);
    }

    using InferenceContext::setOutput;
    void setOutput(size_t i, ValueType type) override {
        Value* value = node().output(i);
        if (value == nullptr) return;
        ValueType merged = merge(value->type(), std::move(type));
        requireRoom(*value, merged);
        value->setType(std::move(merged));
    }

    void setContent(size_t i, Content content) override {
        const Value* value = node().output(i);
        if (value != nullptr && static_cast<int64_t>(content.size()) <= kLargestContent) {
            contents_[value] = std::move(content);
        }
    }

private:
    /// The inferred type, completed by the declared one.
    static ValueType merge(const ValueType& declared, ValueType inferred) {
        if (!inferred.isKnown()) return declared;
        if (!inferred.shape && declared.dtype == inferred.dtype) inferred.shape = declared.shape;
        if (!inferred.shape || !declared.shape || inferred.rank() != declared.rank()) {
            return inferred;
        }
        for (size_t i = 0; i < inferred.shape->size(); ++i) {
            if ((*inferred.shape)[i].isUnknown()) (*inferred.shape)[i] = (*declared.shape)[i];
        }
        return inferred;
    }

    const Graph& graph_;
    const OpCatalog& catalog_;
    ContentMap& contents_;
};

Finding unknownOperator(const Node& node) {
    return {"T001",
            Severity::Warning,
            node.name(),
            node.qualifiedOp(),
            "Operator " + node.qualifiedOp() + " of " + node.describe() + " is unknown.",
            adviceOnMissing(node, "Types after it are taken from the model's declarations."),
            {}};
}

/// Operators that neither ONNX nor ONNX Runtime has, from plugins, were not checked when the model
/// was read. 0: the catalog does not say.
void requireArity(const OpInfo& info, const Node& node) {
    const size_t count = node.inputs().size();
    if (info.maxInputs == 0 || (count >= info.minInputs && count <= info.maxInputs)) return;
    throw Error(ErrorCode::InvalidInput,
                "It has " + counted(count, "input") + "; expected " +
                    (count < info.minInputs ? "at least " + std::to_string(info.minInputs)
                                            : "at most " + std::to_string(info.maxInputs)) +
                    ".");
}

/// A constant without elements may have a dimension of any size beside one of 0.
void requireRoomOfEmptyConstants(const Node& node) {
    for (const Value* input : node.inputs()) {
        if (input != nullptr && input->isInitializer() && input->constant().numElements() == 0)
            requireRoom(*input, input->type());
    }
}

/// Throws: Error(InvalidInput) naming the node. Returns: whether the operator has type inference.
bool inferNode(const Graph& graph, const Node& node, const OpCatalog& catalog,
               ContentMap& contents) {
    const OpInfo* info = catalog.find(node);
    if (info == nullptr || !info->infer) return false;
    const int64_t opset = graph.info().opsetOf(node);
    GraphInference context(graph, node, opset, catalog, contents);
    try {
        requireArity(*info, node);
        requireAttributeRange(node);
        requireRoomOfEmptyConstants(node);
        requireInputKinds(*info, context);
        info->infer(context);
    } catch (Error& error) {
        if (error.context().empty()) error.addContext(node.describe());
        throw;
    }
    return true;
}

/// Contents are not stored in the graph: computes those that `value` depends on, as far back as
/// integer arithmetic reaches.
void collectContents(const Graph& graph, const Value* value, const OpCatalog& catalog,
                     ContentMap& contents, int depth) {
    constexpr int kDeepest = 16;
    const Node* node = value == nullptr ? nullptr : value->producer();
    if (node == nullptr || depth > kDeepest || contents.contains(value)) return;
    if (!isInteger(value->type().dtype) && value->type().dtype != DType::Bool) return;
    for (const Value* input : node->inputs()) {
        collectContents(graph, input, catalog, contents, depth + 1);
    }
    inferNode(graph, *node, catalog, contents);
}

/// A type that a model declares larger than can be held is a finding, and open from then on:
/// nothing else has to handle such sizes.
void openGiant(Value* value, std::vector<Finding>& findings) {
    if (value == nullptr) return;
    try {
        requireRoom(*value, value->type());
    } catch (const Error& error) {
        findings.push_back({"T002", Severity::Error, "", "", error.what(), error.hint(), {}});
        value->setType(value->type().withoutShape());
    }
}

std::vector<Finding> withoutGiants(Graph& graph) {
    std::vector<Finding> findings;
    for (Value* input : graph.inputs()) openGiant(input, findings);
    for (Value* captured : graph.captures()) openGiant(captured, findings);
    for (const Node* node : graph.nodes()) {
        for (Value* output : node->outputs()) openGiant(output, findings);
    }
    return findings;
}

}  // namespace

void requireInputKinds(const OpInfo& info, const InferenceContext& context) {
    if (info.facts.takesSequences) return;
    for (size_t i = 0; i < context.inputCount(); ++i) {
        const ValueType& type = context.inputType(i);
        const bool takesSequence = info.facts.sequenceInputs.contains(i);
        if (context.isAbsent(i)) context.failAbsent(i);
        const bool isRight = type.isSequence == takesSequence && !type.isOptional;
        if (isRight || (!type.isSequence && !type.isKnown())) continue;
        context.fail("Input " + std::to_string(i) + " has the type " + formatType(type) +
                     "; expected a " + (takesSequence ? "sequence of tensors." : "tensor."));
    }
}

InferenceContext::Content contentOf(const Tensor& integers) {
    InferenceContext::Content result;
    const Tensor wide = integers.cast(DType::Int64);
    for (const int64_t number : wide.values<int64_t>()) result.push_back(SymbolicInt::of(number));
    return result;
}

void inferNodeTypes(Graph& graph, const Node& node, const OpCatalog& catalog) {
    ContentMap contents;
    for (const Value* input : node.inputs()) collectContents(graph, input, catalog, contents, 0);
    inferNode(graph, node, catalog, contents);
}

bool hasFittingTypes(Graph& graph, const Node& node, const OpCatalog& catalog) {
    try {
        inferNodeTypes(graph, node, catalog);
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::optional<std::vector<int64_t>> knownIntegers(const Graph& graph, const Value& value,
                                                  const OpCatalog& catalog) {
    ContentMap contents;
    collectContents(graph, &value, catalog, contents, 0);
    const auto found = contents.find(&value);
    if (found == contents.end()) return std::nullopt;
    std::vector<int64_t> integers;
    for (const SymbolicInt& number : found->second) {
        if (!number.value) return std::nullopt;
        integers.push_back(*number.value);
    }
    return integers;
}

std::vector<ValueType> inferBodyTypes(
    const Graph& body, const ModelInfo& model, const std::vector<ValueType>& inputs,
    const std::function<CapturedValue(const std::string&)>& captured, const OpCatalog& catalog) {
    const std::unique_ptr<Graph> copy = body.clone();
    copy->info() = model;
    if (inputs.size() != copy->inputs().size()) {
        throw Error(ErrorCode::InvalidInput, "The body '" + body.name() + "' has " +
                                                 counted(copy->inputs().size(), "input") +
                                                 "; the node passes " +
                                                 std::to_string(inputs.size()) + ".");
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].isKnown()) copy->inputs()[i]->setType(inputs[i]);
    }
    for (Value* capture : std::vector<Value*>(copy->captures())) {
        const CapturedValue value = captured(capture->name());
        if (!value.constant.empty()) {
            copy->makeInitializer(capture, value.constant);
        } else if (value.type.isKnown()) {
            capture->setType(value.type);
        }
    }
    for (const Finding& finding : inferTypes(*copy, catalog)) {
        if (finding.severity != Severity::Error) continue;
        throw Error(ErrorCode::InvalidInput, finding.message, finding.hint);
    }
    std::vector<ValueType> types;
    for (const Value* output : copy->outputs()) types.push_back(output->type());
    return types;
}

std::vector<Finding> inferTypes(Graph& graph, const OpCatalog& catalog) {
    std::vector<Finding> findings = withoutGiants(graph);
    ContentMap contents;
    for (const Node* node : graph.topologicalOrder()) {
        try {
            if (inferNode(graph, *node, catalog, contents)) continue;
            findings.push_back(unknownOperator(*node));
        } catch (const Error& error) {
            findings.push_back({"T002",
                                Severity::Error,
                                node->name(),
                                node->qualifiedOp(),
                                error.what(),
                                error.hint(),
                                {}});
        }
    }
    return findings;
}

}  // namespace temper
