// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/loaded_model.h"

#include <QFileInfo>
#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/training/edits/free_batch.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/parameters/parameter_selection.h"
#include "ui/messages/problem.h"
#include "ui/translation/engine_texts.h"

namespace temper::ui {
namespace {

constexpr std::string_view kLessonScheme = "lesson:";

/// Parameters of the graph, and of the branches that its constants choose: these also train.
std::vector<ParameterInfo> parametersOf(const Graph& graph, const OpSet& ops) {
    std::vector<ParameterInfo> parameters = classifyParameters(graph, ops.catalog);
    const auto isBranch = [](const Node* node) { return node->opType() == "If"; };
    if (std::ranges::none_of(graph.nodes(), isBranch)) return parameters;
    const std::unique_ptr<Graph> folded = foldedForTraining(graph, ops, {});
    inferTypes(*folded, ops.catalog);
    for (ParameterInfo& info : classifyParameters(*folded, ops.catalog))
        if (graph.find(info.name) == nullptr) parameters.push_back(std::move(info));
    return parameters;
}

/// `model` has what reading found.
std::shared_ptr<const LoadedModel> finish(std::shared_ptr<LoadedModel> model,
                                          std::unique_ptr<Graph> graph, const OpSet& ops,
                                          const TrainingSpec& edits, const std::stop_token& stop) {
    if (stop.stop_requested()) return nullptr;
    if (edits.freeBatch) requireFreeableBatch(*graph, ops, edits.fixedInputs);
    std::ranges::move(editModel(*graph, ops, edits), std::back_inserter(model->remarks));
    model->typeFindings = withoutStandIns(inferTypes(*graph, ops.catalog));
    if (stop.stop_requested()) return nullptr;
    model->parameters = parametersOf(*graph, ops);
    if (stop.stop_requested()) return nullptr;
    model->blocks = recognizeBlocks(*graph, ops.catalog);
    model->blockByNode = blocksByNode(model->blocks);
    model->graph = std::move(graph);
    return model;
}

}  // namespace

std::optional<std::string> lessonOf(const std::string& modelPath) {
    if (!modelPath.starts_with(kLessonScheme)) return std::nullopt;
    const std::string rest = modelPath.substr(kLessonScheme.size());
    return rest.substr(0, rest.find('/'));
}

QString modelTitle(const std::string& modelPath) {
    const auto lesson = lessonOf(modelPath);
    if (!lesson) return QFileInfo(text(modelPath)).fileName();
    for (const Lesson& known : bundledLessons())
        if (known.name == *lesson) return engineText(known.title);
    return text(*lesson);
}

int64_t elementsOf(const ParameterInfo& parameter) { return numElements(parameter.shape); }

std::shared_ptr<const LoadedModel> loadForwardModel(const std::filesystem::path& path,
                                                    const OpSet& ops, const TrainingSpec& edits,
                                                    const std::stop_token& stop) {
    auto model = std::make_shared<LoadedModel>();
    model->title = QString::fromStdString(path.filename().string());
    model->path = path.string();
    std::unique_ptr<Graph> graph = loadModel(path, {.remarks = &model->remarks,
                                                    .noteExternalData = true,
                                                    .unifyOpsets = opsetUnifier(ops.catalog),
                                                    .faults = &model->faults});
    return finish(std::move(model), std::move(graph), ops, edits, stop);
}

std::shared_ptr<const LoadedModel> loadForwardModel(const Lesson& lesson, const OpSet& ops,
                                                    const TrainingSpec& edits,
                                                    const std::stop_token& stop) {
    auto model = std::make_shared<LoadedModel>();
    model->title = engineText(lesson.title);
    model->path = lesson.spec.model;
    return finish(std::move(model), loadLessonModel(lesson), ops, edits, stop);
}

}  // namespace temper::ui
