// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/einsum/equation.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "engine/core/counted.h"
#include "engine/core/joined.h"

namespace temper {
namespace {

constexpr std::string_view kEllipsis = "...";
constexpr std::string_view kArrow = "->";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

[[noreturn]] void fail(const Node& node, const std::string& message) {
    throw Error(ErrorCode::InvalidInput, node.describe() + ": the equation '" +
                                             node.attribute<std::string>("equation", "") + "' " +
                                             message + ".");
}

/// A term split at its ellipsis.
struct Term {
    std::string before;
    std::string after;
    bool hasEllipsis = false;

    size_t letters() const { return before.size() + after.size(); }
    std::string with(const std::string& ellipsis) const { return before + ellipsis + after; }
};

Term parseTerm(const Node& node, const std::string& text) {
    Term term;
    const size_t dots = text.find(kEllipsis);
    term.hasEllipsis = dots != std::string::npos;
    term.before = text.substr(0, dots);
    if (term.hasEllipsis) term.after = text.substr(dots + kEllipsis.size());
    for (const char letter : term.before + term.after) {
        if (kLetters.find(letter) == std::string_view::npos) {
            fail(node, std::string("holds '") + letter + "'; expected letters, ',', '...', '->'");
        }
    }
    return term;
}

std::vector<Term> parseTerms(const Node& node, const std::string& text) {
    std::vector<Term> terms;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        terms.push_back(parseTerm(node, text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return terms;
}

/// Dimensions that the ellipsis of a term stands for.
size_t ellipsisWidth(const Node& node, const Term& term, size_t rank, size_t operand) {
    const bool fits = term.hasEllipsis ? rank >= term.letters() : rank == term.letters();
    if (!fits) {
        fail(node, "has " + counted(term.letters(), "letter") + " for operand " +
                       std::to_string(operand) + ", which has rank " + std::to_string(rank));
    }
    return rank - term.letters();
}

/// Letters that the equation does not use.
std::string freshLetters(const Node& node, const std::string& used, size_t count) {
    std::string fresh;
    for (const char letter : kLetters) {
        if (fresh.size() < count && used.find(letter) == std::string::npos) fresh += letter;
    }
    if (fresh.size() < count) fail(node, "has more dimensions than letters exist");
    return fresh;
}

/// The letters that appear once, in alphabetical order, after the ellipsis.
std::string implicitOutput(const std::vector<Term>& terms, const std::string& ellipsis) {
    std::map<char, int> counts;
    for (const Term& term : terms) {
        for (const char letter : term.before + term.after) ++counts[letter];
    }
    std::string output = ellipsis;
    for (const auto& [letter, count] : counts) {
        if (count == 1) output += letter;
    }
    return output;
}

void checkOutput(const Node& node, const EinsumEquation& equation) {
    for (const char letter : equation.output) {
        const bool isRead =
            std::any_of(equation.operands.begin(), equation.operands.end(),
                        [&](const auto& term) { return term.find(letter) != std::string::npos; });
        if (!isRead) fail(node, std::string("has '") + letter + "' in its output only");
        if (std::count(equation.output.begin(), equation.output.end(), letter) > 1) {
            fail(node, std::string("has '") + letter + "' twice in its output");
        }
    }
}

std::string withoutSpaces(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    return text;
}

}  // namespace

EinsumEquation EinsumEquation::parse(const Node& node, const std::vector<size_t>& ranks) {
    const std::string text = withoutSpaces(node.attribute<std::string>("equation", ""));
    const size_t arrow = text.find(kArrow);
    const std::vector<Term> terms = parseTerms(node, text.substr(0, arrow));
    if (terms.size() != ranks.size()) {
        fail(node,
             "has " + counted(terms.size(), "term") + " for " + counted(ranks.size(), "operand"));
    }
    std::vector<size_t> widths;
    for (size_t i = 0; i < terms.size(); ++i) {
        widths.push_back(ellipsisWidth(node, terms[i], ranks[i], i));
    }
    const size_t width = *std::max_element(widths.begin(), widths.end());
    const std::string ellipsis = freshLetters(node, text, width);
    EinsumEquation equation;
    for (size_t i = 0; i < terms.size(); ++i) {
        equation.operands.push_back(terms[i].with(ellipsis.substr(width - widths[i])));
    }
    if (arrow == std::string::npos) {
        equation.output = implicitOutput(terms, ellipsis);
    } else {
        const Term output = parseTerm(node, text.substr(arrow + kArrow.size()));
        if (width > 0 && !output.hasEllipsis) fail(node, "has no '...' in its output");
        equation.output = output.with(output.hasEllipsis ? ellipsis : "");
    }
    checkOutput(node, equation);
    return equation;
}

std::string EinsumEquation::text() const {
    return joinedBy(",", operands) + std::string(kArrow) + output;
}

}  // namespace temper
