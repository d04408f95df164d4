// SPDX-License-Identifier: Apache-2.0
#include <checkpoint_generated.h>

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <functional>
#include <random>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/ort/checkpoint_file.h"
#include "tests/engine/ort/checkpoint_text.h"
#include "tests/support/bad_files.h"

namespace temper::test {

namespace fs = std::filesystem;
using Builder = flatbuffers::FlatBufferBuilder;
using Tensors = std::vector<flatbuffers::Offset<fbs::Tensor>>;

const fs::path kTrainingApi = fs::path(TEMPER_CONFORMANCE_DIR) / "ort" / "training_api";

/// A tensor that may contradict itself.
struct TensorFields {
    const char* name = "w";
    std::vector<int64_t> dims{2};
    int32_t dtype = 1;
    size_t bytes = 8;
    int64_t offset = -1;
    bool hasDims = true;
    bool hasData = true;
};

flatbuffers::Offset<fbs::Tensor> build(Builder& builder, const TensorFields& fields) {
    flatbuffers::Offset<flatbuffers::String> name;
    if (fields.name != nullptr) name = builder.CreateString(fields.name);
    flatbuffers::Offset<flatbuffers::Vector<int64_t>> dims;
    if (fields.hasDims) dims = builder.CreateVector(fields.dims);
    flatbuffers::Offset<flatbuffers::Vector<uint8_t>> raw;
    if (fields.hasData) raw = builder.CreateVector(std::vector<uint8_t>(fields.bytes));
    return fbs::CreateTensor(builder, name, 0, dims, static_cast<fbs::TensorDataType>(fields.dtype),
                             raw, 0, fields.offset);
}

std::string finish(Builder& builder, flatbuffers::Offset<fbs::Checkpoint> root) {
    fbs::FinishCheckpointBuffer(builder, root);
    return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

std::string checkpointOf(const std::vector<TensorFields>& trainable, int32_t version = 2) {
    Builder builder;
    Tensors tensors;
    for (const TensorFields& fields : trainable) tensors.push_back(build(builder, fields));
    const auto list = builder.CreateVector(tensors);
    const auto module =
        fbs::CreateModuleState(builder, list, builder.CreateVector(Tensors{}), false, false);
    return finish(builder, fbs::CreateCheckpoint(builder, version, module));
}

std::string withoutTrainableList() {
    Builder builder;
    const auto module =
        fbs::CreateModuleState(builder, 0, builder.CreateVector(Tensors{}), false, false);
    return finish(builder, fbs::CreateCheckpoint(builder, 2, module));
}

std::string withoutFrozenList() {
    Builder builder;
    const auto module =
        fbs::CreateModuleState(builder, builder.CreateVector(Tensors{}), 0, false, false);
    return finish(builder, fbs::CreateCheckpoint(builder, 2, module));
}

using GroupParts = std::function<flatbuffers::Offset<fbs::OptimizerGroup>(Builder&)>;

std::string withGroups(const GroupParts& group, int count = 1) {
    Builder builder;
    std::vector<flatbuffers::Offset<fbs::OptimizerGroup>> groups;
    for (int i = 0; i < count; ++i) groups.push_back(group(builder));
    const auto list = builder.CreateVector(groups);
    return finish(builder, fbs::CreateCheckpoint(builder, 2, 0, list));
}

flatbuffers::Offset<fbs::OptimizerGroup> emptyGroup(Builder& builder) {
    const auto states =
        builder.CreateVector(std::vector<flatbuffers::Offset<fbs::ParameterOptimizerState>>{});
    return fbs::CreateOptimizerGroup(builder, builder.CreateString("group0"), 1, 0.1F, states);
}

flatbuffers::Offset<fbs::OptimizerGroup> unnamedGroup(Builder& builder) {
    const auto states =
        builder.CreateVector(std::vector<flatbuffers::Offset<fbs::ParameterOptimizerState>>{});
    return fbs::CreateOptimizerGroup(builder, 0, 1, 0.1F, states);
}

flatbuffers::Offset<fbs::OptimizerGroup> groupOf(
    Builder& builder, flatbuffers::Offset<fbs::ParameterOptimizerState> state) {
    const auto states = builder.CreateVector(std::vector{state});
    return fbs::CreateOptimizerGroup(builder, builder.CreateString("group0"), 1, 0.1F, states);
}

flatbuffers::Offset<fbs::OptimizerGroup> groupWithoutMoments(Builder& builder) {
    const auto name = builder.CreateString("w");
    return groupOf(builder, fbs::CreateParameterOptimizerState(builder, name, 0));
}

flatbuffers::Offset<fbs::OptimizerGroup> groupWithoutParameterName(Builder& builder) {
    const auto moments = builder.CreateVector(Tensors{});
    return groupOf(builder, fbs::CreateParameterOptimizerState(builder, 0, moments));
}

std::string withProperties(bool name, bool value) {
    Builder builder;
    flatbuffers::Offset<flatbuffers::String> key;
    flatbuffers::Offset<flatbuffers::String> text;
    if (name) key = builder.CreateString("note");
    if (value) text = builder.CreateString("text");
    const auto strings =
        builder.CreateVector(std::vector{fbs::CreateStringProperty(builder, key, text)});
    const auto bag = fbs::CreatePropertyBag(builder, 0, 0, strings);
    return finish(builder, fbs::CreateCheckpoint(builder, 2, 0, 0, bag));
}

/// Two tensors that share one vector of data.
std::string withSharedData() {
    Builder builder;
    const auto raw = builder.CreateVector(std::vector<uint8_t>(4000));
    Tensors tensors;
    for (const char* name : {"a", "b", "c"}) {
        const auto key = builder.CreateString(name);
        const auto dims = builder.CreateVector(std::vector<int64_t>{1000});
        tensors.push_back(
            fbs::CreateTensor(builder, key, 0, dims, fbs::TensorDataType::FLOAT, raw));
    }
    const auto list = builder.CreateVector(tensors);
    const auto module =
        fbs::CreateModuleState(builder, list, builder.CreateVector(Tensors{}), false, false);
    return finish(builder, fbs::CreateCheckpoint(builder, 2, module));
}

std::string randomBytes(size_t count) {
    std::mt19937 random(1);
    std::string bytes(count, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
}

/// The outcome of reading: the description, or "CODE: message" of the error.
std::string outcome(const std::function<CheckpointFile()>& read) {
    try {
        return describe(read());
    } catch (const Error& error) {
        return std::to_string(static_cast<int>(error.code())) + ": " + error.what() + " | " +
               error.hint();
    }
}

class CheckpointDamageTest : public QObject {
    Q_OBJECT

private slots:
    void refusesByName_data();
    void refusesByName();
    void acceptsTheFirstFormatVersion();
    void saysWhatOtherFilesAre_data();
    void saysWhatOtherFilesAre();
    void everyTruncationIsRefused();
    void damagedBytesAreRefusedOrReadSoundly_data();
    void damagedBytesAreRefusedOrReadSoundly();

private:
    QTemporaryDir dir_;
};

void CheckpointDamageTest::refusesByName_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const std::string& bytes, const char* message) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString(message);
    };
    row("empty", "", "0 bytes long");
    row("four bytes", "ODTC", "4 bytes long");
    row("zeros", std::string(1000, '\0'), "unknown format");
    row("random bytes", randomBytes(5000), "unknown format");
    row("identifier and nothing else", std::string("\x08\0\0\0ODTC", 8), "8 bytes long");
    row("version 0", checkpointOf({{}}, 0), "version 0");
    row("version 3", checkpointOf({{}}, 3), "version 3");
    row("no trainable list", withoutTrainableList(), "list of trainable parameters is missing");
    row("no frozen list", withoutFrozenList(), "list of frozen parameters is missing");
    row("tensor without name", checkpointOf({{.name = nullptr}}), "tensor has no name");
    row("tensor without dims", checkpointOf({{.hasDims = false}}), "'w': The tensor has no dim");
    row("tensor without data", checkpointOf({{.hasData = false}}), "neither raw data nor");
    row("external data without a file", checkpointOf({{.offset = 0, .hasData = false}}),
        "declares no external data file");
    row("too few bytes", checkpointOf({{.bytes = 7}}), "7 bytes of data; shape [2] needs 8");
    row("too many bytes", checkpointOf({{.bytes = 12}}), "12 bytes of data; shape [2] needs 8");
    row("empty data that is not nominal", checkpointOf({{.bytes = 0}}), "needs 8");
    row("negative dimension", checkpointOf({{.dims = {-2, -1}}}), "-2");
    row("dimensions that overflow", checkpointOf({{.dims = {1LL << 40, 1LL << 40}}}), "64 bits");
    row("bytes that overflow", checkpointOf({{.dims = {1LL << 62}}}), "larger than");
    row("huge dimension", checkpointOf({{.dims = {1LL << 50}}}), "needs 4503599627370496");
    row("float16", checkpointOf({{.dtype = 10, .bytes = 4}}), "float16");
    row("string", checkpointOf({{.dtype = 8, .bytes = 0}}), "element type 8");
    row("unknown element type", checkpointOf({{.dtype = 99}}), "element type 99");
    row("negative element type", checkpointOf({{.dtype = -1}}), "element type -1");
    row("one name twice", checkpointOf({{}, {}}), "Parameter 'w' appears more than once");
    row("shared data", withSharedData(), "shares its data");
    row("group without name", withGroups(unnamedGroup), "optimizer group has no name");
    row("one group twice", withGroups(emptyGroup, 2), "'group0' appears more than once");
    row("state without moments", withGroups(groupWithoutMoments), "list of moments is missing");
    row("state without parameter", withGroups(groupWithoutParameterName), "has no parameter name");
    row("property without name", withProperties(false, true), "property has no name");
    row("property without value", withProperties(true, false), "property has no value");
}

