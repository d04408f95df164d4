// SPDX-License-Identifier: Apache-2.0
#include "engine/training/monitors/unit_layout.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "engine/ir/origin.h"
#include "engine/training/loss/loss_info.h"

namespace temper {
namespace {

/// Derivatives that are exactly zero over a whole range of inputs.
bool isFlatSomewhere(const Node& node) {
    static const std::set<std::string_view> kOperators = {"Clip", "HardSigmoid", "HardSwish",
                                                          "Relu", "Shrink",      "ThresholdedRelu"};
    return kOperators.contains(node.opType());
}

/// A gradient of zero for a unit stays one, seen from the unit.
bool keepsUnitsApart(const Node& node) {
    static const std::set<std::string_view> kOperators = {"Add",
                                                          "AveragePool",
                                                          "BatchNormInternal",
                                                          "BatchNormalization",
                                                          "Concat",
                                                          "Div",
                                                          "Dropout",
                                                          "GlobalAveragePool",
                                                          "GlobalMaxPool",
                                                          "InstanceNormalization",
                                                          "MaxPool",
                                                          "Mul",
                                                          "Pad",
                                                          "Sub",
                                                          "Sum"};
    return kOperators.contains(node.opType()) || passesNumbersOn(node);
}

class UnitFinder {
public:
    explicit UnitFinder(const Graph& model) : model_(model) {
        for (const std::string& name : describeLoss(model).predictions)
            predictions_.insert(model.find(name));
    }

    std::map<std::string, UnitLayout> find() {
        for (const Node* node : model_.nodes()) {
            if (node->isBackward()) continue;
            const Value* weight = node->input(1);
            const std::optional<UnitLayout> layout = layoutOf(*node);
            if (!layout || weight == nullptr) continue;
            note(*weight, canDie(*node->output(0)) ? layout : std::nullopt);
        }
        for (const std::string& name : refused_) result_.erase(name);
        return std::move(result_);
    }

private:
    static std::optional<UnitLayout> layoutOf(const Node& node) {
        if (node.opType() == "Conv") return UnitLayout{0, 1};
        if (node.opType() == "ConvTranspose")
            return UnitLayout{1, node.attribute<int64_t>("group", 1)};
        if (node.opType() == "Gemm")
            return UnitLayout{node.attribute<int64_t>("transB", 0) != 0 ? size_t{0} : size_t{1}, 1};
        const Value* weight = node.input(1);
        if (node.opType() != "MatMul" || weight == nullptr) return std::nullopt;
        const auto& shape = weight->type().shape;
        return shape && shape->size() == 2 ? std::optional(UnitLayout{1, 1}) : std::nullopt;
    }

    /// Of a weight that several nodes read, all have to say the same. One that was transposed on
    /// its way has its units along the other dimension.
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
            return isFlatSomewhere(node) || (keepsUnitsApart(node) && canDie(*node.output(0)));
        });
        return known_[&value] = dies;
    }

    const Graph& model_;
    std::set<const Value*> predictions_;
    std::set<std::string> refused_;
    std::map<const Value*, bool> known_;
    std::map<std::string, UnitLayout> result_;
};

}  // namespace

std::map<std::string, UnitLayout> mortalUnits(const Graph& model) {
    return UnitFinder(model).find();
}

}  // namespace temper
