// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session_feeds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "app/cli/tensor_json.h"
#include "engine/core/joined.h"
#include "engine/core/printable.h"
#include "engine/training/binding/default_inputs.h"
#include "engine/training/binding/target_input.h"
#include "engine/training/binding/target_values.h"
#include "engine/training/loss/label_shapes.h"
#include "engine/training/session/module.h"

namespace temper::cli {
namespace {

/// Checks what the input types leave open: the shape of the labels against that of the prediction.
void checkLabels(const TrainingSession& session, const Feeds& feeds, CliContext& context) {
    const Graph& model = graphWithLoss(session);
    const OpCatalog& catalog = session.context().ops->catalog;
    const LossInfo loss = describeLoss(model);
    const std::map<std::string, Shape> shapes = feeds.shapesOf(allFeedInputsOf(session));
    if (const auto objection = objectionToLabels(model, catalog, loss, shapes))
        throw Error(ErrorCode::InvalidInput, objection->message, objection->hint);
    if (const auto doubt = doubtAboutLabels(model, catalog, loss, shapes))
        printProblem(context.err, "warning", doubt->message, doubt->hint);
}

/// The number of samples per batch; absent if no array determines it.
std::optional<int64_t> batchSizeOf(const std::map<std::string, Shape>& batches) {
    for (const auto& [input, shape] : batches) {
        if (!shape.empty()) return shape.front();
    }
    return std::nullopt;
}

void addDefaults(const TrainingSession& session, Feeds& feeds, CliContext& context) {
    const std::vector<FeedInput> inputs = allFeedInputsOf(session);
    const std::map<std::string, Shape> batches = feeds.shapesOf(inputs);
    const std::optional<int64_t> size = batchSizeOf(batches);
    if (!size) return;
    std::map<std::string, Shape> samples;
    for (const auto& [input, shape] : batches) {
        if (!shape.empty()) samples.emplace(input, Shape(shape.begin() + 1, shape.end()));
    }
    const DefaultInputs defaults(inputTypesOf(session), samples);
    for (const FeedInput& input : inputs) {
        if (batches.contains(input.name)) continue;
        const std::optional<DefaultInput> usual = defaults.of(input.name);
        if (!usual) continue;
        feeds.add(input.name, repeatSample(usual->field.sample, *size));
        context.err << "note: Input " << quotedList({input.name})
                    << " has no array and is fed with " << usual->what << ".\n";
    }
}

/// JSON has neither NaN nor infinity.
std::string scalarText(const Tensor& scalar) {
    const double value = isFloating(scalar.dtype()) ? scalar.toDouble() : 0;
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return toJson(scalar).dump();
}

}  // namespace

Feeds loadFeedsFor(const TrainingSession& session, const std::string& path, CliContext& context) {
    Feeds feeds = Feeds::load(path);
    feeds.requireOnly(allFeedInputsOf(session));
    checkLabels(session, feeds, context);
    addDefaults(session, feeds, context);
    return feeds;
}

void requireTargetsInRange(const TrainingSession& session, const Feeds& feeds) {
    for (const RangedTarget& target : rangedTargets(graphWithLoss(session))) {
        const Tensor* array = feeds.find(target.input);
        if (array == nullptr) continue;
        const auto objection = objectionToValues(target, *array, "array '" + target.input + "'");
        if (objection) throw Error(ErrorCode::InvalidInput, objection->message, objection->hint);
    }
}

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
    const size_t count = std::min(names.size(), outputs.size());
    return joinedIndices(count, [&](size_t i) {
        const Tensor& output = outputs[i];
        const bool isScalar = output.numElements() == 1;
        return printableLine(names[i]) + " " +
               (isScalar ? scalarText(output.reshaped({})) : formatShape(output.shape()));
    });
}

}  // namespace temper::cli
