// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/blocks.h"

#include <QTest>
#include <filesystem>

#include "engine/ir/block_pattern.h"
#include "engine/ir/block_table.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/support/standard_catalog.h"

using namespace temper;

/// "GELU 2, LayerNorm 1".
static QString countsOf(const Graph& graph) {
    QStringList parts;
    for (const auto& [kind, count] : countBlocks(recognizeBlocks(graph, test::standardCatalog()))) {
        parts << QString("%1 %2").arg(QString::fromStdString(kind)).arg(count);
    }
    return parts.join(", ");
}

static std::unique_ptr<Graph> graphOf(const QString& nodes) {
    return parseText(("<ir_version: 8, opset_import: [\"\" : 17]> g (float[2, 8] x, float[2, 8] z)"
                      " => (y) <float[8] w = {1, 1, 1, 1, 1, 1, 1, 1},"
                      " float[8] b = {0, 0, 0, 0, 0, 0, 0, 0}, float half = {0.5}, float one = {1},"
                      " float two = {2}, float three = {3}, float six = {6}, float zero = {0},"
                      " float minusHalf = {-0.5}, float small = {0.00001}, float c = {0.044715},"
                      " float k = {0.7978846}, float r = {1.4142135}, float q = {0.70710677}> {" +
                      nodes + "}")
                         .toStdString());
}

class BlocksTest : public QObject {
    Q_OBJECT

private slots:
    void formsOfExportersAreRecognised_data();
    void formsOfExportersAreRecognised();
    void exportedModelsHaveTheirBlocks_data();
    void exportedModelsHaveTheirBlocks();
    void aBlockKnowsItsPlaceInTheModel();
    void noNodeBelongsToTwoBlocks();
    void everyPatternCanBeParsed();
};

