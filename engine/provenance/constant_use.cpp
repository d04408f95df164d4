// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/constant_use.h"

#include <algorithm>
#include <set>

#include "engine/provenance/reasons.h"
#include "engine/provenance/tensor_contents.h"
#include "engine/provenance/tensor_names.h"
#include "engine/provenance/weight_slots.h"

namespace temper {
namespace {

bool isOneOf(const Node& node, const std::set<std::string_view>& operators) {
    return node.domain().empty() && operators.contains(node.opType());
}

bool isOne(const Tensor& tensor) { return tensor.numElements() == 1; }

bool isComparison(const Node& node) {
    return isOneOf(node, {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"});
}

/// A small number that keeps a root, a logarithm or a quotient away from zero.
bool isEpsilon(const Value::Use& use, const Tensor& data) {
    constexpr double kLargest = 1e-2;
    if (!isOneOf(*use.node, {"Add", "Max", "Clip"}) || !isOne(data)) return false;
    if (data.toDouble() <= 0 || data.toDouble() > kLargest) return false;
    const Value* sum = use.node->output(0);
    return sum != nullptr && std::ranges::any_of(sum->uses(), [](const Value::Use& next) {
               return isOneOf(*next.node, {"Sqrt", "Reciprocal", "Log", "Pow"}) ||
                      (isOneOf(*next.node, {"Div"}) && next.input == 1);
           });
}

bool isFirstState(const Value::Use& use) {
    const Node& node = *use.node;
    if (isOneOf(node, {"Loop"})) return use.input > 1;
    if (isOneOf(node, {"Scan"})) {
        const auto scanned = node.attribute<int64_t>("num_scan_inputs", 0);
        return static_cast<int64_t>(use.input) <
               static_cast<int64_t>(node.inputs().size()) - scanned;
    }
    return isOneOf(node, {"LSTM", "GRU", "RNN"}) && (use.input == 5 || use.input == 6);
}

/// The first input of a Scatter, before anything is written to it.
bool isCanvas(const Value::Use& use) {
    return use.input == 0 && isOneOf(*use.node, {"Scatter", "ScatterElements", "ScatterND"});
}

bool isCacheOfAngles(const Value::Use& use) {
    const Node& node = *use.node;
    if (node.opType() != "RotaryEmbedding") return false;
    const bool isOfRuntime = node.domain() == "com.microsoft";  // positions are its second input
    return isOfRuntime ? use.input == 2 || use.input == 3 : use.input == 1 || use.input == 2;
}

bool isByConstant(const Node& node) {
    const Value* by = node.input(1);
    return isOneOf(node, {"Div", "Mul", "Sub"}) && by != nullptr && by->isInitializer();
}

/// What nodes do with constants, if that takes more than one node to recognize.
class ConstantRoles {
public:
    explicit ConstantRoles(const OpCatalog& catalog) : catalog_(catalog) {}

    /// The role in the first use; empty if there is a use without one.
    std::string_view roleIn(const std::vector<Value::Use>& uses, const Value& value) const {
        std::string_view first;
        for (const Value::Use& use : uses) {
            std::string_view role = roleIn(use, value);
            const Value* next = use.node->output(0);
            if (role.empty() && use.input == 0 && next != nullptr && keepsNumbers(*use.node)) {
                role = roleIn(next->uses(), value);
            }
            if (role.empty()) return {};
            if (first.empty()) first = role;
        }
        return first;
    }

    bool isTableOfAngles(const Graph& graph, const Value& value, const Evidence& evidence) const {
        const auto& uses = evidence.readers(value);
        if (value.constant().rank() < 2 || !areElementwise(uses)) return false;
        return std::ranges::any_of(graph.initializers(), [&value](const Value* other) {
            return other != &value && areSinesAndCosines(value.constant(), other->constant());
        });
    }

private:
    bool keepsNumbers(const Node& node) const {
        return catalog_.facts(node).movesData || isOneOf(node, {"Expand", "Slice"});
    }

    /// The graph input that a value is, unchanged or in another type or layout.
    bool isInput(const Value* value) const {
        while (value != nullptr && value->producer() != nullptr &&
               catalog_.facts(*value->producer()).movesData) {
            value = value->producer()->input(0);
        }
        return value != nullptr && value->isGraphInput();
    }

    /// The node that computes a value from an input and a constant, or from such a value and
    /// another.
    const Node* scalingBefore(const Value* data) const {
        const Node* node = data == nullptr ? nullptr : data->producer();
        if (node == nullptr || !isByConstant(*node)) return nullptr;
        const bool isFirst = isInput(node->input(0));
        return isFirst || scalingBefore(node->input(0)) != nullptr ? node : nullptr;
    }

    /// (x - mean) / std of an input x; also (x / 255 - mean) / std.
    bool normalisesInput(const Value::Use& use) const {
        const Node& node = *use.node;
        if (use.input != 1 || !isOneOf(node, {"Sub", "Div"})) return false;
        if (scalingBefore(node.input(0)) != nullptr) return true;
        if (!isInput(node.input(0)) || node.output(0) == nullptr) return false;
        return std::ranges::any_of(node.output(0)->uses(), [](const Value::Use& next) {
            return next.input == 0 && isOneOf(*next.node, {"Sub", "Div"}) &&
                   isByConstant(*next.node);
        });
    }

    std::string_view roleIn(const Value::Use& use, const Value& value) const {
        const Node& node = *use.node;
        const Tensor& data = value.constant();
        if (isComparison(node)) return reasons::kComparison;
        if (isEpsilon(use, data)) return reasons::kEpsilon;
        if (isOfGroupNorm(use, value)) return reasons::kGroupNorm;
        if (normalisesInput(use)) return reasons::kInput;
        if (isFirstState(use) && isFilledWith(data, 0)) return reasons::kZeroState;
        if (isCanvas(use) && isFilledWith(data, 0)) return reasons::kCanvas;
        if (isCacheOfAngles(use)) return reasons::kEncoding;
        if (isOneOf(node, {"STFT"}) && use.input == 2) return reasons::kWindow;
        if (isOneOf(node, {"Trilu"}) && isUniform(data)) return reasons::kMask;
        if (isOneOf(node, {"Range"})) return reasons::kBound;
        if (isOneOf(node, {"OneHot"})) return reasons::kFiller;
        if (!isOne(data)) return {};
        if (isOneOf(node, {"Pow"}) && use.input == 1) return reasons::kExponent;
        if (isOneOf(node, {"Where", "Pad"}) && use.input > 0) return reasons::kFiller;
        if (isOneOf(node, {"Clip"}) && use.input > 0) return reasons::kBound;
        return isOneOf(node, {"Max", "Min"}) ? reasons::kBound : std::string_view{};
    }

    bool isElementwise(const Value::Use& use) const {
        const Value* next = use.node->output(0);
        return isOneOf(*use.node, {"Mul"}) ||
               (next != nullptr && use.input == 0 &&
                (keepsNumbers(*use.node) || isOneOf(*use.node, {"Gather"})) &&
                areElementwise(next->uses()));
    }

    bool areElementwise(const std::vector<Value::Use>& uses) const {
        return std::ranges::all_of(uses,
                                   [this](const Value::Use& use) { return isElementwise(use); });
    }

    const OpCatalog& catalog_;
};

/// One number read by nodes that were a function, as PyTorch's exporter has them for some
/// operations: functions have no parameters of a module.
bool isArgumentOfFunction(const Value& value, const Evidence& evidence) {
    const auto& uses = evidence.readers(value);
    return value.constant().rank() == 0 && !uses.empty() &&
           std::ranges::all_of(uses, [](const Value::Use& use) {
               const Value* made = use.node->output(0);
               return made != nullptr && isNamedAsTemporary(made->name());
           });
}

/// Numbers that an exporter named but did not compute: no weight starts with such numbers.
std::string_view regularNumbers(const Value& value, const OpCatalog& catalog) {
    const std::string& name = value.name();
    if (!isMadeUp(name) || isNamedAsComputed(name)) return {};
    if (weightReader(value, catalog) != nullptr) return {};
    if (areWholeNumbers(value.constant())) return reasons::kWhole;
    return isGrid(value.constant()) ? reasons::kGrid : std::string_view{};
}

/// Whether the only node that reads it, but for reshapes, multiplies it by an initializer.
bool isScaledByWeight(const Value& value) {
    if (value.uses().size() != 1) return false;
    const Node& reader = *value.uses().front().node;
    if (isOneOf(reader, {"Reshape"})) return isScaledByWeight(*reader.output(0));
    const auto isWeight = [](const Value* input) {
        return input != nullptr && input->isInitializer();
    };
    return isOneOf(reader, {"Mul"}) && std::ranges::any_of(reader.inputs(), isWeight);
}

}  // namespace

bool isOfGroupNorm(const Value::Use& use, const Value& value) {
    const Node& node = *use.node;
    if (!isOneOf(node, {"InstanceNormalization"}) || use.input == 0) return false;
    const Value* data = node.input(0);
    const bool isGrouped =
        data != nullptr && data->producer() != nullptr && isOneOf(*data->producer(), {"Reshape"});
    return (isGrouped || isScaledByWeight(*node.output(0))) &&
           isFilledWith(value.constant(), use.input == 1 ? 1.0F : 0.0F);
}

std::string_view certainConstant(const Value& value, const Evidence& evidence,
                                 const OpCatalog& catalog) {
    const auto& uses = evidence.readers(value);
    if (value.constant().rank() == 0 && isOnlyExponent(value, catalog)) return reasons::kExponent;
    const auto compares = [](const Value::Use& use) { return isComparison(*use.node); };
    if (!uses.empty() && std::ranges::all_of(uses, compares)) return reasons::kComparison;
    if (isArgumentOfFunction(value, evidence)) return reasons::kArgument;
    return isMask(value.constant()) ? reasons::kMask : std::string_view{};
}

std::string_view likelyConstant(const Graph& graph, const Value& value, const Evidence& evidence,
                                const OpCatalog& catalog) {
    const ConstantRoles roles(catalog);
    const std::string_view role = roles.roleIn(evidence.readers(value), value);
    if (!role.empty()) return role;
    if (roles.isTableOfAngles(graph, value, evidence)) return reasons::kEncoding;
    if (isNamedAsGenerator(value.name()) && isUniform(value.constant())) return reasons::kFilled;
    const bool isNumber = isOne(value.constant()) && isMadeUp(value.name());
    if (isNumber && weightReader(value, catalog) == nullptr) return reasons::kNumberWithoutName;
    return regularNumbers(value, catalog);
}

}  // namespace temper
