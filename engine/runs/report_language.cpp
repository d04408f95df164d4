// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/report_language.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/core/error.h"
#include "engine/core/lower_case.h"

namespace temper {
namespace {

bool isReportText(std::string_view text) {
    return std::ranges::find(reportTexts(), text) != reportTexts().end();
}

}  // namespace

const std::vector<std::string_view>& reportTexts() {
    static const std::vector<std::string_view> kTexts = {
        // Headings and sentences.
        "Training run",
        "The run has not ended.",
        "Run finished after %1 steps, %2.",
        "Run stopped after %1 steps, %2.",
        "Run failed after %1 steps, %2.",
        "Best %1: %2 at step %3.",
        "Loss",
        "Metrics",
        "Learning rate",
        "Gradient norm",
        "Evaluations",
        "Confusion matrix",
        "Rows are the true classes, columns the predicted ones, after the last evaluation.",
        "Warnings",
        "step %1: %2",
        "Checkpoints",
        "%1, step %2",
        "Sizes",
        "%1 (%2 trainable)",
        "Settings",
        "Environment",
        "To reproduce it",
        "%1 h %2 min %3 s",
        // Curves and columns.
        "training",
        "training, smoothed",
        "evaluation",
        "step",
        "epoch",
        "learning rate",
        "gradient norm",
        // Labels of sizes and the environment, and of choices that have no setting.
        "training samples",
        "evaluation samples",
        "parameters",
        "steps per epoch",
        "planned memory",
        "continued after step",
        "device",
        "threads",
        "artifacts",
        "continued from",
        "loss",
        "model",
        "optimizer",
        // Why a checkpoint was kept.
        "best",
        "every",
        "kept",
        "last",
        "pause",
        "requested",
    };
    return kTexts;
}

std::string ReportWords::operator()(std::string_view english,
                                    const std::vector<std::string>& values) const {
    TEMPER_ASSERT(isReportText(english), "reports say what reportTexts() lists");
    const std::string text =
        language_.translate ? language_.translate(english) : std::string(english);
    std::string result;
    for (size_t at = 0; at < text.size(); ++at) {
        const size_t place = at + 1 < text.size() ? static_cast<size_t>(text[at + 1] - '1') : 0;
        if (text[at] == '%' && place < values.size()) {
            result += values[place];
            ++at;
        } else {
            result += text[at];
        }
    }
    return result;
}

std::string ReportWords::label(const std::string& english) const {
    if (isReportText(english)) return (*this)(english);
    if (!language_.translate) return english;
    const std::string large = withLargeFirst(english);
    const std::string text = language_.translate(large);
    return text == large ? english : text;
}

std::string ReportWords::localized(std::string number) const {
    std::ranges::replace(number, '.', language_.decimalPoint);
    return number;
}

std::string ReportWords::number(double value) const {
    if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : value > 0 ? "∞" : "−∞";
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return localized(text);
}

std::string ReportWords::duration(double seconds) const {
    char text[48];
    if (seconds < 60) {
        std::snprintf(text, sizeof text, "%.1f s", seconds);
        return localized(text);
    }
    const auto whole = static_cast<long>(seconds);
    const auto twoDigits = [&text](long number) {
        std::snprintf(text, sizeof text, "%02ld", number);
        return std::string(text);
    };
    return (*this)("%1 h %2 min %3 s", {std::to_string(whole / 3600), twoDigits(whole / 60 % 60),
                                        twoDigits(whole % 60)});
}

}  // namespace temper
