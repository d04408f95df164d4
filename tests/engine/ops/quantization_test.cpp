// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>
#include <limits>

#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/trainability.h"
#include "engine/ir/type_inference.h"
#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

// Finite differences see no slope in rounding: gradients are compared with the mask and, where
// nothing is cut off, with those of the same operators without rounding (checkGradient).

/// A pair between x and the loss sum(y * y) / 2, whose gradient is y.
OpCase pairCase(Tensor x, Tensor scale, Tensor zero, int64_t axis = 1) {
    const std::string attribute = "<axis = " + std::to_string(axis) + ">";
    return {"q = QuantizeLinear" + attribute + "(x, s, z) y = DequantizeLinear" + attribute +
                "(q, s, z) p = Mul(y, y) h = Mul(p, half) loss = ReduceSum<keepdims = 0>(h) "
                "shown = Identity(y)",
            {{"x", std::move(x)},
             {"s", std::move(scale)},
             {"z", std::move(zero)},
             {"half", Tensor::scalar(0.5F)}},
            13,
            {"s", "z", "half"}};
}

struct PairGradient {
    Tensor y;
    Tensor dx;
    bool isFake = false;
};

/// A case with integers and the same with numbers, both of x and y. Their gradients are equal: y is
/// linear in x, and no number of x is cut off.
struct SameOnNumbers {
    const char* name;
    const char* integers;
    const char* numbers;
};

constexpr SameOnNumbers kOnNumbers[] = {
    {"dynamic pair", "q, s, z = DynamicQuantizeLinear(x) y = DequantizeLinear(q, s, z)",
     "y = Identity(x)"},
    {"MatMulInteger",
     "q = QuantizeLinear(x, xs, xz) i = MatMulInteger(q, k, xz, kz) c = Cast<to = 1>(i) "
     "t = Mul(xs, ks) y = Mul(c, t)",
     "n = DequantizeLinear(k, ks, kz) y = MatMul(x, n)"},
    {"MatMulInteger with a zero point for each row",
     "q = QuantizeLinear(x, xs, xz) i = MatMulInteger(q, k, xr, kz) c = Cast<to = 1>(i) "
     "t = Mul(xs, ks) y = Mul(c, t)",
     "n = DequantizeLinear(k, ks, kz) y = MatMul(x, n)"},
    {"QLinearMatMul",
     "q = QuantizeLinear(x, xs, xz) p = QLinearMatMul(q, xs, xz, k, ks, kz, ys, yz) "
     "y = DequantizeLinear(p, ys, yz)",
     "n = DequantizeLinear(k, ks, kz) y = MatMul(x, n)"},
    {"MatMulIntegerToFloat",
     "q = QuantizeLinear(x, xs, xz) "
     "y = com.microsoft.MatMulIntegerToFloat(q, k, xs, ks, xz, kz)",
     "n = DequantizeLinear(k, ks, kz) y = MatMul(x, n)"},
    {"DynamicQuantizeMatMul", "y = com.microsoft.DynamicQuantizeMatMul(x, k, ks, kz)",
     "n = DequantizeLinear(k, ks, kz) y = MatMul(x, n)"},
    {"QGemm",
     "q = QuantizeLinear(x, xs, xz) "
     "p = com.microsoft.QGemm(q, xs, xz, k, ks, kz, \"\", ys, yz) y = DequantizeLinear(p, ys, yz)",
     "n = DequantizeLinear(k, ks, kz) y = MatMul(x, n)"},
    {"ConvInteger",
     "v = Reshape(x, image) q = QuantizeLinear(v, xs, xz) f = Reshape(k, filters) "
     "i = ConvInteger(q, f, xz, kz) c = Cast<to = 1>(i) t = Mul(xs, ks) y = Mul(c, t)",
     "v = Reshape(x, image) n = DequantizeLinear(k, ks, kz) f = Reshape(n, filters) "
     "y = Conv(v, f)"},
    {"QLinearConv",
     "v = Reshape(x, image) q = QuantizeLinear(v, xs, xz) f = Reshape(k, filters) "
     "p = QLinearConv(q, xs, xz, f, ks, kz, ys, yz) y = DequantizeLinear(p, ys, yz)",
     "v = Reshape(x, image) n = DequantizeLinear(k, ks, kz) f = Reshape(n, filters) "
     "y = Conv(v, f)"},
};

