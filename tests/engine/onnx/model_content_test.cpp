// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/unknown_field_set.h>

#include <QTest>
#include <algorithm>
#include <functional>

#include "tests/engine/onnx/onnx_test_support.h"

namespace temper::test {

using Fill = std::function<void(onnx::TensorProto&)>;

/// How a reader interprets the parts of a model, compared with values given here.
class ModelContentTest : public QObject {
    Q_OBJECT

private slots:
    void tensorIsReadFromItsField_data();
    void tensorIsReadFromItsField();
    void oddBooleansBecomeOne();
    void constantNodeBecomesALiteral_data();
    void constantNodeBecomesALiteral();
    void theLastDefinitionOfAConstantCounts_data();
    void theLastDefinitionOfAConstantCounts();
    void inputWithAnInitializerIsTheInitializer();
    void oldModelsListInitializersAsInputs();
    void modelInfoIsKept();
    void sequencesAreTypes();
    void optionalsAreTypes();
    void bodiesListWhatTheyCapture();
    void repeatedOutputOfABodyIsCopied();
    void functionAttributesReachBodies();
    void functionMayPassAnInputOn();
    void functionHasDefaultsAndOverloads();
    void newerVersionsOfTheFormatAreRead();
};

void ModelContentTest::tensorIsReadFromItsField_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<Fill>("fill");
    QTest::addColumn<QByteArray>("bytes");
    using T = onnx::TensorProto;
    const auto row = [](const char* name, int dtype, const Fill& fill, const QByteArray& bytes) {
        QTest::newRow(name) << dtype << fill << bytes;
    };
    const auto ints = [](std::vector<int> values) -> Fill {
        return [values](T& t) { t.mutable_int32_data()->Add(values.begin(), values.end()); };
    };
    const QByteArray one = QByteArray::fromHex("0000803f");
    row(
        "raw float", T::FLOAT, [](T& t) { t.set_raw_data("\0\0\x80\x3f\0\0\0\x40", 8); },
        one + QByteArray::fromHex("00000040"));
    row(
        "float", T::FLOAT, [](T& t) { t.add_float_data(1), t.add_float_data(2); },
        one + QByteArray::fromHex("00000040"));
    row(
        "double", T::DOUBLE, [](T& t) { t.add_double_data(1), t.add_double_data(-2); },
        QByteArray::fromHex("000000000000f03f00000000000000c0"));
    row(
        "int64", T::INT64, [](T& t) { t.add_int64_data(-1), t.add_int64_data(2); },
        QByteArray::fromHex("ffffffffffffffff0200000000000000"));
    row("int32", T::INT32, ints({-1, 2}), QByteArray::fromHex("ffffffff02000000"));
    row("int16", T::INT16, ints({-1, 2}), QByteArray::fromHex("ffff0200"));
    row("int8", T::INT8, ints({-1, 2}), QByteArray::fromHex("ff02"));
    row("uint8", T::UINT8, ints({255, 2}), QByteArray::fromHex("ff02"));
    row("uint16", T::UINT16, ints({65535, 2}), QByteArray::fromHex("ffff0200"));
    row(
        "uint32", T::UINT32, [](T& t) { t.add_uint64_data(4294967295), t.add_uint64_data(2); },
        QByteArray::fromHex("ffffffff02000000"));
    row(
        "uint64", T::UINT64, [](T& t) { t.add_uint64_data(~0ULL), t.add_uint64_data(2); },
        QByteArray::fromHex("ffffffffffffffff0200000000000000"));
    row("float16", T::FLOAT16, ints({0x3c00, 0xc000}), QByteArray::fromHex("003c00c0"));
    row("bfloat16", T::BFLOAT16, ints({0x3f80, 0xc000}), QByteArray::fromHex("803f00c0"));
    row("bool", T::BOOL, ints({1, 0}), QByteArray::fromHex("0100"));
    row(
        "complex64", T::COMPLEX64,
        [](T& t) {
            for (const float f : {1.F, 0.F, 0.F, 1.F}) t.add_float_data(f);
        },
        one + QByteArray(8, '\0') + one);
}

