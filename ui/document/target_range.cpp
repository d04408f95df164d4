// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/target_range.h"

#include <QString>
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include "engine/training/loss/loss_function.h"

namespace temper::ui {
namespace {

constexpr int64_t kLookedAt = 4096;  ///< samples
constexpr size_t kNamedValues = 5;

std::optional<TargetRange> targetRangeOf(const Selection& loss) {
    const LossFunction* function = findLossFunction(loss.key);
    return function == nullptr || !function->targets ? std::nullopt : function->targets(loss);
}

std::set<double> valuesOutside(const TargetRange& range, const Dataset& data, size_t column) {
    std::vector<int64_t> samples(static_cast<size_t>(std::min(kLookedAt, data.size())));
    std::iota(samples.begin(), samples.end(), int64_t{0});
    const Tensor batch = data.batch(column, samples);
    std::set<double> values;
    visitDType(batch.dtype(), [&]<typename T>() {
        for (const T value : batch.values<T>())
            if (const auto number = static_cast<double>(value); !range.contains(number))
                values.insert(number);
    });
    return values;
}

std::string listOf(const std::set<double>& values) {
    std::string text;
    size_t count = 0;
    for (const double value : values) {
        if (count++ == kNamedValues) return text + ", ...";
        text += (text.empty() ? "" : ", ") + QString::number(value).toStdString();
    }
    return text;
}

}  // namespace

std::vector<Finding> findTargetsOutOfRange(const Selection& loss,
                                           const std::vector<std::string>& targets,
                                           const std::map<std::string, std::string>& binding,
                                           const Dataset& data) {
    const std::optional<TargetRange> range = targetRangeOf(loss);
    std::vector<Finding> findings;
    if (!range || data.size() == 0) return findings;
    for (const std::string& target : targets) {
        const auto bound = binding.find(target);
        const auto column = bound == binding.end() ? std::nullopt : data.findColumn(bound->second);
        if (!column) continue;
        const std::set<double> outside = valuesOutside(*range, data, *column);
        if (outside.empty()) continue;
        findings.push_back({"D123",
                            Severity::Error,
                            {},
                            {},
                            findLossFunction(loss.key)->choice.label + " takes " + range->words +
                                "; column '" + bound->second + "' has " + listOf(outside) + ".",
                            range->hint,
                            {}});
    }
    return findings;
}

}  // namespace temper::ui
