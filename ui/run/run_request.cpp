// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_request.h"

#include <algorithm>

#include "engine/training/binding/image_input.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/projects/lesson.h"
#include "ui/document/studio_project.h"

namespace temper::ui {
namespace {

RunRequest requestOf(const Preparation& preparation, const std::shared_ptr<const OpSet>& ops,
                     const RunSpec& run) {
    RunRequest request;
    request.artifacts = preparation.artifacts;
    request.ops = ops;
    request.run = run;
    request.run.batchSize = preparation.fixedBatch.value_or(run.batchSize);
    if (const auto& data = preparation.data)
        request.data = {data->training(), data->evaluation(), preparation.proposal.binding};
    return request;
}

std::shared_ptr<const LoadedModel> modelFor(const TrainingSpec& spec, const OpenParts& open,
                                            const std::stop_token& stop) {
    if (open.model && spec.model == open.spec.model && !haveOtherEdits(spec, open.spec))
        return open.model;
    const auto lesson = lessonOf(spec.model);
    return lesson ? loadForwardModel(findLesson(*lesson), *open.ops, spec, stop)
                  : loadForwardModel(spec.model, *open.ops, spec, stop);
}

std::shared_ptr<const LoadedData> dataFor(const TrainingSpec& spec, const OpenParts& open,
                                          const LoadedModel& model, const TargetForm& target) {
    const bool isSame =
        spec.run.data == open.spec.run.data && spec.run.evalData == open.spec.run.evalData;
    if (open.data && isSame && !isBetterReadFor(target, *open.data)) return open.data;
    return loadData(spec.run.data, spec.run.evalData, imageFormOf(*model.graph), target);
}

void requireNone(const std::vector<Finding>& findings) {
    const auto error = std::ranges::find(findings, Severity::Error, &Finding::severity);
    if (error != findings.end()) throw Error(ErrorCode::InvalidInput, error->message, error->hint);
}

/// Throws if this does not train.
void require(const Preparation& preparation) {
    requireNone(preparation.plan.findings);
    requireNone(preparation.proposal.findings);
    if (preparation.artifacts) return;
    throw Error(ErrorCode::InvalidInput, preparation.problem.message.toStdString(),
                preparation.problem.hint.toStdString());
}

}  // namespace

RunRequest makeRunRequest(const StudioProject& project, bool startOver) {
    RunRequest request = requestOf(*project.preparation(), project.ops(), project.spec().run);
    request.startOver = startOver;
    return request;
}

OpenParts openParts(const StudioProject& project) {
    return {project.spec(), project.ops(), project.model(), project.data(), project.preparation()};
}

RunRequest prepareRun(const TrainingSpec& spec, const OpenParts& open,
                      const std::stop_token& stop) {
    const auto model = modelFor(spec, open, stop);
    if (stop.stop_requested()) return {};
    requireNone(model->faults);
    PreparationRequest wanted{model, open.ops, nullptr, spec.artifacts, spec.run.binding, {}};
    if (model == open.model) wanted.previous = open.preparation;
    wanted.previous = prepare(wanted);
    require(*wanted.previous);
    if (stop.stop_requested()) return {};
    wanted.data = dataFor(spec, open, *model, wanted.previous->target);
    if (stop.stop_requested()) return {};
    const auto preparation = prepare(wanted);
    require(*preparation);
    return requestOf(*preparation, open.ops, spec.run);
}

}  // namespace temper::ui
