// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/training_session.h"

#include <atomic>

#include "capi/src/arguments.h"
#include "capi/src/operators.h"
#include "capi/src/ort/memory.h"
#include "capi/src/ort/status.h"
#include "capi/src/ort/values.h"
#include "engine/training/artifacts/artifact_files.h"

namespace temper::capi::ort {
namespace {

/// ONNX Runtime's seed belongs to the process: its function for it has no session.
std::atomic<uint64_t>& seedOfProcess() {
    static std::atomic<uint64_t> seed{0};
    return seed;
}

SessionOptions optionsFrom(const OrtSessionOptions* given) {
    const OrtSessionOptions& known = required(given, "options");
    const auto shared = known.entries.find("session.use_env_allocators");
    if (shared != known.entries.end() && shared->second == "1") {
        throw Error(ErrorCode::InvalidInput,
                    "Training sessions do not take session.use_env_allocators = 1.",
                    "Remove the entry from the session options.");
    }
    SessionOptions options;
    options.threads = known.threads;
    options.seed = seedOfProcess();
    return options;
}

template <typename Load>
OrtStatus* create(const OrtEnv* env, const OrtSessionOptions* options, OrtCheckpointState* state,
                  OrtTrainingSession** session, Load&& load) {
    return guarded([&] {
        set(session, nullptr, "out");
        required(env, "env");
        const SessionOptions chosen = optionsFrom(options);
        *session = new OrtTrainingSession(load(), required(state, "checkpoint_state"), chosen);
    });
}

OrtStatus* createFromFiles(const OrtEnv* env, const OrtSessionOptions* options,
                           OrtCheckpointState* state, const char* trainingModel,
                           const char* evalModel, const char* optimizerModel,
                           OrtTrainingSession** session) {
    return create(env, options, state, session, [&] {
        return loadArtifacts({.trainingModel = requiredPath(trainingModel, "train_model_path"),
                              .evalModel = optionalText(evalModel),
                              .optimizerModel = optionalText(optimizerModel),
                              .checkpoint = {}},
                             *sharedOps());
    });
}

OrtStatus* createFromBuffer(const OrtEnv* env, const OrtSessionOptions* options,
                            OrtCheckpointState* state, const void* trainingModel,
                            size_t trainingSize, const void* evalModel, size_t evalSize,
                            const void* optimizerModel, size_t optimizerSize,
                            OrtTrainingSession** session) {
    return create(env, options, state, session, [&] {
        const auto bytes = [](const void* data, size_t size) {
            return std::span(static_cast<const std::byte*>(data), data == nullptr ? 0 : size);
        };
        return parseArtifacts({bytes(trainingModel, trainingSize),
                               bytes(evalModel, evalSize),
                               bytes(optimizerModel, optimizerSize),
                               {}},
                              *sharedOps());
    });
}

void release(OrtTrainingSession* session) { delete session; }

/// The engine's session, in this thread's turn. Throws: Error(InvalidInput) if it is null.
OpenSession open(const OrtTrainingSession* session) {
    return OpenSession(&required(session, "session").session);
}

// ---- names -------------------------------------------------------------------------------------

template <bool training>
OrtStatus* outputCount(const OrtTrainingSession* session, size_t* count) {
    return guarded([&] { set(count, open(session)->outputNames(training).size(), "out"); });
}

template <bool training>
OrtStatus* inputCount(const OrtTrainingSession* session, size_t* count) {
    return guarded([&] { set(count, open(session)->inputNames(training).size(), "out"); });
}

template <bool training>
OrtStatus* outputName(const OrtTrainingSession* session, size_t index, OrtAllocator* allocator,
                      char** name) {
    return guarded([&] {
        set(name, copyOf(open(session)->outputName(index, training), allocator), "output");
    });
}

template <bool training>
OrtStatus* inputName(const OrtTrainingSession* session, size_t index, OrtAllocator* allocator,
                     char** name) {
    return guarded(
        [&] { set(name, copyOf(open(session)->inputName(index, training), allocator), "output"); });
}

// ---- steps -------------------------------------------------------------------------------------

using Step = std::span<const Tensor> (TrainingSession::*)(std::span<const Tensor>);

OrtStatus* compute(const OrtTrainingSession* session, Step step, bool training, size_t inputs,
                   const OrtValue* const* feeds, size_t outputs, OrtValue** results) {
    return guarded([&] {
        OpenSession opened = open(session);
        const auto tensors = tensorsOf(feeds, inputs);
        const size_t expected = opened->outputNames(training).size();
        const bool canCompute = training || opened->artifacts().evalModel != nullptr;
        if (canCompute && outputs != expected) {
            throw Error(ErrorCode::InvalidInput, "The number of outputs is " +
                                                     std::to_string(outputs) + "; expected " +
                                                     std::to_string(expected) + ".");
        }
        writeOutputs(((*opened).*step)(tensors), results);
    });
}

OrtStatus* trainStep(OrtTrainingSession* session, const OrtRunOptions* /*options*/, size_t inputs,
                     const OrtValue* const* feeds, size_t outputs, OrtValue** results) {
    return compute(session, &TrainingSession::trainStep, true, inputs, feeds, outputs, results);
}

OrtStatus* evalStep(const OrtTrainingSession* session, const OrtRunOptions* /*options*/,
                    size_t inputs, const OrtValue* const* feeds, size_t outputs,
                    OrtValue** results) {
    return compute(session, &TrainingSession::evalStep, false, inputs, feeds, outputs, results);
}

OrtStatus* lazyResetGrad(OrtTrainingSession* session) {
    return guarded([&] { open(session)->lazyResetGrad(); });
}

OrtStatus* optimizerStep(OrtTrainingSession* session, const OrtRunOptions* /*options*/) {
    return guarded([&] { open(session)->optimizerStep(); });
}

OrtStatus* setSeed(int64_t seed) {
    return guarded([&] { seedOfProcess() = static_cast<uint64_t>(seed); });
}

// ---- learning rate -----------------------------------------------------------------------------

OrtStatus* setLearningRate(OrtTrainingSession* session, float rate) {
    return guarded([&] { open(session)->setLearningRate(rate); });
}

OrtStatus* getLearningRate(OrtTrainingSession* session, float* rate) {
    return guarded([&] { set(rate, open(session)->learningRate(), "learning_rate"); });
}

OrtStatus* registerLinearSchedule(OrtTrainingSession* session, int64_t warmup, int64_t total,
                                  float initial) {
    return guarded([&] { open(session)->registerLinearLrSchedule(warmup, total, initial); });
}

OrtStatus* schedulerStep(OrtTrainingSession* session) {
    return guarded([&] { open(session)->schedulerStep(); });
}

// ---- parameters, export ------------------------------------------------------------------------

OrtStatus* getSize(OrtTrainingSession* session, size_t* elements, bool trainableOnly) {
    return guarded([&] {
        set(elements, static_cast<size_t>(open(session)->parametersSize(trainableOnly)), "out");
    });
}

OrtStatus* toBuffer(OrtTrainingSession* session, OrtValue* buffer, bool trainableOnly) {
    return guarded([&] {
        OpenSession opened = open(session);
        Tensor& target = required(buffer, "parameters_buffer").tensor;
        const Tensor all = opened->toBuffer(trainableOnly);
        if (target.numElements() != all.numElements()) {
            throw Error(
                ErrorCode::InvalidInput,
                "Parameters buffer size incorrect. Expected:" + std::to_string(all.numElements()) +
                    ", Actual:" + std::to_string(target.numElements()));
        }
        if (target.dtype() != all.dtype()) {
            throw Error(ErrorCode::InvalidInput,
                        "Data types must match. Expected:" + std::string(dtypeName(all.dtype())) +
                            ", Actual:" + std::string(dtypeName(target.dtype())));
        }
        target.reshaped(all.shape()).assign(all);
    });
}

OrtStatus* fromBuffer(OrtTrainingSession* session, OrtValue* buffer, bool trainableOnly) {
    return guarded([&] {
        open(session)->fromBuffer(required(buffer, "parameters_buffer").tensor, trainableOnly);
    });
}

OrtStatus* exportModel(OrtTrainingSession* session, const char* path, size_t count,
                       const char* const* outputs) {
    return guarded([&] {
        open(session)->exportModelForInferencing(
            requiredPath(path, "inference_model_path"),
            namesOf(outputs, static_cast<int64_t>(count), "graph_output_names"));
    });
}

}  // namespace

void addTrainingFunctions(OrtTrainingApi& api) {
    api.CreateTrainingSession = createFromFiles;
    api.CreateTrainingSessionFromBuffer = createFromBuffer;
    api.ReleaseTrainingSession = release;
    api.TrainingSessionGetTrainingModelOutputCount = outputCount<true>;
    api.TrainingSessionGetEvalModelOutputCount = outputCount<false>;
    api.TrainingSessionGetTrainingModelOutputName = outputName<true>;
    api.TrainingSessionGetEvalModelOutputName = outputName<false>;
    api.TrainingSessionGetTrainingModelInputCount = inputCount<true>;
    api.TrainingSessionGetEvalModelInputCount = inputCount<false>;
    api.TrainingSessionGetTrainingModelInputName = inputName<true>;
    api.TrainingSessionGetEvalModelInputName = inputName<false>;
    api.TrainStep = trainStep;
    api.EvalStep = evalStep;
    api.LazyResetGrad = lazyResetGrad;
    api.OptimizerStep = optimizerStep;
    api.SetSeed = setSeed;
    api.SetLearningRate = setLearningRate;
    api.GetLearningRate = getLearningRate;
    api.RegisterLinearLRScheduler = registerLinearSchedule;
    api.SchedulerStep = schedulerStep;
    api.GetParametersSize = getSize;
    api.CopyParametersToBuffer = toBuffer;
    api.CopyBufferToParameters = fromBuffer;
    api.ExportModelForInferencing = exportModel;
}

}  // namespace temper::capi::ort
