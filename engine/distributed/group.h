// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/distributed/communicator.h"
#include "engine/distributed/sum_tree.h"

namespace temper {

/// The runs of numbers that the ranks own: rank r those from border r to border r + 1.
using ShardBorders = std::vector<int64_t>;

/// Runs of nearly equal length, whose borders are multiples of 16 numbers.
ShardBorders equalShards(int64_t count, int ranks);

/// A sum of numbers over the parts of all ranks: see SumTree.
struct TreeSum {
    SumTree tree;
    /// This rank's nodes, in the order of tree.nodesOf(): `count` numbers each, which are
    /// overwritten.
    std::vector<float*> nodes;
    int64_t count = 0;
    float* result = nullptr;   ///< `count` numbers; may be one of the nodes
    ShardBorders shards = {};  ///< each rank adds up its own; empty: equal ones
};

/// The processes (ranks) of a run, of which this is one. All ranks call the same functions in the
/// same order; those that begin something may be under way together, on different channels.
///
/// All functions throw the error of the first rank that failed, or of one that was lost.
/// Thread: one at a time, but for fail().
class Group {
public:
    /// This process alone: nothing has to be exchanged.
    Group() = default;
    /// See Communicator.
    Group(const std::function<std::unique_ptr<Transport>()>& open, const Patience& patience = {});
    Group(Group&&) = default;
    Group& operator=(Group&&) = default;

    /// Some of the ranks, of which this is one: `members` are their ranks here, in the order of
    /// their ranks there. Two ranks must not exchange anything in two such groups at the same time.
    Group subgroup(const std::vector<int>& members) const;

    int rank() const { return rank_; }
    int size() const { return static_cast<int>(members_.size()); }
    /// Rank 0 alone reports and writes files.
    bool isLeader() const { return rank() == 0; }

    /// Returns when all ranks have called it.
    void barrier();
    /// Everybody's bytes become those of rank `from`; the sizes are equal.
    void broadcast(std::span<std::byte> data, int from = 0);
    /// The same for a text of any length. Returns: that of rank `from`.
    std::string broadcast(const std::string& text, int from = 0);
    /// Returns: everybody's text, by rank.
    std::vector<std::string> gather(const std::string& text);
    /// The same on rank 0 only; the others get empty texts.
    std::vector<std::string> collect(const std::string& text);
    /// Everybody gets the pieces that the ranks have of a whole; this rank has its own piece.
    void gatherPieces(std::span<const std::span<std::byte>> pieces);

    /// Each rank gets the sum of its shard. `channel`: 0 and up.
    std::shared_ptr<Exchange> beginReduceScatter(int channel, TreeSum sum);
    /// Everybody gets the shards that the ranks have of these numbers.
    std::shared_ptr<Exchange> beginAllGather(int channel, float* numbers,
                                             const ShardBorders& shards);
    /// Everybody gets the whole sum.
    std::shared_ptr<Exchange> beginAllReduce(int channel, TreeSum sum);
    /// Each rank gets everybody's numbers of its own shard: those of rank r are written to
    /// `received[r]`, but for its own.
    std::shared_ptr<Exchange> beginShardExchange(int channel, const float* numbers,
                                                 const ShardBorders& shards,
                                                 const std::vector<float*>& received);
    /// Sends bytes to one other rank, which receives as many. The memory has to stay.
    std::shared_ptr<Exchange> beginSend(int channel, int to, std::span<const std::byte> data);
    std::shared_ptr<Exchange> beginReceive(int channel, int from, std::span<std::byte> data);

    /// This rank can't continue: all ranks end with this error, which names it.
    void fail(const Error& error);
    /// Of the first rank that failed.
    std::optional<Error> failure() const;
    /// The rank, among all of the run, that does not answer any more, if it is one.
    std::optional<int> lostRank() const;
    Traffic traffic() const { return communicator_ ? communicator_->traffic() : Traffic{}; }

private:
    void exchange(std::vector<Round> rounds);
    std::vector<int64_t> gatherNumbers(int64_t number);
    ShardBorders shardsOf(const TreeSum& sum) const;
    std::vector<Round> reduceScatter(TreeSum sum) const;
    Round allGather(float* numbers, const ShardBorders& shards) const;
    std::shared_ptr<Exchange> begin(int channel, std::vector<Round> rounds);
    std::shared_ptr<Exchange> post(int channel, std::vector<Round> rounds) const;

    std::shared_ptr<Communicator> communicator_;  ///< null: this process is alone
    int rank_ = 0;
    std::vector<int> members_{0};  ///< their ranks in the communicator
};

}  // namespace temper
