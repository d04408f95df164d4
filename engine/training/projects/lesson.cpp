// SPDX-License-Identifier: Apache-2.0
#include "engine/training/projects/lesson.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/core/joined.h"
#include "engine/onnx/model_file.h"
#include "engine/training/evaluation/metrics.h"
#include "resources/embedded.h"

namespace temper {
namespace {

constexpr std::string_view kLessonFolder = "lessons/";
constexpr std::string_view kDescription = "/lesson.json";
constexpr std::string_view kScheme = "lesson:";
constexpr auto kTeachingOrder =
    std::to_array<std::string_view>({"spirals", "xor", "sine", "iris", "digits", "digits-transfer",
                                     "broken", "tones", "overfitting", "exploding"});

std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

LessonStep parseStep(const nlohmann::json& json) {
    return {json.at("title"), json.at("text"), json.value("page", ""), json.value("dock", "")};
}

/// `mended` holds what differs from `spec`, as a JSON merge patch (RFC 7396).
std::optional<TrainingSpec> mendedSpec(const nlohmann::json& json) {
    if (!json.contains("mended")) return std::nullopt;
    nlohmann::json spec = json.at("spec");
    spec.merge_patch(json.at("mended"));
    return trainingSpecFromJson(spec.dump());
}

Lesson parseLesson(const std::string& path) {
    const nlohmann::json json = nlohmann::json::parse(textOf(embeddedFile(path)), nullptr, false);
    TEMPER_ASSERT(json.is_object(), "a lesson is a JSON object");
    Lesson lesson;
    json.at("name").get_to(lesson.name);
    json.at("title").get_to(lesson.title);
    json.at("summary").get_to(lesson.summary);
    for (const nlohmann::json& step : json.at("steps")) lesson.steps.push_back(parseStep(step));
    json.at("licence").get_to(lesson.licence);
    json.at("modelFile").get_to(lesson.modelFile);
    json.at("exportOutput").get_to(lesson.exportOutput);
    lesson.goal = {json.at("goal").at("metric"), json.at("goal").at("value")};
    lesson.spec = trainingSpecFromJson(json.at("spec").dump());
    lesson.remedy = json.value("remedy", "");
    lesson.mended = mendedSpec(json);
    return lesson;
}

/// Position in the teaching order; lessons that are not listed come last, by name.
auto placeOf(const Lesson& lesson) {
    const auto found = std::find(kTeachingOrder.begin(), kTeachingOrder.end(), lesson.name);
    return std::pair(found - kTeachingOrder.begin(), lesson.name);
}

}  // namespace

bool LessonGoal::isReachedBy(double reached) const {
    const auto& infos = metricInfos();
    const auto info = std::find_if(infos.begin(), infos.end(),
                                   [this](const MetricInfo& each) { return each.key == metric; });
    TEMPER_ASSERT(info != infos.end(), "a lesson's goal is a metric");
    return info->higherIsBetter ? reached >= value : reached <= value;
}

std::vector<Lesson> bundledLessons() {
    std::vector<Lesson> lessons;
    for (const std::string& path : embeddedFiles(kLessonFolder)) {
        if (path.ends_with(kDescription)) lessons.push_back(parseLesson(path));
    }
    std::sort(lessons.begin(), lessons.end(),
              [](const Lesson& a, const Lesson& b) { return placeOf(a) < placeOf(b); });
    return lessons;
}

Lesson findLesson(const std::string& name) {
    std::vector<Lesson> lessons = bundledLessons();
    const auto found = std::ranges::find(lessons, name, &Lesson::name);
    if (found != lessons.end()) return std::move(*found);
    throw Error(ErrorCode::NotFound, "Unknown lesson '" + name + "'.",
                "The lessons are " + joined(lessons, &Lesson::name) + ".");
}

std::unique_ptr<Graph> loadLessonModel(const Lesson& lesson) {
    return parseModel(embeddedFile(lesson.modelFile), lesson.modelFile);
}

FileResolver lessonFiles() {
    return [](const std::string& path) -> std::optional<std::span<const std::byte>> {
        if (!path.starts_with(kScheme)) return std::nullopt;
        return embeddedFile(std::string(kLessonFolder) + path.substr(kScheme.size()));
    };
}

}  // namespace temper
