// SPDX-License-Identifier: Apache-2.0
#include "capi/src/ort/status.h"

#include <new>

#include "capi/src/arguments.h"
#include "engine/core/error.h"

namespace temper::capi::ort {
namespace {

/// What is returned if there is no memory for anything else; it is never freed.
OrtStatus* lastResort() {
    static OrtStatus kStatus{ORT_FAIL, "Out of memory."};
    return &kStatus;
}

OrtErrorCode codeOf(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidInput: return ORT_INVALID_ARGUMENT;
        case ErrorCode::NotFound: return ORT_NO_SUCHFILE;
        case ErrorCode::Unsupported: return ORT_NOT_IMPLEMENTED;
        case ErrorCode::Io:
        case ErrorCode::Numeric:
        case ErrorCode::State: return ORT_FAIL;
        case ErrorCode::Internal: return ORT_RUNTIME_EXCEPTION;
    }
    return ORT_FAIL;
}

OrtStatus translated(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const Error& error) {
        const std::string hint = error.hint().empty() ? "" : " " + error.hint();
        return {codeOf(error.code()), error.what() + hint};
    } catch (const std::exception& error) {
        return {ORT_RUNTIME_EXCEPTION, error.what()};
    } catch (...) {
        return {ORT_RUNTIME_EXCEPTION, "An unknown exception was thrown."};
    }
}

OrtStatus* createStatus(OrtErrorCode code, const char* message) noexcept {
    try {
        return new OrtStatus{code, optionalText(message)};
    } catch (...) {
        return lastResort();
    }
}

OrtErrorCode getErrorCode(const OrtStatus* status) {
    return status == nullptr ? ORT_OK : status->code;
}

const char* getErrorMessage(const OrtStatus* status) {
    return status == nullptr ? "" : status->message.c_str();
}

void releaseStatus(OrtStatus* status) {
    if (status != lastResort()) delete status;
}

}  // namespace

OrtStatus* statusOf(const std::exception_ptr& exception) noexcept {
    try {
        return new OrtStatus(translated(exception));
    } catch (...) {
        return lastResort();
    }
}

OrtStatus* notImplemented(const char* function) noexcept {
    return guarded([&] {
        throw Error(ErrorCode::Unsupported,
                    "Temper does not implement " + std::string(function) + " of ONNX Runtime.");
    });
}

void addStatusFunctions(OrtApi& api) {
    api.CreateStatus = createStatus;
    api.GetErrorCode = getErrorCode;
    api.GetErrorMessage = getErrorMessage;
    api.ReleaseStatus = releaseStatus;
}

}  // namespace temper::capi::ort
