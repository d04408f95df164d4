// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/distributed/group.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/ort_classic/pipeline_stage.h"
#include "engine/training/ort_classic/training_parameters.h"
#include "engine/training/session/training_session.h"

namespace temper::classic {

/// The model that a stage's session is made from: the stage with a loss whose derivatives are the
/// gradients that the next stage sends. The last stage has the model's own.
std::shared_ptr<const Graph> lossModelOf(const PipelineStage& stage);
inline constexpr const char* kStageLoss = "pipeline_loss";

/// Computes losses and gradients of batches with the ranks of the other stages: a batch is cut into
/// micro-batches, whose values and gradients go from stage to stage (turnsOf()). A stage keeps what
/// it has received of the micro-batches under way; but for the last one, it computes their forward
/// pass again in the backward pass. All ranks call the same functions.
class PipelineRunner {
public:
    /// `session`: of lossModelOf(stage), with these options; it has the weights and their
    /// gradients. It and the group have to outlive it.
    /// Throws: as GradientGraphBuilder; Error(Unsupported) naming a weight that is not float32.
    PipelineRunner(PipelineStage stage, temper::TrainingSession& session,
                   const SessionOptions& options, Group& stages,
                   const TrainingParameters& parameters);
    ~PipelineRunner();
    PipelineRunner(const PipelineRunner&) = delete;
    PipelineRunner& operator=(const PipelineRunner&) = delete;

    /// Called in train() for each parameter that it changes besides gradients: running statistics.
    void onWritten(const WrittenCallback& callback) { backward_->onWritten(callback); }

    using Feeds = std::map<std::string, Tensor>;
    /// The gradients of the mean loss over the micro-batches replace the session's, or are added to
    /// them if the batch is not the first of an optimizer step. `number`: of the batch in the
    /// optimizer step, among those of all replicas; it determines what random operators draw.
    /// Returns: the loss, on all ranks.
    /// Throws: Error(InvalidInput) for a feed that is missing or can't be cut; the error of any
    /// rank.
    float train(const Feeds& feeds, bool isFirst, int64_t number);
    /// Of the whole batch, without gradients.
    float evaluate(const Feeds& feeds);

private:
    static constexpr size_t kMaxDimensions = 14;

    /// Precedes the numbers of a tensor, since the receiver does not know their shape.
    struct Header {
        int64_t dtype = 0;
        int64_t rank = 0;
        std::array<int64_t, kMaxDimensions> shape{};
    };
    /// Messages under way, whose memory has to stay.
    struct Sent {
        Header header;
        Tensor tensor;
        std::vector<std::shared_ptr<Exchange>> exchanges;
    };

    bool isLast() const { return stages_.rank() + 1 == stages_.size(); }
    void prepare(const SessionOptions& options);
    std::shared_ptr<Graph> backwardModel(const std::vector<std::string>& floats) const;
    void bind(std::shared_ptr<Graph> model, const SessionOptions& options);
    std::vector<Feeds> cut(const Feeds& feeds, int64_t parts) const;
    Tensor partOf(const std::string& name, const Tensor& feed, int64_t part, int64_t parts) const;
    float fromLastStage(float loss);

    Feeds forward(const Feeds& feeds);
    void receiveValues(Feeds& feeds);
    void sendValues(const Feeds& feeds, const Feeds& results);
    double backward(Feeds feeds, float share, uint64_t seed);
    Feeds receiveGradients(const Feeds& feeds);
    void addGradients(const Feeds& results, float share);
    void sendGradients(const Feeds& feeds, const Feeds& results, const Feeds& gradients);

    void send(int to, const Tensor& tensor);
    Tensor receive(int from);
    void forgetSent();
    void waitForMessages();

    PipelineStage stage_;
    temper::TrainingSession& session_;
    Group& stages_;
    std::string loss_;
    uint64_t seed_;
    int64_t microBatches_;
    std::map<std::string, int64_t> slicedAxes_;
    std::set<std::string> slicedNames_;  ///< empty: all inputs with dimensions
    std::vector<std::string> weights_;
    std::vector<std::string> made_;         ///< what the stage sends of its own, or the loss
    std::set<std::string> differentiated_;  ///< received values that the backward pass reaches
    std::unique_ptr<GraphRunner> backward_;
    std::deque<Sent> sent_;
};

}  // namespace temper::classic
