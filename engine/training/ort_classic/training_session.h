// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/ops/op_set.h"
#include "engine/training/ort_classic/horizontal_split.h"
#include "engine/training/ort_classic/state_dictionary.h"
#include "engine/training/ort_classic/step_report.h"
#include "engine/training/ort_classic/training_parameters.h"
#include "engine/training/session/training_session.h"

namespace temper::classic {

/// Input of run() that makes a run an evaluation if it is false: bool, one element.
inline constexpr const char* kTrainingMode = "training_mode";
/// An input or output of a session.
struct Argument {
    std::string name;
    ValueType type;
};

/// ORT's classic training session: one call computes loss and gradients of a batch, and with the
/// last batch of an optimizer step also averages, unscales and clips them and updates the weights.
/// A step whose gradients are not finite is skipped, and halves a dynamic loss scale.
///
/// A facade over today's session, with its state, evaluation and export.
/// Source: spec/training_api.md section 10. Thread: one at a time.
class TrainingSession {
public:
    /// `ranks`: those that train together, each on batches of its own, but neighbours and stages
    /// that share a model, which have the same; it has to outlive the session. Null: this process
    /// alone. Throws: as checkParameters(), rankModelOf() and requireAgreement();
    /// Error(InvalidInput) if the initial optimizer state does not fit; Error(Io) if a stage cannot
    /// be written.
    TrainingSession(const Graph& model, TrainingParameters parameters,
                    std::shared_ptr<const OpSet> ops, SessionOptions options = {},
                    Group* ranks = nullptr);
    TrainingSession(const std::filesystem::path& model, TrainingParameters parameters,
                    const std::shared_ptr<const OpSet>& ops, SessionOptions options = {},
                    Group* ranks = nullptr);
    TrainingSession(std::span<const std::byte> model, TrainingParameters parameters,
                    const std::shared_ptr<const OpSet>& ops, SessionOptions options = {},
                    Group* ranks = nullptr);
    ~TrainingSession();
    TrainingSession(const TrainingSession&) = delete;
    TrainingSession& operator=(const TrainingSession&) = delete;

    using Feeds = std::map<std::string, Tensor>;
    /// Trains on a batch, or evaluates it (kTrainingMode). `outputs` empty: all of outputs().
    /// Feeds are those of inputs(); the loss scale may be omitted, and in an evaluation the
    /// learning rate. Returns: copies, in the order of the names.
    /// With several ranks, all call it; losses and outputs are those of the rank's own batch. With
    /// a pipeline, all stages get the whole batch, and the only output is the loss, the mean over
    /// the micro-batches.
    /// Throws: Error(InvalidInput) naming a feed or output that is missing or unknown; the error of
    /// any rank.
    std::vector<Tensor> run(const std::vector<std::string>& outputs, const Feeds& feeds);
    const StepReport& lastStep() const;

    /// The model's inputs, the learning rate, and the loss scale if there is one.
    std::vector<Argument> inputs() const;
    /// The model's outputs, the scaled loss if there is one, and the gradients `<weight>_grad` if
    /// the parameters request them.
    std::vector<Argument> outputs() const;
    const ModelInfo& modelMeta() const;
    const TrainingParameters& parameters() const;
    const SessionOptions& sessionOptions() const;
    /// Name of the input that scales the loss; empty without scaling.
    const std::string& lossScaleInput() const;
    float lossScale() const;
    /// The weights of which this rank has a part only (horizontal_parallel_size): their whole
    /// shapes, and which rows or columns they are. state() has the parts.
    const WeightSlices& partitionInfoMap() const;
    /// Whether an output is float32. Throws: Error(NotFound) if no node makes it.
    bool isOutputFp32Node(const std::string& output) const;

    // If ranks share out the optimizer's state, all of them call the following functions, and each
    // gets the whole. In a pipeline, it is that of the rank's stage.

    /// Weights and optimizer state by name; copies.
    StateDictionary state() const;
    /// {"full_precision": weights}, and on request with mixed precision {"mixed_precision": the
    /// weights in bfloat16, as matrix products see them}.
    std::map<std::string, StateDictionary> modelState(bool includeMixedPrecision = false) const;
    OptimizerStates optimizerState() const;
    /// The inverse of state(). Throws: see StateView::load().
    void loadState(const StateDictionary& dictionary, bool strict = true);

    /// Today's session: its state can be saved, its model exported.
    temper::TrainingSession& session();

private:
    std::vector<Tensor> runHere(const std::vector<std::string>& outputs, const Feeds& feeds);

    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace temper::classic
