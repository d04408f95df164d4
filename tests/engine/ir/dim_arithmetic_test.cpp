// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/dim_arithmetic.h"

#include <QTest>
#include <functional>
#include <limits>

#include "engine/core/error.h"

namespace temper::test {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

class DimArithmeticTest : public QObject {
    Q_OBJECT

private slots:
    void resultsFitOrAreRefused_data();
    void resultsFitOrAreRefused();
    void divisorsArePositive();
};

using Calculation = std::function<Dim()>;

void DimArithmeticTest::resultsFitOrAreRefused_data() {
    QTest::addColumn<Calculation>("calculate");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const Calculation& calculate, const char* expected) {
        QTest::newRow(name) << calculate << QString(expected);
    };
    const Dim two = Dim::of(2), most = Dim::of(kLargest), symbol = Dim::named("n");
    row(
        "a sum", [=] { return sumOf(two, two); }, "[4]");
    row(
        "a sum of symbols", [=] { return sumOf(two, symbol); }, "[?]");
    row(
        "the largest sum", [=] { return sumOf(Dim::of(kLargest - 2), two); },
        "[9223372036854775807]");
    row(
        "a sum that is too large", [=] { return sumOf(most, two); },
        "The sum of 9223372036854775807 and 2 does not fit into 64 bits.");
    row(
        "a difference", [=] { return sumOf(two, -2); }, "[0]");
    row(
        "a negative difference", [=] { return sumOf(two, -3); }, "[?]");
    row(
        "the least number", [=] { return sumOf(two, kMin); }, "[?]");
    row(
        "a product", [=] { return productOf(two, Dim::of(3)); }, "[6]");
    row(
        "a product with a symbol", [=] { return productOf(two, symbol); }, "[?]");
    row(
        "a factor of 1", [=] { return productOf(symbol, 1); }, "[n]");
    row(
        "a factor of 2", [=] { return productOf(symbol, 2); }, "[?]");
    row(
        "a product that is too large", [=] { return productOf(two, most); },
        "The product of 2 and 9223372036854775807 does not fit into 64 bits.");
    row(
        "a factor that is too large", [=] { return productOf(two, kLargest); },
        "The product of 2 and 9223372036854775807 does not fit into 64 bits.");
    row(
        "a factor that is too small", [=] { return productOf(two, kMin); },
        "The product of 2 and -9223372036854775808 does not fit into 64 bits.");
    row(
        "a quotient", [=] { return quotientOf(Dim::of(7), 2); }, "[3]");
    row(
        "a quotient of a symbol", [=] { return quotientOf(symbol, 2); }, "[?]");
}

void DimArithmeticTest::resultsFitOrAreRefused() {
    QFETCH(Calculation, calculate);
    QFETCH(QString, expected);
    QString found;
    try {
        found = QString::fromStdString(formatShape(SymbolicShape{calculate()}));
    } catch (const Error& error) {
        QCOMPARE(error.code(), ErrorCode::InvalidInput);
        found = error.what();
    }
    QCOMPARE(found, expected);
}

void DimArithmeticTest::divisorsArePositive() {
    QVERIFY(mayDivide(3, Dim::of(6)));
    QVERIFY(!mayDivide(4, Dim::of(6)));
    QVERIFY(mayDivide(4, Dim::named("n")));
    QVERIFY(mayDivide(kLargest, Dim::of(0)));
    for (const int64_t divisor : {int64_t{0}, int64_t{-1}, kMin}) {
        QVERIFY(!mayDivide(divisor, Dim::of(0)));
        QVERIFY(!mayDivide(divisor, Dim::unknown()));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::DimArithmeticTest)
#include "dim_arithmetic_test.moc"
