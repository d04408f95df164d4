// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/sliced_gradients.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "engine/core/caught_error.h"
#include "engine/core/counted.h"
#include "engine/ops/normalization/batch_statistics.h"
#include "engine/training/monitors/non_finite.h"
#include "engine/training/parallel/batch_slices.h"
#include "engine/training/parallel/synchronized_slices.h"
#include "engine/training/session/module.h"

namespace temper {
namespace {

/// 4 MiB: large enough that latency does not count, small enough that the first exchanges begin
/// early in the backward pass.
constexpr int64_t kBucketNumbers = 1 << 20;
/// The channels of gradients; 0 is that of running statistics.
constexpr int kFirstChannel = 1;

using Clock = std::chrono::steady_clock;

SumTree treeOf(int64_t slices, const Group& group) {
    if (slices < 1) {
        throw Error(ErrorCode::InvalidInput,
                    "The number of slices is " + std::to_string(slices) + "; expected at least 1.");
    }
    if (slices < group.size()) {
        throw Error(ErrorCode::InvalidInput,
                    counted(group.size(), "rank") + " can't share " + counted(slices, "slice") +
                        " of a batch.",
                    "Set at least " + std::to_string(group.size()) +
                        " slices (--slices), or use fewer ranks.");
    }
    return {slices, group.size()};
}

/// The slices of SynchronizedSlices compute with the processor's kernels, which wait for each
/// other.
void requireHost(const TrainingSession& session) {
    if (session.context().device->usesHostMemory()) return;
    throw Error(ErrorCode::Unsupported,
                "Batch normalizations over the whole batch can't be computed in device memory.",
                std::string(kChooseHostMemory) + " Or train without --sync-batch-norm.");
}

}  // namespace

SlicedGradients::SlicedGradients(TrainingSession& session, Group& group, int64_t slices,
                                 int zeroStage, bool synchronizesBatchNorms)
    : session_(session),
      group_(group),
      tree_(treeOf(slices, group)),
      parts_(tree_.partsOf(group.rank())),
      zeroStage_(zeroStage),
      layout_(session, kBucketNumbers),
      sums_(tree_, group.rank(), layout_.numbers().data(), layout_.count(),
            session.context().device->pool()),
      statistics_(session.state(), tree_, group.rank(), session.context().device->pool()),
      exchanges_(layout_.buckets().size()) {
    const bool isSynchronized =
        synchronizesBatchNorms && usesBatchStatistics(*session.artifacts().trainingModel);
    if (isSynchronized) requireHost(session);
    if (zeroStage_ > 0) {
        shards_.emplace(layout_, group.size());
        auto optimizer = std::make_unique<ShardedOptimizer>(session, group, layout_, *shards_);
        optimizer_ = optimizer.get();
        session_.setUpdate(std::move(optimizer));
    }
    session_.onWritten([this](const std::string& input) { noteWritten(input); });
    if (isSynchronized) synchronized_ = std::make_unique<SynchronizedSlices>(session, group, tree_);
}

SlicedGradients::~SlicedGradients() {
    session_.onWritten({});
    session_.setUpdate(nullptr);
    waitForAll();
}

void SlicedGradients::waitForAll() {
    for (std::shared_ptr<Exchange>& exchange : exchanges_) {
        try {
            if (exchange) exchange->wait();
        } catch (...) {  // whoever needed the result has been told
        }
        exchange.reset();
    }
}

int64_t SlicedGradients::samplesOf(std::span<const Batch> batches, int64_t slice) const {
    int64_t samples = 0;
    for (const Batch& batch : batches) samples += sliceOf(batch.size, slice, tree_.parts()).count();
    return samples;
}

void SlicedGradients::waitForExchanges() {
    const auto secondsSince = [](Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    const Clock::time_point begin = Clock::now();
    for (size_t bucket = 0; bucket < exchanges_.size(); ++bucket) {
        exchanges_[bucket]->wait();
        layout_.numbers().store(layout_.buckets()[bucket].numbers);
    }
    costs_.waitSeconds += secondsSince(begin);
    costs_.exchangeSeconds += secondsSince(firstExchange_);
    ++costs_.steps;
}

ExchangeCosts SlicedGradients::costs() const {
    ExchangeCosts costs = costs_;
    costs.bytesSent = group_.traffic().bytesSent;
    if (synchronized_) {
        costs.exchangeSeconds += synchronized_->waitSeconds();
        costs.waitSeconds += synchronized_->waitSeconds();
    }
    return costs;
}

double SlicedGradients::compute(std::span<const Batch> batches) {
    try {
        return computeAll(batches);
    } catch (const std::exception&) {
        group_.fail(caughtError());  // the others would wait for this rank
        waitForAll();
        throw;
    }
}

size_t SlicedGradients::arenaBytes() const {
    return synchronized_ ? synchronized_->arenaBytes() : 0;
}

/// Of a slice's running statistics in their mean. Synchronized slices that have samples of the last
/// batch, which is the smallest, all have those of whole batches; others lack the last batch.
float SlicedGradients::statisticsShare(std::span<const Batch> batches, int64_t slice) const {
    if (!synchronized_) return shareOf(samplesOf(batches, slice));
    const int64_t samples = samplesOf(batches.last(1), slice);
    return static_cast<float>(samples) / static_cast<float>(batches.back().size);
}

double SlicedGradients::computeAll(std::span<const Batch> batches) {
    samples_ = 0;
    for (const Batch& batch : batches) samples_ += batch.size;
    missing_.clear();
    for (const GradientBucket& bucket : layout_.buckets()) missing_.push_back(bucket.parameters);
    exchanges_.assign(layout_.buckets().size(), nullptr);
    sums_.begin();
    statistics_.beginStep();
    if (synchronized_) synchronized_->compute(batches);
    std::vector<double> losses;
    for (int64_t slice = parts_.begin; slice < parts_.end; ++slice) {
        const bool isLast = slice + 1 == parts_.end;
        statistics_.beginSlice();
        losses.push_back(synchronized_ ? takeSlice(slice) : computeSlice(batches, slice, isLast));
        if (!isLast) {
            layout_.numbers().fetch({0, layout_.count()});
            sums_.add(weight_);
        }
        statistics_.endSlice(statisticsShare(batches, slice), isLast);
    }
    beginOtherBuckets();
    waitForExchanges();
    statistics_.finishStep(group_, tree_);
    return meanLoss(losses);
}

/// A batch's gradients are the mean over its samples, and those of several batches are added up in
/// the unit of the latest one.
double SlicedGradients::computeSlice(std::span<const Batch> batches, int64_t slice, bool isLast) {
    session_.lazyResetGrad();
    const int64_t samples = samplesOf(batches, slice);
    double losses = 0;
    int64_t done = 0, unit = 0;
    for (size_t i = 0; i < batches.size(); ++i) {
        const Batch& batch = batches[i];
        const PartRange rows = sliceOf(batch.size, slice, tree_.parts());
        if (rows.count() == 0) continue;
        if (done > 0 && unit != rows.count())
            session_.scaleGradients(static_cast<float>(unit) / static_cast<float>(rows.count()));
        unit = rows.count();
        done += unit;
        weight_ = shareOf(unit);
        isLastTrainStep_ = isLast && done == samples;
        inputs_ = rowsOf(batch, rows);
        session_.setTrainStepNumber(static_cast<uint64_t>(std::ssize(batches) * slice) + i);
        const double loss = session_.trainStep(inputs_)[0].toDouble();
        isLastTrainStep_ = false;
        requireFinite(session_, inputs_, loss, "loss");
        losses += loss * static_cast<double>(unit);
    }
    if (done > 0) return losses;
    takeNothing();
    return 0;
}

/// The slice has no samples.
void SlicedGradients::takeNothing() {
    std::fill_n(layout_.numbers().data(), layout_.count(), 0.0F);
    layout_.numbers().store({0, layout_.count()});
    weight_ = 0;
}

/// As computeSlice(), of one that is computed.
double SlicedGradients::takeSlice(int64_t slice) {
    const int64_t own = slice - parts_.begin;
    const SliceResult& result = synchronized_->result(own);
    for (const std::string& name : synchronized_->runningStatistics()) statistics_.note(name);
    if (result.samples == 0) {
        takeNothing();
        return 0;
    }
    synchronized_->copyToSession(own);
    weight_ = shareOf(result.unit);
    const auto inputs = synchronized_->inputs(own);
    inputs_.assign(inputs.begin(), inputs.end());
    return result.loss;
}

/// Called between two kernels of a training step. In the last one of a rank, a gradient is complete
/// then; but one that has to be copied is not there before the step ends: a device may be calling.
void SlicedGradients::noteWritten(const std::string& input) {
    const int64_t bucket = layout_.bucketOf(input);
    if (bucket < 0) return statistics_.note(input);
    if (!isLastTrainStep_ || layout_.numbers().areCopies()) return;
    if (--missing_[static_cast<size_t>(bucket)] == 0) beginBucket(static_cast<size_t>(bucket));
}

void SlicedGradients::beginBucket(size_t bucket) {
    const PartRange numbers = layout_.buckets()[bucket].numbers;
    const bool isFirst =
        std::ranges::none_of(exchanges_, [](const auto& each) { return each != nullptr; });
    if (isFirst) firstExchange_ = Clock::now();
    if (parts_.count() > 0) {
        layout_.numbers().fetch(numbers);
        sums_.finish(numbers.begin, numbers.end, weight_);
    }
    TreeSum sum{tree_, sums_.nodesFrom(numbers.begin), numbers.count(),
                layout_.numbers().data() + numbers.begin};
    if (shards_) sum.shards = shards_->bordersOf(bucket);
    const int channel = kFirstChannel + static_cast<int>(bucket);
    exchanges_[bucket] = zeroStage_ < 2 ? group_.beginAllReduce(channel, std::move(sum))
                                        : group_.beginReduceScatter(channel, std::move(sum));
}

double SlicedGradients::norm() { return zeroStage_ < 2 ? session_.gradientNorm() : normOfShards(); }

/// Adds up as Device::sumOfSquares() and TrainingSession::gradientNorm() do: runs of a parameter,
/// then parameters.
double SlicedGradients::normOfShards() {
    constexpr int64_t kRun = Device::kNumbersPerSum;
    Device& device = *session_.context().device;
    std::string own;
    for (const ShardPiece& piece : shards_->piecesOf(group_.rank())) {
        for (int64_t at = 0; at < piece.numbers.count(); at += kRun) {
            const int64_t count = std::min(kRun, piece.numbers.count() - at);
            const int64_t begin = piece.begin + at;
            const double sum = device.sumOfSquares(layout_.numbers().part({begin, begin + count}));
            own.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
        }
    }
    const std::vector<std::string> all = group_.gather(own);
    std::vector<std::map<int64_t, double>> runs(layout_.gradients().size());  // by their begin
    for (int rank = 0; rank < group_.size(); ++rank) {
        const char* at = all[static_cast<size_t>(rank)].data();
        for (const ShardPiece& piece : shards_->piecesOf(rank)) {
            for (int64_t begin = piece.numbers.begin; begin < piece.numbers.end; begin += kRun) {
                std::memcpy(&runs[piece.gradient][begin], at, sizeof(double));
                at += sizeof(double);
            }
        }
    }
    double total = 0;
    for (const std::map<int64_t, double>& parameter : runs) {
        double sum = 0;
        for (const auto& [begin, run] : parameter) sum += run;
        total += sum;
    }
    return std::sqrt(total);
}

/// Those with gradients that no kernel has reported, or all if this rank has no slices.
void SlicedGradients::beginOtherBuckets() {
    for (size_t bucket = 0; bucket < exchanges_.size(); ++bucket) {
        if (!exchanges_[bucket]) beginBucket(bucket);
    }
}

/// Adds up in the order of the slices.
double SlicedGradients::meanLoss(const std::vector<double>& own) {
    std::vector<double> losses(static_cast<size_t>(tree_.parts()));
    std::ranges::copy(own, losses.begin() + parts_.begin);
    std::vector<std::span<std::byte>> pieces;
    for (int rank = 0; rank < group_.size(); ++rank) {
        const PartRange theirs = tree_.partsOf(rank);
        pieces.push_back(std::as_writable_bytes(std::span(losses).subspan(
            static_cast<size_t>(theirs.begin), static_cast<size_t>(theirs.count()))));
    }
    group_.gatherPieces(pieces);
    double sum = 0;
    for (const double loss : losses) sum += loss;
    return sum / static_cast<double>(samples_);
}

}  // namespace temper
