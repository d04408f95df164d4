// SPDX-License-Identifier: Apache-2.0
#include "engine/training/binding/default_inputs.h"

#include "engine/training/loss/language_model.h"

namespace temper {
namespace {

/// `count` numbers from `first` on with this step.
Tensor numbersFrom(int64_t first, int64_t count, int64_t step, DType dtype) {
    Tensor numbers(DType::Int64, {count});
    for (int64_t i = 0; i < count; ++i)
        numbers.mutableValues<int64_t>()[static_cast<size_t>(i)] = first + i * step;
    return numbers.cast(dtype);
}

/// Shapes: without the sample axis; no tokens.
Tensor emptyCache(const ValueType& type) {
    Shape shape;
    for (size_t i = 1; i < type.shape->size(); ++i)
        shape.push_back(i == tokenAxisOfCache(type) ? 0 : (*type.shape)[i].value);
    return {type.dtype, std::move(shape)};
}

/// What the type itself gives, else what is known from the data.
std::optional<int64_t> lengthOf(const ValueType& type, std::optional<int64_t> length) {
    const Dim& own = (*type.shape)[1];
    return own.isNumber() ? std::optional(own.value) : length;
}

std::map<std::string, Shape> boundSamples(const Dataset& data,
                                          const std::map<std::string, std::string>& binding) {
    std::map<std::string, Shape> samples;
    for (const auto& [input, name] : binding) {
        if (const auto column = data.findColumn(name))
            samples.emplace(input, data.columns()[*column].shape);
    }
    return samples;
}

}  // namespace

std::optional<DefaultInput> defaultInput(const std::string& name, const ValueType& type,
                                         std::optional<int64_t> tokens, int64_t cached) {
    const HelperInput helper = helperInput(name, type);
    if (helper == HelperInput::None) return std::nullopt;
    if (helper == HelperInput::Cache)
        return DefaultInput{{.sample = emptyCache(type)}, "an empty cache"};
    const bool isMask = helper == HelperInput::AttentionMask;
    if (isMask && tokens) *tokens += cached;
    const std::optional<int64_t> length = lengthOf(type, tokens);
    if (!length) return std::nullopt;
    if (isMask) return DefaultInput{{.sample = numbersFrom(1, *length, 0, type.dtype)}, "ones"};
    if (helper == HelperInput::Segments)
        return DefaultInput{{.sample = numbersFrom(0, *length, 0, type.dtype)}, "zeros"};
    return DefaultInput{
        {.sample = numbersFrom(cached, *length, 1, type.dtype)},
        "the numbers " + std::to_string(cached) + " to " + std::to_string(cached + *length - 1)};
}

DefaultInputs::DefaultInputs(std::map<std::string, ValueType> types,
                             const std::map<std::string, Shape>& samples)
    : types_(std::move(types)) {
    for (const auto& [name, type] : types_) {
        const auto fed = samples.find(name);
        if (fed == samples.end()) continue;
        const Shape& sample = fed->second;
        const HelperInput helper = helperInput(name, type);
        if (helper == HelperInput::Cache && std::ssize(sample) + 1 == type.rank())
            cached_ = sample[tokenAxisOfCache(type) - 1];
        const bool areTokens = helper == HelperInput::None && isInteger(type.dtype) &&
                               type.rank() == 2 && sample.size() == 1;
        if (areTokens && (!length_ || name == "input_ids")) length_ = sample[0];
        const bool areEmbeddings = name == "inputs_embeds" && sample.size() == 2;
        if (areEmbeddings && !length_) length_ = sample[0];
    }
}

DefaultInputs::DefaultInputs(std::map<std::string, ValueType> types, const Dataset& data,
                             const std::map<std::string, std::string>& binding)
    : DefaultInputs(std::move(types), boundSamples(data, binding)) {}

std::optional<DefaultInput> DefaultInputs::of(const std::string& input) const {
    const auto found = types_.find(input);
    if (found == types_.end()) return std::nullopt;
    return defaultInput(input, found->second, length_, cached_);
}

std::map<std::string, ValueType> inputTypesOf(const TrainingSession& session) {
    std::map<std::string, ValueType> types;
    for (const bool training : {true, false}) {
        if (!training && !session.artifacts().evalModel) break;
        for (const std::string& name : session.inputNames(training))
            types.emplace(name, session.inputType(name));
    }
    return types;
}

}  // namespace temper
