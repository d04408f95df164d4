// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session_feeds.h"

#include <algorithm>

#include "app/cli/tensor_json.h"
#include "engine/core/printable.h"

namespace temper::cli {

std::vector<FeedInput> feedInputsOf(const TrainingSession& session, bool training) {
    std::vector<FeedInput> inputs;
    for (const std::string& name : session.inputNames(training)) {
        inputs.push_back({name, session.inputType(name)});
    }
    return inputs;
}

std::vector<FeedInput> allFeedInputsOf(const TrainingSession& session) {
    std::vector<FeedInput> inputs = feedInputsOf(session, true);
    if (session.artifacts().evalModel == nullptr) return inputs;
    for (FeedInput& input : feedInputsOf(session, false)) {
        const bool known = std::ranges::find(inputs, input.name, &FeedInput::name) != inputs.end();
        if (!known) inputs.push_back(std::move(input));
    }
    return inputs;
}

Json outputsToJson(const std::vector<std::string>& names, std::span<const Tensor> outputs) {
    Json json = Json::object();
    for (size_t i = 0; i < names.size() && i < outputs.size(); ++i) {
        json[names[i]] = toJson(outputs[i]);
    }
    return json;
}

std::string outputsToText(const std::vector<std::string>& names, std::span<const Tensor> outputs) {
    std::string text;
    for (size_t i = 0; i < names.size() && i < outputs.size(); ++i) {
        const Tensor& output = outputs[i];
        const bool isScalar = output.numElements() == 1;
        text += (text.empty() ? "" : ", ") + printableLine(names[i]) + " " +
                (isScalar ? toJson(output.reshaped({})).dump() : formatShape(output.shape()));
    }
    return text;
}

}  // namespace temper::cli
