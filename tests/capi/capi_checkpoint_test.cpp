// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <cstring>

#include "engine/core/file.h"
#include "engine/ort/checkpoint_file.h"
#include "tests/capi/objects.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// Checkpoints in C, against the engine's reader of the same files.
class CapiCheckpointTest : public QObject {
    Q_OBJECT

private slots:
    void parametersAreThoseOfTheFile();
    void writtenParametersAreSaved();
    void frozenParametersCanBeWritten();
    void propertiesKeepNameKindAndValue();
    void optimizerStateIsSavedIfAsked();
    void bytesAreThoseOfTheFile();
    void viewsOutliveTheirTensors();

private:
    std::string path(const char* name) const { return folder_.filePath(name).toStdString(); }
    static std::string recorded() {
        return (conformanceFolder() / "ort/training_api/checkpoint.ckpt").string();
    }
    static std::string partlyFrozen() {
        return (conformanceFolder() / "ort/training_api/ort_format/checkpoint").string();
    }

    QTemporaryDir folder_;
};

void CapiCheckpointTest::parametersAreThoseOfTheFile() {
    Owned<TemperCheckpoint> checkpoint;
    FailureTexts failure;
    TEMPER_SUCCEEDS(
        temper_checkpoint_load(partlyFrozen().c_str(), checkpoint.out(), failure.out()));
    const CheckpointFile file = readCheckpoint(partlyFrozen());
    TemperNames names = {};
    TEMPER_SUCCEEDS(temper_checkpoint_parameters(checkpoint, &names, failure.out()));
    QCOMPARE(names.count, static_cast<int64_t>(file.trainable.size() + file.frozen.size()));
    QVERIFY(!file.frozen.empty());
    for (const auto* list : {&file.trainable, &file.frozen}) {
        for (const NamedTensor& expected : *list) {
            TemperArray found = {};
            int32_t trainable = -1;
            const char* name = expected.name.c_str();
            TEMPER_SUCCEEDS(temper_checkpoint_parameter(checkpoint, name, &found, failure.out()));
            TEMPER_SUCCEEDS(
                temper_checkpoint_is_trainable(checkpoint, name, &trainable, failure.out()));
            QCOMPARE(trainable, list == &file.trainable ? 1 : 0);
            QCOMPARE(Shape(found.shape, found.shape + found.rank), expected.data.shape());
            QCOMPARE(std::memcmp(found.data, expected.data.data(), expected.data.byteSize()), 0);
            TemperArray gradient = {};
            TEMPER_SUCCEEDS(temper_checkpoint_gradient(checkpoint, name, &gradient, failure.out()));
            QVERIFY(gradient.data == nullptr && gradient.dtype == TEMPER_DTYPE_NONE);
        }
    }
}

void CapiCheckpointTest::writtenParametersAreSaved() {
    Owned<TemperCheckpoint> checkpoint;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_checkpoint_load(recorded().c_str(), checkpoint.out(), failure.out()));
    TemperArray bias = {};
    TEMPER_SUCCEEDS(temper_checkpoint_parameter(checkpoint, "fc2.bias", &bias, failure.out()));
    static_cast<float*>(bias.data)[3] = 42;
    Tensor weight(DType::Float32, {10, 500});
    weight.mutableValues<float>()[7] = 0.5F;
    const TemperArray values = arrayOf(weight);
    TEMPER_SUCCEEDS(
        temper_checkpoint_set_parameter(checkpoint, "fc2.weight", &values, failure.out()));
    TEMPER_SUCCEEDS(
        temper_checkpoint_save(checkpoint, path("written.ckpt").c_str(), 0, failure.out()));
    const CheckpointFile file = readCheckpoint(path("written.ckpt"));
    int compared = 0;
    for (const NamedTensor& parameter : file.trainable) {
        if (parameter.name == "fc2.bias") {
            QCOMPARE(parameter.data.values<float>()[3], 42.0F);
            ++compared;
        } else if (parameter.name == "fc2.weight") {
            QCOMPARE(std::memcmp(parameter.data.data(), weight.data(), weight.byteSize()), 0);
            ++compared;
        }
    }
    QCOMPARE(compared, 2);
}

void CapiCheckpointTest::frozenParametersCanBeWritten() {
    Owned<TemperCheckpoint> checkpoint, untouched;
    FailureTexts failure;
    const std::string file = partlyFrozen();
    for (Owned<TemperCheckpoint>* each : {&checkpoint, &untouched})
        TEMPER_SUCCEEDS(temper_checkpoint_load(file.c_str(), each->out(), failure.out()));
    TemperArray written = {}, other = {};
    TEMPER_SUCCEEDS(temper_checkpoint_parameter(checkpoint, "fc1.weight", &written, failure.out()));
    TEMPER_SUCCEEDS(temper_checkpoint_parameter(untouched, "fc1.weight", &other, failure.out()));
    const float before = *static_cast<float*>(other.data);
    *static_cast<float*>(written.data) = before + 1;
    QCOMPARE(*static_cast<float*>(other.data), before);
    TEMPER_SUCCEEDS(temper_checkpoint_parameter(checkpoint, "fc1.weight", &other, failure.out()));
    QCOMPARE(other.data, written.data);
}

