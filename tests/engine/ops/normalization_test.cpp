// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>

#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

/// A node with the inputs x, scale, bias; the latter two of the shape `perScale` or absent.
OpCase norm(const std::string& call, const Shape& x, const Shape& scale, bool hasBias = true,
            int64_t opset = 17) {
    OpCase opCase{"y = " + call + (hasBias ? "(x, scale, bias)" : "(x, scale)"),
                  {{"x", randomTensor(x, 1)}, {"scale", randomTensor(scale, 2, 0.5F, 1.5F)}},
                  opset};
    if (hasBias) opCase.feeds.emplace("bias", randomTensor(scale, 3));
    return opCase;
}

OpCase batchNorm(const Shape& x, const std::string& attributes, int64_t opset) {
    const Shape channels = {x.size() > 1 ? x[1] : 1};
    return {"y = BatchNormalization<" + attributes + ">(x, scale, bias, mean, var)",
            {{"x", randomTensor(x, 1)},
             {"scale", randomTensor(channels, 2, 0.5F, 1.5F)},
             {"bias", randomTensor(channels, 3)},
             {"mean", randomTensor(channels, 4)},
             {"var", randomTensor(channels, 5, 0.5F, 2.0F)}},
            opset};
}

OpCase single(const std::string& call, const Shape& x) {
    return {"y = " + call + "(x)", {{"x", distinctTensor(x)}}};
}

std::vector<GradientCase> gradientCases() {
    const GradientOptions scaleAndInput{.inputs = {"x", "scale", "bias"}};
    const GradientOptions staticOnly{.alsoSymbolic = false};
    const std::string layer = "LayerNormalization", simple = "SimplifiedLayerNormalization";
    return {
        {"batch norm of images", batchNorm({3, 2, 4, 3}, "epsilon = 0.01", 15), scaleAndInput},
        {"batch norm of rows", batchNorm({6, 3}, "epsilon = 0.001", 9), scaleAndInput},
        {"batch norm of one channel", batchNorm({6}, "epsilon = 0.001", 15), scaleAndInput},
        {"layer norm", norm(layer, {2, 3, 4}, {4})},
        {"layer norm over two axes", norm(layer + "<axis = 1>", {3, 2, 4}, {2, 4})},
        {"layer norm without bias", norm(layer, {2, 3, 4}, {4}, false)},
        {"layer norm with one scale", norm(layer, {2, 5}, {1}), staticOnly},
        {"simplified layer norm", norm(simple, {2, 3, 4}, {4}, false)},
        {"RMS norm", norm("RMSNormalization<epsilon = 0.01>", {2, 3, 4}, {4}, false, 23)},
        {"RMS norm over two axes",
         norm("RMSNormalization<axis = 1>", {3, 2, 4}, {2, 4}, false, 23)},
        {"instance norm", norm("InstanceNormalization", {2, 3, 4, 2}, {3})},
        {"instance norm of series", norm("InstanceNormalization", {2, 3, 5}, {3})},
        {"group norm with a scale per group",
         norm("GroupNormalization<num_groups = 2>", {2, 4, 3, 2}, {2}, true, 18), staticOnly},
        {"group norm with a scale per channel",
         norm("GroupNormalization<num_groups = 2>", {2, 4, 3, 2}, {4}, true, 21), staticOnly},
        {"mean and variance", single("MeanVarianceNormalization", {2, 3, 2, 2})},
        {"euclidean", single("LpNormalization<axis = 1>", {2, 4, 3})},
        {"sum of magnitudes", single("LpNormalization<p = 1>", {2, 4})},
        {"neighbouring channels",
         single("LRN<size = 3, alpha = 0.5, beta = 0.6, bias = 2.0>", {2, 5, 3, 2})},
        {"an even number of channels",
         single("LRN<size = 4, alpha = 0.5, beta = 0.6, bias = 2.0>", {1, 6, 2, 2})},
    };
}

}  // namespace

