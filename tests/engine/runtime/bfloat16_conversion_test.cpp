// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/bfloat16_conversion.h"

#include <QTest>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

using namespace temper;

class BFloat16ConversionTest : public QObject {
    Q_OBJECT

private slots:
    void allNumbersAreWidenedAndRoundedBack() {
        std::vector<BFloat16> halves(1 << 16);
        for (size_t i = 0; i < halves.size(); ++i) halves[i].bits = static_cast<uint16_t>(i);
        std::vector<float> wide(halves.size());
        simd::fromBFloat16(halves.data(), wide.data(), static_cast<int64_t>(wide.size()));
        std::vector<BFloat16> back(halves.size());
        simd::toBFloat16(wide.data(), back.data(), static_cast<int64_t>(wide.size()));
        for (size_t i = 0; i < halves.size(); ++i) {
            QCOMPARE(std::bit_cast<uint32_t>(wide[i]), static_cast<uint32_t>(i) << 16);
            QCOMPARE(back[i].bits, bfloat16FromFloat(wide[i]));
        }
    }

    /// Ties, numbers next to them, infinities and NaN, at every place of a vector.
    void roundingIsThatOfSingleNumbers() {
        std::vector<float> numbers;
        for (const uint32_t high : {0x0000U, 0x0001U, 0x3F80U, 0x3F81U, 0x7F7FU, 0x7F80U, 0xBF80U,
                                    0xFF7FU, 0xFF80U, 0x7FC0U}) {
            for (const uint32_t low : {0x0000U, 0x0001U, 0x7FFFU, 0x8000U, 0x8001U, 0xFFFFU})
                numbers.push_back(std::bit_cast<float>(high << 16 | low));
        }
        for (size_t skipped = 0; skipped < numbers.size(); ++skipped) {
            const auto count = static_cast<int64_t>(numbers.size() - skipped);
            std::vector<BFloat16> halves(numbers.size() - skipped + 1, BFloat16{0xABCD});
            simd::toBFloat16(numbers.data() + skipped, halves.data(), count);
            for (size_t i = 0; skipped + i < numbers.size(); ++i) {
                QCOMPARE(halves[i].bits, bfloat16FromFloat(numbers[skipped + i]));
                QCOMPARE(std::isnan(floatFromBFloat16(halves[i].bits)),
                         std::isnan(numbers[skipped + i]));
            }
            QCOMPARE(halves.back().bits, uint16_t{0xABCD});
        }
    }
};

QTEST_GUILESS_MAIN(BFloat16ConversionTest)
#include "bfloat16_conversion_test.moc"
