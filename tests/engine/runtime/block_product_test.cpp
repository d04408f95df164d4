// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/block_product.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/random.h"

using namespace temper;

class BlockProductTest : public QObject {
    Q_OBJECT
private slots:
    void productsAreTheDefinition_data();
    void productsAreTheDefinition();
    void elementsDoNotDependOnTheirPlace();
    void largeProductsAreTheDefinition_data();
    void largeProductsAreTheDefinition();
    void panelsHoldTheMatrix_data();
    void panelsHoldTheMatrix();
};

namespace {

std::vector<float> randomFloats(int64_t count, uint64_t seed) {
    Random random(seed);
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = random.uniform() * 2 - 1;
    return values;
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Operands with gaps between the rows, filled with NaN: the gaps must not be read or written.
struct Operands {
    Operands(int64_t m, int64_t n, int64_t k, bool transA, bool isPacked, float beta) {
        p.m = m;
        p.n = n;
        p.k = k;
        p.alpha = 1.5F;
        p.beta = beta;
        const int64_t rows = transA ? k : m, columns = transA ? m : k;
        a = spaced(rows, columns, columns + 3, 1);
        p.rowStrideA = transA ? 1 : columns + 3;
        p.columnStrideA = transA ? columns + 3 : 1;
        p.rowStrideB = isPacked ? kPanelColumns : n + 5;
        p.panelStrideB = isPacked ? k * kPanelColumns : kPanelColumns;
        b.assign(static_cast<size_t>((n + kPanelColumns) * (k + 1) + k * 5), kNaN);
        const std::vector<float> dense = randomFloats(k * n, 2);
        for (int64_t row = 0; row < k; ++row) {
            for (int64_t column = 0; column < n; ++column)
                b[placeInB(row, column)] = dense[static_cast<size_t>(row * n + column)];
        }
        p.rowStrideC = n + 2;
        c = spaced(m, n, n + 2, 3);
        if (beta == 0) {
            for (int64_t i = 0; i < m * (n + 2); ++i) c[static_cast<size_t>(i)] = kNaN;
        }
        p.a = a.data();
        p.b = b.data();
        p.c = c.data();
    }

    static std::vector<float> spaced(int64_t rows, int64_t columns, int64_t stride, uint64_t seed) {
        std::vector<float> values = randomFloats(rows * stride, seed);
        for (int64_t i = 0; i < rows * stride; ++i) {
            if (i % stride >= columns) values[static_cast<size_t>(i)] = kNaN;
        }
        return values;
    }
    size_t placeInB(int64_t row, int64_t column) const {
        return static_cast<size_t>(column / kPanelColumns * p.panelStrideB + row * p.rowStrideB +
                                   column % kPanelColumns);
    }
    double expected(int64_t i, int64_t j) const {
        double sum = 0;
        for (int64_t k = 0; k < p.k; ++k)
            sum += static_cast<double>(p.a[i * p.rowStrideA + k * p.columnStrideA]) *
                   b[placeInB(k, j)];
        const double before = p.beta == 0 ? 0.0 : p.beta * p.c[i * p.rowStrideC + j];
        return p.alpha * sum + before;
    }

    BlockProduct p;
    std::vector<float> a, b, c;
};

}  // namespace

void BlockProductTest::productsAreTheDefinition_data() {
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("n");
    QTest::addColumn<int>("k");
    for (const auto& [m, n, k] : std::vector<std::array<int, 3>>{{1, 1, 1},
                                                                 {1, 16, 3},
                                                                 {2, 17, 5},
                                                                 {7, 31, 20},
                                                                 {12, 32, 64},
                                                                 {13, 33, 9},
                                                                 {23, 48, 100},
                                                                 {25, 95, 31},
                                                                 {49, 64, 32},
                                                                 {100, 8, 150},
                                                                 {5, 200, 1},
                                                                 {11, 64, 0}}) {
        QTest::addRow("%dx%dx%d", m, n, k) << m << n << k;
    }
}

void BlockProductTest::productsAreTheDefinition() {
    QFETCH(int, m);
    QFETCH(int, n);
    QFETCH(int, k);
    for (const int form : {0, 1, 2, 3, 4, 5, 6, 7}) {
        Operands o(m, n, k, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0 ? 0.5F : 0.0F);
        std::vector<double> expected;
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) expected.push_back(o.expected(i, j));
        }
        multiplyBlock(o.p);
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                const float actual = o.c[static_cast<size_t>(i * o.p.rowStrideC + j)];
                // Sums of k products of numbers up to 1 in float32.
                const double error = std::abs(actual - expected[static_cast<size_t>(i * n + j)]);
                QVERIFY2(error <= 1e-6 * std::sqrt(k + 1.0), qPrintable(QString::number(error)));
            }
            for (int64_t j = n; j < o.p.rowStrideC; ++j)
                QVERIFY(std::isnan(o.c[static_cast<size_t>(i * o.p.rowStrideC + j)]));
        }
    }
}

