// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>

#include "engine/ops/normalization/norm_loops_cpu.h"
#include "engine/ops/simd_cpu.h"
#include "engine/runtime/cpu/instruction_set.h"
#include "engine/runtime/cpu/sums.h"
#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

Floats randomFloats(int64_t count, uint64_t seed, float low = -1, float high = 1) {
    const auto values = randomTensor({count}, seed, low, high);
    return {values.values<float>().begin(), values.values<float>().end()};
}

double wide(float x) { return static_cast<double>(x); }

constexpr float kMean = 0.3F, kFactor = 1.7F, kBias = -0.2F, kShift = 0.04F, kSlope = 0.6F;

void addCounts() {
    QTest::addColumn<int64_t>("count");
    for (const int64_t count :
         {1, 2, 3, 7, 8, 9, 15, 16, 17, 100, 511, 512, 513, 519, 1024, 1029, 2600})
        QTest::addRow("%d numbers", static_cast<int>(count)) << count;
}

void addShapes() {
    QTest::addColumn<int64_t>("rows");
    QTest::addColumn<int64_t>("columns");
    for (const auto& [rows, columns] : std::initializer_list<std::pair<int, int>>{{1, 1},
                                                                                  {1, 5},
                                                                                  {2, 1},
                                                                                  {5, 1},
                                                                                  {3, 4},
                                                                                  {4, 16},
                                                                                  {7, 17},
                                                                                  {33, 7},
                                                                                  {65, 100},
                                                                                  {130, 1000},
                                                                                  {512, 256}})
        QTest::addRow("%d x %d", rows, columns) << int64_t{rows} << int64_t{columns};
}

/// f of all indices.
template <typename F>
Floats listed(int64_t count, F f) {
    Floats values;
    for (int64_t i = 0; i < count; ++i) values.push_back(f(static_cast<size_t>(i)));
    return values;
}

/// Sums of columns, row after row.
template <typename F>
Doubles columnSums(int64_t rows, int64_t columns, F term) {
    Doubles sums(static_cast<size_t>(columns));
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t j = 0; j < columns; ++j) sums[static_cast<size_t>(j)] += term(r, j);
    }
    return sums;
}

Floats floatsOf(const Results& results, const char* name) {
    const auto values = results.at(name).values<float>();
    return {values.begin(), values.end()};
}

}  // namespace

class NormLoopsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { limitInstructionSet(); }

    // The same bits with all instructions: those of the definition in float.

    void sumsOfArraysKeepTheirOrder_data() { addCounts(); }
    void sumsOfArraysKeepTheirOrder() {
        QFETCH(int64_t, count);
        const Floats x = randomFloats(count, 1), dy = randomFloats(count, 2);
        const auto sum = [&](auto term) {
            return sumOver<float>(count, [&](int64_t i) { return term(static_cast<size_t>(i)); });
        };
        const auto centered = [&](size_t i) { return x[i] - kMean; };
        QVERIFY(simd::sumInLanes(x.data(), count) == sum([&](size_t i) { return x[i]; }));
        QVERIFY(simd::squaresFrom(kMean, x.data(), count) ==
                sum([&](size_t i) { return centered(i) * centered(i); }));
        const auto totals = simd::gradientTotals(dy.data(), x.data(), count, kMean);
        QVERIFY(totals.gradients == sum([&](size_t i) { return dy[i]; }));
        QVERIFY(totals.products == sum([&](size_t i) { return dy[i] * centered(i); }));
    }

    void arraysAreNormalizedByTheFormula_data() { addCounts(); }
    void arraysAreNormalizedByTheFormula() {
        QFETCH(int64_t, count);
        const Floats x = randomFloats(count, 1), dy = randomFloats(count, 2);
        const Floats scale = randomFloats(count, 3), bias = randomFloats(count, 4);
        Floats found(x.size());
        simd::normalize(x.data(), found.data(), count, kMean, kFactor, kBias);
        QVERIFY(found == listed(count, [&](size_t i) { return (x[i] - kMean) * kFactor + kBias; }));
        simd::normalizeGradient(dy.data(), x.data(), found.data(), count,
                                {kMean, kFactor, kShift, kSlope});
        QVERIFY(found == listed(count, [&](size_t i) {
                    return kFactor * (dy[i] - kShift - (x[i] - kMean) * kSlope);
                }));
        simd::scaleRow(x.data(), found.data(), count, kMean, kFactor, scale.data(), nullptr);
        QVERIFY(found ==
                listed(count, [&](size_t i) { return (x[i] - kMean) * kFactor * scale[i]; }));
        simd::scaleRow(x.data(), found.data(), count, kMean, kFactor, scale.data(), bias.data());
        QVERIFY(found == listed(count, [&](size_t i) {
                    return (x[i] - kMean) * kFactor * scale[i] + bias[i];
                }));
    }

    void gradientsOfRowsFollowTheFormula_data() { addCounts(); }
    void gradientsOfRowsFollowTheFormula() {
        QFETCH(int64_t, count);
        const Floats values = randomFloats(count, 1), dy = randomFloats(count, 2);
        const Floats scale = randomFloats(count, 3, 0.5F, 1.5F), bias = randomFloats(count, 4);
        const float inverse = kFactor, meanB = kShift, meanC = kSlope;
        for (const bool fromOutput : {false, true}) {
            const simd::NormalizedRow<float> row{
                values.data(), scale.data(), fromOutput ? bias.data() : nullptr,
                kMean,         inverse,      count};
            const auto normalized = [&](size_t i) {
                return fromOutput ? (values[i] - bias[i]) / scale[i]
                                  : (values[i] - kMean) * inverse;
            };
            const auto totals = simd::rowTotals(dy.data(), row);
            QVERIFY(totals.gradients == sumOver<float>(count, [&](int64_t i) {
                        return dy[static_cast<size_t>(i)] * scale[static_cast<size_t>(i)];
                    }));
            QVERIFY(totals.products == sumOver<float>(count, [&](int64_t i) {
                        const auto at = static_cast<size_t>(i);
                        return dy[at] * scale[at] * normalized(at);
                    }));
            Floats found(values.size());
            simd::rowGradient(dy.data(), row, meanB, meanC, found.data());
            QVERIFY(found == listed(count, [&](size_t i) {
                        return inverse * (dy[i] * scale[i] - meanB - normalized(i) * meanC);
                    }));
            Floats sums(values.size(), 0.25F);
            simd::addRowProducts(dy.data(), row, sums.data());
            QVERIFY(sums == listed(count, [&](size_t i) { return 0.25F + dy[i] * normalized(i); }));
        }
    }

    void sumsOfColumnsGoFromRowToRow_data() { addShapes(); }
    void sumsOfColumnsGoFromRowToRow() {
        QFETCH(int64_t, rows);
        QFETCH(int64_t, columns);
        const int64_t stride = columns + 3;
        const Floats x = randomFloats(rows * stride, 1), dy = randomFloats(rows * stride, 2);
        const Floats mean = randomFloats(columns, 3);
        const Doubles center(mean.begin(), mean.end());
        const auto at = [&](int64_t r, int64_t j) { return static_cast<size_t>(r * stride + j); };
        Doubles found(static_cast<size_t>(columns));
        simd::addRows(x.data(), rows, stride, found.data(), columns);
        QVERIFY(found ==
                columnSums(rows, columns, [&](int64_t r, int64_t j) { return wide(x[at(r, j)]); }));
        found.assign(found.size(), 0);
        simd::addSquaresFrom(center.data(), x.data(), rows, stride, found.data(), columns);
        QVERIFY(found == columnSums(rows, columns, [&](int64_t r, int64_t j) {
                    const double step = wide(x[at(r, j)]) - center[static_cast<size_t>(j)];
                    return step * step;
                }));
        found.assign(found.size(), 0);
        simd::addProducts(dy.data(), x.data(), mean.data(), rows, stride, found.data(), columns);
        QVERIFY(found == columnSums(rows, columns, [&](int64_t r, int64_t j) {
                    const size_t i = at(r, j);
                    return wide(dy[i] * (x[i] - mean[static_cast<size_t>(j)]));
                }));
    }

    // A plane of one element is its own mean: sums of batch normalization are those of columns.

    void rowsAreNormalizedByTheirColumns_data() { addShapes(); }
    void rowsAreNormalizedByTheirColumns() {
        QFETCH(int64_t, rows);
        QFETCH(int64_t, columns);
        const OpCase opCase{
            "y, m, v, sm, si = com.microsoft.BatchNormInternal<momentum = 0.0>(x, s, b, rm, rv)",
            {{"x", randomTensor({rows, columns}, 1, 2, 5)},
             {"s", randomTensor({columns}, 2, 0.5F, 1.5F)},
             {"b", randomTensor({columns}, 3)},
             {"rm", randomTensor({columns}, 4)},
             {"rv", randomTensor({columns}, 5, 0.5F, 1.5F)}}};
        const auto feed = [&](const char* name) {
            return opCase.feeds.at(name).tensors.front().values<float>();
        };
        const auto x = feed("x"), s = feed("s"), b = feed("b");
        const auto size = static_cast<size_t>(columns);
        const auto at = [&](int64_t r, int64_t j) { return static_cast<size_t>(r * columns + j); };
        Doubles mean =
            columnSums(rows, columns, [&](int64_t r, int64_t j) { return wide(x[at(r, j)]); });
        for (double& value : mean) value /= static_cast<double>(rows);
        const Doubles squares = columnSums(rows, columns, [&](int64_t r, int64_t j) {
            const double step = wide(x[at(r, j)]) - mean[static_cast<size_t>(j)];
            return step * step;
        });
        Floats inverse, center;
        for (size_t j = 0; j < size; ++j) {
            const auto variance = static_cast<float>(squares[j] / static_cast<double>(rows));
            inverse.push_back(1.0F / std::sqrt(variance + 1e-5F));
            center.push_back(static_cast<float>(mean[j]));
        }
        const Floats y = listed(rows * columns, [&](size_t i) {
            const size_t j = i % size;
            return (x[i] - center[j]) * (s[j] * inverse[j]) + b[j];
        });
        for (const int threads : {1, 3}) {
            const Results found = runOp(opCase, {.threads = threads});
            QVERIFY(floatsOf(found, "sm") == center);
            QVERIFY(floatsOf(found, "si") == inverse);
            QVERIFY(floatsOf(found, "y") == y);
        }
    }

    void gradientsOfRowsKeepTheBitsOfColumns_data() { addShapes(); }
    void gradientsOfRowsKeepTheBitsOfColumns() {
        QFETCH(int64_t, rows);
        QFETCH(int64_t, columns);
        const OpCase opCase{
            "dx, ds, db = com.microsoft.BatchNormalizationGrad<epsilon = 1e-5>(dy, x, s, m, i)",
            {{"dy", randomTensor({rows, columns}, 1)},
             {"x", randomTensor({rows, columns}, 2)},
             {"s", randomTensor({columns}, 3, 0.5F, 1.5F)},
             {"m", randomTensor({columns}, 4)},
             {"i", randomTensor({columns}, 5, 0.5F, 1.5F)}}};
        const auto feed = [&](const char* name) {
            return opCase.feeds.at(name).tensors.front().values<float>();
        };
        const auto dy = feed("dy"), x = feed("x"), s = feed("s"), m = feed("m"),
                   inverse = feed("i");
        const auto size = static_cast<size_t>(columns);
        const auto at = [&](int64_t r, int64_t j) { return static_cast<size_t>(r * columns + j); };
        const Doubles gradients =
            columnSums(rows, columns, [&](int64_t r, int64_t j) { return wide(dy[at(r, j)]); });
        const Doubles products = columnSums(rows, columns, [&](int64_t r, int64_t j) {
            const size_t i = at(r, j);
            return wide(dy[i] * (x[i] - m[static_cast<size_t>(j)]));
        });
        const auto count = static_cast<double>(rows);
        const Floats dx = listed(rows * columns, [&](size_t i) {
            const size_t j = i % size;
            const double dscale = products[j] * wide(inverse[j]);
            const auto shift = static_cast<float>(gradients[j] / count);
            const float slope = static_cast<float>(dscale / count) * inverse[j];
            return s[j] * inverse[j] * (dy[i] - shift - (x[i] - m[j]) * slope);
        });
        for (const int threads : {1, 3}) {
            const Results found = runOp(opCase, {.threads = threads});
            QVERIFY(floatsOf(found, "dx") == dx);
            QVERIFY(floatsOf(found, "ds") == listed(columns, [&](size_t j) {
                        return static_cast<float>(products[j] * wide(inverse[j]));
                    }));
            QVERIFY(floatsOf(found, "db") ==
                    listed(columns, [&](size_t j) { return static_cast<float>(gradients[j]); }));
        }
    }

    void layerNormGradientsAreTheDefinition_data() { addShapes(); }
    void layerNormGradientsAreTheDefinition() {
        QFETCH(int64_t, rows);
        QFETCH(int64_t, columns);
        const OpCase opCase{"dx, ds, db = com.microsoft.LayerNormalizationGrad(dy, x, s, m, i)",
                            {{"dy", randomTensor({rows, columns}, 1)},
                             {"x", randomTensor({rows, columns}, 2)},
                             {"s", randomTensor({columns}, 3, 0.5F, 1.5F)},
                             {"m", randomTensor({rows, 1}, 4)},
                             {"i", randomTensor({rows, 1}, 5, 0.5F, 1.5F)}}};
        const auto feed = [&](const char* name) {
            return opCase.feeds.at(name).tensors.front().values<float>();
        };
        const auto dy = feed("dy"), x = feed("x"), s = feed("s"), m = feed("m"),
                   inverse = feed("i");
        const auto at = [&](int64_t r, int64_t j) { return static_cast<size_t>(r * columns + j); };
        const auto normalized = [&](int64_t r, int64_t j) {
            const auto row = static_cast<size_t>(r);
            return (wide(x[at(r, j)]) - wide(m[row])) * wide(inverse[row]);
        };
        const auto product = [&](int64_t r, int64_t j) {
            return wide(dy[at(r, j)]) * normalized(r, j);
        };
        const Results found = runOp(opCase);
        const Floats dx = floatsOf(found, "dx"), ds = floatsOf(found, "ds"),
                     db = floatsOf(found, "db");
        // Floats are added in blocks of 32 rows: 33 roundings of the sum of magnitudes, at most.
        constexpr double kRelative = 4e-6;
        const Doubles dscale = columnSums(rows, columns, product);
        const Doubles magnitudes = columnSums(
            rows, columns, [&](int64_t r, int64_t j) { return 1 + std::abs(product(r, j)); });
        const Doubles dbias =
            columnSums(rows, columns, [&](int64_t r, int64_t j) { return wide(dy[at(r, j)]); });
        for (size_t j = 0; j < ds.size(); ++j) {
            QVERIFY(std::abs(wide(ds[j]) - dscale[j]) <= kRelative * magnitudes[j]);
            QVERIFY(std::abs(wide(db[j]) - dbias[j]) <= kRelative * static_cast<double>(rows));
        }
        for (int64_t r = 0; r < rows; ++r) {
            double meanB = 0, meanC = 0;
            for (int64_t j = 0; j < columns; ++j) {
                const double scaled = wide(dy[at(r, j)]) * wide(s[static_cast<size_t>(j)]);
                meanB += scaled / static_cast<double>(columns);
                meanC += scaled * normalized(r, j) / static_cast<double>(columns);
            }
            for (int64_t j = 0; j < columns; ++j) {
                const double scaled = wide(dy[at(r, j)]) * wide(s[static_cast<size_t>(j)]);
                const double expected = wide(inverse[static_cast<size_t>(r)]) *
                                        (scaled - meanB - normalized(r, j) * meanC);
                QVERIFY(std::abs(wide(dx[at(r, j)]) - expected) <= 2e-5);
            }
        }
    }
};

QTEST_GUILESS_MAIN(NormLoopsTest)
#include "norm_loops_test.moc"
