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

/// What one use of a loss is given.
struct LossArguments {
    const LossFunction* loss = nullptr;
    std::vector<Value*> predictions = {};
    blocks::Target target{""};
    Selection options = {};  ///< its key does not matter
    blocks::Reduction reduction = blocks::Reduction::Mean;

    /// The hyperparameter, or its default.
    double number(const std::string& key) const;
    /// The numbers of a list; empty where it is not set.
    std::vector<float> list(const std::string& key) const;
};

/// A loss: its name and options for people, and the block that makes it.
struct LossFunction {
    Choice choice;
    std::string target = "target";  ///< the target's name where none is given
    size_t predictions = 1;         ///< values of the model it reads, beside the target
    bool readsClasses = false;      ///< logits [N, classes, ...] against class numbers
    bool dividesByWeights = false;  ///< the mean is over the weights of the labels
    bool hasBatchMean = false;
    bool readsTokens = false;  ///< makes its labels of the tokens that the model reads
    std::function<Value*(BlockModel&, const LossArguments&)> build = nullptr;
};

/// Every loss, the default first; to add one, add a row.
const std::vector<LossFunction>& lossFunctions();
/// Adds a loss behind the others. To be called before losses are used.
/// Throws: Error(InvalidInput) where there is one of that key.
void addLossFunction(LossFunction loss);

/// By key, in which '_' is as good as '-'; null where there is none.
const LossFunction* findLossFunction(std::string_view name);

/// Whether a mean is over the labels that count or over their weights, not over all elements.
bool meansOverLabels(const LossArguments& arguments);

/// Type of the target that belongs to a prediction.
ValueType targetType(const LossFunction& loss, const ValueType& prediction);

/// The name of the target where none is given: that of the loss or, for one that reads tokens, of
/// the model's input of tokens. Throws: Error(InvalidInput) where it is not clear which that is.
std::string defaultTarget(const LossFunction& loss, const Graph& model);

/// The mask of a loss that reads tokens: the model's own, if the tokens are; null where there is
/// none.
Value* tokenMask(const Graph& model, const blocks::Target& tokens);

/// Why a loss can't read this value (element type, rank); absent where it can.
struct LossObjection {
    std::string message;
    std::string hint;
};
std::optional<LossObjection> objectionTo(const LossFunction& loss, const Value& prediction);

/// The built-in losses and "none"; the first is the default.
const std::vector<Choice>& lossChoices();

}  // namespace temper
