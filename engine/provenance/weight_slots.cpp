// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/weight_slots.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "engine/ir/origin.h"

namespace temper {
namespace {

/// Inputs that hold weights where they are constant.
bool isWeightSlot(const Node& node, size_t input) {
    static const std::map<std::string_view, std::set<size_t>> kSlots = {
        {"Conv", {1, 2}},
        {"ConvTranspose", {1, 2}},
        {"Gemm", {1, 2}},
        {"MatMul", {0, 1}},
        {"Gather", {0}},
        {"LSTM", {1, 2, 3}},
        {"GRU", {1, 2, 3}},
        {"RNN", {1, 2, 3}},
        {"Einsum", {1}},
        {"PRelu", {1}},
        {"BatchNormalization", {1, 2}},
        {"InstanceNormalization", {1, 2}},
        {"GroupNormalization", {1, 2}},
        {"LayerNormalization", {1, 2}},
        {"Attention", {1, 2}},
        {"FusedMatMul", {1}},
    };
    const auto slots = kSlots.find(node.opType());
    return slots != kSlots.end() && slots->second.contains(input);
}

bool isExponent(const Value::Use& use) {
    return use.node->opType() == "Pow" && use.node->domain().empty() && use.input == 1;
}

}  // namespace

const Node* weightReader(const Value& value) {
    for (const Value::Use& use : value.uses()) {
        if (isWeightSlot(*use.node, use.input)) return use.node;
        if (use.input != 0 || !passesNumbersOn(*use.node)) continue;
        const Value* next = use.node->output(0);
        if (const Node* found = next == nullptr ? nullptr : weightReader(*next)) return found;
    }
    return nullptr;
}

bool isOnlyExponent(const Value& value) {
    const auto leadsToExponent = [](const Value::Use& use) {
        if (isExponent(use)) return true;
        const Value* next = use.node->output(0);
        return use.input == 0 && next != nullptr && passesNumbersOn(*use.node) &&
               isOnlyExponent(*next);
    };
    return !value.uses().empty() && std::ranges::all_of(value.uses(), leadsToExponent);
}

}  // namespace temper
