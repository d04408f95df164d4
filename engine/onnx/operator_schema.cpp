// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/operator_schema.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "engine/core/error.h"

namespace temper {
namespace {

struct Row {
    std::string_view domain;
    std::string_view opType;
    std::string_view versions;    ///< ascending: "1 6 7"
    std::string_view inputs;      ///< "x y? z*1": required, optional, variadic of at least 1
    std::string_view outputs;     ///< the same
    std::string_view attributes;  ///< "axis:i to:i! ...": kind, whether it is required; others
};

constexpr Row kTable[] = {
#include "engine/onnx/operator_schemas.inc"
};

std::vector<std::string> wordsOf(std::string_view text) {
    std::istringstream stream{std::string(text)};
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(std::move(word));
    return words;
}

std::string kindOf(char letter) {
    static constexpr std::array<std::pair<char, const char*>, 9> kKinds = {{{'i', "int"},
                                                                            {'f', "float"},
                                                                            {'s', "string"},
                                                                            {'t', "tensor"},
                                                                            {'I', "ints"},
                                                                            {'F', "floats"},
                                                                            {'S', "strings"},
                                                                            {'g', "graph"},
                                                                            {'T', "type_proto"}}};
    for (const auto& [known, name] : kKinds) {
        if (known == letter) return name;
    }
    TEMPER_ASSERT(false, "the table has known kinds only");
    return {};
}

FormalParameter parameterOf(const std::string& word) {
    if (word.back() == '?')
        return {word.substr(0, word.size() - 1), FormalParameter::Kind::Optional};
    const size_t star = word.find('*');
    if (star == std::string::npos) return {word};
    return {word.substr(0, star), FormalParameter::Kind::Variadic,
            std::stoul(word.substr(star + 1))};
}

FormalAttribute attributeOf(const std::string& word) {
    const size_t colon = word.find(':');
    return {word.substr(0, colon), kindOf(word.at(colon + 1)), word.back() == '!'};
}

OperatorSchema parse(const Row& row) {
    OperatorSchema schema;
    for (const std::string& word : wordsOf(row.inputs)) schema.inputs.push_back(parameterOf(word));
    for (const std::string& word : wordsOf(row.outputs)) {
        schema.outputs.push_back(parameterOf(word));
    }
    for (const std::string& word : wordsOf(row.attributes)) {
        if (word == "...") {
            schema.isOpen = true;
        } else {
            schema.attributes.push_back(attributeOf(word));
        }
    }
    return schema;
}

}  // namespace

const FormalAttribute* OperatorSchema::attribute(std::string_view name) const {
    const auto found = std::ranges::find(attributes, name, &FormalAttribute::name);
    return found == attributes.end() ? nullptr : &*found;
}

std::optional<OperatorSchema> operatorSchemaOf(std::string_view domain, std::string_view opType,
                                               int64_t opset) {
    const Row* chosen = nullptr;
    int64_t version = 0;
    for (const Row& row : kTable) {
        if (row.opType != opType || row.domain != domain) continue;
        for (const std::string& word : wordsOf(row.versions)) {
            const int64_t since = std::stoll(word);
            if (chosen != nullptr && (since > opset || since <= version)) continue;
            chosen = &row;
            version = since;
        }
    }
    if (chosen == nullptr) return std::nullopt;
    OperatorSchema schema = parse(*chosen);
    schema.isOpen = schema.isOpen || version > opset || opset > kNewestOpset;
    return schema;
}

}  // namespace temper
