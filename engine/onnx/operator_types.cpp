// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/operator_types.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <span>

#include "engine/core/error.h"

namespace temper {
namespace {

struct Row {
    std::string_view opType;
    int64_t version;
    std::string_view inputs;   ///< "c02 80,80": one word for each, see parameterOf()
    std::string_view outputs;  ///< the same
};

constexpr Row kTable[] = {
#include "engine/onnx/operator_types.inc"
};

/// Bits of the element types that a parameter takes.
struct Parameter {
    uint32_t tensors = 0;
    uint32_t sequences = 0;
    uint32_t optionals = 0;

    bool takes(const ValueType& type) const {
        const uint32_t bits = type.isOptional ? optionals : type.isSequence ? sequences : tensors;
        return (bits >> static_cast<uint32_t>(type.dtype) & 1U) != 0;
    }
};

struct Version {
    int64_t since = 0;
    std::vector<Parameter> inputs;
    std::vector<Parameter> outputs;
};

using Table = std::map<std::string_view, std::vector<Version>>;

template <typename Use>
void forEachPart(std::string_view text, char separator, const Use& use) {
    while (!text.empty()) {
        const size_t end = std::min(text.find(separator), text.size());
        use(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// "c02,80": the bits of tensors and of sequences, in hexadecimal digits; bit n is DType n.
Parameter parameterOf(std::string_view text) {
    std::array<uint32_t, 3> kinds = {};
    size_t count = 0;
    forEachPart(text, ',', [&](std::string_view digits) {
        const auto read =
            std::from_chars(digits.data(), digits.data() + digits.size(), kinds.at(count++), 16);
        TEMPER_ASSERT(read.ec == std::errc(), "the table has hexadecimal numbers only");
    });
    return {kinds[0], kinds[1], kinds[2]};
}

std::vector<Parameter> parametersOf(std::string_view text) {
    std::vector<Parameter> parameters;
    forEachPart(text, ' ', [&](std::string_view each) { parameters.push_back(parameterOf(each)); });
    return parameters;
}

const Table& table() {
    static const Table kVersions = [] {
        Table versions;
        for (const Row& row : kTable) {
            versions[row.opType].push_back(
                {row.version, parametersOf(row.inputs), parametersOf(row.outputs)});
        }
        return versions;
    }();
    return kVersions;
}

/// The last parameter stands for all further values: it is variadic.
void addNotTaken(std::span<Value* const> values, std::span<const Parameter> parameters,
                 std::vector<const Value*>& found) {
    for (size_t i = 0; i < values.size() && !parameters.empty(); ++i) {
        const Parameter& parameter = parameters[std::min(i, parameters.size() - 1)];
        if (values[i] == nullptr || !values[i]->type().isKnown()) continue;
        if (!parameter.takes(values[i]->type())) found.push_back(values[i]);
    }
}

}  // namespace

bool hasOperator(std::string_view opType, int64_t opset) {
    const auto versions = table().find(opType);
    return versions == table().end() || versions->second.front().since <= opset;
}

std::vector<const Value*> valuesNotTaken(const Node& node, int64_t opset) {
    const auto versions = table().find(node.opType());
    if (versions == table().end()) return {};
    const Version* chosen = &versions->second.front();
    for (const Version& version : versions->second) {
        if (version.since <= opset) chosen = &version;
    }
    std::vector<const Value*> found;
    addNotTaken(node.inputs(), chosen->inputs, found);
    addNotTaken(node.outputs(), chosen->outputs, found);
    return found;
}

}  // namespace temper
