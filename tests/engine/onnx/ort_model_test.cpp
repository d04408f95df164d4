// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <random>

#include "engine/core/file.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/required_outputs.h"
#include "engine/ops/op_set.h"
#include "engine/ort/kernel_types.h"
#include "engine/ort/ort_model.h"
#include "tests/engine/onnx/onnx_test_support.h"
#include "tests/support/bad_files.h"

namespace temper::test {

namespace fs = std::filesystem;

const fs::path kConformance = fs::path(TEMPER_CONFORMANCE_DIR);
const fs::path kOrtFormat = kConformance / "ort/training_api/ort_format";

/// A body that captures, an omitted input, each kind of attribute, a literal, a sequence.
constexpr const char* kModel = R"(
    <ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1], producer_name: "p",
     metadata_props: ["k": "v"]>
    agraph (float[N, 4] x, bool c, seq(float[2]) s) => (float[N, 4] y, float[N, 4] z,
                                                             string[1, 2] names)
        <float[4] w = {1, 2, 3, 4}, float hi = {6.0}, string[2, 1] classes = {"cat", ""}> {
        a = Mul(x, w)
        lo_clip = Clip(a, "", hi)
        y = If (c) <
            then_branch = graph () => (float[N, 4] t) { t = Add(lo_clip, w) },
            else_branch = graph () => (float[N, 4] e) { e = Sub(lo_clip, w) }
        >
        t0 = LeakyRelu <alpha = 0.25> (x)
        t1 = Transpose <perm = [0, 1]> (t0)
        lit = Constant <value = float[4] {4, 3, 2, 1}> ()
        t2 = Add(t1, lit)
        z = com.microsoft.Gelu(t2)
        names = Transpose(classes)
    })";

/// Models in ONNX Runtime's own format.
class OrtModelTest : public QObject {
    Q_OBJECT

private slots:
    void filesOfOnnxRuntimeAreWrittenAndReadAlike_data();
    void filesOfOnnxRuntimeAreWrittenAndReadAlike();
    void allOfAGraphIsKept();
    void equalGraphsGiveEqualBytes();
    void backwardNodesStayMarked();
    void forwardModelsAreTheSameInBothFormats_data();
    void forwardModelsAreTheSameInBothFormats();
    void theContentDeterminesTheFormat();
    void anOperatorWithoutKernelTypesIsWrittenInTheOlderVersion();
    void operatorsHaveKernelTypes();
    void kernelTypesAreThoseOfTheNewestVersion();
    void requiredOperatorsAreListedByDomainAndVersion();
    void aValueWithoutATypeIsRefused();
    void valuesInBodiesGetTheirTypes();
    void outputsThatAnOperatorRequiresHaveNames();
    void cutFilesAreRefused();
    void badFilesAreRefused_data();
    void badFilesAreRefused();
    void aProducerWhoseNameStartsLikeTheIdentifierIsNotAnOrtModel();
    void damagedFilesAreReadOrRefused();

private:
    static std::unique_ptr<Graph> typed(std::unique_ptr<Graph> graph) {
        inferTypes(*graph, standardOps().catalog);
        return graph;
    }
};

/// The format does not store names of graphs.
static std::unique_ptr<Graph> readBack(const Graph& graph) {
    auto again = parseOrtModel(bytesOf(serializeOrtModel(graph)));
    again->setName(graph.name());
    return again;
}

void OrtModelTest::filesOfOnnxRuntimeAreWrittenAndReadAlike_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("nodes");
    QTest::newRow("training_model.ort") << "training_model.ort" << 8;
    QTest::newRow("eval_model.ort") << "eval_model.ort" << 3;
    QTest::newRow("optimizer_model.ort") << "optimizer_model.ort" << 1;
}

void OrtModelTest::filesOfOnnxRuntimeAreWrittenAndReadAlike() {
    QFETCH(QString, name);
    QFETCH(int, nodes);
    const std::unique_ptr<Graph> graph = loadModel(kOrtFormat / name.toStdString());
    QCOMPARE(static_cast<int>(graph->nodeCount()), nodes);
    const QTemporaryDir folder;
    const std::string copy = folder.filePath("copy.ort").toStdString();
    saveModel(*graph, copy);
    QVERIFY(isOrtModel(bytesOf(readFile(copy))));
    const std::unique_ptr<Graph> again = loadModel(copy);
    QCOMPARE(textOf(*again), textOf(*graph));
    QCOMPARE(again->info().opsetImports, graph->info().opsetImports);
    QCOMPARE(again->info().producerVersion, graph->info().producerVersion);
}

