// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

OpCase conv(const std::string& op, const std::string& attributes, const Shape& x, const Shape& w,
            int64_t biases = 0) {
    OpCase opCase{"y = " + op + "<" + attributes + ">(x, w" + (biases > 0 ? ", b)" : ")"),
                  {{"x", randomTensor(x, 1)}, {"w", randomTensor(w, 2)}}};
    if (biases > 0) opCase.feeds.emplace("b", randomTensor({biases}, 3));
    return opCase;
}

OpCase convGrad(const std::string& attributes, const Shape& dy, const Shape& x, const Shape& w) {
    return {"dx, dw, db = com.microsoft.ConvGrad<" + attributes + ">(dy, x, w)",
            {{"dy", randomTensor(dy, 4)}, {"x", randomTensor(x, 5)}, {"w", randomTensor(w, 6)}}};
}

/// The shapes of ONNX Runtime's own tests of Conv, which it also compiles for ConvTranspose.
/// Source: spec gradient_tests, sections 6 and 9.
struct OrtShapes {
    Shape x;
    Shape w;
    std::string pads = {};
    std::string strides = {};
    std::string dilations = {};
};

std::vector<OrtShapes> ortShapes() {
    return {
        {{2, 2, 5}, {2, 2, 3}, "[1, 1]"},
        {{2, 1, 7}, {1, 1, 3}, "[1, 1]", "[2]"},
        {{2, 1, 5}, {1, 1, 1}, "[1, 1]"},
        {{2, 1, 5}, {1, 1, 1}, "[0, 0]"},
        {{1, 1, 3, 3}, {1, 1, 3, 3}, "[1, 1, 1, 1]"},
        {{2, 1, 5, 5}, {1, 1, 3, 3}, "[1, 1, 1, 1]"},
        {{1, 1, 1, 1}, {1, 1, 1, 1}, "[1, 1, 1, 1]"},
        {{1, 1, 1, 1}, {1, 1, 1, 1}, "[0, 0, 0, 0]"},
        {{2, 1, 7, 5}, {1, 1, 3, 3}, "[1, 1, 1, 1]", "[2, 2]"},
        {{2, 1, 5, 5}, {1, 1, 3, 3}, "[0, 0, 0, 0]", "", "[2, 2]"},
        {{2, 1, 7, 5}, {1, 1, 3, 3}, "[1, 1, 1, 1]", "", "[2, 2]"},
        {{2, 1, 5, 5, 5}, {1, 1, 3, 3, 3}, "[1, 1, 1, 1, 1, 1]"},
        {{2, 1, 7, 5, 5}, {1, 1, 3, 3, 3}, "[1, 1, 1, 1, 1, 1]", "[2, 2, 2]"},
    };
}

/// The first two-dimensional cases with one element are larger for ConvTranspose, so that its pads
/// leave a result.
OpCase caseOfOrt(const std::string& op, OrtShapes shapes) {
    std::string kernel;
    for (size_t i = 2; i < shapes.w.size(); ++i)
        kernel += (i > 2 ? ", " : "") + std::to_string(shapes.w[i]);
    std::string attributes = "kernel_shape = [" + kernel + "], pads = " + shapes.pads;
    if (!shapes.strides.empty()) attributes += ", strides = " + shapes.strides;
    if (!shapes.dilations.empty()) attributes += ", dilations = " + shapes.dilations;
    if (op == "ConvTranspose" && shapes.x == Shape{1, 1, 1, 1}) shapes.x = {1, 1, 3, 3};
    OpCase opCase =
        conv(op, attributes, shapes.x, shapes.w, op == "Conv" ? shapes.w[0] : shapes.w[1]);
    opCase.opset = 9;
    return opCase;
}

