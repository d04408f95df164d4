// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/group.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "engine/distributed/barrier.h"
#include "engine/distributed/channels.h"

namespace temper {
namespace {

constexpr int64_t kShardUnit = 16;

template <typename T>
std::span<std::byte> bytesOf(T* values, int64_t count) {
    return std::as_writable_bytes(std::span<T>(values, static_cast<size_t>(count)));
}

std::span<std::byte> bytesOf(std::string& text) { return bytesOf(text.data(), std::ssize(text)); }

PartRange shardOf(const ShardBorders& borders, int rank) {
    return {borders[static_cast<size_t>(rank)], borders[static_cast<size_t>(rank) + 1]};
}

/// What the owner of a shard needs while it adds: the nodes of all ranks.
struct ShardSum {
    std::vector<PartRange> nodes;
    std::vector<float*> numbers;  ///< of each node, within the shard
    std::vector<float> received;
};

}  // namespace

ShardBorders equalShards(int64_t count, int ranks) {
    const int64_t units = (count + kShardUnit - 1) / kShardUnit;
    ShardBorders borders;
    for (int rank = 0; rank <= ranks; ++rank)
        borders.push_back(std::min(count, units * rank / ranks * kShardUnit));
    return borders;
}

Group::Group(const std::function<std::unique_ptr<Transport>()>& open, const Patience& patience)
    : communicator_(std::make_shared<Communicator>(open, patience)),
      rank_(communicator_->rank()),
      members_(static_cast<size_t>(communicator_->size())) {
    std::iota(members_.begin(), members_.end(), 0);
}

Group Group::subgroup(const std::vector<int>& members) const {
    Group group;
    group.communicator_ = communicator_;
    const auto own = std::ranges::find(members, rank_);
    TEMPER_ASSERT(own != members.end(), "this rank is a member");
    group.rank_ = static_cast<int>(own - members.begin());
    group.members_.clear();
    for (const int member : members)
        group.members_.push_back(members_.at(static_cast<size_t>(member)));
    return group;
}

/// With the communicator's ranks instead of this group's.
std::shared_ptr<Exchange> Group::post(int channel, std::vector<Round> rounds) const {
    const auto world = [this](int rank) { return members_[static_cast<size_t>(rank)]; };
    for (Round& round : rounds) {
        for (Round::Outgoing& message : round.outgoing) message.to = world(message.to);
        for (Round::Incoming& message : round.incoming) message.from = world(message.from);
    }
    return communicator_->begin(channel, std::move(rounds));
}

void Group::exchange(std::vector<Round> rounds) {
    if (size() > 1) post(kControlChannel, std::move(rounds))->wait();
}

void Group::barrier() { exchange(barrierRounds(rank(), size())); }

/// Along a binomial tree: after each round, twice as many ranks have it.
void Group::broadcast(std::span<std::byte> data, int from) {
    const int place = (rank() + size() - from) % size();
    std::vector<Round> rounds;
    for (int known = 1; known < size(); known *= 2) {
        Round round;
        if (place < known && place + known < size())
            round.outgoing.push_back({(place + known + from) % size(), data});
        if (place >= known && place < 2 * known)
            round.incoming.push_back({(place - known + from) % size(), data});
        rounds.push_back(std::move(round));
    }
    exchange(std::move(rounds));
}

std::string Group::broadcast(const std::string& text, int from) {
    int64_t length = std::ssize(text);
    broadcast(bytesOf(&length, 1), from);
    std::string result = text;
    result.resize(static_cast<size_t>(length));
    broadcast(bytesOf(result), from);
    return result;
}

void Group::gatherPieces(std::span<const std::span<std::byte>> pieces) {
    Round round;
    for (int distance = 1; distance < size(); ++distance) {
        const int to = (rank() + distance) % size(), from = (rank() + size() - distance) % size();
        round.outgoing.push_back({to, pieces[static_cast<size_t>(rank())]});
        round.incoming.push_back({from, pieces[static_cast<size_t>(from)]});
    }
    exchange({std::move(round)});
}

std::vector<int64_t> Group::gatherNumbers(int64_t number) {
    std::vector<int64_t> numbers(static_cast<size_t>(size()));
    numbers[static_cast<size_t>(rank())] = number;
    std::vector<std::span<std::byte>> pieces;
    for (int64_t& each : numbers) pieces.push_back(bytesOf(&each, 1));
    gatherPieces(pieces);
    return numbers;
}

std::vector<std::string> Group::gather(const std::string& text) {
    std::vector<std::string> texts;
    for (const int64_t length : gatherNumbers(std::ssize(text)))
        texts.emplace_back(static_cast<size_t>(length), ' ');
    texts[static_cast<size_t>(rank())] = text;
    std::vector<std::span<std::byte>> pieces;
    for (std::string& each : texts) pieces.push_back(bytesOf(each));
    gatherPieces(pieces);
    return texts;
}

std::vector<std::string> Group::collect(const std::string& text) {
    const std::vector<int64_t> lengths = gatherNumbers(std::ssize(text));
    std::vector<std::string> texts(lengths.size());
    texts[static_cast<size_t>(rank())] = text;
    Round round;
    if (!isLeader()) round.outgoing.push_back({0, bytesOf(texts[static_cast<size_t>(rank())])});
    for (int from = 1; from < size() && isLeader(); ++from) {
        std::string& theirs = texts[static_cast<size_t>(from)];
        theirs.resize(static_cast<size_t>(lengths[static_cast<size_t>(from)]));
        round.incoming.push_back({from, bytesOf(theirs)});
    }
    exchange({round});
    if (!isLeader()) texts[static_cast<size_t>(rank())].clear();
    return texts;
}

ShardBorders Group::shardsOf(const TreeSum& sum) const {
    return sum.shards.empty() ? equalShards(sum.count, size()) : sum.shards;
}

/// Each rank sends its nodes' numbers to the owners of the shards, which add them up.
std::vector<Round> Group::reduceScatter(TreeSum sum) const {
    const ShardBorders shards = shardsOf(sum);
    const PartRange mine = shardOf(shards, rank());
    const auto shard = std::make_shared<ShardSum>();
    Round round;
    size_t others = 0;
    for (int from = 0; from < size(); ++from) {
        if (from != rank()) others += sum.tree.nodesOf(from).size();
    }
    shard->received.resize(others * static_cast<size_t>(mine.count()));
    float* next = shard->received.data();
    for (int other = 0; other < size(); ++other) {
        const std::vector<PartRange> nodes = sum.tree.nodesOf(other);
        const PartRange theirs = shardOf(shards, other);
        for (const PartRange node : nodes) shard->nodes.push_back(node);
        for (size_t i = 0; i < nodes.size(); ++i) {
            shard->numbers.push_back(other == rank() ? sum.nodes[i] + mine.begin : next);
            if (other == rank()) continue;
            round.incoming.push_back({other, bytesOf(next, mine.count())});
            next += mine.count();
        }
        if (other == rank()) continue;
        for (const float* node : sum.nodes)
            round.outgoing.push_back(
                {other, std::as_bytes(
                            std::span(node + theirs.begin, static_cast<size_t>(theirs.count())))});
    }
    round.then = [shard, mine, tree = sum.tree, result = sum.result] {
        const float* total = tree.fold(shard->nodes, shard->numbers, mine.count());
        float* to = result + mine.begin;
        if (total != to) std::copy_n(total, mine.count(), to);
        shard->received = {};
    };
    return {std::move(round)};
}

Round Group::allGather(float* numbers, const ShardBorders& shards) const {
    const auto shard = [&](int rank) {
        const PartRange range = shardOf(shards, rank);
        return bytesOf(numbers + range.begin, range.count());
    };
    Round round;
    for (int distance = 1; distance < size(); ++distance) {
        const int to = (rank() + distance) % size(), from = (rank() + size() - distance) % size();
        round.outgoing.push_back({to, shard(rank())});
        round.incoming.push_back({from, shard(from)});
    }
    return round;
}

std::shared_ptr<Exchange> Group::begin(int channel, std::vector<Round> rounds) {
    TEMPER_ASSERT(0 <= channel && channel <= kLastBucketChannel - kFirstBucketChannel,
                  "there is such a channel");
    if (communicator_) return post(kFirstBucketChannel + channel, std::move(rounds));
    for (const Round& round : rounds) {
        if (round.then) round.then();
    }
    return Exchange::done();
}

std::shared_ptr<Exchange> Group::beginReduceScatter(int channel, TreeSum sum) {
    return begin(channel, reduceScatter(std::move(sum)));
}

std::shared_ptr<Exchange> Group::beginAllGather(int channel, float* numbers,
                                                const ShardBorders& shards) {
    return begin(channel, {allGather(numbers, shards)});
}

std::shared_ptr<Exchange> Group::beginAllReduce(int channel, TreeSum sum) {
    Round gathering = allGather(sum.result, shardsOf(sum));
    std::vector<Round> rounds = reduceScatter(std::move(sum));
    rounds.push_back(std::move(gathering));
    return begin(channel, std::move(rounds));
}

std::shared_ptr<Exchange> Group::beginShardExchange(int channel, const float* numbers,
                                                    const ShardBorders& shards,
                                                    const std::vector<float*>& received) {
    Round round;
    for (int other = 0; other < size(); ++other) {
        if (other == rank()) continue;
        const PartRange theirs = shardOf(shards, other);
        round.outgoing.push_back(
            {other, std::as_bytes(
                        std::span(numbers + theirs.begin, static_cast<size_t>(theirs.count())))});
        round.incoming.push_back({other, bytesOf(received[static_cast<size_t>(other)],
                                                 shardOf(shards, rank()).count())});
    }
    return begin(channel, {std::move(round)});
}

std::shared_ptr<Exchange> Group::beginSend(int channel, int to, std::span<const std::byte> data) {
    return begin(channel, {{.outgoing = {{to, data}}}});
}

std::shared_ptr<Exchange> Group::beginReceive(int channel, int from, std::span<std::byte> data) {
    return begin(channel, {{.incoming = {{from, data}}}});
}

void Group::fail(const Error& error) {
    if (communicator_) communicator_->fail(error);
}

std::optional<Error> Group::failure() const {
    return communicator_ ? communicator_->failure() : std::nullopt;
}

std::optional<int> Group::lostRank() const {
    return communicator_ ? communicator_->lostRank() : std::nullopt;
}

}  // namespace temper
