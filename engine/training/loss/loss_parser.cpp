// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include "engine/core/counted.h"
#include "engine/training/loss/loss_formula.h"

namespace temper {
namespace {

/// Nobody writes a loss with deeper nesting.
constexpr int kMaxDepth = 100;
constexpr size_t kMaxLength = 20000;
/// Bytes of a long loss that an error quotes before and from the mark.
constexpr size_t kQuotedBefore = 120;
constexpr size_t kQuotedAfter = 180;

bool isWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isWordPart(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}
bool isNumberStart(char c) { return std::isdigit(static_cast<unsigned char>(c)) || c == '.'; }

/// Whether the byte continues a character of UTF-8.
bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Counts characters, not bytes: continuation bytes take no column.
size_t columnsOf(std::string_view text) {
    return static_cast<size_t>(std::ranges::count_if(text, std::not_fn(isContinuation)));
}

/// The start of the character that contains the byte.
size_t characterAt(std::string_view text, size_t byte) {
    while (byte > 0 && byte < text.size() && isContinuation(text[byte])) --byte;
    return byte;
}

/// Counts the parser's recursion depth.
class DepthGuard {
public:
    explicit DepthGuard(int& depth) : depth_(depth) { ++depth_; }
    ~DepthGuard() { --depth_; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

private:
    int& depth_;
};

/// Recursive descent over the characters.
class LossParser {
public:
    explicit LossParser(const std::string& text) : text_(text) {}

    LossTerm run() {
        if (text_.size() > kMaxLength) {
            throw Error(ErrorCode::InvalidInput,
                        "The loss has " + counted(text_.size(), "character") +
                            "; expected at most " + std::to_string(kMaxLength) + ".");
        }
        skipSpace();
        if (atEnd()) fail("The loss is empty", "a loss such as mse(output, target)");
        LossTerm root = parseSum();
        if (!atEnd()) fail(found(), "an operator or the end of the loss");
        return root;
    }

private:
    using Kind = LossTerm::Kind;

    bool atEnd() const { return at_ >= text_.size(); }
    char peek() const { return atEnd() ? '\0' : text_[at_]; }

    void skipSpace() {
        while (!atEnd() && std::isspace(static_cast<unsigned char>(peek()))) ++at_;
    }

    /// Takes the character and the space after it, if it is next.
    bool take(char c) {
        if (atEnd() || peek() != c) return false;
        ++at_;
        last_ = at_;
        skipSpace();
        return true;
    }

    void expect(char c, const std::string& what) {
        if (!take(c)) fail(found(), what);
    }

    std::string found() const {
        if (atEnd()) return "The loss ends here";
        const size_t end = std::min(text_.size(), at_ + 4);
        size_t next = at_ + 1;  // all bytes of a multi-byte character are shown
        while (next < end && isContinuation(text_[next])) ++next;
        return "'" + text_.substr(at_, next - at_) + "' is not expected here";
    }

    [[noreturn]] void fail(const std::string& what, const std::string& expected) const {
        throw lossError(text_, {at_, at_ + 1}, what + "; expected " + expected + ".", "");
    }

    LossTerm operation(Kind kind, TextRange sign, LossTerm a, LossTerm b) const {
        LossTerm term;
        term.kind = kind;
        term.range = {a.range.begin, b.range.end};
        term.nameRange = sign;
        // A braced list would copy both, and in a long chain everything before.
        term.parts.reserve(2);
        term.parts.push_back(std::move(a));
        term.parts.push_back(std::move(b));
        return term;
    }

    LossTerm parseSum() {
        LossTerm left = parseProduct();
        for (;;) {
            const TextRange sign{at_, at_ + 1};
            if (take('+')) {
                left = operation(Kind::Add, sign, std::move(left), parseProduct());
            } else if (take('-')) {
                left = operation(Kind::Subtract, sign, std::move(left), parseProduct());
            } else {
                return left;
            }
        }
    }

    LossTerm parseProduct() {
        LossTerm left = parseFactor();
        for (;;) {
            const TextRange sign{at_, at_ + 1};
            if (take('*')) {
                left = operation(Kind::Multiply, sign, std::move(left), parseFactor());
            } else if (take('/')) {
                left = operation(Kind::Divide, sign, std::move(left), parseFactor());
            } else {
                return left;
            }
        }
    }

    LossTerm parseFactor() {
        const DepthGuard guard(depth_);
        if (depth_ > kMaxDepth) fail("The loss is nested too deeply", "fewer parentheses");
        const size_t begin = at_;
        if (take('+')) return parseFactor();
        if (take('-')) {
            LossTerm term;
            term.kind = Kind::Negate;
            term.nameRange = {begin, begin + 1};
            term.parts.push_back(parseFactor());
            term.range = {begin, last_};
            return term;
        }
        return parsePower();
    }

    /// Binds more tightly than a sign before it, and associates from right to left.
    LossTerm parsePower() {
        LossTerm base = parseAtom();
        const TextRange sign{at_, at_ + 1};
        if (!take('^')) return base;
        return operation(Kind::Power, sign, std::move(base), parseFactor());
    }

