// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace temper {

/// The discrete Fourier transform, prepared for one length.
///
/// Powers of two by radix-2 steps, other lengths as a convolution whose length is a power of two;
/// both take O(n log n). Source: Cooley & Tukey (1965); Bluestein (1970).
class FourierPlan {
public:
    using Complex = std::complex<double>;

    explicit FourierPlan(int64_t length);

    /// Size of the memory that transform() works in, in complex numbers.
    int64_t workSize() const { return static_cast<int64_t>(filter_.size()); }

    /// x[k] = sum over n of x[n] exp(-+ 2 pi i k n / length), in place, not divided by the length.
    void transform(Complex* x, Complex* work, bool inverse) const;

private:
    void forward(Complex* x, Complex* work) const;
    static void powerOfTwo(Complex* x, const std::vector<Complex>& twiddles);

    int64_t length_;
    std::vector<Complex> twiddles_;  ///< exp(-2 pi i k / size) of the power of two
    std::vector<Complex> chirp_;     ///< exp(-pi i k^2 / length); empty for powers of two
    std::vector<Complex> filter_;    ///< transform of the chirp's conjugate
};

}  // namespace temper
