// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/core/counted.h"
#include "engine/core/random.h"
#include "engine/data/dataset.h"
#include "engine/data/pieces.h"

namespace temper {
namespace {

constexpr int64_t kMeasureBatch = 256;

class SubsetDataset : public DatasetView {
public:
    SubsetDataset(std::shared_ptr<const Dataset> data, std::vector<int64_t> indices)
        : DatasetView(std::move(data)), indices_(std::move(indices)) {}

    int64_t size() const override { return static_cast<int64_t>(indices_.size()); }

    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        std::vector<int64_t> mapped(samples.size());
        std::transform(samples.begin(), samples.end(), mapped.begin(),
                       [&](int64_t sample) { return indices_[static_cast<size_t>(sample)]; });
        data_->read(column, mapped, target);
    }
    uint64_t fingerprint(int64_t sample) const override {
        return data_->fingerprint(sourceOf(sample));
    }
    std::string origin(int64_t sample) const override {
        return nameOfSample(*data_, sourceOf(sample));
    }
    std::string problem(int64_t sample, bool isWhole) const override {
        return data_->problem(sourceOf(sample), isWhole);
    }

private:
    int64_t sourceOf(int64_t sample) const { return indices_[static_cast<size_t>(sample)]; }

    std::vector<int64_t> indices_;
};

class NormalizedDataset : public DatasetView {
public:
    NormalizedDataset(std::shared_ptr<const Dataset> data, size_t column, Normalization by)
        : DatasetView(std::move(data)),
          columns_(data_->columns()),
          column_(column),
          by_(std::move(by)) {
        columns_[column_].dtype = DType::Float32;
        columns_[column_].normalization = by_;
    }

    const std::vector<Column>& columns() const override { return columns_; }

    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        if (column != column_) return data_->read(column, samples, target);
        const Tensor raw = data_->batch(column, samples);
        const std::span<float> out(reinterpret_cast<float*>(target),
                                   static_cast<size_t>(raw.numElements()));
        visitDType(raw.dtype(), [&]<typename T>() { scale(raw.values<T>(), out); });
    }

private:
    template <typename T>
    void scale(std::span<const T> from, std::span<float> to) const {
        const size_t parts = by_.mean.size();
        const auto perSample = static_cast<size_t>(columns_[column_].elementsPerSample());
        const size_t perPart = std::max<size_t>(perSample / parts, 1);
        for (size_t i = 0; i < from.size(); ++i) {
            const size_t part = i / perPart % parts;
            to[i] = static_cast<float>((static_cast<double>(from[i]) - by_.mean[part]) /
                                       by_.deviation[part]);
        }
    }

    std::vector<Column> columns_;
    size_t column_;
    Normalization by_;
};

class FilledDataset : public DatasetView {
public:
    FilledDataset(std::shared_ptr<const Dataset> data, size_t column, std::vector<double> values)
        : DatasetView(std::move(data)), column_(column), values_(std::move(values)) {}

    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        data_->read(column, samples, target);
        if (column != column_) return;
        const auto perSample = static_cast<size_t>(columns()[column].elementsPerSample());
        const size_t perPart = std::max<size_t>(perSample / values_.size(), 1);
        const std::span<float> out(reinterpret_cast<float*>(target), perSample * samples.size());
        for (size_t i = 0; i < out.size(); ++i) {
            if (std::isnan(out[i])) {
                out[i] = static_cast<float>(values_[i / perPart % values_.size()]);
            }
        }
    }

private:
    size_t column_;
    std::vector<double> values_;
};

class ChannelsLastDataset : public DatasetView {
public:
    ChannelsLastDataset(std::shared_ptr<const Dataset> data, size_t column)
        : DatasetView(std::move(data)), columns_(data_->columns()), column_(column) {
        Shape& shape = columns_[column_].shape;
        TEMPER_ASSERT(shape.size() == 3, "pictures have channels");
        std::rotate(shape.begin(), shape.begin() + 1, shape.end());
        columns_[column_].hasChannelsLast = true;
    }

    const std::vector<Column>& columns() const override { return columns_; }
    uint64_t fingerprint(int64_t sample) const override { return data_->fingerprint(sample); }

    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        if (column != column_) return data_->read(column, samples, target);
        const Tensor planes = data_->batch(column, samples);
        visitDType(planes.dtype(), [&]<typename T>() {
            interleave(planes.values<T>(), reinterpret_cast<T*>(target));
        });
    }

