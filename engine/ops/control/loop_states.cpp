// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/control/loop_states.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/ir/inlining.h"

namespace temper {
namespace {

/// A name that is free in both the body and the graph around it.
std::string nameInBoth(const Graph& body, const Graph& graph, const std::string& stem) {
    std::string name = body.uniqueName(stem);
    while (graph.find(name) != nullptr || body.find(name) != nullptr) name += "_";
    return name;
}

const Value& firstOutput(const Node& node) {
    return **std::ranges::find_if(node.outputs(), [](const Value* v) { return v != nullptr; });
}

size_t changingStates(const Graph& body, size_t states) {
    size_t count = 0;
    for (size_t i = 0; i < states; ++i) count += LoopStates::isHandedOn(body, i) ? 0 : 1;
    return count;
}

}  // namespace

bool LoopStates::isHandedOn(const Graph& body, size_t i) {
    const Value* value = after(body, i);
    while (value->producer() != nullptr && value->producer()->domain().empty() &&
           value->producer()->opType() == "Identity") {
        value = value->producer()->input(0);
    }
    return value == before(body, i);
}

void saveLoopStates(Graph& graph, Node* loop) {
    const LoopStates states = LoopStates::of(*loop);
    std::unique_ptr<Graph> body = bodyOf(*loop, "body").clone();
    const size_t outputs = body->outputs().size() - LoopStates::kFirstBodyOutput;
    std::vector<Value*> saved;
    for (size_t i = 0; i < states.count; ++i) {
        if (!LoopStates::isHandedOn(*body, i)) saved.push_back(LoopStates::before(*body, i));
    }
    saved.push_back(body->inputs().front());
    // No graph around a body has the names of its values, hence none that begin with them either.
    const std::string stem = firstOutput(*loop).name();
    for (Value* value : saved) {
        const std::string name = nameInBoth(*body, graph, stem + "_body/" + value->name());
        body->addOutput(body->addNode({"Identity", {value}, {name}, {}, "", name})->output(0));
    }
    loop->setAttribute("body", std::shared_ptr<const Graph>(std::move(body)));
    for (size_t i = 0; i < saved.size(); ++i) {
        graph.addOutputTo(loop, outputs + i, graph.uniqueName(stem + "_saved"));
    }
}

SavedLoopStates SavedLoopStates::of(const Node& loop) {
    const Graph& body = bodyOf(loop, "body");
    const size_t states = LoopStates::of(loop).count;
    const size_t changing = changingStates(body, states);
    const size_t outputs = body.outputs().size() - LoopStates::kFirstBodyOutput;
    TEMPER_ASSERT(outputs > states + changing, "the Loop is in its training form");
    const size_t numbers = outputs - 1;
    return {numbers - changing - states, numbers - changing, numbers};
}

}  // namespace temper
