// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>
#include <vector>

#include "app/cli/random_support.h"
#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

constexpr int64_t kSamples = 200000;

/// Log probabilities of unequal classes; the scores need not be normalized.
OpCase multinomial(int64_t dtype, DType scores = DType::Float32) {
    const Tensor x = Tensor::of<float>({2, 4}, {1.0F, 3.0F, 0.0F, 2.0F, -50.0F, 7.0F, 7.0F, 5.0F});
    return {"y = Multinomial<dtype = " + std::to_string(dtype) +
                ", sample_size = " + std::to_string(kSamples) + ">(x)",
            {{"x", x.cast(scores)}},
            15};
}

/// How often each of four classes was drawn in a row.
std::vector<double> sharesOf(const Tensor& drawn, int64_t row) {
    const Tensor wide = drawn.cast(DType::Int64);
    std::vector<double> shares(4, 0.0);
    for (int64_t i = 0; i < kSamples; ++i) {
        const int64_t drawnClass = wide.values<int64_t>()[row * kSamples + i];
        shares.at(static_cast<size_t>(drawnClass)) += 1.0 / static_cast<double>(kSamples);
    }
    return shares;
}

/// exp(score) / sum over the row.
std::vector<double> probabilities(const Tensor& scores, int64_t row) {
    const Tensor wide = scores.cast(DType::Float64);
    std::vector<double> result;
    double sum = 0;
    for (int64_t k = 0; k < 4; ++k) {
        result.push_back(std::exp(wide.values<double>()[row * 4 + k]));
        sum += result.back();
    }
    for (double& p : result) p /= sum;
    return result;
}

std::unique_ptr<Graph> graphWith(const std::string& nodes, Feeds feeds) {
    return graphOf({nodes, std::move(feeds), 15});
}

}  // namespace

/// Random operators draw from the distribution that they name; `temper conformance` accepts exactly
/// the support of that distribution.
class RandomOpsTest : public QObject {
    Q_OBJECT
private slots:
    void multinomialDrawsInProportion_data() {
        QTest::addColumn<int64_t>("dtype");
        QTest::addColumn<bool>("wide");
        QTest::newRow("int32 from float32") << int64_t{6} << false;
        QTest::newRow("int64 from float32") << int64_t{7} << false;
        QTest::newRow("int64 from float64") << int64_t{7} << true;
    }
    void multinomialDrawsInProportion() {
        QFETCH(int64_t, dtype);
        QFETCH(bool, wide);
        const OpCase opCase = multinomial(dtype, wide ? DType::Float64 : DType::Float32);
        const Tensor y = runOp(opCase, {.seed = 11}).at("y");
        QCOMPARE(y.dtype(), static_cast<DType>(dtype));
        QCOMPARE(y.shape(), (Shape{2, kSamples}));
        for (const int64_t row : {0, 1}) {
            const auto shares = sharesOf(y, row);
            const auto expected = probabilities(opCase.feeds.at("x").tensors.front(), row);
            for (size_t k = 0; k < 4; ++k) {
                const double deviation = std::sqrt(expected[k] * (1 - expected[k]) / kSamples);
                QVERIFY(std::abs(shares[k] - expected[k]) <= 5 * deviation);
            }
        }
    }

    void multinomialDependsOnTheSeedOnly() {
        const OpCase opCase = multinomial(6);
        const auto draw = [&](uint64_t seed, int threads) {
            return runOp(opCase, {.threads = threads, .seed = seed}).at("y");
        };
        QCOMPARE(difference(draw(1, 1), draw(1, 3), {}), std::string());
        QVERIFY(!difference(draw(1, 1), draw(2, 1), {}).empty());
    }

    void bernoulliDrawsWithItsProbability() {
        for (const float p : {0.0F, 0.2F, 0.9F, 1.0F}) {
            Tensor x(DType::Float32, {kSamples});
            for (float& value : x.mutableValues<float>()) value = p;
            const Tensor y = runOp({"y = Bernoulli(x)", {{"x", x}}, 15}, {.seed = 4}).at("y");
            double ones = 0;
            for (const float value : y.values<float>()) ones += static_cast<double>(value);
            const double wide = static_cast<double>(p);
            const double deviation = std::sqrt(wide * (1 - wide) / kSamples);
            QVERIFY(std::abs(ones / kSamples - wide) <= 5 * deviation);
        }
    }

