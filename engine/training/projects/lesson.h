// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/data_file.h"
#include "engine/ir/graph.h"
#include "engine/training/spec/training_spec.h"

namespace temper {

/// One thing to do in a lesson, and where.
struct LessonStep {
    std::string title;
    std::string text;
    std::string page;  ///< id of the page that it is about, or empty
    std::string dock;  ///< id of the dock that it is about, or empty
};

/// What training according to the lesson reaches on its test samples.
struct LessonGoal {
    std::string metric;  ///< "accuracy"
    double value = 0;

    /// Whether `reached` is at least as good as `value` of the metric.
    bool isReachedBy(double reached) const;
};

/// A lesson that ships with the program: a model, data and choices that work together.
struct Lesson {
    std::string name;               ///< "digits"
    std::string title;              ///< "Digits"
    std::string summary;            ///< one sentence
    std::vector<LessonStep> steps;  ///< for the side panel
    std::string licence;            ///< of the data
    std::string modelFile;          ///< embedded path of the forward model
    TrainingSpec spec;              ///< model and data name embedded files ("lesson:digits/...")
    std::string remedy;             ///< what `mended` changes, in a sentence; or empty
    /// If the shipped choices fail on purpose: the choices that the steps lead to.
    std::optional<TrainingSpec> mended;
    std::string exportOutput;  ///< the output of the exported model
    LessonGoal goal;

    /// The choices that reach the goal.
    const TrainingSpec& goalSpec() const { return mended ? *mended : spec; }
};

/// All bundled lessons, in teaching order.
std::vector<Lesson> bundledLessons();
/// Throws: Error(NotFound) listing the lessons.
Lesson findLesson(const std::string& name);
/// The forward model of a lesson, types not inferred.
std::unique_ptr<Graph> loadLessonModel(const Lesson& lesson);

/// For openData(): returns the embedded file for a path "lesson:digits/train.npz", and nothing for
/// other paths. Throws: Error(NotFound) for a lesson's file that does not exist.
FileResolver lessonFiles();

}  // namespace temper
