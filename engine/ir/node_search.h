// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// A query for nodes, such as `op:Conv k=3 name:layer1 head`. Every part has to match:
///
///     op:Conv       the operator begins with it
///     name:layer1   the node's name contains it
///     tensor:bias   the name of a tensor that the node reads or makes contains it
///     k=3           the attribute has the value, or all of its elements have; k, s, p, d, g and
///                   `axis` stand for kernel_shape, strides, pads, dilations, group and axis
///     k=3x5         the attribute has these elements
///     k>3, k<3      the attribute, or its largest (smallest) element, is beyond
///     head          fuzzy: its letters in this order in operator, name or a tensor
///
/// Case is ignored. Quotes keep blanks: `name:"my node"`.
class NodeQuery {
public:
    explicit NodeQuery(const std::string& text);

    bool isEmpty() const { return terms_.empty(); }
    /// 0 if it does not match, else higher for better matches.
    double score(const Node& node) const;

private:
    enum class Kind { Operator, Name, Tensor, Number, Fuzzy };
    struct Term {
        Kind kind = Kind::Fuzzy;
        std::string key;  ///< of an attribute
        char relation = '=';
        std::string text;  ///< in lower case
    };

    static Term parse(const std::string& word);
    static double scoreOf(const Term& term, const Node& node);
    static bool hasAttribute(const Term& term, const Node& node);

    std::vector<Term> terms_;
};

struct NodeHit {
    size_t node = 0;  ///< index in the list searched
    double score = 0;
};

/// The nodes that match the query, the best first, equal ones in the given order.
std::vector<NodeHit> findNodes(const std::vector<Node*>& nodes, const NodeQuery& query);

/// How well `pattern` (lower case) fits into `text` as a subsequence: 0 if it does not; more for
/// consecutive letters and letters that begin a word, less for long texts.
double fuzzyScore(const std::string& pattern, const std::string& text);

}  // namespace temper
