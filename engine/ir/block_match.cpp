// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/ir/block_pattern.h"
#include "engine/ir/origin.h"

namespace temper {
namespace {

using Matches = std::vector<BlockMatch>;
using Parts = std::vector<const BlockPattern*>;

bool isTransparent(const Node& node) {
    const std::string& op = node.opType();
    return node.domain().empty() && (op == "Identity" || op == "Cast" || op == "Dropout");
}

bool isOneNumber(const Value* value) {
    return value != nullptr && value->isInitializer() && value->constant().numElements() == 1;
}

bool isCommutative(const BlockPattern& pattern) {
    return pattern.name == "Add" || pattern.name == "Mul";
}

/// Matches one pattern; every function takes the bindings so far and returns all ways to continue.
class Matcher {
public:
    Matcher(const OpCatalog& catalog, const MatchRules& rules) : catalog_(catalog), rules_(rules) {}

    Matches match(const BlockPattern& pattern, const Value* value, const BlockMatch& known) const {
        using Kind = BlockPattern::Kind;
        switch (pattern.kind) {
            case Kind::Anything: return value == nullptr ? Matches{} : Matches{known};
            case Kind::Variable: return bind(pattern.name, seenThrough(value), known);
            case Kind::Number: return matchNumber(pattern, seenThrough(value), known);
            case Kind::AnyNumber:
                return isOneNumber(seenThrough(value)) ? Matches{known} : Matches{};
            case Kind::Weight: return matchWeight(value, known);
            case Kind::OneOf: return matchOneOf(pattern, value, known);
            case Kind::Op: return matchOp(pattern, value, known);
        }
        return {};
    }

private:
    /// The value before Identity, Cast and Dropout, which are added to `passed`.
    const Value* seenThrough(const Value* value, std::vector<const Node*>* passed = nullptr) const {
        while (rules_.seesThrough && value != nullptr && value->producer() != nullptr &&
               value->producerOutput() == 0 && isTransparent(*value->producer())) {
            if (passed != nullptr) passed->push_back(value->producer());
            value = value->producer()->input(0);
        }
        return value;
    }

    bool isClose(double found, double wanted) const {
        return std::abs(found - wanted) <= rules_.tolerance * std::max(1e-3, std::abs(wanted));
    }

    /// Bounds of Clip were attributes before opset 11.
    bool attributeMatches(const BlockPattern& part, const Node& node, size_t input) const {
        if (node.opType() != "Clip" || part.kind != BlockPattern::Kind::Number) return false;
        const char* name = input == 1 ? "min" : "max";
        return node.hasAttribute(name) &&
               isClose(static_cast<double>(node.attribute<float>(name, 0)), part.number);
    }

    Matches bind(const std::string& name, const Value* value, const BlockMatch& known) const {
        if (value == nullptr) return {};
        for (const auto& [bound, to] : known.variables) {
            if (bound == name) return to == value ? Matches{known} : Matches{};
        }
        BlockMatch next = known;
        next.variables.emplace_back(name, value);
        return {next};
    }

    Matches matchNumber(const BlockPattern& pattern, const Value* value,
                        const BlockMatch& known) const {
        if (!isOneNumber(value)) return {};
        const bool same = isClose(value->constant().toDouble(), pattern.number);
        return same ? Matches{known} : Matches{};
    }

    Matches matchWeight(const Value* value, const BlockMatch& known) const {
        BlockMatch next = known;
        const Value* origin = originOf(value, catalog_);
        if (origin == nullptr || !isFloating(origin->constant().dtype())) return {};
        for (const Value* step = value; step != origin; step = step->producer()->input(0)) {
            next.nodes.push_back(step->producer());
        }
        next.weights.push_back(origin);
        return {next};
    }

    Matches matchOneOf(const BlockPattern& pattern, const Value* value,
                       const BlockMatch& known) const {
        Matches all;
        for (const BlockPattern& part : pattern.parts) {
            Matches some = match(part, value, known);
            std::move(some.begin(), some.end(), std::back_inserter(all));
        }
        return all;
    }

    Matches matchOp(const BlockPattern& pattern, const Value* value,
                    const BlockMatch& known) const {
        BlockMatch next = known;
        const Value* result = seenThrough(value, &next.nodes);
        const Node* node = result == nullptr ? nullptr : result->producer();
        if (node == nullptr || node->qualifiedOp() != pattern.name ||
            result->producerOutput() != 0) {
            return {};
        }
        if (!pattern.binding.empty()) {
            const Matches bound = bind(pattern.binding, result, next);
            if (bound.empty()) return {};
            next = bound.front();
        }
        Parts parts;
        for (const BlockPattern& part : pattern.parts) parts.push_back(&part);
        if (isCommutative(pattern)) return matchTerms(pattern.name, parts, result, next);
        next.nodes.push_back(node);
        if (pattern.name != "Sum") return matchInputs(pattern, *node, next);
        return node->inputs().size() == parts.size() ? matchSum(parts, *node, next) : Matches{};
    }

    Matches matchInputs(const BlockPattern& pattern, const Node& node,
                        const BlockMatch& known) const {
        Matches matches{known};
        for (size_t i = 0; i < pattern.parts.size(); ++i) {
            if (attributeMatches(pattern.parts[i], node, i)) continue;
            Matches next;
            for (const BlockMatch& match : matches) {
                Matches some = this->match(pattern.parts[i], node.input(i), match);
                std::move(some.begin(), some.end(), std::back_inserter(next));
            }
            matches = std::move(next);
        }
        return matches;
    }

    /// The last inputs of the node are these terms, in any order: one way.
    Matches matchSum(const Parts& terms, const Node& node, const BlockMatch& known) const {
        if (terms.empty()) return {known};
        const Value* input = node.input(node.inputs().size() - terms.size());
        for (size_t i = 0; i < terms.size(); ++i) {
            Parts others = terms;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            for (const BlockMatch& first : match(*terms[i], input, known)) {
                Matches all = matchSum(others, node, first);
                if (!all.empty()) return all;
            }
        }
        return {};
    }

    /// The value is the sum (product) of these terms: tries each distribution over the two inputs.
    Matches matchTerms(const std::string& op, const Parts& terms, const Value* value,
                       const BlockMatch& known) const {
        if (terms.size() == 1) return match(*terms.front(), value, known);
        BlockMatch here = known;
        const Value* result = seenThrough(value, &here.nodes);
        const Node* node = result == nullptr ? nullptr : result->producer();
        if (node == nullptr || node->opType() != op || node->inputs().size() != 2) return {};
        here.nodes.push_back(node);
        Matches all;
        for (size_t chosen = 1; chosen + 1 < (size_t{1} << terms.size()); ++chosen) {
            Parts left, right;
            for (size_t i = 0; i < terms.size(); ++i) {
                ((chosen >> i & 1U) != 0 ? left : right).push_back(terms[i]);
            }
            for (const BlockMatch& first : matchTerms(op, left, node->input(0), here)) {
                Matches some = matchTerms(op, right, node->input(1), first);
                std::move(some.begin(), some.end(), std::back_inserter(all));
            }
        }
        return all;
    }

    const OpCatalog& catalog_;
    MatchRules rules_;
};

}  // namespace

std::vector<BlockMatch> matchPattern(const BlockPattern& pattern, const Value* value,
                                     const OpCatalog& catalog, const MatchRules& rules) {
    return Matcher(catalog, rules).match(pattern, value, {});
}

}  // namespace temper