std::vector<GradientCase> gradientCases() {
    const GradientOptions staticOnly{.alsoSymbolic = false};
    return {
        {"transposed, output padding of more than a stride",
         conv("ConvTranspose",
              "kernel_shape = [2, 2], strides = [1, 2], dilations = [3, 2], "
              "output_padding = [2, 1], pads = [0, 1, 1, 0]",
              {1, 2, 3, 2}, {2, 1, 2, 2}, 1)},
        {"transposed, output padding of more than a stride without pads",
         conv("ConvTranspose",
              "kernel_shape = [2], strides = [1], dilations = [3], output_padding = [2]", {1, 2, 3},
              {2, 1, 2}, 1)},
        {"transposed, valid",
         conv("ConvTranspose", "kernel_shape = [3, 2], strides = [2, 1], auto_pad = \"VALID\"",
              {1, 2, 3, 4}, {2, 1, 3, 2})},
        {"transposed, same lower",
         conv("ConvTranspose", "kernel_shape = [3, 2], strides = [2, 2], auto_pad = \"SAME_LOWER\"",
              {1, 2, 3, 4}, {2, 1, 3, 2}),
         staticOnly},
        {"transposed volumes with groups, dilations, output padding",
         conv("ConvTranspose",
              "kernel_shape = [2, 2, 2], group = 2, dilations = [2, 1, 1], strides = [1, 2, 1], "
              "output_padding = [0, 1, 0]",
              {1, 2, 2, 2, 2}, {2, 2, 2, 2, 2}, 4)},
        {"images",
         conv("Conv", "kernel_shape = [3, 3], pads = [1, 1, 1, 1]", {2, 2, 5, 4}, {3, 2, 3, 3}, 3)},
        {"series", conv("Conv", "kernel_shape = [3], strides = [2]", {2, 2, 9}, {3, 2, 3}, 3)},
        {"volumes", conv("Conv", "kernel_shape = [2, 2, 2]", {1, 2, 3, 4, 3}, {2, 2, 2, 2, 2})},
        {"strides, dilations, uneven pads",
         conv("Conv",
              "kernel_shape = [2, 3], strides = [2, 1], dilations = [2, 1], "
              "pads = [1, 0, 2, 1]",
              {2, 2, 6, 5}, {3, 2, 2, 3}, 3)},
        {"groups", conv("Conv", "kernel_shape = [3, 3], group = 2", {2, 4, 5, 5}, {6, 2, 3, 3}, 6)},
        {"depthwise", conv("Conv", "kernel_shape = [3, 3], group = 3, pads = [1, 1, 1, 1]",
                           {2, 3, 4, 4}, {3, 1, 3, 3})},
        {"same upper",
         conv("Conv",
              "kernel_shape = [3, 2], auto_pad = \"SAME_UPPER\", "
              "strides = [2, 2]",
              {1, 2, 5, 6}, {2, 2, 3, 2}),
         staticOnly},
        {"same lower",
         conv("Conv", "kernel_shape = [3, 2], auto_pad = \"SAME_LOWER\"", {1, 2, 5, 6},
              {2, 2, 3, 2}),
         staticOnly},
        {"valid",
         conv("Conv", "kernel_shape = [3, 2], auto_pad = \"VALID\"", {1, 2, 5, 6}, {2, 2, 3, 2})},
        {"taps beside the whole image",
         conv("Conv", "kernel_shape = [5, 5], pads = [2, 2, 2, 2]", {1, 2, 2, 1}, {2, 2, 5, 5})},
        {"transposed", conv("ConvTranspose",
                            "kernel_shape = [3, 3], strides = [2, 2], "
                            "pads = [1, 1, 0, 1], output_padding = [1, 0]",
                            {2, 3, 3, 4}, {3, 2, 3, 3}, 2)},
        {"transposed series",
         conv("ConvTranspose", "kernel_shape = [3], dilations = [2]", {2, 3, 4}, {3, 2, 3}, 2)},
        {"transposed volumes",
         conv("ConvTranspose", "kernel_shape = [2, 2, 2], strides = [2, 1, 2]", {1, 2, 2, 3, 2},
              {2, 1, 2, 2, 2})},
        {"transposed with groups",
         conv("ConvTranspose", "kernel_shape = [3, 3], group = 2", {1, 4, 3, 3}, {4, 3, 3, 3}, 6)},
        {"transposed to a given shape",
         conv("ConvTranspose", "kernel_shape = [3, 3], strides = [3, 2], output_shape = [9, 8]",
              {1, 2, 3, 4}, {2, 1, 3, 3}),
         staticOnly},
        {"transposed, same upper",
         conv("ConvTranspose",
              "kernel_shape = [3, 3], strides = [2, 2], "
              "auto_pad = \"SAME_UPPER\"",
              {1, 2, 3, 4}, {2, 1, 3, 3}),
         staticOnly},
    };
}

