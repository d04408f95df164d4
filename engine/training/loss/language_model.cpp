// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/language_model.h"

#include <algorithm>

#include "engine/core/error.h"

namespace temper {
namespace {

constexpr int64_t kCacheRank = 4;

bool startsWithOneOf(const std::string& name, std::initializer_list<std::string_view> beginnings) {
    return std::ranges::any_of(beginnings,
                               [&](std::string_view begin) { return name.starts_with(begin); });
}

bool holdsNumbersOfTokens(const ValueType& type) {
    return type.isTensor() && isInteger(type.dtype) && type.rank() == 2;
}

/// Axes after the first one whose length the model leaves open.
std::vector<size_t> openAxes(const ValueType& type) {
    std::vector<size_t> axes;
    for (size_t i = 1; i < type.shape->size(); ++i) {
        if (!(*type.shape)[i].isNumber()) axes.push_back(i);
    }
    return axes;
}

bool isCache(const std::string& name, const ValueType& type) {
    return startsWithOneOf(name, {"past_key", "past_value", "past."}) && isFloating(type.dtype) &&
           type.rank() == kCacheRank && openAxes(type).size() == 1;
}

/// The names that Transformers and its exporters give to outputs other than the prediction.
bool isStateOutput(const std::string& name) {
    return startsWithOneOf(
        name, {"present", "past_key", "past_value", "hidden_states", "last_hidden_state",
               "encoder_last_hidden_state", "encoder_hidden_states", "decoder_hidden_states",
               "attentions", "encoder_attentions", "decoder_attentions", "cross_attentions"});
}

}  // namespace

Value* findTokens(const Graph& model) {
    std::vector<Value*> found;
    for (Value* input : model.inputs()) {
        if (!holdsNumbersOfTokens(input->type())) continue;
        if (input->name() == "input_ids") return input;
        if (helperInput(input->name(), input->type()) == HelperInput::None) found.push_back(input);
    }
    return found.size() == 1 ? found.front() : nullptr;
}

Value* findAttentionMask(const Graph& model) {
    for (Value* input : model.inputs()) {
        if (helperInput(input->name(), input->type()) == HelperInput::AttentionMask) return input;
    }
    return nullptr;
}

HelperInput helperInput(const std::string& name, const ValueType& type) {
    if (!type.isTensor() || !type.shape) return HelperInput::None;
    const bool isNumber =
        isInteger(type.dtype) || isFloating(type.dtype) || type.dtype == DType::Bool;
    if (name == "attention_mask" && isNumber && type.rank() == 2) return HelperInput::AttentionMask;
    if (name == "position_ids" && holdsNumbersOfTokens(type)) return HelperInput::Positions;
    if (name == "token_type_ids" && holdsNumbersOfTokens(type)) return HelperInput::Segments;
    return isCache(name, type) ? HelperInput::Cache : HelperInput::None;
}

size_t tokenAxisOfCache(const ValueType& type) {
    const std::vector<size_t> axes = openAxes(type);
    TEMPER_ASSERT(axes.size() == 1, "a cache has one open axis after the first one");
    return axes.front();
}

Value* findLogits(const Graph& model) {
    const auto found = std::ranges::find_if(model.outputs(), [](const Value* output) {
        return output->name() == "logits" && output->type().isTensor();
    });
    return found == model.outputs().end() ? nullptr : *found;
}

Value* findMainOutput(const Graph& model) {
    const bool isAnyTensor = std::ranges::any_of(
        model.outputs(), [](const Value* output) { return output->type().isTensor(); });
    std::vector<Value*> found;
    for (Value* output : model.outputs()) {
        const bool isReadable = output->type().isTensor() || !isAnyTensor;
        if (isReadable && !isStateOutput(output->name())) found.push_back(output);
    }
    return found.size() == 1 ? found.front() : nullptr;
}

}  // namespace temper
