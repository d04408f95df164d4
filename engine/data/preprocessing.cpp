// SPDX-License-Identifier: Apache-2.0
#include "engine/data/preprocessing.h"

#include <algorithm>

#include "engine/data/csv_table.h"
#include "engine/data/hash.h"

namespace temper {
namespace {

constexpr double kByteRange = 255;
constexpr int64_t kMaxChannels = 4;

using DatasetPtr = std::shared_ptr<const Dataset>;

/// Bytes that are pictures.
bool isImage(const Column& column) {
    return column.dtype == DType::UInt8 && column.shape.size() >= 2;
}

std::vector<double> numbers(const DataSpec& spec, const std::string& key, double unit) {
    std::vector<double> values;
    for (const std::string& text : spec.list(key)) {
        const std::optional<double> value = parseNumber(text);
        if (!value || (key == "std" && !(*value > 0))) {
            throw Error(ErrorCode::InvalidInput,
                        "The data option '" + key + "' holds '" + text + "'; expected " +
                            (key == "std" ? "numbers above 0." : "numbers."));
        }
        values.push_back(*value * unit);
    }
    return values;
}

/// `mean=` and `std=`; either may be omitted.
std::optional<Normalization> givenNormalization(const DataSpec& spec, const Column& column) {
    const double unit = isImage(column) ? kByteRange : 1;
    Normalization given{numbers(spec, "mean", unit), numbers(spec, "std", unit)};
    if (given.mean.empty() && given.deviation.empty()) return std::nullopt;
    if (given.mean.empty()) given.mean.resize(given.deviation.size(), 0);
    if (given.deviation.empty()) given.deviation.resize(given.mean.size(), unit);
    return given;
}

std::optional<Normalization> normalizationOf(const DataSpec& spec, const Dataset& training,
                                             size_t index) {
    const Column& column = training.columns()[index];
    const bool isScalable =
        isImage(column) || column.dtype == DType::Float32 || column.dtype == DType::Float64;
    if (column.isTarget || !isScalable || column.elementsPerSample() == 0) return std::nullopt;
    if (auto given = givenNormalization(spec, column)) return given;
    std::vector<std::string> modes = {"none", "unit", "standard"};
    if (isImage(column)) std::swap(modes[0], modes[1]);
    const std::string mode = spec.choice("normalize", modes);
    if (mode == "standard") return measureNormalization(training, index, normalizedParts(column));
    if (mode == "unit" && isImage(column)) return Normalization{{0}, {kByteRange}};
    return std::nullopt;
}

/// The finished samples, which vary in each epoch.
class VariedDataset : public DatasetView {
public:
    VariedDataset(DatasetPtr data, Preprocessing preprocessing)
        : DatasetView(preprocessing.finished(data)),
          source_(std::move(data)),
          preprocessing_(std::move(preprocessing)) {}

    DatasetPtr inEpoch(int64_t epoch) const override {
        return preprocessing_.inEpoch(source_, epoch);
    }

private:
    DatasetPtr source_;
    Preprocessing preprocessing_;
};

/// For the columns that can be varied, as the specification requests.
std::vector<ColumnAugmentation> augmentationsOf(const DataSpec& spec, const Dataset& training) {
    const Augmentation options = augmentationOf(spec);
    if (options.isNone()) return {};
    const auto seed = static_cast<uint64_t>(spec.integer("seed", 0).value_or(0));
    std::vector<ColumnAugmentation> result;
    for (size_t i = 0; i < training.columns().size(); ++i) {
        const Column& column = training.columns()[i];
        const bool isVaried = isPicture(column) || (isFloating(column.dtype) && options.noise > 0);
        if (column.isTarget || !isVaried) continue;
        result.push_back(prepareAugmentation(training, i, options, mixed(seed, i)));
    }
    return result;
}

}  // namespace

int64_t normalizedParts(const Column& column) {
    if (column.shape.size() == 1) return std::max<int64_t>(column.shape[0], 1);
    if (column.shape.size() == 3 && column.shape[0] <= kMaxChannels) return column.shape[0];
    return 1;
}

DatasetPtr Preprocessing::finished(DatasetPtr data) const {
    for (const auto& [name, by] : normalization) {
        const size_t column = data->columnIndex(name);
        data = normalized(std::move(data), column, by);
    }
    for (size_t i = 0; channelsLast && i < data->columns().size(); ++i) {
        const Column& column = data->columns()[i];
        if (column.isImage && column.shape.size() == 3) {
            data = temper::channelsLast(std::move(data), i);
        }
    }
    return data;
}

DatasetPtr Preprocessing::inEpoch(DatasetPtr data, int64_t epoch) const {
    for (const ColumnAugmentation& augmentation : augmentations) {
        data = augmented(std::move(data), augmentation, epoch);
    }
    return finished(std::move(data));
}

DatasetPtr Preprocessing::forTraining(DatasetPtr data) const {
    if (augmentations.empty()) return finished(std::move(data));
    return std::make_shared<VariedDataset>(std::move(data), *this);
}

Preprocessing preprocessingOf(const DataSpec& spec, const Dataset& training,
                              const ImageForm& form) {
    Preprocessing result;
    result.augmentations = augmentationsOf(spec, training);
    for (size_t i = 0; i < training.columns().size(); ++i) {
        if (const auto by = normalizationOf(spec, training, i)) {
            result.normalization[training.columns()[i].name] = *by;
        }
    }
    result.channelsLast = form.channelsLast;
    return result;
}

}  // namespace temper
