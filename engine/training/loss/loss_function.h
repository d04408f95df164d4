// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/closest_word.h"
#include "engine/core/error.h"
#include "engine/training/blocks/loss_blocks.h"
#include "engine/training/spec/choice.h"

namespace temper {

struct LossFunction;

/// The values that a loss accepts as targets.
struct TargetRange {
    std::string words;  ///< "values between 0 and 1"
    std::function<bool(double)> contains;
    std::string hint;  ///< what to do about others
};

/// The inputs of one use of a loss.
struct LossArguments {
    const LossFunction* loss = nullptr;
    std::vector<Value*> predictions = {};
    blocks::Target target{""};
    Selection options = {};  ///< its key is ignored
    blocks::Reduction reduction = blocks::Reduction::Mean;

    /// The hyperparameter, or its default.
    double number(const std::string& key) const;
    /// The numbers of a list; empty if it is not set.
    std::vector<float> list(const std::string& key) const;
};

/// A loss: its name and options for people, and the block that builds it.
struct LossFunction {
    Choice choice;
    std::string target = "target";  ///< the target's name if none is given
    size_t predictions = 1;         ///< values of the model it reads, besides the target
    bool readsClasses = false;      ///< logits [N, classes, ...] against class indices
    bool dividesByWeights = false;  ///< the mean is over the weights of the labels
    bool hasBatchMean = false;
    bool readsLabelLists = false;  ///< labels [N, L] that belong to no step of the prediction
    bool readsTokens = false;      ///< derives its labels from the tokens that the model reads
    std::function<Value*(BlockModel&, const LossArguments&)> build = nullptr;
    /// The targets that it accepts with these options; null or absent: any number.
    std::function<std::optional<TargetRange>(const Selection&)> targets = nullptr;
};

/// All losses, the default first; to add one, add a row.
const std::vector<LossFunction>& lossFunctions();
/// Adds a loss after the others. Call it before losses are used.
/// Throws: Error(InvalidInput) if the key is taken.
void addLossFunction(LossFunction loss);

/// By key, in which '_' and '-' are equivalent; null if there is none.
const LossFunction* findLossFunction(std::string_view name);

/// Whether a mean is over the labels that count or over their weights, instead of all elements.
bool meansOverLabels(const LossArguments& arguments);

/// The target type that matches a prediction.
ValueType targetType(const LossFunction& loss, const ValueType& prediction);

/// The default name of the target: that of the loss or, if it reads tokens, of the model's token
/// input. Throws: Error(InvalidInput) if the token input is ambiguous.
std::string defaultTarget(const LossFunction& loss, const Graph& model);

/// The mask of a loss that reads tokens: the model's own, if the tokens are; null if there is none.
Value* tokenMask(const Graph& model, const blocks::Target& tokens);

/// Why a loss can't read a value.
struct LossObjection {
    std::string message;
    std::string hint;
};
/// To a sequence or an optional, which no loss reads; absent for a tensor.
std::optional<LossObjection> objectionToKind(const Value& value);
/// To its kind, element type or rank; absent if the loss can read it.
std::optional<LossObjection> objectionTo(const LossFunction& loss, const Value& prediction);

/// The built-in losses and "none"; the first is the default.
const std::vector<Choice>& lossChoices();

}  // namespace temper
