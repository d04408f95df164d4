// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/onnx/operator_schema.h"
#include "engine/ops/op_set.h"
#include "engine/ort/ort_model.h"
#include "tests/engine/onnx/onnx_test_support.h"

namespace temper::test {

/// Nodes that contradict their operators are rejected when the model is read, in whatever form.
class NodeCheckTest : public QObject {
    Q_OBJECT

private slots:
    void wrongNodeIsRefusedByName_data();
    void wrongNodeIsRefusedByName();
    void aNodeWithoutOutputsIsRefused_data();
    void aNodeWithoutOutputsIsRefused();
    void formOfAnotherOpsetIsRefused_data();
    void formOfAnotherOpsetIsRefused();
    void whatOnnxRuntimeRunsIsRead_data();
    void whatOnnxRuntimeRunsIsRead();
    void aNearAttributeIsSuggested();
    void modelsInOrtFormatAreChecked();
    void functionsAreCheckedWhereTheyAreCalled();
    void everyOperatorHasASchema();
};

void NodeCheckTest::wrongNodeIsRefusedByName_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* nodes, const char* message) {
        QTest::newRow(nodes) << QString(nodes) << QString(message);
    };
    row("y = MatMul(x)", "The MatMul of 'y' has 1 input; it takes 2 (A, B).");
    row("y = Softmax()", "The Softmax of 'y' has 0 inputs; it takes 1 (input).");
    row("y = Identity()", "The Identity of 'y' has 0 inputs; it takes 1 (input).");
    row("y = Conv(x)", "The Conv of 'y' has 1 input; it takes 2 to 3 (X, W, B).");
    row("y = Clip(x, x, x, x)", "The Clip of 'y' has 4 inputs; it takes 1 to 3 (input, min, max).");
    row("y = Concat<axis = 0>()",
        "The Concat of 'y' has 0 inputs; it takes at least 1 (inputs, ...).");
    row("y, z = Relu(x)", "The Relu of 'y' has 2 outputs; expected at most 1 (Y).");
    row("\"\", y = LayerNormalization(x, x)",
        "The LayerNormalization of 'y' has no name for its output 0 (Y), which is required.");
    row("\"\", y = TopK(x, n)",
        "The TopK of 'y' has no name for its output 0 (Values), which is required.");
    row("y = MatMul(\"\", x)", "The MatMul of 'y' leaves out its input 0 (A), which is required.");
    row("y = Affine(\"\")", "The Affine of 'y' leaves out its input 0 (X), which is required.");
    row("y = Crop(x, x)", "The Crop of 'y' has 2 inputs; it takes 1 (input).");
    row("y = temper.OptimizerStep(x)",
        "The temper.OptimizerStep of 'y' has 1 input; it takes 5 to 6.");
    row("y = Concat<axis = 0>(x, \"\")",
        "The Concat of 'y' leaves out its input 1 (inputs), which is required.");
    row("y = Cast(x)", "The Cast of 'y' lacks the attribute 'to' (int), which is required.");
    row("y = Softmax<axis = 1.0>(x)",
        "The Softmax of 'y' has the attribute 'axis' as float; it takes int.");
    row("y = Relu<colour = \"red\">(x)",
        "The Relu of 'y' has the attribute 'colour', unknown to Relu in opset 17; it takes none.");
    row("y = Softmax<axes = 1>(x)",
        "The Softmax of 'y' has the attribute 'axes', unknown to Softmax in opset 17; it takes "
        "axis.");
    row("y = If<then_branch = a () => (p) { p = Elu<beta = 1.0>(x) },"
        " else_branch = b () => (q) { q = Relu(x) }>(c)",
        "The Elu of 'p' has the attribute 'beta', unknown to Elu in opset 17; it takes alpha.");
    row("y = Transpose<perm = 0>(x)",
        "The Transpose of 'y' has the attribute 'perm' as int; it takes ints.");
    row("y = com.microsoft.FusedMatMul(x)",
        "The com.microsoft.FusedMatMul of 'y' has 1 input; it takes 2.");
    row("y, z = If<then_branch = a () => (p) { p = Neg(x) },"
        " else_branch = b () => (q) { q = Relu(x) }>(c)",
        "The If of 'y' has 2 outputs; its then_branch makes 1.");
    row("y = If<then_branch = a () => (p) { p = Neg(x) },"
        " else_branch = b () => (q, r) { q = Relu(x) r = Abs(x) }>(c)",
        "The If of 'y' has 1 output; its else_branch makes 2.");
    row("y = If<then_branch = a () => (p, o) { p = Neg(x) o = Abs(x) },"
        " else_branch = b () => (q, r) { q = Relu(x) r = Abs(x) }>(c)",
        "The If of 'y' has 1 output; its then_branch makes 2.");
    row("\"\", y = If<then_branch = a () => (p, o) { p = Neg(x) o = Abs(x) },"
        " else_branch = b () => (q, r) { q = Relu(x) r = Abs(x) }>(c)",
        "The If of 'y' leaves out its output 0, which its then_branch makes.");
    row("y = If<then_branch = a () => (p) { p = Neg(x) }>(c)",
        "The If of 'y' lacks the attribute 'else_branch' (graph), which is required.");
    row("y = If<then_branch = a () => (p) { p = Neg() },"
        " else_branch = b () => (q) { q = Relu(x) }>(c)",
        "The Neg of 'p' has 0 inputs; it takes 1 (X).");
    row("y, z = Loop<body = l (i, k, s) => (m, t) { m = Identity(k) t = Neg(s) }>(n, c, x)",
        "The Loop of 'y' has 2 outputs; its body makes 1.");
    row("y = Loop<body = l (i, k, s) => (m, t, e) { m = Identity(k) t = Neg(s) e = Relu(s) }>"
        "(n, c, x)",
        "The Loop of 'y' has 1 output; its body makes 2.");
    row("\"\", y = Loop<body = l (i, k, s) => (m, t, e) { m = Identity(k) t = Neg(s) e = Relu(s) }>"
        "(n, c, x)",
        "The Loop of 'y' leaves out its output 0, which its body makes.");
    row("y = Loop<body = l (i, k) => (m, t) { m = Identity(k) t = Neg(x) }>(n, c, x)",
        "The Loop of 'y' passes its body 3 inputs; that has 2.");
    row("y = Loop<body = l (i, k, s) => (m) { m = Identity(k) }>(n, c, x)",
        "The Loop of 'y' has 1 state; its body has 1 output and needs 2.");
    row("y, z = Scan<num_scan_inputs = 1, body = l (s, e) => (t) { t = Add(s, e) }>(x, x)",
        "The Scan of 'y' has 2 outputs; its body makes 1.");
    row("y = Scan<num_scan_inputs = 1, body = l (s, e) => (t, u) { t = Add(s, e) u = Neg(e) }>(x, "
        "x)",
        "The Scan of 'y' has 1 output; its body makes 2.");
    row("y = Scan<num_scan_inputs = 3, body = l (s, e) => (t) { t = Add(s, e) }>(x, x)",
        "The Scan of 'y' has 2 inputs and scans 3 of them (num_scan_inputs).");
    row("y = SequenceMap<body = l (a) => (d, e) { d = Neg(a) e = Abs(a) }>(x)",
        "The SequenceMap of 'y' has 1 output; its body makes 2.");
    row("y = SequenceMap<body = l (a, b) => (d) { d = Add(a, b) }>(x)",
        "The SequenceMap of 'y' passes its body 1 input; that has 2.");
}