void ModelContentTest::tensorIsReadFromItsField() {
    QFETCH(int, dtype);
    QFETCH(Fill, fill);
    QFETCH(QByteArray, bytes);
    onnx::ModelProto model = smallModel();
    onnx::TensorProto& proto = addInitializer(model, "w", {2});
    proto.set_data_type(dtype);
    fill(proto);
    const auto graph = parseProto(model);
    const Tensor& tensor = graph->at("w")->constant();
    QCOMPARE(static_cast<int>(tensor.dtype()), dtype);
    QCOMPARE(tensor.shape(), Shape({2}));
    const auto* data = reinterpret_cast<const char*>(tensor.data());
    QCOMPARE(QByteArray(data, static_cast<qsizetype>(tensor.byteSize())), bytes);
}

void ModelContentTest::oddBooleansBecomeOne() {
    onnx::ModelProto model = smallModel();
    onnx::TensorProto& proto = addInitializer(model, "w", {2000});
    proto.set_data_type(onnx::TensorProto::BOOL);
    proto.set_raw_data(std::string(1999, '\x02') + '\0');
    const auto graph = parseProto(model);
    const Tensor& tensor = graph->at("w")->constant();
    QCOMPARE(tensor.data()[0], std::byte{1});
    QCOMPARE(tensor.data()[1999], std::byte{0});
}

void ModelContentTest::constantNodeBecomesALiteral_data() {
    QTest::addColumn<QString>("attribute");
    QTest::addColumn<QString>("expected");
    QTest::newRow("tensor") << "value = int32[2] {3, 4}"
                            << "int32[2] {3, 4}";
    QTest::newRow("float") << "value_float = 1.5"
                           << "float {1.5}";
    QTest::newRow("int") << "value_int = 7"
                         << "int64 {7}";
    QTest::newRow("floats") << "value_floats = [1.5, 2.0]"
                            << "float[2] {1.5, 2}";
    QTest::newRow("ints") << "value_ints = [7]"
                          << "int64[1] {7}";
    QTest::newRow("no ints") << "value_ints: ints = []"
                             << "int64[0] {}";
    QTest::newRow("tensor of strings") << R"(value = string[2] {"a", "b c"})"
                                       << R"(string[2] {"a", "b c"})";
    QTest::newRow("string") << R"(value_string = "a")"
                            << R"(string {"a"})";
    QTest::newRow("strings") << R"(value_strings = ["", "b"])"
                             << R"(string[2] {"", "b"})";
}

void ModelContentTest::constantNodeBecomesALiteral() {
    QFETCH(QString, attribute);
    QFETCH(QString, expected);
    const QString text = "g () => (c) { c = Constant<" + attribute + ">() }";
    const auto graph = parseText(text.toStdString());
    QVERIFY(graph->at("c")->isLiteral());
    QVERIFY2(textOf(*graph).contains("c = Constant<value = " + expected + ">()"),
             qPrintable(textOf(*graph)));
}

/// What ONNX Runtime 1.19 computes with such models: the last definition counts for all readers,
/// and Constant nodes count after all initializers.
void ModelContentTest::theLastDefinitionOfAConstantCounts_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QList<float>>("initializers");
    QTest::addColumn<float>("expected");
    QTest::addColumn<bool>("isWarned");
    const auto row = [](const char* name, const char* nodes, const QList<float>& initializers,
                        float expected, bool isWarned) {
        QTest::newRow(name) << nodes << initializers << expected << isWarned;
    };
    row("equal Constants", "k=2 p k=2 q", {}, 2, false);
    row("other Constants", "k=2 p k=5 q", {}, 5, true);
    row("three Constants", "k=2 k=5 p k=2 q", {}, 2, true);
    row("equal initializers", "p q", {3, 3}, 3, false);
    row("other initializers", "p q", {3, 4}, 4, true);
    row("an initializer and a Constant", "k=2 p q", {7}, 2, true);
    row("an equal initializer and Constant", "p k=7 q", {7}, 7, false);
}

