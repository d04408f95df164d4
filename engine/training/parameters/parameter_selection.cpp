// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parameters/parameter_selection.h"

#include <algorithm>
#include <functional>

#include "engine/core/joined.h"
#include "engine/core/name_pattern.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/control_folding.h"

namespace temper {
namespace {

bool isPattern(const std::string& text) { return text.find_first_of("*?") != std::string::npos; }

/// The classes that become inputs of the training graph.
bool isParameter(const ParameterInfo& info) {
    return info.parameterClass == ParameterClass::Trainable ||
           info.parameterClass == ParameterClass::BatchNormStatistic;
}

/// Given by its own name, not by a pattern.
bool isNamed(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

bool isCalled(const ParameterInfo& info, const std::string& name) {
    return info.name == name || isNamed(info.parameters, name);
}

/// A constant that the user requests: by its name or, if a node uses it as a weight, by a pattern.
bool isRequested(const ParameterInfo& info, const ArtifactSpec& spec) {
    if (!info.trainsOnRequest) return false;
    return info.isWeight ? matchesAny(spec.trainable, info) : isNamed(spec.trainable, info.name);
}

std::string firstNames(const std::vector<ParameterInfo>& parameters) {
    constexpr size_t kShown = 5;
    const auto nameOf = [](const ParameterInfo& info) {
        return info.parameters.size() == 1 ? info.parameters.front() : info.name;
    };
    std::vector<ParameterInfo> some = parameters;
    std::erase_if(some, std::not_fn(isParameter));
    return joined(some, nameOf, kShown);
}

void checkPatterns(const std::vector<ParameterInfo>& parameters,
                   const std::vector<std::string>& patterns, const std::string& list,
                   std::vector<Finding>& findings) {
    for (const std::string& pattern : patterns) {
        const bool matches =
            std::any_of(parameters.begin(), parameters.end(),
                        [&](const ParameterInfo& info) { return matchesAny({pattern}, info); });
        if (matches) continue;
        findings.push_back({"A001",
                            Severity::Error,
                            "",
                            "",
                            "'" + pattern + "' in the list of " + list +
                                " parameters matches no parameter of the model.",
                            "The model has: " + firstNames(parameters) + ".",
                            {pattern}});
    }
}

void checkLiterals(const std::vector<ParameterInfo>& parameters, const ArtifactSpec& spec,
                   std::vector<Finding>& findings) {
    for (const std::string& name : spec.trainable) {
        if (isNamed(spec.frozen, name)) {
            findings.push_back({"A002",
                                Severity::Error,
                                "",
                                "",
                                "'" + name + "' is in both lists, trainable and frozen.",
                                "Remove it from one of them.",
                                {name}});
        }
        if (isPattern(name)) continue;
        for (const ParameterInfo& info : parameters) {
            if (!isCalled(info, name) || canTrain(info)) continue;
            findings.push_back({"A003",
                                Severity::Error,
                                info.node,
                                info.op,
                                "'" + name + "' can't be trained: it is a " +
                                    std::string(parameterClassName(info.parameterClass)) + " (" +
                                    info.reason + ").",
                                "Remove it from the trainable parameters.",
                                {name}});
        }
    }
}

}  // namespace

bool canTrain(const ParameterInfo& info) {
    return info.parameterClass == ParameterClass::Trainable || info.trainsOnRequest;
}

bool matchesAny(const std::vector<std::string>& patterns, const ParameterInfo& info) {
    return matchesAny(patterns, info.name) ||
           std::ranges::any_of(info.parameters, [&patterns](const std::string& name) {
               return matchesAny(patterns, name);
           });
}

ParameterSelection selectParameters(const std::vector<ParameterInfo>& parameters,
                                    const ArtifactSpec& spec) {
    ParameterSelection selection;
    checkPatterns(parameters, spec.trainable, "trainable", selection.findings);
    checkPatterns(parameters, spec.frozen, "frozen", selection.findings);
    checkLiterals(parameters, spec, selection.findings);
    for (const ParameterInfo& info : parameters) {
        if (!isParameter(info) && !isRequested(info, spec)) continue;
        const bool trains = canTrain(info) &&
                            (spec.trainable.empty() || matchesAny(spec.trainable, info)) &&
                            !matchesAny(spec.frozen, info);
        (trains ? selection.trainable : selection.frozen).push_back(info.name);
    }
    return selection;
}

std::unique_ptr<Graph> foldedForTraining(const Graph& model, const OpSet& ops,
                                         const ArtifactSpec& spec) {
    if (!hasFoldableNodes(model)) return model.clone();
    const std::unique_ptr<Graph> typed = model.clone();
    inferTypes(*typed, ops.catalog);
    const ParameterSelection selection =
        selectParameters(classifyParameters(*typed, ops.catalog), spec);
    return withFoldedControlFlow(model, ops.catalog, ops.cpuKernels, selection.trainable);
}

}  // namespace temper
