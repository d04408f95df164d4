// SPDX-License-Identifier: Apache-2.0
#include <onnx/defs/parser.h>

#include <QTest>
#include <cmath>
#include <limits>
#include <random>

#include "tests/engine/onnx/onnx_test_support.h"

namespace temper::test {

class GraphTextTest : public QObject {
    Q_OBJECT

private slots:
    void textIsReadAsLibonnxReadsIt_data();
    void textIsReadAsLibonnxReadsIt();
    void printedTextParsesToTheSameText_data();
    void printedTextParsesToTheSameText();
    void graphIsPrintedAsOnnxText();
    void printingFollowsTheOptions();
    void textWithoutHeaderImportsTheDefaultOpsets();
    void headerIsKept();
    void numbersKeepTheirBits();
    void constantsAreLiterals();
    void functionsAreInlined();
    void badTextIsRefusedWithItsPlace_data();
    void badTextIsRefusedWithItsPlace();
    void changedTextNeverCrashes();
};

constexpr const char* kHeader = "<ir_version: 8, opset_import: [\"\" : 17]>\n";

void GraphTextTest::textIsReadAsLibonnxReadsIt_data() {
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const char* graph) {
        QTest::newRow(name) << QString(kHeader) + graph;
    };
    row("two nodes",
        "agraph (float[N, 128] X, float[128, 10] W, float[10] B) => (float[N] C) {"
        "  T = MatMul(X, W) S = Add(T, B) C = Softmax(S) }");
    row("types",
        "agraph (float X, double[] Y, int64[2] Z, bool[?, M] V, float16[1] H) => (float Y2) {"
        "  Y2 = Foo(X, Y, Z, V, H) }");
    row("attributes",
        "agraph (float[N] X) => (float[N] Y) {"
        "  Y = Foo<i = 1, f = 2.5, s = \"a b\", is = [1, -2], fs = [1.0, 2.5],"
        "          ss = [\"a\", \"b\"]>(X) }");
    row("tensor attribute",
        "agraph (float[N] X) => (float[N] Y) {"
        "  Y = Foo<t = int64[2, 1] {5, -6}, u = float {1.5}>(X) }");
    row("initializers",
        "agraph (float[N] X) => (float[N] Y)"
        "  <float[2] W = {1.5, 2.0}, int32[1] i = {3}, double d = {0.1}> {"
        "  T = Add(X, W) Y = Foo(T, i, d) }");
    row("body",
        "agraph (float[N] X, bool c) => (float[N] Y) {"
        "  Y = If(c) <then_branch = t () => (float[N] a) { a = Relu(X) },"
        "             else_branch = e () => (float[N] b) { b = Neg(X) }> }");
    row("other domain", "agraph (float[N] X) => (float[N] Y) { Y = com.microsoft.Gelu(X) }");
    row("several outputs",
        "agraph (float[N] X) => (float[N] Y, bool[N] M) {"
        "  Y, M = Dropout(X) }");
    row("absent values",
        "agraph (float[N] X, float M) => (float[N] Y) {"
        "  Y, = Foo(X, , M, ) }");
}

void GraphTextTest::textIsReadAsLibonnxReadsIt() {
    QFETCH(QString, text);
    onnx::ModelProto model;
    const auto status = onnx::OnnxParser::Parse(model, qPrintable(text));
    QVERIFY2(status.IsOK(), status.ErrorMessage().c_str());
    QCOMPARE(textOf(*parseText(text.toStdString())), textOf(*parseProto(model)));
}

void GraphTextTest::printedTextParsesToTheSameText_data() {
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const char* text) { QTest::newRow(name) << text; };
    row("names in quotes",
        "g (float X) => (float \"/y.1\") {"
        "  [\"a b\"] \"float\" = Relu(X) \"/y.1\" = Relu(\"float\") }");
    row("quotes in names", "g (float X) => (float Y) { Y = Foo<s = \"a\\\"b\\\\c\">(X) }");
    row("strange operators",
        "g (float X) => (float Y) { Z = \"a-b.Op\"(X) W = \"3d\"(Z) Y = a.b.C(W) }");
    row("omitted values", "g (float X) => (float Y) { Y, \"\", m = Foo(X, \"\", X) }");
    row("empty lists",
        "g (float X) => (float Y) {"
        "  Y = Foo<a: ints = [], b: floats = [], c: strings = []>(X) }");
    row("real numbers",
        "g (float X) => (float Y) {"
        "  Y = Foo<a = 1.0, b = inf, c = nan, d = -inf, e = 1e-30, f: float = 1>(X)"
        "}");
    row("untyped output", "g (float[N] X) => (Y) { Y = Relu(X) }");
    row("nested bodies",
        "g (bool c, float X) => (float Y) {"
        "  Y = If<then_branch = a () => (float y) {"
        "    y = If<then_branch = b () => (X) {},"
        "           else_branch = d () => (float z) { z = Neg(X) }>(c) },"
        "  else_branch = e () => (float w) { w = Relu(X) }>(c) }");
    row("empty tensor", "g (float X) => (float Y) <float[0, 3] W = {}> { Y = Foo(X, W) }");
    row("all types",
        "g () => (float Y) <uint8[1] a = {255}, int8[1] b = {-128},"
        "  uint16[1] c = {65535}, int16[1] d = {-32768}, int32[1] e = {-2147483648},"
        "  int64[1] f = {-9223372036854775808}, bool[2] h = {true, 0},"
        "  float16[1] i = {15360}, double[1] j = {0.1}, uint32[1] k = {4294967295},"
        "  uint64[1] l = {18446744073709551615}, bfloat16[1] m = {16256},"
        "  complex64[1] n = {1, 2}> { Y = Foo(a, b, c, d, e, f, h, i, j, k, l, m, n)"
        "}");
    row("no nodes", "g (float X) => (X) {}");
}