void ModelContentTest::theLastDefinitionOfAConstantCounts() {
    QFETCH(QString, nodes);
    QFETCH(QList<float>, initializers);
    QFETCH(float, expected);
    QFETCH(bool, isWarned);
    const auto fill = [](onnx::TensorProto& tensor, float value) {
        tensor.set_data_type(onnx::TensorProto::FLOAT);
        tensor.add_float_data(value);
    };
    for (const bool isInBody : {false, true}) {
        onnx::ModelProto model = smallModel();
        onnx::GraphProto& main = *model.mutable_graph();
        addValue(*main.add_input(), "c").mutable_type()->mutable_tensor_type()->set_elem_type(9);
        onnx::NodeProto& branch = addNode(main, "If", "c", "z");
        onnx::GraphProto* bodies[2];
        for (int i = 0; i < 2; ++i) {
            onnx::AttributeProto& attribute = *branch.add_attribute();
            attribute.set_name(i == 0 ? "then_branch" : "else_branch");
            attribute.set_type(onnx::AttributeProto::GRAPH);
            bodies[i] = attribute.mutable_g();
            addNode(*bodies[i], "Neg", "x", "n" + std::to_string(i));
            addValue(*bodies[i]->add_output(), "n" + std::to_string(i));
        }
        onnx::GraphProto& graph = isInBody ? *bodies[0] : main;
        for (const float value : initializers) {
            onnx::TensorProto& tensor = *graph.add_initializer();
            tensor.set_name("k");
            fill(tensor, value);
        }
        for (const QString& word : nodes.split(' ')) {
            if (!word.startsWith("k=")) {
                addNode(graph, "Mul", "x", word.toStdString()).add_input("k");
                continue;
            }
            onnx::NodeProto& node = *graph.add_node();
            node.set_op_type("Constant");
            node.add_output("k");
            onnx::AttributeProto& attribute = *node.add_attribute();
            attribute.set_name("value");
            attribute.set_type(onnx::AttributeProto::TENSOR);
            fill(*attribute.mutable_t(), word.mid(2).toFloat());
        }
        std::vector<Finding> remarks;
        const auto read =
            parseModel(bytesOf(model.SerializeAsString()), "m.onnx", {}, {.remarks = &remarks});
        const auto body =
            read->at("z")->producer()->attribute<std::shared_ptr<const Graph>>("then_branch", {});
        const Graph& found = isInBody ? *body : *read;
        QCOMPARE(found.at("k")->constant().toDouble(), double{expected});
        QCOMPARE(found.at("k")->uses().size(), size_t{2});
        QCOMPARE(remarks.size(), size_t{isWarned ? 1U : 0U});
        if (!isWarned) continue;
        QCOMPARE(remarks[0].code, std::string("W006"));
        QVERIFY(remarks[0].severity == Severity::Warning);
        QVERIFY(remarks[0].message.starts_with("The constant 'k' is defined "));
    }
}

void ModelContentTest::inputWithAnInitializerIsTheInitializer() {
    const auto graph = parseText("g (float X, float W = {2}) => (float Y) { Y = Mul(X, W) }");
    QCOMPARE(namesOf(graph->inputs()), std::vector<std::string>{"X"});
    QCOMPARE(graph->at("W")->constant().toDouble(), 2.0);
}