static QString readingOf(const QString& nodes, int opset = 17) {
    const QString text = QString(
                             "<ir_version: 8, opset_import: [\"\": %1, \"com.microsoft\": 1]> "
                             "g (float[2, 2] x, bool c, int64 n) => (y) { %2 }")
                             .arg(opset)
                             .arg(nodes);
    return errorOf([&] { parseText(text.toStdString()); });
}

void NodeCheckTest::wrongNodeIsRefusedByName() {
    QFETCH(QString, nodes);
    QFETCH(QString, message);
    const QString error = readingOf(nodes);
    QVERIFY2(error.contains(message), qPrintable(error));
}

void NodeCheckTest::aNodeWithoutOutputsIsRefused_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("message");
    QTest::newRow("one output") << "InstanceNormalization"
                                << "InstanceNormalization 'n' has no output (output).";
    QTest::newRow("any number of outputs") << "Split"
                                           << "Split 'n' has no output (outputs, ...).";
}

void NodeCheckTest::aNodeWithoutOutputsIsRefused() {
    QFETCH(QString, op);
    QFETCH(QString, message);
    onnx::ModelProto model = smallModel();
    onnx::NodeProto& node = addNode(*model.mutable_graph(), op.toStdString(), "x", "z");
    node.set_name("n");
    if (op == "InstanceNormalization") {
        node.add_input("x");
        node.add_input("x");
    }
    QCOMPARE(errorOf([&] { parseProto(model); }), QString());
    node.clear_output();
    const QString error = errorOf([&] { parseProto(model); });
    QVERIFY2(error.contains(message), qPrintable(error));
}

void NodeCheckTest::formOfAnotherOpsetIsRefused_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("message");
    QTest::newRow("axes as an attribute")
        << "y = Unsqueeze<axes = [0]>(x)" << 13
        << "The Unsqueeze of 'y' has 1 input; it takes 2 (data, axes).";
    QTest::newRow("axes as an input")
        << "y = Unsqueeze(x, n)" << 11 << "The Unsqueeze of 'y' has 2 inputs; it takes 1 (data).";
    QTest::newRow("bounds as inputs")
        << "y = Clip(x, x, x)" << 9 << "The Clip of 'y' has 3 inputs; it takes 1 (input).";
    QTest::newRow("a ratio as an attribute") << "y = Dropout<ratio = 0.5>(x)" << 12
                                             << "The Dropout of 'y' has the attribute 'ratio', "
                                                "unknown to Dropout in opset 12; it takes seed.";
    QTest::newRow("a rule of broadcasting") << "y = Add<broadcast = 1>(x, x)" << 7
                                            << "The Add of 'y' has the attribute 'broadcast', "
                                               "unknown to Add in opset 7; it takes none.";
    QTest::newRow("newer than distributions know")
        << "y = Attention(x)" << 23
        << "The Attention of 'y' has 1 input; it takes 3 to 6 (Q, K, V, attn_mask, past_key, "
           "past_value).";
}

