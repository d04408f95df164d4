// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/autodiff/gradient_graph.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

const GradientOptions kStaticOnly{.alsoSymbolic = false};  // pools need the size of the images

OpCase pool(const std::string& op, const std::string& attributes, const Shape& x) {
    const std::string list = attributes.empty() ? "" : "<" + attributes + ">";
    return {"y = " + op + list + "(x)", {{"x", distinctTensor(x)}}, 19};
}

std::vector<GradientCase> gradientCases() {
    const Shape image = {2, 3, 6, 5};
    return {
        {"maximum", pool("MaxPool", "kernel_shape = [2, 2], strides = [2, 2]", image), kStaticOnly},
        {"maximum, overlapping with pads",
         pool("MaxPool", "kernel_shape = [3, 3], pads = [1, 1, 0, 1]", image), kStaticOnly},
        {"maximum, rounded up with dilations",
         pool("MaxPool",
              "kernel_shape = [2, 2], strides = [2, 2], dilations = [2, 1], ceil_mode = 1", image),
         kStaticOnly},
        {"maximum of series", pool("MaxPool", "kernel_shape = [3]", {2, 2, 7}), kStaticOnly},
        {"maximum of volumes", pool("MaxPool", "kernel_shape = [2, 2, 2]", {1, 2, 3, 4, 3}),
         kStaticOnly},
        {"average", pool("AveragePool", "kernel_shape = [2, 2], strides = [2, 2]", image),
         kStaticOnly},
        {"average with pads",
         pool("AveragePool", "kernel_shape = [3, 2], pads = [1, 1, 1, 0]", image), kStaticOnly},
        {"average that counts pads",
         pool("AveragePool", "kernel_shape = [3, 2], pads = [1, 1, 1, 0], count_include_pad = 1",
              image),
         kStaticOnly},
        {"average, rounded up",
         pool("AveragePool", "kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1", image),
         kStaticOnly},
        {"average, rounded up, counting pads",
         pool("AveragePool",
              "kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1], ceil_mode = 1, "
              "count_include_pad = 1",
              image),
         kStaticOnly},
        {"average with dilations",
         pool("AveragePool", "kernel_shape = [2, 2], dilations = [2, 2]", image), kStaticOnly},
        {"average, same upper",
         pool("AveragePool", "kernel_shape = [3, 3], strides = [2, 2], auto_pad = \"SAME_UPPER\"",
              image),
         kStaticOnly},
        {"average of overlapping volumes",
         pool("AveragePool", "kernel_shape = [2, 2, 2]", {1, 2, 3, 4, 3}), kStaticOnly},
        {"average of series", pool("AveragePool", "kernel_shape = [3], strides = [3]", {2, 2, 8}),
         kStaticOnly},
        {"norm", pool("LpPool", "kernel_shape = [2, 2], strides = [2, 1]", image), kStaticOnly},
        {"sum of magnitudes", pool("LpPool", "kernel_shape = [2, 2], p = 1", image), kStaticOnly},
        {"cubic norm with pads",
         pool("LpPool", "kernel_shape = [2, 2], p = 3, pads = [1, 0, 0, 1]", image), kStaticOnly},
        {"global average", pool("GlobalAveragePool", "", image)},
        {"global maximum", pool("GlobalMaxPool", "", image)},
        {"global norm", pool("GlobalLpPool", "", image)},
        {"global cubic norm", pool("GlobalLpPool", "p = 3", {2, 2, 4})},
    };
}

/// d sum(y * weight) / dx of a pool over images whose batch has `batch` for its dimension.
Tensor gradientWithBatch(const std::string& batch, const std::string& attributes) {
    const auto graph = parseText(
        "<ir_version: 8, opset_import: [\"\": 19, \"com.microsoft\": 1]> "
        "g (float[" +
        batch +
        ", 2, 5, 6] x) => (float loss) { "
        "y = AveragePool<" +
        attributes +
        ">(x) "
        "squares = Mul(y, y) "
        "loss = ReduceSum<keepdims = 0>(squares) }");
    inferTypes(*graph, ops().catalog);
    Value* loss = graph->at("loss");
    const std::vector<Value*> parameters = {graph->at("x")};
    graph->setOutputs(buildGradients(*graph, ops().catalog, ops().gradients, loss, parameters));
    graph->removeUnused();
    return runGraph(*graph, {{"x", randomTensor({3, 2, 5, 6})}}).at("x_grad");
}

}  // namespace

