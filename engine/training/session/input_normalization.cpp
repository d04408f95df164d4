// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/input_normalization.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace temper {
namespace {

using Json = nlohmann::json;

const std::string kProperty = "temper.normalization";

/// The axis of a batch along which a column has its parts.
int64_t axisOf(const Column& column) {
    if (column.normalization.mean.size() <= 1) return 0;
    return column.hasChannelsLast ? static_cast<int64_t>(column.shape.size()) : 1;
}

std::vector<double> numbersIn(const Json& entry, const char* key) {
    std::vector<double> numbers;
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_array()) return {};
    for (const Json& number : *found) {
        if (!number.is_number()) return {};
        numbers.push_back(number.get<double>());
    }
    return numbers;
}

std::optional<InputNormalization> readEntry(const Json& entry) {
    if (!entry.is_object()) return std::nullopt;
    InputNormalization read{{numbersIn(entry, "mean"), numbersIn(entry, "deviation")}, 0};
    const auto axis = entry.find("axis");
    if (axis != entry.end() && axis->is_number_integer()) read.axis = axis->get<int64_t>();
    const auto isUsable = [](double number) { return std::isfinite(number) && number != 0; };
    const bool isWhole = !read.by.mean.empty() && read.by.mean.size() == read.by.deviation.size() &&
                         read.axis >= 0 && (read.axis > 0 || read.by.mean.size() == 1) &&
                         std::ranges::all_of(read.by.deviation, isUsable);
    return isWhole ? std::optional(read) : std::nullopt;
}

/// Elements that share an entry and follow each other: those of the axes after `axis`.
template <typename F>
Tensor mapped(const Tensor& batch, const InputNormalization& normalization, F&& f) {
    const Tensor from = batch.cast(DType::Float32);
    Tensor result(DType::Float32, from.shape());
    const size_t parts = normalization.by.mean.size();
    size_t perPart = 1;
    for (size_t i = static_cast<size_t>(normalization.axis) + 1; i < from.shape().size(); ++i)
        perPart *= static_cast<size_t>(from.shape()[i]);
    const auto values = from.values<float>();
    const auto made = result.mutableValues<float>();
    for (size_t i = 0; i < values.size(); ++i) {
        const size_t part = parts == 1 ? 0 : i / perPart % parts;
        made[i] = static_cast<float>(
            f(double{values[i]}, normalization.by.mean[part], normalization.by.deviation[part]));
    }
    return result;
}

}  // namespace

InputNormalizations normalizationsOf(const Dataset& data,
                                     const std::map<std::string, std::string>& binding) {
    InputNormalizations inputs;
    for (const auto& [input, name] : binding) {
        const auto index = data.findColumn(name);
        if (!index) continue;
        const Column& column = data.columns()[*index];
        if (!column.normalization.mean.empty())
            inputs[input] = {column.normalization, axisOf(column)};
    }
    return inputs;
}

void keepNormalizations(CheckpointState& state, const InputNormalizations& inputs) {
    if (inputs.empty()) {
        state.properties().erase(kProperty);
    } else {
        state.properties()[kProperty] = toJson(inputs);
    }
}

InputNormalizations keptNormalizations(const CheckpointState& state) {
    const auto text = state.propertyAs<std::string>(kProperty);
    if (!text) return {};
    const Json json = Json::parse(*text, nullptr, false);
    if (!json.is_object()) return {};
    InputNormalizations inputs;
    for (const auto& [input, entry] : json.items()) {
        const auto read = readEntry(entry);
        if (!read) return {};
        inputs[input] = *read;
    }
    return inputs;
}

Tensor denormalized(const Tensor& batch, const InputNormalization& normalization) {
    return mapped(batch, normalization, [](double value, double mean, double deviation) {
        return value * deviation + mean;
    });
}

Tensor normalized(const Tensor& batch, const InputNormalization& normalization) {
    return mapped(batch, normalization, [](double value, double mean, double deviation) {
        return (value - mean) / deviation;
    });
}

std::string toJson(const InputNormalizations& inputs) {
    Json json = Json::object();
    for (const auto& [input, normalization] : inputs) {
        Json& entry = json[input];
        if (normalization.axis > 0) entry["axis"] = normalization.axis;
        entry["mean"] = normalization.by.mean;
        entry["deviation"] = normalization.by.deviation;
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace temper
