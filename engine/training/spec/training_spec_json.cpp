// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/training/spec/run_settings.h"
#include "engine/training/spec/training_spec.h"

namespace temper {
namespace {

using Json = nlohmann::ordered_json;

Json toJsonValue(const Selection& selection) {
    Json json = {{"key", selection.key}};
    for (const auto& [key, value] : selection.values) json["values"][key] = value;
    for (const auto& [key, list] : selection.lists) json["lists"][key] = list;
    return json;
}

template <typename T>
Json toJsonValue(const T& value) {
    return value;
}

Json toJsonValue(const HiddenUnits& units) { return units ? Json(*units) : Json(); }

Json toJsonValue(Precision precision) { return precisionName(precision); }

Json toJsonValue(const std::vector<ParameterGroup>& groups) {
    Json json = Json::array();
    for (const ParameterGroup& group : groups) {
        json.push_back(
            {{"pattern", group.pattern}, {"learning_rate_factor", group.learningRateFactor}});
        if (group.weightDecay) json.back()["weight_decay"] = *group.weightDecay;
        if (group.startStep != 0) json.back()["start_step"] = group.startStep;
    }
    return json;
}

constexpr auto kReplace = Json::error_handler_t::replace;

template <typename T>
constexpr bool kIsList = false;
template <typename T>
constexpr bool kIsList<std::vector<T>> = true;

template <typename T>
constexpr bool kIsMap = false;
template <typename V>
constexpr bool kIsMap<std::map<std::string, V>> = true;

/// What a member of type T has to be, in words; empty if `json` is that.
template <typename T>
const char* expectedFor(const Json& json) {
    if constexpr (std::is_same_v<T, bool>) {
        return json.is_boolean() ? "" : "true or false";
    } else if constexpr (std::is_unsigned_v<T>) {
        return json.is_number_unsigned() ? "" : "a whole number from 0";
    } else if constexpr (std::is_integral_v<T>) {
        return json.is_number_integer() ? "" : "a whole number";
    } else if constexpr (std::is_floating_point_v<T>) {
        return json.is_number() ? "" : "a number";
    } else if constexpr (std::is_same_v<T, std::string>) {
        return json.is_string() ? "" : "a text";
    } else if constexpr (kIsList<T>) {
        using Element = typename T::value_type;
        const auto isElement = [](const Json& each) { return *expectedFor<Element>(each) == 0; };
        if (json.is_array() && std::all_of(json.begin(), json.end(), isElement)) return "";
        if constexpr (std::is_integral_v<Element>) return "a list of whole numbers";
        if constexpr (std::is_floating_point_v<Element>) return "a list of numbers";
        return std::is_same_v<Element, std::string> ? "a list of texts" : "a list";
    } else if constexpr (kIsMap<T>) {
        using Element = typename T::mapped_type;
        const auto isElement = [](const Json& each) { return *expectedFor<Element>(each) == 0; };
        if (json.is_object() && std::all_of(json.begin(), json.end(), isElement)) return "";
        if constexpr (kIsList<Element>) return "an object of lists of numbers";
        return std::is_same_v<Element, std::string> ? "an object of texts" : "an object of numbers";
    } else {
        return json.is_structured() ? "" : "a list or an object";
    }
}

/// Reads the members of one JSON object; members that are not requested are an error.
class ObjectReader {
public:
    ObjectReader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
        if (json.is_object()) return;
        throw Error(
            ErrorCode::InvalidInput,
            "'" + where_ + "' is " + std::string(json.type_name()) + "; expected an object.");
    }

    template <typename T>
    void read(const std::string& key, T& value) {
        known_[key] = true;
        const auto found = json_.find(key);
        if (found == json_.end()) return;
        const std::string expected = expectedFor<T>(*found);
        if (!expected.empty()) throwWrong(key, *found, expected);
        try {
            value = found->get<T>();
        } catch (const nlohmann::json::exception&) {
            throwWrong(key, *found, "other elements");
        }
    }

    void read(const std::string& key, Selection& selection) {
        known_[key] = true;
        const auto found = json_.find(key);
        if (found == json_.end()) return;
        if (found->is_string()) {
            selection = {found->get<std::string>(), {}};
            return;
        }
        ObjectReader reader(*found, pathOf(key));
        selection.values.clear();
        selection.lists.clear();
        reader.read("key", selection.key);
        reader.read("values", selection.values);
        reader.read("lists", selection.lists);
        reader.finish();
    }

    void read(const std::string& key, Precision& precision) {
        std::string name = precisionName(precision);
        read(key, name);
        precision = parsePrecision(name);
    }

    void read(const std::string& key, std::optional<double>& value) {
        double number = 0;
        read(key, number);
        if (json_.contains(key)) value = number;
    }

    void read(const std::string& key, HiddenUnits& units) {
        const auto found = json_.find(key);
        if (found != json_.end() && found->is_null()) {
            known_[key] = true;
            return;
        }
        std::vector<int64_t> numbers;
        read(key, numbers);
        if (found != json_.end()) units = std::move(numbers);
    }

    void read(const std::string& key, std::vector<ParameterGroup>& groups) {
        known_[key] = true;
        const auto found = json_.find(key);
        if (found == json_.end()) return;
        if (!found->is_array()) throwWrong(key, *found, "a list");
        groups.clear();
        for (const Json& entry : *found) {
            ObjectReader reader(entry, pathOf(key));
            ParameterGroup& group = groups.emplace_back();
            reader.read("pattern", group.pattern);
            reader.read("learning_rate_factor", group.learningRateFactor);
            reader.read("weight_decay", group.weightDecay);
            reader.read("start_step", group.startStep);
            reader.finish();
        }
    }

