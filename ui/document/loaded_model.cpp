// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/loaded_model.h"

#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/training/edits/free_batch.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/parameters/parameter_selection.h"
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

std::shared_ptr<const LoadedModel> finish(std::unique_ptr<Graph> graph, const QString& title,
                                          const std::string& path, const OpSet& ops,
                                          const TrainingSpec& edits, const std::stop_token& stop,
                                          std::vector<Finding> remarks = {}) {
    if (stop.stop_requested()) return nullptr;
    auto model = std::make_shared<LoadedModel>();
    if (edits.freeBatch) requireFreeableBatch(*graph, ops, edits.fixedInputs);
    std::ranges::move(editModel(*graph, ops, edits), std::back_inserter(remarks));
    model->title = title;
    model->path = path;
    model->remarks = std::move(remarks);
    model->typeFindings = inferTypes(*graph, ops.catalog);
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

int64_t elementsOf(const ParameterInfo& parameter) { return numElements(parameter.shape); }

std::shared_ptr<const LoadedModel> loadForwardModel(const std::filesystem::path& path,
                                                    const OpSet& ops, const TrainingSpec& edits,
                                                    const std::stop_token& stop) {
    std::vector<Finding> remarks;
    std::unique_ptr<Graph> graph = loadModel(
        path,
        {.remarks = &remarks, .noteExternalData = true, .unifyOpsets = opsetUnifier(ops.catalog)});
    return finish(std::move(graph), QString::fromStdString(path.filename().string()), path.string(),
                  ops, edits, stop, std::move(remarks));
}

std::shared_ptr<const LoadedModel> loadForwardModel(const Lesson& lesson, const OpSet& ops,
                                                    const TrainingSpec& edits,
                                                    const std::stop_token& stop) {
    return finish(loadLessonModel(lesson), engineText(lesson.title), lesson.spec.model, ops, edits,
                  stop);
}

}  // namespace temper::ui
