// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/loaded_model.h"

#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"

namespace temper::ui {
namespace {

std::shared_ptr<const LoadedModel> finish(std::unique_ptr<Graph> graph, const QString& title,
                                          const std::string& path, const OpSet& ops) {
    auto model = std::make_shared<LoadedModel>();
    model->title = title;
    model->path = path;
    model->typeFindings = inferTypes(*graph, ops.catalog);
    model->parameters = classifyParameters(*graph, ops.catalog);
    model->blocks = recognizeBlocks(*graph);
    model->blockByNode = blocksByNode(model->blocks);
    model->graph = std::move(graph);
    return model;
}

}  // namespace

int64_t elementsOf(const ParameterInfo& parameter) { return numElements(parameter.shape); }

std::shared_ptr<const LoadedModel> loadForwardModel(const std::filesystem::path& path,
                                                    const OpSet& ops) {
    return finish(loadModel(path), QString::fromStdString(path.filename().string()), path.string(),
                  ops);
}

std::shared_ptr<const LoadedModel> loadForwardModel(const Lesson& lesson, const OpSet& ops) {
    return finish(loadLessonModel(lesson), QString::fromStdString(lesson.title), lesson.spec.model,
                  ops);
}

}  // namespace temper::ui
