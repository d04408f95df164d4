// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// Copies edges by the values' indices: no search for names.
class Graph::Copier {
public:
    Copier(const Graph& from, Graph& to) : from_(from), to_(to), copies_(from.values_.size()) {}

    void run() {
        to_.info_ = from_.info_;
        to_.name_ = from_.name_;
        to_.docString_ = from_.docString_;
        to_.metadata_ = from_.metadata_;
        to_.names_.reserve(from_.names_.size());
        to_.initializers_ = copiesOf(from_.initializers_);
        to_.inputs_ = copiesOf(from_.inputs_);
        to_.captures_ = copiesOf(from_.captures_);
        for (const Node* node : from_.topologicalOrder()) addNode(*node);
        to_.outputs_ = inCopy(from_.outputs_);
    }

private:
    /// Copies everything but its edges.
    Value* copyOf(const Value* value) {
        if (value == nullptr) return nullptr;
        Value* made = to_.define(value->name_, value->type_);
        made->constant_ = value->constant_;
        made->isGraphInput_ = value->isGraphInput_;
        made->isGraphOutput_ = value->isGraphOutput_;
        made->isCaptured_ = value->isCaptured_;
        made->isLiteral_ = value->isLiteral_;
        made->stopsGradients_ = value->stopsGradients_;
        made->metadata_ = value->metadata_;
        made->uses_.reserve(value->uses_.size());
        return copies_[value->index_] = made;
    }

    std::vector<Value*> copiesOf(const std::vector<Value*>& values) {
        std::vector<Value*> made;
        made.reserve(values.size());
        for (const Value* value : values) made.push_back(copyOf(value));
        return made;
    }

    /// For values that are already copied.
    std::vector<Value*> inCopy(const std::vector<Value*>& values) const {
        std::vector<Value*> made;
        made.reserve(values.size());
        for (const Value* value : values) {
            made.push_back(value == nullptr ? nullptr : copies_[value->index_]);
        }
        return made;
    }

    void addNode(const Node& node) {
        const auto index = static_cast<uint32_t>(to_.nodes_.size());
        Node& made = to_.nodes_.emplaceBack(GraphKey(), &to_, index);
        ++to_.nodeCount_;
        made.opType_ = node.opType_;
        made.domain_ = node.domain_;
        made.attributes_ = node.attributes_;
        made.name_ = node.name_;
        made.docString_ = node.docString_;
        made.isBackward_ = node.isBackward_;
        made.metadata_ = node.metadata_;
        made.foreignOpset_ = node.foreignOpset_;
        made.inputs_ = inCopy(node.inputs_);
        for (size_t i = 0; i < made.inputs_.size(); ++i) {
            if (made.inputs_[i] != nullptr) made.inputs_[i]->uses_.push_back({&made, i});
        }
        made.outputs_ = copiesOf(node.outputs_);
        for (size_t i = 0; i < made.outputs_.size(); ++i) {
            if (made.outputs_[i] == nullptr) continue;
            made.outputs_[i]->producer_ = &made;
            made.outputs_[i]->producerOutput_ = i;
        }
    }

    const Graph& from_;
    Graph& to_;
    std::vector<Value*> copies_;  ///< by the index of the original
};

std::unique_ptr<Graph> Graph::clone() const {
    auto copy = std::make_unique<Graph>();
    Copier(*this, *copy).run();
    return copy;
}

}  // namespace temper
