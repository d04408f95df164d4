// SPDX-License-Identifier: Apache-2.0
#include "engine/data/sound/sound.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/interruption.h"

namespace temper {
namespace {

constexpr double kZeroCrossings = 16;
constexpr size_t kUninterrupted = 4096;  ///< samples

double square(float value) { return static_cast<double>(value) * value; }

/// `x`: from the middle. Units: zero crossings.
double windowedSinc(double x) {
    if (std::abs(x) >= kZeroCrossings) return 0;
    const double hann = 0.5 + 0.5 * std::cos(std::numbers::pi * x / kZeroCrossings);
    const double angle = std::numbers::pi * x;
    return x == 0 ? 1 : hann * std::sin(angle) / angle;
}

}  // namespace

std::vector<float> mixedDown(const Sound& sound) {
    if (sound.channels == 1) return sound.samples;
    const auto channels = static_cast<size_t>(sound.channels);
    std::vector<float> mixed(static_cast<size_t>(sound.instants()));
    for (size_t i = 0; i < mixed.size(); ++i) {
        double sum = 0;
        for (size_t c = 0; c < channels; ++c) sum += sound.samples[i * channels + c];
        mixed[i] = static_cast<float>(sum / static_cast<double>(channels));
    }
    return mixed;
}

std::vector<float> resampled(std::span<const float> samples, double from, double to) {
    if (from == to) return {samples.begin(), samples.end()};
    const auto count = static_cast<int64_t>(samples.size());
    const double step = from / to;
    const double cutoff = std::min(1.0, to / from);
    const double reach = kZeroCrossings / cutoff;
    std::vector<float> result(
        static_cast<size_t>(std::llround(static_cast<double>(count) * to / from)));
    for (size_t i = 0; i < result.size(); ++i) {
        if (i % kUninterrupted == 0) InterruptionScope::check();
        const double middle = static_cast<double>(i) * step;
        const auto first = std::max<int64_t>(0, static_cast<int64_t>(std::ceil(middle - reach)));
        const auto last =
            std::min<int64_t>(count - 1, static_cast<int64_t>(std::floor(middle + reach)));
        double sum = 0, weights = 0;
        for (int64_t j = first; j <= last; ++j) {
            const double weight = windowedSinc((static_cast<double>(j) - middle) * cutoff);
            sum += weight * samples[static_cast<size_t>(j)];
            weights += weight;
        }
        result[i] = weights == 0 ? 0.0F : static_cast<float>(sum / weights);
    }
    return result;
}

int64_t loudestPart(std::span<const float> samples, int64_t length) {
    const auto count = static_cast<int64_t>(samples.size());
    if (count <= length) return 0;
    double energy = 0;
    for (int64_t i = 0; i < length; ++i) energy += square(samples[static_cast<size_t>(i)]);
    double most = energy;
    int64_t best = 0;
    for (int64_t begin = 1; begin + length <= count; ++begin) {
        energy += square(samples[static_cast<size_t>(begin + length - 1)]) -
                  square(samples[static_cast<size_t>(begin - 1)]);
        if (energy <= most) continue;
        most = energy;
        best = begin;
    }
    return best;
}

double rootMeanSquare(std::span<const float> samples) {
    if (samples.empty()) return 0;
    double sum = 0;
    for (const float value : samples) sum += square(value);
    return std::sqrt(sum / static_cast<double>(samples.size()));
}

}  // namespace temper
