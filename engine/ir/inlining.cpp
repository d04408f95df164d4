// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/inlining.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "engine/ir/captures.h"

namespace temper {
namespace {

using Body = std::shared_ptr<const Graph>;
using Names = std::map<std::string, std::string>;
using ValueMap = std::unordered_map<const Value*, Value*>;

Attributes withRenamedCaptures(const Attributes& attributes, const Names& names);

/// A capture gets the name of another value of the graph around the body: the body may capture that
/// one, too, or have its own value of that name. `inner` collects renamings for the bodies within
/// the body.
void renameCapture(Graph& body, Value* capture, const std::string& name, Names& inner) {
    Value* taken = body.find(name);
    if (taken != nullptr && taken->isCaptured()) {
        body.replaceUses(capture, taken);
        body.removeInput(capture);
        return;
    }
    if (taken != nullptr) {
        inner[name] = body.uniqueName(name);
        body.renameValue(taken, inner[name]);
    }
    body.renameValue(capture, name);
}

/// The body with other names for its captures, also in the bodies within it.
Body withRenamedCaptures(const Graph& body, const Names& names) {
    Names inner;
    std::vector<std::pair<Value*, std::string>> renamed;
    std::shared_ptr<Graph> copy = body.clone();
    for (Value* capture : copy->captures()) {
        const auto found = names.find(capture->name());
        if (found == names.end()) continue;
        inner.insert(*found);
        renamed.emplace_back(capture, found->second);
    }
    // Names may be exchanged: no new name may be one that a capture is about to lose.
    for (const auto& [capture, name] : renamed) {
        copy->renameValue(capture, copy->uniqueName(capture->name() + "_outside"));
    }
    for (const auto& [capture, name] : renamed) renameCapture(*copy, capture, name, inner);
    for (Node* node : copy->nodes()) {
        for (auto& [name, attribute] : withRenamedCaptures(node->attributes(), inner)) {
            node->setAttribute(name, attribute);
        }
    }
    return copy;
}

Attributes withRenamedCaptures(const Attributes& attributes, const Names& names) {
    Attributes result = attributes;
    for (auto& [name, attribute] : result) {
        const Body* body = std::get_if<Body>(&attribute);
        if (body != nullptr && *body != nullptr && !names.empty()) {
            attribute = withRenamedCaptures(**body, names);
        }
    }
    return result;
}

using NameSet = std::set<std::string>;

/// The names in the bodies of all other nodes, which a value of the graph around them must not
/// have.
NameSet namesInOtherBodies(const Graph& graph, const Node& node) {
    NameSet names;
    for (const Node* other : graph.nodes()) {
        if (other == &node) continue;
        for (const auto& [key, attribute] : other->attributes()) {
            const Body* body = std::get_if<Body>(&attribute);
            if (body != nullptr && *body != nullptr) names.merge(allNames(**body));
        }
    }
    return names;
}

/// Copies a body into the graph around it.
class Inliner {
public:
    Inliner(Graph& graph, const Graph& body, std::string prefix)
        : graph_(graph), body_(body), prefix_(std::move(prefix)) {}

    /// Initializers keep their names from the body, unless the graph or one of `taken` has that
    /// name.
    void keepNamesOfInitializers(NameSet taken) { taken_ = std::move(taken); }

    std::vector<Value*> run(const std::vector<Value*>& inputs) {
        TEMPER_ASSERT(inputs.size() == body_.inputs().size(), "each input of the body has a value");
        for (size_t i = 0; i < inputs.size(); ++i) map(body_.inputs()[i], inputs[i]);
        for (const Value* capture : body_.captures()) map(capture, graph_.at(capture->name()));
        for (const Value* value : body_.initializers()) {
            const std::string name = nameOfInitializer(*value);
            map(value, value->isLiteral() ? graph_.addLiteral(name, value->constant())
                                          : graph_.addInitializer(name, value->constant()));
        }
        for (const Node* node : body_.topologicalOrder()) copy(*node);
        std::vector<Value*> outputs;
        for (const Value* output : body_.outputs()) outputs.push_back(values_.at(output));
        return outputs;
    }

private:
    std::string nameOfInitializer(const Value& value) const {
        const std::string& name = value.name();
        const bool isFree = taken_ && !taken_->contains(name) && graph_.find(name) == nullptr;
        return isFree ? name : graph_.uniqueName(prefix_ + name);
    }

