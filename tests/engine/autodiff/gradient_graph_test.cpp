// SPDX-License-Identifier: Apache-2.0
#include "engine/autodiff/gradient_graph.h"

#include <QTest>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

static QString joined(const std::vector<Value*>& values) {
    QStringList names;
    for (const Value* value : values) {
        names << (value == nullptr ? QString("-") : QString::fromStdString(value->name()));
    }
    return names.join(", ");
}

/// The nodes of the backward pass, one a line: "dx = Op(dy, x)".
static QString backwardPass(const Graph& graph) {
    QStringList lines;
    for (const Node* node : graph.topologicalOrder()) {
        if (!node->isBackward()) continue;
        lines << joined(node->outputs()) + " = " + QString::fromStdString(node->opType()) + "(" +
                     joined(node->inputs()) + ")";
    }
    return lines.join('\n');
}

/// Differentiates `loss` with respect to the named inputs or initializers.
static std::unique_ptr<Graph> differentiated(const QString& text, const QStringList& parameters) {
    auto graph = parseText(text.toStdString());
    for (const Finding& finding : inferTypes(*graph, ops().catalog)) {
        if (finding.severity == Severity::Error) throw Error(ErrorCode::Internal, finding.message);
    }
    std::vector<Value*> values;
    for (const QString& name : parameters) values.push_back(graph->at(name.toStdString()));
    Value* loss = graph->at("loss");
    applyTrainingForms(*graph, ops().catalog, ops().gradients, loss, values);
    graph->setOutputs(buildGradients(*graph, ops().catalog, ops().gradients, loss, values));
    graph->removeUnused();
    return graph;
}

