// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/signal/fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace temper {
namespace {

using Complex = FourierPlan::Complex;

std::vector<Complex> twiddlesOf(int64_t size) {
    std::vector<Complex> twiddles;
    for (int64_t k = 0; k < std::max<int64_t>(size / 2, 1); ++k) {
        const double turn = static_cast<double>(k) / static_cast<double>(size);
        twiddles.push_back(std::polar(1.0, -2 * std::numbers::pi * turn));
    }
    return twiddles;
}

/// exp(-pi i k^2 / length); k^2 modulo the period, so that large k lose nothing.
std::vector<Complex> chirpOf(int64_t length) {
    std::vector<Complex> chirp;
    for (int64_t k = 0; k < length; ++k) {
        const auto square = static_cast<double>(k * k % (2 * length));
        chirp.push_back(std::polar(1.0, -std::numbers::pi * square / static_cast<double>(length)));
    }
    return chirp;
}

void reverseBits(Complex* x, size_t size) {
    for (size_t i = 1, j = 0; i < size; ++i) {
        size_t bit = size / 2;
        for (; (j & bit) != 0; bit /= 2) j ^= bit;
        j |= bit;
        if (i < j) std::swap(x[i], x[j]);
    }
}

}  // namespace

FourierPlan::FourierPlan(int64_t length) : length_(length) {
    const auto wanted = static_cast<uint64_t>(std::max<int64_t>(length, 1));
    if (std::has_single_bit(wanted)) {
        twiddles_ = twiddlesOf(static_cast<int64_t>(wanted));
        return;
    }
    const auto size = static_cast<int64_t>(std::bit_ceil(2 * wanted - 1));
    twiddles_ = twiddlesOf(size);
    chirp_ = chirpOf(length);
    filter_.assign(static_cast<size_t>(size), Complex{});
    for (size_t k = 0; k < chirp_.size(); ++k) {
        filter_[k] = std::conj(chirp_[k]);
        filter_[(filter_.size() - k) % filter_.size()] = filter_[k];
    }
    powerOfTwo(filter_.data(), twiddles_);
}

void FourierPlan::transform(Complex* x, Complex* work, bool inverse) const {
    if (!inverse) return forward(x, work);
    for (int64_t i = 0; i < length_; ++i) x[i] = std::conj(x[i]);
    forward(x, work);
    for (int64_t i = 0; i < length_; ++i) x[i] = std::conj(x[i]);
}

/// -2 k n = (k - n)^2 - k^2 - n^2: the transform is a convolution with the chirp.
void FourierPlan::forward(Complex* x, Complex* work) const {
    if (length_ < 2) return;
    if (chirp_.empty()) return powerOfTwo(x, twiddles_);
    const size_t size = filter_.size();
    for (size_t k = 0; k < chirp_.size(); ++k) work[k] = x[k] * chirp_[k];
    std::fill(work + chirp_.size(), work + size, Complex{});
    powerOfTwo(work, twiddles_);
    for (size_t k = 0; k < size; ++k) work[k] = std::conj(work[k] * filter_[k]);
    powerOfTwo(work, twiddles_);
    const double scale = 1.0 / static_cast<double>(size);
    for (size_t k = 0; k < chirp_.size(); ++k) x[k] = std::conj(work[k]) * chirp_[k] * scale;
}

void FourierPlan::powerOfTwo(Complex* x, const std::vector<Complex>& twiddles) {
    const size_t size = twiddles.size() * 2;
    reverseBits(x, size);
    for (size_t half = 1; half < size; half *= 2) {
        const size_t step = size / (2 * half);
        for (size_t begin = 0; begin < size; begin += 2 * half) {
            for (size_t k = 0; k < half; ++k) {
                const Complex even = x[begin + k];
                const Complex odd = x[begin + k + half] * twiddles[k * step];
                x[begin + k] = even + odd;
                x[begin + k + half] = even - odd;
            }
        }
    }
}

}  // namespace temper
