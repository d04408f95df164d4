// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/synchronized_slices.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <semaphore>
#include <thread>
#include <utility>

#include "engine/training/monitors/non_finite.h"
#include "engine/training/parallel/batch_slices.h"
#include "engine/training/session/module.h"

namespace temper {
namespace {

/// What train steps change besides gradients may be among these.
bool mayBeStatistic(const Parameter& parameter) {
    return !parameter.requiresGrad && !parameter.staysAsItIs();
}

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
    std::string_view takeText() {
        const auto size = take<uint64_t>();
        const std::string_view taken = text_.substr(0, size);
        text_.remove_prefix(size);
        return taken;
    }

private:
    std::string_view text_;
};

/// Ends the work of a slice whose batch can't be finished.
struct Abandoned {};

}  // namespace

/// A slice: its memory, and the thread that computes it if its turn comes.
class SynchronizedSlices::Slice final : public BatchStatistics {
public:
    explicit Slice(TrainingSession& session) : session_(session) { makeModule(); }
    ~Slice() override { abandon(); }

    // ---- the coordinator's side

    void beginStep() {
        if (!hasCurrentParameters()) makeModule();
        for (Parameter& parameter : state_->parameters()) {
            if (mayBeStatistic(parameter))
                parameter.data.assign(session_.state().parameter(parameter.name).data);
        }
        module_->lazyResetGrad();
        result_ = {};
    }

    /// Takes its rows of the next batch; proceed() begins to compute them.
    void begin(std::vector<Tensor> inputs, int64_t samples, uint64_t seed) {
        rescale(samples);
        inputs_ = std::move(inputs);
        isEnded_ = isAbandoned_ = false;
        error_ = nullptr;
        thread_ = std::thread([this, samples, seed] { compute(samples, seed); });
    }
    /// Lets it compute until it waits for the other slices, or has ended. Throws: what it threw.
    void proceed() {
        turn_.release();
        done_.acquire();
        if (!isEnded_) return;
        thread_.join();
        if (error_) std::rethrow_exception(error_);
    }
    /// Ends it wherever it is.
    void abandon() {
        if (!thread_.joinable()) return;
        isAbandoned_ = true;
        turn_.release();
        thread_.join();
        // The thread has signalled its end to nobody.
        [[maybe_unused]] const bool taken = done_.try_acquire();
    }

    bool isEnded() const { return isEnded_; }
    const std::string& node() const { return node_; }
    const SliceStatistics& own() const { return own_; }
    void setGathered(std::span<const SliceStatistics> all) { gathered_ = all; }

    double latestLoss() const { return latestLoss_; }
    const SliceResult& result() const { return result_; }
    std::span<const Tensor> inputs() const { return inputs_; }
    const std::set<std::string>& written() const { return written_; }
    CheckpointState& state() { return *state_; }

    // ---- the side of its thread

    std::span<const SliceStatistics> gather(const std::string& node,
                                            const SliceStatistics& own) override {
        node_ = node;
        own_ = own;
        done_.release();
        turn_.acquire();
        if (isAbandoned_) throw Abandoned();
        return gathered_;
    }

private:
    /// Parameters are the session's; what train steps change besides gradients is the slice's own.
    void makeModule() {
        module_.reset();
        state_ = std::make_unique<CheckpointState>(session_.state());
        for (Parameter& parameter : state_->parameters()) {
            parameter.gradient = {};
            if (mayBeStatistic(parameter)) parameter.data = parameter.data.clone();
        }
        auto ops = std::make_shared<OpSet>(*session_.context().ops);
        synchronizeBatchNorms(ops->cpuKernels, *this);
        module_ = session_.makeTrainingModule(*state_, std::move(ops));
        module_->onWritten([this](const std::string& input) { written_.insert(input); });
    }
    bool hasCurrentParameters() const {
        return std::ranges::all_of(state_->parameters(), [this](const Parameter& parameter) {
            return mayBeStatistic(parameter) ||
                   parameter.data.address() ==
                       session_.state().parameter(parameter.name).data.address();
        });
    }
    /// Gradients of several batches are added up in the unit of the latest one.
    void rescale(int64_t samples) {
        if (result_.samples > 0 && result_.unit != samples) {
            const float factor = static_cast<float>(result_.unit) / static_cast<float>(samples);
            for (const std::string& name : module_->trainableParameters())
                module_->context().device->scale(state_->parameter(name).gradient, factor);
        }
        result_.unit = samples;
    }
    void compute(int64_t samples, uint64_t seed) {
        turn_.acquire();
        try {
            if (isAbandoned_) throw Abandoned();
            latestLoss_ = module_->trainStep(inputs_, seed)[0].toDouble();
            result_.loss += latestLoss_ * static_cast<double>(samples);
            result_.samples += samples;
        } catch (const Abandoned&) {  // somebody else knows why
        } catch (...) {
            error_ = std::current_exception();
        }
        isEnded_ = true;
        done_.release();
    }

