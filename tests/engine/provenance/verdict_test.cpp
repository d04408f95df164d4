// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/provenance/computed_weights.h"
#include "engine/provenance/folded_away.h"
#include "engine/provenance/reasons.h"
#include "engine/provenance/verdict.h"
#include "tests/engine/provenance/exported_model.h"
#include "tests/support/standard_catalog.h"

using namespace temper;
using namespace temper::test;

static bool isForTranslators(const std::string& reason) {
    return std::ranges::find(reasons::kAll, reason) != std::end(reasons::kAll);
}

/// "w: parameter", "mean: buffer (a buffer of the exported module)", ..., one a line.
static QString verdictsOn(const Graph& graph) {
    const Evidence evidence(graph);
    QStringList lines;
    for (const Value* value : graph.initializers()) {
        if (!isFloating(value->type().dtype)) continue;
        const Verdict verdict = judge(graph, *value, evidence, standardCatalog());
        const char* role = verdict.role == TensorRole::Parameter ? "parameter"
                           : verdict.role == TensorRole::Buffer  ? "buffer"
                                                                 : "constant";
        std::string line = value->name() + ": " + role;
        if (!verdict.reason.empty()) line += " (" + verdict.reason + ")";
        if (!verdict.reason.empty() && !isForTranslators(verdict.reason)) line += ", not listed";
        for (const std::string& name : verdict.parameters) line += " " + name;
        lines << QString::fromStdString(line);
    }
    return lines.join('\n');
}

/// Which initializers are parameters, by the exporter's metadata and without.
class VerdictTest : public QObject {
    Q_OBJECT

private slots:
    void theExporterDecides();
    void aFoldedNormIsFoundByTheOperationAndNamed();
    void withoutMetadataNameNumbersAndUseDecide_data();
    void withoutMetadataNameNumbersAndUseDecide();
    void nonFiniteNumbersAreNotAGrid();
    void encodedPositionsAreConstant_data();
    void encodedPositionsAreConstant();
    void damagedMetadataAreRead_data();
    void damagedMetadataAreRead();
    void whatWasComputedAwayIsNamed();
    void rowsOfATableAreNotComputed();
    void withoutMetadataNamesOfOperationsDecide_data();
    void withoutMetadataNamesOfOperationsDecide();
    void missingMetadataIsReported_data();
    void missingMetadataIsReported();
};

void VerdictTest::theExporterDecides() {
    const auto graph = exportedModel(
        R"(g (float[N, 2] x) => (y) <
            float[2] fc.bias = {1, 2}, float[2] mean = {1, 2}, float[2, 2] val_1 = {1, 2, 3, 4},
            float val_2 = {2}, float[2] val_3 = {1, 1}, float gain = {3}>
        { a = Sub(x, mean) b = MatMul(a, val_1) c = Add(b, fc.bias) d = Pow(c, val_2)
          e = Mul(d, val_3) y = Mul(e, gain) })",
        "p_fc_weight: PARAMETER target='fc.weight'\np_fc_bias: PARAMETER target='fc.bias'\n"
        "p_gain: PARAMETER target='gain'\nb_mean: BUFFER target='mean' persistent=True\n"
        "x: USER_INPUT\n",
        {{"fc.bias", "PARAMETER"}, {"mean", "BUFFER"}, {"gain", "PARAMETER"}},
        {{"val_1", "['fc.weight']"}, {"val_3", "['val_7', \"val_8\"]"}},
        {{"d", "pow.Tensor_Scalar](args = (%c, 2)"}});
    QCOMPARE(verdictsOn(*graph),
             QString("fc.bias: parameter (a parameter of the exported module) fc.bias\n"
                     "mean: buffer (a buffer of the exported module)\n"
                     "val_1: parameter (made from parameters by the exporter) fc.weight\n"
                     "val_2: constant (a constant of the exporter)\n"
                     "val_3: constant (a constant of the exporter)\n"
                     "gain: parameter (a parameter of the exported module) gain"));
}