void ModelContentTest::oldModelsListInitializersAsInputs() {
    const auto graph = parseText(
        "<ir_version: 3, opset_import: [\"\" : 8]>"
        "g (float X, float W = {2}) => (float Y) { Y = Mul(X, W) }");
    onnx::ModelProto model;
    QVERIFY(model.ParseFromString(serializeModel(*graph)));
    QCOMPARE(model.graph().input_size(), 2);
    QCOMPARE(model.graph().input(1).name(), std::string("W"));
    graph->info().irVersion = 4;
    QVERIFY(model.ParseFromString(serializeModel(*graph)));
    QCOMPARE(model.graph().input_size(), 1);
}

void ModelContentTest::modelInfoIsKept() {
    onnx::ModelProto model = smallModel();
    model.set_producer_name("maker");
    model.set_producer_version("2.0");
    model.set_domain("org.example");
    model.set_model_version(5);
    model.set_doc_string("about");
    model.mutable_graph()->set_doc_string("about the graph");
    model.mutable_graph()->mutable_node(0)->set_doc_string("about the node");
    auto& entry = *model.add_metadata_props();
    entry.set_key("license");
    entry.set_value("MIT");
    onnx::ModelProto copy;
    QVERIFY(copy.ParseFromString(serializeModel(*parseProto(model))));
    QCOMPARE(QString::fromStdString(copy.DebugString()),
             QString::fromStdString(model.DebugString()));
}

void ModelContentTest::sequencesAreTypes() {
    const auto graph = parseText(
        "g (seq(float[N, 2]) S) => (seq(float[N, 2]) T) {"
        "  T = Identity(S) }");
    const ValueType expected{DType::Float32, SymbolicShape{Dim::named("N"), Dim::of(2)}, true};
    QVERIFY(graph->at("S")->type() == expected);
    QVERIFY(graph->at("T")->type() == expected);
}

void ModelContentTest::optionalsAreTypes() {
    const std::string text = R"(<ir_version: 8, opset_import: ["" : 18]>
        g (optional(seq(float[N])) o) => (optional(float[2]) p) {
            p = Optional<type: type_proto = float[2]>()
        })";
    const auto read = parseText(toText(*parseText(text)));
    const auto saved = parseBytes(serializeModel(*read));
    const ValueType content{DType::Float32, SymbolicShape{Dim::of(2)}};
    for (const Graph* graph : {read.get(), saved.get()}) {
        QCOMPARE(QString::fromStdString(formatType(graph->at("o")->type())),
                 QString("optional(seq(float32[N]))"));
        QCOMPARE(QString::fromStdString(formatType(graph->at("p")->type())),
                 QString("optional(float32[2])"));
        QVERIFY(graph->at("p")->producer()->attribute<ValueType>("type", {}) == content);
    }
}

void ModelContentTest::bodiesListWhatTheyCapture() {
    const auto graph = parseText(R"(
        g (bool c, float[N] X) => (float[N] Y) <float[1] W = {1}> {
            Y = If<then_branch = a () => (float[N] y) {
                       y = If<then_branch = b () => (float[N] z) { z = Mul(H, W) },
                              else_branch = d () => (X) {}>(c)
                   },
                   else_branch = e () => (float[N] w) { w = Relu(X) }>(c)
            H = Relu(X)
        })");
    const Node& node = *graph->at("Y")->producer();
    const auto body = node.attribute<std::shared_ptr<const Graph>>("then_branch");
    const std::vector<std::string> captured = {"c", "X", "H", "W"};
    std::vector<std::string> names = namesOf((*body)->captures());
    QVERIFY(std::ranges::is_permutation(names, captured));
    QVERIFY((*body)->at("H")->isCaptured());
    // The body reads H, so the producer of H comes first.
    QCOMPARE(graph->topologicalOrder().back(), &node);
}

