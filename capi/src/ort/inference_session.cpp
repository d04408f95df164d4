// SPDX-License-Identifier: Apache-2.0
// Inference with a model, such as one that a training session has exported.
#include <algorithm>

#include "capi/src/arguments.h"
#include "capi/src/failure.h"
#include "capi/src/ort/memory.h"
#include "capi/src/ort/status.h"
#include "capi/src/ort/values.h"
#include "engine/ir/required_tensors.h"

namespace temper::capi::ort {
namespace {

using Values = std::vector<std::unique_ptr<DescribedValue>>;

/// Makes a session of the model that `open` opens.
template <typename Open>
OrtStatus* create(const OrtEnv* env, const OrtSessionOptions* options, OrtSession** session,
                  Open&& open) {
    return guarded([&] {
        required(env, "env");
        set(session, nullptr, "out");
        const int threads = options == nullptr ? 0 : options->threads;
        TemperModel* model = nullptr;
        TemperFailure* failure = nullptr;
        open(&model, &failure);
        const std::unique_ptr<TemperFailure> error(failure);
        if (error) {
            const ErrorCode code =
                error->status == TEMPER_NOT_FOUND ? ErrorCode::NotFound : ErrorCode::InvalidInput;
            throw Error(code, error->message, error->hint);
        }
        *session = new OrtSession(std::unique_ptr<TemperModel>(model), threads);
    });
}

OrtStatus* createSession(const OrtEnv* env, const char* path, const OrtSessionOptions* options,
                         OrtSession** session) {
    return create(env, options, session, [&](TemperModel** model, TemperFailure** failure) {
        temper_model_open(path, model, failure);
    });
}

OrtStatus* createSessionFromArray(const OrtEnv* env, const void* bytes, size_t size,
                                  const OrtSessionOptions* options, OrtSession** session) {
    return create(env, options, session, [&](TemperModel** model, TemperFailure** failure) {
        temper_model_from_bytes(bytes, static_cast<int64_t>(size), model, failure);
    });
}

void releaseSession(OrtSession* session) { delete session; }

size_t positionOf(const std::vector<std::string>& names, const std::string& name,
                  const char* what) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
    throw Error(ErrorCode::InvalidInput, "Invalid " + std::string(what) + " name: " + name + ".");
}

std::vector<Tensor> feedsOf(const TemperInference& inference, const char* const* names,
                            const OrtValue* const* inputs, size_t count) {
    const std::vector<std::string>& known = inference.inputs.names();
    const auto given = namesOf(names, static_cast<int64_t>(count), "input_names");
    const auto tensors = tensorsOf(inputs, count);
    std::vector<Tensor> feeds(known.size());
    for (size_t i = 0; i < count; ++i) feeds[positionOf(known, given[i], "input")] = tensors[i];
    for (size_t i = 0; i < feeds.size(); ++i) {
        if (feeds[i].empty())
            throw Error(ErrorCode::InvalidInput, "Missing input: " + known[i] + ".");
    }
    return feeds;
}

OrtStatus* run(OrtSession* session, const OrtRunOptions* /*options*/, const char* const* inputNames,
               const OrtValue* const* inputs, size_t inputCount, const char* const* outputNames,
               size_t outputCount, OrtValue** outputs) {
    return guarded([&] {
        TemperInference& inference = required(session, "session").inference;
        const auto wanted = namesOf(outputNames, static_cast<int64_t>(outputCount), "output_names");
        const Graph& graph = inference.runner.graph();
        requireTensorInputs(graph);
        std::vector<size_t> positions;
        for (const std::string& name : wanted) {
            positions.push_back(positionOf(inference.outputs.names(), name, "output"));
            requireTensorOutput(*graph.outputs()[positions.back()]);
        }
        const auto feeds = feedsOf(inference, inputNames, inputs, inputCount);
        const std::lock_guard lock(inference.mutex);
        const std::span<const Tensor> all = inference.runner.run(feeds);
        std::vector<Tensor> results;
        for (const size_t position : positions) results.push_back(all[position]);
        writeOutputs(results, outputs);
    });
}

// ---- descriptions ------------------------------------------------------------------------------

template <Values TemperModel::*values>
OrtStatus* getCount(const OrtSession* session, size_t* count) {
    return guarded(
        [&] { set(count, (required(session, "session").model.get()->*values).size(), "out"); });
}

template <Values TemperModel::*values>
TemperValueInfo infoAt(const OrtSession* session, size_t index) {
    return elementAt(required(session, "session").model.get()->*values, static_cast<int64_t>(index),
                     "value")
        ->info();
}

template <Values TemperModel::*values>
OrtStatus* getName(const OrtSession* session, size_t index, OrtAllocator* allocator, char** name) {
    return guarded(
        [&] { set(name, copyOf(infoAt<values>(session, index).name, allocator), "value"); });
}

template <Values TemperModel::*values>
OrtStatus* getTypeInfoAt(const OrtSession* session, size_t index, OrtTypeInfo** type) {
    return guarded([&] {
        const TemperValueInfo info = infoAt<values>(session, index);
        OrtTensorTypeAndShapeInfo tensor;
        tensor.type = static_cast<ONNXTensorElementDataType>(info.dtype);
        for (int64_t axis = 0; axis < info.rank; ++axis) {
            tensor.dims.push_back(info.shape[axis]);
            tensor.symbols.push_back(optionalText(info.symbols[axis]));
        }
        set(type, new OrtTypeInfo{std::move(tensor)}, "type_info");
    });
}

}  // namespace

void addInferenceFunctions(OrtApi& api) {
    api.CreateSession = createSession;
    api.CreateSessionFromArray = createSessionFromArray;
    api.ReleaseSession = releaseSession;
    api.Run = run;
    api.SessionGetInputCount = getCount<&TemperModel::inputs>;
    api.SessionGetOutputCount = getCount<&TemperModel::outputs>;
    api.SessionGetInputName = getName<&TemperModel::inputs>;
    api.SessionGetOutputName = getName<&TemperModel::outputs>;
    api.SessionGetInputTypeInfo = getTypeInfoAt<&TemperModel::inputs>;
    api.SessionGetOutputTypeInfo = getTypeInfoAt<&TemperModel::outputs>;
}

}  // namespace temper::capi::ort
