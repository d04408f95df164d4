// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <map>
#include <vector>

#include "engine/core/file.h"
#include "engine/core/small_types.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/proto.h"

using namespace temper;

namespace {

namespace fs = std::filesystem;

/// Made by make_small_types.py beside this file, with onnx 1.23.
fs::path givenFile() {
    return fs::path(TEMPER_SOURCE_DIR) / "tests/engine/onnx/data/small_types.onnx";
}

const std::map<std::string, std::vector<double>>& expectedNumbers() {
    static const std::vector<double> kReals = {0, 1, -1.5, 0.5, 6, -4, 3};
    static const std::map<std::string, std::vector<double>> kNumbers = {
        {"float8e4m3fn", kReals},
        {"float8e4m3fnuz", kReals},
        {"float8e5m2", kReals},
        {"float8e5m2fnuz", kReals},
        {"float4e2m1", kReals},
        {"float8e8m0", {1, 2, 0.5, 4, 0.25, 1024, 8}},
        {"uint4", {0, 15, 7, 8, 1, 9, 3}},
        {"int4", {0, -8, 7, -1, 1, 5, -3}},
        {"uint2", {0, 3, 1, 2, 2, 0, 3}},
        {"int2", {0, -2, 1, -1, 1, -2, -1}},
    };
    return kNumbers;
}

onnx::ModelProto protoOf(const fs::path& file) {
    onnx::ModelProto model;
    if (!model.ParseFromString(readFile(file))) throw std::runtime_error("no model");
    return model;
}

std::map<std::string, std::string> rawBytesOf(const fs::path& file) {
    std::map<std::string, std::string> bytes;
    const onnx::ModelProto model = protoOf(file);
    for (const auto& tensor : model.graph().initializer()) bytes[tensor.name()] = tensor.raw_data();
    return bytes;
}

}  // namespace

/// float8, float4, int4 and int2 in files.
class SmallTypesFileTest : public QObject {
    Q_OBJECT

private slots:
    void numbersAreRead_data() {
        QTest::addColumn<QString>("type");
        for (const auto& [name, numbers] : expectedNumbers())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void numbersAreRead() {
        QFETCH(QString, type);
        const auto graph = loadModel(givenFile());
        QCOMPARE(graph->info().irVersion, int64_t{14});
        const std::vector<double>& expected = expectedNumbers().at(type.toStdString());
        for (const char* form : {"_raw", "_field"}) {
            const Tensor& tensor = graph->at(type.toStdString() + form)->constant();
            QCOMPARE(tensor.dtype(), *dtypeFromName(type.toStdString()));
            const Tensor wide = tensor.cast(DType::Float64);
            const auto found = wide.values<double>();
            QCOMPARE(std::vector<double>(found.begin(), found.end()), expected);
        }
    }

    void theyAreWrittenAsTheyCame() {
        const QTemporaryDir folder;
        const fs::path copy = folder.filePath("copy.onnx").toStdString();
        saveModel(*loadModel(givenFile()), copy);
        const auto given = rawBytesOf(givenFile()), written = rawBytesOf(copy);
        for (const auto& [name, numbers] : expectedNumbers()) {
            QCOMPARE(written.at(name + "_raw"), given.at(name + "_raw"));
            QCOMPARE(written.at(name + "_field"), given.at(name + "_raw"));
        }
        QCOMPARE(protoOf(copy).ir_version(), int64_t{14});
    }

    void theyAreWrittenBesideTheModel() {
        const QTemporaryDir folder;
        const fs::path copy = folder.filePath("copy.onnx").toStdString();
        const auto graph = loadModel(givenFile());
        saveModel(*graph, copy, {.externalData = true, .externalDataThreshold = 1});
        const auto again = loadModel(copy);
        for (const Value* value : graph->initializers()) {
            const Tensor &before = value->constant(), &after = again->at(value->name())->constant();
            QCOMPARE(after.dtype(), before.dtype());
            QVERIFY(std::equal(before.data(), before.data() + before.byteSize(), after.data()));
        }
    }

    void theyAreText() {
        const auto graph = loadModel(givenFile());
        const auto again = parseText(toText(*graph));
        for (const Value* value : graph->initializers()) {
            const Tensor &before = value->constant(), &after = again->at(value->name())->constant();
            QCOMPARE(after.dtype(), before.dtype());
            QVERIFY2(std::equal(before.data(), before.data() + before.byteSize(), after.data()),
                     value->name().c_str());
        }
    }

    void tooFewBytesAreNamed() {
        onnx::ModelProto model = protoOf(givenFile());
        for (auto& tensor : *model.mutable_graph()->mutable_initializer())
            if (tensor.name() == "int4_raw") tensor.mutable_raw_data()->pop_back();
        const QTemporaryDir folder;
        const fs::path file = folder.filePath("short.onnx").toStdString();
        std::ofstream(file, std::ios::binary) << model.SerializeAsString();
        try {
            loadModel(file);
            QFAIL("it was read");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("int4[7] has 3 bytes of data; expected 4"),
                     error.what());
        }
    }

    void ortFormatRefusesWhatItCanNotHold() {
        const QTemporaryDir folder;
        QVERIFY_EXCEPTION_THROWN(
            saveModel(*loadModel(givenFile()), folder.filePath("copy.ort").toStdString()), Error);
    }
};

QTEST_APPLESS_MAIN(SmallTypesFileTest)
#include "small_types_file_test.moc"
