// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <semaphore>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "engine/ops/normalization/batch_statistics.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// What a slice of the batches of an optimizer step has come to.
struct SliceResult {
    double loss = 0;      ///< sum of the losses of its samples
    int64_t samples = 0;  ///< in all batches
    int64_t unit = 0;     ///< samples of the latest batch: gradients are a mean over so many
};

/// Computes a slice of each batch, with memory of its own for activations, gradients and running
/// statistics. It does so in a thread that computes only while proceed() waits for it: until its
/// next batch normalization, where it stays until it has the statistics of all slices.
/// Thread: one at a time.
class SliceWorker final : public BatchStatistics {
public:
    /// The session has to outlive it.
    explicit SliceWorker(TrainingSession& session);
    ~SliceWorker() override;
    SliceWorker(const SliceWorker&) = delete;
    SliceWorker& operator=(const SliceWorker&) = delete;

    /// The next batch is the first one of an optimizer step: from the session's parameters and
    /// running statistics.
    void beginStep();
    /// Takes its rows of the next batch; proceed() begins to compute them. `trainStep`: see
    /// TrainingSession::setTrainStepNumber().
    void begin(std::vector<Tensor> inputs, int64_t samples, uint64_t trainStep);
    /// Lets it compute until it waits for the other slices, or has ended. Throws: what it threw.
    void proceed();
    /// Ends it wherever it is.
    void abandon();

    bool isEnded() const { return isEnded_; }
    /// The normalization at which it waits, and what it has for the others there.
    const std::string& node() const { return node_; }
    const SliceStatistics& own() const { return own_; }
    /// What it continues with. The memory has to stay while proceed() runs.
    void setGathered(std::span<const SliceStatistics> all) { gathered_ = all; }

    double latestLoss() const { return latestLoss_; }
    const SliceResult& result() const { return result_; }
    std::span<const Tensor> inputs() const { return inputs_; }
    uint64_t seed() const { return seed_; }
    /// The inputs that its train steps have changed.
    const std::set<std::string>& written() const { return written_; }
    const CheckpointState& state() const { return *state_; }
    size_t arenaBytes() const;

    std::span<const SliceStatistics> gather(const std::string& node,
                                            const SliceStatistics& own) override;

private:
    void makeModule();
    bool hasCurrentParameters() const;
    void rescale(int64_t samples);
    void compute(int64_t samples);
    void takeTurn();

    TrainingSession& session_;
    std::unique_ptr<CheckpointState> state_;
    std::unique_ptr<Module> module_;
    std::set<std::string> written_;
    SliceResult result_;
    std::vector<Tensor> inputs_;
    uint64_t seed_ = 0;
    double latestLoss_ = 0;
    std::thread thread_;
    std::binary_semaphore turn_{0};  ///< the thread may compute
    std::binary_semaphore done_{0};  ///< proceed() may return
    // Either side touches the rest in its turn only.
    bool isEnded_ = true;
    bool isAbandoned_ = false;
    std::exception_ptr error_;
    std::string node_;
    SliceStatistics own_;
    std::span<const SliceStatistics> gathered_;
};

}  // namespace temper
