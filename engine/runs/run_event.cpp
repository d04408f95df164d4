// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/run_event.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/core/error.h"

namespace temper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kOutcomes{"finished", "stopped", "failed"};

Json toJson(const std::map<std::string, double>& metrics) {
    Json json = Json::object();
    for (const auto& [name, value] : metrics) json[name] = value;
    return json;
}

Json toJson(const ConfusionMatrix& matrix) {
    Json rows = Json::array();
    const size_t count = matrix.classes.size();
    for (size_t truth = 0; truth < count; ++truth) {
        Json row = Json::array();
        for (size_t predicted = 0; predicted < count; ++predicted) {
            row.push_back(matrix.at(truth, predicted));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Json toJson(const LayerStatistics& layer) {
    return {{"name", layer.name},
            {"elements", layer.elements},
            {"weight_norm", layer.weightNorm},
            {"grad_norm", layer.gradientNorm},
            {"update_ratio", layer.updateRatio},
            {"zero_weights", layer.zeroWeights},
            {"zero_gradients", layer.zeroGradients},
            {"units", layer.units},
            {"dead_units", layer.deadUnits}};
}

struct FactWriter {
    Json& json;

    void operator()(const StartedEvent& fact) const {
        json["event"] = "start";
        json["train_samples"] = fact.trainSamples;
        json["eval_samples"] = fact.evalSamples;
        json["total_steps"] = fact.totalSteps;
        json["steps_per_epoch"] = fact.stepsPerEpoch;
        json["first_step"] = fact.firstStep;
        json["trainable_parameters"] = fact.trainableParameters;
        json["parameters"] = fact.parameters;
    }
    void operator()(const StepEvent& fact) const {
        json["event"] = "step";
        json["step"] = fact.step;
        json["epoch"] = fact.epoch;
        json["loss"] = fact.loss;
        json["learning_rate"] = fact.learningRate;
        json["grad_norm"] = fact.gradientNorm;
        json["samples"] = fact.samples;
        json["step_seconds"] = fact.stepSeconds;
        json["data_wait_seconds"] = fact.dataWaitSeconds;
        json["arena_bytes"] = fact.arenaBytes;
    }
    void operator()(const EpochEvent& fact) const {
        json["event"] = "epoch";
        json["step"] = fact.step;
        json["epoch"] = fact.epoch;
        json["loss"] = fact.meanLoss;
        json["seconds"] = fact.seconds;
    }
    void operator()(const EvalEvent& fact) const {
        json["event"] = "eval";
        json["step"] = fact.step;
        json["epoch"] = fact.epoch;
        json["loss"] = fact.loss;
        json["metrics"] = toJson(fact.metrics);
        json["samples"] = fact.samples;
        json["best"] = fact.isBest;
        json["without_improvement"] = fact.withoutImprovement;
        if (fact.confusion == nullptr) return;
        json["confusion_matrix"] = toJson(*fact.confusion);
        json["classes"] = fact.confusion->classes;
    }
    void operator()(const CheckpointEvent& fact) const {
        json["event"] = "checkpoint";
        json["step"] = fact.step;
        json["kind"] = fact.kind;
        json["path"] = fact.path;
    }
    void operator()(const CheckpointRemovedEvent& fact) const {
        json["event"] = "checkpoint_removed";
        json["step"] = fact.step;
        json["path"] = fact.path;
    }
    void operator()(const WarningEvent& fact) const {
        json["event"] = "warning";
        json["step"] = fact.step;
        json["message"] = fact.message;
        json["hint"] = fact.hint;
    }
    void operator()(const PausedEvent& fact) const {
        json["event"] = "pause";
        json["step"] = fact.step;
    }
    void operator()(const ResumedEvent& fact) const {
        json["event"] = "resume";
        json["step"] = fact.step;
    }
    void operator()(const LearningRateEvent& fact) const {
        json["event"] = "learning_rate";
        json["step"] = fact.step;
        json["learning_rate"] = fact.learningRate;
        json["follows_schedule"] = fact.followsSchedule;
    }
    void operator()(const RolledBackEvent& fact) const {
        json["event"] = "rolled_back";
        json["step"] = fact.step;
        json["from_step"] = fact.fromStep;
    }
    void operator()(const LayersEvent& fact) const {
        json["event"] = "layers";
        json["step"] = fact.step;
        json["interval"] = fact.interval;
        json["cost_share"] = fact.costShare;
        Json layers = Json::array();
        if (fact.layers != nullptr)
            for (const LayerStatistics& layer : *fact.layers) layers.push_back(toJson(layer));
        json["layers"] = std::move(layers);
    }
    void operator()(const EndEvent& fact) const {
        json["event"] = "end";
        json["step"] = fact.step;
        json["outcome"] = outcomeName(fact.outcome);
        json["seconds"] = fact.seconds;
        json["message"] = fact.message;
        json["hint"] = fact.hint;
        json["node"] = fact.node;
        if (!fact.code.empty()) json["code"] = fact.code;
        if (fact.goodStep) json["good_step"] = *fact.goodStep;
    }
};

/// Fields of one line, checked as they are read.
class Fields {
public:
    explicit Fields(const Json& json) : json_(json) {}

    double number(const char* key) const {
        const Json& value = field(key);
        if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
        if (!value.is_number()) throwWrong(key, "a number");
        return value.get<double>();
    }
    int64_t integer(const char* key) const {
        const Json& value = field(key);
        if (!value.is_number_integer()) throwWrong(key, "an integer");
        return value.get<int64_t>();
    }
    std::optional<int64_t> optionalInteger(const char* key) const {
        return json_.contains(key) ? std::optional(integer(key)) : std::nullopt;
    }
    std::string text(const char* key) const {
        const Json& value = field(key);
        if (!value.is_string()) throwWrong(key, "a string");
        return value.get<std::string>();
    }
    std::optional<std::string> optionalText(const char* key) const {
        return json_.contains(key) ? std::optional(text(key)) : std::nullopt;
    }
    bool flag(const char* key) const {
        const Json& value = field(key);
        if (!value.is_boolean()) throwWrong(key, "true or false");
        return value.get<bool>();
    }
    std::optional<bool> optionalFlag(const char* key) const {
        return json_.contains(key) ? std::optional(flag(key)) : std::nullopt;
    }
    std::shared_ptr<const std::vector<LayerStatistics>> layers() const {
        const Json& list = field("layers");
        if (!list.is_array()) throwWrong("layers", "an array");
        auto layers = std::make_shared<std::vector<LayerStatistics>>();
        for (const Json& item : list) layers->push_back(Fields(item).layer());
        return layers;
    }
    LayerStatistics layer() const {
        return {.name = text("name"),
                .elements = integer("elements"),
                .weightNorm = number("weight_norm"),
                .gradientNorm = number("grad_norm"),
                .updateRatio = number("update_ratio"),
                .zeroWeights = number("zero_weights"),
                .zeroGradients = number("zero_gradients"),
                .units = optionalInteger("units").value_or(0),
                .deadUnits = optionalInteger("dead_units").value_or(0)};
    }
    std::map<std::string, double> numbers(const char* key) const {
        const Json& object = field(key);
        if (!object.is_object()) throwWrong(key, "an object of numbers");
        std::map<std::string, double> result;
        const Fields fields(object);
        for (const auto& item : object.items()) {
            result[item.key()] = fields.number(item.key().c_str());
        }
        return result;
    }
    std::shared_ptr<const ConfusionMatrix> confusion() const {
        if (!json_.contains("confusion_matrix")) return nullptr;
        auto matrix = std::make_shared<ConfusionMatrix>();
        for (const Json& name : field("classes")) {
            if (!name.is_string()) throwWrong("classes", "an array of strings");
            matrix->classes.push_back(name.get<std::string>());
        }
        for (const Json& row : field("confusion_matrix")) appendRow(row, *matrix);
        if (matrix->counts.size() != matrix->classes.size() * matrix->classes.size()) {
            throwWrong("confusion_matrix", "one row and one column for each class");
        }
        return matrix;
    }

private:
    const Json& field(const char* key) const {
        const auto found = json_.find(key);
        if (found == json_.end()) throwWrong(key, "it to be there");
        return *found;
    }
    static void appendRow(const Json& row, ConfusionMatrix& matrix) {
        for (const Json& count : row) {
            if (!count.is_number_integer()) throwWrong("confusion_matrix", "rows of integers");
            matrix.counts.push_back(count.get<int64_t>());
        }
    }
    [[noreturn]] static void throwWrong(const std::string& key, const std::string& expected) {
        throw Error(ErrorCode::InvalidInput,
                    "Field '" + key + "' of a run event is wrong; expected " + expected + ".",
                    "The log is damaged or was not written by Temper.");
    }

    const Json& json_;
};

RunOutcome outcomeFromName(const std::string& name) {
    for (size_t i = 0; i < kOutcomes.size(); ++i) {
        if (kOutcomes[i] == name) return static_cast<RunOutcome>(i);
    }
    throw Error(ErrorCode::InvalidInput,
                "The outcome '" + name +
                    "' of a run is not known; expected 'finished', 'stopped' "
                    "or 'failed'.");
}

StartedEvent readStarted(const Fields& fields) {
    return {.trainSamples = fields.integer("train_samples"),
            .evalSamples = fields.integer("eval_samples"),
            .totalSteps = fields.integer("total_steps"),
            .stepsPerEpoch = fields.integer("steps_per_epoch"),
            .firstStep = fields.integer("first_step"),
            .trainableParameters = fields.integer("trainable_parameters"),
            .parameters = fields.integer("parameters")};
}

StepEvent readStep(const Fields& fields) {
    return {.step = fields.integer("step"),
            .epoch = fields.number("epoch"),
            .loss = fields.number("loss"),
            .learningRate = fields.number("learning_rate"),
            .gradientNorm = fields.number("grad_norm"),
            .samples = fields.integer("samples"),
            .stepSeconds = fields.number("step_seconds"),
            .dataWaitSeconds = fields.number("data_wait_seconds"),
            .arenaBytes = static_cast<size_t>(fields.optionalInteger("arena_bytes").value_or(0))};
}

EvalEvent readEval(const Fields& fields) {
    return {.step = fields.integer("step"),
            .epoch = fields.number("epoch"),
            .loss = fields.number("loss"),
            .metrics = fields.numbers("metrics"),
            .samples = fields.integer("samples"),
            .confusion = fields.confusion(),
            .isBest = fields.optionalFlag("best").value_or(false),
            .withoutImprovement = fields.optionalInteger("without_improvement").value_or(0)};
}

EndEvent readEnd(const Fields& fields) {
    return {.outcome = outcomeFromName(fields.text("outcome")),
            .step = fields.integer("step"),
            .seconds = fields.number("seconds"),
            .message = fields.text("message"),
            .hint = fields.text("hint"),
            .node = fields.text("node"),
            .code = fields.optionalText("code").value_or(""),
            .goodStep = fields.optionalInteger("good_step")};
}

RunFact readFact(const std::string& event, const Fields& fields) {
    if (event == "start") return readStarted(fields);
    if (event == "step") return readStep(fields);
    if (event == "epoch") {
        return EpochEvent{fields.integer("epoch"), fields.integer("step"), fields.number("loss"),
                          fields.number("seconds")};
    }
    if (event == "eval") return readEval(fields);
    if (event == "checkpoint") {
        return CheckpointEvent{fields.integer("step"), fields.text("kind"), fields.text("path")};
    }
    if (event == "checkpoint_removed") {
        return CheckpointRemovedEvent{fields.integer("step"), fields.text("path")};
    }
    if (event == "warning") {
        return WarningEvent{fields.integer("step"), fields.text("message"), fields.text("hint")};
    }
    if (event == "pause") return PausedEvent{fields.integer("step")};
    if (event == "resume") return ResumedEvent{fields.integer("step")};
    if (event == "learning_rate") {
        return LearningRateEvent{fields.integer("step"), fields.number("learning_rate"),
                                 fields.flag("follows_schedule")};
    }
    if (event == "rolled_back") {
        return RolledBackEvent{fields.integer("step"), fields.integer("from_step")};
    }
    if (event == "layers") {
        return LayersEvent{fields.integer("step"), fields.integer("interval"),
                           fields.number("cost_share"), fields.layers()};
    }
    if (event == "end") return readEnd(fields);
    throw Error(ErrorCode::InvalidInput, "The run event '" + event + "' is not known.",
                "The log was written by a newer Temper or another program.");
}

}  // namespace

void MagnitudeHistogram::add(float value) {
    const uint32_t magnitude = std::bit_cast<uint32_t>(value) & 0x7fffffffU;
    if (magnitude == 0) {
        ++zeros;
        return;
    }
    const int exponent = static_cast<int>(magnitude >> 23) - 127;  // of subnormals: the least
    if (exponent == 128) {
        ++notFinite;
        return;
    }
    ++counts[static_cast<size_t>(std::clamp(exponent - kLowestExponent, 0, kBins - 1))];
}

uint64_t MagnitudeHistogram::total() const {
    return std::accumulate(counts.begin(), counts.end(), uint64_t{zeros} + notFinite);
}

double MagnitudeHistogram::zeroShare() const {
    const uint64_t all = total();
    return all > 0 ? static_cast<double>(zeros) / static_cast<double>(all) : 0;
}

std::string_view outcomeName(RunOutcome outcome) { return kOutcomes[static_cast<size_t>(outcome)]; }

std::string toJsonLine(const RunEvent& event) {
    Json json;
    json["event"] = nullptr;
    json["time"] = event.time;
    std::visit(FactWriter{json}, event.fact);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunEvent runEventFromJsonLine(std::string_view line) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) {
        throw Error(ErrorCode::InvalidInput, "The line is not a JSON object.",
                    "Expected a log that `temper train --log` wrote.");
    }
    const Fields fields(json);
    return {fields.number("time"), readFact(fields.text("event"), fields)};
}

}  // namespace temper