/// Shapes of real networks, for which oneDNN uses its own layouts.
std::vector<std::pair<const char*, OpCase>> networkCases() {
    return {
        {"first layer", conv("Conv", "pads = [2, 2, 2, 2]", {37, 1, 28, 28}, {6, 1, 5, 5}, 6)},
        {"few channels", conv("Conv", "", {12, 6, 14, 14}, {16, 6, 5, 5}, 16)},
        {"many channels", conv("Conv", "pads = [1, 1, 1, 1]", {18, 32, 8, 8}, {48, 32, 3, 3}, 48)},
        {"strided pointwise", conv("Conv", "strides = [2, 2]", {8, 32, 8, 8}, {64, 32, 1, 1})},
        {"depthwise",
         conv("Conv", "group = 24, pads = [1, 1, 1, 1]", {9, 24, 9, 9}, {24, 1, 3, 3})},
        {"groups of odd size", conv("Conv", "group = 3", {4, 15, 7, 7}, {21, 5, 3, 3}, 21)},
        {"dilated series",
         conv("Conv", "dilations = [3], pads = [6, 0]", {5, 20, 40}, {24, 20, 3})},
        {"volumes", conv("Conv", "pads = [1, 1, 1, 1, 1, 1]", {3, 8, 6, 6, 6}, {16, 8, 3, 3, 3})},
        {"transposed", conv("ConvTranspose", "strides = [2, 2], pads = [1, 1, 1, 1]",
                            {10, 24, 7, 7}, {24, 16, 4, 4}, 16)},
        {"gradient of few channels",
         convGrad("kernel_shape = [5, 5]", {12, 16, 10, 10}, {12, 6, 14, 14}, {16, 6, 5, 5})},
        {"gradient of many channels", convGrad("kernel_shape = [3, 3], pads = [1, 1, 1, 1]",
                                               {34, 48, 8, 8}, {34, 32, 8, 8}, {48, 32, 3, 3})},
        {"many tiles, without pads", conv("Conv", "", {4, 32, 29, 33}, {64, 32, 3, 3}, 64)},
        {"many tiles, uneven pads",
         conv("Conv", "pads = [0, 1, 1, 0]", {4, 48, 27, 28}, {32, 48, 3, 3}, 32)},
        {"gradient of many tiles",
         convGrad("kernel_shape = [3, 3]", {4, 64, 27, 31}, {4, 32, 29, 33}, {64, 32, 3, 3})},
        {"gradient of many tiles, uneven pads",
         convGrad("kernel_shape = [3, 3], pads = [0, 1, 1, 0]", {4, 32, 26, 27}, {4, 48, 27, 28},
                  {32, 48, 3, 3})},
        {"many tiles, padded rows",
         conv("Conv", "pads = [1, 0, 1, 0]", {4, 48, 27, 28}, {32, 48, 3, 3}, 32)},
        {"gradient of many tiles, padded rows",
         convGrad("kernel_shape = [3, 3], pads = [1, 0, 1, 0]", {4, 32, 27, 26}, {4, 48, 27, 28},
                  {32, 48, 3, 3})},
        {"gradient of many tiles, padded columns",
         convGrad("kernel_shape = [3, 3], pads = [0, 1, 0, 1]", {4, 32, 25, 28}, {4, 48, 27, 28},
                  {32, 48, 3, 3})},
        {"gradient of a strided layer",
         convGrad("kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]", {7, 32, 4, 4},
                  {7, 16, 8, 8}, {32, 16, 3, 3})},
        {"the features of one image in parts",
         conv("Conv", "strides = [2, 2], pads = [3, 3, 3, 3]", {1, 3, 64, 64}, {64, 3, 7, 7}, 64)},
        {"the features of two images in parts",
         conv("Conv", "strides = [2, 2], pads = [1, 1, 1, 1]", {2, 64, 28, 28}, {128, 64, 3, 3},
              128)},
        {"the groups of one image in parts",
         conv("Conv", "group = 2, pads = [1, 1, 1, 1]", {1, 64, 28, 28}, {128, 32, 3, 3}, 128)},
        {"gradient of a depthwise layer", convGrad("kernel_shape = [3, 3], group = 24",
                                                   {9, 24, 7, 7}, {9, 24, 9, 9}, {24, 1, 3, 3})},
        {"depthwise in blocks of channels",
         conv("Conv", "group = 32, strides = [2, 2], pads = [2, 2, 2, 2]", {3, 32, 17, 19},
              {32, 1, 5, 5}, 32)},
        {"gradient of a depthwise layer in blocks of channels",
         convGrad("kernel_shape = [5, 5], group = 32, strides = [2, 2], pads = [2, 2, 2, 2]",
                  {3, 32, 9, 10}, {3, 32, 17, 19}, {32, 1, 5, 5})},
        {"transposed depthwise",
         conv("ConvTranspose", "group = 32, strides = [2, 2], pads = [1, 1, 1, 1]", {2, 32, 25, 27},
              {32, 1, 3, 3}, 32)},
        {"pointwise", conv("Conv", "", {3, 24, 33, 35}, {48, 24, 1, 1}, 48)},
        {"gradient of a pointwise layer",
         convGrad("kernel_shape = [1, 1]", {3, 48, 33, 35}, {3, 24, 33, 35}, {48, 24, 1, 1})},
        {"transposed pointwise", conv("ConvTranspose", "", {3, 24, 33, 35}, {24, 48, 1, 1}, 48)},
    };
}

}  // namespace

