// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "capi/src/arguments.h"
#include "capi/src/failure.h"
#include "capi/src/session.h"
#include "engine/core/output_check.h"
#include "engine/training/binding/run_data.h"
#include "engine/training/evaluation/metrics.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/spec/run_settings.h"
#include "engine/training/trainer/trainer.h"

namespace temper::capi {
namespace {

/// Throws: Error(InvalidInput | Io): what would fail at the first step fails at once.
void requireSensible(const RunSpec& run) {
    if (run.data.empty()) {
        throw Error(ErrorCode::InvalidInput, "The choices for the run name no data.",
                    "Name the training samples: {\"run\": {\"data\": \"train.npz\"}}.");
    }
    requireInRange(run);
    requireValid(run.schedule, scheduleChoices());
    for (const std::string& key : run.metrics) requireKnownMetric(key);
    requireKnownMetric(run.bestMetric);
    requireWritableFolder(run.saveFolder);
}

/// Whether it chooses a rate: one that was set by hand before the state was saved no longer counts.
bool choosesRate(const char* specification) {
    const auto json = nlohmann::json::parse(optionalText(specification), nullptr, false);
    if (!json.is_object()) return false;
    const nlohmann::json run = json.value("run", nlohmann::json::object());
    return run.contains("learning_rate") || run.contains("schedule");
}

TrainerData openData(const TrainingSession& session, RunSpec& run) {
    const OpenedData data = openDataFor(session, run.data, run.evalData, lessonFiles(), {});
    const std::string& evalData = run.evalData.empty() ? run.data : run.evalData;
    run.binding = bindRunColumns(session, data, "data '" + run.data + "'",
                                 "data '" + evalData + "'", run.binding, {});
    return {data.training, data.evaluation, run.binding};
}

/// Throws: Error if the run failed.
void requireSuccess(const Trainer& trainer, const EndEvent& end) {
    const std::optional<ErrorCode> failure = trainer.failure();
    if (!failure) return;
    const std::string code = end.code.empty() ? "" : end.code + ": ";
    const std::string where = end.node.empty() ? "" : " (" + end.node + ")";
    throw Error(*failure,
                "The training failed at step " + std::to_string(end.step) + ": " + code +
                    end.message + where,
                end.hint);
}

void fit(TrainingSession& session, const char* specification, TemperEventFunction onEvent,
         void* context) {
    RunSpec run = specificationOf(specification).run;
    requireSensible(run);
    const TrainerData data = openData(session, run);
    RunControl control;
    EndEvent end;
    Trainer trainer(session, data, run, control, [&](const RunEvent& event) {
        if (const auto* last = std::get_if<EndEvent>(&event.fact)) end = *last;
        if (onEvent != nullptr && onEvent(context, toJsonLine(event).c_str()) != 0) control.stop();
    });
    if (choosesRate(specification)) control.followSchedule();
    trainer.run();
    session.lazyResetGrad();  // the gradients may be those of half a step
    requireSuccess(trainer, end);
}

}  // namespace

}  // namespace temper::capi

using namespace temper;
using namespace temper::capi;

TemperStatus temper_session_fit(TemperSession* session, const char* specification,
                                TemperEventFunction on_event, void* context,
                                TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenSession open(session);
        fit(*open, specification, on_event, context);
    });
}