void GraphTextTest::printedTextParsesToTheSameText() {
    QFETCH(QString, text);
    const QString printed = textOf(*parseText(text.toStdString()));
    QCOMPARE(textOf(*parseText(printed.toStdString())), printed);
    QCOMPARE(textOf(*parseProto([&] {
                 onnx::ModelProto model;
                 model.ParseFromString(serializeModel(*parseText(printed.toStdString())));
                 return model;
             }())),
             printed);
}

constexpr const char* kNetwork = R"(<ir_version: 8, opset_import: ["" : 17]>
net (float[N, 2] X) => (float[N, 1] Y) <
    float[2, 1] W = {0.5, -1},
    float[N, 1] H
> {
    two = Constant<value = float {2}>()
    ["/gemm"] H = Gemm<alpha = 1.0, transB = 0>(X, W)
    Y = Mul(H, two)
}
)";

void GraphTextTest::graphIsPrintedAsOnnxText() {
    QCOMPARE(textOf(*parseText(kNetwork)), QString(kNetwork));
}

void GraphTextTest::printingFollowsTheOptions() {
    const TextOptions brief{.header = false, .valueTypes = false, .maxTensorElements = 1};
    QCOMPARE(QString::fromStdString(toText(*parseText(kNetwork), brief)),
             QString(R"(net (float[N, 2] X) => (float[N, 1] Y) <
    float[2, 1] W = {0.5, ...}
> {
    two = Constant<value = float {2}>()
    ["/gemm"] H = Gemm<alpha = 1.0, transB = 0>(X, W)
    Y = Mul(H, two)
}
)"));
}

void GraphTextTest::textWithoutHeaderImportsTheDefaultOpsets() {
    const auto graph =
        parseText("(float X) => (float Y) { H = Relu(X) Y = com.microsoft.Gelu(H) }");
    const std::map<std::string, int64_t> expected = {{"", 17}, {"com.microsoft", 1}};
    QVERIFY(graph->info().opsetImports == expected);
    QCOMPARE(graph->info().irVersion, int64_t{8});
}

void GraphTextTest::headerIsKept() {
    const char* text =
        "<ir_version: 9, opset_import: [\"\" : 19, \"x\" : 2], producer_name: \"p\","
        " producer_version: \"1.0\", domain: \"d\", model_version: 3, doc_string: \"doc\","
        " metadata_props: [\"a\": \"1\", \"b\": \"2\"]>\n"
        "g (float X) => (X) {}";
    const ModelInfo info = parseText(text)->info();
    QCOMPARE(info.irVersion, int64_t{9});
    QVERIFY((info.opsetImports == std::map<std::string, int64_t>{{"", 19}, {"x", 2}}));
    QCOMPARE(info.producerName + info.producerVersion + info.domain + info.docString,
             std::string("p1.0ddoc"));
    QCOMPARE(info.modelVersion, int64_t{3});
    QVERIFY((info.metadata == std::map<std::string, std::string>{{"a", "1"}, {"b", "2"}}));
}

void GraphTextTest::numbersKeepTheirBits() {
    const std::vector<float> numbers = {0.1F,
                                        -0.0F,
                                        16777217.0F,
                                        std::numeric_limits<float>::denorm_min(),
                                        std::numeric_limits<float>::max(),
                                        std::nextafter(1.0F, 2.0F),
                                        -std::numeric_limits<float>::infinity()};
    Graph graph;
    graph.info().opsetImports[""] = 17;
    graph.addOutput(graph.addInitializer("w", Tensor::of<float>({7}, numbers)));
    const auto parsed = parseText(toText(graph));
    QVERIFY(std::ranges::equal(std::as_bytes(parsed->at("w")->constant().values<float>()),
                               std::as_bytes(std::span<const float>(numbers))));
}

void GraphTextTest::constantsAreLiterals() {
    const auto graph = parseText(
        "g (float X) => (float Y) <float w = {1}> {"
        "  c = Constant<value_float = 2.5>() Y = Foo(X, c, w) }");
    QVERIFY(graph->at("c")->isLiteral());
    QCOMPARE(graph->at("c")->constant().toDouble(), 2.5);
    QVERIFY(!graph->at("w")->isLiteral());
    QCOMPARE(graph->nodeCount(), size_t{1});
}

void GraphTextTest::functionsAreInlined() {
    const auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
        g (float[N] x) => (float[N] y) {
            h = local.twice<slope = 0.5>(x)
            y = local.twice(h)
        }
        <domain: "local", opset_import: ["" : 17]>
        twice <slope> (a) => (c) {
            b = LeakyRelu<alpha: float = @slope>(a)
            c = Add(b, b)
        })");
    QCOMPARE(QString::fromStdString(toText(*graph, {.header = false})),
             QString(R"(g (float[N] x) => (float[N] y) {
    "twice_1/b" = LeakyRelu<alpha = 0.5>(x)
    h = Add("twice_1/b", "twice_1/b")
    "twice_2/b" = LeakyRelu(h)
    y = Add("twice_2/b", "twice_2/b")
}
)"));
}

