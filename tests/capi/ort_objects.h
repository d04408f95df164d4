// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnxruntime_training_c_api.h>

#include <QString>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "tests/capi/owned_object.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

inline const OrtApi& ortApi() { return *OrtGetApiBase()->GetApi(ORT_API_VERSION); }
inline const OrtTrainingApi& ortTraining() { return *ortApi().GetTrainingApi(ORT_API_VERSION); }

/// The message of an error, which is released; empty for a success.
inline QString messageOf(OrtStatus* status) {
    const QString message = status == nullptr ? "" : ortApi().GetErrorMessage(status);
    ortApi().ReleaseStatus(status);
    return message;
}

inline OrtErrorCode codeOf(OrtStatus* status) {
    const OrtErrorCode code = status == nullptr ? ORT_OK : ortApi().GetErrorCode(status);
    ortApi().ReleaseStatus(status);
    return code;
}

#define ORT_SUCCEEDS(call) QCOMPARE(messageOf(call), QString())

struct OrtRelease {
    void operator()(OrtEnv* object) const { ortApi().ReleaseEnv(object); }
    void operator()(OrtSessionOptions* object) const { ortApi().ReleaseSessionOptions(object); }
    void operator()(OrtValue* object) const { ortApi().ReleaseValue(object); }
    void operator()(OrtMemoryInfo* object) const { ortApi().ReleaseMemoryInfo(object); }
    void operator()(OrtSession* object) const { ortApi().ReleaseSession(object); }
    void operator()(OrtTensorTypeAndShapeInfo* object) const {
        ortApi().ReleaseTensorTypeAndShapeInfo(object);
    }
    void operator()(OrtCheckpointState* object) const {
        ortTraining().ReleaseCheckpointState(object);
    }
    void operator()(OrtTrainingSession* object) const {
        ortTraining().ReleaseTrainingSession(object);
    }
};

template <typename T>
using OrtOwned = OwnedObject<T, OrtRelease>;

inline OrtAllocator* ortAllocator() {
    OrtAllocator* allocator = nullptr;
    messageOf(ortApi().GetAllocatorWithDefaultOptions(&allocator));
    return allocator;
}

/// A text made with the default allocator, which is freed.
inline QString textOf(char* text) {
    const QString result(text);
    messageOf(ortApi().AllocatorFree(ortAllocator(), text));
    return result;
}

/// A value over the tensor's memory, which has to outlive it.
inline OrtOwned<OrtValue> valueOver(const Tensor& tensor) {
    OrtOwned<OrtMemoryInfo> memory;
    OrtOwned<OrtValue> value;
    messageOf(ortApi().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, memory.out()));
    messageOf(ortApi().CreateTensorWithDataAsOrtValue(
        memory, tensor.address(), tensor.byteSize(), tensor.shape().data(), tensor.shape().size(),
        static_cast<ONNXTensorElementDataType>(tensor.dtype()), value.out()));
    value.get();
    return value;
}

/// A copy of a value of numbers.
inline Tensor tensorOf(OrtValue* value) {
    OrtOwned<OrtTensorTypeAndShapeInfo> info;
    messageOf(ortApi().GetTensorTypeAndShape(value, info.out()));
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    size_t rank = 0;
    messageOf(ortApi().GetTensorElementType(info, &type));
    messageOf(ortApi().GetDimensionsCount(info, &rank));
    Shape shape(rank);
    messageOf(ortApi().GetDimensions(info, shape.data(), rank));
    void* data = nullptr;
    messageOf(ortApi().GetTensorMutableData(value, &data));
    return Tensor::wrap(static_cast<DType>(type), shape, nullptr, data).clone();
}

/// A training session over the recorded files of ONNX Runtime.
struct OrtObjects {
    OrtOwned<OrtEnv> env;
    OrtOwned<OrtSessionOptions> options;
    OrtOwned<OrtCheckpointState> state;
    OrtOwned<OrtTrainingSession> session;

    static std::string api(const char* file) {
        return (conformanceFolder() / "ort/training_api" / file).string();
    }

    OrtObjects() {
        messageOf(ortApi().CreateEnv(ORT_LOGGING_LEVEL_WARNING, "test", env.out()));
        messageOf(ortApi().CreateSessionOptions(options.out()));
    }

    /// Returns: an error, or an empty text.
    QString load(const char* checkpoint = "checkpoint.ckpt", bool withEvalAndOptimizer = true) {
        const QString error =
            messageOf(ortTraining().LoadCheckpoint(api(checkpoint).c_str(), state.out()));
        if (!error.isEmpty()) return error;
        const std::string eval = api("eval_model.onnx"), optimizer = api("adamw.onnx");
        return messageOf(ortTraining().CreateTrainingSession(
            env, options, state, api("training_model.onnx").c_str(),
            withEvalAndOptimizer ? eval.c_str() : nullptr,
            withEvalAndOptimizer ? optimizer.c_str() : nullptr, session.out()));
    }

    /// Returns: the loss; NaN after an error.
    double trainStep(const std::vector<Tensor>& inputs) {
        OrtOwned<OrtValue> first = valueOver(inputs[0]), second = valueOver(inputs[1]);
        const OrtValue* values[] = {first, second};
        OrtOwned<OrtValue> loss;
        OrtValue** out = loss.out();
        const QString error =
            messageOf(ortTraining().TrainStep(session, nullptr, 2, values, 1, out));
        return error.isEmpty() ? tensorOf(loss.get()).toDouble() : std::nan("");
    }
};

}  // namespace temper::test
