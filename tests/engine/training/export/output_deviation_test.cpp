// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <limits>
#include <vector>

#include "engine/training/export/output_deviation.h"

namespace temper::test {

using Numbers = std::vector<double>;

/// The comparison of an exported model's outputs with those that are expected.
class OutputDeviationTest : public QObject {
    Q_OBJECT

private slots:
    void outputsAreCompared_data();
    void outputsAreCompared();
    void otherShapesDiffer();
};

Tensor tensorOf(const Numbers& numbers) {
    Tensor tensor(DType::Float64, {static_cast<int64_t>(numbers.size())});
    std::ranges::copy(numbers, tensor.mutableValues<double>().begin());
    return tensor;
}

void OutputDeviationTest::outputsAreCompared_data() {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    QTest::addColumn<Numbers>("found");
    QTest::addColumn<Numbers>("expected");
    QTest::addColumn<bool>("isWithin");
    QTest::newRow("equal") << Numbers{1, -2} << Numbers{1, -2} << true;
    QTest::newRow("close") << Numbers{1, 2000.01} << Numbers{1, 2000} << true;
    QTest::newRow("far") << Numbers{1, 2.01} << Numbers{1, 2} << false;
    QTest::newRow("NaN found") << Numbers{kNaN, 1} << Numbers{1, 1} << false;
    QTest::newRow("NaN expected") << Numbers{1, 1} << Numbers{1, kNaN} << false;
    QTest::newRow("NaN elsewhere") << Numbers{1, kNaN} << Numbers{kNaN, 1} << false;
    QTest::newRow("the same NaN") << Numbers{1, kNaN} << Numbers{1, kNaN} << true;
    QTest::newRow("a difference beside NaN") << Numbers{2, kNaN} << Numbers{1, kNaN} << false;
    QTest::newRow("infinity found") << Numbers{kInfinity} << Numbers{1} << false;
    QTest::newRow("infinity expected") << Numbers{1} << Numbers{kInfinity} << false;
    QTest::newRow("the same infinity")
        << Numbers{kInfinity, -kInfinity} << Numbers{kInfinity, -kInfinity} << true;
    QTest::newRow("the other infinity") << Numbers{kInfinity} << Numbers{-kInfinity} << false;
    QTest::newRow("a difference beside infinity")
        << Numbers{kInfinity, 2} << Numbers{kInfinity, 1} << false;
}

void OutputDeviationTest::outputsAreCompared() {
    QFETCH(Numbers, found);
    QFETCH(Numbers, expected);
    QFETCH(bool, isWithin);
    const std::vector<Tensor> left{tensorOf({0}), tensorOf(found)};
    const std::vector<Tensor> right{tensorOf({0}), tensorOf(expected)};
    QCOMPARE(deviationOf(left, right).isWithin(1e-4), isWithin);
}

void OutputDeviationTest::otherShapesDiffer() {
    const std::vector<Tensor> found{tensorOf({1, 1})}, expected{tensorOf({1})};
    QVERIFY(!deviationOf(found, expected).isWithin(1e-4));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OutputDeviationTest)
#include "output_deviation_test.moc"
