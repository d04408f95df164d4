// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace temper {

/// A sampled sound; full scale is -1 to 1, the channels of an instant are interleaved.
/// Shapes: samples [instants, channels].
struct Sound {
    double rate = 0;  ///< Units: instants per second
    int64_t channels = 1;
    std::vector<float> samples;

    int64_t instants() const {
        return channels > 0 ? static_cast<int64_t>(samples.size()) / channels : 0;
    }
    double seconds() const { return rate > 0 ? static_cast<double>(instants()) / rate : 0; }
};

/// The mean of the channels. Shapes: [instants].
std::vector<float> mixedDown(const Sound& sound);

/// The sound at another rate, without what the new rate can't hold; unchanged if the rates are the
/// same. Shapes: [n] -> [round(n * to / from)]. Formula: a sinc of 16 zero crossings to each side
/// under a Hann window; its weights are scaled to a sum of 1. Source: J. O. Smith, "Digital Audio
/// Resampling". Throws: Interrupted.
std::vector<float> resampled(std::span<const float> samples, double from, double to);

/// Where the `length` samples with the most energy begin; 0 if there are no more than `length`.
int64_t loudestPart(std::span<const float> samples, int64_t length);

/// Root mean square; 0 if there are no samples.
double rootMeanSquare(std::span<const float> samples);

}  // namespace temper
