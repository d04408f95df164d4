// SPDX-License-Identifier: Apache-2.0
#include "capi/src/failure.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

namespace temper::capi {
namespace {

const Finding& firstError(const std::vector<Finding>& findings) {
    const auto found = std::ranges::find(findings, Severity::Error, &Finding::severity);
    TEMPER_ASSERT(found != findings.end(), "one of the findings is an error");
    return *found;
}

/// Throws: std::bad_alloc.
TemperFailure failureOf(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const FindingsError& error) {
        return {statusOf(error.code()), error.what(), error.hint(),
                TemperFindings(error.findings())};
    } catch (const Error& error) {
        return {statusOf(error.code()), error.what(), error.hint(), {}};
    } catch (const std::bad_alloc&) {
        return {TEMPER_INTERNAL, "Not enough memory.", "", {}};
    } catch (const std::exception& error) {
        return {TEMPER_INTERNAL, error.what(), "", {}};
    } catch (...) {
        return {TEMPER_INTERNAL, "An unknown exception was thrown.", "", {}};
    }
}

}  // namespace

FindingsError::FindingsError(std::vector<Finding> findings)
    : Error(ErrorCode::InvalidInput, firstError(findings).message, firstError(findings).hint),
      findings_(std::move(findings)) {}

TemperStatus statusOf(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidInput: return TEMPER_INVALID_INPUT;
        case ErrorCode::NotFound: return TEMPER_NOT_FOUND;
        case ErrorCode::Unsupported: return TEMPER_UNSUPPORTED;
        case ErrorCode::Io: return TEMPER_IO;
        case ErrorCode::Numeric: return TEMPER_NUMERIC;
        case ErrorCode::State: return TEMPER_STATE;
        case ErrorCode::Internal: return TEMPER_INTERNAL;
    }
    return TEMPER_INTERNAL;
}

TemperStatus report(TemperFailure** failure, const std::exception_ptr& exception) noexcept {
    try {
        auto made = std::make_unique<TemperFailure>(failureOf(exception));
        const TemperStatus status = made->status;
        if (failure != nullptr) *failure = made.release();
        return status;
    } catch (...) {  // there is no memory for the texts either
        return TEMPER_INTERNAL;
    }
}

}  // namespace temper::capi

using namespace temper;

TemperStatus temper_failure_status(const TemperFailure* failure) {
    return failure == nullptr ? TEMPER_OK : failure->status;
}

const char* temper_failure_message(const TemperFailure* failure) {
    return failure == nullptr ? "" : failure->message.c_str();
}

const char* temper_failure_hint(const TemperFailure* failure) {
    return failure == nullptr ? "" : failure->hint.c_str();
}

const TemperFindings* temper_failure_findings(const TemperFailure* failure) {
    return failure == nullptr ? nullptr : &failure->findings;
}

void temper_failure_release(TemperFailure* failure) { delete failure; }
