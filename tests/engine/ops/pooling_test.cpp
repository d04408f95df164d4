// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>

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

/// Windows whose number or padding follows from the size of the images need that size.
void addSizedCases(std::vector<GradientCase>& cases) {
    const Shape image = {2, 3, 6, 5};
    const std::pair<const char*, OpCase> sized[] = {
        {"average, rounded up",
         pool("AveragePool", "kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1", image)},
        {"average, rounded up, counting pads",
         pool("AveragePool",
              "kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1], ceil_mode = 1, "
              "count_include_pad = 1",
              image)},
        {"average, rounded up, without the window that begins behind the image",
         pool("AveragePool",
              "kernel_shape = [1, 2], strides = [2, 2], pads = [0, 0, 1, 1], ceil_mode = 1",
              {1, 1, 3, 5})},
        {"average, same upper",
         pool("AveragePool", "kernel_shape = [3, 3], strides = [2, 2], auto_pad = \"SAME_UPPER\"",
              image)},
        {"average, same lower",
         pool("AveragePool", "kernel_shape = [2, 2], auto_pad = \"SAME_LOWER\"", image)},
        {"maximum, same upper",
         pool("MaxPool", "kernel_shape = [2, 3], strides = [2, 1], auto_pad = \"SAME_UPPER\"",
              image)},
        {"norm, rounded up with dilations",
         pool("LpPool",
              "kernel_shape = [2, 2], strides = [2, 2], dilations = [2, 1], ceil_mode = 1", image)},
        {"norm, same lower",
         pool("LpPool", "kernel_shape = [2, 2], auto_pad = \"SAME_LOWER\"", image)},
        {"maximum, places counted by columns",
         {"y, i = MaxPool<kernel_shape = [2, 2], storage_order = 1>(x)",
          {{"x", distinctTensor(image)}},
          19}},
        {"maximum of volumes, places counted by columns",
         {"y, i = MaxPool<kernel_shape = [2, 2, 2], storage_order = 1>(x)",
          {{"x", distinctTensor({1, 2, 3, 4, 3})}},
          19}},
    };
    for (const auto& [name, opCase] : sized) cases.push_back({name, opCase, kStaticOnly});
}

/// The shapes of ONNX Runtime's own tests. Source: spec gradient_tests, section 6.
void addOrtCases(std::vector<GradientCase>& cases) {
    const auto add = [&](const char* name, const char* op, const char* attributes,
                         const Shape& shape) {
        OpCase opCase = pool(op, attributes, shape);
        opCase.opset = 9;
        cases.push_back({name, opCase});
    };
    add("ORT: maximum of series", "MaxPool", "kernel_shape = [2]", {2, 2, 9});
    add("ORT: maximum", "MaxPool", "kernel_shape = [2, 2], strides = [1, 1]", {2, 3, 5, 5});
    add("ORT: maximum with pads", "MaxPool", "kernel_shape = [3, 3], pads = [2, 2, 2, 2]",
        {1, 1, 5, 5});
    add("ORT: maximum of a large image", "MaxPool", "kernel_shape = [5, 5], strides = [3, 3]",
        {1, 1, 32, 32});
    add("ORT: maximum of volumes", "MaxPool", "kernel_shape = [2, 2, 2]", {2, 1, 3, 3, 3});
    const char* op = "AveragePool";
    add("ORT: average of series", op, "kernel_shape = [2], strides = [2]", {2, 3, 8});
    add("ORT: average", op, "kernel_shape = [2, 2], strides = [1, 1]", {2, 3, 8, 8});
    add("ORT: average of volumes", op, "kernel_shape = [2, 2, 2], strides = [2, 2, 2]",
        {2, 3, 8, 8, 8});
    add("ORT: average of padded series", op, "kernel_shape = [3], strides = [3], pads = [1, 0]",
        {1, 3, 8});
    add("ORT: average that counts pads", op,
        "kernel_shape = [3, 2], strides = [3, 2], pads = [1, 0, 1, 0], count_include_pad = 1",
        {1, 3, 7, 8});
    add("ORT: average of a padded image", op,
        "kernel_shape = [3, 3], strides = [3, 3], pads = [1, 1, 1, 1]", {1, 3, 7, 7});
    add("ORT: average of padded volumes", op,
        "kernel_shape = [3, 3, 3], strides = [3, 3, 3], pads = [1, 1, 1, 0, 0, 0]",
        {1, 3, 8, 8, 8});
    add("ORT: average of volumes that counts pads", op,
        "kernel_shape = [3, 3, 3], strides = [3, 3, 3], pads = [1, 1, 1, 1, 1, 1], "
        "count_include_pad = 1",
        {1, 4, 7, 7, 7});
    add("ORT: global average", "GlobalAveragePool", "", {2, 3, 5, 5});
    add("ORT: global average of one channel", "GlobalAveragePool", "", {2, 1, 3, 3});
    add("ORT: global maximum", "GlobalMaxPool", "", {2, 3, 5, 5});
    cases.back().opCase.opset = 11;
    add("ORT: global maximum of one channel", "GlobalMaxPool", "", {2, 1, 3, 3});
    cases.back().opCase.opset = 11;
}

