// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/token_stream.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/core/error.h"

namespace temper {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isWordPart(char c) { return isWordStart(c) || isDigit(c); }
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

TokenStream::TokenStream(std::string_view source) : source_(source) { tokenize(); }

void TokenStream::tokenize() {
    for (size_t position = skipBlanks(0); position < source_.size();) {
        tokens_.push_back(tokenAt(position));
        const Token& token = tokens_.back();
        const size_t quotes = token.kind == TokenKind::String ? 2 : 0;
        position = skipBlanks(position + token.text.size() + quotes);
    }
    tokens_.push_back({TokenKind::End, {}, source_.size()});
}

size_t TokenStream::skipBlanks(size_t position) const {
    while (position < source_.size()) {
        if (source_[position] == '#') {
            position = std::min(source_.find('\n', position), source_.size());
        } else if (isBlank(source_[position])) {
            ++position;
        } else {
            break;
        }
    }
    return position;
}

Token TokenStream::tokenAt(size_t begin) const {
    const char c = source_[begin];
    const char following = begin + 1 < source_.size() ? source_[begin + 1] : '\0';
    if (c == '"') return stringAt(begin);
    if (isWordStart(c)) {
        return {TokenKind::Word, source_.substr(begin, endOfWord(begin) - begin), begin};
    }
    if (isDigit(c) || (c == '.' && isDigit(following))) return numberAt(begin);
    if ((c == '-' || c == '+') && (isWordPart(following) || following == '.')) {
        return numberAt(begin);
    }
    return symbolAt(begin);
}

size_t TokenStream::endOfWord(size_t begin) const {
    size_t end = begin;
    const auto isPart = [this](size_t i) { return i < source_.size() && isWordPart(source_[i]); };
    while (isPart(end) || (end < source_.size() && source_[end] == '.' && isPart(end + 1))) ++end;
    return end;
}

Token TokenStream::stringAt(size_t quote) const {
    for (size_t i = quote + 1; i < source_.size(); ++i) {
        if (source_[i] == '\\') {
            ++i;
        } else if (source_[i] == '"') {
            return {TokenKind::String, source_.substr(quote + 1, i - quote - 1), quote};
        }
    }
    failAt({TokenKind::Symbol, {}, quote}, "the string that starts here is not terminated");
}

/// Also "-inf" and "-nan"; whether the text is a number is decided when it is parsed.
Token TokenStream::numberAt(size_t begin) const {
    size_t end = begin + 1;
    bool isReal = source_[begin] == '.';
    const auto afterExponent = [&](size_t i) {
        return (source_[i] == '-' || source_[i] == '+') &&
               (source_[i - 1] == 'e' || source_[i - 1] == 'E');
    };
    while (end < source_.size() &&
           (isWordPart(source_[end]) || source_[end] == '.' || afterExponent(end))) {
        isReal = isReal || !isDigit(source_[end]);
        ++end;
    }
    return {isReal ? TokenKind::Real : TokenKind::Integer, source_.substr(begin, end - begin),
            begin};
}

Token TokenStream::symbolAt(size_t begin) const {
    static constexpr std::string_view kSingle = "()[]{}<>,=:?@";
    for (const std::string_view symbol : {std::string_view("=>"), std::string_view("...")}) {
        if (source_.substr(begin).starts_with(symbol)) {
            return {TokenKind::Symbol, source_.substr(begin, symbol.size()), begin};
        }
    }
    const Token token{TokenKind::Symbol, source_.substr(begin, 1), begin};
    if (kSingle.find(source_[begin]) == std::string_view::npos) {
        failAt(token, "'" + std::string(token.text) + "' starts neither a name nor a number");
    }
    return token;
}

const Token& TokenStream::peek(size_t ahead) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

Token TokenStream::take() {
    const Token token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return token;
}

bool TokenStream::isSymbol(std::string_view symbol, size_t ahead) const {
    return peek(ahead).kind == TokenKind::Symbol && peek(ahead).text == symbol;
}

bool TokenStream::accept(std::string_view symbol) {
    if (!isSymbol(symbol)) return false;
    take();
    return true;
}

void TokenStream::expect(std::string_view symbol) {
    if (!accept(symbol)) fail("'" + std::string(symbol) + "'");
}

bool TokenStream::isName() const {
    return peek().kind == TokenKind::Word || peek().kind == TokenKind::String;
}

std::string TokenStream::expectName(const std::string& what) {
    if (peek().kind == TokenKind::String) return unescaped(take());
    if (peek().kind != TokenKind::Word) fail(what);
    return std::string(take().text);
}

std::string TokenStream::expectString(const std::string& what) {
    if (peek().kind != TokenKind::String) fail(what);
    return unescaped(take());
}

int64_t TokenStream::expectInteger(const std::string& what) {
    if (peek().kind != TokenKind::Integer) fail(what);
    const Token token = take();
    const std::string_view digits = token.text.substr(token.text.starts_with('+') ? 1 : 0);
    int64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    if (error != std::errc() || stop != end) {
        failAt(token, std::string(token.text) + " is not a 64-bit integer");
    }
    return number;
}

void TokenStream::fail(const std::string& expected) const {
    const std::string found =
        atEnd() ? "the end of the text" : "'" + std::string(peek().text) + "'";
    failAt(peek(), "found " + found + ", expected " + expected);
}

void TokenStream::failAt(const Token& token, const std::string& message) const {
    const std::string_view before = source_.substr(0, token.offset);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const size_t lastBreak = before.rfind('\n');
    const size_t column =
        lastBreak == std::string_view::npos ? token.offset + 1 : token.offset - lastBreak;
    throw Error(ErrorCode::InvalidInput, "Line " + std::to_string(line) + ", column " +
                                             std::to_string(column) + ": " + message + ".");
}

std::string unescaped(const Token& string) {
    std::string content;
    for (size_t i = 0; i < string.text.size(); ++i) {
        if (string.text[i] == '\\' && i + 1 < string.text.size()) ++i;
        content += string.text[i];
    }
    return content;
}

std::string quotedString(std::string_view content) {
    std::string quoted = "\"";
    for (const char c : content) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

bool isIdentifier(std::string_view text) {
    return !text.empty() && isWordStart(text.front()) &&
           std::all_of(text.begin(), text.end(), isWordPart);
}

}  // namespace temper