private:
    template <typename T>
    void interleave(std::span<const T> planes, T* target) const {
        const Shape& shape = columns_[column_].shape;  // [H, W, C]
        const auto pixels = static_cast<size_t>(shape[0] * shape[1]);
        const auto channels = static_cast<size_t>(shape[2]);
        for (size_t picture = 0; picture < planes.size(); picture += pixels * channels) {
            for (size_t i = 0; i < pixels; ++i) {
                for (size_t c = 0; c < channels; ++c) *target++ = planes[picture + c * pixels + i];
            }
        }
    }

    std::vector<Column> columns_;
    size_t column_;
};

class RelabelledDataset : public DatasetView {
public:
    RelabelledDataset(std::shared_ptr<const Dataset> data, std::vector<Column> columns)
        : DatasetView(std::move(data)), columns_(std::move(columns)) {}

    const std::vector<Column>& columns() const override { return columns_; }
    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        data_->read(column, samples, target);
    }
    uint64_t fingerprint(int64_t sample) const override { return data_->fingerprint(sample); }

private:
    std::vector<Column> columns_;
};

class LineDataset : public DatasetView {
public:
    LineDataset(std::shared_ptr<const Dataset> data, std::vector<int64_t> lines)
        : DatasetView(std::move(data)), lines_(std::move(lines)) {}

    uint64_t fingerprint(int64_t sample) const override { return data_->fingerprint(sample); }
    std::string origin(int64_t sample) const override {
        return "line " + std::to_string(lines_[static_cast<size_t>(sample)]);
    }

private:
    std::vector<int64_t> lines_;
};

/// Welford's running mean and sum of squared distances from it.
struct Moments {
    double count = 0;
    double mean = 0;
    double squares = 0;

    void add(double value) {
        if (!std::isfinite(value)) return;
        count += 1;
        const double distance = value - mean;
        mean += distance / count;
        squares += distance * (value - mean);
    }

    double deviation() const {
        const double result = count > 0 ? std::sqrt(squares / count) : 0;
        return result > 0 ? result : 1;
    }
};

/// The samples of each value of the column, by ascending value; without a column, all in one part.
std::vector<std::vector<int64_t>> samplesByClass(const Dataset& data,
                                                 std::optional<size_t> column) {
    std::map<int64_t, std::vector<int64_t>> classes;
    for (int64_t begin = 0; begin < data.size(); begin += kMeasureBatch) {
        std::vector<int64_t> samples(
            static_cast<size_t>(std::min(kMeasureBatch, data.size() - begin)));
        std::iota(samples.begin(), samples.end(), begin);
        if (!column) {
            classes[0].insert(classes[0].end(), samples.begin(), samples.end());
            continue;
        }
        const Tensor labels = data.batch(*column, samples).cast(DType::Int64);
        for (size_t i = 0; i < samples.size(); ++i) {
            classes[labels.values<int64_t>()[i]].push_back(samples[i]);
        }
    }
    std::vector<std::vector<int64_t>> result;
    for (auto& [label, samples] : classes) result.push_back(std::move(samples));
    return result;
}

/// How many samples of each class make `count` in total: the shares, rounded by largest remainder.
std::vector<int64_t> sharesOf(const std::vector<std::vector<int64_t>>& classes, double fraction,
                              int64_t count) {
    std::vector<int64_t> shares;
    std::vector<std::pair<double, size_t>> remainders;
    for (const std::vector<int64_t>& samples : classes) {
        const double exact = fraction * static_cast<double>(samples.size());
        shares.push_back(static_cast<int64_t>(exact));
        remainders.emplace_back(-(exact - std::floor(exact)), shares.size() - 1);
        count -= shares.back();
    }
    std::sort(remainders.begin(), remainders.end());
    for (size_t i = 0; count != 0; i = (i + 1) % remainders.size()) {
        int64_t& share = shares[remainders[i].second];
        const auto size = static_cast<int64_t>(classes[remainders[i].second].size());
        if (count > 0 && share < size) {
            ++share;
            --count;
        } else if (count < 0 && share > 0) {
            --share;
            ++count;
        }
    }
    return shares;
}

}  // namespace

std::shared_ptr<const Dataset> withLines(std::shared_ptr<const Dataset> data,
                                         std::vector<int64_t> lines) {
    TEMPER_ASSERT(data->size() == static_cast<int64_t>(lines.size()), "each sample has its line");
    return std::make_shared<LineDataset>(std::move(data), std::move(lines));
}

std::shared_ptr<const Dataset> subset(std::shared_ptr<const Dataset> data,
                                      std::vector<int64_t> indices) {
    for (const int64_t index : indices) {
        TEMPER_ASSERT(index >= 0 && index < data->size(), "a subset names samples that exist");
    }
    return std::make_shared<SubsetDataset>(std::move(data), std::move(indices));
}

