// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/distributed/group.h"
#include "engine/distributed/host_numbers.h"
#include "engine/training/parallel/gradient_layout.h"
#include "engine/training/parallel/shard_map.h"
#include "engine/training/parallel/shared_state.h"
#include "engine/training/session/checkpoint_state.h"
#include "engine/training/session/optimizer.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// Parameters that one optimizer model updates.
struct UpdateGroup {
    std::shared_ptr<const Graph> model;
    std::vector<std::string> parameters;
};

/// The optimizer of ranks that share out its moments (ZeRO): each rank updates its pieces of the
/// parameters, and sends them to the others. Steps have the same bits as those of one rank. All
/// ranks call its functions, in the same order.
class ShardedOptimizer final : public ParameterUpdate, public SharedState {
public:
    /// Takes the moments of its pieces from the session's state, which has none afterwards. All
    /// have to outlive it. Throws: Error(Unsupported) naming an optimizer that needs whole
    /// parameters; as takeMoments().
    ShardedOptimizer(TrainingSession& session, Group& group, const GradientLayout& layout,
                     const ShardMap& shards, const std::vector<UpdateGroup>& updates);
    /// With the optimizer model of the session for all parameters. Throws: Error(State) without
    /// one.
    ShardedOptimizer(TrainingSession& session, Group& group, const GradientLayout& layout,
                     const ShardMap& shards);

    /// At the learning rate of the session.
    void step() override;

    /// Of this rank's moments.
    size_t bytes() const;

    void gather(bool isWanted) override;
    void release() override;
    /// The session's state becomes whole on all ranks. All call it.
    void gatherEverywhere();
    /// Takes the moments of its pieces from the session's state, which has none afterwards.
    /// Throws: Error(InvalidInput) naming a moment that does not fit its parameter,
    /// Error(Unsupported) if it is not float32.
    void takeMoments();

private:
    void checkMoments() const;
    void addPieces();
    void addOptimizer(const UpdateGroup& update);
    std::string momentsOf(const char* name) const;
    void exchangeWeights();
    void addWhole(const char* name, const std::vector<std::string>& all);

    TrainingSession& session_;
    Group& group_;
    const GradientLayout& layout_;
    const ShardMap& shards_;
    HostNumbers weights_;     ///< laid out as the gradients are
    CheckpointState pieces_;  ///< of this rank, as parameters of one dimension
    std::vector<std::string> names_;
    std::vector<std::unique_ptr<Optimizer>> optimizers_;
};

}  // namespace temper
