// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/type_inference.h"

#include <QTest>

#include "tests/engine/ir/graph_test_support.h"

namespace temper::test {

/// Four operators of this test only, so that it is about the walk and not about operators.
OpCatalog smallCatalog() {
    OpCatalog catalog;
    const auto add = [&catalog](const char* op, TypeInference infer) {
        OpInfo info;
        info.opType = op;
        info.infer = std::move(infer);
        catalog.add(std::move(info));
    };
    add("Relu", [](InferenceContext& c) { c.setOutput(0, c.inputType(0)); });
    add("Add", [](InferenceContext& c) {
        if (c.dtype(0) != c.dtype(1)) c.fail("its inputs have different types", "Insert a Cast.");
        c.setOutput(0, c.dtype(0), broadcastShapes(c.shape(0), c.shape(1)));
    });
    add("Shape", [](InferenceContext& c) {
        InferenceContext::Content content;
        for (const Dim& dim : *c.shape(0)) content.push_back(SymbolicInt::fromDim(dim));
        c.setOutput(0, DType::Int64, SymbolicShape{Dim::of(c.inputType(0).rank())});
        c.setContent(0, content);
    });
    add("Expand", [](InferenceContext& c) {
        SymbolicShape shape;
        const InferenceContext::Content sizes = c.content(1).value();
        for (const SymbolicInt& size : sizes) shape.push_back(size.toDim());
        c.setOutput(0, c.dtype(0), shape);
    });
    return catalog;
}

class TypeInferenceTest : public QObject {
    Q_OBJECT

private slots:
    void typesFlowInTopologicalOrder();
    void shapesUnderConstructionKeepTheirSymbols();
    void contentsOfConstantsAreKnown();
    void singleNodeFindsItsContentsAgain();
    void declaredTypesStayIfInferenceKnowsLess();
    void unknownOperatorIsAWarning();
    void contradictionIsAnErrorThatNamesTheNode();
    void symbolicShapesAreBroadcast_data();
    void symbolicShapesAreBroadcast();
    void operatorIsRegisteredOnce();
    void typesAreWrittenWithTheirDimensions();

private:
    static QString typeOf(const Graph& graph, const char* name) {
        return QString::fromStdString(formatType(graph.at(name)->type()));
    }

