// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/core/thread_pool.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/loss/loss_info.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// The kind of value that a model predicts.
enum class TaskKind {
    Classes,  ///< logits [N, C, ...]
    Binary,   ///< one logit for yes
    Numbers,  ///< values, compared with targets of the same shape
};

/// Predicts with the current weights of a state: it has its own copy of them, its own graph,
/// threads and memory, and so never disturbs a training session.
/// Thread: one at a time.
class Predictor {
public:
    /// Throws: Error(Unsupported) if the loss does not reveal which value is the prediction.
    Predictor(const Graph& evalModel, const CheckpointState& state,
              std::shared_ptr<const OpSet> ops, int threads = 1);

    TaskKind kind() const { return kind_; }
    const LossInfo& loss() const { return loss_; }
    /// Model inputs that the prediction needs, in the order of predict().
    const std::vector<std::string>& inputNames() const { return runner_->fedInputs(); }
    ValueType inputType(const std::string& name) const;

    /// The prediction as the model outputs it: logits or values. Shapes: inputs [N, ...].
    Tensor predict(std::span<const Tensor> inputs);
    /// The right class of each row of the latest probabilities(), if the loss makes the labels from
    /// an input (LossInfo::labels); else empty(). Rows without a label have LossInfo::ignoredLabel.
    const Tensor& madeLabels() const { return madeLabels_; }
    /// The probability of each class. Shapes: [N, C], with entries of further dimensions as further
    /// rows; for TaskKind::Binary two classes, no and yes; for Numbers the values themselves [N,
    /// K].
    Tensor probabilities(std::span<const Tensor> inputs);

    /// d prediction[n, output] / d input `index` for each sample n, in the input's shape.
    /// Throws: Error(Unsupported) if an operator on the path has no gradient.
    /// Source: Simonyan, Vedaldi, Zisserman, "Deep Inside Convolutional Networks" (2014).
    Tensor inputGradient(std::span<const Tensor> inputs, size_t index, int64_t output);

private:
    std::shared_ptr<const OpSet> ops_;
    std::shared_ptr<ThreadPool> pool_;
    std::shared_ptr<Arena> arena_;
    LossInfo loss_;
    TaskKind kind_ = TaskKind::Numbers;
    std::shared_ptr<const Graph> graph_;
    std::unique_ptr<GraphRunner> runner_;
    Tensor madeLabels_;
};

/// The value that is compared with the target.
/// Throws: Error(Unsupported) if the loss does not determine which it is.
std::string predictionOf(const LossInfo& loss);

/// Rows of probabilities from logits, as Predictor::probabilities().
Tensor toProbabilities(const Tensor& prediction, TaskKind kind);

}  // namespace temper