/// A part of C has the bits that it has in the whole: the division of the work is not visible.
void BlockProductTest::elementsDoNotDependOnTheirPlace() {
    Operands whole(29, 77, 50, false, false, 0);
    multiplyBlock(whole.p);
    Operands part(29, 77, 50, false, false, 0);
    BlockProduct p = part.p;
    p.m = 5;
    p.n = 20;
    p.a += 11 * p.rowStrideA;
    p.b += 32;
    p.c += 11 * p.rowStrideC + 32;
    multiplyBlock(p);
    for (int64_t i = 0; i < p.m; ++i) {
        for (int64_t j = 0; j < p.n; ++j) {
            const auto at = static_cast<size_t>((11 + i) * p.rowStrideC + 32 + j);
            QCOMPARE(part.c[at], whole.c[at]);
        }
    }
}

void BlockProductTest::largeProductsAreTheDefinition_data() {
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("n");
    QTest::addColumn<int>("k");
    QTest::newRow("small") << 3 << 40 << 7;
    QTest::newRow("many rows") << 101 << 33 << 20;
    QTest::newRow("long sums") << 5 << 17 << 700;
    QTest::newRow("both") << 60 << 70 << 300;
    QTest::newRow("nothing to add up") << 50 << 9 << 0;
}

void BlockProductTest::largeProductsAreTheDefinition() {
    QFETCH(int, m);
    QFETCH(int, n);
    QFETCH(int, k);
    for (const int form : {0, 1, 2, 3, 4, 5, 6, 7}) {
        Operands o(m, n, k, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0 ? 0.5F : 0.0F);
        std::vector<double> expected;
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) expected.push_back(o.expected(i, j));
        }
        multiplyInBlocks(o.p);
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t j = 0; j < n; ++j) {
                const float actual = o.c[static_cast<size_t>(i * o.p.rowStrideC + j)];
                // Sums of k products of numbers up to 1 in float32.
                const double error = std::abs(actual - expected[static_cast<size_t>(i * n + j)]);
                QVERIFY2(error <= 1e-6 * std::sqrt(k + 1.0), qPrintable(QString::number(error)));
            }
        }
    }
}

void BlockProductTest::panelsHoldTheMatrix_data() {
    QTest::addColumn<int>("k");
    QTest::addColumn<int>("n");
    QTest::addColumn<bool>("isByColumns");
    for (const bool isByColumns : {false, true}) {
        for (const int n : {1, 31, 32, 33, 64, 90}) {
            for (const int k : {1, 5, 40})
                QTest::addRow("%d x %d, by %s", k, n, isByColumns ? "columns" : "rows")
                    << k << n << isByColumns;
        }
    }
}

void BlockProductTest::panelsHoldTheMatrix() {
    QFETCH(int, k);
    QFETCH(int, n);
    QFETCH(bool, isByColumns);
    const int64_t stride = (isByColumns ? k : n) + 3;
    const std::vector<float> stored = randomFloats(stride * std::max(k, n), 5);
    std::vector<float> panels(static_cast<size_t>(panelElements(k, n)), kNaN);
    ThreadPool pool(2);
    packPanels(pool, {stored.data(), stride, isByColumns}, k, n, panels.data());
    for (int64_t row = 0; row < k; ++row) {
        for (int64_t column = 0; column < n; ++column) {
            const int64_t panel = column / kPanelColumns * kPanelColumns * k;
            const int64_t at = panel + row * kPanelColumns + column % kPanelColumns;
            const int64_t from = isByColumns ? column * stride + row : row * stride + column;
            QCOMPARE(panels[static_cast<size_t>(at)], stored[static_cast<size_t>(from)]);
        }
    }
}

QTEST_GUILESS_MAIN(BlockProductTest)
#include "block_product_test.moc"