/// As in conformance/dynamo/conv_bn: neither tensor has its own metadata.
void VerdictTest::aFoldedNormIsFoundByTheOperationAndNamed() {
    const auto graph = exportedModel(
        R"(g (float[N, 1, 4] x) => (y) <
            float[1, 1, 1] conv.weight = {3}, float[1] conv.weight_bias = {1}>
        { y = Conv(x, conv.weight, conv.weight_bias) })",
        "p_w: PARAMETER target='conv.weight'\np_bn_w: PARAMETER target='bn.weight'\n"
        "p_bn_b: PARAMETER target='bn.bias'\nb_bn_m: BUFFER target='bn.running_mean'\n",
        {}, {}, {{"y", "batch_norm](args = (%conv1d, %p_bn_w, %p_bn_b, %b_bn_m, 0.1)"}});
    QCOMPARE(verdictsOn(*graph),
             QString("conv.weight: parameter (a parameter of the exported module) conv.weight\n"
                     "conv.weight_bias: parameter (made from parameters by the exporter)"));
    const auto findings = findFoldedAway(*graph, standardCatalog());
    QCOMPARE(findings.size(), size_t{1});
    QCOMPARE(findings[0].code, std::string("S003"));
    QVERIFY(findings[0].message.find("'bn.weight', 'bn.bias'") != std::string::npos);
    QVERIFY(findings[0].hint.find("optimize=False") != std::string::npos);
}