class PoolingTest : public QObject {
    Q_OBJECT

private slots:
    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        QCOMPARE(check(gradientCases(), row), QString());
    }

    void resultsAreThoseOfOnnxRuntime_data() {
        addOrtRows({"average_pool_grad", "average_pool_grad_count_pads",
                    "average_pool_grad_overlapping", "average_pool_grad_pads", "max_pool_grad",
                    "max_pool_grad_overlapping"});
    }
    void resultsAreThoseOfOnnxRuntime() {
        QFETCH(QString, name);
        if (!std::filesystem::exists(ortCase(name))) QSKIP("shared/conformance/ort is not here");
        const Outcome outcome = runOrtCase(ortCase(name));
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    // ORT's AveragePoolGrad fails for a symbolic batch: other operators take its place.
    void averagesOfASymbolicBatchHaveTheSameGradient_data() {
        QTest::addColumn<QString>("attributes");
        QTest::newRow("plain") << "kernel_shape = [2, 2], strides = [2, 2]";
        QTest::newRow("pads") << "kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]";
        QTest::newRow("counted pads")
            << "kernel_shape = [3, 2], pads = [1, 0, 1, 1], count_include_pad = 1";
        QTest::newRow("rounded up") << "kernel_shape = [2, 4], strides = [2, 4], ceil_mode = 1";
    }
    void averagesOfASymbolicBatchHaveTheSameGradient() {
        QFETCH(QString, attributes);
        const Tensor fixed = gradientWithBatch("3", attributes.toStdString());
        const Tensor symbolic = gradientWithBatch("N", attributes.toStdString());
        QCOMPARE(QString::fromStdString(difference(symbolic, fixed, {1e-5, 1e-6})), QString());
    }

    void indicesCountInBothOrders() {
        const Tensor x = Tensor::of<float>({1, 2, 2, 3}, {1, 2, 9, 4, 5, 6, 7, 1, 2, 3, 4, 5});
        const auto indices = [&](const char* order) {
            const OpCase opCase{
                std::string("y, i = MaxPool<kernel_shape = [2, 3], storage_order = ") + order +
                    ">(x)",
                {{"x", x}}};
            const Tensor found = runOp(opCase).at("i");
            const auto values = found.values<int64_t>();
            return std::vector<int64_t>(values.begin(), values.end());
        };
        QCOMPARE(indices("0"), (std::vector<int64_t>{2, 6}));
        QCOMPARE(indices("1"), (std::vector<int64_t>{4, 6}));
    }

    void resultsDoNotDependOnThreads() {
        const Shape images = {9, 16, 24, 24};
        QVERIFY(isIndependentOfThreads(pool("GlobalAveragePool", "", images)));
        QVERIFY(isIndependentOfThreads(pool("AveragePool", "kernel_shape = [3, 3]", images)));
    }

    void anIndexOutsideItsImageIsRefused() {
        const auto graph = parseText(
            "<ir_version: 8, opset_import: [\"\": 17]> "
            "g (float[1,2,1,1] dy, int64[1,2,1,1] i) => "
            "(float[1,2,2,2] dx) { dx = MaxPoolGrad(dy, i) }");
        const Feeds feeds = {{"dy", randomTensor({1, 2, 1, 1})},
                             {"i", Tensor::of<int64_t>({1, 2, 1, 1}, {1, 2})}};
        QVERIFY_THROWS_EXCEPTION(Error, runGraph(*graph, feeds));
    }
};

QTEST_GUILESS_MAIN(PoolingTest)
#include "pooling_test.moc"