DataSplit splitDataset(std::shared_ptr<const Dataset> data, double fraction, uint64_t seed,
                       std::optional<size_t> classColumn) {
    const int64_t size = data->size();
    if (!(fraction > 0 && fraction < 1)) {
        throw Error(ErrorCode::InvalidInput,
                    "The split " + std::to_string(fraction) + " is not between 0 and 1.",
                    "0.8 trains on 80 % of the samples and evaluates on the rest.");
    }
    if (size < 2) {
        throw Error(ErrorCode::InvalidInput, "Data with " + counted(size, "sample") +
                                                 " can't be split; at least 2 are needed.");
    }
    const int64_t count =
        std::clamp<int64_t>(std::llround(fraction * static_cast<double>(size)), 1, size - 1);
    const std::vector<std::vector<int64_t>> classes = samplesByClass(*data, classColumn);
    const std::vector<int64_t> shares = sharesOf(classes, fraction, count);
    std::vector<int64_t> first;
    std::vector<int64_t> second;
    for (size_t i = 0; i < classes.size(); ++i) {
        const std::vector<int64_t> order =
            Random(seed, i).permutation(static_cast<int64_t>(classes[i].size()));
        for (size_t n = 0; n < order.size(); ++n) {
            const bool isFirst = static_cast<int64_t>(n) < shares[i];
            (isFirst ? first : second).push_back(classes[i][static_cast<size_t>(order[n])]);
        }
    }
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    return {subset(data, std::move(first)), subset(data, std::move(second))};
}

Normalization measureNormalization(const Dataset& data, size_t column, int64_t parts) {
    const int64_t perSample = data.columns()[column].elementsPerSample();
    TEMPER_ASSERT(parts > 0 && perSample % parts == 0, "the parts divide the sample");
    std::vector<Moments> moments(static_cast<size_t>(parts));
    const auto perPart = static_cast<size_t>(std::max<int64_t>(perSample / parts, 1));
    forEachPiece(data, column, [&](int64_t, const Tensor& piece) {
        visitDType(piece.dtype(), [&]<typename T>() {
            const std::span<const T> values = piece.values<T>();
            for (size_t i = 0; i < values.size(); ++i) {
                moments[i / perPart % moments.size()].add(static_cast<double>(values[i]));
            }
        });
    });
    Normalization result;
    for (const Moments& part : moments) {
        result.mean.push_back(part.mean);
        result.deviation.push_back(part.deviation());
    }
    return result;
}

std::shared_ptr<const Dataset> normalized(std::shared_ptr<const Dataset> data, size_t column,
                                          Normalization normalization) {
    const Column& info = data->columns()[column];
    const int64_t means = std::ssize(normalization.mean);
    const int64_t deviations = std::ssize(normalization.deviation);
    const int64_t parts = info.shape.empty() ? 1 : info.shape.front();
    if (means != deviations || (means != 1 && means != parts)) {
        throw Error(ErrorCode::InvalidInput,
                    counted(means, "mean") + " and " + counted(deviations, "deviation") +
                        " do not match column '" + info.name + "' of shape " +
                        formatShape(info.shape) + "; expected " + (parts == 1 ? "" : "1 or ") +
                        std::to_string(parts) + " of each.",
                    "Give one mean and deviation, or one of each per channel or table column.");
    }
    return std::make_shared<NormalizedDataset>(std::move(data), column, std::move(normalization));
}

std::shared_ptr<const Dataset> filled(std::shared_ptr<const Dataset> data, size_t column,
                                      std::vector<double> values) {
    const Column& info = data->columns()[column];
    TEMPER_ASSERT(info.dtype == DType::Float32, "only float32 columns can be filled");
    TEMPER_ASSERT(
        !values.empty() && info.elementsPerSample() % static_cast<int64_t>(values.size()) == 0,
        "the values divide the sample");
    return std::make_shared<FilledDataset>(std::move(data), column, std::move(values));
}

std::shared_ptr<const Dataset> channelsLast(std::shared_ptr<const Dataset> data, size_t column) {
    return std::make_shared<ChannelsLastDataset>(std::move(data), column);
}

std::shared_ptr<const Dataset> withClasses(std::shared_ptr<const Dataset> data, size_t column,
                                           std::vector<std::string> classes) {
    std::vector<Column> columns = data->columns();
    columns[column].classes = std::move(classes);
    return std::make_shared<RelabelledDataset>(std::move(data), std::move(columns));
}

}  // namespace temper
