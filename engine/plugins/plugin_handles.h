// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/core/error.h"
#include "engine/core/thread_pool.h"
#include "engine/ir/attribute.h"
#include "engine/plugins/plugin.h"

// The content of the handles that plugins receive.

struct TemperError {
    std::string message;
    std::string hint;
};

struct TemperNode {
    temper::Attributes attributes;  // a copy: kernels outlive the graph
};

struct TemperThreads {
    temper::ThreadPool& pool;
};

namespace temper {

/// Calls a plugin's function with an error to fill. `what` names its subject for messages, e.g.
/// "Operator 'com.example.Swish'".
/// Throws: Error(InvalidInput) with the plugin's message if it does not return 0.
template <typename F>
void callPlugin(const std::string& what, F&& call) {
    TemperError error;
    if (call(&error) == 0) return;
    throw Error(ErrorCode::InvalidInput,
                what + ": " +
                    (error.message.empty() ? "it failed without giving a reason." : error.message),
                error.hint);
}

/// The text, or "" for null.
inline std::string textOf(const char* text) { return text == nullptr ? std::string() : text; }

}  // namespace temper