void VerdictTest::withoutMetadataNameNumbersAndUseDecide_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto add = [](const char* row, const char* text, const char* expected) {
        QTest::newRow(row) << text << expected;
    };
    add("the exponent of a square",
        "g (float[N, 2] x) => (y) <float val_0 = {2}> { y = Pow(x, val_0) }",
        "val_0: constant (the exponent of a power)");
    add("an exponent of several numbers",
        "g (float[N, 2] x) => (y) <float[2] p = {2, 3}> { y = Pow(x, p) }", "p: parameter");
    add("a comparison", "g (float[N, 2] x) => (y) <float[2] w = {2, 1}> { y = Less(x, w) }",
        "w: constant (a bound of a comparison)");
    add("an epsilon before a root",
        "g (float[N, 2] x) => (y) <float e = {0.00001}> { a = Add(x, e) y = Sqrt(a) }",
        "e: constant (an epsilon)");
    add("bounds", "g (float[N, 2] x) => (y) <float a = {0}, float b = {6}> { y = Clip(x, a, b) }",
        "a: constant (a bound)\nb: constant (a bound)");
    add("a number to fill in",
        "g (bool[N] c, float[N] x) => (y) <float a = {5}> { y = Where(c, a, x) }",
        "a: constant (a number to fill in)");
    add("a mask",
        "g (float[2] x) => (y) <float[2] m.weight = {0, -10000}> { y = Add(x, m.weight) }",
        "m.weight: constant (a mask)");
    add("the numbers of a one-hot vector",
        "g (int64[N] x, int64 d) => (y) <float[2] smooth = {0.1, 0.9}> { y = OneHot(x, d, smooth) "
        "}",
        "smooth: constant (a number to fill in)");
    add("start and step of a range",
        "g (float x) => (y) <float start = {0.5}, float step = {0.25}> { y = Range(start, x, step) "
        "}",
        "start: constant (a bound)\nstep: constant (a bound)");
    add("zeros to write into",
        "g (int64[1, 2] i, float[1, 2] x) => (y) <float[3, 2] val_15 = {0, 0, 0, 0, 0, 0}>"
        " { y = ScatterElements(val_15, i, x) }",
        "val_15: constant (zeros to write into)");
    add("a table to write into",
        "g (int64[1, 2] i, float[1, 2] x) => (y) <float[2, 2] table = {1, 2, 3, 4}>"
        " { y = ScatterElements(table, i, x) }",
        "table: parameter");
    add("the state that a Scan begins with",
        "g (float[N, 2] x) => (y) <float[2] s = {0, 0}, float[2] t = {1, 2}>"
        " { y, z = Scan<num_scan_inputs = 1, body = b (a, c, xt) => (an, cn)"
        " { an = Add(a, xt) cn = Mul(c, xt) }>(s, t, x) }",
        "s: constant (a state of zeros)\nt: parameter");
    add("a window of a Fourier transform",
        "g (float[1, 8, 1] x) => (y) <float[4] val_32 = {0, 0.5, 1, 0.5}>"
        " { s = Constant<value = int64 {2}>() y = STFT(x, s, val_32) }",
        "val_32: constant (a window)");
    add("angles of rotated positions",
        "g (float[1, 2, 3, 4] x) => (y) <float[3, 2] c = {1, 1, 0.5, 0.9, -0.4, 0.8},"
        " float[1, 3, 2] s = {0, 0, 0.8, 0.1, 0.9, 0.2}> { n = Constant<value = int64[3] {1, 3, "
        "2}>()"
        " d = Reshape(c, n) e = Expand(s, n) y = RotaryEmbedding(x, d, e) }",
        "c: constant (a table of sines and cosines)\ns: constant (a table of sines and cosines)");
    add("a triangle of ones",
        "g (float[2, 2] x) => (y) <float[2, 2] val_19 = {1, 1, 1, 1}>"
        " { a = Trilu(val_19) y = Mul(x, a) }",
        "val_19: constant (a mask)");
    add("a name of what fills a tensor",
        "g (float[N, 2] x) => (y) <float[2] zeros_1 = {0, 0}, float[2] zeros_b = {0, 0},"
        " float[2] full = {1.5, 2}> { a = Add(x, zeros_1) b = Add(a, zeros_b) y = Mul(b, full) }",
        "zeros_1: constant (filled with one number)\nzeros_b: parameter\n"
        "full: parameter");
    add("counts of what a window covers, and a kernel of whole numbers",
        "g (float[N, 1, 4] x) => (y) <float[4] convert_element_type_default = {12, 12, 16, 12},"
        " float[4] counts = {12, 12, 16, 12}, float[4] exp = {1, 2, 3, 4},"
        " float[1, 1, 1] view_2 = {3}, float[4, 2] val_1 = {1, 0, 0, 1, 1, 0, 0, 1}>"
        " { r = Relu(x) a = Div(r, convert_element_type_default) b = Div(a, counts) c = Mul(b, exp)"
        " d = Conv(c, view_2) y = MatMul(d, val_1) }",
        "convert_element_type_default: constant (whole numbers)\ncounts: parameter\n"
        "exp: parameter\nview_2: parameter\nval_1: parameter");
    add("coordinates of places, and numbers that have no order",
        "g (float[N, 4, 2] x) => (y) <float[4, 2] view_4 = {-0.75, 1, -0.25, 1, 0.25, 1, 0.75, 1},"
        " float[4, 2] view_5 = {-0.75, 1, -0.25, 1, 0.2, 1, 0.75, 1},"
        " float[4, 1] view_6 = {0.1, 0.2, 0.3, 0.4}>"
        " { a = Mul(x, view_4) b = Mul(a, view_5) y = Mul(b, view_6) }",
        "view_4: constant (a grid of coordinates)\nview_5: parameter\n"
        "view_6: constant (a grid of coordinates)");
    add("an argument of a function that was written into the graph",
        "g (float[N, 2] x) => (y) <float weight_0 = {0.25}, float weight_1 = {0.25}>"
        " { tmp_1 = Mul(weight_0, x) b = Mul(weight_1, tmp_1) y = Add(b, x) }",
        "weight_0: constant (an argument of a function)\nweight_1: parameter");
    add("sines and cosines",
        "g (float[1, 2] x, float[1, 2] z) => (y) <float[1, 2] val_1 = {1, 0.6},"
        " float[1, 2] val_2 = {0, 0.8}> { a = Mul(x, val_1) b = Mul(z, val_2) y = Add(a, b) }",
        "val_1: constant (a table of sines and cosines)\n"
        "val_2: constant (a table of sines and cosines)");
    add("an expanded state of zeros",
        "g (float[3, N, 2] x, int64[3] s) => (y) <float val_2 = {0}, float[1, 4, 2] W = {1, 2, 3, "
        "4, 5, 6, 7, 8}, "
        "float[1, 4, 1] R = {1, 2, 3, 4}> { h = Expand(val_2, s) y = LSTM<hidden_size = 1>(x, W, "
        "R, , , h, h) }",
        "val_2: constant (a state of zeros)\nW: parameter\nR: parameter");
    add("ones and zeros of a group norm",
        "g (float[N, 4, 2] x, int64[3] s) => (y) <float[2] val_9 = {1, 1}, float[2] val_12 = {0, "
        "0}>"
        " { a = Reshape(x, s) y = InstanceNormalization(a, val_9, val_12) }",
        "val_9: constant (part of a group normalization)\n"
        "val_12: constant (part of a group normalization)");
    add("an instance norm",
        "g (float[N, 2, 4] x) => (y) <float[2] s = {1, 1}, float[2] b = {0, 0}>"
        " { y = InstanceNormalization(x, s, b) }",
        "s: parameter\nb: parameter");
    add("mean and deviation of an image",
        "g (uint8[N, 2] x) => (y) <float[2] mean = {1, 2}, float[2] std = {3, 4}>"
        " { a = Cast<to = 1>(x) b = Sub(a, mean) y = Div(b, std) }",
        "mean: constant (normalizes an input)\nstd: constant (normalizes an input)");
    add("numbers, and their names",
        "g (float[N, 2] x) => (y) <float val_3 = {4}, float logit_scale = {4}, float a.gain = {2},"
        " float[1] \"onnx::PRelu_1\" = {1}> { a = Mul(x, val_3) b = Mul(a, logit_scale)"
        " c = PRelu(b, \"onnx::PRelu_1\") y = Mul(c, a.gain) }",
        "val_3: constant (a number without a name)\nlogit_scale: parameter\na.gain: parameter\n"
        "onnx::PRelu_1: parameter");
    add("a number of tf2onnx, and its weight",
        "g (float[N, 1] x) => (y) <float \"m/act/mul/y:0\" = {4},"
        " float[1, 1] \"m/dense/MatMul/ReadVariableOp:0\" = {2}>"
        " { a = Mul(x, \"m/act/mul/y:0\") y = MatMul(a, \"m/dense/MatMul/ReadVariableOp:0\") }",
        "m/act/mul/y:0: constant (a number without a name)\n"
        "m/dense/MatMul/ReadVariableOp:0: parameter");
    add("one number that a product reads",
        "g (float[N, 1] x) => (y) <float[1, 1] val_3 = {4}> { y = MatMul(x, val_3) }",
        "val_3: parameter");
}

