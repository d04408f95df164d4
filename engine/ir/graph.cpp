// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph.h"

#include <utility>

#include "engine/ir/module_scope.h"

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
    if (!name_.empty())
        return "node '" + name_ + "' (" + qualifiedOp() + placeInProgram(*this) + ")";
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

int64_t ModelInfo::opsetOf(std::string_view nodeDomain) const {
    const auto wanted = nodeDomain == kLongOnnxDomain ? kOnnxDomain : nodeDomain;
    for (const auto& [imported, version] : opsetImports) {  // few: faster than a copy of the name
        if (imported == wanted) return version;
    }
    return 1;
}

int64_t ModelInfo::opsetOf(const Node& node) const {
    const ForeignOpset* foreign = node.foreignOpset();
    return foreign != nullptr && foreign->version > 0 ? foreign->version : opsetOf(node.domain());
}

// Graph: construction

Graph::Graph() = default;

Graph::~Graph() = default;

Graph::Graph(Graph&& other) noexcept { *this = std::move(other); }

Graph& Graph::operator=(Graph&& other) noexcept {
    info_ = std::move(other.info_);
    name_ = std::move(other.name_);
    docString_ = std::move(other.docString_);
    metadata_ = std::move(other.metadata_);
    nodes_ = std::move(other.nodes_);
    nodeCount_ = std::exchange(other.nodeCount_, 0);
    values_ = std::move(other.values_);
    names_ = std::exchange(other.names_, {});
    inputs_ = std::move(other.inputs_);
    outputs_ = std::move(other.outputs_);
    initializers_ = std::move(other.initializers_);
    captures_ = std::move(other.captures_);
    adopt();
    return *this;
}

void Graph::adopt() noexcept {
    const auto take = [this](auto& elements) {
        for (size_t i = 0; i < elements.size(); ++i) {
            if (elements[i].graph_ != nullptr) elements[i].graph_ = this;
        }
    };
    take(values_);
    take(nodes_);
}

Value* Graph::define(const std::string& name, ValueType type) {
    if (name.empty()) {
        throw Error(ErrorCode::InvalidInput, "A value of graph '" + name_ + "' has no name.");
    }
    if (names_.contains(name)) {
        throw Error(ErrorCode::InvalidInput, "The name '" + name + "' is defined twice in graph '" +
                                                 name_ + "'; expected one definition.");
    }
    const auto index = static_cast<uint32_t>(values_.size());
    Value& value = values_.emplaceBack(GraphKey(), this, index, name, std::move(type));
    names_.insert(&value);
    return &value;
}

void Graph::forget(Value* value) {
    requireOwn(value);
    TEMPER_ASSERT(value->uses_.empty() && !value->isGraphOutput(), "nothing reads a removed value");
    names_.erase(value);
    value->graph_ = nullptr;
    value->producer_ = nullptr;
    value->type_ = {};
    value->constant_ = {};
}

void Graph::retire(Node* node) {
    node->graph_ = nullptr;
    node->inputs_.clear();
    node->outputs_.clear();
    node->attributes_.clear();
    --nodeCount_;
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
    Node* node = &nodes_.emplaceBack(GraphKey(), this, static_cast<uint32_t>(nodes_.size()));
    node->name_ = std::move(spec.name);
    node->opType_ = std::move(spec.opType);
    node->domain_ = std::move(spec.domain);
    node->docString_ = std::move(spec.docString);
    node->isBackward_ = spec.isBackward;
    node->attributes_ = std::move(spec.attributes);
    ++nodeCount_;
    defineOutputs(node, spec.outputs);
    node->inputs_ = std::move(spec.inputs);
    for (size_t i = 0; i < node->inputs_.size(); ++i) {
        if (node->inputs_[i] != nullptr) node->inputs_[i]->uses_.push_back({node, i});
    }
    return node;
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
        retire(node);
        throw;
    }
}

void Graph::addOutput(Value* value) {
    requireOwn(value);
    if (value->isGraphOutput()) {
        throw Error(ErrorCode::InvalidInput, "'" + value->name_ + "' is already a graph output.",
                    "List each output once.");
    }
    outputs_.push_back(value);
    value->isGraphOutput_ = true;
}

// Graph: queries

std::vector<Node*> Graph::nodes() const {
    std::vector<Node*> result;
    result.reserve(nodeCount_);
    for (size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].graph_ != nullptr) result.push_back(const_cast<Node*>(&nodes_[i]));
    }
    return result;
}

std::vector<const Value*> Graph::values() const {
    std::vector<const Value*> result(inputs_.begin(), inputs_.end());
    result.insert(result.end(), captures_.begin(), captures_.end());
    result.insert(result.end(), initializers_.begin(), initializers_.end());
    for (const Node* node : nodes()) {
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

Value* Graph::find(std::string_view name) const { return names_.find(name); }

Value* Graph::at(std::string_view name) const {
    if (Value* value = find(name)) return value;
    throw Error(ErrorCode::NotFound,
                "Graph '" + name_ + "' has no value named '" + std::string(name) + "'.");
}

std::string Graph::uniqueName(const std::string& stem) const {
    if (!names_.contains(stem)) return stem;
    for (int64_t i = 2;; ++i) {
        std::string name = stem + "_" + std::to_string(i);
        if (!names_.contains(name)) return name;
    }
}

std::vector<std::string> namesOf(const std::vector<Value*>& values) {
    std::vector<std::string> names;
    names.reserve(values.size());
    for (const Value* value : values) names.push_back(value->name());
    return names;
}

}  // namespace temper
