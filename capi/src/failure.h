// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "capi/include/temper/temper.h"
#include "capi/src/findings.h"
#include "engine/core/error.h"

/// What happened, for the program.
struct TemperFailure {
    TemperStatus status = TEMPER_OK;
    std::string message;
    std::string hint;
    TemperFindings findings;
};

namespace temper::capi {

/// An error with all of its findings; its message is that of the first one that is an error.
class FindingsError : public Error {
public:
    explicit FindingsError(std::vector<Finding> findings);

    const std::vector<Finding>& findings() const { return findings_; }

private:
    std::vector<Finding> findings_;
};

TemperStatus statusOf(ErrorCode code);

/// The exception as a status, with its texts in `failure`, unless that is null.
TemperStatus report(TemperFailure** failure, const std::exception_ptr& exception) noexcept;

/// Does the work of a function of the C interface: no exception leaves it.
template <typename F>
TemperStatus guarded(TemperFailure** failure, F&& work) noexcept {
    if (failure != nullptr) *failure = nullptr;
    try {
        work();
        return TEMPER_OK;
    } catch (...) {
        return report(failure, std::current_exception());
    }
}

}  // namespace temper::capi
