// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/training/blocks/loss_blocks.h"
#include "engine/training/loss/loss_formula.h"

namespace temper {

/// What a loss reads, each name once, in the order of appearance.
struct LossReads {
    std::vector<std::string> predictions;  ///< values and parameters that gradients reach
    std::vector<std::string> targets;      ///< graph inputs, of the model or made for the loss

    void addPrediction(const std::string& name);
    void addTarget(const std::string& name);
};

/// What can be called in a formula, one line each, with arguments and options.
std::vector<std::string> formulaCalls();

/// Builds a loss from a text, and finds everything that is wrong with it.
///
/// A call reads values of the model and, as its last argument, the target: a value, or the name of
/// a graph input to create. Arguments may be formulas themselves. Other names without a value in
/// the model also become inputs, of the type of what they are combined with; next to a loss that is
/// one number for a batch, they weight its samples. Without arguments a loss reads `defaultInputs`:
/// an output and optionally the target's name. Besides the losses of lossFunctions() there are
/// mean, sum, abs, exp, log, sqrt, sigmoid, softmax, log_softmax, and l2 and l1reg, which take
/// names of parameters or patterns of them.
class FormulaBuilder {
public:
    FormulaBuilder(BlockModel& model, const LossFormula& formula,
                   std::vector<std::string> defaultInputs);

    /// Returns: the loss, a float32 scalar; null if errors() says why.
    Value* run();

    const LossReads& reads() const { return reads_; }
    /// Each points at its characters.
    const std::vector<Error>& errors() const { return errors_; }

private:
    /// What a term consists of; of several parts, the last kind counts. New: names of new inputs,
    /// whose type is that of what they are combined with. Loss: one number for a batch.
    enum class Kind { Number, New, Loss, Values };
    /// A factor or a divisor of a loss, with one number per sample.
    struct SampleWeight {
        const LossTerm* term;
        LossTerm::Kind kind;  ///< Multiply or Divide
    };

    /// `like`: the type of a new input here; null if nothing determines it.
    Value* build(const LossTerm& term, const ValueType* like = nullptr);
    Value* buildNumber(double number);
    Value* buildName(const LossTerm& term, const ValueType* like);
    Value* buildOperation(const LossTerm& term, const ValueType* like);
    Value* combine(const LossTerm& term, Value* a, Value* b);
    Value* buildCall(const LossTerm& call, const ValueType* like);
    Kind kindOf(const LossTerm& term);
    Kind kindOfParts(const LossTerm& term);
    Kind kindOfCall(const LossTerm& call);
    bool waits(const LossTerm& term);
    bool namesMissing(const LossTerm& term);
    bool weighsSamples(const LossTerm& term);
    Value* weigh(const LossTerm& loss, std::vector<SampleWeight> weights);
    Value* weighProduct(const LossTerm& loss, std::vector<SampleWeight> weights);
    Value* weighCall(const LossTerm& call, const std::vector<SampleWeight>& weights);
    Value* elementsOf(const LossTerm& call, const std::vector<SampleWeight>& weights,
                      blocks::Reduction& reduction);
    Value* samplesOf(const LossTerm& call, Value* elements, blocks::Reduction reduction);
    Value* weighted(Value* samples, const SampleWeight& weight);
    void refuseWeights(const struct LossArguments& arguments, const LossTerm& call,
                       const std::vector<SampleWeight>& weights);
    std::string textOf(TextRange range) const;
    Value* buildLoss(const struct LossFunction& loss, const LossTerm& call);
    bool takeArguments(struct LossArguments& arguments, const struct LossFunction& loss,
                       const LossTerm& call);
    Value* buildFunction(const struct TensorFunction& function, const LossTerm& call,
                         const ValueType* like);
    Value* buildRegulariser(bool squares, const LossTerm& call);
    void takeInputs(struct LossArguments& arguments, const LossTerm& call);
    void takeTarget(struct LossArguments& arguments, const LossTerm& term);
    void takeOption(struct LossArguments& arguments, const LossOption& option);
    void takeNumbers(struct LossArguments& arguments, const struct HyperParameter& parameter,
                     const LossOption& option);
    void takeReduction(struct LossArguments& arguments, const LossOption& option);
    void takeParameters(const LossTerm& term, std::vector<Value*>& parameters);
    void requireNumbers(TextRange range, const std::vector<Value*>& parameters);
    void requireScalar(const Value& loss);
    void noteRead(const Value& value);

    /// Turns what a block rejects into an error at this place.
    template <typename F>
    Value* located(TextRange range, F&& make) {
        try {
            return make();
        } catch (const Error& error) {
            fail(range, error.message(), error.hint());
            return nullptr;
        }
    }
    void fail(TextRange range, const std::string& message, const std::string& hint = {});

    BlockModel& model_;
    const LossFormula& formula_;
    std::vector<std::string> defaultInputs_;
    std::vector<std::string> modelValues_;        ///< names that the model had before the loss
    std::unordered_set<std::string> modelNames_;  ///< the same, for lookups
    std::unordered_map<const LossTerm*, Kind> kinds_;
    std::vector<std::string> parameters_;  ///< parameters that patterns may match
    LossReads reads_;
    std::vector<Error> errors_;
};

}  // namespace temper