std::vector<GradientCase> gradientCases() {
    const Shape image = {2, 3, 6, 5};
    std::vector<GradientCase> cases = {
        {"maximum", pool("MaxPool", "kernel_shape = [2, 2], strides = [2, 2]", image)},
        {"maximum, overlapping with pads",
         pool("MaxPool", "kernel_shape = [3, 3], pads = [1, 1, 0, 1]", image)},
        {"maximum, rounded up with dilations",
         pool("MaxPool",
              "kernel_shape = [2, 2], strides = [2, 2], dilations = [2, 1], ceil_mode = 1", image)},
        {"maximum, valid", pool("MaxPool", "kernel_shape = [2, 2], auto_pad = \"VALID\"", image)},
        {"maximum of series", pool("MaxPool", "kernel_shape = [3]", {2, 2, 7})},
        {"maximum of volumes", pool("MaxPool", "kernel_shape = [2, 2, 2]", {1, 2, 3, 4, 3})},
        {"average", pool("AveragePool", "kernel_shape = [2, 2], strides = [2, 2]", image)},
        {"average with pads",
         pool("AveragePool", "kernel_shape = [3, 2], pads = [1, 1, 1, 0]", image)},
        {"average that counts pads",
         pool("AveragePool", "kernel_shape = [3, 2], pads = [1, 1, 1, 0], count_include_pad = 1",
              image)},
        {"average with dilations",
         pool("AveragePool", "kernel_shape = [2, 2], dilations = [2, 2]", image)},
        {"average with dilations and pads",
         pool("AveragePool", "kernel_shape = [2, 2], dilations = [2, 1], pads = [1, 0, 1, 1]",
              image)},
        {"average, valid",
         pool("AveragePool", "kernel_shape = [2, 2], auto_pad = \"VALID\"", image)},
        {"average of overlapping volumes",
         pool("AveragePool", "kernel_shape = [2, 2, 2]", {1, 2, 3, 4, 3})},
        {"average of volumes with pads",
         pool("AveragePool", "kernel_shape = [2, 2, 2], pads = [1, 0, 1, 0, 1, 0]",
              {1, 2, 3, 4, 3})},
        {"average of series", pool("AveragePool", "kernel_shape = [3], strides = [3]", {2, 2, 8})},
        {"norm", pool("LpPool", "kernel_shape = [2, 2], strides = [2, 1]", image)},
        {"sum of magnitudes", pool("LpPool", "kernel_shape = [2, 2], p = 1", image)},
        {"cubic norm with pads",
         pool("LpPool", "kernel_shape = [2, 2], p = 3, pads = [1, 0, 0, 1]", image)},
        {"norm of series", pool("LpPool", "kernel_shape = [2], dilations = [2]", {2, 2, 7})},
        {"norm of volumes", pool("LpPool", "kernel_shape = [2, 1, 2]", {1, 2, 3, 2, 3})},
        {"global average", pool("GlobalAveragePool", "", image)},
        {"global average of series", pool("GlobalAveragePool", "", {2, 3, 4})},
        {"global maximum", pool("GlobalMaxPool", "", image)},
        {"global maximum of volumes", pool("GlobalMaxPool", "", {1, 2, 2, 3, 2})},
        {"global norm", pool("GlobalLpPool", "", image)},
        {"global sum of magnitudes", pool("GlobalLpPool", "p = 1", {2, 2, 4})},
        {"global cubic norm", pool("GlobalLpPool", "p = 3", {2, 2, 4})},
    };
    addSizedCases(cases);
    addOrtCases(cases);
    return cases;
}

