// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/node_search.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace temper {
namespace {

constexpr double kOperatorWeight = 1.2;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string lowered(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), lower);
    return text;
}

bool contains(const std::string& text, const std::string& pattern) {
    return std::search(text.begin(), text.end(), pattern.begin(), pattern.end(),
                       [](char a, char b) { return lower(a) == b; }) != text.end();
}

/// Words between blanks; quotes keep blanks together and are removed.
std::vector<std::string> wordsOf(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    bool quoted = false;
    for (const char c : text + ' ') {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ' ' && !quoted) {
            if (!word.empty()) words.push_back(word);
            word.clear();
        } else {
            word += c;
        }
    }
    if (!word.empty()) words.push_back(word);
    return words;
}

std::string fullAttribute(const std::string& name) {
    static const std::map<std::string, std::string> shorts{
        {"k", "kernel_shape"}, {"kernel", "kernel_shape"},
        {"s", "strides"},      {"stride", "strides"},
        {"p", "pads"},         {"pad", "pads"},
        {"d", "dilations"},    {"g", "group"}};
    const auto found = shorts.find(name);
    return found == shorts.end() ? name : found->second;
}

std::optional<double> numberOf(const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// The numbers of an attribute, if it consists of numbers.
std::vector<double> numbersOf(const Attribute& attribute) {
    std::vector<double> numbers;
    std::visit(
        [&numbers]<typename T>(const T& value) {
            if constexpr (std::is_arithmetic_v<T>) {
                numbers.push_back(static_cast<double>(value));
            } else if constexpr (std::is_same_v<T, std::vector<int64_t>> ||
                                 std::is_same_v<T, std::vector<float>>) {
                for (const auto element : value) numbers.push_back(static_cast<double>(element));
            }
        },
        attribute);
    return numbers;
}

std::vector<double> listOf(const std::string& text) {
    std::vector<double> numbers;
    std::string part;
    for (const char c : text + 'x') {
        if (c != 'x' && c != ',') {
            part += c;
            continue;
        }
        const auto number = numberOf(part);
        if (!number) return {};
        numbers.push_back(*number);
        part.clear();
    }
    return numbers;
}

bool isNear(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(b)); }

bool holds(const std::vector<double>& numbers, char relation, const std::string& text) {
    const std::vector<double> wanted = listOf(text);
    if (numbers.empty() || wanted.empty()) return false;
    if (relation == '>') return *std::max_element(numbers.begin(), numbers.end()) > wanted.front();
    if (relation == '<') return *std::min_element(numbers.begin(), numbers.end()) < wanted.front();
    if (wanted.size() == 1)
        return std::all_of(numbers.begin(), numbers.end(),
                           [&](double number) { return isNear(number, wanted.front()); });
    return std::equal(numbers.begin(), numbers.end(), wanted.begin(), wanted.end(), isNear);
}

double bestTensor(const Node& node, const std::string& pattern) {
    double best = 0;
    for (const auto* values : {&node.inputs(), &node.outputs()})
        for (const Value* value : *values)
            if (value != nullptr) best = std::max(best, fuzzyScore(pattern, value->name()));
    return best;
}

bool hasTensor(const Node& node, const std::string& pattern) {
    for (const auto* values : {&node.inputs(), &node.outputs()})
        for (const Value* value : *values)
            if (value != nullptr && contains(value->name(), pattern)) return true;
    return false;
}

}  // namespace

double fuzzyScore(const std::string& pattern, const std::string& text) {
    if (pattern.empty()) return 0;
    double score = 0;
    size_t next = 0, last = text.size();
    for (size_t i = 0; i < text.size() && next < pattern.size(); ++i) {
        if (lower(text[i]) != pattern[next]) continue;
        const bool follows = next > 0 && last + 1 == i;
        const bool begins = i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0;
        score += 1 + (follows ? 2 : 0) + (begins ? 1 : 0);
        last = i;
        ++next;
    }
    if (next < pattern.size()) return 0;
    // A contiguous match anywhere is better than scattered letters.
    if (contains(text, pattern)) score += 3 * static_cast<double>(pattern.size());
    return score / (1 + 0.01 * static_cast<double>(text.size()));
}

NodeQuery::NodeQuery(const std::string& text) {
    for (const std::string& word : wordsOf(text)) terms_.push_back(parse(word));
}

NodeQuery::Term NodeQuery::parse(const std::string& word) {
    static const std::map<std::string, Kind> kinds{
        {"op", Kind::Operator}, {"name", Kind::Name}, {"tensor", Kind::Tensor}};
    const size_t colon = word.find(':');
    if (colon != std::string::npos) {
        const auto kind = kinds.find(lowered(word.substr(0, colon)));
        if (kind != kinds.end()) return {kind->second, {}, '=', lowered(word.substr(colon + 1))};
    }
    const size_t relation = word.find_first_of("=<>");
    if (relation != std::string::npos && relation > 0)
        return {Kind::Number, fullAttribute(lowered(word.substr(0, relation))), word[relation],
                lowered(word.substr(relation + 1))};
    return {Kind::Fuzzy, {}, '=', lowered(word)};
}

double NodeQuery::score(const Node& node) const {
    double total = terms_.empty() ? 0 : 1;
    for (const Term& term : terms_) {
        const double score = scoreOf(term, node);
        if (score <= 0) return 0;
        total += score;
    }
    return total;
}

double NodeQuery::scoreOf(const Term& term, const Node& node) {
    switch (term.kind) {
        case Kind::Operator: {
            const std::string op = lowered(node.opType());
            return op == term.text ? 2 : op.starts_with(term.text) ? 1 : 0;
        }
        case Kind::Name: return contains(node.name(), term.text) ? 1 : 0;
        case Kind::Tensor: return hasTensor(node, term.text) ? 1 : 0;
        case Kind::Number: return hasAttribute(term, node) ? 1 : 0;
        case Kind::Fuzzy: break;
    }
    return std::max({kOperatorWeight * fuzzyScore(term.text, node.opType()),
                     fuzzyScore(term.text, node.name()), bestTensor(node, term.text)});
}

bool NodeQuery::hasAttribute(const Term& term, const Node& node) {
    for (const auto& [name, value] : node.attributes()) {
        if (lowered(name) != term.key) continue;
        if (const auto* text = std::get_if<std::string>(&value))
            return term.relation == '=' && contains(*text, term.text);
        return term.text.empty() || holds(numbersOf(value), term.relation, term.text);
    }
    return false;
}

std::vector<NodeHit> findNodes(const std::vector<Node*>& nodes, const NodeQuery& query) {
    std::vector<NodeHit> hits;
    for (size_t i = 0; i < nodes.size(); ++i)
        if (const double score = query.score(*nodes[i]); score > 0) hits.push_back({i, score});
    std::stable_sort(hits.begin(), hits.end(),
                     [](const NodeHit& a, const NodeHit& b) { return a.score > b.score; });
    return hits;
}

}  // namespace temper
