// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace re2 {
class RE2;
}

namespace temper {

/// What is wrong with a regular expression, and where.
struct ExpressionFault {
    enum class Kind {
        Bracket,
        Parenthesis,
        Brace,
        Range,
        Repeat,
        Escape,
        CharacterClass,
        Length,
        Other
    };
    Kind kind = Kind::Other;
    /// Byte of the first character with which no expression can continue: what precedes it is
    /// valid. If something is not closed, its opening character.
    size_t position = 0;

    /// "an opening bracket is not closed", ...
    std::string_view reason() const;
};

/// A regular expression (RE2's syntax: Perl's without back-references) over names; case-sensitive,
/// at most 500 bytes. The time of a match grows only with the name's length.
class NameExpression {
public:
    /// Throws: Error(InvalidInput) naming the character and what is wrong there.
    explicit NameExpression(const std::string& text);

    /// Whether a part of the name matches; "^" and "$" are its ends.
    bool matches(const std::string& name) const;

    static std::optional<ExpressionFault> findFault(const std::string& text);

private:
    std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace temper
