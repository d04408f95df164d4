// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace temper {

enum class TokenKind { Word, String, Integer, Real, Symbol, End };

/// A piece of text; `text` is a view into the source, for strings without the quotes.
struct Token {
    TokenKind kind = TokenKind::End;
    std::string_view text;
    size_t offset = 0;
};

/// The tokens of ONNX's textual format. Words may contain dots: "com.microsoft.Gelu", "fc1.weight".
class TokenStream {
public:
    /// `source` has to outlive the stream.
    /// Throws: Error(InvalidInput) for an unterminated string or a character that starts no token.
    explicit TokenStream(std::string_view source);

    const Token& peek(size_t ahead = 0) const;
    Token take();
    bool atEnd() const { return peek().kind == TokenKind::End; }

    bool isSymbol(std::string_view symbol, size_t ahead = 0) const;
    /// Takes the symbol if it is next.
    bool accept(std::string_view symbol);
    /// Throws: Error(InvalidInput) if it is not next.
    void expect(std::string_view symbol);

    /// Whether a word or a string is next.
    bool isName() const;
    /// Throws: Error(InvalidInput) if no name is next; `what` was expected.
    std::string expectName(const std::string& what);
    std::string expectString(const std::string& what);
    int64_t expectInteger(const std::string& what);

    /// Throws: Error(InvalidInput) "Line 3, column 5: found ')', expected <expected>.".
    [[noreturn]] void fail(const std::string& expected) const;
    /// The same with another message, for the token just taken.
    [[noreturn]] void failAt(const Token& token, const std::string& message) const;

private:
    void tokenize();
    size_t endOfWord(size_t begin) const;
    Token stringAt(size_t quote) const;
    Token numberAt(size_t begin) const;
    Token symbolAt(size_t begin) const;
    Token tokenAt(size_t begin) const;
    size_t skipBlanks(size_t position) const;

    std::string_view source_;
    std::vector<Token> tokens_;
    size_t next_ = 0;
};

/// The content of a string token: a backslash precedes a quote or a backslash.
std::string unescaped(const Token& string);

/// The inverse, with the quotes.
std::string quotedString(std::string_view content);

/// Letters, digits and underscores, not starting with a digit.
bool isIdentifier(std::string_view text);

}  // namespace temper
