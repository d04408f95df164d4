// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/run_batches.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/training/binding/binding.h"
#include "engine/training/binding/target_input.h"
#include "engine/training/binding/target_values.h"
#include "engine/training/trainer/step_plan.h"
#include "engine/training/trainer/stream_loader.h"

namespace temper {
namespace {

LoaderOptions loaderOptionsOf(const TrainingSession& session, const RunSpec& spec,
                              const BatchShare& share) {
    LoaderOptions options;
    options.slices = share.slices;
    options.firstSlice = share.mine.begin;
    options.endSlice = share.mine.end;
    options.batchSize = spec.batchSize;
    options.seed = spec.session.seed;
    options.epochs = 0;
    if (const std::optional<int64_t> fixed = fixedBatchSize(session, true)) {
        options.batchSize = *fixed * share.slices;
        options.dropLast = true;
    }
    return options;
}

/// Of a data set: everything is known from the start.
class DatasetBatches final : public RunBatches {
public:
    DatasetBatches(const TrainingSession& session, const TrainerData& data, const RunSpec& spec,
                   int64_t stepsDone, const BatchShare& share)
        : samples_(data.training->size()) {
        const std::vector<BatchField> fields =
            batchFields(session, *data.training, data.binding, true);
        LoaderOptions options = loaderOptionsOf(session, spec, share);
        batchSize_ = options.batchSize;
        plan_ = StepPlan::of(spec, batchesPerEpoch(samples_, options));
        options.firstBatch = plan_.firstBatchOf(stepsDone);
        loader_ = std::make_unique<BatchLoader>(
            checkedTargets(data.training, rangedTargets(graphWithLoss(session)), data.binding),
            fields, options);
    }

    int64_t totalSteps() const override { return plan_.totalSteps; }
    int64_t stepsPerEpoch() const override { return plan_.stepsPerEpoch; }
    int64_t samples() const override { return samples_; }
    int64_t batchSize() const override { return batchSize_; }
    bool isDone(int64_t stepsDone) const override { return stepsDone >= plan_.totalSteps; }

    std::optional<Batch> next(int64_t stepsDone) override {
        if (taken_ == plan_.batchesOf(stepsDone)) {
            taken_ = 0;
            return std::nullopt;
        }
        std::optional<Batch> batch = loader_->next();
        TEMPER_ASSERT(batch.has_value(), "the loader has no end");
        ++taken_;
        return batch;
    }

    double waitSeconds() const override { return loader_->waitSeconds(); }
    bool endsEpoch(int64_t stepsDone) const override { return plan_.endsEpoch(stepsDone); }
    int64_t epochsDone(int64_t stepsDone) const override { return stepsDone / plan_.stepsPerEpoch; }
    double epochAt(int64_t stepsDone) const override { return plan_.epochAt(stepsDone); }

private:
    int64_t samples_;
    int64_t batchSize_ = 0;
    StepPlan plan_;
    std::unique_ptr<BatchLoader> loader_;
    int64_t taken_ = 0;  ///< batches of the current step
};

/// A stream with checkedTargets().
class CheckedStream final : public BatchStream {
public:
    CheckedStream(std::shared_ptr<BatchStream> stream, std::vector<RangedTarget> targets,
                  std::map<std::string, std::string> binding)
        : stream_(std::move(stream)), targets_(std::move(targets)), binding_(std::move(binding)) {}

