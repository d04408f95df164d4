// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>

#include "engine/core/counted.h"
#include "engine/data/data_health.h"

namespace temper {
namespace {

constexpr int64_t kUnevenRatio = 4;  ///< largest class to smallest

std::string copiesText(size_t count) {
    if (count == 1) return "One sample is a copy of another.";
    return counted(count, "sample") + " are copies of others.";
}

void checkRepeated(const OpenedData& data, const Cancelled& cancelled,
                   std::vector<Finding>& findings) {
    const Dataset& training = data.rawTraining ? *data.rawTraining : *data.training;
    const std::vector<uint64_t> all = fingerprints(training, cancelled);
    const std::unordered_set<uint64_t> seen(all.begin(), all.end());
    if (seen.size() < all.size()) {
        findings.push_back(dataFinding("D106", Severity::Warning,
                                       copiesText(all.size() - seen.size()),
                                       "They count twice in the loss; remove the copies."));
    }
    if (data.rawEvaluation == nullptr) return;
    const std::vector<uint64_t> others = fingerprints(*data.rawEvaluation, cancelled);
    const auto shared = std::count_if(others.begin(), others.end(),
                                      [&](uint64_t hash) { return seen.contains(hash); });
    if (shared == 0) return;
    findings.push_back(dataFinding(
        "D107", Severity::Warning,
        std::to_string(shared) + " of " + counted(others.size(), "evaluation sample") +
            (shared == 1 ? " is also a training sample." : " are also training samples."),
        "The evaluation makes the model look better than it is; remove them."));
}

void checkBalance(const Dataset& data, std::vector<Finding>& findings) {
    for (size_t i = 0; i < data.columns().size(); ++i) {
        const Column& column = data.columns()[i];
        if (!column.isTarget || column.classes.size() < 2 || !isInteger(column.dtype)) continue;
        const std::vector<int64_t> counts = countClasses(data, i, mostLookedAtWhole());
        const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
        if (*least == 0 || *most < kUnevenRatio * *least) continue;
        const auto name = [&](auto at) {
            return "'" + column.classes[static_cast<size_t>(at - counts.begin())] + "' (" +
                   std::to_string(*at) + ")";
        };
        findings.push_back(
            dataFinding("D108", Severity::Info,
                        "Class " + name(most) + " has many more samples than " + name(least) + ".",
                        "Class weights in the loss give all classes the same influence."));
    }
}

}  // namespace

std::vector<Finding> checkOpenedData(const OpenedData& data, const Cancelled& cancelled) {
    std::vector<Finding> findings = checkData(*data.training);
    if (data.training->size() == 0) return findings;
    checkBalance(*data.training, findings);
    checkRepeated(data, cancelled, findings);
    return findings;
}

std::optional<DataFix> fixFor(const Finding& finding, const DataSpec& spec) {
    static const std::map<std::string, DataFix> kFixes = {
        {"D101", {"invalid", "drop"}},       {"D104", {"invalid", "drop"}},
        {"D106", {"duplicates", "drop"}},    {"D107", {"duplicates", "drop"}},
        {"D109", {"normalize", "standard"}}, {"D114", {"invalid", "drop"}},
    };
    const auto found = kFixes.find(finding.code);
    if (found == kFixes.end() || spec.options.contains(found->second.option)) return std::nullopt;
    return found->second;
}

std::string withOption(const DataSpec& spec, const std::string& option, const std::string& value) {
    DataSpec changed = spec;
    if (value.empty()) {
        changed.options.erase(option);
    } else {
        changed.options[option] = value;
    }
    return formatDataSpec(changed);
}

std::vector<double> balancedClassWeights(const std::vector<int64_t>& counts) {
    const auto total =
        static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
    std::vector<double> weights;
    for (const int64_t count : counts) {
        weights.push_back(
            count > 0 ? total / (static_cast<double>(counts.size()) * static_cast<double>(count))
                      : 1);
    }
    return weights;
}

}  // namespace temper
