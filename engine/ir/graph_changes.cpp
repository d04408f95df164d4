// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/ir/graph.h"
#include "engine/ir/graph_set.h"

namespace temper {

void Graph::initializerToInput(Value* value) { initializersToInputs({value}); }

void Graph::initializersToInputs(const std::vector<Value*>& values) {
    for (Value* value : values) {
        requireOwn(value);
        TEMPER_ASSERT(value->isInitializer(), "an initializer becomes an input");
        value->constant_ = {};
        value->isGraphInput_ = true;
    }
    std::erase_if(initializers_, [](const Value* value) { return value->isGraphInput_; });
    inputs_.insert(inputs_.end(), values.begin(), values.end());
}

void Graph::inputToInitializer(Value* value, Tensor data) {
    std::vector<std::pair<Value*, Tensor>> inputs;
    inputs.emplace_back(value, std::move(data));
    inputsToInitializers(std::move(inputs));
}

void Graph::inputsToInitializers(std::vector<std::pair<Value*, Tensor>> inputs) {
    for (auto& [value, data] : inputs) {
        requireOwn(value);
        TEMPER_ASSERT(value->isGraphInput_, "a graph input becomes an initializer");
        value->isGraphInput_ = false;
        value->constant_ = std::move(data);
        value->type_ = {value->constant_.dtype(), symbolicShape(value->constant_.shape()), false};
        initializers_.push_back(value);
    }
    std::erase_if(inputs_, [](const Value* value) { return !value->isGraphInput_; });
}

void Graph::makeInitializer(Value* value, Tensor data) {
    requireOwn(value);
    if (value->isInitializer()) return setConstant(value, std::move(data));
    if (Node* node = value->producer_) {
        node->outputs_[value->producerOutput_] = nullptr;
        value->producer_ = nullptr;
    } else {
        std::erase(value->isCaptured_ ? captures_ : inputs_, value);
    }
    value->isCaptured_ = false;
    value->isGraphInput_ = false;
    value->constant_ = std::move(data);
    value->type_ = {value->constant_.dtype(), symbolicShape(value->constant_.shape()), false};
    initializers_.push_back(value);
}

void Graph::setConstant(Value* value, Tensor data) {
    requireOwn(value);
    TEMPER_ASSERT(value->isInitializer(), "an initializer gets new data");
    value->type_ = {data.dtype(), symbolicShape(data.shape()), false};
    value->constant_ = std::move(data);
}

void Graph::setOutputs(std::vector<Value*> outputs) {
    for (Value* value : outputs_) value->isGraphOutput_ = false;
    outputs_.clear();
    for (Value* value : outputs) addOutput(value);
}

void Graph::setInputs(std::vector<Value*> inputs) {
    TEMPER_ASSERT(std::is_permutation(inputs.begin(), inputs.end(), inputs_.begin(), inputs_.end()),
                  "the same inputs in another order");
    inputs_ = std::move(inputs);
}

void Graph::setInput(Node* node, size_t input, Value* value) {
    requireOwn(node);
    if (value != nullptr) requireOwn(value);
    if (input >= node->inputs_.size()) node->inputs_.resize(input + 1, nullptr);
    if (node->inputs_[input] != nullptr) eraseUse(node->inputs_[input], node, input);
    node->inputs_[input] = value;
    if (value != nullptr) value->uses_.push_back({node, input});
}

void Graph::truncateInputs(Node* node, size_t count) {
    requireOwn(node);
    auto& inputs = node->inputs_;
    for (size_t i = inputs.size(); i-- > count;) setInput(node, i, nullptr);
    while (!inputs.empty() && (inputs.size() > count || inputs.back() == nullptr)) {
        inputs.pop_back();
    }
}

Value* Graph::addOutputTo(Node* node, size_t output, const std::string& name) {
    requireOwn(node);
    if (output >= node->outputs_.size()) node->outputs_.resize(output + 1, nullptr);
    TEMPER_ASSERT(node->outputs_[output] == nullptr, "the output was omitted");
    Value* value = define(name, {});
    value->producer_ = node;
    value->producerOutput_ = output;
    node->outputs_[output] = value;
    return value;
}

void Graph::dropOutput(Node* node, size_t output) {
    requireOwn(node);
    Value* value = node->output(output);
    if (value == nullptr) return;
    forget(value);
    node->outputs_[output] = nullptr;
    while (!node->outputs_.empty() && node->outputs_.back() == nullptr) node->outputs_.pop_back();
}

void Graph::setOpType(Node* node, std::string opType, std::string domain) {
    requireOwn(node);
    node->opType_ = std::move(opType);
    node->domain_ = std::move(domain);
}

void Graph::renameNode(Node* node, std::string name) {
    requireOwn(node);
    node->name_ = std::move(name);
}

void Graph::renameValue(Value* value, const std::string& name) {
    requireOwn(value);
    if (name == value->name_) return;
    TEMPER_ASSERT(!names_.contains(name), "a new name is free");
    names_.erase(value);
    value->name_ = name;
    names_.insert(value);
}

void Graph::eraseUse(Value* value, Node* node, size_t input) {
    auto& uses = value->uses_;
    uses.erase(std::find(uses.begin(), uses.end(), Value::Use{node, input}));
}

void Graph::replaceUses(Value* from, Value* to) {
    requireOwn(from);
    requireOwn(to);
    for (const Value::Use& use : std::exchange(from->uses_, {})) {
        use.node->inputs_[use.input] = to;
        to->uses_.push_back(use);
    }
    if (!std::exchange(from->isGraphOutput_, false)) return;
    std::replace(outputs_.begin(), outputs_.end(), from, to);
    to->isGraphOutput_ = true;
}

void Graph::takeOver(Value* value, Value* made) {
    requireOwn(value);
    requireOwn(made);
    TEMPER_ASSERT(value != made && value->producer_ != nullptr, "a node made the value");
    TEMPER_ASSERT(made->producer_ != nullptr || made->isInitializer(), "something makes it again");
    value->producer_->outputs_[value->producerOutput_] = nullptr;
    value->producer_ = std::exchange(made->producer_, nullptr);
    value->producerOutput_ = made->producerOutput_;
    if (value->producer_ != nullptr) value->producer_->outputs_[value->producerOutput_] = value;
    if (made->isInitializer()) {
        value->constant_ = std::move(made->constant_);
        value->isLiteral_ = made->isLiteral_;
        std::replace(initializers_.begin(), initializers_.end(), made, value);
    }
    if (made->type_.isKnown()) value->type_ = made->type_;
    replaceUses(made, value);
    forget(made);
}

void Graph::replaceNode(Node* node, const std::vector<Value*>& results) {
    requireOwn(node);
    for (size_t i = 0; i < node->outputs_.size() && i < results.size(); ++i) {
        if (node->outputs_[i] != nullptr && results[i] != nullptr) {
            takeOver(node->outputs_[i], results[i]);
        }
    }
    removeNode(node);
}

void Graph::removeNode(Node* node) {
    requireOwn(node);
    for (size_t i = 0; i < node->inputs_.size(); ++i) {
        if (node->inputs_[i] != nullptr) eraseUse(node->inputs_[i], node, i);
    }
    for (Value* value : node->outputs_) {
        if (value != nullptr) forget(value);
    }
    retire(node);
}

/// An input of the graph, or a capture of a body.
void Graph::removeInput(Value* value) {
    requireOwn(value);
    std::erase(value->isCaptured_ ? captures_ : inputs_, value);
    forget(value);
}

void Graph::removeInitializer(Value* value) {
    requireOwn(value);
    std::erase(initializers_, value);
    forget(value);
}

void Graph::removeUnused() {
    GraphSet<Node> needed;
    std::vector<const Value*> pending(outputs_.begin(), outputs_.end());
    while (!pending.empty()) {
        const Value* value = pending.back();
        pending.pop_back();
        const Node* node = value->producer_;
        if (node == nullptr || !needed.insert(node)) continue;
        for (const Value* input : node->inputs_) {
            if (input != nullptr) pending.push_back(input);
        }
        for (const Value* captured : capturedBy(*node)) pending.push_back(captured);
    }
    std::vector<Node*> dropped = nodes();
    std::erase_if(dropped, [&](const Node* node) { return needed.contains(node); });
    forgetUses(dropped);
    for (const Node* node : dropped) {
        for (Value* value : node->outputs_) {
            if (value != nullptr) forget(value);
        }
    }
    for (Node* node : dropped) retire(node);
    removeUnusedInitializers();
}

/// One sweep over the readers of each value that they read: a value may have many.
void Graph::forgetUses(const std::vector<Node*>& dropped) {
    const GraphSet<Node> isDropped(dropped.begin(), dropped.end());
    ValueSet swept;
    for (const Node* node : dropped) {
        for (Value* value : node->inputs_) {
            if (!swept.insert(value)) continue;
            std::erase_if(value->uses_,
                          [&](const Value::Use& use) { return isDropped.contains(use.node); });
        }
    }
}

void Graph::removeUnusedInitializers() {
    ValueSet captured;
    for (const Node* node : nodes()) {
        for (const Value* value : capturedBy(*node)) captured.insert(value);
    }
    const auto unused =
        std::stable_partition(initializers_.begin(), initializers_.end(), [&](const Value* value) {
            return !value->uses_.empty() || value->isGraphOutput() || captured.contains(value);
        });
    const std::vector<Value*> removed(unused, initializers_.end());
    initializers_.erase(unused, initializers_.end());
    for (Value* value : removed) forget(value);
}

}  // namespace temper
