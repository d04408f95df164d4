// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/op_catalog.h"

#include <algorithm>
#include <utility>

namespace temper {
namespace {

Dim broadcastDim(const Dim& a, const Dim& b) {
    if (a.value == 1) return b;
    if (b.value == 1) return a;
    if (a == b) return a;
    if (a.isNumber() && b.isNumber()) {
        throw Error(ErrorCode::InvalidInput, "Dimensions " + std::to_string(a.value) + " and " +
                                                 std::to_string(b.value) +
                                                 " can't be broadcast; expected equal sizes or 1.");
    }
    if (a.isNumber()) return a;
    if (b.isNumber()) return b;
    return Dim::unknown();
}

}  // namespace

std::optional<std::vector<int64_t>> InferenceContext::integers(size_t i) const {
    const std::optional<Content> known = content(i);
    if (!known) return std::nullopt;
    std::vector<int64_t> result;
    result.reserve(known->size());
    for (const SymbolicInt& number : *known) {
        if (!number.value) return std::nullopt;
        result.push_back(*number.value);
    }
    return result;
}

std::optional<std::vector<int64_t>> InferenceContext::axes(size_t i) const {
    if (hasInput(i)) return integers(i);
    return node().attribute<std::vector<int64_t>>("axes", {});
}

void InferenceContext::fail(const std::string& message, const std::string& hint) const {
    Error error(ErrorCode::InvalidInput, message, hint);
    error.addContext(node_.describe());
    throw error;
}

void InferenceContext::failAbsent(size_t i) const {
    fail("Input " + std::to_string(i) + " is an optional without content.",
         "Feed it, or let the model ask OptionalHasElement first.");
}

void OpCatalog::add(OpInfo info) {
    const std::string domain = info.domain;
    const std::string opType = info.opType;
    TEMPER_ASSERT(ops_.add(domain, opType, std::move(info)), "an operator is registered once");
}

void OpCatalog::add(OpInfo info, OperatorFacts facts) {
    info.facts = std::move(facts);
    add(std::move(info));
}

const OperatorFacts& OpCatalog::facts(const Node& node) const {
    static const OperatorFacts kUnknown;
    const OpInfo* info = find(node);
    return info == nullptr ? kUnknown : info->facts;
}

const OpInfo* OpCatalog::find(std::string_view domain, std::string_view opType) const {
    return ops_.find(domain, opType);
}

std::vector<const OpInfo*> OpCatalog::all() const {
    std::vector<const OpInfo*> result = ops_.all();
    std::ranges::sort(result, {}, [](const OpInfo* info) {
        return std::pair<std::string_view, std::string_view>(info->domain, info->opType);
    });
    return result;
}

std::optional<SymbolicShape> broadcastShapes(const std::optional<SymbolicShape>& a,
                                             const std::optional<SymbolicShape>& b) {
    if (!a || !b) return std::nullopt;
    const size_t rank = std::max(a->size(), b->size());
    SymbolicShape result(rank);
    for (size_t i = 0; i < rank; ++i) {
        const Dim da = i < rank - a->size() ? Dim::of(1) : (*a)[i - (rank - a->size())];
        const Dim db = i < rank - b->size() ? Dim::of(1) : (*b)[i - (rank - b->size())];
        result[i] = broadcastDim(da, db);
    }
    return result;
}

}  // namespace temper
