// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/lesson/lesson_progress.h"

#include <QSettings>
#include <QStringList>

namespace temper::ui {
namespace {

QString keyOf(const QString& lesson) { return QStringLiteral("lessons/") + lesson; }

}  // namespace

LessonProgress::LessonProgress(QSettings& settings, QObject* parent)
    : QObject(parent), settings_(settings) {}

std::set<int> LessonProgress::doneSteps(const QString& lesson) const {
    std::set<int> steps;
    for (const QString& step : settings_.value(keyOf(lesson)).toStringList())
        steps.insert(step.toInt());
    return steps;
}

bool LessonProgress::isDone(const QString& lesson, int step) const {
    return doneSteps(lesson).contains(step);
}

void LessonProgress::setDone(const QString& lesson, int step, bool done) {
    std::set<int> steps = doneSteps(lesson);
    done ? void(steps.insert(step)) : void(steps.erase(step));
    setDoneSteps(lesson, steps);
}

void LessonProgress::setDoneSteps(const QString& lesson, const std::set<int>& steps) {
    if (steps == doneSteps(lesson)) return;
    QStringList numbers;
    for (const int each : steps) numbers << QString::number(each);
    settings_.setValue(keyOf(lesson), numbers);
    emit changed(lesson);
}

int LessonProgress::doneCount(const QString& lesson, int steps) const {
    const std::set<int> done = doneSteps(lesson);
    return static_cast<int>(std::distance(done.begin(), done.lower_bound(steps)));
}

int LessonProgress::currentStep(const QString& lesson, int steps) const {
    const std::set<int> done = doneSteps(lesson);
    int step = 0;
    while (step < steps && done.contains(step)) ++step;
    return step;
}

}  // namespace temper::ui
