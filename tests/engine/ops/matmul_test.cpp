// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/ops/op_set.h"
#include "engine/runtime/constant_layouts.h"
#include "engine/runtime/cpu/panel_product.h"
#include "engine/runtime/graph_runner.h"
#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

OpCase product(const std::string& nodes, const Shape& a, const Shape& b) {
    return {nodes, {{"a", randomTensor(a, 1)}, {"b", randomTensor(b, 2)}}};
}

OpCase gemm(const std::string& attributes, const Shape& a, const Shape& b, const Shape& c) {
    return {"y = Gemm<" + attributes + ">(a, b, c)",
            {{"a", randomTensor(a, 1)}, {"b", randomTensor(b, 2)}, {"c", randomTensor(c, 3)}}};
}

std::vector<GradientCase> gradientCases() {
    const std::string matMul = "y = MatMul(a, b)";
    const std::string fused = "y = com.microsoft.FusedMatMul";
    // Symbolic ranks stay; symbolic sizes are found at run time.
    return {
        {"matrices", product(matMul, {3, 4}, {4, 2})},
        {"a batch times one matrix", product(matMul, {2, 3, 4}, {4, 5})},
        {"two batches", product(matMul, {2, 3, 4}, {2, 4, 5}), {.alsoSymbolic = false}},
        {"a batch of one is repeated",
         product(matMul, {1, 3, 4}, {3, 4, 2}),
         {.alsoSymbolic = false}},
        {"batches of different ranks",
         product(matMul, {2, 1, 3, 4}, {3, 4, 2}),
         {.alsoSymbolic = false}},
        {"vector times matrix", product(matMul, {4}, {4, 3})},
        {"matrix times vector", product(matMul, {3, 4}, {4})},
        {"vector times vector", product(matMul, {4}, {4})},
        {"vector times batch", product(matMul, {4}, {2, 4, 3}), {.alsoSymbolic = false}},
        {"batch times vector", product(matMul, {2, 3, 4}, {4}), {.alsoSymbolic = false}},
        {"fused, A transposed", product(fused + "<transA = 1, alpha = 0.5>(a, b)", {4, 3}, {4, 2})},
        {"fused, B transposed",
         product(fused + "<transB = 1>(a, b)", {2, 3, 4}, {2, 5, 4}),
         {.alsoSymbolic = false}},
        {"fused, both transposed",
         product(fused + "<transA = 1, transB = 1, alpha = -2.0>(a, b)", {4, 3}, {2, 4})},
        {"fused, by its old name",
         product("y = com.microsoft.TransposeMatMul<transA = 1>(a, b)", {4, 3}, {4, 2})},
        {"gemm", gemm("alpha = 1.0", {3, 4}, {4, 5}, {5})},
        {"gemm, A transposed", gemm("transA = 1, alpha = 0.5", {4, 3}, {4, 5}, {3, 5})},
        {"gemm, B transposed", gemm("transB = 1, beta = 0.25", {3, 4}, {5, 4}, {3, 1})},
        {"gemm, both transposed",
         gemm("transA = 1, transB = 1, alpha = 2.0, beta = -1.0", {4, 3}, {5, 4}, {1})},
        {"gemm with a scalar bias", gemm("beta = 3.0", {3, 4}, {4, 5}, {})},
    };
}

}  // namespace

