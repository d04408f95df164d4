// SPDX-License-Identifier: Apache-2.0
#include <onnx/checker.h>

#include <sys/stat.h>
#include <QFile>

#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <filesystem>
#include <numeric>

#include "engine/core/file.h"
#include "tests/engine/onnx/onnx_test_support.h"
#include "tests/support/bad_files.h"

namespace temper::test {

namespace fs = std::filesystem;

/// The location of a tensor's data.
struct Place {
    std::string location;
    std::string offset;
    std::string length;
};

/// A model whose initializer 'w' of 4 floats has external data.
onnx::ModelProto modelWithData(const Place& place) {
    onnx::ModelProto model = smallModel();
    onnx::TensorProto& tensor = addInitializer(model, "w", {4});
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto add = [&tensor](const char* key, const std::string& value) {
        if (value.empty()) return;
        onnx::StringStringEntryProto& entry = *tensor.add_external_data();
        entry.set_key(key);
        entry.set_value(value);
    };
    add("location", place.location);
    add("offset", place.offset);
    add("length", place.length);
    return model;
}

class ExternalDataTest : public QObject {
    Q_OBJECT

private slots:
    void init() { QVERIFY(dir_.isValid()); }
    void dataIsReadFromItsPlace_data();
    void dataIsReadFromItsPlace();
    void badPlaceIsRefused_data();
    void badPlaceIsRefused();
    void linkOutOfTheFolderIsRefused();
    void modelInMemoryHasNoData();
    void savedDataIsAlignedAndValid();
    void largeModelGetsExternalDataAutomatically();
    void modelMayBeSavedOverTheDataItMaps();
    void modelBeyondTwoGigabytesFitsNoMessage();

private:
    fs::path path(const char* name) const { return dir_.filePath(name).toStdString(); }
    void write(const char* name, const onnx::ModelProto& model) const {
        writeFileAtomically(path(name), model.SerializeAsString());
    }
    void writeNumbers(const char* name, const std::string& before) const {
        const std::array<float, 4> numbers = {1, 2, 3, 4};
        const std::string bytes(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers));
        writeFileAtomically(path(name), before + bytes);
    }

    QTemporaryDir dir_;
};

void ExternalDataTest::dataIsReadFromItsPlace_data() {
    QTest::addColumn<QString>("offset");
    QTest::addColumn<QString>("length");
    QTest::addColumn<QByteArray>("before");
    QTest::newRow("whole file") << ""
                                << "" << QByteArray();
    QTest::newRow("with a length") << "0"
                                   << "16" << QByteArray();
    QTest::newRow("aligned offset") << "64"
                                    << "16" << QByteArray(64, 'x');
    QTest::newRow("odd offset") << "7"
                                << "16" << QByteArray(7, 'x');
}

void ExternalDataTest::dataIsReadFromItsPlace() {
    QFETCH(QString, offset);
    QFETCH(QString, length);
    QFETCH(QByteArray, before);
    fs::create_directories(path("data"));
    writeNumbers("data/w.bin", before.toStdString());
    write("m.onnx", modelWithData({"data/w.bin", offset.toStdString(), length.toStdString()}));
    const std::unique_ptr<Graph> graph = loadModel(path("m.onnx"));
    const std::span<const float> values = graph->at("w")->constant().values<float>();
    QCOMPARE(values.size(), size_t{4});
    QCOMPARE(values[0], 1.0F);
    QCOMPARE(values[3], 4.0F);
}

void ExternalDataTest::badPlaceIsRefused_data() {
    QTest::addColumn<QString>("location");
    QTest::addColumn<QString>("offset");
    QTest::addColumn<QString>("length");
    QTest::addColumn<QString>("message");
    const QString outside = "expected a file in the model's own folder";
    QTest::newRow("parent folder") << "../w.bin"
                                   << ""
                                   << "" << outside;
    QTest::newRow("hidden parent") << "data/../../w.bin"
                                   << ""
                                   << "" << outside;
    QTest::newRow("absolute path") << "/etc/hostname"
                                   << ""
                                   << "" << outside;
    QTest::newRow("folder") << "data"
                            << ""
                            << "" << outside;
    QTest::newRow("the model's folder") << "."
                                        << ""
                                        << "" << outside;
    QTest::newRow("no location") << ""
                                 << ""
                                 << "" << outside;
    QTest::newRow("missing file") << "none.bin"
                                  << ""
                                  << ""
                                  << "none.bin', which does not exist";
    QTest::newRow("offset past the end") << "w.bin"
                                         << "17"
                                         << ""
                                         << "which has 16 bytes";
    QTest::newRow("data past the end") << "w.bin"
                                       << "1"
                                       << "16"
                                       << "which has 16 bytes";
    QTest::newRow("huge offset") << "w.bin"
                                 << "18446744073709551615"
                                 << ""
                                 << "has 16 bytes";
    QTest::newRow("negative offset") << "w.bin"
                                     << "-1"
                                     << ""
                                     << "offset '-1'; expected a number";
    QTest::newRow("offset is not a number") << "w.bin"
                                            << "0x0"
                                            << ""
                                            << "offset '0x0'";
    QTest::newRow("length is too small") << "w.bin"
                                         << ""
                                         << "15"
                                         << "has 15 bytes";
    QTest::newRow("length is too large") << "w.bin"
                                         << ""
                                         << "17"
                                         << "has 17 bytes";
    QTest::newRow("second name of another file") << "second.bin"
                                                 << ""
                                                 << ""
                                                 << "is also another file (a hard link)";
    QTest::newRow("pipe") << "pipe"
                          << ""
                          << "" << outside;
}

