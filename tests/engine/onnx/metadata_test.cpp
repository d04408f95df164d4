// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/unknown_field_set.h>

#include <QDir>
#include <QTest>

#include "tests/engine/onnx/onnx_test_support.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Source: onnx.proto of ONNX 1.16.
constexpr int kGraphField = 16, kNodeField = 9, kValueField = 4;

void addEntry(google::protobuf::Message& message, int field, const std::string& key,
              const std::string& value) {
    onnx::StringStringEntryProto entry;
    entry.set_key(key);
    entry.set_value(value);
    message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(
        field, entry.SerializeAsString());
}

/// y = x + w, with metadata on everything that can have some.
std::string modelWithMetadata() {
    onnx::ModelProto model = smallModel();
    onnx::GraphProto& graph = *model.mutable_graph();
    onnx::TensorProto& weight = addInitializer(model, "w", {1});
    weight.add_float_data(2);
    graph.mutable_node(0)->set_op_type("Add");
    graph.mutable_node(0)->add_input("w");
    addEntry(graph, kGraphField, "graph key", "of the graph");
    addEntry(*graph.mutable_node(0), kNodeField, "node key", "of the node");
    addEntry(*graph.mutable_node(0), kNodeField, "a key", "in order");
    addEntry(*graph.mutable_input(0), kValueField, "input key", "of the input");
    addEntry(*graph.mutable_output(0), kValueField, "output key", "of the output");
    addEntry(addValue(*graph.add_value_info(), "w"), kValueField, "weight key", "of the weight");
    return model.SerializeAsString();
}

QString summaryOf(const Metadata& metadata) {
    QStringList entries;
    for (const auto& [key, value] : metadata) {
        entries << QString::fromStdString(key + "=" + value);
    }
    return entries.join(", ");
}

void compareWithModel(const Graph& graph) {
    QCOMPARE(summaryOf(graph.metadata()), QString("graph key=of the graph"));
    QCOMPARE(summaryOf(graph.nodes().front()->metadata()),
             QString("a key=in order, node key=of the node"));
    QCOMPARE(summaryOf(graph.at("x")->metadata()), QString("input key=of the input"));
    QCOMPARE(summaryOf(graph.at("y")->metadata()), QString("output key=of the output"));
    QCOMPARE(summaryOf(graph.at("w")->metadata()), QString("weight key=of the weight"));
}

}  // namespace

/// `metadata_props` of graphs, nodes and values: read into the graph, and written to the file
/// again.
class MetadataTest : public QObject {
    Q_OBJECT

private slots:
    void metadataAreReadAndCopiesHaveThem();
    void metadataAreWrittenAgain();
    void aDamagedEntryIsRefusedWithItsNode();
    void whatPyTorchWroteIsWhatIsRead();
};

void MetadataTest::metadataAreReadAndCopiesHaveThem() {
    const auto graph = parseBytes(modelWithMetadata());
    compareWithModel(*graph);
    compareWithModel(*graph->clone());
    Graph moved;
    moved = std::move(*graph->clone());
    compareWithModel(moved);
}

void MetadataTest::metadataAreWrittenAgain() {
    const std::string bytes = serializeModel(*parseBytes(modelWithMetadata()));
    compareWithModel(*parseBytes(bytes));
    const auto other = parseBytes(smallModel().SerializeAsString());
    QVERIFY(serializeModel(*other).find("key") == std::string::npos);
}

void MetadataTest::aDamagedEntryIsRefusedWithItsNode() {
    onnx::ModelProto model = smallModel();
    onnx::NodeProto& node = *model.mutable_graph()->mutable_node(0);
    node.GetReflection()->MutableUnknownFields(&node)->AddLengthDelimited(kNodeField, "\x0a\xff");
    const QString error = errorOf([&] { parseProto(model); });
    // Libraries that know the field refuse the whole file.
    const bool isKnown =
        onnx::NodeProto::descriptor()->FindFieldByName("metadata_props") != nullptr;
    if (isKnown) {
        QVERIFY2(error.contains("The file is not an ONNX model"), qPrintable(error));
    } else {
        QVERIFY2(error.contains("node 'relu'") && error.contains("metadata"), qPrintable(error));
    }
}

void MetadataTest::whatPyTorchWroteIsWhatIsRead() {
    const QString path = TEMPER_CONFORMANCE_DIR "/dynamo/tied_language_model.dynamo/model.onnx";
    const auto graph = loadModel(path.toStdString());
    const std::string signature =
        metadataText(graph->metadata(), "pkg.torch.export.ExportedProgram.graph_signature");
    QVERIFY(signature.find("p_emb_weight: PARAMETER target='emb.weight'") != std::string::npos);
    QCOMPARE(metadataText(graph->at("val_4")->metadata(), "pkg.onnxscript.optimizer.folded_from"),
             std::string("['head.weight']"));
    for (const Node* node : graph->nodes()) {
        QVERIFY(!metadataText(node->metadata(), "pkg.torch.onnx.fx_node").empty());
    }
}

QTEST_APPLESS_MAIN(MetadataTest)
#include "metadata_test.moc"
