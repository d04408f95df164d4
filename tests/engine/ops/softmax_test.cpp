// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <limits>

#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

OpCase normalised(const std::string& op, int64_t axis, int64_t opset, const Shape& shape) {
    return {"y = " + op + "<axis = " + std::to_string(axis) + ">(x)",
            {{"x", randomTensor(shape, 3, -4, 4)}},
            opset};
}

std::vector<GradientCase> gradientCases() {
    static std::vector<std::string> names;  // rows keep pointers to their names
    std::vector<GradientCase> cases;
    names.clear();
    names.reserve(32);
    for (const std::string op : {"Softmax", "LogSoftmax"}) {
        for (const int64_t opset : {11, 13}) {
            for (const int64_t axis : {-1, 0, 1, 2}) {
                names.push_back(op + " of opset " + std::to_string(opset) + " along axis " +
                                std::to_string(axis));
                cases.push_back({names.back().c_str(), normalised(op, axis, opset, {2, 3, 4})});
            }
            names.push_back(op + " of opset " + std::to_string(opset) + ", default axis");
            cases.push_back({names.back().c_str(),
                             {"y = " + op + "(x)", {{"x", randomTensor({2, 3, 4})}}, opset}});
        }
    }
    cases.push_back(
        {"Hardmax", {"h = Hardmax(x) y = Mul(h, x)", {{"x", distinctTensor({2, 3, 4})}}}});
    return cases;
}

Tensor softmaxOf(const std::string& op, const Tensor& x) {
    return runOp({"y = " + op + "(x)", {{"x", x}}}).at("y");
}

}  // namespace

class SoftmaxTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() { addOnnxRows({"softmax", "logsoftmax", "hardmax"}); }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void ortsResultsAreReproduced_data() {
        addOrtRows({"softmax_grad", "softmax_grad_13_last_axis", "softmax_grad_13_middle_axis",
                    "log_softmax_grad", "log_softmax_grad_13"});
    }
    void ortsResultsAreReproduced() {
        QFETCH(QString, name);
        const Outcome outcome = runOrtCase(ortCase(name), {1e-6, 1e-6});
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const QString problem = check(gradientCases(), row);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void floatMatchesDouble_data() {
        QTest::addColumn<Shape>("shape");
        QTest::addColumn<int64_t>("axis");
        QTest::newRow("rows") << Shape{7, 1000} << int64_t{-1};
        QTest::newRow("columns") << Shape{5, 33, 300} << int64_t{1};
        QTest::newRow("rows of one") << Shape{5, 1} << int64_t{1};
    }
    void floatMatchesDouble() {
        QFETCH(Shape, shape);
        QFETCH(int64_t, axis);
        for (const char* op : {"Softmax", "LogSoftmax"}) {
            const std::string problem =
                differenceOfPrecisions(normalised(op, axis, 13, shape), {1e-6, 1e-7});
            QVERIFY2(problem.empty(), problem.c_str());
        }
    }

    void largeScoresNeitherOverflowNorLoseDigits() {
        const Tensor x = Tensor::of<float>({1, 3}, {10000, 10001, 9999});
        const Tensor small = Tensor::of<float>({1, 3}, {0, 1, -1});
        for (const char* op : {"Softmax", "LogSoftmax"}) {
            QCOMPARE(difference(softmaxOf(op, x), softmaxOf(op, small), {1e-6, 1e-7}),
                     std::string());
        }
    }

    void excludedScoresGetNoProbability() {
        const float inf = std::numeric_limits<float>::infinity();
        const Tensor y = softmaxOf("Softmax", Tensor::of<float>({1, 3}, {0, -inf, 0}));
        QCOMPARE(difference(y, Tensor::of<float>({1, 3}, {0.5F, 0, 0.5F}), {}), std::string());
    }

    void smallProbabilitiesKeepTheirDigits() {
        Tensor x(DType::Float32, {1, 1000});
        const auto scores = x.mutableValues<float>();
        for (size_t i = 0; i < scores.size(); ++i) scores[i] = -static_cast<float>(i) / 10;
        const Tensor y = softmaxOf("Softmax", x);
        const auto found = y.values<float>();
        double sum = 0;
        for (const float score : scores) sum += std::exp(static_cast<double>(score));
        for (size_t i = 0; i < scores.size(); ++i) {
            const double exact = std::exp(static_cast<double>(scores[i])) / sum;
            // Near the smallest normal float, none counts as well.
            const double limit = std::max(2e-7 * exact, 1.2e-38);
            QVERIFY2(std::abs(found[i] - exact) <= limit, qPrintable(QString::number(scores[i])));
        }
        QCOMPARE(found.back(), 0.0F);
    }

    void emptyTensorsAreFine() {
        const Tensor y = runOp({"y = Softmax(x)", {{"x", Tensor(DType::Float32, {0, 4})}}}).at("y");
        QCOMPARE(y.shape(), (Shape{0, 4}));
    }

    void anAxisOutsideIsNamed() {
        QVERIFY_EXCEPTION_THROWN(runOp(normalised("Softmax", 3, 13, {2, 3})), Error);
    }

    void resultsDoNotDependOnThreads() {
        QVERIFY(isIndependentOfThreads(normalised("Softmax", 1, 13, {40, 70, 90})));
        QVERIFY(isIndependentOfThreads(normalised("LogSoftmax", -1, 13, {900, 77})));
    }
};

QTEST_GUILESS_MAIN(SoftmaxTest)
#include "softmax_test.moc"