void OrtModelTest::allOfAGraphIsKept() {
    const std::unique_ptr<Graph> graph = typed(parseText(kModel));
    const std::unique_ptr<Graph> again = readBack(*graph);
    QCOMPARE(textOf(*again), textOf(*graph));
    QCOMPARE(again->info().metadata, graph->info().metadata);
    QVERIFY(again->at("lit")->isLiteral());
    QVERIFY(!again->at("w")->isLiteral());
    QVERIFY(again->at("s")->type().isSequence);
    for (const Value* value : graph->values()) {
        QVERIFY2(again->at(value->name())->type() == value->type(), value->name().c_str());
    }
}

void OrtModelTest::equalGraphsGiveEqualBytes() {
    const std::unique_ptr<Graph> graph = typed(parseText(kModel));
    const std::string bytes = serializeOrtModel(*graph);
    QVERIFY(serializeOrtModel(*graph->clone()) == bytes);
    QVERIFY(serializeOrtModel(*parseOrtModel(bytesOf(bytes))) == bytes);
}

void OrtModelTest::backwardNodesStayMarked() {
    const std::unique_ptr<Graph> graph = parseText(kModel);
    graph->at("t0")->producer()->setBackward(true);
    graph->addOutput(graph
                         ->addNode({.opType = "Abs",
                                    .inputs = {graph->at("t2")},
                                    .outputs = {"noted"},
                                    .docString = "a note"})
                         ->output(0));
    inferTypes(*graph, standardOps().catalog);
    const std::unique_ptr<Graph> again = readBack(*graph);
    QVERIFY(again->at("t0")->producer()->isBackward());
    QVERIFY(again->at("t0")->producer()->docString().empty());
    QVERIFY(!again->at("noted")->producer()->isBackward());
    QCOMPARE(again->at("noted")->producer()->docString(), std::string("a note"));
    if (!fs::exists(kOrtFormat)) QSKIP("the shared conformance data are absent");
    const std::unique_ptr<Graph> training = loadModel(kOrtFormat / "training_model.ort");
    const auto nodes = training->nodes();
    QVERIFY(std::ranges::any_of(nodes, &Node::isBackward));
    QVERIFY(!std::ranges::all_of(nodes, &Node::isBackward));
}

void OrtModelTest::forwardModelsAreTheSameInBothFormats_data() {
    QTest::addColumn<QString>("path");
    for (const char* name : {"mlp", "lenet", "mobilenet", "transformer", "lstm"}) {
        QTest::newRow(name) << QString("torch/%1/model.onnx").arg(name);
    }
}

void OrtModelTest::forwardModelsAreTheSameInBothFormats() {
    QFETCH(QString, path);
    const std::unique_ptr<Graph> graph = typed(loadModel(kConformance / path.toStdString()));
    const std::unique_ptr<Graph> again = readBack(*graph);
    QCOMPARE(again->info().opsetImports.at("com.microsoft"), 1);
    again->info().opsetImports = graph->info().opsetImports;
    QCOMPARE(textOf(*again), textOf(*graph));
}

void OrtModelTest::theContentDeterminesTheFormat() {
    const std::unique_ptr<Graph> graph = typed(parseText(kModel));
    const QTemporaryDir folder;
    saveModel(*graph, folder.filePath("m.ORT").toStdString());
    QFile::rename(folder.filePath("m.ORT"), folder.filePath("m.onnx"));
    const auto again = loadModel(folder.filePath("m.onnx").toStdString());
    again->setName(graph->name());
    QCOMPARE(textOf(*again), textOf(*graph));
}

void OrtModelTest::anOperatorWithoutKernelTypesIsWrittenInTheOlderVersion() {
    const auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17, "my.domain" : 1]>
        agraph (float[2] x) => (float[2] y) { y = my.domain.Strange(x) })");
    graph->at("y")->setType(graph->at("x")->type());
    const std::string bytes = serializeOrtModel(*graph);
    QVERIFY(bytes.find(std::string("\x01\0\0\0", 4) + "4") != std::string::npos);
    QCOMPARE(textOf(*parseOrtModel(bytesOf(bytes))).contains("my.domain.Strange"), true);
}

