// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/data/batch_loader.h"
#include "engine/training/parallel/sliced_gradients.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// What the batches of an optimizer step have come to.
struct BatchTotals {
    double loss = 0;  ///< mean over the samples
    int64_t samples = 0;
};

/// Makes the gradients of an optimizer step from its batches, whose samples all have equal weight.
class GradientSource {
public:
    virtual ~GradientSource() = default;

    /// Takes the next batch of the step. Throws: NonFiniteError if its loss is not finite.
    virtual void add(const Batch& batch) = 0;
    /// Afterwards the session's gradients are those of the mean loss over all samples, and the
    /// next batch begins a new step.
    virtual BatchTotals finish() = 0;
    /// Euclidean norm of all gradients, after finish().
    virtual double norm() = 0;
    /// Of the latest train step, for finding the source of a NaN; may be empty.
    virtual std::span<const Tensor> latestInputs() const = 0;
    /// Nothing if there are no other ranks.
    virtual std::optional<ExchangeCosts> costs() const { return std::nullopt; }
    /// Of memory for activations that it has besides the session's.
    virtual size_t arenaBytes() const { return 0; }
    /// Null if the session has its whole state.
    virtual SharedState* sharedState() { return nullptr; }
};

/// In the session, batch after batch.
class WholeBatchGradients final : public GradientSource {
public:
    /// The session has to outlive it.
    explicit WholeBatchGradients(TrainingSession& session) : session_(session) {}

    void add(const Batch& batch) override;
    BatchTotals finish() override;
    double norm() override { return session_.gradientNorm(); }
    std::span<const Tensor> latestInputs() const override { return inputs_; }

private:
    TrainingSession& session_;
    double lossSum_ = 0;
    int64_t samples_ = 0;
    int64_t batchSize_ = 0;  ///< of the latest batch
    std::vector<Tensor> inputs_;
};

/// In the sessions of all ranks: see SlicedGradients. Batches are computed together, at the end.
class RankedGradients final : public GradientSource {
public:
    /// Both have to outlive it. Throws: as SlicedGradients.
    RankedGradients(TrainingSession& session, Group& group, int64_t slices, int zeroStage,
                    bool synchronizesBatchNorms)
        : slices_(session, group, slices, zeroStage, synchronizesBatchNorms) {}

    void add(const Batch& batch) override { batches_.push_back(batch); }
    BatchTotals finish() override;
    double norm() override { return slices_.norm(); }
    std::span<const Tensor> latestInputs() const override { return slices_.latestInputs(); }
    std::optional<ExchangeCosts> costs() const override { return slices_.costs(); }
    size_t arenaBytes() const override { return slices_.arenaBytes(); }
    SharedState* sharedState() override { return slices_.sharedState(); }

private:
    SlicedGradients slices_;
    std::vector<Batch> batches_;
};

}  // namespace temper