void BlocksTest::formsOfExportersAreRecognised_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("expected");
    const auto add = [](const char* name, const char* nodes, const char* expected) {
        QTest::newRow(name) << QString(nodes) << QString(expected);
    };
    add("LayerNorm without weights",
        "m = ReduceMean<axes = [-1]>(x) d = Sub(x, m) s = Pow(d, two) v = ReduceMean<axes = "
        "[-1]>(s)"
        " e = Add(v, small) r2 = Sqrt(e) y = Div(d, r2)",
        "LayerNorm 1");
    add("LayerNorm with the difference computed twice, terms the other way round",
        "m = ReduceMean<axes = [-1]>(x) d = Sub(x, m) d2 = Sub(x, m) s = Mul(d, d)"
        " v = ReduceMean<axes = [-1]>(s) e = Add(small, v) r2 = Sqrt(e) n = Div(d2, r2)"
        " a = Mul(w, n) y = Add(b, a)",
        "LayerNorm 1");
    add("LayerNorm by the reciprocal of the root",
        "m = ReduceMean<axes = [-1]>(x) d = Sub(x, m) s = Pow(d, two) v = ReduceMean<axes = "
        "[-1]>(s)"
        " e = Add(v, small) r2 = Sqrt(e) i = Reciprocal(r2) n = Mul(d, i) a = Mul(n, w)"
        " y = Add(a, b)",
        "LayerNorm 1");
    add("not a LayerNorm: another value is divided",
        "m = ReduceMean<axes = [-1]>(x) d = Sub(x, m) s = Pow(d, two) v = ReduceMean<axes = "
        "[-1]>(s)"
        " e = Add(v, small) r2 = Sqrt(e) y = Div(z, r2)",
        "");
    add("RMSNorm",
        "s = Pow(x, two) v = ReduceMean<axes = [-1]>(s) e = Add(v, small) r2 = Sqrt(e)"
        " i = Div(one, r2) n = Mul(x, i) y = Mul(w, n)",
        "RMSNorm 1");
    add("RMSNorm by a power",
        "s = Mul(x, x) v = ReduceMean<axes = [-1]>(s) e = Add(v, small) i = Pow(e, minusHalf)"
        " n = Mul(x, i) y = Mul(n, w)",
        "RMSNorm 1");
    add("RMSNorm by division",
        "s = Pow(x, two) v = ReduceMean<axes = [-1]>(s) e = Add(v, small)"
        " r2 = Sqrt(e) n = Div(x, r2) y = Mul(n, w)",
        "RMSNorm 1");
    add("GELU (Erf), the half last",
        "d = Div(x, r) e = Erf(d) a = Add(e, one) p = Mul(x, a) y = Mul(p, half)", "GELU 1");
    add("GELU (Erf), the half first",
        "h = Mul(half, x) d = Mul(x, q) e = Erf(d) a = Add(one, e) y = Mul(h, a)", "GELU 1");
    add("GELU (Erf), the half with the sum",
        "d = Mul(q, x) e = Erf(d) a = Add(one, e) h = Mul(a, half) y = Mul(h, x)", "GELU 1");
    add("GELU (Tanh)",
        "p = Pow(x, three) cp = Mul(c, p) s = Add(x, cp) t = Mul(k, s) h = Tanh(t) a = Add(one, h)"
        " g = Mul(half, x) y = Mul(g, a)",
        "GELU 1");
    add("GELU (Tanh), the cube in pieces, casts between",
        "x1 = Cast<to = 1>(x) kx = Mul(x1, k) cx = Mul(x1, c) cxx = Mul(cx, x1) s = Add(cxx, one)"
        " t = Mul(kx, s) h = Tanh(t) a = Add(h, one) g = Mul(x1, half) p = Mul(g, a)"
        " y = Cast<to = 1>(p)",
        "GELU 1");
    add("not a GELU: another factor",
        "d = Div(x, r) e = Erf(d) a = Add(e, one) p = Mul(x, a) y = Mul(p, three)", "");
    add("not a GELU: two values",
        "d = Div(x, r) e = Erf(d) a = Add(e, one) p = Mul(z, a)"
        " y = Mul(p, half)",
        "");
    add("SiLU", "s = Sigmoid(x) y = Mul(x, s)", "SiLU 1");
    add("SiLU, the other way round", "s = Sigmoid(x) y = Mul(s, x)", "SiLU 1");
    add("a gate is no SiLU", "s = Sigmoid(x) y = Mul(s, z)", "");
    add("HardSwish", "a = Add(x, three) c2 = Clip(a, zero, six) m = Mul(x, c2) y = Div(m, six)",
        "HardSwish 1");
    add("HardSwish, divided first",
        "a = Add(x, three) c2 = Clip(a, zero, six) d = Div(c2, six) y = Mul(x, d)", "HardSwish 1");
    add("HardSwish from HardSigmoid", "h = HardSigmoid(x) y = Mul(h, x)", "HardSwish 1");
    add("HardSigmoid", "a = Add(x, three) c2 = Clip(a, zero, six) y = Div(c2, six)",
        "HardSigmoid 1");
    add("not a HardSwish: bounds",
        "a = Add(x, three) c2 = Clip(a, zero, three) m = Mul(x, c2)"
        " y = Div(m, six)",
        "");
    add("Mish", "s = Softplus(x) t = Tanh(s) y = Mul(x, t)", "Mish 1");
    add("Mish from exponentials", "e = Exp(x) a = Add(e, one) s = Log(a) t = Tanh(s) y = Mul(x, t)",
        "Mish 1");
    add("ReLU6", "a = Relu(x) y = Clip(a, zero, six)", "ReLU6 1");
    add("Linear, the bias first", "t = Transpose(w) a = MatMul(x, t) y = Add(b, a)", "Linear 1");
    add("two values multiplied are no Linear", "t = Transpose(z) a = MatMul(x, t) y = Add(a, b)",
        "");
    add("Attention",
        "t = Transpose(z) p = MatMul(x, t) d = Div(p, two) s = Softmax(d)"
        " y = MatMul(s, z)",
        "Attention 1");
    add("Attention with mask and dropout",
        "t = Transpose(z) p = MatMul(x, t) d = Mul(p, half) m = Add(d, small) s = Softmax(m)"
        " o = Dropout(s) y = MatMul(o, z)",
        "Attention 1");
}

void BlocksTest::formsOfExportersAreRecognised() {
    QFETCH(QString, nodes);
    QFETCH(QString, expected);
    QCOMPARE(countsOf(*graphOf(nodes)), expected);
}