/// All but operators newer than opset 21; none of our own has any. A new operator of com.microsoft
/// needs an entry in tools/ort_operators.py.
void OrtModelTest::operatorsHaveKernelTypes() {
    const QStringList without{".Attention",
                              ".BitCast",
                              ".CausalConvWithState",
                              ".CumProd",
                              ".LinearAttention",
                              ".RMSNormalization",
                              ".RotaryEmbedding",
                              ".SwiGLU",
                              ".Swish",
                              ".TensorScatter",
                              "ai.onnx.preview.FlexAttention"};
    QStringList missing;
    const OpSet ops = standardOps();
    for (const OpInfo* op : ops.catalog.all()) {
        const int64_t opset = op->domain.empty() ? 21 : 1;
        const bool isKnown = kernelTypesOf(op->domain, op->opType, opset).has_value();
        if (op->domain == "temper") QVERIFY2(!isKnown, op->opType.c_str());
        if (isKnown || op->domain == "temper") continue;
        missing << QString::fromStdString(op->domain + "." + op->opType);
    }
    QCOMPARE(missing.join(", "), without.join(", "));
}

void OrtModelTest::kernelTypesAreThoseOfTheNewestVersion() {
    QCOMPARE(kernelTypesOf("", "OptionalHasElement", 21)->sinceVersion, 18);
    const auto grid = kernelTypesOf("", "GridSample", 21);
    QCOMPARE(grid->sinceVersion, 20);
    QVERIFY((grid->constraints.at("T2") == std::vector<FormalArgument>{{false, 1}}));
}

void OrtModelTest::requiredOperatorsAreListedByDomainAndVersion() {
    QCOMPARE(requiredOperators(*typed(parseText(kModel))), std::string("ai.onnx;13;Clip,Transpose\n"
                                                                       "ai.onnx;14;Add,Mul,Sub\n"
                                                                       "ai.onnx;16;If,LeakyRelu\n"
                                                                       "com.microsoft;1;Gelu\n"));
}

void OrtModelTest::aValueWithoutATypeIsRefused() {
    const auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        agraph (float[2] x) => (float[2] y) { a = Abs(x) y = Neg(a) })");
    graph->at("a")->setType({});
    const QString error = errorOf([&] { serializeOrtModel(*graph); });
    QVERIFY2(error.contains("The type of value 'a' is unknown"), qPrintable(error));
}

