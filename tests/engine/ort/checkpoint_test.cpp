// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/ort/checkpoint_file.h"
#include "tests/engine/ort/checkpoint_text.h"

namespace temper::test {

namespace fs = std::filesystem;

const fs::path kConformance = fs::path(TEMPER_CONFORMANCE_DIR);
const fs::path kTrainingApi = kConformance / "ort" / "training_api";

/// Every checkpoint that ONNX Runtime wrote.
std::vector<fs::path> recordedCheckpoints() {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(kConformance)) {
        const std::string name = entry.path().filename().string();
        const bool isCheckpoint = name.ends_with("checkpoint") || name.ends_with(".ckpt");
        if (entry.is_regular_file() && isCheckpoint) paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    return paths;
}

class CheckpointTest : public QObject {
    Q_OBJECT

private slots:
    void readsWhatOrtWrote_data();
    void readsWhatOrtWrote();
    void everyCheckpointOfOrtSurvivesWritingAndReading_data();
    void everyCheckpointOfOrtSurvivesWritingAndReading();
    void keepsEveryTypeStateAndProperty();
    void readsFromMemoryAtAnyAlignment();
    void sortsByNameAsTheRuntimeDoes();
    void nominalCheckpointsKeepNamesAndTypesOnly();
    void largeCheckpointsKeepParametersInASideFile();
    void sideFileHoldsAlignedData();
    void sideFileIsKeptWhenWrittenAgain();
    void saysWhatIsWrongWithTheSideFile();
    void failedWritingLeavesTheOldFile();

private:
    fs::path path(const char* name) const { return fs::path(dir_.path().toStdString()) / name; }
    QTemporaryDir dir_;
};

void CheckpointTest::readsWhatOrtWrote_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("expected");
    QTest::newRow("written by the runtime")
        << "checkpoint.ckpt"
        << "trainable fc1.bias float32 [500]\ntrainable fc1.weight float32 [500, 784]\n"
           "trainable fc2.bias float32 [10]\ntrainable fc2.weight float32 [10, 500]\n";
    QTest::newRow("frozen parameters")
        << "ort_format/checkpoint"
        << "trainable fc2.bias float32 [5]\ntrainable fc2.weight float32 [5, 20]\n"
           "frozen fc1.bias float32 [20]\nfrozen fc1.weight float32 [20, 10]\n";
    QTest::newRow("custom operators") << "custom_ops/checkpoint"
                                      << "trainable onnx::gemm.bias::2 float32 [10]\n"
                                         "trainable onnx::gemm.weight::1 float32 [5, 10]\n";
    QTest::newRow("nominal") << "nominal_checkpoint"
                             << "nominal\ntrainable fc1.weight float32 []\n"
                                "trainable fc1.bias float32 []\ntrainable fc2.weight float32 []\n"
                                "trainable fc2.bias float32 []\n";
}

void CheckpointTest::readsWhatOrtWrote() {
    QFETCH(QString, file);
    QFETCH(QString, expected);
    const CheckpointFile checkpoint = readCheckpoint(kTrainingApi / file.toStdString());
    QStringList lines = QString::fromStdString(describe(checkpoint)).split('\n');
    QStringList expectedLines = expected.split('\n');
    lines.sort();
    expectedLines.sort();
    QCOMPARE(lines, expectedLines);
}

void CheckpointTest::everyCheckpointOfOrtSurvivesWritingAndReading_data() {
    QTest::addColumn<QString>("file");
    for (const fs::path& file : recordedCheckpoints()) {
        const std::string name = fs::relative(file, kConformance).string();
        QTest::newRow(name.c_str()) << QString::fromStdString(file.string());
    }
}

void CheckpointTest::everyCheckpointOfOrtSurvivesWritingAndReading() {
    QFETCH(QString, file);
    const CheckpointFile original = readCheckpoint(file.toStdString());
    QVERIFY(!original.trainable.empty());
    writeCheckpoint(original, path("copy"));
    const CheckpointFile copy = readCheckpoint(path("copy"));
    QCOMPARE(describe(copy), describe(original));
    QVERIFY(elements(copy) == elements(original));
}

void CheckpointTest::keepsEveryTypeStateAndProperty() {
    const CheckpointFile original = richCheckpoint();
    const CheckpointFile copy = parseCheckpoint(asBytes(serializeCheckpoint(original)), "memory");
    QCOMPARE(describe(copy), describe(original));
    QVERIFY(elements(copy) == elements(original));
    QVERIFY(copy.properties == original.properties);
}

void CheckpointTest::readsFromMemoryAtAnyAlignment() {
    const std::string bytes = serializeCheckpoint(richCheckpoint());
    for (size_t shift = 0; shift < 8; ++shift) {
        const std::string shifted = std::string(shift, 'x') + bytes;
        const auto view = asBytes(shifted).subspan(shift);
        QCOMPARE(describe(parseCheckpoint(view, "memory")), describe(richCheckpoint()));
    }
}

