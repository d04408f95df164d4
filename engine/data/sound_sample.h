// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/core/tensor.h"
#include "engine/data/open_data.h"
#include "engine/data/sound/sound.h"

namespace temper {

/// Whether a column may hold sounds: one row of at least 64 numbers without names that swing around
/// zero and resemble their neighbours. Measured on the first training samples.
bool looksLikeSound(const OpenedData& data, size_t column);

/// Usual rates, ascending. Units: Hz.
std::span<const double> commonRates();
/// The common rate at which so many numbers are closest to a second; data does not say its own.
double likelyRate(int64_t numbers);

/// What the data does not say about its sounds.
struct SoundFit {
    double rate = 0;  ///< of the column's sounds
    /// Gives the sound the mean loudness of the training samples; else full scale stays full scale.
    bool matchesLoudness = true;
};

struct FittedSound {
    Tensor sample;         ///< Shapes: [1, ...column shape], float32
    double beginning = 0;  ///< of the part that was taken. Units: seconds of the sound
    double end = 0;
};

/// A sound from elsewhere, made to look like the training samples: one channel at their rate, its
/// loudest part or, if it is too short, followed by silence, in the range of the source's values,
/// then normalized like these. Throws: Error(InvalidInput) if the sound is empty.
FittedSound soundAsSample(const Sound& sound, const OpenedData& data, size_t column,
                          const SoundFit& fit);

}  // namespace temper
