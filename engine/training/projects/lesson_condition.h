// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/training/spec/training_spec.h"

namespace temper {

struct Lesson;

/// When a step of a lesson is done: all that is set has to hold at the same time.
struct LessonCondition {
    std::string place = {};    ///< id of a page or dock that is shown
    std::string act = {};      ///< what the learner has just done: "export", "draw", ...
    std::string run = {};      ///< a state of LessonFacts::run, or "ended": any of its three ends
    int64_t steps = 0;         ///< so many steps of the run, or more, are done
    bool reachesGoal = false;  ///< the run's last evaluation reaches the goal of the lesson
    /// JSON pointers into a specification: at least one of these choices is not the lesson's.
    std::vector<std::string> changed = {};
    /// The same: all of these choices are the lesson's.
    std::vector<std::string> kept = {};
};

/// What can be seen of a learner's work.
struct LessonFacts {
    std::set<std::string> places;  ///< ids of the pages and docks that are shown
    std::string act;               ///< what the learner has just done; or empty
    std::string run;    ///< "running", "paused", "finished", "stopped", "failed" or empty
    int64_t steps = 0;  ///< of the run
    std::map<std::string, double> metrics;  ///< of the run's last evaluation
    TrainingSpec runSpec;                   ///< the choices that the run began with
    TrainingSpec spec;                      ///< the choices now
};

/// Those of the steps of a bundled lesson, in their order.
std::vector<LessonCondition> stepConditions(const Lesson& lesson);

/// Whether the condition holds. Choices are those of the run if the condition is about a run, else
/// those of now.
bool isMet(const LessonCondition& condition, const Lesson& lesson, const LessonFacts& facts);

}  // namespace temper
