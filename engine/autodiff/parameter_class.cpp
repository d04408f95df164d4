// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/autodiff/reachability.h"
#include "engine/autodiff/trainability.h"
#include "engine/ir/captures.h"
#include "engine/provenance/reader_meaning.h"
#include "engine/provenance/reasons.h"
#include "engine/provenance/verdict.h"
#include "engine/provenance/weight_slots.h"

namespace temper {
namespace {

bool holdsStatistics(const Value& value, const OpCatalog& catalog) {
    return std::ranges::any_of(value.uses(), [&catalog](const Value::Use& use) {
        return isRunningStatistic(use, catalog);
    });
}

bool hasDifferentiableUse(const Value& value, const OpCatalog& catalog) {
    return std::any_of(value.uses().begin(), value.uses().end(), [&](const Value::Use& use) {
        return isDifferentiableEdge(catalog, *use.node, use.input);
    });
}

std::string whyNoGradient(const Value& value) {
    if (!value.uses().empty()) {
        const Value::Use& use = value.uses().front();
        return "input " + std::to_string(use.input) + " of " + use.node->describe() +
               " takes no gradient";
    }
    return reasons::kUnread;
}

/// A floating-point tensor that gradients can reach: the verdict on its origin decides.
void applyVerdict(Verdict verdict, const Value& value, ParameterInfo& info) {
    if (verdict.role != TensorRole::Parameter) {
        info.reason = std::move(verdict.reason);
        info.trainsOnRequest = true;
        return;
    }
    info.parameterClass = ParameterClass::Trainable;
    if (verdict.parameters != std::vector{value.name()}) {
        info.parameters = std::move(verdict.parameters);
    }
    info.reason = !verdict.reason.empty() ? std::move(verdict.reason)
                  : value.isLiteral()     ? reasons::kTensorLiteral
                                          : reasons::kNamed;
}

ParameterInfo classify(const Graph& graph, const Value& value, const OpCatalog& catalog,
                       const CapturingNodes& capturing, const Evidence& evidence) {
    const Tensor& data = value.constant();
    ParameterInfo info{value.name(), data.dtype(), data.shape(), ParameterClass::Constant, {}};
    const auto capture = capturing.find(&value);
    const Node* reader = !value.uses().empty()        ? value.uses().front().node
                         : capture != capturing.end() ? capture->second
                                                      : nullptr;
    if (reader != nullptr) {
        info.node = reader->name();
        info.op = reader->qualifiedOp();
    }
    if (!isFloating(data.dtype())) {
        info.parameterClass = ParameterClass::ShapeData;
        info.reason = reasons::kNotFloating;
    } else if (holdsStatistics(value, catalog)) {
        info.parameterClass = ParameterClass::BatchNormStatistic;
        info.reason = reasons::kStatistic;
    } else if (!hasDifferentiableUse(value, catalog) && capture == capturing.end()) {
        info.reason = whyNoGradient(value);
    } else if (value.isLiteral() && data.numElements() <= 1) {
        info.reason = reasons::kLiteral;
        info.trainsOnRequest = true;
    } else {
        applyVerdict(judge(graph, value, evidence, catalog), value, info);
    }
    return info;
}

/// Exporters write factors and bounds as Constant nodes, but weights only on request. In a model
/// with named weights, a Constant is not a weight unless the user says so.
void keepLiteralsConstant(const Graph& graph, const OpCatalog& catalog,
                          std::vector<ParameterInfo>& infos) {
    for (ParameterInfo& info : infos) {
        const bool isLiteral = graph.at(info.name)->isLiteral();
        if (!isLiteral || info.parameterClass != ParameterClass::Trainable) continue;
        info.parameterClass = ParameterClass::Constant;
        info.trainsOnRequest = true;
        info.isWeight = weightReader(*graph.find(info.name), catalog) != nullptr;
        info.reason = reasons::kBesideNames;
    }
}

/// In a model without parameters, numbers that only lack a name may be meant as parameters.
void takeNumbersForParameters(std::vector<ParameterInfo>& infos) {
    const auto trains = [](const ParameterInfo& info) {
        return info.parameterClass == ParameterClass::Trainable;
    };
    if (std::ranges::any_of(infos, trains)) return;
    for (ParameterInfo& info : infos) {
        if (info.reason != reasons::kNumberWithoutName) continue;
        info.parameterClass = ParameterClass::Trainable;
        info.trainsOnRequest = false;
        info.reason = reasons::kNamed;
    }
}

}  // namespace

std::string_view parameterClassName(ParameterClass parameterClass) {
    switch (parameterClass) {
        case ParameterClass::Trainable: return "trainable";
        case ParameterClass::BatchNormStatistic: return "batch-norm statistic";
        case ParameterClass::Constant: return "constant";
        case ParameterClass::ShapeData: return "shape data";
    }
    return "constant";
}

ModuleNames moduleNamesOf(const std::vector<ParameterInfo>& parameters) {
    ModuleNames names;
    for (const ParameterInfo& parameter : parameters)
        if (!parameter.parameters.empty()) names[parameter.name] = parameter.parameters;
    return names;
}

std::vector<ParameterInfo> classifyParameters(const Graph& graph, const OpCatalog& catalog) {
    std::vector<ParameterInfo> result;
    const CapturingNodes capturing = capturingNodes(graph);
    const Evidence evidence(graph);
    bool hasNamedParameters = false;
    for (const Value* value : graph.initializers()) {
        result.push_back(classify(graph, *value, catalog, capturing, evidence));
        hasNamedParameters |=
            !value->isLiteral() && result.back().parameterClass == ParameterClass::Trainable;
    }
    if (hasNamedParameters) keepLiteralsConstant(graph, catalog, result);
    takeNumbersForParameters(result);
    return result;
}

}  // namespace temper