void VerdictTest::withoutMetadataNameNumbersAndUseDecide() {
    QFETCH(QString, text);
    QTEST(verdictsOn(*parseText(text.toStdString())), "expected");
}

void VerdictTest::nonFiniteNumbersAreNotAGrid() {
    for (const float odd :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        Graph graph;
        Value* x = graph.addInput("x", {DType::Float32, symbolicShape({4})});
        const std::vector<float> numbers{0.25F, 0.5F, odd, 1};
        Value* grid =
            graph.addInitializer("view_4", Tensor::of<float>({4}, std::span<const float>(numbers)));
        graph.addOutput(graph.addNode({"Mul", {x, grid}, {"y"}})->output(0));
        QCOMPARE(verdictsOn(graph), QString("view_4: parameter"));
    }
}

void VerdictTest::encodedPositionsAreConstant_data() {
    QTest::addColumn<float>("scale");
    QTest::addColumn<float>("shift");
    QTest::addColumn<bool>("inHalves");
    QTest::addColumn<bool>("isTrained");
    QTest::newRow("interleaved") << 1.0F << 0.0F << false << false;
    QTest::newRow("in halves") << 1.0F << 0.0F << true << false;
    QTest::newRow("normalized") << 0.125F << -0.05F << false << false;
    QTest::newRow("normalized, in halves") << 0.125F << -0.05F << true << false;
    QTest::newRow("one number was trained") << 0.125F << -0.05F << false << true;
}

/// Without the position 0, whose sines and cosines are all the same.
void VerdictTest::encodedPositionsAreConstant() {
    QFETCH(float, scale);
    QFETCH(float, shift);
    QFETCH(bool, inHalves);
    QFETCH(bool, isTrained);
    std::vector<float> numbers(6 * 8);
    for (size_t place = 0; place < 6; ++place) {
        for (size_t k = 0; k < 4; ++k) {
            const double angle =
                static_cast<double>(place + 1) / std::pow(10, static_cast<double>(k));
            const size_t first = place * 8 + (inHalves ? k : 2 * k);
            numbers[first] = scale * static_cast<float>(std::sin(angle)) + shift;
            numbers[first + (inHalves ? 4 : 1)] =
                scale * static_cast<float>(std::cos(angle)) + shift;
        }
    }
    if (isTrained) numbers[40] += 0.01F;
    Graph graph;
    Value* x = graph.addInput("x", {DType::Float32, symbolicShape({6, 8})});
    Value* table = graph.addInitializer("positions.weight",
                                        Tensor::of<float>({6, 8}, std::span<const float>(numbers)));
    graph.addOutput(graph.addNode({"Add", {x, table}, {"y"}})->output(0));
    QCOMPARE(verdictsOn(graph),
             isTrained ? QString("positions.weight: parameter")
                       : QString("positions.weight: constant (a table of sines and cosines)"));
}

