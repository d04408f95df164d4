// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/passes/attention_sight.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "engine/core/shape.h"
#include "engine/runtime/passes/node_match.h"

namespace temper {
namespace {

using Positions = AttentionSight::Positions;
using Pair = AttentionSight::Pair;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Positions: one for each query, or one for each key that is the same in all heads.
bool isThin(const Value* value) {
    const ValueType& type = value->type();
    if (!type.isStatic() || type.dtype != DType::Int64 || type.rank() > 4) return false;
    const SymbolicShape& shape = *type.shape;
    const size_t rank = shape.size();
    if (rank < 2 || shape[rank - 1].value == 1) return true;
    return shape[rank - 2].value == 1 && (rank < 3 || shape[rank - 3].value == 1);
}

/// Not(Equal(bias, minus infinity))
bool hidesInfinite(const Value* seen, const Value* bias) {
    const Node* negation = producerOf(seen, "Not");
    const Node* comparison =
        negation == nullptr ? nullptr : producerOf(negation->input(0), "Equal");
    return comparison != nullptr && bias != nullptr && comparison->input(0) == bias &&
           isNumber(comparison->input(1), -kInfinity);
}

Pair negated(Pair pair) { return {std::move(pair.upper), std::move(pair.lower), !pair.isStrict}; }

std::optional<Pair> asComparison(const Value* condition) {
    struct Form {
        const char* op;
        bool isReversed;
        bool isStrict;
    };
    for (const auto& [op, isReversed, isStrict] :
         {Form{"Less", false, true}, Form{"LessOrEqual", false, false}, Form{"Greater", true, true},
          Form{"GreaterOrEqual", true, false}}) {
        const Node* comparison = producerOf(condition, op);
        if (comparison == nullptr) continue;
        if (!isThin(comparison->input(0)) || !isThin(comparison->input(1))) return std::nullopt;
        return Pair{{comparison->input(isReversed ? 1 : 0)},
                    {comparison->input(isReversed ? 0 : 1)},
                    isStrict};
    }
    return std::nullopt;
}

/// first, first + 1, ...
Tensor counting(const Shape& shape, int64_t first = 0) {
    Tensor result(DType::Int64, shape);
    auto numbers = result.mutableValues<int64_t>();
    std::iota(numbers.begin(), numbers.end(), first);
    return result;
}

/// One nonzero number in all elements.
bool isFilled(const Value* value) {
    if (const Node* expansion = producerOf(value, "Expand")) value = expansion->input(0);
    if (const Node* constant = producerOf(value, "ConstantOfShape")) {
        const auto number = constant->attribute<Tensor>("value");
        return number && number->cast(DType::Float64).values<double>()[0] != 0;
    }
    const std::optional<double> number = numberIn(value);
    return number && *number != 0;
}

/// The triangle that Trilu leaves of a matrix of equal numbers.
std::optional<Pair> asTriangle(const Value* value) {
    const Node* triangle = producerOf(value, "Trilu");
    if (triangle == nullptr || !isFilled(triangle->input(0)) || !value->type().isStatic())
        return std::nullopt;
    const std::optional<double> diagonal =
        triangle->input(1) == nullptr ? 0.0 : numberIn(triangle->input(1));
    if (!diagonal) return std::nullopt;
    const Shape shape = *concreteShape(*value->type().shape);
    Positions keys{nullptr, counting({shape.back()})};
    Positions rows{nullptr,
                   counting({shape[shape.size() - 2], 1}, static_cast<int64_t>(*diagonal))};
    if (triangle->attribute<int64_t>("upper", 1) == 0) std::swap(keys, rows);
    return Pair{std::move(rows), std::move(keys), false};
}

/// A triangle as a condition: of booleans, cast to them, or compared with 0.
std::optional<Pair> asTriangleCondition(const Value* condition) {
    if (const Node* cast = producerOf(condition, "Cast")) return asTriangle(cast->input(0));
    const Node* comparison = producerOf(condition, "Equal");
    if (comparison == nullptr) return asTriangle(condition);
    if (!isNumber(comparison->input(1), 0)) return std::nullopt;
    std::optional<Pair> inside = asTriangle(comparison->input(0));
    if (inside) inside = negated(std::move(*inside));
    return inside;
}

/// The keys from `first` to before `end` that each query sees, if these are contiguous for each.
struct KeyRuns {
    Tensor first;  ///< [..., queries, 1]
    Tensor end;
    int64_t keys = 0;

