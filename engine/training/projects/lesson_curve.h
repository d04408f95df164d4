// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/autodiff/trainability.h"
#include "engine/training/projects/lesson.h"

namespace temper {

/// The mean loss of consecutive steps.
struct LessonCurvePoint {
    double step = 0;  ///< the middle of these steps
    double loss = 0;

    bool operator==(const LessonCurvePoint&) const = default;
};
using LessonCurve = std::vector<LessonCurvePoint>;

/// The losses of steps 1, 2, ... as at most kLessonCurvePoints points, each the mean of equally
/// many.
inline constexpr size_t kLessonCurvePoints = 100;
LessonCurve thinnedCurve(std::span<const double> losses);

/// "step,loss" and a line for each point; the loss has six digits.
std::string formatLessonCurve(const LessonCurve& curve);

/// The result of a run with the lesson's goalSpec() when the lesson was made: curve.csv next to its
/// lesson.json, written by lesson_test with TEMPER_WRITE_LESSON_CURVES=1.
LessonCurve expectedCurve(const Lesson& lesson);

/// Whether these choices are the lesson's, shipped or mended, in all that determines the loss of a
/// step: patterns may differ if they choose the same parameters.
bool hasExpectedCurve(const Lesson& lesson, const TrainingSpec& spec,
                      const std::vector<ParameterInfo>& parameters);

}  // namespace temper
