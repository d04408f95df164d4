// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "app/cli/inspection.h"
#include "app/cli/tensor_json.h"
#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/core/printable.h"

namespace temper::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Json valuesToJson(const std::vector<FeedInput>& values) {
    Json list = Json::array();
    for (const FeedInput& value : values) list.push_back(toJson(value.name, value.type));
    return list;
}

Json parameterToJson(const InspectedParameter& parameter) {
    Json json = toJson(parameter.name, ValueType{parameter.dtype, parameter.shape, false});
    json["class"] = parameter.parameterClass;
    json["trainable"] = parameter.trainable;
    json["bytes"] = parameter.bytes;
    if (!parameter.reason.empty()) json["reason"] = parameter.reason;
    if (!parameter.moduleNames.empty()) json["module_names"] = parameter.moduleNames;
    return json;
}

Json groupToJson(const OptimizerGroupState& group) {
    Json parameters = Json::array();
    for (const ParameterState& state : group.parameters) {
        Json moments = Json::array();
        for (const NamedTensor& moment : state.moments) moments.push_back(moment.name);
        parameters.push_back({{"parameter", state.parameter}, {"moments", std::move(moments)}});
    }
    return {{"name", group.name},
            {"step", group.step},
            {"initial_learning_rate", static_cast<double>(group.initialLearningRate)},
            {"parameters", std::move(parameters)}};
}

void printValues(std::ostream& stream, const char* title, const std::vector<FeedInput>& values) {
    if (values.empty()) return;
    stream << title << ":\n";
    Rows rows;
    for (const FeedInput& value : values) {
        rows.push_back({"  " + value.name, formatType(value.type)});
    }
    printTable(stream, rows);
}

void printCounts(std::ostream& stream, const char* title,
                 const std::map<std::string, int64_t>& counts, const std::string& emptyName) {
    if (counts.empty()) return;
    const auto text = [&](const auto& each) {
        const auto& [name, count] = each;
        return (name.empty() ? emptyName : printableLine(name)) + " " + std::to_string(count);
    };
    stream << title << ": " << joined(counts, text) << '\n';
}

Json blocksToJson(const std::map<std::string, std::vector<InspectedBlock>>& blocks) {
    Json list = Json::array();
    for (const auto& [kind, ofKind] : blocks) {
        Json places = Json::array();
        for (const InspectedBlock& block : ofKind) {
            places.push_back({{"name", block.name}, {"nodes", block.nodes}});
        }
        list.push_back({{"kind", kind}, {"count", ofKind.size()}, {"blocks", std::move(places)}});
    }
    return list;
}

/// "blocks: GELU 2 (10 nodes), ...".
void printBlocks(std::ostream& stream, const Inspection& inspection) {
    if (inspection.blocks.empty()) return;
    const auto text = [](const auto& each) {
        const auto& [kind, blocks] = each;
        size_t nodes = 0;
        for (const InspectedBlock& block : blocks) nodes += block.nodes.size();
        return kind + " " + std::to_string(blocks.size()) + " (" + counted(nodes, "node") + ")";
    };
    stream << "blocks: " << joined(inspection.blocks, text) << '\n';
}

std::string propertyText(const PropertyValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return toJson(value).dump();
}

std::string classText(const InspectedParameter& parameter) {
    const bool isCutOff = parameter.parameterClass == "trainable" && !parameter.trainable;
    const bool isConstant = parameter.parameterClass == "constant" && !parameter.reason.empty();
    return parameter.parameterClass + (isCutOff ? ", cut off" : "") +
           (isConstant ? " (" + parameter.reason + ")" : "");
}

void printParameters(std::ostream& stream, const Inspection& inspection) {
    if (inspection.parameters.empty()) return;
    int64_t bytes = 0;
    size_t trainable = 0;
    Rows rows;
    for (const InspectedParameter& parameter : inspection.parameters) {
        bytes += parameter.bytes;
        trainable += parameter.trainable ? 1 : 0;
        rows.push_back({"  " + nameText(parameter.name, parameter.moduleNames),
                        std::string(dtypeName(parameter.dtype)) + formatShape(parameter.shape),
                        classText(parameter), formatBytes(static_cast<double>(parameter.bytes))});
    }
    stream << "parameters: " << inspection.parameters.size() << ", " << trainable << " trainable, "
           << formatBytes(static_cast<double>(bytes))
           << (inspection.isNominal ? ", nominal (names and types only)" : "") << '\n';
    printTable(stream, rows, {3});
}

void printState(std::ostream& stream, const Inspection& inspection) {
    for (const OptimizerGroupState& group : inspection.optimizerGroups) {
        stream << "optimizer state " << printableLine(group.name) << ": step " << group.step
               << ", initial learning rate "
               << formatNumber(static_cast<double>(group.initialLearningRate)) << ", "
               << counted(group.parameters.size(), "parameter") << '\n';
    }
    if (!inspection.properties.empty()) stream << "properties:\n";
    Rows rows;
    for (const auto& [name, value] : inspection.properties) {
        rows.push_back({"  " + name, propertyText(value)});
    }
    printTable(stream, rows);
}

}  // namespace

std::string nameText(const std::string& tensor, const std::vector<std::string>& moduleNames) {
    return moduleNames.empty() ? tensor : tensor + " (" + joined(moduleNames) + ")";
}

Json toJson(const PropertyValue& value) {
    if (const auto* number = std::get_if<int64_t>(&value)) return *number;
    if (const auto* real = std::get_if<float>(&value)) return static_cast<double>(*real);
    return std::get<std::string>(value);
}

Json toJson(const Inspection& inspection) {
    Json json{{"kind", inspection.kind},
              {"inputs", valuesToJson(inspection.inputs)},
              {"outputs", valuesToJson(inspection.outputs)},
              {"opsets", inspection.opsets},
              {"operators", inspection.operators},
              {"blocks", blocksToJson(inspection.blocks)}};
    json["parameters"] = Json::array();
    for (const auto& parameter : inspection.parameters) {
        json["parameters"].push_back(parameterToJson(parameter));
    }
    json["findings"] = toJson(inspection.findings);
    json["properties"] = Json::object();
    for (const auto& [name, value] : inspection.properties) {
        json["properties"][name] = toJson(value);
    }
    json["optimizer_groups"] = Json::array();
    for (const auto& group : inspection.optimizerGroups) {
        json["optimizer_groups"].push_back(groupToJson(group));
    }
    json["nominal"] = inspection.isNominal;
    return json;
}

void print(std::ostream& stream, const Inspection& inspection) {
    stream << "kind: " << inspection.kind << '\n';
    printValues(stream, "inputs", inspection.inputs);
    printValues(stream, "outputs", inspection.outputs);
    printCounts(stream, "opsets", inspection.opsets, "ai.onnx");
    printCounts(stream, "operators", inspection.operators, "");
    printBlocks(stream, inspection);
    printParameters(stream, inspection);
    printState(stream, inspection);
    if (!inspection.findings.empty()) stream << "findings:\n";
    printFindings(stream, inspection.findings);
}

}  // namespace temper::cli