void CheckpointTest::sortsByNameAsTheRuntimeDoes() {
    CheckpointFile file;
    for (const char* name : {"b", "a", "C"}) {
        file.trainable.push_back({name, Tensor::scalar(1.0F)});
        file.frozen.push_back({std::string("f") + name, Tensor::scalar(1.0F)});
    }
    const auto written = serializeCheckpoint(file, {.sortByName = true});
    QCOMPARE(describe(parseCheckpoint(asBytes(written), "memory")),
             std::string("trainable C float32 []\ntrainable a float32 []\ntrainable b float32 []\n"
                         "frozen fC float32 []\nfrozen fa float32 []\nfrozen fb float32 []\n"));
    QCOMPARE(describe(parseCheckpoint(asBytes(serializeCheckpoint(file)), "memory")),
             describe(file));
}

void CheckpointTest::nominalCheckpointsKeepNamesAndTypesOnly() {
    CheckpointFile file;
    file.isNominal = true;
    file.trainable = {{"w", Tensor(DType::Float32, {1000, 1000})}};
    file.frozen = {{"n", Tensor(DType::Int64, {})}};
    const std::string bytes = serializeCheckpoint(file);
    QVERIFY(bytes.size() < 400);
    QCOMPARE(describe(parseCheckpoint(asBytes(bytes), "memory")),
             std::string("nominal\ntrainable w float32 []\nfrozen n int64 []\n"));
}

void CheckpointTest::largeCheckpointsKeepParametersInASideFile() {
    const fs::path source = kTrainingApi / "checkpoint.ckpt";
    const CheckpointFile original = readCheckpoint(source);
    writeCheckpoint(original, path("large"), {.externalDataThreshold = 0});
    QVERIFY(fs::file_size(path("large")) < 1000);
    QVERIFY(fs::file_size(path("large.data")) > 200'000);
    const CheckpointFile copy = readCheckpoint(path("large"));
    QVERIFY(copy.hasExternalData);
    QVERIFY(elements(copy) == elements(original));
}

void CheckpointTest::sideFileHoldsAlignedData() {
    CheckpointFile file;
    file.trainable = {{"odd", Tensor::of<uint8_t>({3}, {1, 2, 3})},
                      {"wide", Tensor::of<double>({1}, {0.5})},
                      {"small", Tensor::of<float>({1}, {2.0F})}};
    writeCheckpoint(file, path("aligned"),
                    {.externalDataThreshold = 0, .smallestExternalTensor = 0});
    // 3 bytes, 5 of padding, 8 bytes, 4 bytes
    QCOMPARE(fs::file_size(path("aligned.data")), uintmax_t{20});
    QVERIFY(elements(readCheckpoint(path("aligned"))) == elements(file));
}

void CheckpointTest::sideFileIsKeptWhenWrittenAgain() {
    CheckpointFile file = richCheckpoint();
    file.hasExternalData = true;
    writeCheckpoint(file, path("again"), {.smallestExternalTensor = 0});
    QVERIFY(fs::file_size(path("again.data")) >= 24);
    const CheckpointFile copy = readCheckpoint(path("again"));
    QCOMPARE(describe(copy), describe(file));
    QVERIFY(elements(copy) == elements(file));
}

void CheckpointTest::saysWhatIsWrongWithTheSideFile() {
    CheckpointFile file;
    file.trainable = {{"w", Tensor(DType::Float32, {100})}};
    writeCheckpoint(file, path("side"), {.externalDataThreshold = 0});
    const std::string bytes = readFile(path("side"));
    QVERIFY_EXCEPTION_THROWN(parseCheckpoint(asBytes(bytes), "memory"), Error);
    fs::resize_file(path("side.data"), 399);
    try {
        readCheckpoint(path("side"));
        QFAIL("a side file that is too short was accepted");
    } catch (const Error& error) {
        QVERIFY(std::string(error.what()).find("only 399 bytes long") != std::string::npos);
    }
    fs::remove(path("side.data"));
    try {
        readCheckpoint(path("side"));
        QFAIL("a missing side file was accepted");
    } catch (const Error& error) {
        QVERIFY(error.code() == ErrorCode::NotFound);
        QVERIFY(std::string(error.what()).find("side.data") != std::string::npos);
    }
}

void CheckpointTest::failedWritingLeavesTheOldFile() {
    CheckpointFile file;
    file.trainable = {{"w", Tensor::scalar(1.0F)}};
    writeCheckpoint(file, path("old"));
    const std::string before = readFile(path("old"));
    CheckpointFile twice = file;
    twice.frozen = {{"w", Tensor::scalar(2.0F)}};
    QVERIFY_EXCEPTION_THROWN(writeCheckpoint(twice, path("old")), Error);
    CheckpointFile half = file;
    half.frozen = {{"h", Tensor(DType::Float16, {2})}};
    QVERIFY_EXCEPTION_THROWN(writeCheckpoint(half, path("old")), Error);
    QVERIFY_EXCEPTION_THROWN(writeCheckpoint(file, path("absent") / "folder"), Error);
    QVERIFY(readFile(path("old")) == before);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CheckpointTest)
#include "checkpoint_test.moc"
