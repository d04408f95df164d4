// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/panel_product.h"

#include <QTest>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/core/random.h"
#include "engine/core/tensor.h"

using namespace temper;

namespace {

std::vector<float> randomFloats(int64_t count, uint64_t seed) {
    Random random(seed);
    std::vector<float> values(static_cast<size_t>(count));
    for (float& value : values) value = random.uniform() - 0.5F;
    return values;
}

}  // namespace

class PanelProductTest : public QObject {
    Q_OBJECT

private slots:
    void tilesAreTheDefinition_data() {
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("k");
        for (const auto& [m, n, k] : std::vector<std::array<int, 3>>{{1, 1, 1},
                                                                     {4, 301, 600},
                                                                     {5, 50, 3},
                                                                     {97, 33, 300},
                                                                     {130, 270, 310},
                                                                     {197, 1030, 40},
                                                                     {20, 40, 0}})
            QTest::addRow("%d x %d x %d", m, n, k) << m << n << k;
    }
    void tilesAreTheDefinition() {
        QFETCH(int, m);
        QFETCH(int, n);
        QFETCH(int, k);
        for (const int form : {0, 1, 2, 3}) {
            MatrixProduct p{.m = m, .n = n, .k = k};
            p.transA = (form & 1) != 0;
            p.transB = (form & 2) != 0;
            p.setDenseStrides();
            const std::vector<float> a = randomFloats(m * k, 1), b = randomFloats(k * n, 2);
            std::vector<float> c(static_cast<size_t>(m * n),
                                 std::numeric_limits<float>::quiet_NaN());
            std::vector<int> seen(c.size());
            ThreadPool pool(3);
            const PanelProduct product(p);
            const std::shared_ptr<std::byte> panels = allocateAligned(product.panelBytes());
            product.pack(pool, b.data(), panels.get());
            pool.forEach(product.tiles().count(), [&](int64_t i) {
                const auto tile = product.tiles().tile(i);
                product.multiply(tile, 1.5F, a.data(), panels.get(), 0, c.data());
                for (int64_t row = 0; row < tile.product.m; ++row) {
                    for (int64_t column = 0; column < tile.product.n; ++column)
                        ++seen[static_cast<size_t>(tile.offsetC + row * n + column)];
                }
            });
            for (int64_t i = 0; i < m * n; ++i) {
                const int64_t row = i / n, column = i % n;
                double sum = 0;
                for (int64_t j = 0; j < k; ++j) {
                    const int64_t inA = p.transA ? j * m + row : row * k + j;
                    const int64_t inB = p.transB ? column * k + j : j * n + column;
                    sum += static_cast<double>(a[static_cast<size_t>(inA)]) *
                           b[static_cast<size_t>(inB)];
                }
                QCOMPARE(seen[static_cast<size_t>(i)], 1);
                // Sums of up to 600 products of numbers up to 0.25 in float32.
                QVERIFY(std::abs(1.5 * sum - c[static_cast<size_t>(i)]) < 1e-5);
            }
        }
    }
};

QTEST_GUILESS_MAIN(PanelProductTest)
#include "panel_product_test.moc"
