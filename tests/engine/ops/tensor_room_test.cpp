// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <QTest>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/runtime/execution_plan.h"
#include "engine/runtime/graph_folding.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Numbers in a model determine the size of its tensors. A tensor that does not fit is refused by
/// its node, with its size and the limit, before memory or time is spent on it.
class TensorRoomTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void whatDoesNotFitIsRefused_data();
    void whatDoesNotFitIsRefused();
    void whatFitsIsTaken();
};

/// Like `ulimit -m`: the machine has more.
void TensorRoomTest::initTestCase() {
    rlimit limit{};
    getrlimit(RLIMIT_RSS, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 1 << 30);
    QCOMPARE(setrlimit(RLIMIT_RSS, &limit), 0);
}

void TensorRoomTest::whatDoesNotFitIsRefused_data() {
    QTest::addColumn<QString>("node");
    QTest::addColumn<int>("opset");
    const auto row = [](const char* node, int opset = 17) {
        QTest::addRow("%s", node) << QString(node) << opset;
    };
    row("y = Resize(x, \"\", \"\", sizes)");
    row("y = Resize<mode = \"cubic\">(x, \"\", \"\", sizes)");
    row("y = Resize<mode = \"linear\">(x, \"\", scales)");
    row("y = Upsample(x, scales)", 9);
    row("y = Tile(x, sizes)");
    row("y = Expand(onef, sizes)");
    row("y = ConstantOfShape(sizes)");
    row("y = Range(zero, long, one)");
    row("y = Range(zerof, longf, onef)");
    row("y = Pad(x, widths)");
    row("y = Pad<mode = \"wrap\">(x, widths)", 19);
    row("y = OneHot(indices, large, two)");
    row("y = OneHot(indices, largef, two)");
    row("y = RandomNormal<shape = [1, 4294967296]>()");
    row("y = RandomUniform<shape = [65536, 65536]>()");
    row("y = HannWindow(large)");
    row("y = MelWeightMatrix(large, eight, eight, zerof, onef)");
    row("y = MatMul(column, line)");
    row("y = Add(column, line)");
    row("y = Einsum<equation = \"ij,kl->ijkl\">(column, line)");
    row("y = Gather(line, many)");
    row("y = CenterCropPad(x, sizes)", 18);
    row("y = ConvTranspose<strides = [1, 2000000000]>(x, x)");
    row("y = ConvTranspose<output_padding = [0, 2000000000], strides = [1, 2000000001]>(x, x)");
    row("y = MaxUnpool<kernel_shape = [1, 1]>(x, places, sizes)");
    row("y = AffineGrid(theta, grid)", 20);
    row("y = DFT(signal, large)");
    row("y = RoiAlign<output_height = 65536, output_width = 65536>(x, regions, numbers)");
    row("y = MaxRoiPool<pooled_shape = [65536, 65536]>(x, boxes)");
}

static std::string refusalOfPlan(const Graph& graph) {
    try {
        ExecutionPlan::compile(graph, {}, ops().catalog, ops().cpuKernels);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

void TensorRoomTest::whatDoesNotFitIsRefused() {
    QFETCH(QString, node);
    QFETCH(int, opset);
    const QString text =
        QString(
            "<ir_version: 8, opset_import: [\"\": %1]> g () => (z) <"
            "float[1, 1, 2, 2] x = {1, 2, 3, 4}, int64[4] sizes = {1, 1, 2, 4294967296}, "
            "float[4] scales = {1.0, 1.0, 1.0, 1e9}, int64 zero = {0}, int64 one = {1}, "
            "int64 eight = {8}, int64 long = {2000000000}, float longf = {2000000000.0}, "
            "int64 large = {4294967296}, float zerof = {0.0}, "
            "float onef = {1.0}, float largef = {4294967296.0}, "
            "int64[8] widths = {0, 0, 0, 0, 0, 0, 0, 4294967296}, int64[2] indices = {0, 1}, "
            "float[2] two = {0.0, 1.0}, int64[1, 1, 2, 2] places = {0, 1, 2, 3}, "
            "float[1, 2, 3] theta = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0}, "
            "int64[4] grid = {1, 1, 65536, 65536}, float[1, 2, 1] signal = {1.0, 2.0}, "
            "float[1, 4] regions = {0.0, 0.0, 1.0, 1.0}, int64[1] numbers = {0}, "
            "float[1, 5] boxes = {0.0, 0.0, 0.0, 1.0, 1.0}, "
            "int64[2] tall = {65536, 1}, int64[2] wide = {1, 65536}> "
            "{ column = Expand(zerof, tall) line = Expand(zerof, wide) "
            "  many = Expand(zero, tall) %2 z = Identity(y) }")
            .arg(opset)
            .arg(node);
    const auto graph = parseText(text.toStdString());
    const std::string expected = "this process can use 1.074e+09";
    const std::string refused = refusalOfPlan(*graph);
    QVERIFY2(refused.find(expected) != std::string::npos, refused.c_str());
    QVERIFY2(refused.find("'y' (") != std::string::npos, refused.c_str());
    const std::vector<Finding> findings = inferTypes(*graph, ops().catalog);
    QVERIFY2(hasErrors(findings), qPrintable(text));
    QCOMPARE(findings.front().code, std::string("T002"));
    QVERIFY2(findings.front().message.find(expected) != std::string::npos,
             findings.front().message.c_str());
    foldKnownValues(*graph, ops().catalog, ops().cpuKernels);
    QVERIFY(!graph->at("y")->isInitializer());
}

void TensorRoomTest::whatFitsIsTaken() {
    const auto graph = parseText(
        "<ir_version: 8, opset_import: [\"\": 17]> g (float[1, 1024] x) => (y) "
        "<int64[2] repeats = {1024, 64}> { y = Tile(x, repeats) }");
    QVERIFY(inferTypes(*graph, ops().catalog).empty());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::TensorRoomTest)
#include "tensor_room_test.moc"