    const OpCatalog catalog_ = smallCatalog();
};

void TypeInferenceTest::typesFlowInTopologicalOrder() {
    const auto graph = parseText(
        "g (float[N, 3] x) => (y) <float[3] b = {1, 2, 3}> {"
        " y = Add(h, b) h = Relu(x) }");
    QVERIFY(inferTypes(*graph, catalog_).empty());
    QCOMPARE(typeOf(*graph, "y"), "float32[N, 3]");
}

void TypeInferenceTest::shapesUnderConstructionKeepTheirSymbols() {
    const auto graph = parseText(
        "g (float[N, 3] x, float[1, 1] z) => (y) {"
        " s = Shape(x) y = Expand(z, s) }");
    QVERIFY(inferTypes(*graph, catalog_).empty());
    QCOMPARE(typeOf(*graph, "s"), "int64[2]");
    QCOMPARE(typeOf(*graph, "y"), "float32[N, 3]");
}

void TypeInferenceTest::contentsOfConstantsAreKnown() {
    const auto graph = parseText("g (float z) => (y) <int32[2] s = {4, 5}> { y = Expand(z, s) }");
    QVERIFY(inferTypes(*graph, catalog_).empty());
    QCOMPARE(typeOf(*graph, "y"), "float32[4, 5]");
}

void TypeInferenceTest::singleNodeFindsItsContentsAgain() {
    const auto graph = parseText(
        "g (float[N, 3] x, float[1, 1] z) => (y) {"
        " s = Shape(x) y = Expand(z, s) }");
    inferNodeTypes(*graph, *graph->at("s")->producer(), catalog_);
    inferNodeTypes(*graph, *graph->at("y")->producer(), catalog_);
    QCOMPARE(typeOf(*graph, "y"), "float32[N, 3]");
}

void TypeInferenceTest::declaredTypesStayIfInferenceKnowsLess() {
    const auto graph = parseText(
        "g (float[] x, float[?, 3] z) => (float[N, 3] y)"
        " <float[M, 2] u, float[B, 7] w> {"
        " u = Foo(x) w = Relu(z) y = Relu(x) }");
    QCOMPARE(inferTypes(*graph, catalog_).size(), size_t{1});
    QCOMPARE(typeOf(*graph, "u"), "float32[M, 2]");
    QCOMPARE(typeOf(*graph, "y"), "float32[N, 3]");
    QCOMPARE(typeOf(*graph, "w"), "float32[B, 3]");  // if both are known, the operator is right
}

void TypeInferenceTest::unknownOperatorIsAWarning() {
    const auto graph = parseText("g (float[N] x) => (y) { [n] y = com.microsoft.Foo(x) }");
    const std::vector<Finding> findings = inferTypes(*graph, catalog_);
    QCOMPARE(findings.size(), size_t{1});
    QCOMPARE(findings[0].code, std::string("T001"));
    QVERIFY(findings[0].severity == Severity::Warning);
    QCOMPARE(findings[0].node, std::string("n"));
    QCOMPARE(findings[0].op, std::string("com.microsoft.Foo"));
    QVERIFY(!graph->at("y")->type().isKnown());
}

void TypeInferenceTest::contradictionIsAnErrorThatNamesTheNode() {
    const auto graph = parseText(
        "g (float[2] x, int64[2] z) => (y, v) {"
        " [sum] y = Add(x, z) v = Relu(x) }");
    const std::vector<Finding> findings = inferTypes(*graph, catalog_);
    QCOMPARE(findings.size(), size_t{1});
    QCOMPARE(findings[0].code, std::string("T002"));
    QVERIFY(hasErrors(findings));
    QCOMPARE(findings[0].message, std::string("node 'sum' (Add): its inputs have different types"));
    QCOMPARE(findings[0].hint, std::string("Insert a Cast."));
    QCOMPARE(typeOf(*graph, "v"), "float32[2]");  // the rest is still inferred
}

void TypeInferenceTest::symbolicShapesAreBroadcast_data() {
    QTest::addColumn<QString>("a");
    QTest::addColumn<QString>("b");
    QTest::addColumn<QString>("expected");
    QTest::newRow("same symbol") << "[N, 3]"
                                 << "[N, 3]"
                                 << "[N, 3]";
    QTest::newRow("symbol against one") << "[N, 3]"
                                        << "[1, 3]"
                                        << "[N, 3]";
    QTest::newRow("symbol against number") << "[N]"
                                           << "[4]"
                                           << "[4]";
    QTest::newRow("two symbols") << "[N]"
                                 << "[M]"
                                 << "[?]";
    QTest::newRow("unknown against number") << "[?]"
                                            << "[4]"
                                            << "[4]";
    QTest::newRow("different ranks") << "[B, N, 3]"
                                     << "[3]"
                                     << "[B, N, 3]";
    QTest::newRow("numbers that do not fit") << "[2]"
                                             << "[3]"
                                             << "error";
    QTest::newRow("empty against symbol") << "[0]"
                                          << "[N]"
                                          << "[0]";
}

void TypeInferenceTest::symbolicShapesAreBroadcast() {
    QFETCH(QString, a);
    QFETCH(QString, b);
    QFETCH(QString, expected);
    const QString text = "g (float" + a + " x, float" + b + " z) => (y) { y = Add(x, z) }";
    const auto graph = parseText(text.toStdString());
    if (hasErrors(inferTypes(*graph, catalog_))) {
        QCOMPARE(QString("error"), expected);
        return;
    }
    QCOMPARE(typeOf(*graph, "y"), "float32" + expected);
}

void TypeInferenceTest::operatorIsRegisteredOnce() {
    OpCatalog catalog = smallCatalog();
    OpInfo info;
    info.opType = "Relu";
    QVERIFY(errorOf([&] { catalog.add(info); }).contains("an operator is registered once"));
    QVERIFY(catalog.find("ai.onnx", "Relu") == catalog.find("", "Relu"));
    QVERIFY(catalog.find("com.microsoft", "Relu") == nullptr);
    QCOMPARE(catalog.all().size(), size_t{4});
}

void TypeInferenceTest::typesAreWrittenWithTheirDimensions() {
    const auto graph = parseText("g (float[N, 3, ?] a, int64 b, seq(bool[2]) c) => (a) {}");
    QCOMPARE(typeOf(*graph, "a"), "float32[N, 3, ?]");
    QCOMPARE(typeOf(*graph, "b"), "int64[]");
    QVERIFY(graph->at("c")->type().isSequence);
    QVERIFY(!graph->at("a")->type().isStatic());
    QVERIFY(graph->at("b")->type().isStatic());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::TypeInferenceTest)
#include "type_inference_test.moc"
