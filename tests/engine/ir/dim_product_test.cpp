// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/dim_product.h"

#include <QStringList>
#include <QTest>
#include <algorithm>

namespace temper::test {

/// "batch, 3, ?" as dimensions.
std::vector<Dim> dimsOf(const QString& text) {
    std::vector<Dim> dims;
    for (const QString& part : text.split(", ", Qt::SkipEmptyParts)) {
        bool isNumber = false;
        const qlonglong number = part.toLongLong(&isNumber);
        if (isNumber) {
            dims.push_back(Dim::of(number));
        } else {
            dims.push_back(part == "?" ? Dim::unknown() : Dim::named(part.toStdString()));
        }
    }
    return dims;
}

QString textOf(const DimProduct& product) {
    return QString::fromStdString(formatShape(SymbolicShape{product.toDim()}));
}

class DimProductTest : public QObject {
    Q_OBJECT

private slots:
    void productIsSpelledWithoutRegardToOrder_data();
    void productIsSpelledWithoutRegardToOrder();
    void divisionIsExactOrAbsent_data();
    void divisionIsExactOrAbsent();
};

void DimProductTest::productIsSpelledWithoutRegardToOrder_data() {
    QTest::addColumn<QString>("factors");
    QTest::addColumn<QString>("expected");
    QTest::newRow("nothing") << ""
                             << "[1]";
    QTest::newRow("numbers") << "2, 3, 4"
                             << "[24]";
    QTest::newRow("symbol") << "batch"
                            << "[batch]";
    QTest::newRow("sorted") << "seq, 2, batch, 3"
                            << "[6*batch*seq]";
    QTest::newRow("square") << "n, n"
                            << "[n*n]";
    QTest::newRow("product of products") << "2*n, m*n"
                                         << "[2*m*n*n]";
    QTest::newRow("zero wins") << "n, 0"
                               << "[0]";
    QTest::newRow("unknown") << "n, ?, 2"
                             << "[?]";
    QTest::newRow("sum") << "a+b"
                         << "[a+b]";
    QTest::newRow("sum is one factor") << "2, a+b"
                                       << "[2*(a+b)]";
    QTest::newRow("sum in a product is the same factor") << "2*(a+b), a+b"
                                                         << "[2*(a+b)*(a+b)]";
    QTest::newRow("product in a sum is no product") << "2*a+b, 2"
                                                    << "[2*(2*a+b)]";
    QTest::newRow("overflow is unknown") << "4611686018427387904, 4"
                                         << "[?]";
}

void DimProductTest::productIsSpelledWithoutRegardToOrder() {
    QFETCH(QString, factors);
    QFETCH(QString, expected);
    std::vector<Dim> dims = dimsOf(factors);
    QCOMPARE(textOf(DimProduct(dims)), expected);
    std::reverse(dims.begin(), dims.end());
    QCOMPARE(textOf(DimProduct(dims)), expected);
}

void DimProductTest::divisionIsExactOrAbsent_data() {
    QTest::addColumn<QString>("factors");
    QTest::addColumn<QString>("divisors");
    QTest::addColumn<QString>("expected");
    QTest::newRow("all") << "6, n"
                         << "n, 6"
                         << "[1]";
    QTest::newRow("a number") << "6, n"
                              << "3"
                              << "[2*n]";
    QTest::newRow("a symbol") << "6, n, n"
                              << "n"
                              << "[6*n]";
    QTest::newRow("a remainder") << "6, n"
                                 << "4"
                                 << "absent";
    QTest::newRow("another symbol") << "6, n"
                                    << "m"
                                    << "absent";
    QTest::newRow("by zero") << "6"
                             << "0"
                             << "absent";
    QTest::newRow("by an unknown") << "6"
                                   << "?"
                                   << "absent";
    QTest::newRow("of an unknown") << "?"
                                   << "1"
                                   << "absent";
}

void DimProductTest::divisionIsExactOrAbsent() {
    QFETCH(QString, factors);
    QFETCH(QString, divisors);
    QFETCH(QString, expected);
    const auto quotient = DimProduct(dimsOf(factors)).dividedBy(DimProduct(dimsOf(divisors)));
    QCOMPARE(quotient ? textOf(*quotient) : "absent", expected);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::DimProductTest)
#include "dim_product_test.moc"
