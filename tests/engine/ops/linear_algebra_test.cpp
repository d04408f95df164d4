// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>

#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

OpCase det(const Shape& shape) {
    return {"y = Det(x)", {{"x", randomTensor(shape, 7, -2, 2)}}, 11};
}
OpCase inverse(const Shape& shape) {
    return {"y = com.microsoft.Inverse(x)", {{"x", randomTensor(shape, 7, -2, 2)}}, 11};
}

const std::vector<GradientCase> kGradients = {
    {"determinant of 1 x 1", det({1, 1})},
    {"determinant of 2 x 2", det({2, 2})},
    {"determinant of 3 x 3", det({3, 3})},
    {"determinant of 4 x 4", det({4, 4})},
    {"determinants, batch of 2 x 2", det({3, 2, 2})},
    {"determinants, batch of 3 x 3", det({2, 1, 3, 3})},
    {"determinants, batch of 5 x 5", det({2, 5, 5})},
    {"determinant of a singular 2 x 2",
     {"y = Det(x)", {{"x", Tensor::of<float>({2, 2}, {1, 2, 2, 4})}}, 11},
     {.alsoSymbolic = false}},
    {"determinant of 0",
     {"y = Det(x)", {{"x", Tensor(DType::Float32, {3, 3})}}, 11},
     {.alsoSymbolic = false}},
    {"inverse of 1 x 1", inverse({1, 1})},
    {"inverse of 3 x 3", inverse({3, 3}), {.step = 1e-6, .tolerance = {1e-5, 1e-6}}},
    {"inverses, batch", inverse({2, 2, 2}), {.step = 1e-6, .tolerance = {1e-5, 1e-6}}},
};

}  // namespace

class LinearAlgebraTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() { addOnnxRows({"det"}); }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void determinantsAreThoseOfTheDefinition_data() {
        QTest::addColumn<Tensor>("x");
        QTest::addColumn<double>("expected");
        QTest::newRow("permutation")
            << Tensor::of<double>({3, 3}, {0, 1, 0, 0, 0, 1, 1, 0, 0}) << 1.0;
        QTest::newRow("swap") << Tensor::of<double>({2, 2}, {0, 1, 1, 0}) << -1.0;
        QTest::newRow("triangle") << Tensor::of<double>({3, 3}, {2, 5, 7, 0, 3, 9, 0, 0, 4})
                                  << 24.0;
        QTest::newRow("singular") << Tensor::of<double>({2, 2}, {1, 2, 2, 4}) << 0.0;
        // Vandermonde of 1, 2, 3, 5: product of the differences
        QTest::newRow("Vandermonde")
            << Tensor::of<double>({4, 4}, {1, 1, 1, 1, 1, 2, 4, 8, 1, 3, 9, 27, 1, 5, 25, 125})
            << 48.0;
        QTest::newRow("nothing") << Tensor(DType::Float64, {0, 0}) << 1.0;
    }
    void determinantsAreThoseOfTheDefinition() {
        QFETCH(Tensor, x);
        QFETCH(double, expected);
        const Tensor y = runOp({"y = Det(x)", {{"x", x}}, 11}).at("y");
        QCOMPARE(y.shape(), Shape());
        QVERIFY(std::abs(y.toDouble() - expected) < 1e-12);
    }

    void aMatrixTimesItsInverseIsTheUnitMatrix() {
        for (const int64_t size : {1, 2, 5, 20}) {
            const Tensor x = randomTensor({3, size, size}, 5).cast(DType::Float64);
            const Tensor unit =
                runOp({"i = com.microsoft.Inverse(x) y = MatMul(x, i)", {{"x", x}}, 13}).at("y");
            for (int64_t i = 0; i < unit.numElements(); ++i) {
                const bool isDiagonal = i / size % size == i % size;
                QVERIFY(std::abs(unit.values<double>()[i] - (isDiagonal ? 1.0 : 0.0)) < 1e-9);
            }
        }
    }

    void batchesOfNothingHaveNoDeterminants() {
        QCOMPARE(runOp(det({0, 3, 3})).at("y").shape(), (Shape{0}));
        QCOMPARE(runOp(inverse({0, 3, 3})).at("y").shape(), (Shape{0, 3, 3}));
    }

    void gradientsMatchFiniteDifferences_data() { addRows(kGradients); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const QString problem = check(kGradients, row);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void threadsDoNotMatter() { QVERIFY(isIndependentOfThreads(inverse({100, 4, 4}))); }

    void matricesThatAreNotSquareAreNamed() {
        const std::string problem =
            checkOutput({"y = Det(x)", {{"x", randomTensor({2, 3})}}, 11}, "y", Tensor());
        QVERIFY2(problem.find("rows and columns") != std::string::npos, problem.c_str());
    }
};

QTEST_APPLESS_MAIN(LinearAlgebraTest)
#include "linear_algebra_test.moc"
