// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/synchronized_slices.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "engine/core/counted.h"
#include "engine/training/monitors/non_finite.h"
#include "engine/training/parallel/batch_slices.h"

namespace temper {
namespace {

/// Values one after the other, as ranks of the same program send them.
class Packer {
public:
    template <typename T>
    void add(const T& value) {
        text_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }
    void add(std::string_view text) {
        add(static_cast<uint64_t>(text.size()));
        text_.append(text);
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

class Unpacker {
public:
    explicit Unpacker(std::string_view text) : text_(text) {}
    bool isAtEnd() const { return text_.empty(); }
    template <typename T>
    T take() {
        T value{};
        std::memcpy(&value, text_.data(), sizeof(T));
        text_.remove_prefix(sizeof(T));
        return value;
    }
    std::string takeText() {
        const auto size = take<uint64_t>();
        const std::string taken(text_.substr(0, size));
        text_.remove_prefix(size);
        return taken;
    }

private:
    std::string_view text_;
};

/// A slice that waits at a normalization.
struct Waiting {
    std::string node;
    double elements = 0;
    uint64_t numbers = 0;

    bool isWith(const Waiting& other) const {
        return node == other.node && numbers == other.numbers;
    }
};

/// Throws: Error(Unsupported) if not all slices of the batch wait at the same normalization.
void requireSamePlace(const std::vector<Waiting>& waiting, int64_t participants) {
    const Waiting& first = waiting.front();
    const int64_t there = std::ranges::count_if(
        waiting, [&first](const Waiting& slice) { return slice.isWith(first); });
    if (there == participants) return;
    throw Error(ErrorCode::Unsupported,
                std::to_string(there) + " of " + counted(participants, "slice") +
                    " of a batch have reached " + first.node +
                    "; expected all of them: statistics of the whole batch need slices that "
                    "compute their normalizations in the same order.",
                "Choose a batch size that the number of slices divides, or train without "
                "--sync-batch-norm.");
}

// What a rank knows of the losses of its slices.
const std::string kIsFinite, kIsNotFinite = "loss", kHasOrigin = "origin";

}  // namespace

SynchronizedSlices::SynchronizedSlices(TrainingSession& session, Group& group, const SumTree& tree)
    : session_(session), group_(group), tree_(tree), parts_(tree_.partsOf(group.rank())) {
    for (int64_t i = 0; i < parts_.count(); ++i)
        slices_.push_back(std::make_unique<SliceWorker>(session));
}

SynchronizedSlices::~SynchronizedSlices() = default;

void SynchronizedSlices::copyToSession(int64_t slice) {
    const SliceWorker& from = worker(slice);
    for (const std::string& name : session_.trainableParameters())
        session_.state().parameter(name).gradient.assign(from.state().parameter(name).gradient);
    for (const std::string& name : runningStatistics_)
        session_.state().parameter(name).data.assign(from.state().parameter(name).data);
    session_.noteTrainStep(from.seed());
}

size_t SynchronizedSlices::arenaBytes() const {
    size_t bytes = 0;
    for (const auto& slice : slices_) bytes += slice->arenaBytes();
    return bytes;
}

void SynchronizedSlices::compute(std::span<const Batch> batches) {
    for (const auto& slice : slices_) slice->beginStep();
    try {
        for (size_t i = 0; i < batches.size(); ++i)
            computeBatch(batches[i], i, static_cast<uint64_t>(batches.size()));
    } catch (...) {
        for (const auto& slice : slices_) slice->abandon();
        throw;
    }
    for (const auto& slice : slices_) {
        for (const std::string& name : slice->written()) {
            if (session_.state().hasParameter(name)) runningStatistics_.insert(name);
        }
    }
}

/// `number`: of the batch among the `batches` of the optimizer step.
void SynchronizedSlices::computeBatch(const Batch& batch, uint64_t number, uint64_t batches) {
    std::vector<SliceWorker*> computing;
    int64_t participants = 0;  // on all ranks
    for (int64_t i = 0; i < tree_.parts(); ++i) {
        const PartRange rows = sliceOf(batch.size, i, tree_.parts());
        if (rows.count() == 0) continue;
        ++participants;
        if (i < parts_.begin || i >= parts_.end) continue;
        SliceWorker& slice = *slices_[static_cast<size_t>(i - parts_.begin)];
        slice.begin(rowsOf(batch, rows), rows.count(), batches * static_cast<uint64_t>(i) + number);
        computing.push_back(&slice);
    }
    synchronize(computing, participants);
    requireFiniteLosses(computing);
}

void SynchronizedSlices::synchronize(std::span<SliceWorker* const> slices, int64_t participants) {
    do {
        for (SliceWorker* slice : slices) {
            if (!slice->isEnded()) slice->proceed();
        }
    } while (exchange(slices, participants));
}

/// Sends what the slices wait with, and gives them that of all. Returns: whether a slice waits.
bool SynchronizedSlices::exchange(std::span<SliceWorker* const> slices, int64_t participants) {
    Packer packer;
    for (const SliceWorker* slice : slices) {
        if (slice->isEnded()) continue;
        packer.add(std::string_view(slice->node()));
        packer.add(slice->own().count);
        packer.add(static_cast<uint64_t>(slice->own().numbers.size()));
        for (const double number : slice->own().numbers) packer.add(number);
    }
    std::vector<Waiting> waiting;
    numbers_.clear();
    for (const std::string& text : gather(packer.text())) {
        for (Unpacker entry(text); !entry.isAtEnd();) {
            Waiting slice{entry.takeText(), entry.take<double>(), entry.take<uint64_t>()};
            for (uint64_t i = 0; i < slice.numbers; ++i) numbers_.push_back(entry.take<double>());
            waiting.push_back(std::move(slice));
        }
    }
    if (waiting.empty()) return false;
    requireSamePlace(waiting, participants);
    statistics_.clear();
    std::span<const double> rest = numbers_;
    for (const Waiting& slice : waiting) {
        statistics_.push_back({slice.elements, rest.first(slice.numbers)});
        rest = rest.subspan(slice.numbers);
    }
    for (SliceWorker* slice : slices) slice->setGathered(statistics_);
    return true;
}

/// By way of the statistics, a number that is not finite reaches the losses of all slices. So all
/// ranks look for its origin, and end with the error of the first slice that has it.
void SynchronizedSlices::requireFiniteLosses(std::span<SliceWorker* const> slices) {
    const SliceWorker* culprit = nullptr;
    std::string origin;
    for (const SliceWorker* slice : slices) {
        if (std::isfinite(slice->latestLoss()) || !origin.empty()) continue;
        session_.noteTrainStep(slice->seed());
        origin = session_.findNonFinite(slice->inputs());
        if (culprit == nullptr || !origin.empty()) culprit = slice;
    }
    const std::vector<std::string> all = gather(culprit == nullptr ? kIsFinite
                                                : origin.empty()   ? kIsNotFinite
                                                                   : kHasOrigin);
    auto first = std::ranges::find(all, kHasOrigin);
    if (first == all.end()) first = std::ranges::find(all, kIsNotFinite);
    if (first == all.end()) return;
    if (first - all.begin() == group_.rank())
        throwNonFinite(session_, culprit->latestLoss(), "loss", origin);
    group_.barrier();  // throws its error
}

std::vector<std::string> SynchronizedSlices::gather(const std::string& own) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    std::vector<std::string> all = group_.gather(own);
    waitSeconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
    return all;
}

}  // namespace temper
