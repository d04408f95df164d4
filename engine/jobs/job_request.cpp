// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/job_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/jobs/job_json.h"
#include "engine/training/trainer/run_control.h"

namespace temper {
namespace {

using Kind = JobRequest::Kind;

constexpr std::string_view kEnding = ".ckpt";

/// In the order of Kind.
constexpr std::array<std::string_view, 10> kNames{
    "pause", "resume",   "step", "stop",      "stop-now", "stop-after-epoch",
    "rate",  "schedule", "pace", "checkpoint"};

std::string textOf(double number) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
    throw Error(ErrorCode::InvalidInput, message, hint);
}

bool hasValue(Kind kind) { return kind == Kind::Rate || kind == Kind::Pace; }

bool isPlainName(const std::string& name) {
    const auto isPlain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '-' || c == '_' || c == '.';
    };
    return name.size() > kEnding.size() && name.size() <= 200 && name.ends_with(kEnding) &&
           name.front() != '.' && std::ranges::all_of(name, isPlain);
}

void requireValid(const JobRequest& request) {
    if (hasValue(request.kind)) {
        const bool isPace = request.kind == Kind::Pace;
        const bool isGood =
            std::isfinite(request.value) && (isPace ? request.value >= 0 : request.value > 0);
        if (!isGood) {
            const std::string found = " is " + textOf(request.value) + "; expected a ";
            refuse(isPace ? "The pace" + found + "number of steps per second, or 0 for no limit."
                          : "The learning rate" + found + "positive number.",
                   "Specify another number.");
        }
    }
    if (request.kind == Kind::Checkpoint && !isPlainName(request.name)) {
        refuse("'" + request.name + "' can't be the name of a checkpoint.",
               "Specify a file name of letters, digits, '-', '_' and '.' that ends with .ckpt.");
    }
}

}  // namespace

std::string_view nameOf(JobRequest::Kind kind) { return kNames.at(static_cast<size_t>(kind)); }

JobRequest::Kind requestKindFromName(std::string_view name) {
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end())
        refuse("The request '" + std::string(name) + "' is unknown.",
               "Known are: " + joined(kNames) + ".");
    return static_cast<Kind>(found - kNames.begin());
}

std::string toJson(const JobRequest& request) {
    nlohmann::ordered_json json{{"request", nameOf(request.kind)}};
    if (hasValue(request.kind)) json["value"] = request.value;
    if (request.kind == Kind::Checkpoint) json["name"] = request.name;
    return jsonText(json);
}

JobRequest jobRequestFromJson(std::string_view text) {
    const auto request = fromJson(text, [](const nlohmann::json& json) {
        JobRequest read{.kind = requestKindFromName(json.at("request").get<std::string>())};
        if (hasValue(read.kind)) read.value = json.at("value").get<double>();
        if (read.kind == Kind::Checkpoint) read.name = json.at("name").get<std::string>();
        return read;
    });
    requireValid(request);
    return request;
}

void serve(const JobRequest& request, const std::filesystem::path& checkpoints,
           RunControl& control) {
    switch (request.kind) {
        case Kind::Pause: return control.pause();
        case Kind::Resume: return control.resume();
        case Kind::Step: return control.stepOnce();
        case Kind::Stop: return control.stop(true);
        case Kind::StopNow: return control.stop(false);
        case Kind::StopAfterEpoch: control.stopAfterEpoch(); return control.resume();
        case Kind::Rate: return control.setLearningRate(request.value);
        case Kind::Schedule: return control.followSchedule();
        case Kind::Pace: return control.setPace(request.value);
        case Kind::Checkpoint: return control.saveCheckpoint(checkpoints / request.name);
    }
}

}  // namespace temper