static QString errorOf(const QString& text, const QStringList& parameters) {
    try {
        differentiated(text, parameters);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

class GradientGraphTest : public QObject {
    Q_OBJECT

private slots:
    void rulesThatNeedTheRankRefuseWithoutIt_data();
    void rulesThatNeedTheRankRefuseWithoutIt();
    void outputsOfRecurrentNodesAreTried_data();
    void outputsOfRecurrentNodesAreTried();
    void backwardPassIsAsWritten_data();
    void backwardPassIsAsWritten();
    void axesThatTheShapesDoNotDetermineAreFoundAtRunTime();
    void gradientsHaveTheTypesOfTheirParameters();
    void theWalkMatchesDifferences_data();
    void theWalkMatchesDifferences();
    void whatHasNoGradientIsNamed_data();
    void whatHasNoGradientIsNamed();
    void theSeedHasTheTypeOfTheLoss();
};

void GradientGraphTest::rulesThatNeedTheRankRefuseWithoutIt_data() {
    QTest::addColumn<QString>("node");
    for (const char* node : {"y = GlobalMaxPool(h)",
                             "y = GlobalAveragePool(h)",
                             "y = MatMul(h, h)",
                             "y = Conv(h, h)",
                             "y = Softmax(h)",
                             "y = InstanceNormalization(h, w, w)",
                             "y = LayerNormalization(h, w)",
                             "y = Einsum<equation = \"ij,jk->ik\">(h, h)",
                             "y = Det(h)",
                             "y = Inverse(h)",
                             "y = DepthToSpace<blocksize = 2>(h)",
                             "y = Resize(h, \"\", w)",
                             "y = GridSample(h, h)",
                             "y = Pad(h, widths)",
                             "y = Tile(h, widths)",
                             "y = Concat<axis = -1>(h, h)",
                             "y = Gemm(h, h)",
                             "y = ReduceMean(h)",
                             "y = LpNormalization(h)",
                             "y = MeanVarianceNormalization(h)",
                             "y = CenterCropPad(h, widths)",
                             "y = LRN<size = 3>(h)",
                             "y = LpPool<kernel_shape = [2]>(h)"})
        QTest::newRow(node) << QString(node);
}

/// The number of dimensions of `h` is unknown. A rule that needs it refuses; it must not assume
/// one.
void GradientGraphTest::rulesThatNeedTheRankRefuseWithoutIt() {
    QFETCH(QString, node);
    const auto graph =
        parseText(QString("<ir_version: 8, opset_import: [\"\": 18, \"com.microsoft\": 1]> "
                          "g (float[n] x, int64[k] s, int64[n] widths) => (y) <float[1] w = {1}> "
                          "{ m = Mul(x, w) h = Reshape(m, s) %1 }")
                      .arg(node)
                      .toStdString());
    inferTypes(*graph, ops().catalog);
    const std::vector<Finding> findings =
        tryGradients(*graph, ops().catalog, ops().gradients, graph->outputs(), {graph->at("w")});
    for (const Finding& finding : findings) {
        QVERIFY2(finding.message.find("Internal") == std::string::npos, finding.message.c_str());
        QVERIFY(finding.code == "G004" || finding.code == "G003");
    }
}

void GradientGraphTest::outputsOfRecurrentNodesAreTried_data() {
    QTest::addColumn<QString>("node");
    QTest::addColumn<int>("gates");
    QTest::addColumn<QStringList>("outputs");
    QTest::newRow("lstm") << "y, h, c = LSTM<hidden_size = 2>(x, w, r)" << 4
                          << QStringList{"y", "h", "c"};
    QTest::newRow("lstm, last output only")
        << "\"\", \"\", c = LSTM<hidden_size = 2>(x, w, r)" << 4 << QStringList{"c"};
    QTest::newRow("gru") << "y, h = GRU<hidden_size = 2>(x, w, r)" << 3 << QStringList{"y", "h"};
    QTest::newRow("gru, unrolled")
        << "y, h = GRU<hidden_size = 2, clip = 3.0>(x, w, r)" << 3 << QStringList{"y", "h"};
    QTest::newRow("rnn") << "y, h = RNN<hidden_size = 2>(x, w, r)" << 1 << QStringList{"y", "h"};
}

/// Other nodes replace such a node temporarily; only the replacements of its outputs are tried.
/// Values that callers hold stay those of the graph.
void GradientGraphTest::outputsOfRecurrentNodesAreTried() {
    QFETCH(QString, node);
    QFETCH(int, gates);
    QFETCH(QStringList, outputs);
    const auto graph =
        parseText(QString("g (float[5, 2, 3] x, float[1, %1, 3] w, float[1, %1, 2] r)"
                          " => (%2) { %3 }")
                      .arg(2 * gates)
                      .arg(outputs.join(", "), node)
                      .toStdString());
    QVERIFY(inferTypes(*graph, ops().catalog).empty());
    const std::vector<Value*> before = graph->outputs();
    const std::vector<Finding> findings =
        tryGradients(*graph, ops().catalog, ops().gradients, before,
                     {graph->at("x"), graph->at("w"), graph->at("r")});
    for (const Finding& finding : findings) QFAIL(finding.message.c_str());
    QVERIFY(graph->outputs() == before);
    for (const Value* output : before) QCOMPARE(graph->find(output->name()), output);
}

void GradientGraphTest::backwardPassIsAsWritten_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("parameters");
    QTest::addColumn<QString>("expected");
    QTest::newRow("a chain")
        << "g (float[2] w) => (loss) { a = Neg(w) b = Exp(a) loss = ReduceSum<keepdims = 0>(b) }"
        << QStringList{"w"}
        << "loss_Grad/Shape_0 = Shape(b)\n"
           "b_grad = Expand(loss_grad, loss_Grad/Shape_0)\n"
           "a_grad = Mul(b_grad, b)\n"
           "w_grad = Neg(a_grad)";
    QTest::newRow("a value with several readers is summed once")
        << "g (float w) => (loss) { a = Exp(w) b = Neg(a) c = Neg(a) d = Neg(a)"
           " e = Add(b, c) loss = Add(e, d) }"
        << QStringList{"w"}
        << "a_grad_0 = Neg(loss_grad)\n"
           "a_grad_1 = Neg(loss_grad)\n"
           "a_grad_2 = Neg(loss_grad)\n"
           "a_grad = Sum(a_grad_0, a_grad_1, a_grad_2)\n"
           "w_grad = Mul(a_grad, a)";
    QTest::newRow("a value twice in one node")
        << "g (float w) => (loss) { loss = Mul(w, w) }" << QStringList{"w"}
        << "w_grad_0 = Mul(loss_grad, w)\n"
           "w_grad_1 = Mul(loss_grad, w)\n"
           "w_grad = Sum(w_grad_0, w_grad_1)";
    QTest::newRow("a bias is summed over the axes it was broadcast along")
        << "g (float[N, 3] x, float[3] b) => (loss) { y = Add(x, b)"
           " loss = ReduceSum<keepdims = 0>(y) }"
        << QStringList{"b"}
        << "loss_Grad/Shape_0 = Shape(y)\n"
           "y_grad = Expand(loss_grad, loss_Grad/Shape_0)\n"
           "b_grad = ReduceSum(y_grad, y_Grad/integers)";
    QTest::newRow("nothing is emitted for what is not asked for")
        << "g (float[2, 2] x, float[2, 2] w) => (loss) { y = Mul(x, w)"
           " loss = ReduceSum<keepdims = 0>(y) }"
        << QStringList{"w"}
        << "loss_Grad/Shape_0 = Shape(y)\n"
           "y_grad = Expand(loss_grad, loss_Grad/Shape_0)\n"
           "w_grad = Mul(y_grad, x)";
    QTest::newRow("a parameter that two layers share")
        << "g (float[2, 2] w, float[1, 2] x) => (loss) { a = MatMul(x, w) b = MatMul(a, w)"
           " loss = ReduceSum<keepdims = 0>(b) }"
        << QStringList{"w"}
        << "loss_Grad/Shape_0 = Shape(b)\n"
           "b_grad = Expand(loss_grad, loss_Grad/Shape_0)\n"
           "a_grad = Gemm(b_grad, w)\n"
           "w_grad_0 = Gemm(a, b_grad)\n"
           "w_grad_1 = Gemm(x, a_grad)\n"
           "w_grad = Sum(w_grad_0, w_grad_1)";
    QTest::newRow("a gradient that two parameters have in common")
        << "g (float[2] a, float[2] b) => (loss) { c = Add(a, b)"
           " loss = ReduceSum<keepdims = 0>(c) }"
        << QStringList{"a", "b"}
        << "loss_Grad/Shape_0 = Shape(c)\n"
           "c_grad = Expand(loss_grad, loss_Grad/Shape_0)\n"
           "a_grad = Identity(c_grad)\n"
           "b_grad = Identity(c_grad)";
}

void GradientGraphTest::backwardPassIsAsWritten() {
    QFETCH(QString, text);
    QFETCH(QStringList, parameters);
    QFETCH(QString, expected);
    QCOMPARE(backwardPass(*differentiated(text, parameters)), expected);
}

// N and M may be equal, or either may be 1.
void GradientGraphTest::axesThatTheShapesDoNotDetermineAreFoundAtRunTime() {
    const auto graph = differentiated(
        "g (float[N, 3] x, float[M, 3] b) => (loss) { y = Add(x, b)"
        " loss = ReduceSum<keepdims = 0>(y) }",
        {"b"});
    QVERIFY(backwardPass(*graph).contains("BroadcastGradientArgs"));
    const Tensor x = randomTensor({2, 3}, 1);
    for (const int64_t rows : {1, 2}) {
        const Results gradients = runGraph(*graph, {{"x", x}, {"b", randomTensor({rows, 3}, 2)}});
        const float expected = rows == 1 ? 2.0F : 1.0F;
        const std::vector<float> values(static_cast<size_t>(3 * rows), expected);
        QCOMPARE(difference(gradients.at("b_grad"),
                            Tensor::of<float>({rows, 3}, std::span<const float>(values)), {}),
                 std::string());
    }
}

void GradientGraphTest::gradientsHaveTheTypesOfTheirParameters() {
    const auto graph = differentiated(
        "g (float[N, 3] x, float[3, 2] w, float[1, 2] b) => (loss) {"
        " m = MatMul(x, w) y = Add(m, b) loss = ReduceMean<keepdims = 0>(y) }",
        {"w", "b"});
    QCOMPARE(joined(graph->outputs()), QString("w_grad, b_grad"));
    QCOMPARE(formatType(graph->at("w_grad")->type()), std::string("float32[3, 2]"));
    QCOMPARE(formatType(graph->at("b_grad")->type()), std::string("float32[1, 2]"));
}

// Graphs that exercise the walk itself; the rules have their own tests.
void GradientGraphTest::theWalkMatchesDifferences_data() {
    QTest::addColumn<OpCase>("opCase");
    const Tensor x = randomTensor({2, 3}, 1, 0.5F, 1.5F);
    const auto row = [](const char* name, OpCase opCase) { QTest::newRow(name) << opCase; };
    row("a diamond", {"a = Exp(x) b = Neg(a) c = Mul(a, a) y = Mul(b, c)", {{"x", x}}});
    row("the same value in both slots", {"y = Mul(x, x)", {{"x", x}}});
    row("the same value in both slots of a division", {"y = Div(x, x)", {{"x", x}}});
    row("an output that is read further on", {"a = Exp(x) y = Neg(a) z = Identity(a)", {{"x", x}}});
    row("broadcast in front", {"y = Mul(x, b)", {{"x", x}, {"b", randomTensor({3}, 2)}}});
    row("broadcast inside", {"y = Mul(x, b)", {{"x", x}, {"b", randomTensor({2, 1}, 2)}}});
    row("broadcast on both sides",
        {"y = Mul(a, b)", {{"a", randomTensor({3, 1, 2})}, {"b", randomTensor({4, 1}, 2)}}});
    row("a scalar", {"y = Mul(x, s)", {{"x", x}, {"s", randomTensor({}, 2)}}});
    row("both at once, with a leading one",
        {"y = Sub(x, b)", {{"x", x}, {"b", randomTensor({1, 1, 3}, 2)}}});
    row("opset 11", {"y = Mul(x, b)", {{"x", x}, {"b", randomTensor({1, 3}, 2)}}, 11});
    row("a shared parameter",
        {"a = MatMul(x, w) y = MatMul(a, w)", {{"x", x}, {"w", randomTensor({3, 3}, 2)}}});
}

void GradientGraphTest::theWalkMatchesDifferences() {
    QFETCH(OpCase, opCase);
    QCOMPARE(checkGradient(opCase), std::string());
}

void GradientGraphTest::whatHasNoGradientIsNamed_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("a parameter off the path")
        << "g (float[2] w, float[2] x) => (loss) { u = Neg(w) loss = ReduceSum<keepdims = 0>(x) }"
        << "Parameter 'w' does not influence the loss 'loss'.";
    QTest::newRow("only a step function leads to the loss")
        << "g (float[2] w) => (loss) { s = Sign(w) loss = ReduceSum<keepdims = 0>(s) }"
        << "Parameter 'w' does not influence the loss 'loss'.";
}

void GradientGraphTest::whatHasNoGradientIsNamed() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    QVERIFY2(errorOf(text, {"w"}).contains(message), qPrintable(errorOf(text, {"w"})));
}

void GradientGraphTest::theSeedHasTheTypeOfTheLoss() {
    const auto graph =
        differentiated("g (double[2] w) => (loss) { loss = ReduceSum<keepdims = 0>(w) }", {"w"});
    QCOMPARE(graph->at("loss_grad")->constant().dtype(), DType::Float64);
    QCOMPARE(graph->at("loss_grad")->constant().toDouble(), 1.0);
}

QTEST_APPLESS_MAIN(GradientGraphTest)
#include "gradient_graph_test.moc"
