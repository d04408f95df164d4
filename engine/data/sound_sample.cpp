// SPDX-License-Identifier: Apache-2.0
#include "engine/data/sound_sample.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace temper {
namespace {

constexpr int64_t kLookedAt = 64;         ///< samples that tell what the training sounds are like
constexpr int64_t kShortest = 64;         ///< numbers of a sound
constexpr double kMaxOffset = 0.05;       ///< mean of a sound, as a share of its range
constexpr double kMinLikeness = 0.2;      ///< correlation of neighbours; noise has 0
constexpr double kSilence = 1e-6;         ///< is not made louder
constexpr double kLargestOwnScale = 256;  ///< floats beyond it are 16-bit integers
constexpr std::array<double, 6> kRates = {4000, 8000, 16000, 22050, 44100, 48000};

const Dataset& rawOf(const OpenedData& data) {
    return data.rawTraining ? *data.rawTraining : *data.training;
}

/// The first samples as they were read, without unreadable ones. Shapes: [samples][numbers].
std::vector<std::vector<float>> firstSounds(const Dataset& data, size_t column) {
    std::vector<std::vector<float>> sounds;
    for (int64_t i = 0; i < std::min(kLookedAt, data.size()); ++i) {
        if (!data.problem(i, true).empty()) continue;
        const Tensor values = data.get(i, column).cast(DType::Float32);
        sounds.emplace_back(values.values<float>().begin(), values.values<float>().end());
    }
    return sounds;
}

float largestOf(const std::vector<std::vector<float>>& sounds) {
    float largest = 0;
    for (const auto& sound : sounds)
        for (const float value : sound) largest = std::max(largest, std::abs(value));
    return largest;
}

/// What full scale is in the source's values.
double fullScaleOf(const Dataset& data, size_t column) {
    const DType dtype = data.columns()[column].dtype;
    if (!isFloating(dtype)) return std::ldexp(1.0, static_cast<int>(8 * dtypeSize(dtype)) - 1);
    const double largest = largestOf(firstSounds(data, column));
    if (largest <= 1) return 1;
    return largest > kLargestOwnScale ? 32768 : largest;
}

double meanLoudness(const Dataset& data, size_t column) {
    const auto sounds = firstSounds(data, column);
    double sum = 0;
    for (const auto& sound : sounds) sum += rootMeanSquare(sound);
    return sounds.empty() ? 0 : sum / static_cast<double>(sounds.size());
}

/// By which a part of a sound is multiplied.
double gainFor(std::span<const float> part, const Dataset& data, size_t column, bool isMatched) {
    const double loudness = rootMeanSquare(part);
    if (!isMatched || loudness < kSilence) return fullScaleOf(data, column);
    return meanLoudness(data, column) / loudness;
}

/// Cuts or fills `all` to `length`; `begin` is where the part begins.
std::vector<float> partOf(const std::vector<float>& all, int64_t begin, int64_t length) {
    const auto end = std::min(static_cast<int64_t>(all.size()), begin + length);
    std::vector<float> part(all.begin() + begin, all.begin() + end);
    part.resize(static_cast<size_t>(length));
    return part;
}

}  // namespace

bool looksLikeSound(const OpenedData& data, size_t column) {
    const Dataset& raw = rawOf(data);
    const Column& info = raw.columns()[column];
    const int64_t length = info.elementsPerSample();
    const bool isRow = std::ranges::count_if(info.shape, [](int64_t n) { return n != 1; }) == 1;
    const bool isNumeric = isFloating(info.dtype) || info.dtype == DType::Int16;
    if (!isRow || !isNumeric || length < kShortest || info.isTarget || info.isImage ||
        !info.elements.empty() || !info.classes.empty())
        return false;
    double sum = 0, squares = 0, neighbours = 0, count = 0;
    float low = 0, high = 0;
    for (const auto& sound : firstSounds(raw, column)) {
        for (size_t i = 0; i < sound.size(); ++i) {
            const double value = sound[i];
            if (!std::isfinite(value)) return false;
            sum += value;
            squares += value * value;
            if (i > 0) neighbours += value * sound[i - 1];
            ++count;
        }
        const auto [least, most] = std::ranges::minmax(sound);
        low = std::min(low, least);
        high = std::max(high, most);
    }
    return low < 0 && high > 0 && std::abs(sum / count) < kMaxOffset * (high - low) &&
           std::abs(neighbours) > kMinLikeness * squares;
}

std::span<const double> commonRates() { return kRates; }

double likelyRate(int64_t numbers) {
    const auto distance = [&](double rate) {
        return std::abs(std::log(static_cast<double>(numbers) / rate));
    };
    return *std::ranges::min_element(kRates, {}, distance);
}

FittedSound soundAsSample(const Sound& sound, const OpenedData& data, size_t column,
                          const SoundFit& fit) {
    const Column& info = data.training->columns()[column];
    const int64_t length = info.elementsPerSample();
    const std::vector<float> all = resampled(mixedDown(sound), sound.rate, fit.rate);
    if (all.empty())
        throw Error(ErrorCode::InvalidInput, "The sound is empty.", "Record it again.");
    const int64_t begin = loudestPart(all, length);
    const std::vector<float> part = partOf(all, begin, length);
    const auto taken = std::min(length, static_cast<int64_t>(all.size()) - begin);
    const Dataset& raw = rawOf(data);
    const double gain = gainFor(std::span(part).first(static_cast<size_t>(taken)), raw, column,
                                fit.matchesLoudness);
    const bool isWhole = !isFloating(raw.columns()[column].dtype);
    const double fullScale = fullScaleOf(raw, column);
    const auto found = data.normalization.find(info.name);
    Shape shape = info.shape;
    shape.insert(shape.begin(), 1);
    FittedSound result;
    result.sample = Tensor(DType::Float32, std::move(shape));
    const std::span<float> values = result.sample.mutableValues<float>();
    for (size_t i = 0; i < values.size(); ++i) {
        double value = gain * part[i];
        if (isWhole) value = std::clamp(std::round(value), -fullScale, fullScale - 1);
        if (found != data.normalization.end()) {
            const Normalization& by = found->second;
            const size_t at = i * by.mean.size() / values.size();
            value = (value - by.mean[at]) / by.deviation[at];
        }
        values[i] = static_cast<float>(value);
    }
    result.beginning = static_cast<double>(begin) / fit.rate;
    result.end = result.beginning + static_cast<double>(taken) / fit.rate;
    return result;
}

}  // namespace temper
