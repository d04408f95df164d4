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

/// The valid targets of a loss, in words and as a test.
struct TargetRange {
    std::string words;
    std::function<bool(double)> contains;
    std::string hint;
};

std::optional<TargetRange> targetRangeOf(const Selection& loss) {
    const auto isShare = [](double value) { return value >= 0 && value <= 1; };
    const auto isSign = [](double value) { return value == -1 || value == 1; };
    if (loss.key == "bce-with-logits" || loss.key == "binary-focal")
        return TargetRange{"values between 0 and 1", isShare,
                           "Use 0 for no and 1 for yes. For labels of several classes, choose "
                           "cross entropy; for numbers, a regression loss."};
    if (loss.key == "hinge" || loss.key == "cosine-embedding")
        return TargetRange{"-1 and 1", isSign, "Use -1 for no and 1 for yes."};
    if (loss.key == "kl-div" && loss.isOn(lossChoices(), "log_target"))
        return TargetRange{
            "log-probabilities, which are at most 0", [](double value) { return value <= 0; },
            "Take the logarithm of the targets, or turn off 'Target is logarithmic'."};
    if (loss.key == "kl-div")
        return TargetRange{"probabilities between 0 and 1", isShare,
                           "Divide the targets of each sample by their sum."};
    return std::nullopt;
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

std::string lossLabel(const Selection& loss) {
    for (const Choice& choice : lossChoices())
        if (choice.key == loss.key) return choice.label;
    return loss.key;
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
                            lossLabel(loss) + " takes " + range->words + "; column '" +
                                bound->second + "' has " + listOf(outside) + ".",
                            range->hint,
                            {}});
    }
    return findings;
}

}  // namespace temper::ui
