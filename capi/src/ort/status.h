// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "capi/src/ort/objects.h"

namespace temper::capi::ort {

/// The exception as a status; never null, also if there is no memory for it.
OrtStatus* statusOf(const std::exception_ptr& exception) noexcept;
/// ORT_NOT_IMPLEMENTED, naming the function.
OrtStatus* notImplemented(const char* function) noexcept;

/// Does the work of a function of the C interface: no exception leaves it.
template <typename F>
OrtStatus* guarded(F&& work) noexcept {
    try {
        work();
        return nullptr;
    } catch (...) {
        return statusOf(std::current_exception());
    }
}

/// A text as a template argument.
template <size_t N>
struct Name {
    constexpr Name(const char (&text)[N]) {  // NOLINT(google-explicit-constructor)
        for (size_t i = 0; i < N; ++i) characters[i] = text[i];
    }
    char characters[N] = {};
};

/// A function of ONNX Runtime that Temper does not have; without a status, it does nothing.
template <Name name, typename Function>
struct Missing;

template <Name name, typename... Arguments>
struct Missing<name, OrtStatus* (*)(Arguments...)> {
    static OrtStatus* call(Arguments...) { return notImplemented(name.characters); }
};

template <Name name, typename Result, typename... Arguments>
struct Missing<name, Result (*)(Arguments...)> {
    static Result call(Arguments...) { return Result(); }
};

// What Temper has, by subject.
void addStatusFunctions(OrtApi& api);
void addOptionFunctions(OrtApi& api);
void addMemoryFunctions(OrtApi& api);
void addTensorFunctions(OrtApi& api);
void addTextFunctions(OrtApi& api);
void addTypeFunctions(OrtApi& api);
void addInferenceFunctions(OrtApi& api);
void addCheckpointFunctions(OrtTrainingApi& api);
void addTrainingFunctions(OrtTrainingApi& api);

}  // namespace temper::capi::ort
