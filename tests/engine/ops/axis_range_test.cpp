// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>
#include <QTest>
#include <tuple>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/runtime/graph_folding.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Axes that a tensor does not have, in each operator with axes: type inference reports them by
/// name, and neither constant folding nor a kernel reads beyond the shape.
class AxisRangeTest : public QObject {
    Q_OBJECT

private slots:
    void axisOutsideIsRefused_data();
    void axisOutsideIsRefused();
    void tooFewDimensionsAreRefused_data();
    void tooFewDimensionsAreRefused();
};

void AxisRangeTest::axisOutsideIsRefused_data() {
    QTest::addColumn<QString>("node");
    QTest::addColumn<int>("opset");
    const auto row = [](const char* node, int opset = 17) {
        QTest::addRow("%s, opset %d", node, opset) << QString(node) << opset;
    };
    row("y = Slice(x, zero, one, AXIS)");
    row("y = Slice<starts = [0], ends = [1], axes = [A]>(x)", 9);
    row("y = Softmax<axis = A>(x)");
    row("y = LogSoftmax<axis = A>(x)");
    row("y = Hardmax<axis = A>(x)");
    row("y = Concat<axis = A>(x, x)");
    row("y = Split<axis = A>(x)");
    row("y = Split<axis = A, num_outputs = 1>(x)", 18);
    row("y = Gather<axis = A>(x, zero)");
    row("y = GatherElements<axis = A>(x, zero)");
    row("y = ScatterElements<axis = A>(x, zero, x)");
    row("y = Transpose<perm = [A]>(x)");
    row("y = Flatten<axis = OVER>(x)");
    row("y = Squeeze(x, AXIS)");
    row("y = Squeeze<axes = [A]>(x)", 11);
    row("y = Unsqueeze(x, BEYOND)");
    row("y = ReduceSum(x, AXIS)");
    row("y = ReduceMean<axes = [A]>(x)");
    row("y = ReduceMean(x, AXIS)", 18);
    row("y = ReduceMax<axes = [A]>(x)");
    row("y = ReduceL2<axes = [A]>(x)");
    row("y = ArgMax<axis = A>(x)");
    row("y = ArgMin<axis = A>(x)");
    row("y, count = TopK<axis = A>(x, one)");
    row("y = CumSum(x, AXIS)");
    row("y = Compress<axis = A>(x, true)");
    row("y = Unique<axis = A>(x)");
    row("y = OneHot<axis = OVER>(zero, one, x)");
    row("y = LayerNormalization<axis = A>(x, x)");
    row("y = LpNormalization<axis = A>(x)");
    row("y = MeanVarianceNormalization<axes = [A]>(x)");
    row("y = Pad(x, widths, x, AXIS)", 18);
    row("y = CenterCropPad<axes = [A]>(x, one)", 18);
    row("y = QuantizeLinear<axis = A>(x, scales)");
    row("y = DequantizeLinear<axis = A>(q, scales)");
    row("y = Resize<axes = [A]>(x, \"\", scales)", 18);
    row("y = DFT<axis = A>(x)");
    row("y = ReverseSequence<time_axis = A, batch_axis = 0>(x, one)");
    row("y = com.microsoft.ConcatTraining<axis = A>(x, x)");
}

void AxisRangeTest::axisOutsideIsRefused() {
    QFETCH(QString, node);
    QFETCH(int, opset);
    for (const auto& [shape, values, axis] :
         {std::tuple("", "1", "0"), std::tuple("", "1", "-1"), std::tuple("[2]", "1, 2", "1"),
          std::tuple("[2]", "1, 2", "-2"), std::tuple("[2]", "1, 2", "9223372036854775807"),
          std::tuple("[2]", "1, 2", "-9223372036854775808")}) {
        QString line = node;
        line.replace("AXIS", "axis").replace("OVER", "7").replace("BEYOND", "beyond");
        line.replace(QRegularExpression("\\bA\\b"), axis);
        const QString text =
            QString(
                "<ir_version: 8, opset_import: [\"\": %1, \"com.microsoft\": 1]> "
                "g () => (z) <float%2 x = {%3}, int64[1] zero = {0}, int64[1] one = {1}, "
                "int64[1] axis = {%4}, int64[1] beyond = {7}, int64[2] widths = {0, 0}, "
                "float[3] scales = {1, 1, 1}, uint8%2 q = {%3}, bool[1] true = {1}> "
                "{ %5 z = Identity(y) }")
                .arg(opset)
                .arg(shape, values, axis, line);
        const auto graph = parseText(text.toStdString());
        const std::vector<Finding> findings = inferTypes(*graph, ops().catalog);
        const bool isRefused = hasErrors(findings);
        foldKnownValues(*graph, ops().catalog, ops().cpuKernels);
        const bool isFolded = graph->at("y")->isInitializer();
        QVERIFY2(isRefused && !isFolded, qPrintable(text + (isFolded ? ": folded" : ": accepted")));
        QCOMPARE(findings.front().code, std::string("T002"));
    }
}