/// d sum(y * weight) / dx of a pool over images with the batch dimension `batch`.
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
        const Outcome outcome = runOrtCase(ortCase(name));
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    // ORT's AveragePoolGrad fails for a symbolic batch: other operators replace it.
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

    /// Rows in single precision are computed many windows at once, others one by one.
    void rowsOfWindowsHaveTheMaximaOfSingleOnes_data() {
        QTest::addColumn<QString>("attributes");
        for (const char* kernel : {"1, 1", "2, 2", "3, 3", "2, 5"}) {
            for (const char* strides : {"1, 1", "2, 2", "1, 3"}) {
                for (const char* pads : {"0, 0, 0, 0", "0, 0, 0, 1", "1, 1, 0, 1"}) {
                    for (const char* dilations : {"1, 1", "2, 3"}) {
                        const bool hasPads = QString(pads).contains('1');
                        if (kernel[0] == '1' && hasPads) continue;  // windows without any tap
                        const QString name = QString(
                                                 "kernel_shape = [%1], strides = [%2], "
                                                 "pads = [%3], dilations = [%4]")
                                                 .arg(kernel, strides, pads, dilations);
                        QTest::newRow(qPrintable(name)) << name;
                    }
                }
            }
        }
    }
    void rowsOfWindowsHaveTheMaximaOfSingleOnes() {
        QFETCH(QString, attributes);
        OpCase opCase{"y, i = MaxPool<" + attributes.toStdString() + ">(x)", {}, 17};
        for (int64_t width = 13; width < 84; width += width < 40 ? 1 : 7) {
            // Few different numbers, so that several taps of a window have the largest value.
            Tensor x = distinctTensor({1, 2, 5, width});
            for (float& value : x.mutableValues<float>())
                value = std::fmod(std::floor(std::abs(value)), 5.0F);
            x.mutableValues<float>()[static_cast<size_t>(width)] = std::nanf("");
            opCase.feeds = {{"x", x}};
            const Results rows = runOp(opCase);
            opCase.feeds = {{"x", x.cast(DType::Float64)}};
            const Results single = runOp(opCase);
            const auto places = rows.at("i").values<int64_t>();
            const auto expected = single.at("i").values<int64_t>();
            QVERIFY2(std::ranges::equal(places, expected), std::to_string(width).c_str());
            const auto maxima = rows.at("y").values<float>();
            for (size_t o = 0; o < maxima.size(); ++o) {
                const float tap = x.values<float>()[static_cast<size_t>(places[o])];
                QVERIFY(maxima[o] == tap || (std::isnan(maxima[o]) && std::isnan(tap)));
            }
        }
    }

    void resultsDoNotDependOnThreads() {
        const Shape images = {9, 16, 24, 24};
        QVERIFY(isIndependentOfThreads(pool("GlobalAveragePool", "", images)));
        QVERIFY(isIndependentOfThreads(pool("AveragePool", "kernel_shape = [3, 3]", images)));
    }

    void aGradientThatIsNotAnImageIsRefused() {
        const auto graph = parseText(
            "<ir_version: 8, opset_import: [\"\": 17]> "
            "g (float[3] dy, int64[3] i) => (float[3] dx) { dx = MaxPoolGrad(dy, i) }");
        const auto findings = inferTypes(*graph, ops().catalog);
        QCOMPARE(findings.size(), size_t{1});
        QVERIFY(findings.front().message.find("expected [batch, channels, spatial...]") !=
                std::string::npos);
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