void CheckpointDamageTest::refusesByName() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, message);
    const std::string text = bytes.toStdString();
    try {
        parseCheckpoint(asBytes(text), "given.ckpt");
        QFAIL("it was accepted");
    } catch (const Error& error) {
        const QString what = error.what();
        QVERIFY2(what.contains(message), error.what());
        QVERIFY2(what.contains("given.ckpt"), error.what());
        compareWithBadFiles("Checkpoint", what + " | " + QString::fromStdString(error.hint()));
        QVERIFY(error.code() == ErrorCode::InvalidInput || error.code() == ErrorCode::Unsupported);
    }
}

void CheckpointDamageTest::acceptsTheFirstFormatVersion() {
    const std::string bytes = checkpointOf({{}}, 1);
    QCOMPARE(describe(parseCheckpoint(asBytes(bytes), "memory")),
             std::string("trainable w float32 [2]\n"));
}

void CheckpointDamageTest::saysWhatOtherFilesAre_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const fs::path& path, const char* message) {
        QTest::newRow(name) << QString::fromStdString(path.string()) << QString(message);
    };
    row("ONNX model", kTrainingApi / "training_model.onnx", "an ONNX model");
    row("ORT model", kTrainingApi / "ort_format/eval_model.ort", "a model in ORT format");
    row("zip archive", kTrainingApi / "../expected/mnist_gradients.npz", "a zip archive");
    row("folder of artifacts", kTrainingApi / "ort_format", "Specify the file in it");
    row("legacy folder", kTrainingApi / "../legacy_checkpoint/mobilenetv2.ckpt", "before version");
    row("absent file", kTrainingApi / "no such file", "does not exist");
}

