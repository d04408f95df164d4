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
    /// Throws: as checkParameters() and makeClassicArtifacts(); Error(InvalidInput) if the initial
    /// optimizer state does not fit; Error(Io) if a stage cannot be written.
    TrainingSession(const Graph& model, TrainingParameters parameters,
                    std::shared_ptr<const OpSet> ops, SessionOptions options = {});
    TrainingSession(const std::filesystem::path& model, TrainingParameters parameters,
                    const std::shared_ptr<const OpSet>& ops, SessionOptions options = {});
    TrainingSession(std::span<const std::byte> model, TrainingParameters parameters,
                    const std::shared_ptr<const OpSet>& ops, SessionOptions options = {});
    ~TrainingSession();
    TrainingSession(const TrainingSession&) = delete;
    TrainingSession& operator=(const TrainingSession&) = delete;

    using Feeds = std::map<std::string, Tensor>;
    /// Trains on a batch, or evaluates it (kTrainingMode). `outputs` empty: all of outputs().
    /// Feeds are those of inputs(); the loss scale may be omitted, and in an evaluation the
    /// learning rate. Returns: copies, in the order of the names.
    /// Throws: Error(InvalidInput) naming a feed or output that is missing or unknown.
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
    /// Whether an output is float32. Throws: Error(NotFound) if no node makes it.
    bool isOutputFp32Node(const std::string& output) const;

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
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace temper::classic