OpCase linearCase(const char* nodes) {
    const std::string text = nodes;
    const Feeds all{{"x", randomTensor({3, 4}, 3)},
                    {"xs", Tensor::scalar(0.01F)},
                    {"xz", Tensor::scalar<uint8_t>(128)},
                    {"xr", Tensor::of<uint8_t>({3, 1}, {128, 128, 128})},
                    {"k", randomTensor({4, 2}, 5, -128, 128).cast(DType::Int8)},
                    {"ks", Tensor::scalar(0.003F)},
                    {"kz", Tensor::scalar<int8_t>(5)},
                    {"ys", Tensor::scalar(0.02F)},
                    {"yz", Tensor::scalar<uint8_t>(128)},
                    {"image", integerTensor({1, 2, 6})},
                    {"filters", integerTensor({2, 2, 2})}};
    OpCase opCase{text, {}, 21};
    for (const auto& [name, feed] : all) {
        const bool isRead = text.find("(" + name + ",") != std::string::npos ||
                            text.find("(" + name + ")") != std::string::npos ||
                            text.find(", " + name + ",") != std::string::npos ||
                            text.find(", " + name + ")") != std::string::npos;
        if (!isRead) continue;
        opCase.feeds.emplace(name, feed);
        if (name != "x") opCase.constants.push_back(name);
    }
    return opCase;
}

PairGradient differentiate(const OpCase& opCase) {
    const auto graph = graphOf(opCase);
    inferTypes(*graph, ops().catalog);
    Value* loss = graph->at("loss");
    applyTrainingForms(*graph, ops().catalog, ops().gradients, loss, {graph->at("x")});
    PairGradient result;
    for (const Node* node : graph->nodes()) {
        result.isFake = result.isFake || node->qualifiedOp() == "com.microsoft.FakeQuant";
    }
    auto outputs = buildGradients(*graph, ops().catalog, ops().gradients, loss, {graph->at("x")});
    outputs.push_back(graph->at("shown"));
    graph->setOutputs(outputs);
    graph->removeUnused();
    const Results found = runGraph(*graph, {{"x", opCase.feeds.at("x")}});
    result.y = found.at("shown");
    result.dx = found.at("x_grad");
    return result;
}

}  // namespace

class QuantizationTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() {
        addOnnxRows({"quantizelinear", "dequantizelinear", "dynamicquantizelinear", "matmulinteger",
                     "qlinearmatmul", "convinteger", "basic_convinteger", "qlinearconv"});
    }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void ortsResultsAreReproduced_data() { addOrtRows({"fake_quant", "fake_quant_grad"}); }
    void ortsResultsAreReproduced() {
        QFETCH(QString, name);
        const Outcome outcome = runOrtCase(ortCase(name), {1e-6, 1e-6});
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    void halvesAreRoundedToEvenAndTheRestIsCutOff() {
        const Tensor x = Tensor::of<float>(
            {8}, {0.5F, 1.5F, -0.5F, -1.5F, 1000.0F, -1000.0F,
                  std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()});
        const auto quantized = [&](const Tensor& zero) {
            return runOp({"y = QuantizeLinear(x, s, z)",
                          {{"x", x}, {"s", Tensor::scalar(1.0F)}, {"z", zero}},
                          21,
                          {"s", "z"}})
                .at("y");
        };
        QCOMPARE(difference(quantized(Tensor::scalar<int8_t>(3)),
                            Tensor::of<int8_t>({8}, {3, 5, 3, 1, 127, -128, 127, 3}), {}),
                 std::string());
        QCOMPARE(difference(quantized(Tensor::scalar<uint8_t>(1)),
                            Tensor::of<uint8_t>({8}, {1, 3, 1, 0, 255, 0, 255, 1}), {}),
                 std::string());
        QCOMPARE(difference(quantized(Tensor::scalar<int16_t>(0)),
                            Tensor::of<int16_t>({8}, {0, 2, 0, -2, 1000, -1000, 32767, 0}), {}),
                 std::string());
    }

    void aMissingZeroPointMeansBytesFromZero() {
        const OpCase opCase{
            "y = QuantizeLinear(x, s)",
            {{"x", Tensor::of<float>({3}, {-1, 1, 2})}, {"s", Tensor::scalar(0.5F)}},
            10};
        QCOMPARE(checkOutput(opCase, "y", Tensor::of<uint8_t>({3}, {0, 2, 4})), std::string());
    }

    void outputTypesAreChosenSinceOpset21() {
        const OpCase opCase{"y = QuantizeLinear<output_dtype = 5>(x, s)",
                            {{"x", Tensor::of<float>({2}, {-400, 1})}, {"s", Tensor::scalar(1.0F)}},
                            21};
        QCOMPARE(checkOutput(opCase, "y", Tensor::of<int16_t>({2}, {-400, 1})), std::string());
    }

    void sumsOfConvolutionsAreExact() {
        Tensor x(DType::UInt8, {1, 1, 400}), w(DType::Int8, {2, 1, 300});
        for (uint8_t& value : x.mutableValues<uint8_t>()) value = 255;
        for (int8_t& value : w.mutableValues<int8_t>()) value = -128;
        const OpCase opCase{"y = ConvInteger(x, w, a, b)",
                            {{"x", x},
                             {"w", w},
                             {"a", Tensor::scalar<uint8_t>(0)},
                             {"b", Tensor::of<int8_t>({2}, {0, 127})}},
                            10};
        const auto y = runOp(opCase).at("y");
        QCOMPARE(y.shape(), (Shape{1, 2, 101}));
        QCOMPARE(y.values<int32_t>()[0], 300 * 255 * -128);
        QCOMPARE(y.values<int32_t>()[101], 300 * 255 * -255);
    }

    void quantizedConvolutionsAddTheirBias() {
        const OpCase opCase{"y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz, b)",
                            {{"x", Tensor::of<uint8_t>({1, 1, 3}, {10, 20, 30})},
                             {"xs", Tensor::scalar(0.5F)},
                             {"xz", Tensor::scalar<uint8_t>(10)},
                             {"w", Tensor::of<int8_t>({2, 1, 1}, {4, 3})},
                             {"ws", Tensor::of<float>({2}, {0.25F, 0.5F})},
                             {"wz", Tensor::of<int8_t>({2}, {0, 1})},
                             {"ys", Tensor::scalar(2.0F)},
                             {"yz", Tensor::scalar<uint8_t>(100)},
                             {"b", Tensor::of<int32_t>({2}, {16, -8})}},
                            10};
        // (0, 10, 20) times 4, or 2, and the bias; times 1/8, or 1/4; halved; 100 added
        const Tensor expected = Tensor::of<uint8_t>({1, 2, 3}, {101, 104, 106, 99, 102, 104});
        QCOMPARE(checkOutput(opCase, "y", expected), std::string());
    }

    void eachBlockHasItsScale() {
        const Tensor x = Tensor::of<float>({2, 5}, {1, 2, 3, 4, 5, 10, 20, 30, 40, 50});
        const Tensor scale = Tensor::of<float>({2, 3}, {1, 0.5F, 5, 10, 5, 50});
        const Tensor zero = Tensor::of<int8_t>({2, 3}, {0, 1, 0, 0, 0, -1});
        const Feeds feeds{{"x", x}, {"s", scale}, {"z", zero}};
        const OpCase quantize{"y = QuantizeLinear<axis = 1, block_size = 2>(x, s, z)", feeds, 21};
        const Tensor expected = Tensor::of<int8_t>({2, 5}, {1, 2, 7, 9, 1, 1, 2, 6, 8, 0});
        QCOMPARE(checkOutput(quantize, "y", expected), std::string());
        const OpCase back{
            "q = QuantizeLinear<axis = 1, block_size = 2>(x, s, z) "
            "y = DequantizeLinear<axis = 1, block_size = 2>(q, s, z)",
            feeds, 21};
        QCOMPARE(checkOutput(back, "y", x), std::string());
    }

    void blocksOfTheFirstAxisAreReadByColumn() {
        const Tensor x = Tensor::of<int32_t>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
        const Tensor scale = Tensor::of<float>({2, 2}, {1, 10, 100, 1000});
        const OpCase opCase{
            "y = DequantizeLinear<axis = 0, block_size = 2>(x, s)", {{"x", x}, {"s", scale}}, 21};
        const Tensor expected = Tensor::of<float>({4, 2}, {1, 20, 3, 40, 500, 6000, 700, 8000});
        QCOMPARE(checkOutput(opCase, "y", expected), std::string());
    }

    void axesMayBeNegativeAndTensorsEmpty() {
        const Tensor x = Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4});
        const Tensor scale = Tensor::of<float>({2}, {1, 0.5F});
        const OpCase opCase{"y = QuantizeLinear<axis = -1>(x, s)", {{"x", x}, {"s", scale}}, 13};
        QCOMPARE(checkOutput(opCase, "y", Tensor::of<uint8_t>({1, 2, 2}, {1, 4, 3, 8})),
                 std::string());
        const OpCase empty{"y = QuantizeLinear<axis = -1>(x, s)",
                           {{"x", Tensor(DType::Float32, {0, 2})}, {"s", scale}},
                           13};
        QCOMPARE(runOp(empty).at("y").shape(), (Shape{0, 2}));
    }

    void gradientsPassStraightThroughThePair() {
        const Tensor x = Tensor::of<float>({6}, {-100.2F, -128.9F, 0.3F, 55.5F, 126.9F, 140.0F});
        const PairGradient found =
            differentiate(pairCase(x, Tensor::scalar(1.0F), Tensor::scalar<int8_t>(0)));
        QVERIFY(found.isFake);
        const Tensor y = Tensor::of<float>({6}, {-100, -128, 0, 56, 127, 127});
        const Tensor dx = Tensor::of<float>({6}, {-100, 0, 0, 56, 127, 0});
        QCOMPARE(difference(found.y, y, {}), std::string());
        QCOMPARE(difference(found.dx, dx, {}), std::string());
    }

    void pairsOfOnnxRuntimesOwnDomainTrainAsThoseOfOnnx_data() {
        QTest::addColumn<QString>("quantizer");
        QTest::addColumn<QString>("dequantizer");
        QTest::newRow("both") << "com.microsoft."
                              << "com.microsoft.";
        QTest::newRow("the second one") << ""
                                        << "com.microsoft.";
        QTest::newRow("the first one") << "com.microsoft."
                                       << "";
    }
    void pairsOfOnnxRuntimesOwnDomainTrainAsThoseOfOnnx() {
        QFETCH(QString, quantizer);
        QFETCH(QString, dequantizer);
        const OpCase onnx = pairCase(randomTensor({40, 3}, 2, -5, 5), Tensor::scalar(0.02F),
                                     Tensor::scalar<int8_t>(-7));
        OpCase own = onnx;
        const auto move = [&](const std::string& op, const QString& domain) {
            own.nodes.insert(own.nodes.find(" " + op) + 1, domain.toStdString());
        };
        move("QuantizeLinear", quantizer);
        move("DequantizeLinear", dequantizer);
        const PairGradient found = differentiate(own), expected = differentiate(onnx);
        QVERIFY(found.isFake);
        QCOMPARE(difference(found.y, expected.y, {}), std::string());
        QCOMPARE(difference(found.dx, expected.dx, {}), std::string());
    }

    void eachChannelIsCutOffAtItsOwnBounds() {
        const Tensor x = Tensor::of<float>({2, 3}, {0.3F, 2.0F, -1.0F, 30.0F, 2000.0F, -0.6F});
        const Tensor scale = Tensor::of<float>({2}, {0.01F, 1.0F});
        const PairGradient found =
            differentiate(pairCase(x, scale, Tensor::of<int8_t>({2}, {0, 0}), 0));
        QVERIFY(found.isFake);
        const Tensor y = Tensor::of<float>({2, 3}, {0.3F, 1.27F, -1.0F, 30, 127, -1});
        const Tensor dx = Tensor::of<float>({2, 3}, {0.3F, 0, -1.0F, 30, 0, -1});
        QCOMPARE(difference(found.y, y, {1e-6, 1e-6}), std::string());
        QCOMPARE(difference(found.dx, dx, {1e-6, 1e-6}), std::string());
    }

    void theTrainingFormComputesWhatThePairDoes_data() {
        QTest::addColumn<Tensor>("scale");
        QTest::addColumn<Tensor>("zero");
        QTest::addColumn<int>("axis");
        QTest::newRow("int8") << Tensor::scalar(0.02F) << Tensor::scalar<int8_t>(-7) << 1;
        QTest::newRow("uint8") << Tensor::scalar(0.03F) << Tensor::scalar<uint8_t>(140) << 1;
        QTest::newRow("uint16") << Tensor::scalar(0.0001F) << Tensor::scalar<uint16_t>(30000) << 1;
        QTest::newRow("last axis") << Tensor::of<float>({3}, {0.01F, 0.02F, 0.005F})
                                   << Tensor::of<int8_t>({3}, {4, 4, 4}) << -1;
        QTest::newRow("first axis")
            << Tensor::of<float>({40}, std::vector<float>(40, 0.015F))
            << Tensor::of<uint8_t>({40}, std::vector<uint8_t>(40, 128)) << 0;
    }
    void theTrainingFormComputesWhatThePairDoes() {
        QFETCH(Tensor, scale);
        QFETCH(Tensor, zero);
        QFETCH(int, axis);
        const OpCase opCase = pairCase(randomTensor({40, 3}, 2, -5, 5), scale, zero, axis);
        QCOMPARE(difference(differentiate(opCase).y, runOp(opCase).at("shown"), {1e-6, 1e-6}),
                 std::string());
    }

    void pairsThatDisagreeAreReported() {
        OpCase opCase =
            pairCase(randomTensor({4}), Tensor::scalar(0.1F), Tensor::scalar<int8_t>(0));
        opCase.nodes =
            "q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, t, z) "
            "loss = ReduceSum<keepdims = 0>(y)";
        opCase.feeds.emplace("t", Tensor::scalar(0.2F));
        opCase.constants = {"s", "t", "z", "half"};
        opCase.feeds.erase("half");
        opCase.constants.pop_back();
        const auto graph = graphOf(opCase);
        inferTypes(*graph, ops().catalog);
        const auto findings = analyzeTrainability(*graph, ops().catalog, ops().gradients,
                                                  {graph->at("loss")}, {graph->at("x")});
        QCOMPARE(findings.size(), size_t{1});
        QVERIFY(findings[0].message.find("differs from that of its QuantizeLinear") !=
                std::string::npos);
    }

    void integersHaveTheGradientsOfTheirNumbers_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < std::size(kOnNumbers); ++i)
            QTest::newRow(kOnNumbers[i].name) << static_cast<int>(i);
    }
    void integersHaveTheGradientsOfTheirNumbers() {
        QFETCH(int, row);
        OpCase numbers = linearCase(kOnNumbers[row].numbers);
        OpCase integers = linearCase(kOnNumbers[row].integers);
        QCOMPARE(checkGradient(numbers), std::string());
        const Tensor y = runOp(numbers).at("y");
        const Tensor w = randomTensor(y.shape(), 9);
        for (OpCase* opCase : {&numbers, &integers}) opCase->feeds.emplace("w", w);
        const TrainingResults found = trainingResults(integers, {"x"});
        const Tensor expected = trainingResults(numbers, {"x"}).gradients.at("x");
        QCOMPARE(difference(found.gradients.at("x"), expected, {1e-5, 1e-6}), std::string());
        QCOMPARE(difference(found.y, y, {1e-2, 3e-2}), std::string());
    }

    /// What isn't cast to numbers stays integers, through which no gradient passes.
    void integersThatOthersReadStayIntegers() {
        const OpCase opCase{
            "q = QuantizeLinear(x, s, z) i = MatMulInteger(q, k, z) n = Neg(i) m = Cast<to = 1>(n) "
            "c = Cast<to = 1>(i) y = Sub(c, m)",
            {{"x", Tensor::of<float>({1, 2}, {0.5F, -1})},
             {"s", Tensor::scalar(0.01F)},
             {"z", Tensor::scalar<uint8_t>(128)},
             {"k", Tensor::of<int8_t>({2, 1}, {3, -2})},
             {"w", Tensor::of<float>({1, 1}, {1})}},
            21,
            {"s", "z", "k"}};
        const TrainingResults found = trainingResults(opCase, {"x"});
        QCOMPARE(difference(found.y, Tensor::of<float>({1, 1}, {700}), {1e-6, 0}), std::string());
        const Tensor dx = Tensor::of<float>({1, 2}, {300, -200});
        QCOMPARE(difference(found.gradients.at("x"), dx, {1e-5, 0}), std::string());
    }

    void theGradientOfFakeQuantIsItsMask() {
        const OpCase opCase{
            "y = com.microsoft.FakeQuant<quant_min = -8, quant_max = 7>(x, s, z) "
            "p = Mul(y, y) h = Mul(p, half) loss = ReduceSum<keepdims = 0>(h) "
            "shown = Identity(y)",
            {{"x", Tensor::of<float>({4}, {-5, -0.4F, 1.1F, 9})},
             {"s", Tensor::scalar(0.5F)},
             {"z", Tensor::scalar(0.0F)},
             {"half", Tensor::scalar(0.5F)}},
            13,
            {"s", "z", "half"}};
        const PairGradient found = differentiate(opCase);
        QCOMPARE(difference(found.y, Tensor::of<float>({4}, {-4, -0.5F, 1, 3.5F}), {}),
                 std::string());
        QCOMPARE(difference(found.dx, Tensor::of<float>({4}, {0, -0.5F, 1, 0}), {}), std::string());
    }
};

QTEST_APPLESS_MAIN(QuantizationTest)
#include "quantization_test.moc"
