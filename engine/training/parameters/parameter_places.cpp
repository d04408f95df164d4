// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parameters/parameter_places.h"

#include <algorithm>
#include <limits>

namespace temper {
namespace {

constexpr size_t kNowhere = std::numeric_limits<size_t>::max();

/// The order of computation, and which nodes depend on an input of the model.
class Computation {
public:
    explicit Computation(const Graph& model) {
        const std::vector<Node*> order = model.topologicalOrder();
        for (size_t i = 0; i < order.size(); ++i) {
            const size_t index = order[i]->index();
            if (index >= place_.size()) {
                place_.resize(index + 1);
                readsInput_.resize(index + 1);
            }
            place_[index] = i;
            readsInput_[index] = std::ranges::any_of(
                order[i]->inputs(), [this](const Value* value) { return dependsOnInput(value); });
        }
    }

    /// The place where the value meets an input; kNowhere if it does not.
    size_t placeOf(const Value* parameter) const {
        size_t first = kNowhere;
        std::vector<const Value*> open{parameter};
        while (!open.empty()) {
            const Value* value = open.back();
            open.pop_back();
            for (const auto& use : value->uses()) {
                if (readsInput_[use.node->index()]) {
                    first = std::min(first, place_[use.node->index()]);
                    continue;
                }
                for (const Value* output : use.node->outputs())
                    if (output != nullptr) open.push_back(output);
            }
        }
        return first;
    }

private:
    bool dependsOnInput(const Value* value) const {
        if (value == nullptr) return false;
        const Node* producer = value->producer();
        return value->isGraphInput() || (producer != nullptr && readsInput_[producer->index()]);
    }

    std::vector<size_t> place_;     ///< by the nodes' indices
    std::vector<bool> readsInput_;  ///< the same
};

}  // namespace

std::map<size_t, std::vector<std::string>> parametersByPlace(const Graph& model,
                                                             const std::set<std::string>& names) {
    const Computation computation(model);
    std::map<size_t, std::vector<std::string>> places;
    for (const std::string& name : names) {
        const Value* parameter = model.find(name);
        const size_t place = parameter == nullptr ? kNowhere : computation.placeOf(parameter);
        if (place != kNowhere) places[place].push_back(name);
    }
    return places;
}

}  // namespace temper