    LossTerm parseAtom() {
        const size_t begin = at_;
        if (take('(')) {
            LossTerm inner = parseSum();
            expect(')', "')'");
            inner.range = {begin, last_};
            return inner;
        }
        if (isNumberStart(peek())) return parseNumberTerm();
        return parseName();
    }

    double parseNumber() {
        double value = 0;
        const char* begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc() || !isNumberStart(*begin)) fail(found(), "a number");
        at_ += static_cast<size_t>(end - begin);
        last_ = at_;
        skipSpace();
        return value;
    }

    double parseSignedNumber() {
        const bool isNegative = take('-');
        if (atEnd()) fail(found(), "a number");
        const double value = parseNumber();
        return isNegative ? -value : value;
    }

    LossTerm parseNumberTerm() {
        LossTerm term;
        const size_t begin = at_;
        term.number = parseNumber();
        term.range = {begin, last_};
        return term;
    }

    std::string parseWord() {
        const size_t begin = at_;
        while (!atEnd() && isWordPart(peek())) ++at_;
        last_ = at_;
        skipSpace();
        return text_.substr(begin, last_ - begin);
    }

    std::string parseQuoted() {
        const char quote = peek();
        const size_t close = text_.find(quote, at_ + 1);
        if (close == std::string::npos) {
            fail("The quote is not closed", std::string("another ") + quote);
        }
        std::string name = text_.substr(at_ + 1, close - at_ - 1);
        at_ = last_ = close + 1;
        skipSpace();
        return name;
    }

    LossTerm parseName() {
        LossTerm term;
        const size_t begin = at_;
        term.kind = Kind::Name;
        term.isQuoted = peek() == '"' || peek() == '\'';
        if (!term.isQuoted && !isWordStart(peek())) {
            fail(found(), "a number, a loss, the name of a value or '('");
        }
        term.name = term.isQuoted ? parseQuoted() : parseWord();
        term.nameRange = {begin, last_};
        if (!term.isQuoted && take('(')) parseArguments(term);
        term.range = {begin, last_};
        return term;
    }

    void parseArguments(LossTerm& call) {
        call.kind = Kind::Call;
        if (take(')')) return;
        do {
            if (std::optional<LossOption> option = parseOption()) {
                call.options.push_back(std::move(*option));
            } else if (!call.options.empty()) {
                fail("An argument without a name follows one with a name", "'name=value'");
            } else {
                call.parts.push_back(parseSum());
            }
        } while (take(','));
        expect(')', "',' or ')'");
    }

    /// `word =`; takes nothing if something else comes next.
    std::optional<LossOption> parseOption() {
        const size_t begin = at_;
        if (!isWordStart(peek())) return std::nullopt;
        LossOption option;
        option.key = parseWord();
        option.keyRange = {begin, last_};
        if (!take('=')) {
            at_ = begin;
            return std::nullopt;
        }
        const size_t valueBegin = at_;
        parseValue(option);
        option.valueRange = {valueBegin, last_};
        return option;
    }

    void parseValue(LossOption& option) {
        if (peek() == '"' || peek() == '\'') {
            option.value = parseQuoted();
        } else if (isWordStart(peek())) {
            option.value = parseWord();
        } else if (take('[')) {
            std::vector<double> numbers;
            do numbers.push_back(parseSignedNumber());
            while (take(','));
            expect(']', "',' or ']'");
            option.value = std::move(numbers);
        } else if (isNumberStart(peek()) || peek() == '-') {
            option.value = parseSignedNumber();
        } else {
            fail(found(), "a number, a word or a list such as [1, 2]");
        }
    }

    const std::string& text_;
    size_t at_ = 0;
    size_t last_ = 0;  ///< end of the last token, without the space after it
    int depth_ = 0;
};

}  // namespace

LossFormula parseLoss(const std::string& text) { return {text, LossParser(text).run()}; }

Error lossError(const std::string& text, TextRange range, const std::string& message,
                const std::string& hint) {
    std::string line = text;
    for (char& c : line) {
        if (c == '\n' || c == '\t' || c == '\r') c = ' ';
    }
    const size_t begin = std::min(range.begin, line.size());
    const size_t end = std::clamp(range.end, begin, line.size());
    const size_t from = begin > kQuotedBefore ? characterAt(line, begin - kQuotedBefore) : 0;
    const size_t to = characterAt(line, std::min(line.size(), begin + kQuotedAfter));
    const std::string head = from > 0 ? "…" : "";
    const std::string tail = to < line.size() ? "…" : "";

    const std::string_view view = line;
    const std::string before = head + std::string(view.substr(from, begin - from));
    const size_t width =
        std::max<size_t>(1, columnsOf(view.substr(begin, std::min(end, to) - begin)));
    const std::string mark =
        std::string(columnsOf(before), ' ') + '^' + std::string(width - 1, '~');
    return {ErrorCode::InvalidInput,
            message + "\n    " + before + std::string(view.substr(begin, to - begin)) + tail +
                "\n    " + mark,
            hint};
}

}  // namespace temper
