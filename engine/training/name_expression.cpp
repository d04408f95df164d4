// SPDX-License-Identifier: Apache-2.0
#include "engine/training/name_expression.h"

#include "engine/core/error.h"

namespace temper {
namespace {

using FaultKind = ExpressionFault::Kind;

/// Beyond it the library's recursion over the text needs a large stack.
constexpr size_t kLongest = 500;

/// The matcher that never goes back; others take exponential time for some expressions.
constexpr auto kSyntax = std::regex::ECMAScript
#ifdef __GLIBCXX__
                         | std::regex_constants::__polynomial
#endif
    ;

FaultKind kindOf(std::regex_constants::error_type code) {
    if (code == std::regex_constants::error_brack) return FaultKind::Bracket;
    if (code == std::regex_constants::error_paren) return FaultKind::Parenthesis;
    if (code == std::regex_constants::error_brace) return FaultKind::Brace;
    if (code == std::regex_constants::error_badbrace) return FaultKind::Brace;
    if (code == std::regex_constants::error_range) return FaultKind::Range;
    if (code == std::regex_constants::error_badrepeat) return FaultKind::Repeat;
    if (code == std::regex_constants::error_escape) return FaultKind::Escape;
    if (code == std::regex_constants::error_ctype) return FaultKind::CharacterClass;
    if (code == std::regex_constants::error_collate) return FaultKind::CharacterClass;
    return FaultKind::Other;
}

/// The library takes whatever it can't go on with for a parenthesis.
FaultKind kindAt(char character, FaultKind kind) {
    if (kind != FaultKind::Parenthesis || character == '(' || character == ')') return kind;
    return std::string_view("*+?{").find(character) == std::string_view::npos ? FaultKind::Other
                                                                              : FaultKind::Repeat;
}

/// What is wrong with the first `length` bytes.
std::optional<FaultKind> faultOf(const std::string& text, size_t length) {
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
        case FaultKind::Bracket: return "a bracket is not closed";
        case FaultKind::Parenthesis: return "a parenthesis has no counterpart";
        case FaultKind::Brace: return "the braces hold no number of repetitions";
        case FaultKind::Range: return "the range ends before it begins";
        case FaultKind::Repeat: return "there is nothing to repeat";
        case FaultKind::Escape: return "the backslash has no meaning here";
        case FaultKind::CharacterClass: return "there is no such class of characters";
        case FaultKind::Length: return "the expression is too long";
        case FaultKind::Other: break;
    }
    return "this can't stand here";
}

NameExpression::NameExpression(const std::string& text) : expression_(compiled(text)) {}

bool NameExpression::matches(const std::string& name) const {
    return std::regex_search(name, expression_);
}

std::optional<ExpressionFault> NameExpression::findFault(const std::string& text) {
    if (text.size() > kLongest) return ExpressionFault{FaultKind::Length, kLongest};
    // The library takes a null character for one with a meaning, and reads beyond the end.
    const size_t null = text.find('\0');
    if (null != std::string::npos) return ExpressionFault{FaultKind::Other, null};
    const std::optional<FaultKind> kind = faultOf(text, text.size());
    if (!kind) return std::nullopt;
    size_t right = text.size() - 1;
    while (right > 0 && faultOf(text, right)) --right;
    return ExpressionFault{kindAt(text[right], *kind), right};
}

}  // namespace temper
