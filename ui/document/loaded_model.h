// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "engine/autodiff/trainability.h"
#include "engine/ir/blocks.h"
#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/spec/training_spec.h"

namespace temper::ui {

/// A forward model with inferred types, immutable after loading.
/// Thread: any, as it is constant.
struct LoadedModel {
    QString title;
    std::string path;  ///< as TrainingSpec::model has it
    std::shared_ptr<const Graph> graph;
    std::vector<Finding> faults;   ///< errors: contradictions, see LoadOptions::faults
    std::vector<Finding> remarks;  ///< what reading had to fix
    std::vector<Finding> typeFindings;
    std::vector<ParameterInfo> parameters;
    std::vector<Block> blocks;
    std::unordered_map<const Node*, const Block*> blockByNode;
};

/// "lesson:digits/model.onnx", as TrainingSpec::model has it, names the lesson "digits".
std::optional<std::string> lessonOf(const std::string& modelPath);
/// The title of a lesson, or the name of the model's file.
QString modelTitle(const std::string& modelPath);

/// Elements of a shape.
int64_t elementsOf(const ParameterInfo& parameter);

/// Reads, applies `edits`, infers types, classifies. Null if stopped between two of these steps. A
/// model with faults can be viewed, but nothing can be prepared from it: see prepare().
/// Throws: Error.
std::shared_ptr<const LoadedModel> loadForwardModel(const std::filesystem::path& path,
                                                    const OpSet& ops,
                                                    const TrainingSpec& edits = {},
                                                    const std::stop_token& stop = {});
std::shared_ptr<const LoadedModel> loadForwardModel(const Lesson& lesson, const OpSet& ops,
                                                    const TrainingSpec& edits = {},
                                                    const std::stop_token& stop = {});

}  // namespace temper::ui
