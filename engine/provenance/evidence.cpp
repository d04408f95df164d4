// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/evidence.h"

#include <algorithm>
#include <memory>
#include <variant>

namespace temper {

Evidence::Evidence(const Graph& graph) {
    readNames(graph);
    addReaders(graph);
    for (const auto* values : {&graph.initializers(), &graph.inputs()}) {
        for (const Value* value : *values) addHeld(*value);
    }
}

void Evidence::addHeld(const Value& value) {
    std::vector<std::string> names = namedBy(value);
    found_.insert(names.begin(), names.end());
    if (!names.empty()) held_.emplace(&value, std::move(names));
}

void Evidence::readNames(const Graph& graph) {
    for (SignatureEntry& entry : readSignature(graph)) {
        if (entry.target.empty()) continue;
        if (entry.kind == InputKind::Buffer) buffers_.insert(entry.target);
        if (entry.kind != InputKind::Parameter) continue;
        byAlias_.emplace(entry.alias, entry.target);
        if (positions_.emplace(entry.target, parameters_.size()).second) {
            parameters_.push_back(std::move(entry.target));
        }
    }
}

void Evidence::addReaders(const Graph& graph) {
    for (Node* node : graph.nodes()) {
        addNamed(*node);
        for (size_t i = 0; i < node->inputs().size(); ++i) {
            if (node->input(i) != nullptr) readers_[node->input(i)].push_back({node, i});
        }
        addBodies(graph, *node);
    }
}

void Evidence::addNamed(const Node& node) {
    if (byAlias_.empty()) return;
    for (std::string& name : parametersOf(node)) named_.insert(std::move(name));
}

/// A capture has the name of the outer value.
void Evidence::addBodies(const Graph& outermost, const Node& node) {
    for (const auto& [key, attribute] : node.attributes()) {
        const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
        if (body == nullptr || *body == nullptr) continue;
        for (const Value* capture : (*body)->captures()) {
            const Value* value = outermost.find(capture->name());
            if (value == nullptr) continue;
            auto& readers = readers_[value];
            readers.insert(readers.end(), capture->uses().begin(), capture->uses().end());
        }
        for (const Node* inner : (*body)->nodes()) {
            addNamed(*inner);
            addBodies(outermost, *inner);
        }
    }
}

const std::vector<Value::Use>& Evidence::readers(const Value& value) const {
    static const std::vector<Value::Use> kNone;
    const auto found = readers_.find(&value);
    return found == readers_.end() ? kNone : found->second;
}

std::vector<std::string> Evidence::namedBy(const Value& value) const {
    const bool isItself = isParameter(value.name()) || inputKindOf(value) == InputKind::Parameter;
    if (isItself) return {value.name()};
    std::vector<std::string> names = foldedFrom(value);
    std::erase_if(names, [this](const std::string& name) { return !isParameter(name); });
    std::ranges::sort(names, {}, [this](const std::string& name) { return positions_.at(name); });
    return names;
}

const std::vector<std::string>& Evidence::parametersIn(const Value& value) const {
    static const std::vector<std::string> kNone;
    const auto found = held_.find(&value);
    return found == held_.end() ? kNone : found->second;
}

bool Evidence::explains(const Value& value) const {
    if (!parametersIn(value).empty()) return true;
    const bool isDescribed =
        isBuffer(value.name()) || inputKindOf(value) || !foldedFrom(value).empty();
    return isDescribed && !parameters_.empty();
}

std::vector<std::string> Evidence::vanishedParameters() const {
    std::vector<std::string> names = parameters_;
    std::erase_if(names, [this](const std::string& name) {
        return found_.contains(name) || named_.contains(name);
    });
    return names;
}

std::vector<std::string> Evidence::parametersOf(const Node& node) const {
    std::vector<std::string> names;
    for (const std::string& alias : operationOf(node).arguments) {
        const auto found = byAlias_.find(alias);
        if (found == byAlias_.end() || std::ranges::count(names, found->second) > 0) continue;
        names.push_back(found->second);
    }
    return names;
}

}  // namespace temper
