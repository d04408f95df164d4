// SPDX-License-Identifier: Apache-2.0
#include "capi/src/arguments.h"
#include "capi/src/failure.h"
#include "capi/src/session.h"
#include "engine/training/optimizers/lr_schedule.h"

using namespace temper;
using namespace temper::capi;

TemperStatus temper_session_learning_rate(TemperSession* session, float* rate,
                                          TemperFailure** failure) {
    return guarded(failure, [&] { set(rate, OpenSession(session)->learningRate(), "rate"); });
}

TemperStatus temper_session_set_learning_rate(TemperSession* session, float rate,
                                              TemperFailure** failure) {
    return guarded(failure, [&] { OpenSession(session)->setLearningRate(rate); });
}

TemperStatus temper_session_set_linear_schedule(TemperSession* session, int64_t warmup_steps,
                                                int64_t total_steps, float initial,
                                                TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenSession(session)->registerLinearLrSchedule(warmup_steps, total_steps, initial);
    });
}

TemperStatus temper_session_set_schedule(TemperSession* session, const char* specification,
                                         int64_t total_steps, TemperFailure** failure) {
    return guarded(failure, [&] {
        const RunSpec run = specificationOf(specification).run;
        OpenSession(session)->registerLrSchedule(
            makeLrSchedule(run.schedule, run.learningRate, total_steps));
    });
}

TemperStatus temper_session_schedule_step(TemperSession* session, TemperFailure** failure) {
    return guarded(failure, [&] { OpenSession(session)->schedulerStep(); });
}

TemperStatus temper_session_schedule_note_evaluation(TemperSession* session, double loss,
                                                     TemperFailure** failure) {
    return guarded(failure, [&] { OpenSession(session)->schedulerNoteEvaluation(loss); });
}