void GraphTextTest::badTextIsRefusedWithItsPlace_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* text, const char* message) {
        QTest::newRow(name) << text << message;
    };
    row("empty", "", "Line 1, column 1: found the end of the text, expected '('.");
    row("no arrow", "g (float X)\n(Y) {}", "Line 2, column 1: found '(', expected '=>'.");
    row("open list", "g (float X) => (Y) {\n  Y = Relu(X }", "Line 2, column 14: found '}'");
    row("open string", "g (float X) => (Y) {\n Y = Foo<s = \"a>(X) }",
        "Line 2, column 14: the string");
    row("strange character", "g (float X) => (Y) { Y = X + Y }", "column 28: '+' starts neither");
    row("no number", "g (float X) => (Y) { Y = Foo<a = 1x>(X) }",
        "column 34: '1x' is not a number");
    row("too large for its type", "g () => (w) <int8[1] w = {128}> {}",
        "not a number of type int8");
    row("negative unsigned", "g () => (w) <uint8[1] w = {-1}> {}", "not a number of type uint8");
    row("real for an integer", "g () => (w) <int64[1] w = {1.5}> {}", "not a number of type int64");
    row("too few elements", "g () => (w) <float[2] w = {1}> {}", "has 1 number; expected 2");
    row("symbolic shape", "g () => (w) <float[N] w = {1}> {}", "a shape of numbers");
    row("huge shape", "g () => (w) <float[4294967296, 4294967296] w = {1}> {}", "fit into memory");
    row("cut-off elements", "g () => (w) <float[2] w = {...}> {}", "which this text omits");
    row("empty list", "g (float X) => (Y) { Y = Foo<a = []>(X) }", "an empty list needs a kind");
    row("wrong kind", "g (float X) => (Y) { Y = Foo<a: ints = 1>(X) }", "a value of another type");
    row("mixed list", "g (float X) => (Y) { Y = Foo<a = [1, \"b\"]>(X) }", "expected a number");
    row("unknown field", "<color: 1> g (float X) => (X) {}", "the unknown field 'color'");
    row("large integer", "g (float X) => (Y) { Y = Foo<a = 9223372036854775808>(X) }", "int64");
    row("undefined input", "g (float X) => (Y) { Y = Relu(Z) }", "Input 'Z' is not defined");
    row("undefined output", "g (float X) => (Y) {}", "Output 'Y' of graph 'g' is not defined");
    row("defined twice", "g (float X) => (Y) { Y = Relu(X) Y = Neg(X) }", "'Y' is defined twice");
    row("cycle", "g (float X) => (Y) { Y = Foo(X, Z) Z = Relu(Y) }", "cycle through");
}

void GraphTextTest::badTextIsRefusedWithItsPlace() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    const QString error = errorOf([&] { parseText(text.toStdString()); });
    QVERIFY2(error.contains(message), qPrintable(error));
}

void GraphTextTest::changedTextNeverCrashes() {
    const std::string text = kNetwork;
    std::mt19937 random(1);
    int refused = 0;
    for (int round = 0; round < 2000; ++round) {
        std::string changed = text;
        changed[random() % changed.size()] = text[random() % text.size()];
        changed.erase(random() % changed.size(), random() % 3);
        try {
            parseText(changed);
        } catch (const Error& error) {
            ++refused;
            QVERIFY2(error.code() != ErrorCode::Internal, error.what());
        }
    }
    QVERIFY2(refused > 1000 && refused < 2000, qPrintable(QString::number(refused)));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::GraphTextTest)
#include "graph_text_test.moc"
