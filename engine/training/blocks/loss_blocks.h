// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/blocks/block_model.h"

/// Losses as blocks: ORT's four (spec/artifacts.md section 5, names included) and more. All consist
/// of operators that ORT executes, and so do their gradients. Their formulas: docs/losses.md.
namespace temper::blocks {

/// How the losses of the elements are reduced. BatchMean is for klDivergence(): the sum divided by
/// the number of samples, the first dimension.
enum class Reduction { Mean, Sum, None, BatchMean };

/// What a loss compares the prediction with: a value of the model, or a name. A name without a
/// value in the model becomes a graph input.
struct Target {
    Target(Value* existing) : value(existing) {}                   // NOLINT(google-explicit-*)
    Target(std::string inputName) : name(std::move(inputName)) {}  // NOLINT(google-explicit-*)
    Target(const char* inputName) : name(inputName) {}             // NOLINT(google-explicit-*)

    Value* value = nullptr;
    std::string name;
};

/// The value, or the one of the name; if there is none, a graph input of type `type`.
Value* resolve(BlockModel& model, const Target& target, const ValueType& type);

/// Type of class indices for logits [N, C, d1, ...]: int64[N, d1, ...].
ValueType labelType(const ValueType& logits);

// Numbers against numbers: x and t of the same shape, or broadcasting.

Value* mse(BlockModel& model, Value* x, const Target& target,
           Reduction reduction = Reduction::Mean);
Value* l1(BlockModel& model, Value* x, const Target& target, Reduction reduction = Reduction::Mean);
/// Source: Huber, Robust Estimation of a Location Parameter (1964); as PyTorch's HuberLoss.
Value* huber(BlockModel& model, Value* x, const Target& target, float delta = 1,
             Reduction reduction = Reduction::Mean);
/// It is l1() if beta is 0. As PyTorch's SmoothL1Loss.
Value* smoothL1(BlockModel& model, Value* x, const Target& target, float beta = 1,
                Reduction reduction = Reduction::Mean);
/// The targets are -1 and 1.
Value* hinge(BlockModel& model, Value* x, const Target& target, float margin = 1,
             Reduction reduction = Reduction::Mean);
/// x are log-probabilities; with `logTarget` the target is a logarithm, too. As PyTorch's
/// KLDivLoss.
Value* klDivergence(BlockModel& model, Value* x, const Target& target, bool logTarget = false,
                    Reduction reduction = Reduction::Mean);

struct BinaryOptions {
    std::vector<float> weight = {};     ///< factors, broadcast against the loss of each element
    std::vector<float> posWeight = {};  ///< factors of the term for targets of 1
    Reduction reduction = Reduction::Mean;
};
/// x are logits; computed in a form that does not overflow.
Value* binaryCrossEntropy(BlockModel& model, Value* x, const Target& target,
                          const BinaryOptions& options = {});

struct BinaryFocalOptions {
    float alpha = 0.25F;  ///< weight of targets of 1; 1 - alpha is that of 0. Negative: no weights
    float gamma = 2;
    Reduction reduction = Reduction::Mean;
};
/// Source: Lin et al., Focal Loss for Dense Object Detection (2017), equation 5.
Value* binaryFocal(BlockModel& model, Value* x, const Target& target,
                   const BinaryFocalOptions& options = {});

// Numbers against classes: logits [N, C, d1, ...], labels int64[N, d1, ...]. The classes may be
// along another axis than 1: labels have the shape of the logits without it.

struct ClassOptions {
    std::vector<float> weight = {};           ///< one per class
    std::optional<int64_t> ignoreIndex = {};  ///< labels equal to this number do not count
    int64_t axis = 1;           ///< of the classes; negative: counted from the last one
    double labelSmoothing = 0;  ///< share of the target spread over all classes; crossEntropy()
    float gamma = 2;            ///< of focal()
    Reduction reduction = Reduction::Mean;
};
/// The mean is over the weights of the labels that count. As PyTorch's CrossEntropyLoss, including
/// label smoothing. One ONNX node without smoothing.
Value* crossEntropy(BlockModel& model, Value* logits, const Target& labels,
                    const ClassOptions& options = {});
/// x are log-probabilities. As PyTorch's NLLLoss.
Value* negativeLogLikelihood(BlockModel& model, Value* x, const Target& labels,
                             const ClassOptions& options = {});
/// The mean is over the labels that count.
/// Source: Lin et al., Focal Loss for Dense Object Detection (2017), equation 5.
Value* focal(BlockModel& model, Value* logits, const Target& labels,
             const ClassOptions& options = {});

struct TokenOptions {
    std::optional<int64_t> padId = {};  ///< tokens equal to this number are not labels
    Value* mask = nullptr;              ///< [N, T], or longer at the front: no labels where it is 0
    double labelSmoothing = 0;
    Reduction reduction = Reduction::Mean;
};
/// Cross entropy of logits [N, T, classes] against the next tokens: the label of position t is
/// token t + 1, the last position has none, and the mean is over the labels that count. Tokens are
/// whole numbers [N, T]; tokens of -100 are not labels either. As ForCausalLMLoss of Transformers.
Value* nextToken(BlockModel& model, Value* logits, const Target& tokens,
                 const TokenOptions& options = {});

struct CtcOptions {
    int64_t blank = 0;          ///< the class of no label
    int64_t timeAxis = 1;       ///< of the logits: 1 for [N, T, classes], 0 for [T, N, classes]
    bool zeroInfinity = false;  ///< labels that do not fit into the steps count 0, not infinity
    Reduction reduction = Reduction::Mean;
};
/// Connectionist temporal classification. The logits are softmaxed here. Labels are int64 [N, L],
/// each sample's own first; the rest are negative or blanks. All steps of a sample count. The mean
/// is over samples, each divided by its number of labels. T has to be known.
/// Source: Graves et al., Connectionist Temporal Classification (2006), section 4.1; as PyTorch's
/// CTCLoss. Throws: Error(InvalidInput | Unsupported) naming the logits.
Value* ctc(BlockModel& model, Value* logits, const Target& labels, const CtcOptions& options = {});
/// The second dimension of such labels.
Dim labelsAxis();

/// The targets are 1 and -1. As PyTorch's CosineEmbeddingLoss. Shapes: a, b [N, D], target [N].
Value* cosineEmbedding(BlockModel& model, Value* a, Value* b, const Target& target,
                       float margin = 0, Reduction reduction = Reduction::Mean);

// Regularizers: sums over all elements of all parameters, at least one.

/// Sum of squares.
Value* l2Norm(BlockModel& model, const std::vector<Value*>& parameters);
/// Sum of absolute values.
Value* l1Norm(BlockModel& model, const std::vector<Value*>& parameters);

}  // namespace temper::blocks