    template <typename IsSeen>
    static std::optional<KeyRuns> of(Shape shape, IsSeen isSeen) {
        if (shape.empty() || numElements(shape) == 0) return std::nullopt;
        const int64_t keys = std::exchange(shape.back(), 1), rows = numElements(shape);
        KeyRuns runs{Tensor(DType::Int64, shape), Tensor(DType::Int64, shape), keys};
        for (int64_t row = 0; row < rows; ++row) {
            int64_t first = 0;
            while (first < keys && !isSeen(row * keys + first)) ++first;
            int64_t end = first;
            while (end < keys && isSeen(row * keys + end)) ++end;
            for (int64_t key = end; key < keys; ++key) {
                if (isSeen(row * keys + key)) return std::nullopt;
            }
            runs.first.mutableValues<int64_t>()[static_cast<size_t>(row)] = first;
            runs.end.mutableValues<int64_t>()[static_cast<size_t>(row)] = end;
        }
        return runs;
    }

    void addTo(std::vector<Pair>& pairs) && {
        const auto isAll = [](const Tensor& tensor, int64_t number) {
            return std::ranges::all_of(tensor.values<int64_t>(),
                                       [=](int64_t other) { return other == number; });
        };
        const Tensor positions = counting({keys});
        if (!isAll(first, 0))
            pairs.push_back({{nullptr, std::move(first)}, {nullptr, positions}, false});
        if (!isAll(end, keys))
            pairs.push_back({{nullptr, positions}, {nullptr, std::move(end)}, true});
    }
};

bool addKnownMask(const Value* condition, bool hides, std::vector<Pair>& pairs) {
    if (!condition->isInitializer() || condition->constant().dtype() != DType::Bool) return false;
    const auto booleans = condition->constant().values<bool>();
    auto runs = KeyRuns::of(condition->constant().shape(),
                            [&](int64_t at) { return booleans[static_cast<size_t>(at)] != hides; });
    if (runs) std::move(*runs).addTo(pairs);
    return runs.has_value();
}

/// For a bias of only 0 and one number that hides, with contiguous seen keys for each query.
std::optional<double> addKnownBias(const Tensor& bias, std::vector<Pair>& pairs) {
    if (bias.dtype() != DType::Float32 || bias.numElements() == 0) return std::nullopt;
    const auto numbers = bias.values<float>();
    const float low = *std::ranges::min_element(numbers);
    const auto isKnown = [=](float number) { return number == 0 || number == low; };
    if (!hidesKeys(low) || !std::ranges::all_of(numbers, isKnown)) return std::nullopt;
    auto runs = KeyRuns::of(bias.shape(),
                            [&](int64_t at) { return numbers[static_cast<size_t>(at)] == 0; });
    if (!runs) return std::nullopt;
    std::move(*runs).addTo(pairs);
    return low;
}

}  // namespace

bool hidesKeys(double number) {
    return number <= static_cast<double>(std::numeric_limits<float>::lowest());
}

void AttentionSight::add(Value* condition, bool hides, const Value* bias) {
    for (const char* op : {"Expand", "Identity"}) {
        if (const Node* same = producerOf(condition, op)) return add(same->input(0), hides, bias);
    }
    if (!hides && hidesInfinite(condition, bias)) {
        infiniteHides = true;
        return;
    }
    if (const Node* negation = producerOf(condition, "Not"))
        return add(negation->input(0), !hides, bias);
    if (const Node* both = producerOf(condition, hides ? "Or" : "And")) {
        add(both->input(0), hides, bias);
        add(both->input(1), hides, bias);
        return;
    }
    std::optional<Pair> pair = asComparison(condition);
    if (!pair) pair = asTriangleCondition(condition);
    if (pair) {
        pairs.push_back(hides ? negated(std::move(*pair)) : std::move(*pair));
    } else if (!addKnownMask(condition, hides, pairs)) {
        masks.push_back({condition, hides});
    }
}

std::optional<double> AttentionSight::addBias(const Value* bias) {
    if (bias->isInitializer()) return addKnownBias(bias->constant(), pairs);
    const Node* choice = producerOf(bias, "Where");
    if (choice == nullptr) return std::nullopt;
    const auto first = numberIn(choice->input(1)), second = numberIn(choice->input(2));
    if (!first || !second) return std::nullopt;
    const bool hides = *second == 0;
    const double low = hides ? *first : *second;
    if ((hides ? *second : *first) != 0 || !hidesKeys(low)) return std::nullopt;
    add(choice->input(0), hides, nullptr);
    return low;
}

}  // namespace temper
