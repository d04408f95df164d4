// SPDX-License-Identifier: Apache-2.0
#include "engine/training/monitors/unit_layout.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "engine/training/loss/loss_info.h"

namespace temper {
namespace {

class UnitFinder {
public:
    UnitFinder(const Graph& model, const OpCatalog& catalog) : model_(model), catalog_(catalog) {
        for (const std::string& name : describeLoss(model).predictions)
            predictions_.insert(model.find(name));
    }

    std::map<std::string, UnitLayout> find() {
        for (const Node* node : model_.nodes()) {
            if (node->isBackward()) continue;
            const Value* weight = node->input(1);
            const std::optional<UnitLayout> layout = catalog_.facts(*node).unitsOf(*node);
            if (!layout || weight == nullptr) continue;
            note(*weight, canDie(*node->output(0)) ? layout : std::nullopt);
        }
        for (const std::string& name : refused_) result_.erase(name);
        return std::move(result_);
    }

private:
    /// If several nodes read a weight, all have to agree. If it was transposed in between, its
    /// units are along the other dimension.
    void note(const Value& read, std::optional<UnitLayout> layout) {
        const Value* weight = &read;
        if (const Node* node = read.producer(); node != nullptr && node->opType() == "Transpose") {
            weight = node->input(0);
            if (layout) layout->axis = layout->axis == 0 ? 1 : 0;
        }
        if (weight->producer() != nullptr) return;
        const auto known = result_.find(weight->name());
        const bool differs = known != result_.end() && layout != known->second;
        if (!layout || differs) refused_.insert(weight->name());
        if (layout) result_.try_emplace(weight->name(), *layout);
    }

    bool canDie(const Value& value) {
        if (predictions_.contains(&value) || value.isGraphOutput()) return false;
        if (const auto [place, isNew] = known_.try_emplace(&value, false); !isNew)
            return place->second;
        const bool dies = std::ranges::any_of(value.uses(), [&](const Value::Use& use) {
            const Node& node = *use.node;
            if (node.isBackward() || node.output(0) == nullptr) return false;
            const OperatorFacts& facts = catalog_.facts(node);
            const bool keepsUnits = facts.keepsUnits || facts.movesData;
            return facts.isFlatSomewhere || (keepsUnits && canDie(*node.output(0)));
        });
        return known_[&value] = dies;
    }

    const Graph& model_;
    const OpCatalog& catalog_;
    std::set<const Value*> predictions_;
    std::set<std::string> refused_;
    std::map<const Value*, bool> known_;
    std::map<std::string, UnitLayout> result_;
};

}  // namespace

std::map<std::string, UnitLayout> unitsThatCanDie(const Graph& model, const OpCatalog& catalog) {
    return UnitFinder(model, catalog).find();
}

}  // namespace temper
