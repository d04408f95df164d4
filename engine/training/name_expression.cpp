// SPDX-License-Identifier: Apache-2.0
#include "engine/training/name_expression.h"

#include "engine/core/error.h"

namespace temper {
namespace {

using Kind = ExpressionFault::Kind;

/// The matcher that never goes back; others take exponential time for some expressions.
constexpr auto kSyntax = std::regex::ECMAScript
#ifdef __GLIBCXX__
                         | std::regex_constants::__polynomial
#endif
    ;

Kind kindOf(std::regex_constants::error_type code) {
    if (code == std::regex_constants::error_brack) return Kind::Bracket;
    if (code == std::regex_constants::error_paren) return Kind::Parenthesis;
    if (code == std::regex_constants::error_brace) return Kind::Brace;
    if (code == std::regex_constants::error_badbrace) return Kind::Brace;
    if (code == std::regex_constants::error_range) return Kind::Range;
    if (code == std::regex_constants::error_badrepeat) return Kind::Repeat;
    if (code == std::regex_constants::error_escape) return Kind::Escape;
    if (code == std::regex_constants::error_ctype) return Kind::CharacterClass;
    if (code == std::regex_constants::error_collate) return Kind::CharacterClass;
    return Kind::Other;
}

/// The library takes whatever it can't go on with for a parenthesis.
Kind kindAt(char character, Kind kind) {
    if (kind != Kind::Parenthesis || character == '(' || character == ')') return kind;
    return std::string_view("*+?{").find(character) == std::string_view::npos ? Kind::Other
                                                                              : Kind::Repeat;
}

/// What is wrong with the first `length` bytes.
std::optional<Kind> faultOf(const std::string& text, size_t length) {
    try {
        const std::regex ignored(text.data(), length, kSyntax);
        return std::nullopt;
    } catch (const std::regex_error& error) {
        return kindOf(error.code());
    }
}

std::regex compiled(const std::string& text) {
    const std::optional<ExpressionFault> fault = NameExpression::findFault(text);
    if (!fault) return std::regex(text, kSyntax);
    throw Error(ErrorCode::InvalidInput,
                "The regular expression '" + text + "' is wrong at character " +
                    std::to_string(fault->position + 1) + ": " + std::string(fault->reason()) + ".",
                "Put a backslash before a character that stands for itself, e.g. \\( or \\[.");
}

}  // namespace

std::string_view ExpressionFault::reason() const {
    switch (kind) {
        case Kind::Bracket: return "a bracket is not closed";
        case Kind::Parenthesis: return "a parenthesis has no counterpart";
        case Kind::Brace: return "the braces hold no number of repetitions";
        case Kind::Range: return "the range ends before it begins";
        case Kind::Repeat: return "there is nothing to repeat";
        case Kind::Escape: return "the backslash has no meaning here";
        case Kind::CharacterClass: return "there is no such class of characters";
        case Kind::Other: break;
    }
    return "this can't stand here";
}

NameExpression::NameExpression(const std::string& text) : expression_(compiled(text)) {}

bool NameExpression::matches(const std::string& name) const {
    return std::regex_search(name, expression_);
}

std::optional<ExpressionFault> NameExpression::findFault(const std::string& text) {
    const std::optional<Kind> kind = faultOf(text, text.size());
    if (!kind) return std::nullopt;
    size_t right = text.size() - 1;
    while (right > 0 && faultOf(text, right)) --right;
    return ExpressionFault{kindAt(text[right], *kind), right};
}

}  // namespace temper
