// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batch_loader.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>
#include <type_traits>
#include <utility>

#include "engine/core/counted.h"
#include "engine/core/random.h"

namespace temper {
namespace {

/// Determines the samples of each batch.
class BatchPlan {
public:
    BatchPlan(int64_t size, const LoaderOptions& options)
        : size_(size), options_(options), perEpoch_(batchesPerEpoch(size, options)) {}

    /// `number` counts over all epochs; nullopt after the last one.
    std::optional<Batch> batch(int64_t number) const {
        Batch batch;
        batch.epoch = number / perEpoch_;
        batch.index = number % perEpoch_;
        if (options_.epochs > 0 && batch.epoch >= options_.epochs) return std::nullopt;
        batch.size = std::min(options_.batchSize, size_ - batch.index * options_.batchSize);
        batch.endsEpoch = batch.index + 1 == perEpoch_;
        batch.firstRow = batch.size * options_.firstSlice / options_.slices;
        return batch;
    }

    std::span<const int64_t> samples(const Batch& batch) {
        if (batch.epoch != orderedEpoch_) {
            order_ = options_.shuffle ? epochOrder(size_, options_.seed, batch.epoch) : inOrder();
            orderedEpoch_ = batch.epoch;
        }
        const int64_t endRow = batch.size * options_.endSlice / options_.slices;
        return std::span<const int64_t>(order_).subspan(
            static_cast<size_t>(batch.index * options_.batchSize + batch.firstRow),
            static_cast<size_t>(endRow - batch.firstRow));
    }

private:
    std::vector<int64_t> inOrder() const {
        std::vector<int64_t> order(static_cast<size_t>(size_));
        std::iota(order.begin(), order.end(), 0);
        return order;
    }