    TrainingSession& session_;
    std::unique_ptr<CheckpointState> state_;
    std::unique_ptr<Module> module_;
    std::set<std::string> written_;
    SliceResult result_;
    std::vector<Tensor> inputs_;
    double latestLoss_ = 0;
    std::thread thread_;
    std::binary_semaphore turn_{0};  ///< the thread may compute
    std::binary_semaphore done_{0};  ///< the coordinator may go on
    bool isEnded_ = true;
    bool isAbandoned_ = false;
    std::exception_ptr error_;
    std::string node_;
    SliceStatistics own_;
    std::span<const SliceStatistics> gathered_;
};

SynchronizedSlices::SynchronizedSlices(TrainingSession& session, Group& group, const SumTree& tree)
    : session_(session), group_(group), tree_(tree), parts_(tree.partsOf(group.rank())) {
    for (int64_t i = 0; i < parts_.count(); ++i)
        slices_.push_back(std::make_unique<Slice>(session));
}

SynchronizedSlices::~SynchronizedSlices() = default;

SliceResult SynchronizedSlices::result(int64_t slice) const {
    return slices_.at(static_cast<size_t>(slice))->result();
}

std::span<const Tensor> SynchronizedSlices::latestInputs() const {
    return slices_.empty() ? std::span<const Tensor>() : slices_.back()->inputs();
}

void SynchronizedSlices::copyToSession(int64_t slice) {
    CheckpointState& from = slices_.at(static_cast<size_t>(slice))->state();
    for (const std::string& name : session_.trainableParameters())
        session_.state().parameter(name).gradient.assign(from.parameter(name).gradient);
    for (const std::string& name : runningStatistics_)
        session_.state().parameter(name).data.assign(from.parameter(name).data);
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
    std::vector<Slice*> computing;
    int64_t participants = 0;  // on all ranks
    for (int64_t i = 0; i < tree_.parts(); ++i) {
        const PartRange rows = sliceOf(batch.size, i, tree_.parts());
        if (rows.count() == 0) continue;
        ++participants;
        if (i < parts_.begin || i >= parts_.end) continue;
        Slice& slice = *slices_[static_cast<size_t>(i - parts_.begin)];
        const uint64_t seed = session_.seedOfTrainStep(batches * static_cast<uint64_t>(i) + number);
        slice.begin(rowsOf(batch, rows), rows.count(), seed);
        computing.push_back(&slice);
    }
    synchronize(computing, participants);
    requireFiniteLosses(computing);
}

void SynchronizedSlices::synchronize(std::span<Slice* const> slices, int64_t participants) {
    do {
        for (Slice* slice : slices) {
            if (!slice->isEnded()) slice->proceed();
        }
    } while (exchange(slices, participants));
}

/// Sends what the slices wait with, and gives them that of all. Returns: whether a slice waits.
bool SynchronizedSlices::exchange(std::span<Slice* const> slices, int64_t participants) {
    Packer packer;
    for (const Slice* slice : slices) {
        if (slice->isEnded()) continue;
        packer.add(std::string_view(slice->node()));
        packer.add(slice->own().count);
        packer.add(static_cast<uint64_t>(slice->own().numbers.size()));
        for (const double number : slice->own().numbers) packer.add(number);
    }
    std::optional<std::string> node;
    bool isSame = true;
    std::vector<std::pair<double, size_t>> counts;  // of elements, and of numbers
    gathered_.clear();
    for (const std::string& text : group_.gather(packer.text())) {
        for (Unpacker entry(text); !entry.isAtEnd();) {
            const std::string_view theirs = entry.takeText();
            if (!node) node = theirs;
            isSame = isSame && *node == theirs;
            const auto count = entry.take<double>();
            const auto numbers = entry.take<uint64_t>();
            for (uint64_t i = 0; i < numbers; ++i) gathered_.push_back(entry.take<double>());
            counts.emplace_back(count, numbers);
        }
    }
    if (counts.empty()) return false;
    if (!isSame || std::ssize(counts) != participants) {
        throw Error(ErrorCode::Unsupported,
                    "The slices of a batch do not come to '" + *node + "' in the same order.",
                    "Choose a batch size that the number of slices divides, or train without "
                    "--sync-batch-norm.");
    }
    statistics_.clear();
    std::span<const double> rest = gathered_;
    for (const auto& [count, numbers] : counts) {
        statistics_.push_back({count, rest.first(numbers)});
        rest = rest.subspan(numbers);
    }
    for (Slice* slice : slices) slice->setGathered(statistics_);
    return true;
}

void SynchronizedSlices::requireFiniteLosses(std::span<Slice* const> slices) {
    for (const Slice* slice : slices)
        requireFinite(session_, slice->inputs(), slice->latestLoss(), "loss");
}

}  // namespace temper
