// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "capi/include/onnxruntime/onnxruntime_training_c_api.h"
#include "capi/src/inference.h"
#include "capi/src/model.h"
#include "capi/src/session.h"
#include "engine/core/tensor.h"

// The types of ONNX Runtime's C API, which programs see as pointers.

struct OrtStatus {
    OrtErrorCode code = ORT_OK;
    std::string message;
};

/// Temper has no environment: it neither logs nor shares threads.
struct OrtEnv {};

struct OrtMemoryInfo {
    std::string name;
    OrtAllocatorType type = OrtDeviceAllocator;
    int id = 0;
    OrtMemType memType = OrtMemTypeDefault;
};

struct OrtValue {
    explicit OrtValue(temper::Tensor value) : tensor(std::move(value)) {}

    temper::Tensor tensor;
};

struct OrtTensorTypeAndShapeInfo {
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    std::vector<int64_t> dims;         ///< -1: not a number
    std::vector<std::string> symbols;  ///< as many; "" for numbers and nameless dimensions
};

/// Of a tensor; Temper has no other values.
struct OrtTypeInfo {
    OrtTensorTypeAndShapeInfo tensor;
};

struct OrtSessionOptions {
    int threads = 0;  ///< 0: one per core
    std::map<std::string, std::string> entries;
};

struct OrtRunOptions {
    int verbosity = 0;
    int severity = ORT_LOGGING_LEVEL_WARNING;
    std::string tag;
};

struct OrtSession {
    OrtSession(std::unique_ptr<TemperModel> opened, int threads)
        : model(std::move(opened)), inference(*model, {}, threads) {}

    std::unique_ptr<TemperModel> model;
    TemperInference inference;
};

struct OrtCheckpointState {
    std::shared_ptr<temper::capi::SharedState> shared;
};

struct OrtTrainingSession {
    OrtTrainingSession(const temper::Artifacts& artifacts, const OrtCheckpointState& state,
                       const temper::SessionOptions& options)
        : session(artifacts, state.shared, options) {}

    mutable TemperSession session;  ///< ONNX Runtime's EvalStep takes a constant one
};