    int64_t size_;
    LoaderOptions options_;
    int64_t perEpoch_;
    std::vector<int64_t> order_;
    int64_t orderedEpoch_ = -1;
};

/// A batch, the end (empty), or what went wrong.
struct Slot {
    std::optional<Batch> batch;
    std::exception_ptr error;
};

/// Whether To can represent the value; floating-point types take every number.
template <typename To, typename From>
bool fits(From value) {
    if constexpr (std::is_floating_point_v<To> || std::is_same_v<To, bool>) {
        return true;
    } else if constexpr (std::is_floating_point_v<From>) {
        constexpr To kHalf = std::numeric_limits<To>::max() / 2 + 1;  // a power of two: exact
        constexpr double kEnd = 2.0 * static_cast<double>(kHalf);
        const auto number = static_cast<double>(value);
        return std::trunc(number) == number && number < kEnd &&
               number >= static_cast<double>(std::numeric_limits<To>::min());
    } else if constexpr (std::is_same_v<From, bool>) {
        return true;
    } else {
        return std::in_range<To>(value);
    }
}

template <typename To, typename From>
void checkFits(std::span<const From> values, const std::string& column) {
    const auto bad = std::find_if_not(values.begin(), values.end(), fits<To, From>);
    if (bad == values.end()) return;
    throw Error(ErrorCode::InvalidInput, "Column '" + column + "' holds " + std::to_string(*bad) +
                                             ", which is not a valid " +
                                             std::string(dtypeName(kDTypeOf<To>)) + " number.");
}

Tensor converted(const Tensor& tensor, DType dtype, const std::string& column) {
    if (dtype == DType::Undefined || dtype == tensor.dtype()) return tensor;
    visitDType(tensor.dtype(), [&]<typename From>() {
        visitDType(dtype,
                   [&]<typename To>() { checkFits<To, From>(tensor.values<From>(), column); });
    });
    return tensor.cast(dtype);
}

}  // namespace

Tensor repeatSample(const Tensor& sample, int64_t count) {
    Shape shape = {count};
    shape.insert(shape.end(), sample.shape().begin(), sample.shape().end());
    Tensor result(sample.dtype(), std::move(shape));
    for (int64_t i = 0; i < count && sample.byteSize() > 0; ++i) {
        std::memcpy(result.mutableData() + static_cast<size_t>(i) * sample.byteSize(),
                    sample.data(), sample.byteSize());
    }
    return result;
}

std::vector<Tensor> readFields(const Dataset& data, const std::vector<BatchField>& fields,
                               std::span<const int64_t> samples) {
    std::vector<Tensor> tensors;
    tensors.reserve(fields.size());
    for (const BatchField& field : fields) {
        if (!field.sample.empty()) {
            tensors.push_back(repeatSample(field.sample, static_cast<int64_t>(samples.size())));
            continue;
        }
        const size_t column = data.columnIndex(field.column);
        Tensor tensor = converted(data.batch(column, samples), field.dtype, field.column);
        if (field.shape) {
            Shape shape = {static_cast<int64_t>(samples.size())};
            shape.insert(shape.end(), field.shape->begin(), field.shape->end());
            tensor = tensor.reshaped(std::move(shape));
        }
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

int64_t batchesPerEpoch(int64_t size, const LoaderOptions& options) {
    if (size == 0) throw Error(ErrorCode::InvalidInput, "The data has no samples.");
    if (options.batchSize < 1) {
        throw Error(
            ErrorCode::InvalidInput,
            "The batch size is " + std::to_string(options.batchSize) + "; expected at least 1.");
    }
    if (options.dropLast && size < options.batchSize) {
        throw Error(ErrorCode::InvalidInput,
                    "The data has " + counted(size, "sample") + "; the model takes batches of " +
                        std::to_string(options.batchSize) + ".",
                    "Use more samples, or export the model with a free batch dimension.");
    }
    return (size + (options.dropLast ? 0 : options.batchSize - 1)) / options.batchSize;
}

std::vector<int64_t> epochOrder(int64_t size, uint64_t seed, int64_t epoch) {
    return Random(seed, static_cast<uint64_t>(epoch) + 1).permutation(size);
}

struct BatchLoader::State {
    State(std::shared_ptr<const Dataset> source, std::vector<BatchField> wanted,
          const LoaderOptions& loaderOptions)
        : data(std::move(source)),
          fields(std::move(wanted)),
          options(loaderOptions),
          plan(data->size(), loaderOptions) {}

    /// The thread: fills the queue until the end, an error or stop.
    void load() {
        for (int64_t number = options.firstBatch;; number += options.stride) {
            Slot slot = read(number);
            const bool isLast = !slot.batch;
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] {
                return stop || static_cast<int64_t>(ready.size()) < options.prefetch;
            });
            if (stop) return;
            ready.push_back(std::move(slot));
            changed.notify_all();
            if (isLast) return;
        }
    }

    Slot read(int64_t number) {
        Slot slot;
        try {
            slot.batch = plan.batch(number);
            if (slot.batch) {
                slot.batch->tensors =
                    readFields(seenIn(slot.batch->epoch), fields, plan.samples(*slot.batch));
            }
        } catch (...) {
            slot = {std::nullopt, std::current_exception()};
        }
        return slot;
    }

    const Dataset& seenIn(int64_t epoch) {
        if (options.varies && epoch != variedEpoch) {
            varied = data->inEpoch(epoch);
            variedEpoch = epoch;
        }
        return varied ? *varied : *data;
    }

    std::shared_ptr<const Dataset> data;
    std::shared_ptr<const Dataset> varied;  ///< of variedEpoch; null if data is always the same
    int64_t variedEpoch = -1;
    std::vector<BatchField> fields;
    LoaderOptions options;
    BatchPlan plan;
    double waitSeconds = 0;

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Slot> ready;
    bool stop = false;
    std::thread thread;
};

BatchLoader::BatchLoader(std::shared_ptr<const Dataset> data, std::vector<BatchField> fields,
                         LoaderOptions options) {
    options.prefetch = std::max<int64_t>(options.prefetch, 1);
    state_ = std::make_unique<State>(std::move(data), std::move(fields), options);
    state_->thread = std::thread([state = state_.get()] { state->load(); });
}

BatchLoader::~BatchLoader() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stop = true;
    }
    state_->changed.notify_all();
    state_->thread.join();
}

std::optional<Batch> BatchLoader::next() {
    const auto begin = std::chrono::steady_clock::now();
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return !state_->ready.empty(); });
    state_->waitSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    Slot& front = state_->ready.front();
    if (front.error) std::rethrow_exception(front.error);  // stays: the next call throws the same
    if (!front.batch) return std::nullopt;
    std::optional<Batch> batch = std::move(front.batch);
    state_->ready.pop_front();
    state_->changed.notify_all();
    return batch;
}

double BatchLoader::waitSeconds() const { return state_->waitSeconds; }

}  // namespace temper
