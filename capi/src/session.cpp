// SPDX-License-Identifier: Apache-2.0
#include "capi/src/session.h"

#include <utility>

#include "capi/src/arguments.h"
#include "capi/src/artifacts.h"
#include "capi/src/failure.h"
#include "capi/src/operators.h"

namespace temper::capi {

OpenSession::OpenSession(TemperSession* session)
    : object_(required(session, "session")), turn_(*object_.shared) {
    if (object_.engine) return;
    throw Error(ErrorCode::State, "The session is closed.", "Create another one.");
}

namespace {

/// Throws: Error(State), so that the count of inputs of no model is not checked.
void requireEvalModel(OpenSession& open) {
    if (open->artifacts().evalModel == nullptr) open->evalStep({});
}

using Step = std::span<const Tensor> (TrainingSession::*)(std::span<const Tensor>);

void compute(OpenSession& open, Step step, const NameList& inputNames, const NameList& outputNames,
             const TemperArray* inputs, int64_t inputCount, TemperArray* outputs,
             int64_t outputCount) {
    requireOutputs(outputs, outputCount, outputNames.names().size());
    const auto tensors = tensorsFrom(inputs, inputCount, inputNames.names());
    const std::span<const Tensor> results = ((*open).*step)(tensors);
    open.object().results.hold(results, outputs, outputCount);
}

}  // namespace

}  // namespace temper::capi

using namespace temper;
using namespace temper::capi;

TemperSession::TemperSession(const Artifacts& artifacts, std::shared_ptr<SharedState> state,
                             const SessionOptions& options)
    : shared(std::move(state)) {
    const Turn turn(*shared);
    engine = std::make_unique<TrainingSession>(
        artifacts, std::shared_ptr<CheckpointState>(shared, &shared->state()), sharedOps(),
        options);
    for (const bool training : {false, true}) {
        inputs[training] = NameList(engine->inputNames(training));
        outputs[training] = NameList(engine->outputNames(training));
    }
}

TemperStatus temper_session_create(const TemperArtifacts* artifacts, TemperCheckpoint* checkpoint,
                                   const char* specification, TemperSession** session,
                                   TemperFailure** failure) {
    return guarded(failure, [&] {
        set(session, nullptr, "session");
        *session = new TemperSession(required(artifacts, "artifacts").artifacts,
                                     required(checkpoint, "checkpoint").shared,
                                     specificationOf(specification).run.session);
    });
}

TemperStatus temper_session_close(TemperSession* session, TemperFailure** failure) {
    return guarded(failure, [&] {
        const Turn turn(*required(session, "session").shared);
        session->results.hold({}, nullptr, 0);
        session->engine.reset();
    });
}

void temper_session_release(TemperSession* session) { delete session; }

TemperStatus temper_session_inputs(const TemperSession* session, int32_t training,
                                   TemperNames* names, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(names, required(session, "session").inputs[training != 0].view(), "names");
    });
}

TemperStatus temper_session_outputs(const TemperSession* session, int32_t training,
                                    TemperNames* names, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(names, required(session, "session").outputs[training != 0].view(), "names");
    });
}

TemperStatus temper_session_train_step(TemperSession* session, const TemperArray* inputs,
                                       int64_t input_count, TemperArray* outputs,
                                       int64_t output_count, TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenSession open(session);
        compute(open, &TrainingSession::trainStep, session->inputs[1], session->outputs[1], inputs,
                input_count, outputs, output_count);
    });
}

TemperStatus temper_session_eval_step(TemperSession* session, const TemperArray* inputs,
                                      int64_t input_count, TemperArray* outputs,
                                      int64_t output_count, TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenSession open(session);
        requireEvalModel(open);
        compute(open, &TrainingSession::evalStep, session->inputs[0], session->outputs[0], inputs,
                input_count, outputs, output_count);
    });
}

TemperStatus temper_session_evaluate(TemperSession* session, const TemperArray* inputs,
                                     int64_t input_count, const char* const* values,
                                     int64_t value_count, TemperArray* outputs,
                                     TemperFailure** failure) {
    return guarded(failure, [&] {
        OpenSession open(session);
        requireEvalModel(open);
        const std::vector<std::string> names = namesOf(values, value_count, "values");
        requireOutputs(outputs, value_count, names.size());
        const auto tensors = tensorsFrom(inputs, input_count, session->inputs[0].names());
        session->results.hold(open->evaluate(tensors, names), outputs, value_count);
    });
}

TemperStatus temper_session_reset_gradients(TemperSession* session, TemperFailure** failure) {
    return guarded(failure, [&] { OpenSession(session)->lazyResetGrad(); });
}

TemperStatus temper_session_optimizer_step(TemperSession* session, TemperFailure** failure) {
    return guarded(failure, [&] { OpenSession(session)->optimizerStep(); });
}

TemperStatus temper_session_gradient_norm(TemperSession* session, double* norm,
                                          TemperFailure** failure) {
    return guarded(failure, [&] { set(norm, OpenSession(session)->gradientNorm(), "norm"); });
}

TemperStatus temper_session_scale_gradients(TemperSession* session, float factor,
                                            TemperFailure** failure) {
    return guarded(failure, [&] { OpenSession(session)->scaleGradients(factor); });
}

TemperStatus temper_session_set_seed(TemperSession* session, uint64_t seed,
                                     TemperFailure** failure) {
    return guarded(failure, [&] { OpenSession(session)->setSeed(seed); });
}
