// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/loop_trips.h"

#include <algorithm>
#include <map>
#include <memory>

#include "engine/ir/inlining.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/graph_folding.h"

namespace temper {
namespace {

constexpr size_t kFirstState = 2;  // among the inputs; among the body's outputs it is one less

using States = std::map<size_t, Tensor>;  ///< by position among the inputs

bool isRead(const Graph& graph, const Value* value) {
    if (!value->uses().empty()) return true;
    return std::ranges::any_of(graph.nodes(), [&](const Node* node) {
        const auto captured = graph.capturedBy(*node);
        return std::ranges::find(captured, value) != captured.end();
    });
}

/// Computes the condition of a Loop.
class ConditionOf {
public:
    ConditionOf(const Graph& graph, const Node& loop, const OpCatalog& catalog,
                const KernelRegistry& kernels)
        : graph_(graph), loop_(loop), catalog_(catalog), kernels_(kernels) {}

    /// Finds the states that the condition depends on, and their initial values.
    /// Returns: whether all of them are constant.
    bool prepare() {
        while (addStates()) {
        }
        const bool areKnown =
            std::ranges::all_of(states_, [](const auto& state) { return !state.second.empty(); });
        return areKnown && fixCaptures();
    }

    /// Runs one iteration.
    /// Returns: the condition; nothing if it can't be computed.
    std::optional<bool> iterate(int64_t number) {
        const std::unique_ptr<Graph> body = body_->clone();
        const std::vector<Value*> inputs = body->inputs();
        body->makeInitializer(inputs.at(0), Tensor::scalar<int64_t>(number));
        body->makeInitializer(inputs.at(1), Tensor::scalar<bool>(true));
        for (const auto& [i, state] : states_) body->makeInitializer(inputs.at(i), state);
        inferTypes(*body, catalog_);
        foldKnownValues(*body, catalog_, kernels_);
        std::vector<Tensor> results;
        for (const Value* output : body->outputs()) {
            const Value* result = output->producer()->input(0);
            if (!result->isInitializer()) return std::nullopt;
            results.push_back(result->constant());
        }
        size_t next = 1;
        for (auto& [i, state] : states_) state = results.at(next++);
        return results.front().toDouble() != 0;
    }

private:
    /// The part of the body that makes the condition and states_; its outputs are copies.
    void cutOut() {
        body_ = bodyOf(loop_, "body").clone();
        body_->info() = graph_.info();
        const std::vector<Value*> made = body_->outputs();
        std::vector<Value*> outputs{copyOf(made.at(0))};
        for (const auto& [i, state] : states_) outputs.push_back(copyOf(made.at(i - 1)));
        body_->setOutputs(std::move(outputs));
        body_->removeUnused();
    }

    Value* copyOf(Value* value) {
        return body_->addNode({"Identity", {value}, {body_->uniqueName(value->name() + "_result")}})
            ->output(0);
    }

    /// Returns: whether there were more.
    bool addStates() {
        cutOut();
        bool isMore = false;
        for (size_t i = kFirstState; i < body_->inputs().size(); ++i) {
            if (states_.contains(i) || !isRead(*body_, body_->inputs()[i])) continue;
            const Value* start = loop_.input(i);
            const bool isKnown = start != nullptr && start->isInitializer();
            states_[i] = isKnown ? start->constant() : Tensor();
            isMore = true;
        }
        return isMore;
    }

    bool fixCaptures() {
        for (Value* capture : std::vector<Value*>(body_->captures())) {
            const Value* outside = graph_.find(capture->name());
            if (!isRead(*body_, capture)) continue;
            if (outside == nullptr || !outside->isInitializer()) return false;
            body_->makeInitializer(capture, outside->constant());
        }
        return true;
    }

    const Graph& graph_;
    const Node& loop_;
    const OpCatalog& catalog_;
    const KernelRegistry& kernels_;
    States states_;
    std::unique_ptr<Graph> body_;
};

}  // namespace

std::optional<int64_t> computedTrips(const Graph& graph, const Node& loop, const OpCatalog& catalog,
                                     const KernelRegistry& kernels, std::optional<int64_t> limit,
                                     int64_t most) {
    ConditionOf condition(graph, loop, catalog, kernels);
    if (!condition.prepare()) return std::nullopt;
    for (int64_t i = 0; i < most; ++i) {
        if (i == limit) return i;
        const std::optional<bool> isRunning = condition.iterate(i);
        if (!isRunning) return std::nullopt;
        if (!*isRunning) return i + 1;
    }
    return limit == most ? limit : std::nullopt;
}

}  // namespace temper
