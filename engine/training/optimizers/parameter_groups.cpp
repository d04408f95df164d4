// SPDX-License-Identifier: Apache-2.0
#include "engine/training/optimizers/parameter_groups.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/training/optimizers/optimizers.h"
#include "engine/training/parameters/group_membership.h"
#include "engine/training/parameters/name_patterns.h"

namespace temper {
namespace {

bool hasDimensions(const Graph& model, const std::string& name) {
    const Value* value = model.find(name);
    return value != nullptr && value->type().shape && value->type().shape->size() > 1;
}

/// Biases that the exporter packed have several dimensions.
bool isBias(const std::vector<std::string>& names) {
    return !names.empty() && std::ranges::all_of(names, [](const std::string& name) {
        const size_t dot = name.rfind('.');
        return name.find("bias", dot == std::string::npos ? 0 : dot) != std::string::npos;
    });
}

bool isSensible(double number) { return std::isfinite(number) && number >= 0; }

/// Nothing if the group has a trainable parameter.
std::optional<Finding> findEmpty(const ParameterGroup& group, const std::vector<std::string>& names,
                                 const std::vector<std::string>& frozen,
                                 const ModuleNames& modules) {
    const NamePatterns patterns(group.pattern);
    const auto matches = [&](const std::string& name) {
        return patterns.matches(name, moduleNamesOf(modules, name));
    };
    if (std::ranges::any_of(names, matches)) return std::nullopt;
    if (std::ranges::any_of(frozen, matches)) {
        return Finding{"A001",
                       Severity::Info,
                       "",
                       "",
                       "All parameters of the group '" + group.pattern + "' are frozen.",
                       "The group applies to them once they are trained.",
                       {group.pattern}};
    }
    return Finding{"A001",
                   Severity::Error,
                   "",
                   "",
                   "'" + group.pattern + "' of the parameter groups matches no trained parameter.",
                   "Check the names of the trained parameters.",
                   {group.pattern}};
}

}  // namespace

bool GroupedParameters::isUniform(double weightDecay) const {
    const auto is = [](float wanted) { return [=](float value) { return value == wanted; }; };
    return std::ranges::all_of(learningRateFactors, is(1)) &&
           std::ranges::all_of(weightDecays, is(static_cast<float>(weightDecay))) &&
           std::ranges::all_of(startSteps, [](int64_t step) { return step == 0; });
}

GroupedParameters groupParameters(const Graph& model, const std::vector<std::string>& names,
                                  const ArtifactSpec& spec, const ModuleNames& modules) {
    const double common = spec.optimizer.value(optimizerChoices(), "weight_decay");
    const GroupMembership membership(spec.parameterGroups, modules);
    GroupedParameters result;
    for (const std::string& name : names) {
        const std::vector<std::string> inModule = moduleNamesOf(modules, name);
        const std::optional<size_t> index = membership.groupOf(name);
        const ParameterGroup* group = index ? &spec.parameterGroups[*index] : nullptr;
        const bool decays =
            spec.decayBiasesAndNorms || (hasDimensions(model, name) && !isBias(inModule));
        double decay = decays ? common : 0;
        if (group != nullptr) decay = group->weightDecay.value_or(decay);
        result.names.push_back(name);
        result.learningRateFactors.push_back(
            group == nullptr ? 1 : static_cast<float>(group->learningRateFactor));
        result.weightDecays.push_back(static_cast<float>(decay));
        result.startSteps.push_back(group == nullptr ? 0 : group->startStep);
    }
    return result;
}

std::vector<Finding> checkParameterGroups(const std::vector<std::string>& names,
                                          const std::vector<std::string>& frozen,
                                          const ArtifactSpec& spec, const ModuleNames& modules) {
    std::vector<Finding> findings;
    for (const ParameterGroup& group : spec.parameterGroups) {
        if (auto found = findEmpty(group, names, frozen, modules))
            findings.push_back(std::move(*found));
        if (isSensible(group.learningRateFactor) && isSensible(group.weightDecay.value_or(0)) &&
            group.startStep >= 0) {
            continue;
        }
        findings.push_back(
            {"A012",
             Severity::Error,
             "",
             "",
             "The parameter group '" + group.pattern +
                 "' has a learning-rate factor, weight decay or start step that is negative or not "
                 "a number.",
             "Give numbers of at least 0.",
             {group.pattern}});
    }
    return findings;
}

}  // namespace temper
