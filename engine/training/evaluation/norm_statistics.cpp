// SPDX-License-Identifier: Apache-2.0
#include "engine/training/evaluation/norm_statistics.h"

#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/data/batch_loader.h"
#include "engine/training/binding/binding.h"
#include "engine/training/edits/restored_norms.h"

namespace temper {
namespace {

/// With the usual momentum of 0.9, running statistics remember about this many.
constexpr int64_t kMeasuredBatches = 20;

/// Mean and variance of each channel over all batches so far.
/// Source: Chan, Golub, LeVeque, "Updating formulae ... for computing sample variances" (1979).
class ChannelStatistics {
public:
    /// Shapes: [N, C, ...].
    void add(const Tensor& batch) {
        const auto channels = static_cast<size_t>(batch.shape()[1]);
        mean.resize(channels);
        squares_.resize(channels);
        if (batch.numElements() == 0) return;
        const Tensor numbers = batch.cast(DType::Float64);
        const auto values = numbers.values<double>();
        const auto rows = static_cast<size_t>(batch.shape()[0]);
        const size_t inner = values.size() / rows / channels;
        for (size_t c = 0; c < channels; ++c) addChannel(values, c, {rows, channels, inner});
        count_ += static_cast<double>(rows * inner);
    }

    double variance(size_t channel) const { return count_ > 0 ? squares_[channel] / count_ : 1; }

    std::vector<double> mean;

private:
    struct Sizes {
        size_t rows, channels, inner;
    };

    template <typename Action>
    static void forEach(std::span<const double> values, size_t channel, const Sizes& sizes,
                        const Action& action) {
        for (size_t row = 0; row < sizes.rows; ++row) {
            const size_t begin = (row * sizes.channels + channel) * sizes.inner;
            for (const double value : values.subspan(begin, sizes.inner)) action(value);
        }
    }

    void addChannel(std::span<const double> values, size_t channel, const Sizes& sizes) {
        const auto added = static_cast<double>(sizes.rows * sizes.inner);
        double sum = 0;
        forEach(values, channel, sizes, [&](double value) { sum += value; });
        const double center = sum / added;
        double squares = 0;
        forEach(values, channel, sizes,
                [&](double value) { squares += (value - center) * (value - center); });
        const double distance = center - mean[channel];
        const double all = count_ + added;
        mean[channel] += distance * added / all;
        squares_[channel] += squares + distance * distance * count_ * added / all;
    }

    std::vector<double> squares_;  ///< sums of squared distances from the mean
    double count_ = 0;             ///< numbers per channel so far
};

/// Gives a norm other statistics, and adjusts scale and shift so that it computes the same.
void useStatistics(CheckpointState& state, const Node& norm, const ChannelStatistics& found) {
    enum Input : size_t { Scale = 1, Shift, Mean, Variance };
    const auto numbersOf = [&](Input input) {
        return state.parameterData(norm.input(input)->name()).cast(DType::Float64).clone();
    };
    Tensor tensors[] = {numbersOf(Scale), numbersOf(Shift), numbersOf(Mean), numbersOf(Variance)};
    const auto scale = tensors[0].mutableValues<double>();
    const auto shift = tensors[1].mutableValues<double>();
    const auto mean = tensors[2].mutableValues<double>();
    const auto variance = tensors[3].mutableValues<double>();
    const double epsilon = norm.attribute<float>("epsilon", 1e-5F);
    for (size_t c = 0; c < scale.size(); ++c) {
        const double slope = scale[c] / std::sqrt(variance[c] + epsilon);
        shift[c] += (found.mean[c] - mean[c]) * slope;
        mean[c] = found.mean[c];
        variance[c] = found.variance(c);
        scale[c] = slope * std::sqrt(variance[c] + epsilon);
    }
    for (size_t i = 0; i < std::size(tensors); ++i) {
        const std::string& name = norm.input(Scale + i)->name();
        state.setParameter(name, tensors[i].cast(state.parameter(name).data.dtype()));
    }
}

}  // namespace

void measureNormStatistics(TrainingSession& session, const Dataset& data,
                           const std::map<std::string, std::string>& binding, int64_t batchSize,
                           uint64_t seed) {
    if (!session.artifacts().evalModel) return;
    const std::vector<const Node*> norms = restoredNormsOf(*session.artifacts().evalModel);
    if (norms.empty()) return;
    std::vector<std::string> inputs;
    for (const Node* norm : norms) inputs.push_back(norm->input(0)->name());
    const std::optional<int64_t> fixed = fixedBatchSize(session, false);
    // the loader is destroyed before this function returns, so it need not own the data
    const std::shared_ptr<const Dataset> borrowed(std::shared_ptr<const void>(), &data);
    BatchLoader loader(
        borrowed, batchFields(session, data, binding, false),
        {.batchSize = fixed.value_or(batchSize), .seed = seed, .dropLast = fixed.has_value()});
    std::vector<ChannelStatistics> statistics(norms.size());
    for (int64_t batches = 0; batches < kMeasuredBatches; ++batches) {
        const std::optional<Batch> batch = loader.next();
        if (!batch) break;
        const std::span<const Tensor> values = session.evaluate(batch->tensors, inputs);
        for (size_t i = 0; i < norms.size(); ++i) statistics[i].add(values[i]);
    }
    for (size_t i = 0; i < norms.size(); ++i)
        useStatistics(session.state(), *norms[i], statistics[i]);
}

Artifacts withMeasuredNorms(Artifacts artifacts, std::shared_ptr<const OpSet> ops,
                            const Dataset& data, const std::map<std::string, std::string>& binding,
                            int64_t batchSize, uint64_t seed) {
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(artifacts, state, std::move(ops));
    measureNormStatistics(session, data, binding, batchSize, seed);
    for (auto* tensors : {&artifacts.checkpoint.trainable, &artifacts.checkpoint.frozen}) {
        for (NamedTensor& tensor : *tensors) tensor.data = state->parameterData(tensor.name);
    }
    return artifacts;
}

}  // namespace temper
