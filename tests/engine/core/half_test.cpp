// SPDX-License-Identifier: Apache-2.0
#include "engine/core/half.h"

#include <QtCore/qfloat16.h>
#include <QTest>
#include <cmath>
#include <limits>
#include <random>

namespace temper::test {

uint16_t bitsOf(qfloat16 number) { return std::bit_cast<uint16_t>(number); }

/// Compared with Qt's conversions, whose NaNs have other bits.
class HalfTest : public QObject {
    Q_OBJECT

private slots:
    void everyHalfBecomesTheFloatThatQtMakes();
    void floatsAreRoundedAsQtRoundsThem();
    void nanStaysNan();
    void brainFloatsAreRoundedToNearestEven_data();
    void brainFloatsAreRoundedToNearestEven();
};

void HalfTest::everyHalfBecomesTheFloatThatQtMakes() {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const auto half = static_cast<uint16_t>(bits);
        const float expected = static_cast<float>(std::bit_cast<qfloat16>(half));
        const float actual = floatFromHalf(half);
        if (std::isnan(expected) && std::isnan(actual)) continue;
        QCOMPARE(std::bit_cast<uint32_t>(actual), std::bit_cast<uint32_t>(expected));
        QCOMPARE(halfFromFloat(actual), half);
    }
}

void HalfTest::floatsAreRoundedAsQtRoundsThem() {
    std::mt19937 random(1);
    for (int i = 0; i < 100'000; ++i) {
        // Exponents from below the subnormals to above the largest half.
        const float number = std::ldexp(1.0F + static_cast<float>(random()) * 0x1p-32F,
                                        static_cast<int>(random() % 48) - 28);
        QCOMPARE(halfFromFloat(number), bitsOf(qfloat16(number)));
        QCOMPARE(halfFromFloat(-number), bitsOf(qfloat16(-number)));
    }
    QCOMPARE(halfFromFloat(65519.0F), uint16_t{0x7BFF});
    QCOMPARE(halfFromFloat(65520.0F), uint16_t{0x7C00});
    QCOMPARE(halfFromFloat(0x1p-25F), uint16_t{0});  // a tie, to even
    QCOMPARE(halfFromFloat(0x1.8p-24F), uint16_t{2});
}

void HalfTest::nanStaysNan() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(std::isnan(floatFromHalf(halfFromFloat(nan))));
    QVERIFY(std::isnan(floatFromBFloat16(bfloat16FromFloat(nan))));
}

void HalfTest::brainFloatsAreRoundedToNearestEven_data() {
    QTest::addColumn<float>("number");
    QTest::addColumn<float>("rounded");
    QTest::newRow("exact") << 1.5F << 1.5F;
    QTest::newRow("tie to even below") << 1.00390625F << 1.0F;
    QTest::newRow("tie to even above") << 1.01171875F << 1.015625F;
    QTest::newRow("above a tie") << 1.00390637F << 1.0078125F;
    QTest::newRow("carries into the exponent") << 1.9999F << 2.0F;
    QTest::newRow("negative") << -3.14159F << -3.140625F;
    QTest::newRow("too large") << std::numeric_limits<float>::max()
                               << std::numeric_limits<float>::infinity();
}

void HalfTest::brainFloatsAreRoundedToNearestEven() {
    QFETCH(float, number);
    QFETCH(float, rounded);
    QVERIFY(floatFromBFloat16(bfloat16FromFloat(number)) == rounded);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::HalfTest)
#include "half_test.moc"