void AxisRangeTest::tooFewDimensionsAreRefused_data() {
    QTest::addColumn<QString>("node");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* node, const char* message) {
        QTest::newRow(node) << QString(node) << QString(message);
    };
    row("y = com.microsoft.BiasSplitGelu(x, x)", "expected a tensor to split in two");
    row("y = com.microsoft.PadAndUnflatten(x, one, widths)", "The data is a scalar");
    row("y = Multinomial(x)", "expected rank 2");
    row("y = SoftmaxCrossEntropyLoss(v, labels, v)", "expected [batch, classes, ...]");
    row("y = ImageScaler<bias = [1.0]>(x)", "expected rank 4");
    row("y = MaxPool<auto_pad = \"SAME_UPPER\", kernel_shape = [2147483648]>(image)",
        "holds 2147483648 for a dimension of size 2");
    row("y = com.microsoft.ConvGrad(v, x, x)", "expected [batch, channels, spatial...]");
    row("y = LRN<size = 3>(v)", "expected [batch, channels, ...]");
    row("y = MaxUnpool<kernel_shape = [2]>(v, places, widths)",
        "expected [batch, channels, spatial...]");
    row("y = Resize(v, \"\", \"\", negative)", "holds -2; expected sizes of 0 or more");
    row("y = HannWindow(widths)", "has 2 elements; expected one number");
    row("y = NonMaxSuppression(places, image)", "expected float32");
    row("y = Compress(v, one)", "expected bool");
    row("y = InstanceNormalization(v, one_of, one_of)", "expected rank 2 or more");
    row("y = GroupNormalization<num_groups = 1>(v, one_of, one_of)", "expected rank 2 or more");
    row("y = BatchNormalization(x, one_of, one_of, one_of, one_of)", "expected rank 1 or more");
    row("y = Resize(v, \"\", one_of, one)", "Both 'scales' and 'sizes' are given");
    row("y = Resize(v, \"\", yes)", "expected a floating-point type");
    row("y = Resize(v, \"\", \"\", one_of)", "expected int32 or int64");
    row("y = Pad(v, far)", "Pad has the width -9223372036854775808");
    row("y = RoiAlign<sampling_ratio = 1000000>(picture, regions, one)", "expected at most 256");
}

void AxisRangeTest::tooFewDimensionsAreRefused() {
    QFETCH(QString, node);
    QFETCH(QString, message);
    const auto graph = parseText(
        ("<ir_version: 8, opset_import: [\"\": 17, \"com.microsoft\": 1]> "
         "g (int64[n] labels) => (y) <float x = {1}, float[2] v = {1, 2}, int64[1] one = {0}, "
         "float[1] one_of = {1}, bool[1] yes = {1}, int64[2] widths = {1, 1}, "
         "int64[2] far = {-9223372036854775808, 0}, int64[2] places = "
         "{0, 1}, int64[1] negative = {-2}, float[1, "
         "1, 2] image = {1, 2}, float[1, 4] regions = {0, 0, 1, 1}, float[1, 1, 1, 2] "
         "picture = {1, 2}> { " +
         node + " }")
            .toStdString());
    const std::vector<Finding> findings = inferTypes(*graph, ops().catalog);
    QVERIFY2(hasErrors(findings), "it is accepted");
    QVERIFY2(findings.front().message.find(message.toStdString()) != std::string::npos,
             findings.front().message.c_str());
}

}  // namespace temper::test

QTEST_APPLESS_MAIN(temper::test::AxisRangeTest)
#include "axis_range_test.moc"
