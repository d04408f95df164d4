// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"

#include <algorithm>
#include <utility>

namespace temper {

Error::Error(ErrorCode code, const std::string& message, std::string hint)
    : std::runtime_error(message),
      code_(code),
      message_(message),
      hint_(std::move(hint)),
      full_(message) {}

void Error::addContext(const std::string& context) {
    context_.insert(context_.begin(), context);
    full_ = context + ": " + full_;
}

std::string_view severityName(Severity severity) {
    switch (severity) {
        case Severity::Info: return "info";
        case Severity::Warning: return "warning";
        case Severity::Error: return "error";
    }
    return "error";
}

bool hasErrors(const std::vector<Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.severity == Severity::Error; });
}

void assertionFailed(const char* condition, const char* why, const char* file, int line) {
    const std::string_view path(file);
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    throw Error(ErrorCode::Internal,
                std::string("Internal error in ") + std::string(name) + ":" + std::to_string(line) +
                    ": " + why + " (" + condition + ")",
                "This is a bug in Temper; please report it with the file that caused it.");
}

}  // namespace temper