/// Counted by hand: a LayerNorm for each two ReduceMean, a GELU for each Erf or Tanh between
/// products, an Attention for each Softmax between products.
void BlocksTest::exportedModelsHaveTheirBlocks_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("expected");
    const auto add = [](const char* model, const char* expected) {
        QTest::newRow(model) << QString(model) << QString(expected);
    };
    add("torch/transformer", "Attention 2, GELU 2, LayerNorm 5, Linear 6");
    add("torch/activations", "GELU 1, SiLU 1");
    add("torch/unet", "GroupNorm 1");
    add("torch/mobilenet", "ReLU6 5");
    add("torch/mlp", "");
    add("ort-models/layer_norm_pattern", "LayerNorm 2");
    add("ort-models/gelu_pattern", "GELU 1");
    add("ort-models/fast_gelu_pattern", "GELU 1");
    add("ort-models/mobilenet_v3_small_excerpt", "HardSwish 1");
    add("ort-models/bert_toy", "Attention 5, GELU 6, LayerNorm 12, Linear 32");
    add("ort-models/attention_int32_mask", "Attention 1, Linear 4");
    add("ort-models/attention_mask_no_cast", "Attention 1, Linear 4");
    add("ort-models/self_attention_megatron", "Attention 1, Linear 2");
    add("ort-models/gpt2_megatron", "Attention 1, GELU 1, LayerNorm 3, Linear 4");
    add("ort-models/mlp_mnist", "Linear 3");
}

void BlocksTest::exportedModelsHaveTheirBlocks() {
    QFETCH(QString, model);
    QFETCH(QString, expected);
    const std::filesystem::path conformance = std::filesystem::path(TEMPER_CONFORMANCE_DIR);
    std::filesystem::path path = conformance / model.toStdString();
    if (std::filesystem::is_directory(path)) {
        path /= "model.onnx";
    } else {
        path += ".onnx";
    }
    QCOMPARE(countsOf(*loadModel(path)), expected);
}

void BlocksTest::aBlockKnowsItsPlaceInTheModel() {
    const auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        g (float[2, 4] x) => (y) <float[4, 8] w = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                                   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                  float[8] b = {0, 0, 0, 0, 0, 0, 0, 0}> {
            p = MatMul(x, w)
            a = Add(b, p)
            s = Sigmoid(a)
            y = Mul(a, s)
        })");
    graph->renameNode(graph->at("p")->producer(), "fc.MatMul");
    graph->renameNode(graph->at("a")->producer(), "fc.Add");
    graph->renameNode(graph->at("s")->producer(), "act.Sigmoid");
    graph->renameNode(graph->at("y")->producer(), "act.Mul");
    const std::vector<Block> blocks = recognizeBlocks(*graph, test::standardCatalog());
    QCOMPARE(blocks.size(), size_t{2});
    QCOMPARE(blocks[0].describe(), std::string("the Linear 'fc'"));
    QCOMPARE(namesOf({graph->at("x")}), std::vector<std::string>{blocks[0].inputs.at(0)->name()});
    QCOMPARE(blocks[0].parameters.size(), size_t{2});
    QCOMPARE(blocks[0].output->name(), std::string("a"));
    QCOMPARE(blocks[1].describe(), std::string("the SiLU 'act'"));
    QCOMPARE(blocks[1].nodes.size(), size_t{2});
    QCOMPARE(blocksByNode(blocks).at(graph->at("s")->producer()), &blocks[1]);
}

void BlocksTest::noNodeBelongsToTwoBlocks() {
    const auto graph = graphOf("s = Sigmoid(x) a = Mul(x, s) y = Mul(x, s)");
    QCOMPARE(countsOf(*graph), QString("SiLU 1"));
}

void BlocksTest::everyPatternCanBeParsed() {
    for (const BlockEntry& entry : blockTable()) {
        QVERIFY2(!BlockPattern::parse(entry.pattern).parts.empty(), entry.pattern.c_str());
    }
}

QTEST_APPLESS_MAIN(BlocksTest)
#include "blocks_test.moc"
