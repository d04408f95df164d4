// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/ir/op_catalog.h"

namespace temper {

/// A shape of nodes to look for, written as an expression of operators.
///
///     Op(a, b)     a node of this operator; inputs that are not written are free
///     com.x.Op(a)  the same, of this domain
///     Add, Mul     take any number of terms, in any order, however they are nested
///     Sum          takes its terms in any order
///     x            any value; everywhere the same one
///     x=Op(...)    a value called x
///     1.5          a constant of this value, to three digits unless MatchRules say otherwise
///     #            a constant of one element
///     @            a constant tensor, perhaps after Transpose, Reshape and the like
///     _            any value
///     {a | b}      one of them
///
/// Identity, Cast and Dropout between the nodes are ignored, unless MatchRules say otherwise.
struct BlockPattern {
    enum class Kind { Op, Variable, Number, AnyNumber, Weight, Anything, OneOf };

    Kind kind = Kind::Anything;
    std::string name;     ///< of the operator or the variable
    std::string binding;  ///< the variable that stands for an operator's result, or empty
    double number = 0;
    std::vector<BlockPattern> parts;  ///< inputs or alternatives

    /// The operators with which a match may end.
    std::set<std::string> roots() const;

    /// Throws: Error(Internal) for an invalid expression.
    static BlockPattern parse(std::string_view text);
};

/// One match of a pattern.
struct BlockMatch {
    std::vector<const Node*> nodes;
    std::vector<std::pair<std::string, const Value*>> variables;
    std::vector<const Value*> weights;  ///< initializers
};

struct MatchRules {
    double tolerance = 1e-3;  ///< of numbers, relative
    bool seesThrough = true;  ///< whether Identity, Cast and Dropout are ignored
};

/// All ways in which the value matches the pattern.
std::vector<BlockMatch> matchPattern(const BlockPattern& pattern, const Value* value,
                                     const OpCatalog& catalog, const MatchRules& rules = {});

}  // namespace temper
