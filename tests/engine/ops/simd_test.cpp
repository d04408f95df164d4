// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/simd_cpu.h"

#include <QTest>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "engine/runtime/cpu/instruction_set.h"
#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

namespace {

using Floats = std::vector<float>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Some special values among random ones.
Floats numbers(int64_t count, uint64_t seed) {
    constexpr std::array kSpecial{kNaN, 0.0F, -kInfinity, -0.5F, 1.0F, kInfinity};
    const Tensor random = randomTensor({count}, seed, -3, 3);
    Floats values(random.values<float>().begin(), random.values<float>().end());
    for (size_t i = 0; i < values.size(); ++i) {
        if (i % 5 == seed % 5) values[i] = kSpecial[i % kSpecial.size()];
    }
    return values;
}

bool areSame(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

template <typename F>
void verifyEach(const Floats& found, F expected) {
    for (size_t i = 0; i < found.size(); ++i) {
        QVERIFY2(areSame(found[i], expected(i)),
                 qPrintable(QString("%1: %2, not %3").arg(i).arg(found[i]).arg(expected(i))));
    }
}

}  // namespace

/// Loops are the definition in float, wherever an array ends.
class SimdTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { limitInstructionSet(); }

    void loopsAreTheirDefinition_data() {
        QTest::addColumn<int64_t>("count");
        for (const int64_t count : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1027})
            QTest::addRow("%d numbers", static_cast<int>(count)) << count;
    }
    void loopsAreTheirDefinition() {
        QFETCH(int64_t, count);
        const Floats x = numbers(count, 1), a = numbers(count, 2), b = numbers(count, 3);
        Floats found(x.size()), exponentials(x.size());
        const float first = 0.3F, second = -1.7F;

        simd::exp(x.data(), exponentials.data(), count);
        simd::expTimes(x.data(), {a.data()}, found.data(), count);
        verifyEach(found, [&](size_t i) { return exponentials[i] * a[i]; });
        simd::expTimes(x.data(), {&first, true}, found.data(), count);
        verifyEach(found, [&](size_t i) { return exponentials[i] * first; });

        simd::subtractTwice(x.data(), {a.data()}, {b.data()}, found.data(), count);
        verifyEach(found, [&](size_t i) { return (x[i] - a[i]) - b[i]; });
        simd::subtractTwice(x.data(), {&first, true}, {&second, true}, found.data(), count);
        verifyEach(found, [&](size_t i) { return (x[i] - first) - second; });

        found = a;
        simd::raise(x.data(), found.data(), count);
        verifyEach(found, [&](size_t i) { return x[i] <= a[i] || std::isnan(a[i]) ? a[i] : x[i]; });
    }

    void masksAreTheirDefinition_data() { loopsAreTheirDefinition_data(); }
    void masksAreTheirDefinition() {
        QFETCH(int64_t, count);
        const Floats x = numbers(count, 1);
        const auto mask = std::make_unique<bool[]>(x.size());
        simd::isWithin(x.data(), -0.5F, 1, mask.get(), count);
        for (size_t i = 0; i < x.size(); ++i) QCOMPARE(mask[i], !(x[i] < -0.5F) && !(x[i] > 1));
        const Floats a = numbers(count, 2);
        Floats found(x.size());
        simd::select(mask.get(), {x.data()}, {a.data()}, found.data(), count);
        verifyEach(found, [&](size_t i) { return mask[i] ? x[i] : a[i]; });
        const float other = 0.25F;
        simd::select(mask.get(), {&other, true}, {a.data()}, found.data(), count);
        verifyEach(found, [&](size_t i) { return mask[i] ? other : a[i]; });
        simd::scaleWhere(mask.get(), x.data(), 1.5F, found.data(), count);
        verifyEach(found, [&](size_t i) { return mask[i] ? x[i] * 1.5F : 0.0F; });
    }

    void comparisonsAreTheirDefinition_data() { loopsAreTheirDefinition_data(); }
    void comparisonsAreTheirDefinition() {
        QFETCH(int64_t, count);
        using Comparison = simd::Comparison;
        Floats x = numbers(count, 1);
        const Floats a = numbers(count, 2);
        for (size_t i = 0; i < x.size(); i += 3) x[i] = a[i];
        const float number = -0.5F;
        const auto verify = [&](Comparison comparison, auto f) {
            const auto found = std::make_unique<bool[]>(x.size());
            simd::compare(comparison, {x.data()}, {a.data()}, found.get(), count);
            for (size_t i = 0; i < x.size(); ++i) QCOMPARE(found[i], f(x[i], a[i]));
            simd::compare(comparison, {&number, true}, {a.data()}, found.get(), count);
            for (size_t i = 0; i < x.size(); ++i) QCOMPARE(found[i], f(number, a[i]));
            simd::compare(comparison, {x.data()}, {&number, true}, found.get(), count);
            for (size_t i = 0; i < x.size(); ++i) QCOMPARE(found[i], f(x[i], number));
        };
        verify(Comparison::Equal, std::equal_to<>());
        verify(Comparison::Less, std::less<>());
        verify(Comparison::LessOrEqual, std::less_equal<>());
        verify(Comparison::Greater, std::greater<>());
        verify(Comparison::GreaterOrEqual, std::greater_equal<>());
    }
};

QTEST_GUILESS_MAIN(SimdTest)
#include "simd_test.moc"
