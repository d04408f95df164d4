// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/data/data_file.h"
#include "engine/ir/graph.h"
#include "engine/training/training_spec.h"

namespace temper {

/// A lesson that ships inside the program: a model, data and choices that work together.
struct Lesson {
    std::string name;                  ///< "digits"
    std::string title;                 ///< "Digits"
    std::string summary;               ///< one sentence
    std::vector<std::string> tryThis;  ///< short steps for the side panel
    std::string licence;               ///< of the data
    std::string modelFile;             ///< embedded path of the forward model
    TrainingSpec spec;                 ///< model and data name embedded files ("lesson:digits/...")
    std::string exportOutput;          ///< the output that the exported model gives
    double expectedAccuracy = 0;
};

/// All bundled lessons, in teaching order.
std::vector<Lesson> bundledLessons();
/// Throws: Error(NotFound) listing the lessons there are.
Lesson findLesson(const std::string& name);
/// The forward model of a lesson, types not inferred.
std::unique_ptr<Graph> loadLessonModel(const Lesson& lesson);

/// Gives the embedded file for a path "lesson:digits/train.npz", and nothing for others: for
/// openData(). Throws: Error(NotFound) for a lesson's file that does not exist.
FileResolver lessonFiles();

}  // namespace temper