void VerdictTest::damagedMetadataAreRead_data() {
    QTest::addColumn<QString>("signature");
    QTest::addColumn<QString>("sources");
    QTest::addColumn<QString>("operation");
    QTest::newRow("nothing") << ""
                             << ""
                             << "";
    QTest::newRow("an open quote") << "p: PARAMETER target='w"
                                   << "['w"
                                   << "t](args = (%";
    QTest::newRow("an open escape") << "p: PARAMETER target='w\\"
                                    << "['\\"
                                    << "t](args = (%p";
    QTest::newRow("no names") << ": PARAMETER target=\np: PARAMETER target="
                              << "['']"
                              << "[target=";
    QTest::newRow("other words") << "a b: c: d\n\x01\xff: PARAMETER"
                                 << "None"
                                 << "%%%";
}

/// Whatever the texts are, each tensor gets a verdict.
void VerdictTest::damagedMetadataAreRead() {
    QFETCH(QString, signature);
    QFETCH(QString, sources);
    QFETCH(QString, operation);
    const auto graph = exportedModel(
        "g (float[N, 2] x) => (y) <float[2, 2] w = {1, 2, 3, 4}> { y = MatMul(x, w) }",
        signature.toStdString(), {}, {{"w", sources.toStdString()}},
        {{"y", operation.toStdString()}});
    QVERIFY(verdictsOn(*graph).startsWith("w: "));
    findFoldedAway(*graph, standardCatalog());
}

void VerdictTest::whatWasComputedAwayIsNamed() {
    const auto graph = exportedModel(
        "g (float[N, 2] x) => (y) <float[2] add_1 = {1, 2}, float[2] add_1_2 = {1, 2},"
        " float[2, 2] val_1 = {1, 2, 3, 4}>"
        " { a = Mul(x, add_1) b = Mul(a, add_1_2) y = MatMul(b, val_1) }",
        "p_n: PARAMETER target='norm.weight'\np_m: PARAMETER target='next.weight'\n"
        "p_w: PARAMETER target='fc.weight'\np_u: PARAMETER target='unused.weight'\n",
        {},
        {{"add_1", "['norm.weight', 'val_0']"},
         {"add_1_2", "['val_0', 'next.weight']"},
         {"val_1", "['fc.weight']"}},
        {});
    const auto findings = findFoldedAway(*graph, standardCatalog());
    QCOMPARE(findings.size(), size_t{2});
    QVERIFY(findings[0].message.find("'norm.weight' went into 'add_1'; 'next.weight' went into "
                                     "'add_1_2'") != std::string::npos);
    QVERIFY(findings[0].message.find("fc.weight") == std::string::npos);
    QVERIFY(findings[1].message.find("1 parameter of the module: 'unused.weight'") !=
            std::string::npos);
}

void VerdictTest::rowsOfATableAreNotComputed() {
    const auto graph = exportedModel(
        "g (float[1, 2, 2] x) => (y) <float[1, 2, 2] embedding_2 = {1, 2, 3, 4}>"
        " { y = Add(x, embedding_2) }",
        "p_w: PARAMETER target='positions.weight'\nb_i: BUFFER target='ids'\n", {},
        {{"embedding_2", "['positions.weight', 'ids', 'val_1']"}}, {});
    const auto findings = findFoldedAway(*graph, standardCatalog());
    QCOMPARE(findings.size(), size_t{1});
    QVERIFY(findings[0].message.find("'positions.weight' went into 'embedding_2'") !=
            std::string::npos);
    QVERIFY(findings[0].hint.starts_with("These tensors train as the tables do."));
}

