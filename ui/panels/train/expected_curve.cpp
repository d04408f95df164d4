// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/expected_curve.h"

#include "engine/training/projects/lesson_curve.h"
#include "ui/document/studio_project.h"

namespace temper::ui {

Curve expectedCurveOf(const StudioProject& project) {
    Curve curve;
    const auto& lesson = project.lesson();
    if (!lesson || !project.model()) return curve;
    if (!hasExpectedCurve(*lesson, project.spec(), project.model()->parameters)) return curve;
    for (const LessonCurvePoint& point : expectedCurve(*lesson))
        curve.append(point.step, point.loss);
    return curve;
}

}  // namespace temper::ui
