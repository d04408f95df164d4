// SPDX-License-Identifier: Apache-2.0
#include "engine/training/projects/lesson_condition.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/training/projects/lesson.h"
#include "resources/embedded.h"

namespace temper {
namespace {

bool isInState(const std::string& wanted, const std::string& run) {
    if (wanted == "ended") return run == "finished" || run == "stopped" || run == "failed";
    return wanted.empty() || wanted == run;
}

bool reachesGoal(const LessonGoal& goal, const std::map<std::string, double>& metrics) {
    const auto reached = metrics.find(goal.metric);
    return reached != metrics.end() && goal.isReachedBy(reached->second);
}

bool isChosenAsNeeded(const LessonCondition& condition, const TrainingSpec& shipped,
                      const TrainingSpec& chosen) {
    if (condition.changed.empty() && condition.kept.empty()) return true;
    const auto before = nlohmann::json::parse(toJson(shipped));
    const auto now = nlohmann::json::parse(toJson(chosen));
    const auto isKept = [&](const std::string& choice) {
        const nlohmann::json::json_pointer pointer(choice);
        const nlohmann::json nothing;
        return before.value(pointer, nothing) == now.value(pointer, nothing);
    };
    return (condition.changed.empty() || !std::ranges::all_of(condition.changed, isKept)) &&
           std::ranges::all_of(condition.kept, isKept);
}

LessonCondition parseCondition(const nlohmann::json& json) {
    LessonCondition condition;
    condition.place = json.value("place", "");
    condition.act = json.value("act", "");
    condition.run = json.value("run", "");
    condition.steps = json.value("steps", int64_t{0});
    condition.reachesGoal = json.value("goal", false);
    condition.changed = json.value("changed", condition.changed);
    condition.kept = json.value("kept", condition.kept);
    return condition;
}

}  // namespace

std::vector<LessonCondition> stepConditions(const Lesson& lesson) {
    const auto bytes = embeddedFile("lessons/" + lesson.name + "/lesson.json");
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    const auto json = nlohmann::json::parse(text, text + bytes.size());
    std::vector<LessonCondition> conditions;
    for (const auto& step : json.at("steps")) conditions.push_back(parseCondition(step.at("done")));
    return conditions;
}

bool isMet(const LessonCondition& condition, const Lesson& lesson, const LessonFacts& facts) {
    if (!condition.place.empty() && !facts.places.contains(condition.place)) return false;
    if (!condition.act.empty() && condition.act != facts.act) return false;
    if (!isInState(condition.run, facts.run) || facts.steps < condition.steps) return false;
    if (condition.reachesGoal && !reachesGoal(lesson.goal, facts.metrics)) return false;
    const bool isAboutRun = !condition.run.empty() || condition.steps > 0 || condition.reachesGoal;
    return isChosenAsNeeded(condition, lesson.spec, isAboutRun ? facts.runSpec : facts.spec);
}

}  // namespace temper