    std::optional<int64_t> batchesPerEpoch() const override { return stream_->batchesPerEpoch(); }
    int64_t samplesPerEpoch() const override { return stream_->samplesPerEpoch(); }
    void begin(int64_t epoch) override { stream_->begin(epoch); }
    void awaited() override { stream_->awaited(); }
    std::shared_ptr<const Dataset> next() override {
        std::shared_ptr<const Dataset> batch = stream_->next();
        return batch ? checkedTargets(std::move(batch), targets_, binding_) : nullptr;
    }

private:
    std::shared_ptr<BatchStream> stream_;
    std::vector<RangedTarget> targets_;
    std::map<std::string, std::string> binding_;
};

/// Of a stream: its epochs end where it says so.
class StreamBatches final : public RunBatches {
public:
    StreamBatches(const TrainingSession& session, const TrainerData& data, const RunSpec& spec,
                  int64_t stepsDone)
        : spec_(spec), samples_(data.stream->samplesPerEpoch()) {
        StreamOptions options;
        // one batch an epoch if their number is unknown: the settings are checked all the same
        plan_ =
            StepPlan::of(spec, std::max<int64_t>(data.stream->batchesPerEpoch().value_or(1), 1));
        isLengthKnown_ = data.stream->batchesPerEpoch().has_value();
        if (isLengthKnown_) {
            options.firstEpoch = plan_.firstBatchOf(stepsDone) / plan_.batchesPerEpoch;
            options.skippedBatches = plan_.firstBatchOf(stepsDone) % plan_.batchesPerEpoch;
            stepsInEpoch_ = stepsDone % plan_.stepsPerEpoch;
        }
        options.epochs = spec.steps > 0 ? 0 : spec.epochs;
        epochsDone_ = options.firstEpoch;
        loader_ = std::make_unique<StreamLoader>(
            std::make_shared<CheckedStream>(data.stream, rangedTargets(graphWithLoss(session)),
                                            data.binding),
            [&session, binding = data.binding](const Dataset& batch) {
                return batchFields(session, batch, binding, true);
            },
            options);
    }

    int64_t totalSteps() const override {
        return isLengthKnown_ || spec_.steps > 0 ? plan_.totalSteps : 0;
    }
    int64_t stepsPerEpoch() const override { return isLengthKnown_ ? plan_.stepsPerEpoch : 0; }
    int64_t samples() const override { return samples_; }
    int64_t batchSize() const override { return 0; }

    bool isDone(int64_t stepsDone) const override {
        return spec_.steps > 0 ? stepsDone >= spec_.steps : epochsDone_ >= spec_.epochs;
    }

    std::optional<Batch> next(int64_t) override {
        if (taken_ == spec_.accumulate || (taken_ > 0 && hasEnded_)) {
            finishStep();
            return std::nullopt;
        }
        std::optional<Batch> batch = loader_->next();
        TEMPER_ASSERT(batch.has_value(), "the stream has as many epochs as the run");
        hasEnded_ = batch->endsEpoch;
        ++taken_;
        return batch;
    }

    double waitSeconds() const override { return loader_->waitSeconds(); }
    bool endsEpoch(int64_t) const override { return hasEnded_; }
    int64_t epochsDone(int64_t) const override { return epochsDone_; }

    double epochAt(int64_t) const override {
        const auto epochs = static_cast<double>(epochsDone_);
        if (!isLengthKnown_) return epochs;
        return epochs + std::min(1.0, static_cast<double>(stepsInEpoch_) /
                                          static_cast<double>(plan_.stepsPerEpoch));
    }

private:
    void finishStep() {
        taken_ = 0;
        ++stepsInEpoch_;
        if (!hasEnded_) return;
        ++epochsDone_;
        stepsInEpoch_ = 0;
    }

    const RunSpec& spec_;
    int64_t samples_;
    StepPlan plan_;
    bool isLengthKnown_ = false;
    std::unique_ptr<StreamLoader> loader_;
    int64_t taken_ = 0;      ///< batches of the current step
    bool hasEnded_ = false;  ///< the latest batch was the last one of its epoch
    int64_t stepsInEpoch_ = 0;
    int64_t epochsDone_ = 0;
};

}  // namespace

std::unique_ptr<RunBatches> batchesOfRun(const TrainingSession& session, const TrainerData& data,
                                         const RunSpec& spec, int64_t stepsDone,
                                         const BatchShare& share) {
    if (!data.stream)
        return std::make_unique<DatasetBatches>(session, data, spec, stepsDone, share);
    if (share.slices == 1) return std::make_unique<StreamBatches>(session, data, spec, stepsDone);
    throw Error(ErrorCode::Unsupported,
                "The training data is a stream of batches, which can't be cut into slices.",
                "Train on a data set, or without slices and ranks.");
}

}  // namespace temper