void ModelContentTest::repeatedOutputOfABodyIsCopied() {
    const auto graph = parseText(R"(
        g (int64 n, bool c, float s) => (float e, float[] all) {
            e, all = Loop<body = b (int64 i, bool go, float t) => (bool go2, float u, float u) {
                go2 = Identity(go)
                u = Add(t, t)
            }>(n, c, s)
        })");
    const auto body = graph->at("e")->producer()->attribute<std::shared_ptr<const Graph>>("body");
    QVERIFY((namesOf((*body)->outputs()) == std::vector<std::string>{"go2", "u", "u_2"}));
    QCOMPARE((*body)->at("u_2")->producer()->opType(), std::string("Identity"));
}

void ModelContentTest::functionAttributesReachBodies() {
    const auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
        g (bool c, float x) => (float y) { y = local.f<slope = 0.25>(c, x) }
        <domain: "local", opset_import: ["" : 17]>
        f <slope> (p, a) => (b) {
            r = Relu(a)
            b = If<then_branch = t () => (float u) { u = LeakyRelu<alpha: float = @slope>(r) },
                   else_branch = e () => (r) {}>(p)
        })");
    QCOMPARE(QString::fromStdString(toText(*graph, {.header = false})),
             QString(R"(g (bool c, float x) => (float y) {
    "f_1/r" = Relu(x)
    y = If<else_branch = e () => ("f_1/r") {
    }, then_branch = t () => (float u) {
        u = LeakyRelu<alpha = 0.25>("f_1/r")
    }>(c)
}
)"));
}

void ModelContentTest::functionMayPassAnInputOn() {
    const auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17, "local" : 1]>
        g (float x) => (float y) { y = local.f(x) }
        <domain: "local", opset_import: ["" : 17]>
        f (a) => (a) {})");
    QCOMPARE(QString::fromStdString(toText(*graph, {.header = false})),
             QString("g (float x) => (float y) {\n    y = Identity(x)\n}\n"));
}

/// A field from a version of the format that is newer than the protobuf classes.
void addNewerField(google::protobuf::Message& message, int number, const std::string& bytes) {
    message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(number, bytes);
}

/// f(a) = LeakyRelu(a), whose slope has a default.
void addOverload(onnx::ModelProto& model, const std::string& overload, float defaultSlope) {
    onnx::FunctionProto& function = *model.add_functions();
    function.set_domain("local");
    function.set_name("f");
    function.add_input("a");
    function.add_output("b");
    addNewerField(function, 13, overload);
    onnx::AttributeProto slope;
    slope.set_name("slope");
    slope.set_f(defaultSlope);
    addNewerField(function, 11, slope.SerializeAsString());
    onnx::NodeProto& node = *function.add_node();
    node.set_op_type("LeakyRelu");
    node.add_input("a");
    node.add_output("b");
    onnx::AttributeProto& alpha = *node.add_attribute();
    alpha.set_name("alpha");
    alpha.set_ref_attr_name("slope");
}

void ModelContentTest::functionHasDefaultsAndOverloads() {
    onnx::ModelProto model = smallModel();
    onnx::NodeProto& call = *model.mutable_graph()->mutable_node(0);
    call.set_domain("local");
    call.set_op_type("f");
    addNewerField(call, 8, "second");
    addOverload(model, "first", 1.5F);
    addOverload(model, "second", 2.5F);
    const auto byDefault = parseProto(model);
    QCOMPARE(byDefault->at("y")->producer()->attribute<float>("alpha", 0), 2.5F);
    onnx::AttributeProto& given = *call.add_attribute();
    given.set_name("slope");
    given.set_f(0.5F);
    const auto graph = parseProto(model);
    QCOMPARE(graph->at("y")->producer()->attribute<float>("alpha", 0), 0.5F);
}

void ModelContentTest::newerVersionsOfTheFormatAreRead() {
    onnx::ModelProto model = smallModel();
    model.set_ir_version(14);
    model.mutable_opset_import(0)->set_version(28);
    const auto graph = parseProto(model);
    QCOMPARE(graph->info().irVersion, int64_t{14});
    QCOMPARE(graph->info().onnxOpset(), int64_t{28});
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ModelContentTest)
#include "model_content_test.moc"