/// A Loop whose body captures values and holds an If whose branches capture from further out.
void OrtModelTest::valuesInBodiesGetTheirTypes() {
    const auto graph = typed(parseText(R"(
        <ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
        graph (int64 n, bool go, float[2] x) => (float[2] y) {
            y = Loop (n, go, x) <
                body = graph (int64 i, bool c, float[2] s) => (bool c2, float[2] s2) {
                    t = Mul(s, x)
                    j = Cast <to = 1> (i)
                    u = If (c) <
                        then_branch = graph () => (float[2] a) { b = Add(t, j) a = Neg(b) },
                        else_branch = graph () => (float[2] d) { d = Identity(x) }
                    >
                    c2 = Identity(c)
                    s2 = Add(u, s)
                }
            >
        })"));
    QVERIFY(!errorOf([&] { serializeOrtModel(*graph); }).isEmpty());
    completeForOrtFormat(*graph, standardOps().catalog);
    const auto again = readBack(*graph);
    QCOMPARE(textOf(*again), textOf(*graph));
    using Body = std::shared_ptr<const Graph>;
    const Body loop = again->at("y")->producer()->attribute<Body>("body", nullptr);
    QVERIFY(loop->at("j")->type().dtype == DType::Float32);
    const Body then = loop->at("u")->producer()->attribute<Body>("then_branch", nullptr);
    QVERIFY(then->at("b")->type().dtype == DType::Float32);
    QVERIFY(then->at("t")->isCaptured());
}

/// The graph no longer needs the indices of TopK, but TopK requires the output; a mask may be left
/// out.
void OrtModelTest::outputsThatAnOperatorRequiresHaveNames() {
    const auto graph = typed(parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        graph (float[4] x, int64[1] k) => (float[2] v, int64[2] j, float[4] d, bool[4] n) {
            v, i = TopK(x, k)
            j = Identity(i)
            d, mask = Dropout(x)
            n = Not(mask)
        })"));
    graph->makeInitializer(graph->at("i"), Tensor::of<int64_t>({2}, std::vector<int64_t>{0, 1}));
    graph->makeInitializer(graph->at("mask"), Tensor(DType::Bool, {4}));
    completeForOrtFormat(*graph, standardOps().catalog);
    const auto again = readBack(*graph);
    const Node* top = again->at("v")->producer();
    QVERIFY(top->output(1) != nullptr && top->output(1)->name() != "i");
    QVERIFY(top->output(1)->type().dtype == DType::Int64);
    QVERIFY(again->at("i")->isInitializer());
    QVERIFY(again->at("d")->producer()->output(1) == nullptr);
}

void OrtModelTest::cutFilesAreRefused() {
    const std::string bytes = serializeOrtModel(*typed(parseText(kModel)));
    const size_t padding = 7;  // at most; a file without it is whole
    for (size_t size = 8; size + padding < bytes.size(); size += 7) {
        const std::string cut = bytes.substr(0, size);
        const QString error = errorOf([&] { parseBytes(cut); });
        QVERIFY2(error.contains("m.onnx"), qPrintable(QString::number(size) + ": " + error));
    }
}

void OrtModelTest::badFilesAreRefused_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");
    const QByteArray good = QByteArray::fromStdString(serializeOrtModel(*typed(parseText(kModel))));
    const auto row = [](const char* name, const QByteArray& bytes, const char* message) {
        QTest::newRow(name) << bytes << QString(message);
    };
    row("head only", good.left(8), "has 8 bytes");
    row("first half", good.left(good.size() / 2), "truncated or damaged");
    row("root table past the end", QByteArray(good).replace(0, 2, "\xFF\x7F"), "damaged");
    row("root table in the head", QByteArray(good).replace(0, 1, "\1"), "damaged");
    row("zeros after the header", good.left(8) + QByteArray(200, '\0'), "version (none)");
    row("all ones after the header", good.left(8) + QByteArray(200, '\xFF'), "damaged");
    const std::pair<const char*, const char*> versions[] = {
        {"version 3", "3"}, {"version 9", "9"}, {"a word for the version", "x"}};
    for (const auto& [name, version] : versions) {
        const QByteArray six("\1\0\0\0\x36\0", 6), other = QByteArray(six).replace("6", version);
        QVERIFY(good.contains(six));
        row(name, QByteArray(good).replace(six, other), "version");
    }
}

void OrtModelTest::badFilesAreRefused() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, message);
    const QString error = errorOf([&] { parseBytes(bytes.toStdString()); });
    QVERIFY2(error.contains(message) && error.contains("m.onnx"), qPrintable(error));
    compareWithBadFiles("ORT model", error);
}

void OrtModelTest::aProducerWhoseNameStartsLikeTheIdentifierIsNotAnOrtModel() {
    const auto model = parseText(
        "<ir_version: 8, opset_import: [\"\" : 17], producer_name: \"ORTModule\"> "
        "agraph (float[N] x) => (float[N] y) { y = Relu(x) }");
    const std::string bytes = serializeModel(*model);
    QCOMPARE(bytes.substr(4, 4), std::string("ORTM"));
    QCOMPARE(parseBytes(bytes)->info().producerName, std::string("ORTModule"));
}

void OrtModelTest::damagedFilesAreReadOrRefused() {
    const std::string bytes = serializeOrtModel(*typed(parseText(kModel)));
    std::mt19937 random(7);
    int refused = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string damaged = bytes;
        for (int i = 0; i < 1 + round % 4; ++i) {
            damaged[8 + random() % (damaged.size() - 8)] = static_cast<char>(random());
        }
        try {
            parseBytes(damaged);
        } catch (const Error& error) {
            QVERIFY2(error.code() != ErrorCode::Internal, error.what());
            ++refused;
        }
    }
    QVERIFY2(refused > 500, qPrintable(QString::number(refused)));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OrtModelTest)
#include "ort_model_test.moc"