void CheckpointDamageTest::saysWhatOtherFilesAre() {
    QFETCH(QString, path);
    QFETCH(QString, message);
    const std::string result = outcome([&] { return readCheckpoint(path.toStdString()); });
    QVERIFY2(QString::fromStdString(result).contains(message), result.c_str());
    QVERIFY2(QString::fromStdString(result).contains(path), result.c_str());
}

void CheckpointDamageTest::everyTruncationIsRefused() {
    const std::string whole = serializeCheckpoint(richCheckpoint());
    for (size_t length = 0; length < whole.size(); ++length) {
        // The last bytes of a file may be padding that nothing refers to.
        const std::string part = whole.substr(0, length);
        const std::string result = outcome([&] { return parseCheckpoint(asBytes(part), "part"); });
        const bool refused = result.find("checkpoint 'part'") != std::string::npos;
        QVERIFY2(refused || length + 8 > whole.size(), std::to_string(length).c_str());
    }
}

void CheckpointDamageTest::damagedBytesAreRefusedOrReadSoundly_data() {
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* name, const std::string& bytes) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes);
    };
    row("all kinds of content", serializeCheckpoint(richCheckpoint()));
    if (!fs::exists(kTrainingApi)) return;
    row("frozen parameters", readFile(kTrainingApi / "ort_format/checkpoint"));
    row("custom operators", readFile(kTrainingApi / "custom_ops/checkpoint"));
    row("nominal", readFile(kTrainingApi / "nominal_checkpoint"));
}

/// Overwrites one to four bytes or words, with small, large or random values.
std::string damaged(std::string bytes, uint32_t seed) {
    std::mt19937 random(seed);
    const auto edits = 1 + random() % 4;
    for (uint32_t i = 0; i < edits; ++i) {
        const size_t at = random() % bytes.size();
        const size_t width = std::min<size_t>(random() % 2 == 0 ? 1 : 4, bytes.size() - at);
        const auto value = static_cast<char>(random() % 3 == 0 ? 0xff : random());
        for (size_t k = 0; k < width; ++k) bytes[at + k] = value;
    }
    return bytes;
}

void CheckpointDamageTest::damagedBytesAreRefusedOrReadSoundly() {
    QFETCH(QByteArray, bytes);
    int refused = 0;
    int accepted = 0;
    for (uint32_t seed = 0; seed < 400; ++seed) {
        const std::string variant = damaged(bytes.toStdString(), seed);
        try {
            const CheckpointFile file = parseCheckpoint(asBytes(variant), "damaged");
            QVERIFY(elements(file).size() <= variant.size());
            const CheckpointFile copy =
                parseCheckpoint(asBytes(serializeCheckpoint(file)), "copy of damaged");
            QCOMPARE(describe(copy), describe(file));
            ++accepted;
        } catch (const Error& error) {
            const bool blamesTheFile =
                error.code() == ErrorCode::InvalidInput || error.code() == ErrorCode::Unsupported;
            QVERIFY2(blamesTheFile, error.what());
            QVERIFY(QString(error.what()).contains("damaged"));
            ++refused;
        }
    }
    QVERIFY2(refused > 20 && accepted > 10, qPrintable(QString::number(refused)));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CheckpointDamageTest)
#include "checkpoint_damage_test.moc"
