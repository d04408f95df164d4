// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "engine/training/projects/lesson_condition.h"
#include "ui/panels/panel.h"

namespace temper::ui {

enum class RunState;

/// Watches pages, docks, choices and the run for what completes the steps of the open lesson.
class LessonWatch : public QObject {
    Q_OBJECT
public:
    explicit LessonWatch(const PanelContext& context, QObject* parent = nullptr);

    /// Another lesson is open, or none: what holds already completes no step.
    void begin();
    /// The learner was led to the place of a step: there, what holds already completes it.
    void visit(int step);

signals:
    /// The condition of a step is met from now on.
    void completed(int step);

private:
    void look(const std::string& act = {});
    void followRun(RunState state);
    TrainingSpec choicesOfRun() const;
    /// Whether each condition is met, in the order of the steps.
    std::vector<bool> met() const;

    PanelContext context_;
    std::vector<LessonCondition> conditions_;  ///< of the steps
    LessonFacts facts_;
    std::vector<bool> held_;    ///< what was met at the last look
    bool isBeginning_ = false;  ///< pages and docks of the lesson are about to be shown
};

}  // namespace temper::ui