    /// As in PyTorch: what is drawn counts as a constant.
    void theDerivativeOfBernoulliIsZero() {
        const OpCase opCase{
            "b = Bernoulli(x) y = Mul(b, x)", {{"x", randomTensor({3, 4}, 1, 0.1F, 0.9F)}}, 15};
        QCOMPARE(checkGradient(opCase), std::string());
    }

    void classesOutsideAreNotDrawn() {
        const auto graph = graphWith("y = Multinomial(x)", {{"x", randomTensor({1, 3})}});
        const std::vector<Tensor> inputs = {randomTensor({1, 3})};
        QVERIFY(cli::isDrawn(*graph, 0, inputs));
        const auto problem = [&](int32_t drawn) {
            const std::vector<Tensor> outputs = {Tensor::of<int32_t>({1, 1}, {drawn})};
            return cli::supportProblem(*graph, inputs, outputs, 0);
        };
        QCOMPARE(problem(2), std::string());
        QVERIFY(!problem(3).empty());
        QVERIFY(!problem(-1).empty());
    }

    void onlyZeroAndOneAreChoices() {
        for (const char* nodes :
             {"y = Bernoulli(x)",
              "u = RandomUniformLike(x) b = Greater(x, u) y = Cast<to = 1>(b)"}) {
            const std::vector<Tensor> inputs = {Tensor::of<float>({2}, {0.5F, 0.5F})};
            const auto graph = graphWith(nodes, {{"x", inputs[0]}});
            QVERIFY(cli::isDrawn(*graph, 0, inputs));
            const auto problem = [&](float drawn) {
                const std::vector<Tensor> outputs = {Tensor::of<float>({2}, {1.0F, drawn})};
                return cli::supportProblem(*graph, inputs, outputs, 0);
            };
            QCOMPARE(problem(0.0F), std::string());
            QVERIFY(!problem(0.5F).empty());
        }
    }

    void uniformNumbersStayInTheirInterval() {
        const std::vector<Tensor> inputs = {Tensor::of<float>({1}, {0.0F})};
        const auto graph =
            graphWith("y = RandomUniformLike<low = 2.0, high = 3.0>(x)", {{"x", inputs[0]}});
        const auto problem = [&](float drawn) {
            const std::vector<Tensor> outputs = {Tensor::of<float>({1}, {drawn})};
            return cli::supportProblem(*graph, inputs, outputs, 0);
        };
        QCOMPARE(problem(2.5F), std::string());
        QVERIFY(!problem(1.9F).empty());
    }

    void droppedNumbersAgreeWithTheMask() {
        const std::vector<Tensor> inputs = {Tensor::of<float>({2}, {3.0F, 4.0F}),
                                            Tensor::scalar(0.25F), Tensor::scalar(true)};
        const auto graph = graphWith("y, m = Dropout(x, r, t)",
                                     {{"x", inputs[0]}, {"r", inputs[1]}, {"t", inputs[2]}});
        // graphOf() sorts the inputs by name: r, t, x.
        const std::vector<Tensor> fed = {inputs[1], inputs[2], inputs[0]};
        const auto problem = [&](float first, float second, bool kept) {
            const std::vector<Tensor> outputs = {Tensor::of<float>({2}, {first, second}),
                                                 Tensor::of<bool>({2}, {true, kept})};
            return cli::supportProblem(*graph, fed, outputs, 0);
        };
        QVERIFY(cli::isDrawn(*graph, 0, fed) && cli::isDrawn(*graph, 1, fed));
        QCOMPARE(problem(4.0F, 0.0F, false), std::string());
        QVERIFY2(!problem(4.0F, 0.0F, true).empty(), "kept by the mask, but 0");
        QVERIFY2(!problem(4.0F, 16.0F / 3, false).empty(), "dropped by the mask, but there");
        QVERIFY2(!problem(3.0F, 0.0F, false).empty(), "not scaled");
    }

    void whatIsNotRandomIsNotDrawn() {
        const std::vector<Tensor> inputs = {randomTensor({2}), Tensor::scalar(0.25F),
                                            Tensor::scalar(false)};
        const auto graph = graphWith("y = Dropout(a, r, t) z = Exp(a)",
                                     {{"a", inputs[0]}, {"r", inputs[1]}, {"t", inputs[2]}});
        QVERIFY(!cli::isDrawn(*graph, 0, inputs));
        QVERIFY(!cli::isDrawn(*graph, 1, inputs));
    }
};

QTEST_APPLESS_MAIN(RandomOpsTest)
#include "random_ops_test.moc"
