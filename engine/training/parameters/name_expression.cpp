// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parameters/name_expression.h"

#include <re2/re2.h>

#include "engine/core/error.h"

namespace temper {
namespace {

using FaultKind = ExpressionFault::Kind;

constexpr size_t kLongest = 500;  // bytes; longer texts are not expressions over names
constexpr int64_t kMemory = 1 << 20;

RE2::Options optionsOfNames() {
    RE2::Options options(RE2::Latin1);  // bytes, like the positions of faults
    options.set_log_errors(false);
    options.set_max_mem(kMemory);
    return options;
}

FaultKind kindOf(const RE2& expression) {
    switch (expression.error_code()) {
        case RE2::ErrorMissingBracket: return FaultKind::Bracket;
        case RE2::ErrorMissingParen:
        case RE2::ErrorUnexpectedParen: return FaultKind::Parenthesis;
        case RE2::ErrorRepeatSize: return FaultKind::Brace;
        case RE2::ErrorRepeatArgument:
        case RE2::ErrorRepeatOp: return FaultKind::Repeat;
        case RE2::ErrorBadEscape:
        case RE2::ErrorTrailingBackslash: return FaultKind::Escape;
        case RE2::ErrorBadCharClass: return FaultKind::CharacterClass;
        case RE2::ErrorPatternTooLarge: return FaultKind::Length;
        case RE2::ErrorBadCharRange:
            return expression.error_arg().starts_with("[:") ? FaultKind::CharacterClass
                                                            : FaultKind::Range;
        default: return FaultKind::Other;
    }
}

/// What is wrong with the first `length` bytes.
std::optional<FaultKind> faultOf(const std::string& text, size_t length) {
    const RE2 expression(re2::StringPiece(text.data(), length), optionsOfNames());
    return expression.ok() ? std::nullopt : std::optional(kindOf(expression));
}

std::shared_ptr<const RE2> compiled(const std::string& text) {
    const std::optional<ExpressionFault> fault = NameExpression::findFault(text);
    if (!fault) return std::make_shared<const RE2>(text, optionsOfNames());
    throw Error(ErrorCode::InvalidInput,
                "The regular expression '" + text + "' is wrong at character " +
                    std::to_string(fault->position + 1) + ": " + std::string(fault->reason()) + ".",
                "To match a special character itself, put a backslash before it, e.g. \\( or \\[.");
}

}  // namespace

std::string_view ExpressionFault::reason() const {
    switch (kind) {
        case FaultKind::Bracket: return "a bracket is not closed";
        case FaultKind::Parenthesis: return "a parenthesis has no counterpart";
        case FaultKind::Brace: return "the braces contain no repetition count";
        case FaultKind::Range: return "the range ends before it starts";
        case FaultKind::Repeat: return "nothing to repeat";
        case FaultKind::Escape: return "the backslash has no meaning here";
        case FaultKind::CharacterClass: return "unknown character class";
        case FaultKind::Length: return "the expression is too long";
        case FaultKind::Other: break;
    }
    return "not allowed here";
}

NameExpression::NameExpression(const std::string& text) : expression_(compiled(text)) {}

bool NameExpression::matches(const std::string& name) const {
    return RE2::PartialMatch(name, *expression_);
}

std::optional<ExpressionFault> NameExpression::findFault(const std::string& text) {
    if (text.size() > kLongest) return ExpressionFault{FaultKind::Length, kLongest};
    const RE2 expression(text, optionsOfNames());
    if (expression.ok()) return std::nullopt;
    const FaultKind kind = kindOf(expression);
    // Without its end it is valid, but taken literally.
    if (kind == FaultKind::Brace) return ExpressionFault{kind, text.find('{')};
    size_t right = text.size() - 1;
    while (right > 0 && faultOf(text, right)) --right;
    return ExpressionFault{kind, right};
}

}  // namespace temper