void CapiCheckpointTest::propertiesKeepNameKindAndValue() {
    Owned<TemperCheckpoint> checkpoint;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_checkpoint_load(recorded().c_str(), checkpoint.out(), failure.out()));
    constexpr uint64_t kSize = sizeof(TemperProperty);
    const TemperProperty hours{kSize, nullptr, 8760, 0, TEMPER_PROPERTY_INT};
    const TemperProperty pi{kSize, nullptr, 0, 3.14F, TEMPER_PROPERTY_FLOAT};
    const TemperProperty framework{kSize, "gr\xc3\xbc\xc3\x9f", 0, 0, TEMPER_PROPERTY_TEXT};
    for (const auto& [name, value] : {std::pair("hours", &framework), std::pair("hours", &hours),
                                      std::pair("pi", &pi), std::pair("text", &framework)}) {
        TEMPER_SUCCEEDS(temper_checkpoint_set_property(checkpoint, name, value, failure.out()));
    }
    TEMPER_SUCCEEDS(
        temper_checkpoint_save(checkpoint, path("properties.ckpt").c_str(), 0, failure.out()));
    const auto file = readCheckpoint(path("properties.ckpt"));
    const std::map<std::string, PropertyValue> expected{
        {"hours", int64_t{8760}}, {"pi", 3.14F}, {"text", std::string("gr\xc3\xbc\xc3\x9f")}};
    QVERIFY(file.properties == expected);

    TemperNames names = {};
    TEMPER_SUCCEEDS(temper_checkpoint_properties(checkpoint, &names, failure.out()));
    QCOMPARE(listOf(names), (std::vector<std::string>{"hours", "pi", "text"}));
    TemperProperty found = {};
    found.struct_size = kSize;
    TEMPER_SUCCEEDS(temper_checkpoint_property(checkpoint, "text", &found, failure.out()));
    QCOMPARE(found.kind, TEMPER_PROPERTY_TEXT);
    QCOMPARE(std::string(found.text), std::string(framework.text));
    TEMPER_SUCCEEDS(temper_checkpoint_property(checkpoint, "hours", &found, failure.out()));
    QVERIFY(found.kind == TEMPER_PROPERTY_INT && found.integer == 8760);
    TEMPER_SUCCEEDS(temper_checkpoint_remove_property(checkpoint, "hours", failure.out()));
    QCOMPARE(temper_checkpoint_property(checkpoint, "hours", &found, failure.out()),
             TEMPER_NOT_FOUND);
    QVERIFY(failure.message().contains("No property named hours"));
}

void CapiCheckpointTest::optimizerStateIsSavedIfAsked() {
    const auto folder = conformanceFolder() / "ort/training_api";
    TrainingObjects objects;
    QCOMPARE(objects.load(folder / "training_model.onnx", {}, folder / "adamw.onnx", recorded()),
             QString());
    const std::vector<Tensor> feeds{Tensor(DType::Float32, {2, 784}), Tensor(DType::Int32, {2})};
    QVERIFY(std::isfinite(objects.trainStep(feeds)));
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_session_optimizer_step(objects.session, failure.out()));
    for (const int32_t included : {0, 1}) {
        TEMPER_SUCCEEDS(temper_checkpoint_save(objects.checkpoint, path("state.ckpt").c_str(),
                                               included, failure.out()));
        const CheckpointFile file = readCheckpoint(path("state.ckpt"));
        QCOMPARE(file.optimizerGroups.size(), static_cast<size_t>(included));
        if (included == 1) QCOMPARE(file.optimizerGroups.front().step, int64_t{1});
    }
}

void CapiCheckpointTest::bytesAreThoseOfTheFile() {
    const std::string file = readFile(recorded());
    Owned<TemperCheckpoint> checkpoint;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_checkpoint_from_bytes(file.data(), static_cast<int64_t>(file.size()),
                                                 checkpoint.out(), failure.out()));
    TEMPER_SUCCEEDS(
        temper_checkpoint_save(checkpoint, path("again.ckpt").c_str(), 0, failure.out()));
    Owned<void> bytes;
    int64_t size = 0;
    TEMPER_SUCCEEDS(temper_checkpoint_to_bytes(checkpoint, 0, bytes.out(), &size, failure.out()));
    QCOMPARE(std::string(static_cast<const char*>(bytes.get()), static_cast<size_t>(size)),
             readFile(path("again.ckpt")));
    QCOMPARE(temper_checkpoint_from_bytes("nonsense", 8, checkpoint.out(), failure.out()),
             TEMPER_INVALID_INPUT);
}

/// Also after a session over the same state, whose gradients replace older ones.
void CapiCheckpointTest::viewsOutliveTheirTensors() {
    const auto folder = conformanceFolder() / "ort/training_api";
    TrainingObjects objects;
    QCOMPARE(objects.load(folder / "training_model.onnx", {}, folder / "adamw.onnx", recorded()),
             QString());
    FailureTexts failure;
    TemperArray gradient = {}, weight = {};
    TEMPER_SUCCEEDS(
        temper_checkpoint_gradient(objects.checkpoint, "fc1.weight", &gradient, failure.out()));
    TEMPER_SUCCEEDS(
        temper_checkpoint_parameter(objects.checkpoint, "fc1.weight", &weight, failure.out()));
    TEMPER_SUCCEEDS(temper_session_create(objects.artifacts, objects.checkpoint, nullptr,
                                          objects.session.out(), failure.out()));
    objects.artifacts.release();
    objects.session.release();
    QCOMPARE(Shape(gradient.shape, gradient.shape + gradient.rank), (Shape{500, 784}));
    const auto* first = static_cast<const float*>(gradient.data);
    QVERIFY(std::all_of(first, first + 500 * 784, [](float value) { return value == 0; }));
    const CheckpointFile file = readCheckpoint(recorded());
    const auto found = std::ranges::find(file.trainable, "fc1.weight", &NamedTensor::name);
    QVERIFY(found != file.trainable.end());
    QCOMPARE(std::memcmp(weight.data, found->data.data(), found->data.byteSize()), 0);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CapiCheckpointTest)
#include "capi_checkpoint_test.moc"
