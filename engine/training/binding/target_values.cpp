// SPDX-License-Identifier: Apache-2.0
#include "engine/training/binding/target_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "engine/core/joined.h"
#include "engine/data/pieces.h"

namespace temper {
namespace {

constexpr size_t kNamedValues = 5;

std::string shortNumber(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

/// Collects the values outside a range until there are more than a message names.
class ValuesOutside {
public:
    explicit ValuesOutside(const TargetRange& range) : range_(range) {}

    /// `begin`: the index of the first value.
    template <typename T>
    void see(std::span<const T> values, int64_t begin) {
        for (size_t i = 0; i < values.size(); ++i) {
            // most targets repeat a few values
            if (i > 0 && values[i] == values[i - 1]) continue;
            const auto value = static_cast<double>(values[i]);
            if (std::isnan(value) || range_.contains(value)) continue;
            if (values_.empty()) first_ = begin + static_cast<int64_t>(i);
            values_.insert(value);
            if (isFull()) return;
        }
    }

    bool empty() const { return values_.empty(); }
    bool isFull() const { return values_.size() > kNamedValues; }
    /// The index of the first of them.
    int64_t first() const { return first_; }

    /// `holder`: what has the values; `place`: where the first of them is.
    Finding finding(const RangedTarget& target, const std::string& holder,
                    const std::string& place) const {
        return {"D123",
                Severity::Error,
                {},
                {},
                target.loss + " takes " + range_.words + "; " + holder + " has " +
                    joined(values_, shortNumber, kNamedValues) + ", first in " + place + ".",
                range_.hint,
                {}};
    }

private:
    const TargetRange& range_;
    std::set<double> values_;
    int64_t first_ = 0;
};

int64_t valuesPerSample(const Column& column) {
    return std::max<int64_t>(column.elementsPerSample(), 1);
}

/// Texts and the types that no input is fed from have no range.
bool hasNumbers(DType dtype) {
    return isInteger(dtype) || dtype == DType::Bool || dtype == DType::Float32 ||
           dtype == DType::Float64;
}

std::optional<Finding> lookAtColumn(const RangedTarget& target, const Dataset& data, size_t index) {
    const Column& column = data.columns()[index];
    const auto bytes = static_cast<int64_t>(std::max<size_t>(column.bytesPerSample(), 1));
    const int64_t samples = std::min(data.size(), kTargetBytesAtStart / bytes + 1);
    const int64_t step = samplesPerPiece(column);
    ValuesOutside outside(target.range);
    for (int64_t begin = 0; begin < samples && !outside.isFull(); begin += step) {
        const Tensor piece = data.batch(index, pieceFrom(data, index, begin));
        visitDType(piece.dtype(), [&]<typename T>() {
            outside.see(piece.values<T>(), begin * valuesPerSample(column));
        });
    }
    if (outside.empty()) return std::nullopt;
    return outside.finding(target, "column '" + column.name + "'",
                           nameOfSample(data, outside.first() / valuesPerSample(column)));
}

/// The column that feeds the input; absent if none does, or one of texts.
std::optional<size_t> columnOf(const std::string& input, const Dataset& data,
                               const std::map<std::string, std::string>& binding) {
    const auto bound = binding.find(input);
    const auto column = bound == binding.end() ? std::nullopt : data.findColumn(bound->second);
    return column && hasNumbers(data.columns()[*column].dtype) ? column : std::nullopt;
}

class CheckedDataset final : public DatasetView {
public:
    /// A target and the column that feeds it.
    using Checks = std::vector<std::pair<size_t, RangedTarget>>;

    CheckedDataset(std::shared_ptr<const Dataset> data, Checks checks)
        : DatasetView(std::move(data)), checks_(std::move(checks)) {}

    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        data_->read(column, samples, target);
        for (const auto& [index, ranged] : checks_) {
            if (index == column) require(ranged, column, samples, target);
        }
    }
    std::shared_ptr<const Dataset> inEpoch(int64_t epoch) const override {
        std::shared_ptr<const Dataset> varied = data_->inEpoch(epoch);
        return varied ? std::make_shared<CheckedDataset>(std::move(varied), checks_) : nullptr;
    }
    uint64_t fingerprint(int64_t sample) const override { return data_->fingerprint(sample); }

private:
    void require(const RangedTarget& target, size_t index, std::span<const int64_t> samples,
                 const std::byte* values) const {
        const Column& column = columns()[index];
        const int64_t perSample = valuesPerSample(column);
        ValuesOutside outside(target.range);
        visitDType(column.dtype, [&]<typename T>() {
            outside.see(std::span(reinterpret_cast<const T*>(values),
                                  samples.size() * static_cast<size_t>(column.elementsPerSample())),
                        0);
        });
        if (outside.empty()) return;
        const int64_t sample = samples[static_cast<size_t>(outside.first() / perSample)];
        const Finding found =
            outside.finding(target, "column '" + column.name + "'", nameOfSample(*data_, sample));
        throw Error(ErrorCode::InvalidInput, found.message, found.hint);
    }

    Checks checks_;
};

}  // namespace

std::vector<Finding> findTargetsOutOfRange(std::span<const RangedTarget> targets,
                                           const std::map<std::string, std::string>& binding,
                                           const Dataset& data) {
    std::vector<Finding> findings;
    for (const RangedTarget& target : targets) {
        const std::optional<size_t> column = columnOf(target.input, data, binding);
        if (!column) continue;
        if (auto found = lookAtColumn(target, data, *column)) findings.push_back(std::move(*found));
    }
    return findings;
}

std::optional<Finding> objectionToValues(const RangedTarget& target, const Tensor& values,
                                         const std::string& array) {
    if (!hasNumbers(values.dtype()) && !isFloating(values.dtype())) return std::nullopt;
    const Tensor numbers = hasNumbers(values.dtype()) ? values : values.cast(DType::Float32);
    ValuesOutside outside(target.range);
    visitDType(numbers.dtype(), [&]<typename T>() { outside.see(numbers.values<T>(), 0); });
    if (outside.empty()) return std::nullopt;
    Shape place(values.shape().size());
    int64_t rest = outside.first();
    for (size_t axis = place.size(); axis-- > 0;) {
        place[axis] = rest % values.shape()[axis];
        rest /= values.shape()[axis];
    }
    return outside.finding(target, array, "element " + formatShape(place) + " (counted from 0)");
}

std::shared_ptr<const Dataset> checkedTargets(std::shared_ptr<const Dataset> data,
                                              std::vector<RangedTarget> targets,
                                              const std::map<std::string, std::string>& binding) {
    CheckedDataset::Checks checks;
    for (RangedTarget& target : targets) {
        if (const auto column = columnOf(target.input, *data, binding))
            checks.emplace_back(*column, std::move(target));
    }
    if (checks.empty()) return data;
    return std::make_shared<CheckedDataset>(std::move(data), std::move(checks));
}

}  // namespace temper