class MatmulTest : public QObject {
    Q_OBJECT

private slots:
    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        QCOMPARE(check(gradientCases(), row), QString());
    }

    void singlePrecisionAgreesWithDouble_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QList<qint64>>("a");
        QTest::addColumn<QList<qint64>>("b");
        using Dims = QList<qint64>;
        QTest::newRow("tiles in both directions")
            << "y = MatMul(a, b)" << Dims{300, 520} << Dims{520, 290};
        QTest::newRow("tall") << "y = MatMul(a, b)" << Dims{1000, 70} << Dims{70, 33};
        QTest::newRow("merged batch") << "y = MatMul(a, b)" << Dims{7, 65, 40} << Dims{40, 90};
        QTest::newRow("many small ones")
            << "y = MatMul(a, b)" << Dims{6, 8, 16, 24} << Dims{6, 8, 24, 16};
        QTest::newRow("transposed")
            << "y = Gemm<transA = 1, transB = 1>(a, b)" << Dims{400, 310} << Dims{270, 400};
        QTest::newRow("columns of B, few rows")
            << "y = Gemm<transB = 1>(a, b)" << Dims{70, 310} << Dims{270, 310};
        QTest::newRow("columns of B, many rows")
            << "y = Gemm<transB = 1, alpha = 0.5>(a, b)" << Dims{530, 311} << Dims{273, 311};
        QTest::newRow("columns of B, longer than there is room for")
            << "y = Gemm<transB = 1>(a, b)" << Dims{256, 4200} << Dims{256, 4200};
        QTest::newRow("rows of B 2 KiB apart")
            << "y = MatMul(a, b)" << Dims{70, 900} << Dims{900, 512};
        QTest::newRow("rows of A, as stored, 4 KiB apart")
            << "y = Gemm<transA = 1, alpha = 0.5>(a, b)" << Dims{410, 1024} << Dims{410, 90};
        QTest::newRow("rows of both 2 KiB apart")
            << "y = Gemm<transA = 1>(a, b)" << Dims{64, 512} << Dims{64, 1536};
        QTest::newRow("columns of B that become rows 2 KiB apart")
            << "y = Gemm<transB = 1>(a, b)" << Dims{300, 40} << Dims{512, 40};
        QTest::newRow("batches behind the rows")
            << "y = com.microsoft.FusedMatMul<transBatchA = 1, transBatchB = 1>(a, b)"
            << Dims{5, 3, 4, 6} << Dims{6, 3, 4, 7};
        QTest::newRow("no columns to add up") << "y = MatMul(a, b)" << Dims{3, 0} << Dims{0, 4};
        QTest::newRow("no rows") << "y = MatMul(a, b)" << Dims{0, 3} << Dims{3, 4};
    }
    void singlePrecisionAgreesWithDouble() {
        QFETCH(QString, nodes);
        QFETCH(QList<qint64>, a);
        QFETCH(QList<qint64>, b);
        const OpCase opCase =
            product(nodes.toStdString(), Shape(a.begin(), a.end()), Shape(b.begin(), b.end()));
        // Sums of 520 products of numbers up to 1 in float32.
        QCOMPARE(QString::fromStdString(differenceOfPrecisions(opCase, {1e-4, 1e-4})), QString());
        QVERIFY(isIndependentOfThreads(opCase));
    }

    void constantFactorsAgreeWithDouble_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QList<qint64>>("a");
        QTest::addColumn<QList<qint64>>("b");
        QTest::addColumn<QString>("constant");
        using Dims = QList<qint64>;
        const auto row = [](const char* name, const char* nodes, const Dims& a, const Dims& b,
                            const char* constant = "b") {
            QTest::newRow(name) << nodes << a << b << constant;
        };
        row("tiles in both directions", "y = MatMul(a, b)", {197, 300}, {300, 1030});
        row("a batch of rows", "y = MatMul(a, b)", {3, 40, 520}, {520, 77});
        row("few rows", "y = MatMul(a, b)", {4, 600}, {600, 301});
        row("one row", "y = MatMul(a, b)", {1, 800}, {800, 900});
        row("columns", "y = Gemm<transB = 1, alpha = 0.5>(a, b)", {130, 310}, {270, 310});
        row("columns of both", "y = Gemm<transA = 1, transB = 1>(a, b)", {310, 130}, {270, 310});
        row("behind a Transpose", "t = Transpose(a)  y = MatMul(t, b)", {90, 100}, {90, 200});
        row("before a Transpose", "t = MatMul(a, b)  y = Transpose<perm = [1, 0, 2]>(t)",
            {5, 40, 90}, {90, 100});
        row("the left factor", "y = MatMul(a, b)", {130, 310}, {310, 270}, "a");
        row("in batches", "y = MatMul(a, b)", {3, 60, 80}, {3, 80, 90});
    }
    void constantFactorsAgreeWithDouble() {
        QFETCH(QString, nodes);
        QFETCH(QList<qint64>, a);
        QFETCH(QList<qint64>, b);
        QFETCH(QString, constant);
        OpCase opCase =
            product(nodes.toStdString(), Shape(a.begin(), a.end()), Shape(b.begin(), b.end()));
        opCase.constants = {constant.toStdString()};
        // Sums of 800 products of numbers up to 1 in float32.
        QCOMPARE(QString::fromStdString(differenceOfPrecisions(opCase, {1e-4, 1e-4})), QString());
        QVERIFY(isIndependentOfThreads(opCase));
    }

    /// Later runs read the factor as the first one left it.
    void constantFactorsAreKept() {
        OpCase opCase = product("y = MatMul(a, b)", {50, 300}, {300, 200});
        opCase.constants = {"b"};
        const OpSet ops = standardOps();
        ThreadPool pool(2);
        GraphRunner runner(std::shared_ptr<const Graph>(graphOf(opCase)), ops.catalog,
                           ops.cpuKernels, std::make_shared<Arena>(), pool);
        const Tensor& a = opCase.feeds.at("a").tensors.front();
        const Tensor first = runner.run({&a, 1}).front().clone();
        const Tensor second = runner.run({&a, 1}).front().clone();
        QCOMPARE(QString::fromStdString(difference(second, first, {0, 0})), QString());
    }

    /// The plans for several numbers of rows read one copy of a constant factor.
    void plansShareThePanelsOfConstants() {
        const Tensor b = randomTensor({300, 200}, 2);
        ConstantLayouts layouts;
        const auto ofB = layouts.of(b);
        QVERIFY(layouts.of(b) == ofB);
        QVERIFY(layouts.of(randomTensor({300, 200}, 3)) != ofB);
        MatrixProduct few{.m = 10, .n = 200, .k = 300}, many{.m = 90, .n = 200, .k = 300};
        few.setDenseStrides();
        many.setDenseStrides();
        QVERIFY(ofB->find(PanelProduct(few).layout()) == ofB->find(PanelProduct(many).layout()));
        MatrixProduct turned{.m = 10, .n = 300, .k = 200, .transB = true};
        turned.setDenseStrides();
        QVERIFY(ofB->find(PanelProduct(few).layout()) != ofB->find(PanelProduct(turned).layout()));
    }

    void integersAreMultipliedExactly() {
        const OpCase opCase{"y = MatMul(a, b)",
                            {{"a", Tensor::of<int64_t>({1, 2}, {int64_t{1} << 40, 3})},
                             {"b", Tensor::of<int64_t>({2, 1}, {5, -7})}}};
        QCOMPARE(runOp(opCase).at("y").toInt64(), 5 * (int64_t{1} << 40) - 21);
    }

    void factorsOfIntegersAreIntegers_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("refused");  ///< the attribute, or nothing
        const QString fused = "y = com.microsoft.FusedMatMul<alpha = %1>(a, b)";
        const QString gemm = "y = Gemm<%1>(a, b, c)";
        QTest::newRow("fused") << fused.arg("-3.0") << QString();
        QTest::newRow("fused, the least one") << fused.arg("-9223372036854775808.0") << QString();
        QTest::newRow("fused, a fraction") << fused.arg("0.5") << QString("alpha");
        QTest::newRow("fused, too large") << fused.arg("9223372036854775808.0") << QString("alpha");
        QTest::newRow("fused, too small") << fused.arg("-1e19") << QString("alpha");
        QTest::newRow("gemm") << gemm.arg("alpha = 2.0, beta = 5.0") << QString();
        QTest::newRow("gemm, a fraction") << gemm.arg("alpha = 1.5") << QString("alpha");
        QTest::newRow("gemm, beta too large") << gemm.arg("beta = 1e30") << QString("beta");
    }
    /// With others, a conversion had no defined value.
    void factorsOfIntegersAreIntegers() {
        QFETCH(QString, nodes);
        QFETCH(QString, refused);
        const OpCase opCase{nodes.toStdString(),
                            {{"a", Tensor::of<int64_t>({1, 1}, {3})},
                             {"b", Tensor::of<int64_t>({1, 1}, {-1})},
                             {"c", Tensor::of<int64_t>({1, 1}, {7})}}};
        try {
            const int64_t y = runOp(opCase).at("y").toInt64();
            QVERIFY2(refused.isEmpty(), "not refused");
            if (nodes.contains("-3.0")) QCOMPARE(y, int64_t{9});
            if (nodes.contains("Gemm")) QCOMPARE(y, int64_t{-6 + 35});
        } catch (const Error& error) {
            QVERIFY2(!refused.isEmpty() &&
                         QString(error.what()).contains("Attribute '" + refused + "' is "),
                     error.what());
        }
    }

    void sizesThatDoNotFitAreRefusedByName() {
        const OpCase opCase = product("y = MatMul(a, b)", {2, 3}, {4, 5});
        QVERIFY_THROWS_EXCEPTION(Error, runOp(opCase));
    }
};

QTEST_GUILESS_MAIN(MatmulTest)
#include "matmul_test.moc"
