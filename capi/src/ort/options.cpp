// SPDX-License-Identifier: Apache-2.0
// Environments and options. Most options have no equivalent: they choose between ways to compute
// the same, or where to log. They are accepted.
#include <algorithm>

#include "capi/src/arguments.h"
#include "capi/src/ort/status.h"

namespace temper::capi::ort {
namespace {

/// Accepts an option that has no effect here.
template <typename Object, typename... Arguments>
OrtStatus* accept(Object* object, Arguments...) {
    return guarded([&] { required(object, "options"); });
}

// ---- environments ------------------------------------------------------------------------------

OrtStatus* createEnv(OrtLoggingLevel /*level*/, const char* /*id*/, OrtEnv** env) {
    return guarded([&] { set(env, new OrtEnv, "env"); });
}

OrtStatus* createEnvWithLogger(OrtLoggingFunction /*function*/, void* /*param*/,
                               OrtLoggingLevel level, const char* id, OrtEnv** env) {
    return createEnv(level, id, env);
}

void releaseEnv(OrtEnv* env) { delete env; }

// ---- session options ---------------------------------------------------------------------------

OrtStatus* createSessionOptions(OrtSessionOptions** options) {
    return guarded([&] { set(options, new OrtSessionOptions, "options"); });
}

OrtStatus* cloneSessionOptions(const OrtSessionOptions* options, OrtSessionOptions** copy) {
    return guarded([&] { set(copy, new OrtSessionOptions(required(options, "options")), "copy"); });
}

void releaseSessionOptions(OrtSessionOptions* options) { delete options; }

OrtStatus* setThreads(OrtSessionOptions* options, int threads) {
    return guarded([&] { required(options, "options").threads = std::clamp(threads, 0, 4096); });
}

OrtStatus* addEntry(OrtSessionOptions* options, const char* key, const char* value) {
    return guarded([&] {
        auto& entries = required(options, "options").entries;
        entries.insert_or_assign(requiredText(key, "key"), requiredText(value, "value"));
    });
}

OrtStatus* hasEntry(const OrtSessionOptions* options, const char* key, int* has) {
    return guarded([&] {
        const auto& entries = required(options, "options").entries;
        set(has, entries.contains(requiredText(key, "key")) ? 1 : 0, "has");
    });
}

/// `size`: of the buffer, then of the value with its final 0.
OrtStatus* getEntry(const OrtSessionOptions* options, const char* key, char* value, size_t* size) {
    return guarded([&] {
        const auto& entries = required(options, "options").entries;
        const std::string name = requiredText(key, "key");
        const auto found = entries.find(name);
        if (found == entries.end())
            throw Error(ErrorCode::InvalidInput, "Session config entry '" + name + "' not found.");
        const size_t needed = found->second.size() + 1;
        const size_t room = std::exchange(required(size, "size"), needed);
        if (value == nullptr) return;
        if (room < needed) {
            throw Error(ErrorCode::InvalidInput, "The buffer has " + std::to_string(room) +
                                                     " bytes; expected " + std::to_string(needed) +
                                                     ".");
        }
        std::copy_n(found->second.c_str(), needed, value);
    });
}

// ---- run options -------------------------------------------------------------------------------

OrtStatus* createRunOptions(OrtRunOptions** options) {
    return guarded([&] { set(options, new OrtRunOptions, "options"); });
}

void releaseRunOptions(OrtRunOptions* options) { delete options; }

template <int OrtRunOptions::*member>
OrtStatus* setNumber(OrtRunOptions* options, int value) {
    return guarded([&] { required(options, "options").*member = value; });
}

template <int OrtRunOptions::*member>
OrtStatus* getNumber(const OrtRunOptions* options, int* value) {
    return guarded([&] { set(value, required(options, "options").*member, "value"); });
}

OrtStatus* setTag(OrtRunOptions* options, const char* tag) {
    return guarded([&] { required(options, "options").tag = requiredText(tag, "tag"); });
}

OrtStatus* getTag(const OrtRunOptions* options, const char** tag) {
    return guarded([&] { set(tag, required(options, "options").tag.c_str(), "tag"); });
}

void addRunOptionFunctions(OrtApi& api) {
    api.CreateRunOptions = createRunOptions;
    api.ReleaseRunOptions = releaseRunOptions;
    api.RunOptionsSetRunLogVerbosityLevel = setNumber<&OrtRunOptions::verbosity>;
    api.RunOptionsGetRunLogVerbosityLevel = getNumber<&OrtRunOptions::verbosity>;
    api.RunOptionsSetRunLogSeverityLevel = setNumber<&OrtRunOptions::severity>;
    api.RunOptionsGetRunLogSeverityLevel = getNumber<&OrtRunOptions::severity>;
    api.RunOptionsSetRunTag = setTag;
    api.RunOptionsGetRunTag = getTag;
    api.RunOptionsUnsetTerminate = accept;
    api.AddRunConfigEntry = accept;
}

}  // namespace

void addOptionFunctions(OrtApi& api) {
    api.CreateEnv = createEnv;
    api.CreateEnvWithCustomLogger = createEnvWithLogger;
    api.EnableTelemetryEvents = accept;
    api.DisableTelemetryEvents = accept;
    api.SetLanguageProjection = accept;
    api.UpdateEnvWithCustomLogLevel = accept;
    api.ReleaseEnv = releaseEnv;

    api.CreateSessionOptions = createSessionOptions;
    api.CloneSessionOptions = cloneSessionOptions;
    api.ReleaseSessionOptions = releaseSessionOptions;
    api.SetIntraOpNumThreads = setThreads;
    api.AddSessionConfigEntry = addEntry;
    api.HasSessionConfigEntry = hasEntry;
    api.GetSessionConfigEntry = getEntry;
    api.SetInterOpNumThreads = accept;
    api.SetSessionExecutionMode = accept;
    api.SetSessionGraphOptimizationLevel = accept;
    api.DisableProfiling = accept;
    api.EnableMemPattern = accept;
    api.DisableMemPattern = accept;
    api.EnableCpuMemArena = accept;
    api.DisableCpuMemArena = accept;
    api.SetSessionLogId = accept;
    api.SetSessionLogVerbosityLevel = accept;
    api.SetSessionLogSeverityLevel = accept;
    api.SetUserLoggingFunction = accept;
    api.SetDeterministicCompute = accept;
    addRunOptionFunctions(api);
}

}  // namespace temper::capi::ort
