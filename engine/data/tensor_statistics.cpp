// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tensor_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/data/tensor_numbers.h"

namespace temper {
namespace {

constexpr size_t kBlock = size_t{1} << 20;

/// Sums of one block; they are added block by block, so that long tensors lose no precision.
struct Sums {
    double sum = 0;
    double squares = 0;
};

class Measurement {
public:
    Measurement(const Tensor& tensor, const std::stop_token& stop, Progress* progress)
        : tensor_(tensor), stop_(stop), progress_(progress) {}

    TensorStatistics run(size_t bins) {
        statistics_.count = tensor_.numElements();
        if (!hasNumbers(tensor_.dtype()) || statistics_.count == 0) return statistics_;
        visitStored(tensor_.dtype(), [&]<typename Number>() {
            forBlocks<Number>(0, [this](auto values) { this->add<Number>(values); });
            finish();
            if (statistics_.maximum > statistics_.minimum && !stop_.stop_requested())
                fillHistogram<Number>(bins);
        });
        return statistics_;
    }

private:
    template <typename Number, typename F>
    void forBlocks(float done, F&& f) {
        const auto values = storedValues<Number>(tensor_);
        for (size_t begin = 0; begin < values.size(); begin += kBlock) {
            if (stop_.stop_requested()) return;
            f(values.subspan(begin, std::min(kBlock, values.size() - begin)));
            if (progress_ != nullptr)
                *progress_ =
                    done + 0.5F * static_cast<float>(begin) / static_cast<float>(values.size());
        }
    }

    template <typename Number>
    void add(std::span<const typename Number::Stored> values) {
        Sums sums;
        for (const auto stored : values) {
            const double value = Number::toDouble(stored);
            if (!std::isfinite(value)) {
                ++(std::isnan(value) ? statistics_.nans : statistics_.infinities);
                continue;
            }
            statistics_.zeros += value == 0;
            sums.sum += value;
            sums.squares += value * value;
            least_ = std::min(least_, value);
            most_ = std::max(most_, value);
        }
        total_.sum += sums.sum;
        total_.squares += sums.squares;
        seen_ += static_cast<int64_t>(values.size());
    }

    void finish() {
        const int64_t finite = seen_ - statistics_.notFinite();
        if (finite <= 0) return;
        const auto number = static_cast<double>(finite);
        statistics_.minimum = least_;
        statistics_.maximum = most_;
        statistics_.mean = total_.sum / number;
        statistics_.deviation =
            std::sqrt(std::max(0.0, total_.squares / number - statistics_.mean * statistics_.mean));
        statistics_.norm = std::sqrt(total_.squares);
    }

    template <typename Number>
    void fillHistogram(size_t bins) {
        statistics_.histogram.assign(bins, 0);
        const double low = statistics_.minimum;
        // The range of doubles may overflow, half of it does not.
        const double half = statistics_.maximum / 2 - low / 2;
        const double scale = static_cast<double>(bins) / 2;
        forBlocks<Number>(0.5F, [&](auto values) {
            for (const auto stored : values) {
                const double value = Number::toDouble(stored);
                if (!std::isfinite(value)) continue;
                const double place = (value / 2 - low / 2) / half * 2 * scale;
                ++statistics_.histogram[std::min(bins - 1, static_cast<size_t>(place))];
            }
        });
    }

    const Tensor& tensor_;
    const std::stop_token& stop_;
    Progress* progress_;
    TensorStatistics statistics_;
    Sums total_;
    double least_ = std::numeric_limits<double>::infinity();
    double most_ = -std::numeric_limits<double>::infinity();
    int64_t seen_ = 0;
};

}  // namespace

TensorStatistics measureTensor(const Tensor& tensor, const std::stop_token& stop,
                               Progress* progress, size_t bins) {
    return Measurement(tensor, stop, progress).run(bins);
}

}  // namespace temper
