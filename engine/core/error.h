// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace temper {

/// What kind of thing went wrong. Programs map it to an exit status or an icon.
enum class ErrorCode {
    InvalidInput,  ///< a file, an argument or data from outside is wrong (exit status 2)
    NotFound,      ///< a file or a name does not exist (exit status 2)
    Unsupported,   ///< valid, but not something this program can do (exit status 2)
    Io,            ///< the operating system refused: permission, disk full, ... (exit status 1)
    Numeric,       ///< NaN or infinity where a number is needed (exit status 1)
    State,         ///< the call is not possible now, e.g. a step with a nominal checkpoint (exit 1)
    Internal,      ///< a bug in this program (exit status 1)
};

/// The engine's only exception class.
///
/// `what()` is one sentence that names the thing, what was found and what was expected;
/// `hint()` says what to do and may be empty. Callers may add context as it propagates.
class Error : public std::runtime_error {
public:
    Error(ErrorCode code, const std::string& message, std::string hint = {});

    ErrorCode code() const { return code_; }
    const std::string& message() const { return message_; }
    const std::string& hint() const { return hint_; }
    const std::vector<std::string>& context() const { return context_; }

    /// The message, after the contexts from the outermost to the innermost: "a: b: message".
    const char* what() const noexcept override { return full_.c_str(); }

    /// Names the operation in progress; the outermost context is added last.
    void addContext(const std::string& context);

private:
    ErrorCode code_;
    std::string message_;
    std::string hint_;
    std::vector<std::string> context_;
    std::string full_;
};

enum class Severity { Info, Warning, Error };

std::string_view severityName(Severity severity);

/// One problem in the user's input. Findings are returned all at once, never thrown.
struct Finding {
    std::string code;  ///< stable, e.g. "G001"
    Severity severity = Severity::Error;
    std::string node;                     ///< name of the node concerned, or empty
    std::string op;                       ///< its operator, or empty
    std::string message;                  ///< what is wrong, one sentence
    std::string hint;                     ///< what to do
    std::vector<std::string> parameters;  ///< parameters concerned
    std::string block = {};               ///< the block that the node belongs to, or empty
};

bool hasErrors(const std::vector<Finding>& findings);

[[noreturn]] void assertionFailed(const char* condition, const char* why, const char* file,
                                  int line);

}  // namespace temper

/// A programming error: throws Error(Internal) naming the condition and its location.
#define TEMPER_ASSERT(condition, why)                                         \
    do {                                                                      \
        if (!(condition)) {                                                   \
            ::temper::assertionFailed(#condition, (why), __FILE__, __LINE__); \
        }                                                                     \
    } while (false)