void ExternalDataTest::badPlaceIsRefused() {
    QFETCH(QString, location);
    QFETCH(QString, offset);
    QFETCH(QString, length);
    QFETCH(QString, message);
    fs::create_directories(path("inner/data"));
    writeNumbers("inner/w.bin", "");
    writeNumbers("w.bin", "");
    fs::remove(path("inner/second.bin"));
    fs::create_hard_link(path("w.bin"), path("inner/second.bin"));
    ::mkfifo(path("inner/pipe").c_str(), 0666);
    write("inner/m.onnx",
          modelWithData({location.toStdString(), offset.toStdString(), length.toStdString()}));
    const QString error = errorOf([&] { loadModel(path("inner/m.onnx")); });
    QVERIFY2(error.contains(message), qPrintable(error));
    QVERIFY2(error.contains("Initializer 'w'") && error.contains("m.onnx"), qPrintable(error));
    compareWithBadFiles("ONNX model: external data", error, dir_.path());
}

void ExternalDataTest::linkOutOfTheFolderIsRefused() {
    fs::create_directories(path("linked"));
    writeNumbers("secret.bin", "");
    fs::create_symlink(path("secret.bin"), path("linked/w.bin"));
    write("linked/m.onnx", modelWithData({"w.bin", "", ""}));
    const QString error = errorOf([&] { loadModel(path("linked/m.onnx")); });
    QVERIFY2(error.contains("expected a file in the model's own folder"), qPrintable(error));
}

void ExternalDataTest::modelInMemoryHasNoData() {
    const QString error = errorOf([] { parseProto(modelWithData({"w.bin", "", ""})); });
    QVERIFY2(error.contains("the model is not in a folder"), qPrintable(error));
}

void ExternalDataTest::savedDataIsAlignedAndValid() {
    Graph graph;
    graph.info().opsetImports[""] = 17;
    Value* x = graph.addInput("x", {DType::Float32, symbolicShape({2, 33}), false});
    Tensor weights(DType::Float32, {33, 20});
    std::iota(weights.mutableValues<float>().begin(), weights.mutableValues<float>().end(), 0.5F);
    Value* w = graph.addInitializer("w", weights);
    Value* bytes = graph.addInitializer("bytes", Tensor(DType::UInt8, {1111}));
    Value* small = graph.addInitializer("small", Tensor(DType::Float32, {20}));
    const Node* product = graph.addNode({"MatMul", {x, w}, {"h"}});
    const Node* sum = graph.addNode({"Add", {product->output(0), small}, {"y"}});
    sum->output(0)->setType({DType::Float32, symbolicShape({2, 20}), false});
    graph.addOutput(sum->output(0));
    QVERIFY(bytes->isInitializer());

    saveModel(graph, path("m.onnx"), {.externalData = true});
    QCOMPARE(textOf(*loadModel(path("m.onnx"))), textOf(graph));
    // libonnx resolves the files and ranges, too.
    onnx::checker::check_model(path("m.onnx").string());
    onnx::ModelProto proto;
    QVERIFY(proto.ParseFromString(readFile(path("m.onnx"))));
    QCOMPARE(proto.graph().initializer_size(), 3);
    QCOMPARE(proto.graph().initializer(0).external_data(1).value(), std::string("0"));
    QCOMPARE(proto.graph().initializer(1).external_data(0).value(), std::string("m.onnx.data"));
    QCOMPARE(proto.graph().initializer(1).external_data(1).value(), std::string("2688"));
    QVERIFY(proto.graph().initializer(2).external_data().empty());
}

void ExternalDataTest::largeModelGetsExternalDataAutomatically() {
    Graph graph;
    graph.info().opsetImports[""] = 17;
    graph.addOutput(graph.addInitializer("w", Tensor(DType::Float32, {1000})));
    saveModel(graph, path("under.onnx"), {.maxInlineBytes = 4000});
    QVERIFY(!fs::exists(path("under.onnx.data")));
    saveModel(graph, path("over.onnx"), {.maxInlineBytes = 3999});
    QCOMPARE(fs::file_size(path("over.onnx.data")), uintmax_t{4000});
    QCOMPARE(textOf(*loadModel(path("over.onnx"))), textOf(graph));
}

void ExternalDataTest::modelMayBeSavedOverTheDataItMaps() {
    Graph graph;
    graph.info().opsetImports[""] = 17;
    graph.addOutput(graph.addInitializer("w", Tensor::of<float>({3}, {1, 2, 3})));
    const SaveOptions everything{.externalData = true, .externalDataThreshold = 0};
    saveModel(graph, path("self.onnx"), everything);
    const std::unique_ptr<Graph> mapped = loadModel(path("self.onnx"));
    saveModel(*mapped, path("self.onnx"), everything);
    QCOMPARE(textOf(*mapped), textOf(graph));
    QCOMPARE(textOf(*loadModel(path("self.onnx"))), textOf(graph));
}

void ExternalDataTest::modelBeyondTwoGigabytesFitsNoMessage() {
    // One byte stands for the whole: sizes are checked before any data is read.
    std::byte data{};
    const auto huge = Tensor::wrap(DType::UInt8, {int64_t{1} << 31}, nullptr, &data);
    Graph graph;
    graph.addOutput(graph.addInitializer("w", huge));
    const QString error = errorOf([&] { serializeModel(graph); });
    QVERIFY2(error.contains("2147483648 bytes; the limit without external data is 2 GiB"),
             qPrintable(error));
    QVERIFY2(error.contains("Save the model into a file"), qPrintable(error));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ExternalDataTest)
#include "external_data_test.moc"