void NodeCheckTest::formOfAnotherOpsetIsRefused() {
    QFETCH(QString, nodes);
    QFETCH(int, opset);
    QFETCH(QString, message);
    const QString error = readingOf(nodes, opset);
    QVERIFY2(error.contains(message), qPrintable(error));
}

void NodeCheckTest::whatOnnxRuntimeRunsIsRead_data() {
    QTest::addColumn<QString>("nodes");
    QTest::newRow("optional inputs left out") << "y = Clip(x, \"\", x)";
    QTest::newRow("optional outputs left out") << "\"\", y = GRU<hidden_size = 2>(x, x, x)";
    QTest::newRow("an operator of another domain") << "y = some.domain.Relu()";
    QTest::newRow("an operator of nobody") << "y = NoSuchOperator(x, x, x)";
    QTest::newRow("a note of a tool") << "y = Relu<__colour = \"red\">(x)";
    QTest::newRow("an attribute of a newer version of ONNX Runtime's own")
        << "y = com.microsoft.FusedMatMul<colour = \"red\">(x, x)";
    QTest::newRow("before ONNX had the operator") << "y = Mish<colour = \"red\">(x)";
    QTest::newRow("outputs of a loop that nothing reads")
        << "y, p, q = Loop<body = l (i, k, s, r) => (m, t, u, e) { m = Identity(k) t = Neg(s)"
           " u = Abs(r) e = Relu(s) }>(n, c, x, x)";
    QTest::newRow("no limit and no condition")
        << "y = Loop<body = l (i, k, s) => (m, t) { m = Identity(k) t = Neg(s) }>(n, \"\", x)";
}

void NodeCheckTest::whatOnnxRuntimeRunsIsRead() {
    QFETCH(QString, nodes);
    QCOMPARE(readingOf(nodes), QString());
}

void NodeCheckTest::aNearAttributeIsSuggested() {
    try {
        parseText("g (float[2, 2] x) => (y) { y = Gemm<tranA = 1>(x, x) }");
        QFAIL("it was read");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("it takes alpha, beta, transA, transB."),
                 error.what());
        QVERIFY2(error.hint().starts_with("Did you mean 'transA'? "), error.hint().c_str());
    }
}

void NodeCheckTest::modelsInOrtFormatAreChecked() {
    Graph graph;
    graph.setName("g");
    graph.info().opsetImports[""] = 17;
    const ValueType type{DType::Float32, SymbolicShape{Dim::of(2)}, false};
    Value* x = graph.addInput("x", type);
    Node* node = graph.addNode({"MatMul", {x}, {"y"}, {}, "", "/fc/MatMul"});
    node->output(0)->setType(type);
    graph.addOutput(node->output(0));
    const QString message = "MatMul '/fc/MatMul' has 1 input; it takes 2 (A, B).";
    for (const std::string& bytes : {serializeOrtModel(graph), serializeModel(graph)}) {
        const QString error =
            errorOf([&] { parseModel(std::as_bytes(std::span(bytes)), "given"); });
        QVERIFY2(error.contains(message), qPrintable(error));
    }
}

void NodeCheckTest::functionsAreCheckedWhereTheyAreCalled() {
    const QString error = errorOf([] {
        parseText(
            "<ir_version: 8, opset_import: [\"\": 17, \"own\": 1]> "
            "g (float[2] x) => (y) { y = own.Half(x) } "
            "<domain: \"own\", opset_import: [\"\": 17]> Half (a) => (b) { b = Mul(a) }");
    });
    QVERIFY2(error.contains("The Mul of 'y' has 1 input; it takes 2 (A, B)."), qPrintable(error));
}

/// Operators that Temper runs are checked when a model is read, except those that only plans have.
void NodeCheckTest::everyOperatorHasASchema() {
    const OpSet ops = standardOps();
    QStringList lacking;
    for (const OpInfo* info : ops.catalog.all()) {
        if (!operatorSchemaOf(info->domain, info->opType, 17)) lacking << info->opType.c_str();
    }
    QCOMPARE(
        lacking.join(' '),
        "AddedProduct BitDropout BitDropoutGrad BlockAttention BlockAttentionGrad CrossEntropy "
        "CrossEntropyGrad GroupNorm GroupNormGrad HardSwishGrad IsWithin SeesAnyKey");
}

}  // namespace temper::test

QTEST_APPLESS_MAIN(temper::test::NodeCheckTest)
#include "node_check_test.moc"