class NormalizationTest : public QObject {
    Q_OBJECT

private slots:
    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        QCOMPARE(check(gradientCases(), row), QString());
    }

    void resultsAreThoseOfOnnxRuntime_data() {
        addOrtRows({"batch_norm_internal_and_grad", "invertible_layer_normalization_grad",
                    "layer_normalization_and_grad", "layer_normalization_grad",
                    "simplified_layer_normalization_grad"});
    }
    void resultsAreThoseOfOnnxRuntime() {
        QFETCH(QString, name);
        const Outcome outcome = runOrtCase(ortCase(name));
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    // The numbers of ORT's test BatchNormInternal, ForwardTraining.
    void runningStatisticsAreUpdatedInPlace() {
        const Tensor x = Tensor::of<float>(
            {2, 2, 2, 2},
            {-0.2953F, 0.1180F, 1.0973F, -0.1931F, -0.1999F, -0.0237F, 1.5181F, 0.0076F, -1.0830F,
             -1.5433F, 0.4327F, -0.9813F, 0.7875F, -0.4080F, -2.3144F, 1.5493F});
        const Tensor mean = Tensor::of<float>({2}, {1, 2}),
                     variance = Tensor::of<float>({2}, {1, 2});
        const OpCase opCase{
            "y, m, v, sm, si = com.microsoft.BatchNormInternal<momentum = 0.1>(x, s, b, rm, rv)",
            {{"x", x},
             {"s", Tensor::of<float>({2}, {1, 1})},
             {"b", Tensor::of<float>({2}, {0, 0})},
             {"rm", mean},
             {"rv", variance}}};
        const Results found = runOp(opCase, {.inPlace = true});
        const auto expect = [&](const Tensor& tensor, float a, float b) {
            const Tensor wanted = Tensor::of<float>({2}, {a, b});
            QCOMPARE(QString::fromStdString(difference(tensor, wanted, {1e-4, 1e-5})), QString());
        };
        expect(mean, -0.1754F, 0.303106F);
        expect(variance, 0.696052F, 1.41316F);
        expect(found.at("sm"), -0.306F, 0.114562F);
        expect(found.at("si"), 1.2288F, 0.861317F);
    }

    void inferenceUsesTheStoredStatistics() {
        const OpCase opCase{"y = BatchNormalization<epsilon = 0.0>(x, s, b, m, v)",
                            {{"x", Tensor::of<float>({1, 1, 2}, {3, 7})},
                             {"s", Tensor::of<float>({1}, {2})},
                             {"b", Tensor::of<float>({1}, {1})},
                             {"m", Tensor::of<float>({1}, {3})},
                             {"v", Tensor::of<float>({1}, {4})}}};
        const Tensor y = runOp(opCase).at("y");
        QCOMPARE(y.values<float>()[0], 1.0F);
        QCOMPARE(y.values<float>()[1], 5.0F);
    }

    // A single pass over squares would lose all digits of the variance here.
    void varianceSurvivesALargeMean() {
        std::vector<float> values;
        for (int i = 0; i < 4096; ++i) values.push_back(10000.0F + (i % 2 == 0 ? 1.0F : -1.0F));
        const OpCase opCase{"y = LayerNormalization<epsilon = 0.0>(x, s)",
                            {{"x", Tensor::of<float>({1, 4096}, std::span<const float>(values))},
                             {"s", Tensor::of<float>({1}, {1})}}};
        const Tensor y = runOp(opCase).at("y");
        QVERIFY(std::abs(y.values<float>()[0] - 1.0F) < 1e-3F);
    }

    /// Each image is summed relative to its own mean.
    void statisticsOfImagesFarFromEachOther() {
        Tensor x = randomTensor({3, 2, 5, 7}, 4);
        const auto numbers = x.mutableValues<float>();
        for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += static_cast<float>(i / 70) * 50;
        const OpCase opCase{
            "y, m, v, sm, si = com.microsoft.BatchNormInternal<momentum = 0.0>(x, s, b, rm, rv)",
            {{"x", x},
             {"s", randomTensor({2}, 1)},
             {"b", randomTensor({2}, 2)},
             {"rm", randomTensor({2}, 3)},
             {"rv", randomTensor({2}, 4)}},
            17};
        QCOMPARE(QString::fromStdString(differenceOfPrecisions(opCase, {1e-5, 1e-6})), QString());
        double mean = 0, squares = 0;
        const auto ofChannel = [](size_t i) { return i / 35 % 2 == 0; };
        for (size_t i = 0; i < numbers.size(); ++i) {
            if (ofChannel(i)) mean += static_cast<double>(numbers[i]) / 105;
        }
        for (size_t i = 0; i < numbers.size(); ++i) {
            if (ofChannel(i)) squares += std::pow(static_cast<double>(numbers[i]) - mean, 2);
        }
        const Results found = runOp(opCase);
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-5 * std::abs(b); };
        QVERIFY(near(found.at("sm").values<float>()[0], mean));
        QVERIFY(near(found.at("si").values<float>()[0], 1 / std::sqrt(squares / 105 + 1e-5)));
    }

    void resultsDoNotDependOnThreads() {
        const OpCase layerNormGrad{
            "dx, dscale, dbias = com.microsoft.LayerNormalizationGrad(dy, x, s, m, i)",
            {{"dy", randomTensor({300, 70}, 1)},
             {"x", randomTensor({300, 70}, 2)},
             {"s", randomTensor({70}, 3)},
             {"m", randomTensor({300, 1}, 4)},
             {"i", randomTensor({300, 1}, 5)}}};
        QVERIFY(isIndependentOfThreads(layerNormGrad));
        QVERIFY(isIndependentOfThreads(batchNorm({9, 12, 30, 31}, "training_mode = 0", 15)));
        QVERIFY(isIndependentOfThreads(norm("InstanceNormalization", {5, 6, 40, 41}, {6})));
    }
};

QTEST_GUILESS_MAIN(NormalizationTest)
#include "normalization_test.moc"
