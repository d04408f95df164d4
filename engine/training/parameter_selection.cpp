// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parameter_selection.h"

#include <algorithm>

namespace temper {
namespace {

bool isPattern(const std::string& text) { return text.find_first_of("*?") != std::string::npos; }

bool matchesAny(const std::vector<std::string>& patterns, const std::string& name) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return matchesPattern(pattern, name); });
}

/// The classes that become inputs of the training graph.
bool isParameter(const ParameterInfo& info) {
    return info.parameterClass == ParameterClass::Trainable ||
           info.parameterClass == ParameterClass::BatchNormStatistic;
}

/// Given by its own name, not by a pattern.
bool isNamed(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

/// A constant that the user asks for: by its name or, if a node uses it as a weight, by a pattern.
bool isRequested(const ParameterInfo& info, const ArtifactSpec& spec) {
    if (!info.trainsOnRequest) return false;
    return info.isWeight ? matchesAny(spec.trainable, info.name)
                         : isNamed(spec.trainable, info.name);
}

std::string firstNames(const std::vector<ParameterInfo>& parameters) {
    constexpr size_t kShown = 5;
    std::string text;
    size_t shown = 0;
    for (const ParameterInfo& info : parameters) {
        if (!isParameter(info)) continue;
        if (shown++ == kShown) return text + ", ...";
        text += (text.empty() ? "" : ", ") + info.name;
    }
    return text;
}

void checkPatterns(const std::vector<ParameterInfo>& parameters,
                   const std::vector<std::string>& patterns, const std::string& list,
                   std::vector<Finding>& findings) {
    for (const std::string& pattern : patterns) {
        const bool matches = std::any_of(
            parameters.begin(), parameters.end(),
            [&](const ParameterInfo& info) { return matchesPattern(pattern, info.name); });
        if (matches) continue;
        findings.push_back(
            {"A001",
             Severity::Error,
             "",
             "",
             "'" + pattern + "' in the list of " + list + " parameters matches none of the model.",
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
                                "Keep it in one of them.",
                                {name}});
        }
        if (isPattern(name)) continue;
        for (const ParameterInfo& info : parameters) {
            if (info.name != name || canTrain(info)) continue;
            findings.push_back({"A003",
                                Severity::Error,
                                info.node,
                                info.op,
                                "'" + name + "' can't be trained: it is a " +
                                    std::string(parameterClassName(info.parameterClass)) + " (" +
                                    info.reason + ").",
                                "Leave it out of the trainable parameters.",
                                {name}});
        }
    }
}

}  // namespace

bool canTrain(const ParameterInfo& info) {
    return info.parameterClass == ParameterClass::Trainable || info.trainsOnRequest;
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
                            (spec.trainable.empty() || matchesAny(spec.trainable, info.name)) &&
                            !matchesAny(spec.frozen, info.name);
        (trains ? selection.trainable : selection.frozen).push_back(info.name);
    }
    return selection;
}

}  // namespace temper
