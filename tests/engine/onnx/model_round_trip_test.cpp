// SPDX-License-Identifier: Apache-2.0
#include <onnx/checker.h>
#include <onnx/defs/tensor_proto_util.h>

#include <QDirIterator>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/core/file.h"
#include "tests/engine/onnx/onnx_test_support.h"

namespace temper::test {

/// The highest opset and IR version that libonnx checks.
constexpr int64_t kJudgedOpset = 17;
constexpr int64_t kJudgedIr = 8;

onnx::ModelProto protoOf(const std::string& bytes) {
    onnx::ModelProto model;
    if (!model.ParseFromString(bytes)) qFatal("the bytes are an ONNX model");
    return model;
}

bool isJudged(const onnx::ModelProto& model) {
    const auto isOld = [](const auto& import) {
        return !import.domain().empty() || import.version() <= kJudgedOpset;
    };
    return model.ir_version() <= kJudgedIr &&
           std::all_of(model.opset_import().begin(), model.opset_import().end(), isOld);
}

/// Why libonnx rejects the model; empty if it does not.
QString verdict(const onnx::ModelProto& model) {
    try {
        onnx::checker::check_model(model);
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

template <typename T>
bool sameNumbers(const Tensor& actual, const onnx::TensorProto& expected) {
    const std::vector<T> values = onnx::ParseData<T>(&expected);
    return std::ranges::equal(std::as_bytes(actual.values<T>()),
                              std::as_bytes(std::span<const T>(values)));
}

bool sameTensor(const Tensor& actual, const onnx::TensorProto& expected) {
    if (static_cast<int>(actual.dtype()) != expected.data_type()) return false;
    if (!std::ranges::equal(actual.shape(), expected.dims())) return false;
    switch (actual.dtype()) {
        case DType::Float32: return sameNumbers<float>(actual, expected);
        case DType::Float64: return sameNumbers<double>(actual, expected);
        case DType::Int32: return sameNumbers<int32_t>(actual, expected);
        case DType::Int64: return sameNumbers<int64_t>(actual, expected);
        default: return true;  // libonnx reads these four
    }
}

/// Every model of the conformance data and of libonnx's own: load, save, load.
class ModelRoundTripTest : public QObject {
    Q_OBJECT

private slots:
    void savedModelIsTheSameAndValid_data();
    void savedModelIsTheSameAndValid();
    void initializersHaveTheNumbersThatLibonnxReads_data() { savedModelIsTheSameAndValid_data(); }
    void initializersHaveTheNumbersThatLibonnxReads();
    void backwardNodesAreMarkedByTheirDocString();
    void outputsThatAnOperatorRequiresHaveNames();
};

void addModels(const QString& folder, const QString& label) {
    QDirIterator files(folder, {"*.onnx"}, QDir::Files, QDirIterator::Subdirectories);
    QStringList paths;
    while (files.hasNext()) paths << files.next();
    paths.sort();
    for (const QString& path : paths) {
        QTest::newRow(qPrintable(label + path.mid(folder.size()))) << path;
    }
}

void ModelRoundTripTest::savedModelIsTheSameAndValid_data() {
    QTest::addColumn<QString>("path");
    addModels(TEMPER_CONFORMANCE_DIR, "conformance");
    for (const char* family : {"simple", "pytorch-converted", "pytorch-operator"}) {
        addModels(QString(TEMPER_ONNX_TESTDATA "/") + family, family);
    }
    for (const char* name :
         {"test_if", "test_if_opt", "test_if_seq", "test_identity_opt", "test_loop11",
          "test_loop13_seq", "test_loop16_seq_none", "test_optional_has_element", "test_scan9_sum",
          "test_sequence_insert_at_back", "test_cast_FLOAT_to_BFLOAT16", "test_constant",
          "test_cast_FLOAT16_to_DOUBLE", "test_and2d", "test_split_zero_size_splits"}) {
        addModels(QString(TEMPER_ONNX_TESTDATA "/node/") + name, name);
    }
}

void ModelRoundTripTest::savedModelIsTheSameAndValid() {
    QFETCH(QString, path);
    const std::unique_ptr<Graph> graph = loadModel(path.toStdString());
    const QTemporaryDir folder;
    const std::filesystem::path copy = folder.filePath("copy.onnx").toStdString();
    saveModel(*graph, copy);
    QCOMPARE(textOf(*loadModel(copy)), textOf(*graph));

    const std::string saved = readFile(copy);
    QCOMPARE(QByteArray::fromStdString(serializeModel(*graph)), QByteArray::fromStdString(saved));
    const onnx::ModelProto original = protoOf(readFile(path.toStdString()));
    if (isJudged(original) && verdict(original).isEmpty()) {
        QCOMPARE(verdict(protoOf(saved)), QString());
    }
}

void ModelRoundTripTest::initializersHaveTheNumbersThatLibonnxReads() {
    QFETCH(QString, path);
    const std::unique_ptr<Graph> graph = loadModel(path.toStdString());
    const onnx::ModelProto proto = protoOf(readFile(path.toStdString()));
    QCOMPARE(graph->name(), proto.graph().name());
    for (const auto& expected : proto.graph().initializer()) {
        if (expected.data_location() == onnx::TensorProto::EXTERNAL) continue;
        QVERIFY2(sameTensor(graph->at(expected.name())->constant(), expected),
                 expected.name().c_str());
    }
}

/// Doc strings that ONNX Runtime uses as markers; others stay as they are.
void ModelRoundTripTest::backwardNodesAreMarkedByTheirDocString() {
    onnx::ModelProto model = smallModel();
    model.mutable_graph()->mutable_node(0)->set_doc_string("Backward pass");
    addNode(*model.mutable_graph(), "Abs", "x", "z").set_doc_string("a note");
    const std::unique_ptr<Graph> graph = parseProto(model);
    const Node* marked = graph->at("y")->producer();
    const Node* other = graph->at("z")->producer();
    QVERIFY(marked->isBackward() && marked->docString().empty());
    QVERIFY(!other->isBackward());
    QCOMPARE(other->docString(), std::string("a note"));
    QVERIFY(graph->clone()->at("y")->producer()->isBackward());

    graph->at("z")->producer()->setBackward(true);
    const onnx::ModelProto saved = protoOf(serializeModel(*graph));
    for (const onnx::NodeProto& node : saved.graph().node())
        QCOMPARE(node.doc_string(), std::string("Backward pass"));
}

/// The graph no longer needs the indices of TopK, but TopK requires the output; a mask may be left
/// out.
void ModelRoundTripTest::outputsThatAnOperatorRequiresHaveNames() {
    const std::unique_ptr<Graph> graph = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float[4] x, int64[1] k) => (float[2] v, int64[2] j, float[4] d, bool[4] n) {
            v, i = TopK(x, k)
            j = Identity(i)
            d, mask = Dropout(x)
            n = Not(mask)
        })");
    graph->makeInitializer(graph->at("i"), Tensor::of<int64_t>({2}, std::vector<int64_t>{0, 1}));
    graph->makeInitializer(graph->at("mask"), Tensor(DType::Bool, {4}));
    const onnx::ModelProto saved = protoOf(serializeModel(*graph));
    QCOMPARE(verdict(saved), QString());
    const std::unique_ptr<Graph> again = parseProto(saved);
    const Node* top = again->at("v")->producer();
    QCOMPARE(top->outputs().size(), size_t{2});
    QVERIFY(top->output(1) != nullptr && top->output(1)->name() != "i");
    QVERIFY(again->at("i")->isInitializer());
    const Node* dropout = again->at("d")->producer();
    QVERIFY(dropout->outputs().size() == 1 || dropout->output(1) == nullptr);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ModelRoundTripTest)
#include "model_round_trip_test.moc"