void VerdictTest::withoutMetadataNamesOfOperationsDecide_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("computed");
    const auto add = [](const char* row, const char* tensors, const char* nodes,
                        const char* computed) {
        QTest::newRow(row) << QString("g (float[N, 2] x) => (y) <%1> {%2}").arg(tensors, nodes)
                           << computed;
    };
    const char* kProduct = "a = Gemm<transB = 1>(x, div, fc.bias) y = Mul(a, exp_1)";
    add("operations",
        "float[2, 2] div = {1, 2, 3, 4}, float[2] fc.bias = {1, 2}, float[2] exp_1 = {1, 2}",
        kProduct, "div exp_1");
    add("a model without paths of modules",
        "float[2, 2] div = {1, 2, 3, 4}, float[2] bias = {1, 2}, float[2] exp_1 = {1, 2}",
        "a = Gemm<transB = 1>(x, div, bias) y = Mul(a, exp_1)", "");
    add("layers that tools merged",
        "float[2] fc.bias = {1, 2}, float[2] mul_9_bias = {1, 2}, float[2] view_1_bias_fused = {1, "
        "2},"
        " float[2] conv_9_bias = {1, 2}",
        "a = Add(x, fc.bias) b = Add(a, mul_9_bias) c = Add(b, view_1_bias_fused)"
        " y = Add(c, conv_9_bias)",
        "mul_9_bias view_1_bias_fused");
    add("a weight in another shape, and a kernel",
        "float[2] fc.bias = {1, 2}, float[1, 2] view = {1, 2}, float[2, 1, 1] view_3 = {1, 2}",
        "a = Add(x, fc.bias) b = Mul(a, view) c = Reshape(b, s) y = Conv(c, view_3)", "view_3");
    add("a part of a tensor",
        "float[2] fc.bias = {1, 2}, float[1, 2] slice_2 = {1, 2}, float[2] sliced = {1, 2}",
        "a = Add(x, fc.bias) b = Add(a, slice_2) y = Mul(b, sliced)", "slice_2");
    add("a transposed weight, and a stack of matrices",
        "float[2] fc.bias = {1, 2}, float[2, 2] val_1 = {1, 2, 3, 4},"
        " float[1, 2, 2] val_2 = {1, 2, 3, 4}",
        "a = Add(x, fc.bias) b = MatMul(a, val_1) y = MatMul(b, val_2)", "val_2");
}

void VerdictTest::withoutMetadataNamesOfOperationsDecide() {
    QFETCH(QString, text);
    QFETCH(QString, computed);
    auto graph = parseText(text.replace("c = Reshape(b, s)",
                                        "s = Constant<value = int64[3] {1, 1, -1}>()"
                                        " c = Reshape(b, s)")
                               .toStdString());
    const std::vector<std::string> trainable = namesOf(graph->initializers());
    QStringList names;
    for (const Finding& finding : findComputedWeights(*graph, trainable)) {
        QCOMPARE(finding.code, std::string("S003"));
        if (finding.parameters.empty()) continue;  // metadata is missing
        QVERIFY(finding.hint.find("optimize=False") != std::string::npos);
        for (const std::string& name : finding.parameters) {
            QVERIFY(finding.message.find("'" + name + "'") != std::string::npos);
            names << QString::fromStdString(name);
        }
    }
    QCOMPARE(names.join(' '), computed);
    graph->setMetadata(
        {{"pkg.torch.export.ExportedProgram.graph_signature", "p: PARAMETER target='fc.bias'"}});
    QVERIFY(findComputedWeights(*graph, trainable).empty());
}

void VerdictTest::missingMetadataIsReported_data() {
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<bool>("isReported");
    QTest::newRow("PyTorch's exporter") << "val_12" << true;
    QTest::newRow("its predecessor") << "onnx_MatMul_12" << false;
    QTest::newRow("by hand") << "value_12" << false;
}

void VerdictTest::missingMetadataIsReported() {
    QFETCH(QString, tensor);
    QFETCH(bool, isReported);
    auto graph = parseText(QString("g (float[N, 2] x) => (y) <float[2] fc.bias = {1, 2}, float[2, "
                                   "2] %1 = {1, 2, 3, 4}> {a = Add(x, fc.bias) y = MatMul(a, %1)}")
                               .arg(tensor)
                               .toStdString());
    const std::vector<Finding> findings =
        findComputedWeights(*graph, namesOf(graph->initializers()));
    QCOMPARE(findings.size(), size_t(isReported));
    for (const Finding& finding : findings)
        QVERIFY(finding.message.find("metadata of PyTorch's exporter") != std::string::npos);
}

QTEST_APPLESS_MAIN(VerdictTest)
#include "verdict_test.moc"
