// SPDX-License-Identifier: Apache-2.0
#include "engine/training/projects/lesson_curve.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <numeric>

#include "engine/core/error.h"
#include "engine/training/parameters/trainable_choice.h"
#include "engine/training/spec/run_settings.h"
#include "resources/embedded.h"

namespace temper {
namespace {

constexpr std::string_view kHeader = "step,loss\n";

double numberIn(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    TEMPER_ASSERT(error == std::errc() && end == text.data() + text.size(), "a number is there");
    return value;
}

/// Only with settings that affect the loss of a step.
RunSpec stepsOnly(RunSpec run) {
    for (const Setting<RunSpec>& setting : runSettings()) {
        if (setting.affects != SettingInfo::Affects::Steps) setDefault(setting, run);
    }
    return run;
}

bool givesSameSteps(const TrainingSpec& a, const TrainingSpec& b,
                    const std::vector<ParameterInfo>& parameters) {
    ArtifactSpec first = a.artifacts, second = b.artifacts;
    if (trainedParameters(parameters, first) != trainedParameters(parameters, second)) return false;
    for (ArtifactSpec* each : {&first, &second}) {
        each->trainable.clear();
        each->frozen.clear();
    }
    return a.headClasses == b.headClasses && a.hiddenUnits == b.hiddenUnits && first == second &&
           stepsOnly(a.run) == stepsOnly(b.run);
}

}  // namespace

LessonCurve thinnedCurve(std::span<const double> losses) {
    LessonCurve curve;
    const size_t together = (losses.size() + kLessonCurvePoints - 1) / kLessonCurvePoints;
    for (size_t first = 0; first < losses.size(); first += together) {
        const auto part = losses.subspan(first, std::min(together, losses.size() - first));
        const auto count = static_cast<double>(part.size());
        curve.push_back({static_cast<double>(first) + (count + 1) / 2,
                         std::accumulate(part.begin(), part.end(), 0.0) / count});
    }
    return curve;
}

std::string formatLessonCurve(const LessonCurve& curve) {
    std::string text(kHeader);
    for (const LessonCurvePoint& point : curve) {
        std::array<char, 64> line{};
        std::snprintf(line.data(), line.size(), "%g,%.6g\n", point.step, point.loss);
        text += line.data();
    }
    return text;
}

LessonCurve expectedCurve(const Lesson& lesson) {
    const auto bytes = embeddedFile("lessons/" + lesson.name + "/curve.csv");
    std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    TEMPER_ASSERT(rest.starts_with(kHeader), "a curve of a lesson has a header");
    rest.remove_prefix(kHeader.size());
    LessonCurve curve;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        const size_t comma = line.find(',');
        curve.push_back({numberIn(line.substr(0, comma)), numberIn(line.substr(comma + 1))});
        rest.remove_prefix(line.size() + 1);
    }
    return curve;
}

bool hasExpectedCurve(const Lesson& lesson, const TrainingSpec& spec,
                      const std::vector<ParameterInfo>& parameters) {
    return givesSameSteps(lesson.spec, spec, parameters) ||
           givesSameSteps(lesson.goalSpec(), spec, parameters);
}

}  // namespace temper