class ConvTest : public QObject {
    Q_OBJECT

private slots:
    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        QCOMPARE(check(gradientCases(), row), QString());
    }

    void ortsCasesMatchFiniteDifferences_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<int>("row");
        for (const char* op : {"Conv", "ConvTranspose"}) {
            for (int row = 0; row < static_cast<int>(ortShapes().size()); ++row)
                QTest::addRow("%s %d", op, row + 1) << QString(op) << row;
        }
    }
    void ortsCasesMatchFiniteDifferences() {
        QFETCH(QString, op);
        QFETCH(int, row);
        const OpCase opCase = caseOfOrt(op.toStdString(), ortShapes().at(static_cast<size_t>(row)));
        QCOMPARE(QString::fromStdString(checkGradient(opCase)), QString());
    }

    void oneDnnAgreesWithThePlainDefinition_data() {
        QTest::addColumn<int>("row");
        const auto cases = networkCases();
        for (size_t i = 0; i < cases.size(); ++i)
            QTest::newRow(cases[i].first) << static_cast<int>(i);
    }
    void oneDnnAgreesWithThePlainDefinition() {
        QFETCH(int, row);
        OpCase opCase = networkCases().at(static_cast<size_t>(row)).second;
        for (const char* constant : {"", "w"}) {
            if (*constant != '\0') opCase.constants = {constant};
            // Sums of up to 2500 products of numbers up to 1 in float32.
            QCOMPARE(QString::fromStdString(differenceOfPrecisions(opCase, {1e-4, 5e-4})),
                     QString());
            QVERIFY(isIndependentOfThreads(opCase));
        }
    }

    void resultsAreThoseOfOnnxRuntime_data() {
        addOrtRows({"conv_grad", "conv_grad_1d", "conv_grad_3d", "conv_grad_depthwise",
                    "conv_grad_dilations", "conv_grad_groups", "conv_grad_no_bias",
                    "conv_grad_strides", "conv_grad_weights_only"});
    }
    void resultsAreThoseOfOnnxRuntime() {
        QFETCH(QString, name);
        const Outcome outcome = runOrtCase(ortCase(name));
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    // As PyTorch's conv_transpose1d does; ONNX Runtime reads outside its buffers here.
    void anOutputPaddingOfMoreThanAStrideAddsZeros() {
        const OpCase opCase{
            "y = ConvTranspose<strides = [1], dilations = [3], output_padding = [2]>(x, w)",
            {{"x", Tensor::of<float>({1, 1, 3}, {1, 2, 3})},
             {"w", Tensor::of<float>({1, 1, 2}, {10, 1})}}};
        const Tensor expected = Tensor::of<float>({1, 1, 8}, {10, 20, 30, 1, 2, 3, 0, 0});
        QCOMPARE(difference(runOp(opCase).at("y"), expected, {}), std::string());
    }

    void anEmptyBatchGivesAnEmptyResultAndZeroGradients() {
        const OpCase forward = conv("Conv", "", {0, 2, 5, 5}, {3, 2, 3, 3}, 3);
        QCOMPARE(runOp(forward).at("y").shape(), (Shape{0, 3, 3, 3}));
        const OpCase backward =
            convGrad("kernel_shape = [3, 3]", {0, 3, 3, 3}, {0, 2, 5, 5}, {3, 2, 3, 3});
        const Tensor dw = runOp(backward).at("dw");
        for (const float value : dw.values<float>()) QCOMPARE(value, 0.0F);
    }

    void aWindowLargerThanTheImageIsRefused() {
        QVERIFY_THROWS_EXCEPTION(Error, runOp(conv("Conv", "", {1, 2, 2, 5}, {3, 2, 3, 3})));
    }

    void channelsThatDoNotFitAreRefused() {
        QVERIFY_THROWS_EXCEPTION(Error, runOp(conv("Conv", "", {1, 4, 5, 5}, {3, 2, 3, 3})));
        QVERIFY_THROWS_EXCEPTION(Error,
                                 runOp(conv("Conv", "group = 2", {1, 4, 5, 5}, {3, 2, 3, 3})));
    }
};

QTEST_GUILESS_MAIN(ConvTest)
#include "conv_test.moc"
