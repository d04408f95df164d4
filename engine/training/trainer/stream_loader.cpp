// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/stream_loader.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/interruption.h"

namespace temper {
namespace {

/// How long a request to the run may go unnoticed while a batch is awaited.
constexpr std::chrono::milliseconds kWaitAtOnce{20};

}  // namespace

struct StreamLoader::State {
    /// A batch, the end (empty), or what went wrong.
    struct Slot {
        std::optional<Batch> batch;
        std::exception_ptr error;
    };

    /// The thread: reads until the end, an error or stop.
    void load() {
        try {
            loadEpochs();
        } catch (...) {
            put({std::nullopt, std::current_exception()});
        }
        const std::lock_guard lock(mutex);
        hasEnded = true;
        changed.notify_all();
    }

    void loadEpochs() {
        for (int64_t epoch = options.firstEpoch; options.epochs == 0 || epoch < options.epochs;
             ++epoch) {
            if (!loadEpoch(epoch)) return;
        }
        put({});
    }

    /// Returns: false if the loader was stopped.
    bool loadEpoch(int64_t epoch) {
        stream->begin(epoch);
        int64_t index = 0;
        std::shared_ptr<const Dataset> samples = stream->next();
        for (; samples && epoch == options.firstEpoch && index < options.skippedBatches; ++index)
            samples = stream->next();
        if (!samples && index == 0) {
            throw Error(ErrorCode::InvalidInput,
                        "The data has no batches" +
                            (epoch == 0 ? std::string(".")
                                        : " in epoch " + std::to_string(epoch + 1) + "."),
                        "Each pass over the data needs at least one batch.");
        }
        while (samples) {
            // only the batch after it tells whether a batch ends its epoch
            std::shared_ptr<const Dataset> following;
            std::exception_ptr error;
            try {
                following = stream->next();
            } catch (...) {
                error = std::current_exception();
            }
            if (!put({read(*samples, epoch, index, !following && !error), nullptr})) return false;
            if (error) std::rethrow_exception(error);
            samples = std::move(following);
            ++index;
        }
        return true;
    }

    Batch read(const Dataset& samples, int64_t epoch, int64_t index, bool endsEpoch) const {
        std::vector<int64_t> all(static_cast<size_t>(samples.size()));
        std::iota(all.begin(), all.end(), 0);
        try {
            return {epoch, index, samples.size(), endsEpoch,
                    readFields(samples, fields(samples), all)};
        } catch (Error& error) {
            error.addContext("batch " + std::to_string(index + 1) + " of epoch " +
                             std::to_string(epoch + 1));
            throw;
        }
    }

    /// Waits until it is wanted. Returns: false if the loader was stopped.
    bool put(Slot slot) {
        std::unique_lock lock(mutex);
        changed.wait(lock,
                     [&] { return stop || static_cast<int64_t>(ready.size()) < options.prefetch; });
        if (stop) return false;
        ready.push_back(std::move(slot));
        changed.notify_all();
        return true;
    }

    /// For the other thread: waits until the condition holds. `whileWaiting` is called now and
    /// then, without the lock.
    template <typename Condition, typename WhileWaiting>
    void await(std::unique_lock<std::mutex>& lock, Condition&& condition,
               WhileWaiting&& whileWaiting) {
        while (!changed.wait_for(lock, kWaitAtOnce, condition)) {
            lock.unlock();
            whileWaiting();
            lock.lock();
        }
    }

    std::shared_ptr<BatchStream> stream;
    BatchFieldsOf fields;
    StreamOptions options;
    double waitSeconds = 0;

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Slot> ready;
    bool stop = false;
    bool hasEnded = false;
    std::thread thread;
};

StreamLoader::StreamLoader(std::shared_ptr<BatchStream> stream, BatchFieldsOf fields,
                           StreamOptions options)
    : state_(std::make_unique<State>()) {
    state_->stream = std::move(stream);
    state_->fields = std::move(fields);
    state_->options = options;
    state_->options.prefetch = std::max<int64_t>(options.prefetch, 1);
    state_->thread = std::thread([state = state_.get()] { state->load(); });
}

StreamLoader::~StreamLoader() {
    {
        std::unique_lock lock(state_->mutex);
        state_->stop = true;
        state_->changed.notify_all();
        state_->await(
            lock, [&] { return state_->hasEnded; }, [&] { state_->stream->awaited(); });
    }
    state_->thread.join();
}

std::optional<Batch> StreamLoader::next() {
    const auto begin = std::chrono::steady_clock::now();
    std::unique_lock lock(state_->mutex);
    state_->await(
        lock, [&] { return !state_->ready.empty(); },
        [&] {
            InterruptionScope::check();
            state_->stream->awaited();
        });
    state_->waitSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    State::Slot& front = state_->ready.front();
    if (front.error) std::rethrow_exception(front.error);  // stays: the next call throws the same
    if (!front.batch) return std::nullopt;
    std::optional<Batch> batch = std::move(front.batch);
    state_->ready.pop_front();
    state_->changed.notify_all();
    return batch;
}

double StreamLoader::waitSeconds() const { return state_->waitSeconds; }

}  // namespace temper
