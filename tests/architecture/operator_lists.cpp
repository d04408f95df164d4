// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/operator_lists.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>
#include <string_view>

#include "engine/core/joined.h"

namespace temper::test {
namespace {

constexpr size_t kMinInStatement = 2;
constexpr size_t kMinInDefinition = 3;

bool isPartOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// "Gelu" of "com.microsoft.Gelu".
std::string withoutDomain(const std::string& name) {
    for (const std::string_view domain : {"com.microsoft.", "ai.onnx.preview.", "temper."}) {
        if (name.starts_with(domain)) return name.substr(domain.size());
    }
    return name;
}

/// A unit of a source text: a statement or a definition.
struct Part {
    size_t line = 0;  ///< of the first operator
    std::set<std::string> operators;
};

class Scanner {
public:
    Scanner(const std::string& text, const std::set<std::string>& operators)
        : text_(text), operators_(operators) {}

    std::vector<std::string> run() {
        while (at_ < text_.size()) step();
        endStatement();
        endDefinition();
        return std::move(lists_);
    }

private:
    bool follows(std::string_view word) const { return text_.compare(at_, word.size(), word) == 0; }

    void step() {
        if (follows("//")) return skipTo("\n");
        if (follows("/*")) return skipTo("*/");
        if (follows("R\"")) return skipRawLiteral();
        if (follows("\"")) return readLiteral();
        if (follows("'") && at_ + 2 < text_.size() && text_[at_ + 2] == '\'') {
            at_ += 3;
            return;
        }
        const char c = text_[at_];
        if (c == '(') callees_.push_back(wordBefore());
        if (c == ')' && !callees_.empty()) callees_.pop_back();
        const bool beginsBlock = c == '{' && before_.ends_with(')');
        if (c == ';' || beginsBlock) endStatement();
        if (c == '}' && (at_ == 0 || text_[at_ - 1] == '\n')) endDefinition();
        advance(1);
    }

    void advance(size_t count) {
        for (; count > 0 && at_ < text_.size(); --count, ++at_) {
            const char c = text_[at_];
            if (c == '\n') ++line_;
            if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
            before_.push_back(c);
            if (before_.size() > 2) before_.erase(0, 1);
        }
    }

    void skipTo(std::string_view end) {
        const size_t found = text_.find(end, at_);
        const std::string before = before_;
        advance((found == std::string::npos ? text_.size() : found + end.size()) - at_);
        before_ = before;
    }

    /// R"name(...)name".
    void skipRawLiteral() {
        const size_t name = at_ + 2;
        const size_t open = std::min(text_.find('(', name), text_.size());
        skipTo(")" + text_.substr(name, open - name) + "\"");
    }

    std::string wordBefore() const {
        size_t begin = at_;
        while (begin > 0 && isPartOfName(text_[begin - 1])) --begin;
        return text_.substr(begin, at_ - begin);
    }

    void readLiteral() {
        size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
        const std::string name = withoutDomain(text_.substr(at_ + 1, end - at_ - 1));
        const std::string before = before_;
        const size_t line = line_;
        advance(end + 1 - at_);
        if (operators_.contains(name)) note(name, line, before);
    }

    void note(const std::string& name, size_t line, const std::string& before) {
        const size_t next = text_.find_first_not_of(" \n", at_);
        const std::string after = next == std::string::npos ? "" : text_.substr(next, 2);
        const bool isElement = (before.ends_with('{') || before.ends_with(',')) &&
                               (after.starts_with(',') || after.starts_with('}'));
        const bool isAsked = !callees_.empty() && callees_.back().starts_with("is");
        const bool isCompared = before == "==" || before == "!=" || after == "==" || after == "!=";
        if (isElement || isCompared || isAsked) add(statement_, name, line);
        if (isCompared || (isAsked && !isElement)) add(definition_, name, line);
    }

    static void add(Part& part, const std::string& name, size_t line) {
        if (part.operators.empty()) part.line = line;
        part.operators.insert(name);
    }

    /// The operators of a list don't count in the definition around it.
    void endStatement() {
        if (isList(statement_, kMinInStatement)) {
            for (const std::string& name : statement_.operators) definition_.operators.erase(name);
        }
        end(statement_, kMinInStatement);
    }
    void endDefinition() {
        callees_.clear();
        end(definition_, kMinInDefinition);
    }

    static bool isList(const Part& part, size_t fewest) { return part.operators.size() >= fewest; }

    void end(Part& part, size_t fewest) {
        if (isList(part, fewest))
            lists_.push_back(std::to_string(part.line) + ": " + joinedBy(" ", part.operators));
        part = {};
    }

    const std::string& text_;
    const std::set<std::string>& operators_;
    size_t at_ = 0;
    size_t line_ = 1;
    std::string before_;  ///< the last two characters that are not spaces
    std::vector<std::string> callees_;
    Part statement_;
    Part definition_;
    std::vector<std::string> lists_;
};

}  // namespace

std::set<std::string> operatorsIn(const std::string& documentation) {
    std::set<std::string> operators;
    std::istringstream stream(documentation);
    for (std::string line; std::getline(stream, line);) {
        if (!line.starts_with("| ") || line.starts_with("| operator ")) continue;
        operators.insert(withoutDomain(line.substr(2, line.find(' ', 2) - 2)));
    }
    return operators;
}

std::set<std::string> operatorsInSchemas(const std::string& schemas) {
    static const std::regex kRow(R"re(\{"[^"]*", "(\w+)",)re");
    std::set<std::string> operators;
    for (std::sregex_iterator row(schemas.begin(), schemas.end(), kRow), end; row != end; ++row)
        operators.insert((*row)[1]);
    return operators;
}

std::vector<std::string> operatorListsIn(const std::string& text,
                                         const std::set<std::string>& operators) {
    return Scanner(text, operators).run();
}

}  // namespace temper::test
