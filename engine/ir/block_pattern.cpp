// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/block_pattern.h"

#include <cctype>
#include <charconv>

#include "engine/core/error.h"

namespace temper {
namespace {

class PatternParser {
public:
    explicit PatternParser(std::string_view text) : text_(text) {}

    BlockPattern run() {
        BlockPattern pattern = expression();
        TEMPER_ASSERT(peek() == '\0', "a pattern is one expression");
        return pattern;
    }

private:
    char peek() {
        while (position_ < text_.size() && text_[position_] == ' ') ++position_;
        return position_ < text_.size() ? text_[position_] : '\0';
    }

    bool take(char wanted) {
        if (peek() != wanted) return false;
        ++position_;
        return true;
    }

    BlockPattern expression() {
        using Kind = BlockPattern::Kind;
        if (take('#')) return {Kind::AnyNumber, {}, {}, 0, {}};
        if (take('@')) return {Kind::Weight, {}, {}, 0, {}};
        if (take('_')) return {};
        if (take('{')) return {Kind::OneOf, {}, {}, 0, list('|', '}')};
        const char c = peek();
        if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
        const std::string word = identifier();
        // Domains precede the operator.
        const char initial = word[word.rfind('.') + 1];
        if (std::isupper(static_cast<unsigned char>(initial)) != 0) return operation(word);
        if (!take('=')) return {Kind::Variable, word, {}, 0, {}};
        BlockPattern pattern = operation(identifier());
        pattern.binding = word;
        return pattern;
    }

    BlockPattern operation(const std::string& op) {
        TEMPER_ASSERT(take('('), "an operator of a pattern has inputs");
        return {BlockPattern::Kind::Op, op, {}, 0, list(',', ')')};
    }

    std::vector<BlockPattern> list(char separator, char end) {
        std::vector<BlockPattern> parts{expression()};
        while (take(separator)) parts.push_back(expression());
        TEMPER_ASSERT(take(end), "lists of a pattern are closed");
        return parts;
    }

    BlockPattern number() {
        double value = 0;
        const char* end = text_.data() + text_.size();
        const auto result = std::from_chars(text_.data() + position_, end, value);
        TEMPER_ASSERT(result.ec == std::errc(), "a number of a pattern can be read");
        position_ = static_cast<size_t>(result.ptr - text_.data());
        return {BlockPattern::Kind::Number, {}, {}, value, {}};
    }

    std::string identifier() {
        const char first = peek();
        TEMPER_ASSERT(std::isalpha(static_cast<unsigned char>(first)) != 0,
                      "a pattern is made of operators, variables and numbers");
        const size_t begin = position_;
        while (position_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[position_])) != 0 ||
                text_[position_] == '.')) {
            ++position_;
        }
        return std::string(text_.substr(begin, position_ - begin));
    }

    std::string_view text_;
    size_t position_ = 0;
};

}  // namespace

BlockPattern BlockPattern::parse(std::string_view text) { return PatternParser(text).run(); }

std::set<std::string> BlockPattern::roots() const {
    if (kind == Kind::Op) return {name};
    std::set<std::string> all;
    if (kind == Kind::OneOf) {
        for (const BlockPattern& part : parts) all.merge(part.roots());
    }
    return all;
}

}  // namespace temper