    void object(const std::string& key, const std::function<void(ObjectReader&)>& read) {
        known_[key] = true;
        const auto found = json_.find(key);
        if (found == json_.end()) return;
        ObjectReader reader(*found, pathOf(key));
        read(reader);
        reader.finish();
    }

    [[noreturn]] void throwWrong(const std::string& key, const Json& found,
                                 const std::string& expected) const {
        throw Error(ErrorCode::InvalidInput, "'" + pathOf(key) + "' is " +
                                                 found.dump(-1, ' ', false, kReplace) +
                                                 "; expected " + expected + ".");
    }

    void finish() const {
        for (const auto& item : json_.items()) {
            if (known_.contains(item.key())) continue;
            throw Error(ErrorCode::InvalidInput, "'" + pathOf(item.key()) + "' is not a known key.",
                        "Known keys: " + joined(known_, [](const auto& entry) {
                            return entry.first;
                        }) + ".");
        }
    }

private:
    std::string pathOf(const std::string& key) const {
        return where_.empty() ? key : where_ + "." + key;
    }

    const Json& json_;
    std::string where_;
    std::map<std::string, bool> known_;
};

void readArtifacts(ObjectReader& reader, ArtifactSpec& spec) {
    reader.read("trainable", spec.trainable);
    reader.read("frozen", spec.frozen);
    reader.read("loss", spec.loss);
    reader.read("loss_inputs", spec.lossInputs);
    reader.read("optimizer", spec.optimizer);
    reader.read("parameter_groups", spec.parameterGroups);
    reader.read("decay_biases_and_norms", spec.decayBiasesAndNorms);
    reader.read("straight_through", spec.straightThrough);
    reader.read("stop_gradient", spec.stopGradient);
    reader.read("frozen_statistics", spec.frozenStatistics);
    reader.read("extra_outputs", spec.extraOutputs);
    reader.read("prefix", spec.prefix);
    reader.read("nominal_checkpoint", spec.nominalCheckpoint);
    reader.read("ort_format", spec.ortFormat);
}

void readRun(ObjectReader& reader, RunSpec& run) {
    for (const Setting<RunSpec>& setting : runSettings()) {
        std::visit([&](auto* value) { reader.read(setting.key, *value); }, setting.value(run));
    }
}

Json artifactsToJson(const ArtifactSpec& spec) {
    return {{"trainable", spec.trainable},
            {"frozen", spec.frozen},
            {"loss", toJsonValue(spec.loss)},
            {"loss_inputs", spec.lossInputs},
            {"optimizer", toJsonValue(spec.optimizer)},
            {"parameter_groups", toJsonValue(spec.parameterGroups)},
            {"decay_biases_and_norms", spec.decayBiasesAndNorms},
            {"straight_through", spec.straightThrough},
            {"stop_gradient", spec.stopGradient},
            {"frozen_statistics", spec.frozenStatistics},
            {"extra_outputs", spec.extraOutputs},
            {"prefix", spec.prefix},
            {"nominal_checkpoint", spec.nominalCheckpoint},
            {"ort_format", spec.ortFormat}};
}

Json sharingToJson(const SharingChoices& sharing) {
    return {{"tie", sharing.tie},
            {"untie", sharing.untie},
            {"part", sharing.part},
            {"keep_merged", sharing.keepMerged}};
}

void readSharing(ObjectReader& reader, SharingChoices& sharing) {
    reader.read("tie", sharing.tie);
    reader.read("untie", sharing.untie);
    reader.read("part", sharing.part);
    reader.read("keep_merged", sharing.keepMerged);
}

Json runToJson(RunSpec run) {
    Json json;
    for (const Setting<RunSpec>& setting : runSettings()) {
        std::visit([&](const auto* value) { json[setting.key] = toJsonValue(*value); },
                   setting.value(run));
    }
    return json;
}

}  // namespace

std::string toJson(const TrainingSpec& spec) {
    const Json json = {{"model", spec.model},
                       {"fixed_inputs", spec.fixedInputs},
                       {"free_batch", spec.freeBatch},
                       {"head_classes", spec.headClasses},
                       {"hidden_units", toJsonValue(spec.hiddenUnits)},
                       {"replace", spec.replace},
                       {"sharing", sharingToJson(spec.sharing)},
                       {"restore_norms", spec.restoreNorms},
                       {"rename", spec.rename},
                       {"artifacts", artifactsToJson(spec.artifacts)},
                       {"run", runToJson(spec.run)}};
    return json.dump(2, ' ', false, kReplace) + "\n";
}

TrainingSpec trainingSpecFromJson(std::string_view text) {
    Json json;
    try {
        json = Json::parse(text);
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorCode::InvalidInput,
                    "The training specification is not JSON: " + std::string(error.what()) + ".");
    }
    TrainingSpec spec;
    ObjectReader reader(json, "");
    reader.read("model", spec.model);
    reader.read("fixed_inputs", spec.fixedInputs);
    reader.read("free_batch", spec.freeBatch);
    reader.read("head_classes", spec.headClasses);
    reader.read("hidden_units", spec.hiddenUnits);
    reader.read("replace", spec.replace);
    reader.object("sharing", [&](ObjectReader& r) { readSharing(r, spec.sharing); });
    reader.read("restore_norms", spec.restoreNorms);
    reader.read("rename", spec.rename);
    reader.object("artifacts", [&](ObjectReader& r) { readArtifacts(r, spec.artifacts); });
    reader.object("run", [&](ObjectReader& r) { readRun(r, spec.run); });
    reader.finish();
    return spec;
}

}  // namespace temper
