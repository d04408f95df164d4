// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/autodiff/gradient_graph.h"
#include "engine/ir/type_inference.h"
#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

OpCase dropout(float ratio, bool trains, const Shape& shape) {
    Tensor x(DType::Float32, shape);
    std::iota(x.mutableValues<float>().begin(), x.mutableValues<float>().end(), 1.0F);
    return {"y, m = Dropout(x, r, t)",
            {{"x", x}, {"r", Tensor::scalar(ratio)}, {"t", Tensor::scalar(trains)}},
            13};
}

double meanOf(const Tensor& tensor) {
    const auto values = tensor.values<float>();
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviationOf(const Tensor& tensor) {
    const double mean = meanOf(tensor);
    double squares = 0;
    for (const float value : tensor.values<float>()) {
        squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
    }
    return std::sqrt(squares / static_cast<double>(tensor.numElements()));
}

Tensor generated(const std::string& call, uint64_t seed = 1) {
    const std::string list = "shape = [100, 200]>()";
    return runText("<ir_version: 8, opset_import: [\"\" : 15]> g () => (float y) { y = " + call +
                       list + " }",
                   {}, {.seed = seed})
        .at("y");
}

}  // namespace

class DropoutTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() { addOnnxRows({"dropout", "training_dropout_zero"}); }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void ortsResultsAreReproduced_data() { addOrtRows({"dropout_grad"}); }
    void ortsResultsAreReproduced() {
        QFETCH(QString, name);
        const Outcome outcome = runOrtCase(ortCase(name), {1e-6, 1e-6});
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    void dropoutDropsItsShareAndScalesTheRest_data() {
        QTest::addColumn<float>("ratio");
        QTest::addColumn<Shape>("shape");
        QTest::newRow("three quarters") << 0.75F << Shape{10, 50, 50};
        QTest::newRow("a quarter") << 0.25F << Shape{25000};
        QTest::newRow("hardly any") << 0.01F << Shape{40001};
    }
    void dropoutDropsItsShareAndScalesTheRest() {
        QFETCH(float, ratio);
        QFETCH(Shape, shape);
        const OpCase opCase = dropout(ratio, true, shape);
        const Results found = runOp(opCase, {.seed = 42});
        const auto x = opCase.feeds.at("x").tensors.front().values<float>();
        const auto y = found.at("y").values<float>();
        const auto mask = found.at("m").values<bool>();
        int64_t dropped = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            QCOMPARE(mask[i], y[i] != 0.0F);
            if (!mask[i]) ++dropped;
            if (mask[i]) QVERIFY(std::abs(y[i] - x[i] / (1 - ratio)) <= 1e-5F * y[i]);
        }
        const double share = static_cast<double>(dropped) / static_cast<double>(x.size());
        QVERIFY2(std::abs(share - static_cast<double>(ratio)) < 0.01,
                 qPrintable(QString::number(share)));
    }

    void neighboursAreDroppedIndependently() {
        const Results found = runOp(dropout(0.5F, true, {40000}), {.seed = 3});
        const auto mask = found.at("m").values<bool>();
        for (const size_t distance : {1U, 2U, 3U}) {
            int64_t equal = 0;
            for (size_t i = 0; i + distance < mask.size(); ++i) {
                if (mask[i] == mask[i + distance]) ++equal;
            }
            QVERIFY(std::abs(static_cast<double>(equal) / 40000.0 - 0.5) < 0.02);
        }
    }

    void seedsDecideAndThreadsDoNot() {
        const OpCase opCase = dropout(0.5F, true, {50000});
        const auto run = [&](uint64_t seed, int threads) {
            return runOp(opCase, {.threads = threads, .seed = seed}).at("m");
        };
        QCOMPARE(difference(run(1, 1), run(1, 3), {}), std::string());
        QVERIFY(!difference(run(1, 1), run(2, 1), {}).empty());
    }

    void inferenceKeepsEverything() {
        for (const OpCase& opCase : {dropout(0.5F, false, {40}), dropout(0.0F, true, {40})}) {
            const Results found = runOp(opCase);
            QCOMPARE(difference(found.at("y"), opCase.feeds.at("x").tensors.front(), {}),
                     std::string());
            const auto mask = found.at("m").values<bool>();
            QVERIFY(std::ranges::all_of(mask, [](bool kept) { return kept; }));
        }
    }

    void aRatioOutsideIsNamed() {
        QVERIFY_EXCEPTION_THROWN(runOp(dropout(1.0F, true, {4})), Error);
        QVERIFY_EXCEPTION_THROWN(runOp(dropout(-0.5F, true, {4})), Error);
    }

    /// dx / dy = y / x: the gradient drops and scales as the forward pass of the same step did.
    void theGradientUsesTheMaskOfTheForwardPass() {
        OpCase opCase = dropout(0.4F, true, {30});
        opCase.nodes = "y = Dropout(x, r, t) loss = ReduceSum<keepdims = 0>(y) twice = Identity(y)";
        opCase.constants = {"r", "t"};
        const auto graph = graphOf(opCase);
        inferTypes(*graph, ops().catalog);
        Value* loss = graph->at("loss");
        applyTrainingForms(*graph, ops().catalog, ops().gradients, loss, {graph->at("x")});
        auto outputs =
            buildGradients(*graph, ops().catalog, ops().gradients, loss, {graph->at("x")});
        outputs.push_back(graph->at("twice"));
        graph->setOutputs(outputs);
        const Tensor x = opCase.feeds.at("x").tensors.front();
        const Results found = runGraph(*graph, {{"x", x}}, {.seed = 5});
        const auto y = found.at("twice").values<float>();
        const auto slope = found.at("x_grad").values<float>();
        for (size_t i = 0; i < y.size(); ++i) {
            QVERIFY(std::abs(slope[i] - y[i] / x.values<float>()[i]) < 1e-5F);
        }
    }

    void gradientsOfInferenceMatchFiniteDifferences_data() {
        QTest::addColumn<int64_t>("opset");
        QTest::newRow("opset 10") << int64_t{10};
        QTest::newRow("opset 13") << int64_t{13};
    }
    void gradientsOfInferenceMatchFiniteDifferences() {
        QFETCH(int64_t, opset);
        const std::string problem =
            checkGradient({"z = Dropout(x) y = Mul(z, z)", {{"x", distinctTensor({7})}}, opset});
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void generatorsHaveTheirMoments() {
        const Tensor normal = generated("RandomNormal<mean = 2.0, scale = 3.0, ");
        QVERIFY(std::abs(meanOf(normal) - 2) < 0.1);
        QVERIFY(std::abs(deviationOf(normal) - 3) < 0.1);
        const Tensor uniform = generated("RandomUniform<low = -1.0, high = 3.0, ");
        QVERIFY(std::abs(meanOf(uniform) - 1) < 0.05);
        QVERIFY(std::abs(deviationOf(uniform) - 4 / std::sqrt(12.0)) < 0.05);
        QVERIFY(
            std::ranges::all_of(uniform.values<float>(), [](float v) { return v >= -1 && v < 3; }));
    }

    void generatorsFollowTheSeed() {
        const std::string call = "RandomUniform<";
        QCOMPARE(difference(generated(call, 1), generated(call, 1), {}), std::string());
        QVERIFY(!difference(generated(call, 1), generated(call, 2), {}).empty());
        QVERIFY(!difference(generated(call, 1), generated("RandomUniform<seed = 4.0, ", 1), {})
                     .empty());
    }

    void bernoulliFollowsItsProbabilities() {
        Tensor p(DType::Float32, {2, 20000});
        std::fill_n(p.mutableValues<float>().begin(), 20000, 0.2F);
        std::fill_n(p.mutableValues<float>().begin() + 20000, 20000, 1.0F);
        const Tensor y = runOp({"y = Bernoulli(p)", {{"p", p}}, 15}).at("y");
        const auto values = y.values<float>();
        const double ones = std::accumulate(values.begin(), values.begin() + 20000, 0.0);
        QVERIFY(std::abs(ones / 20000 - 0.2) < 0.01);
        QVERIFY(std::all_of(values.begin() + 20000, values.end(), [](float v) { return v == 1; }));
    }

    void likeTakesShapeAndType() {
        const Results found = runOp({"y = RandomNormalLike(x) z = RandomUniformLike<dtype = 11>(x)",
                                     {{"x", distinctTensor({3, 4})}}});
        QCOMPARE(found.at("y").shape(), (Shape{3, 4}));
        QCOMPARE(found.at("z").dtype(), DType::Float64);
    }
};

QTEST_GUILESS_MAIN(DropoutTest)
#include "dropout_test.moc"