    void map(const Value* from, Value* to) {
        values_[from] = to;
        if (from->name() != to->name()) names_[from->name()] = to->name();
    }

    void copy(const Node& node) {
        NodeSpec spec{.opType = node.opType(),
                      .inputs = {},
                      .outputs = {},
                      .attributes = withRenamedCaptures(node.attributes(), names_),
                      .domain = node.domain(),
                      .name = node.name().empty() ? "" : prefix_ + node.name(),
                      .docString = node.docString(),
                      .isBackward = node.isBackward()};
        for (const Value* input : node.inputs()) {
            spec.inputs.push_back(input == nullptr ? nullptr : values_.at(input));
        }
        for (const Value* output : node.outputs()) {
            spec.outputs.push_back(output == nullptr ? ""
                                                     : graph_.uniqueName(prefix_ + output->name()));
        }
        const Node* made = graph_.addNode(std::move(spec));
        for (size_t i = 0; i < node.outputs().size(); ++i) {
            if (node.output(i) == nullptr) continue;
            made->output(i)->setType(node.output(i)->type());
            map(node.output(i), made->output(i));
        }
    }

    Graph& graph_;
    const Graph& body_;
    std::string prefix_;
    ValueMap values_;
    Names names_;
    std::optional<NameSet> taken_;
};

/// Copies of the replacements become the node's outputs: one may be an input, or occur twice.
void replaceNode(Graph& graph, Node* node, const std::vector<Value*>& replacements) {
    std::vector<Value*> copies;
    for (size_t i = 0; i < node->outputs().size(); ++i) {
        const Value* output = node->output(i);
        if (output == nullptr) {
            copies.push_back(nullptr);
            continue;
        }
        const Node* copy = graph.addNode({.opType = "Identity",
                                          .inputs = {replacements.at(i)},
                                          .outputs = {graph.uniqueName(output->name())}});
        copy->output(0)->setType(replacements[i]->type());
        copies.push_back(copy->output(0));
    }
    graph.replaceNode(node, copies);
}

std::string prefixOf(const Node& node, const std::string& what) {
    std::string name = node.name();
    if (name.empty() && !node.outputs().empty() && node.output(0) != nullptr) {
        name = node.output(0)->name();
    }
    return name + "/" + what + "/";
}

/// One tensor of all iterations' values of a scan output, along a new first axis.
Value* stacked(Graph& graph, const std::vector<Value*>& parts, const std::string& name) {
    std::vector<Value*> rows;
    const std::string axesName = graph.uniqueName(name + "_axes");
    const bool axesAreInput = graph.info().onnxOpset() >= 13;
    Value* axes =
        axesAreInput ? graph.addLiteral(axesName, Tensor::of<int64_t>({1}, {0})) : nullptr;
    for (Value* part : parts) {
        NodeSpec spec{
            .opType = "Unsqueeze", .inputs = {part}, .outputs = {graph.uniqueName(name + "_row")}};
        if (axesAreInput) spec.inputs.push_back(axes);
        if (!axesAreInput) spec.attributes["axes"] = std::vector<int64_t>{0};
        rows.push_back(graph.addNode(std::move(spec))->output(0));
    }
    return graph
        .addNode({.opType = "Concat",
                  .inputs = rows,
                  .outputs = {graph.uniqueName(name + "_stacked")},
                  .attributes = {{"axis", int64_t{0}}}})
        ->output(0);
}

Value* literal(Graph& graph, const std::string& name, Tensor data) {
    return graph.addLiteral(graph.uniqueName(name), std::move(data));
}

/// The tensor of a sequence at a place.
Value* elementAt(Graph& graph, Value* sequence, Value* place, const std::string& prefix) {
    return graph
        .addNode({.opType = "SequenceAt",
                  .inputs = {sequence, place},
                  .outputs = {graph.uniqueName(prefix + sequence->name())}})
        ->output(0);
}

/// A sequence of these tensors, of the type of `like`; null for an omitted output.
Value* sequenceOf(Graph& graph, const std::vector<Value*>& tensors, const Value* like,
                  const std::string& prefix) {
    if (like == nullptr) return nullptr;
    NodeSpec spec{.opType = "SequenceConstruct",
                  .inputs = tensors,
                  .outputs = {graph.uniqueName(prefix + like->name())}};
    if (tensors.empty()) {
        spec.opType = "SequenceEmpty";
        if (like->type().isKnown())
            spec.attributes["dtype"] = static_cast<int64_t>(like->type().dtype);
    }
    Value* made = graph.addNode(std::move(spec))->output(0);
    made->setType(like->type());
    return made;
}

}  // namespace

std::vector<Value*> inlineBody(Graph& graph, const Graph& body, const std::vector<Value*>& inputs,
                               const std::string& prefix) {
    return Inliner(graph, body, prefix).run(inputs);
}

bool hasBody(const Node& node) {
    return std::ranges::any_of(node.attributes(), [](const auto& attribute) {
        return std::holds_alternative<Body>(attribute.second);
    });
}

const Graph& bodyOf(const Node& node, std::string_view name) {
    const auto body = node.attribute<Body>(name, Body());
    if (body != nullptr) return *body;
    Error error(ErrorCode::InvalidInput,
                "The attribute '" + std::string(name) + "' is missing; expected a graph.");
    error.addContext(node.describe());
    throw error;
}

void inlineBranch(Graph& graph, Node* node, bool condition) {
    const std::string_view name = condition ? "then_branch" : "else_branch";
    const auto body = node->attribute<Body>(name, Body());
    bodyOf(*node, name);
    Inliner inliner(graph, *body, prefixOf(*node, condition ? "then" : "else"));
    inliner.keepNamesOfInitializers(namesInOtherBodies(graph, *node));
    replaceNode(graph, node, inliner.run({}));
}

void unrollLoop(Graph& graph, Node* node, int64_t trips) {
    bodyOf(*node, "body");
    const auto body = node->attribute<Body>("body", Body());
    const size_t states = node->inputs().size() < 2 ? 0 : node->inputs().size() - 2;
    const std::string prefix = prefixOf(*node, "iteration");
    std::vector<Value*> state(node->inputs().begin() + static_cast<std::ptrdiff_t>(2),
                              node->inputs().end());
    std::vector<std::vector<Value*>> collected(body->outputs().size() - 1 - states);
    Value* isRunning = literal(graph, prefix + "condition", Tensor::scalar<bool>(true));
    for (int64_t i = 0; i < trips; ++i) {
        const std::string at = prefix + std::to_string(i) + "/";
        std::vector<Value*> inputs{literal(graph, at + "number", Tensor::scalar<int64_t>(i)),
                                   isRunning};
        inputs.insert(inputs.end(), state.begin(), state.end());
        const std::vector<Value*> outputs = inlineBody(graph, *body, inputs, at);
        for (size_t k = 0; k < states; ++k) state[k] = outputs[k + 1];
        for (size_t k = 0; k < collected.size(); ++k) {
            collected[k].push_back(outputs[k + 1 + states]);
        }
    }
    for (size_t k = 0; k < collected.size(); ++k) {
        if (node->output(states + k) == nullptr) {
            state.push_back(nullptr);
        } else {
            state.push_back(stacked(graph, collected[k], prefix + std::to_string(k)));
        }
    }
    replaceNode(graph, node, state);
}

void unrollMap(Graph& graph, Node* node, int64_t length) {
    bodyOf(*node, "body");
    const auto body = node->attribute<Body>("body", Body());
    const std::string prefix = prefixOf(*node, "element");
    std::vector<std::vector<Value*>> collected(node->outputs().size());
    for (int64_t i = 0; i < length; ++i) {
        const std::string at = prefix + std::to_string(i) + "/";
        Value* place = literal(graph, at + "number", Tensor::scalar<int64_t>(i));
        std::vector<Value*> inputs;
        for (Value* input : node->inputs())
            inputs.push_back(input->type().isSequence ? elementAt(graph, input, place, at) : input);
        const std::vector<Value*> outputs = inlineBody(graph, *body, inputs, at);
        for (size_t k = 0; k < collected.size(); ++k) collected[k].push_back(outputs.at(k));
    }
    std::vector<Value*> sequences;
    for (size_t k = 0; k < collected.size(); ++k)
        sequences.push_back(sequenceOf(graph, collected[k], node->output(k), prefix));
    replaceNode(graph, node, sequences);
}

}  // namespace temper
