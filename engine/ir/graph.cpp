// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph.h"

#include <algorithm>
#include <iterator>
#include <queue>
#include <unordered_set>
#include <utility>

namespace temper {

// Value

#ifdef TEMPER_CHECK_GRAPHS
const Value& Value::checked() const {
    TEMPER_ASSERT(graph_ != nullptr, "a value that was removed is not read");
    return *this;
}

const Node& Node::checked() const {
    TEMPER_ASSERT(graph_ != nullptr, "a node that was removed is not read");
    return *this;
}
#endif

// Node

std::string Node::qualifiedOp() const {
    return domain_.empty() ? opType_ : domain_ + "." + opType_;
}

bool Node::hasAttribute(std::string_view name) const {
    return attributes_.find(name) != attributes_.end();
}

void Node::setAttribute(const std::string& name, Attribute value) {
    attributes_.insert_or_assign(name, std::move(value));
}

void Node::removeAttribute(std::string_view name) {
    const auto found = attributes_.find(name);
    if (found != attributes_.end()) attributes_.erase(found);
}

std::string Node::describe() const {
    if (!name_.empty()) return "node '" + name_ + "' (" + qualifiedOp() + ")";
    for (const Value* value : outputs_) {
        if (value != nullptr) return "the " + qualifiedOp() + " node of '" + value->name() + "'";
    }
    return "an unnamed " + qualifiedOp() + " node";
}

void Node::throwWrongKind(std::string_view name, const Attribute& found) const {
    throw Error(ErrorCode::InvalidInput,
                "Attribute '" + std::string(name) + "' of " + describe() + " has the wrong kind (" +
                    attributeKind(found) + ").",
                "The model does not follow the ONNX specification of " + opType_ + ".");
}

// ModelInfo

int64_t ModelInfo::onnxOpset() const {
    const auto found = opsetImports.find(std::string(kOnnxDomain));
    return found == opsetImports.end() ? 0 : found->second;
}

// Graph: construction

Graph::Graph() = default;

Graph::~Graph() = default;

Graph::Graph(Graph&& other) noexcept { *this = std::move(other); }

Graph& Graph::operator=(Graph&& other) noexcept {
    info_ = std::move(other.info_);
    name_ = std::move(other.name_);
    docString_ = std::move(other.docString_);
    nodes_ = std::move(other.nodes_);
    values_ = std::move(other.values_);
    inputs_ = std::move(other.inputs_);
    outputs_ = std::move(other.outputs_);
    initializers_ = std::move(other.initializers_);
    captures_ = std::move(other.captures_);
    removedNodes_ = std::move(other.removedNodes_);
    removedValues_ = std::move(other.removedValues_);
    adopt();
    return *this;
}

void Graph::adopt() noexcept {
    for (auto& [name, value] : values_) value->graph_ = this;
    for (auto& node : nodes_) node->graph_ = this;
}

std::unique_ptr<Graph> Graph::clone() const {
    auto copy = std::make_unique<Graph>();
    copy->info_ = info_;
    copy->name_ = name_;
    copy->docString_ = docString_;
    for (const Value* value : initializers_) {
        Value* made = copy->addInitializer(value->name_, value->constant_);
        made->type_ = value->type_;
        made->isLiteral_ = value->isLiteral_;
    }
    for (const Value* value : inputs_) copy->addInput(value->name_, value->type_);
    for (const Value* value : captures_) copy->addCapture(value->name_, value->type_);
    for (const Node* node : topologicalOrder()) {
        NodeSpec spec{node->opType_,   {}, {}, node->attributes_, node->domain_, node->name_,
                      node->docString_};
        for (const Value* value : node->inputs_) {
            spec.inputs.push_back(value == nullptr ? nullptr : copy->at(value->name_));
        }
        for (const Value* value : node->outputs_) {
            spec.outputs.push_back(value == nullptr ? "" : value->name_);
        }
        const Node* made = copy->addNode(std::move(spec));
        for (size_t i = 0; i < node->outputs_.size(); ++i) {
            const Value* output = node->outputs_[i];
            if (output == nullptr) continue;
            made->outputs_[i]->type_ = output->type_;
            made->outputs_[i]->stopsGradients_ = output->stopsGradients_;
        }
    }
    for (const Value* value : outputs_) {
        copy->outputs_.push_back(copy->at(value->name_));
        copy->outputs_.back()->isGraphOutput_ = true;
    }
    return copy;
}

Value* Graph::define(const std::string& name, ValueType type) {
    if (name.empty()) {
        throw Error(ErrorCode::InvalidInput, "A value of graph '" + name_ + "' has no name.");
    }
    auto value = std::unique_ptr<Value>(new Value(this, name, std::move(type)));
    const auto [place, inserted] = values_.try_emplace(name, std::move(value));
    if (!inserted) {
        throw Error(ErrorCode::InvalidInput, "The name '" + name + "' is defined twice in graph '" +
                                                 name_ + "'; expected one definition.");
    }
    return place->second.get();
}

void Graph::forget(Value* value) {
    requireOwn(value);
    TEMPER_ASSERT(value->uses_.empty() && !value->isGraphOutput(), "nothing reads a removed value");
    const auto entry = values_.find(value->name_);
    value->graph_ = nullptr;
    value->producer_ = nullptr;
    value->type_ = {};
    value->constant_ = {};
    removedValues_.push_back(std::move(entry->second));
    values_.erase(entry);
}

void Graph::retire(std::unique_ptr<Node> node) {
    node->graph_ = nullptr;
    node->inputs_.clear();
    node->outputs_.clear();
    node->attributes_.clear();
    removedNodes_.push_back(std::move(node));
}

void Graph::requireOwn(const Value* value) const {
    TEMPER_ASSERT(value != nullptr && value->graph_ == this, "a value is one of this graph");
}

void Graph::requireOwn(const Node* node) const {
    TEMPER_ASSERT(node != nullptr && node->graph_ == this, "a node is one of this graph");
}

Value* Graph::addInput(const std::string& name, ValueType type) {
    Value* value = define(name, std::move(type));
    value->isGraphInput_ = true;
    inputs_.push_back(value);
    return value;
}

Value* Graph::addInitializer(const std::string& name, Tensor data) {
    Value* value = define(name, {data.dtype(), symbolicShape(data.shape()), false});
    value->constant_ = std::move(data);
    initializers_.push_back(value);
    return value;
}

Value* Graph::addCapture(const std::string& name, ValueType type) {
    Value* value = define(name, std::move(type));
    value->isCaptured_ = true;
    captures_.push_back(value);
    return value;
}

Value* Graph::addLiteral(const std::string& name, Tensor data) {
    Value* value = addInitializer(name, std::move(data));
    value->isLiteral_ = true;
    return value;
}

Node* Graph::addNode(NodeSpec spec) {
    for (const Value* input : spec.inputs) {
        if (input != nullptr) requireOwn(input);
    }
    auto node = std::unique_ptr<Node>(new Node(this));
    node->name_ = std::move(spec.name);
    node->opType_ = std::move(spec.opType);
    node->domain_ = std::move(spec.domain);
    node->docString_ = std::move(spec.docString);
    node->attributes_ = std::move(spec.attributes);
    defineOutputs(node.get(), spec.outputs);
    node->inputs_ = std::move(spec.inputs);
    for (size_t i = 0; i < node->inputs_.size(); ++i) {
        if (node->inputs_[i] != nullptr) node->inputs_[i]->uses_.push_back({node.get(), i});
    }
    nodes_.push_back(std::move(node));
    nodes_.back()->place_ = std::prev(nodes_.end());
    return nodes_.back().get();
}

void Graph::defineOutputs(Node* node, const std::vector<std::string>& names) {
    try {
        for (const std::string& name : names) {
            Value* value = name.empty() ? nullptr : define(name, {});
            if (value != nullptr) {
                value->producer_ = node;
                value->producerOutput_ = node->outputs_.size();
            }
            node->outputs_.push_back(value);
        }
    } catch (...) {
        for (Value* value : node->outputs_) {
            if (value != nullptr) forget(value);
        }
        throw;
    }
}

void Graph::addOutput(Value* value) {
    requireOwn(value);
    if (value->isGraphOutput()) {
        throw Error(ErrorCode::InvalidInput, "'" + value->name_ + "' is a graph output already.",
                    "Name each output once.");
    }
    outputs_.push_back(value);
    value->isGraphOutput_ = true;
}

// Graph: queries

std::vector<Node*> Graph::nodes() const {
    std::vector<Node*> result;
    result.reserve(nodes_.size());
    for (const auto& node : nodes_) result.push_back(node.get());
    return result;
}

std::vector<const Value*> Graph::values() const {
    std::vector<const Value*> result(inputs_.begin(), inputs_.end());
    result.insert(result.end(), captures_.begin(), captures_.end());
    result.insert(result.end(), initializers_.begin(), initializers_.end());
    for (const auto& node : nodes_) {
        for (const Value* value : node->outputs_) {
            if (value != nullptr) result.push_back(value);
        }
    }
    return result;
}

std::vector<Value*> Graph::capturedBy(const Node& node) const {
    std::vector<Value*> result;
    for (const auto& [name, attribute] : node.attributes_) {
        const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
        if (body == nullptr || *body == nullptr) continue;
        for (const Value* capture : (*body)->captures_) {
            if (Value* value = find(capture->name_)) result.push_back(value);
        }
    }
    return result;
}

Value* Graph::find(std::string_view name) const {
    const auto found = values_.find(std::string(name));
    return found == values_.end() ? nullptr : found->second.get();
}

Value* Graph::at(std::string_view name) const {
    if (Value* value = find(name)) return value;
    throw Error(ErrorCode::NotFound,
                "Graph '" + name_ + "' has no value named '" + std::string(name) + "'.");
}

std::string Graph::uniqueName(const std::string& stem) const {
    if (!values_.contains(stem)) return stem;
    for (int64_t i = 2;; ++i) {
        std::string name = stem + "_" + std::to_string(i);
        if (!values_.contains(name)) return name;
    }
}

namespace {

/// Whether each node comes after those that make what it reads.
bool isInOrder(const Graph& graph, const std::vector<Node*>& nodes) {
    std::unordered_set<const Node*> before = {nullptr};
    before.reserve(nodes.size() + 1);
    const auto isThere = [&](const Value* value) {
        return value == nullptr || before.contains(value->producer());
    };
    for (const Node* node : nodes) {
        if (!std::ranges::all_of(node->inputs(), isThere)) return false;
        if (!std::ranges::all_of(graph.capturedBy(*node), isThere)) return false;
        before.insert(node);
    }
    return true;
}

}  // namespace

std::vector<Node*> Graph::topologicalOrder() const {
    std::vector<Node*> all = nodes();
    if (isInOrder(*this, all)) return all;
    std::unordered_map<const Node*, size_t> position;
    std::unordered_map<const Value*, std::vector<size_t>> capturing;
    std::vector<size_t> waiting(all.size(), 0);
    position.reserve(all.size());
    for (size_t i = 0; i < all.size(); ++i) position[all[i]] = i;
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < all.size(); ++i) {
        for (const Value* value : all[i]->inputs_) {
            if (value != nullptr && value->producer_ != nullptr) ++waiting[i];
        }
        for (const Value* value : capturedBy(*all[i])) {
            if (value->producer_ == nullptr) continue;
            capturing[value].push_back(i);
            ++waiting[i];
        }
        if (waiting[i] == 0) ready.push(i);
    }
    std::vector<Node*> order;
    order.reserve(all.size());
    while (!ready.empty()) {
        Node* node = all[ready.top()];
        ready.pop();
        order.push_back(node);
        for (const Value* value : node->outputs_) {
            if (value == nullptr) continue;
            for (const Value::Use& use : value->uses_) {
                const size_t reader = position.at(use.node);
                if (--waiting[reader] == 0) ready.push(reader);
            }
            const auto readers = capturing.find(value);
            if (readers == capturing.end()) continue;
            for (const size_t reader : readers->second) {
                if (--waiting[reader] == 0) ready.push(reader);
            }
        }
    }
    if (order.size() == all.size()) return order;
    for (size_t i = 0; i < all.size(); ++i) {
        if (waiting[i] > 0) {
            throw Error(ErrorCode::InvalidInput, "Graph '" + name_ + "' has a cycle through " +
                                                     all[i]->describe() +
                                                     "; expected an acyclic graph.");
        }
    }
    return order;
}

std::vector<std::string> namesOf(const std::vector<Value*>& values) {
    std::vector<std::string> names;
    names.reserve(values.size());
    for (const Value* value : values) names.push_back(value->name());
    return names;
}

}  // namespace temper
