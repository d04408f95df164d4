// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>

#include "engine/core/file.h"
#include "engine/ort/checkpoint_file.h"
#include "tests/capi/objects.h"
#include "tests/capi/ort_objects.h"
#include "tests/engine/training/ort_api_fixture.h"

namespace temper::test {

namespace {

/// What was recorded of the loss.
void compareRecorded(double actual, float expected) {
    QVERIFY2(std::abs(actual - expected) <= 1e-5 * expected,
             qPrintable(QString("found %1, expected %2").arg(actual).arg(expected)));
}

}  // namespace

/// The cases of ONNX Runtime's tests of its training API, through its C interface.
/// Source: spec/orttests.md sections 2 and 5.
class OrtCTrainingTest : public QObject {
    Q_OBJECT

private slots:
    void stepsGiveTheRecordedLosses();
    void outputsMayBeGiven();
    void theLinearScheduleSetsTheRate();
    void checkpointsAreSavedAndLoaded();
    void propertiesComeBack();
    void namesAreListed();
    void buffersHoldAllParameters();
    void parametersAreReadAndWritten();
    void nominalStatesTrainOnceParametersAreSet();
    void modelsMayBeInMemory();
    void theSeedIsThatOfLaterSessions();
    void exportedModelsRun();
    void errorsHaveItsTexts_data();
    void errorsHaveItsTexts();

private:
    std::string path(const char* name) const { return folder_.filePath(name).toStdString(); }

    const OrtTrainingApi& training_ = ortTraining();
    QTemporaryDir folder_;
};

void OrtCTrainingTest::stepsGiveTheRecordedLosses() {
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    const std::vector<Tensor> feeds = OrtApiFixture::recordedFeeds();
    const float first = OrtApiFixture::recordedLoss("loss_1.out");
    compareRecorded(objects.trainStep(feeds), first);
    ORT_SUCCEEDS(training_.LazyResetGrad(objects.session));
    compareRecorded(objects.trainStep(feeds), first);
    ORT_SUCCEEDS(training_.OptimizerStep(objects.session, nullptr));
    compareRecorded(objects.trainStep(feeds), OrtApiFixture::recordedLoss("loss_2.out"));
}

void OrtCTrainingTest::outputsMayBeGiven() {
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    const std::vector<Tensor> feeds = OrtApiFixture::recordedFeeds();
    OrtOwned<OrtValue> input = valueOver(feeds[0]), labels = valueOver(feeds[1]);
    const OrtValue* inputs[] = {input, labels};
    const Tensor loss(DType::Float32, {}), wrong(DType::Float32, {3});
    OrtOwned<OrtValue> given = valueOver(loss), other = valueOver(wrong);
    OrtValue* outputs[] = {given};
    ORT_SUCCEEDS(training_.TrainStep(objects.session, nullptr, 2, inputs, 1, outputs));
    QCOMPARE(outputs[0], given.get());
    compareRecorded(loss.toDouble(), OrtApiFixture::recordedLoss("loss_1.out"));
    ORT_SUCCEEDS(training_.EvalStep(objects.session, nullptr, 2, inputs, 1, outputs));
    compareRecorded(loss.toDouble(), OrtApiFixture::recordedLoss("loss_1.out"));
    outputs[0] = other;
    QVERIFY(messageOf(training_.EvalStep(objects.session, nullptr, 2, inputs, 1, outputs))
                .contains("Output 0 is float32[3]; expected float32[]"));
}

void OrtCTrainingTest::theLinearScheduleSetsTheRate() {
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    float rate = 0;
    ORT_SUCCEEDS(training_.GetLearningRate(objects.session, &rate));
    QCOMPARE(rate, 0.001F);
    ORT_SUCCEEDS(training_.SetLearningRate(objects.session, 0.245F));
    ORT_SUCCEEDS(training_.GetLearningRate(objects.session, &rate));
    QCOMPARE(rate, 0.245F);
    ORT_SUCCEEDS(training_.RegisterLinearLRScheduler(objects.session, 2, 4, 0.1F));
    QVERIFY(std::isfinite(objects.trainStep(OrtApiFixture::recordedFeeds())));
    for (const float expected : {0.05F, 0.1F, 0.05F, 0.0F}) {
        ORT_SUCCEEDS(training_.OptimizerStep(objects.session, nullptr));
        ORT_SUCCEEDS(training_.SchedulerStep(objects.session));
        ORT_SUCCEEDS(training_.GetLearningRate(objects.session, &rate));
        QCOMPARE(rate, expected);
    }
}

void OrtCTrainingTest::checkpointsAreSavedAndLoaded() {
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    const std::vector<Tensor> feeds = OrtApiFixture::recordedFeeds();
    QVERIFY(std::isfinite(objects.trainStep(feeds)));
    ORT_SUCCEEDS(training_.OptimizerStep(objects.session, nullptr));
    ORT_SUCCEEDS(training_.SaveCheckpoint(objects.state, path("saved.ckpt").c_str(), true));
    QCOMPARE(readCheckpoint(path("saved.ckpt")).optimizerGroups.front().step, int64_t{1});
    ORT_SUCCEEDS(training_.SaveCheckpoint(objects.state, path("without.ckpt").c_str(), false));
    QVERIFY(readCheckpoint(path("without.ckpt")).optimizerGroups.empty());
    OrtObjects second;
    ORT_SUCCEEDS(training_.LoadCheckpoint(path("saved.ckpt").c_str(), second.state.out()));
    ORT_SUCCEEDS(training_.CreateTrainingSession(
        second.env, second.options, second.state, OrtObjects::api("training_model.onnx").c_str(),
        nullptr, OrtObjects::api("adamw.onnx").c_str(), second.session.out()));
    QCOMPARE(second.trainStep(feeds), objects.trainStep(feeds));

    const std::string bytes = readFile(path("saved.ckpt"));
    OrtOwned<OrtCheckpointState> loaded;
    ORT_SUCCEEDS(training_.LoadCheckpointFromBuffer(bytes.data(), bytes.size(), loaded.out()));
    ORT_SUCCEEDS(training_.SaveCheckpoint(loaded, path("again.ckpt").c_str(), true));
    QCOMPARE(readFile(path("again.ckpt")), bytes);
}

void OrtCTrainingTest::propertiesComeBack() {
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    int64_t hours = 8760;
    float pi = 3.14F;
    char framework[] = "onnxruntime";
    ORT_SUCCEEDS(training_.AddProperty(objects.state, "hours in a year", OrtIntProperty, &hours));
    ORT_SUCCEEDS(training_.AddProperty(objects.state, "pi", OrtFloatProperty, &pi));
    ORT_SUCCEEDS(training_.AddProperty(objects.state, "framework", OrtStringProperty, framework));
    OrtPropertyType type = OrtStringProperty;
    void* value = nullptr;
    ORT_SUCCEEDS(
        training_.GetProperty(objects.state, "hours in a year", ortAllocator(), &type, &value));
    QVERIFY(type == OrtIntProperty && *static_cast<int64_t*>(value) == 8760);
    ORT_SUCCEEDS(ortApi().AllocatorFree(ortAllocator(), value));
    ORT_SUCCEEDS(training_.GetProperty(objects.state, "pi", ortAllocator(), &type, &value));
    QVERIFY(type == OrtFloatProperty && *static_cast<float*>(value) == 3.14F);
    ORT_SUCCEEDS(ortApi().AllocatorFree(ortAllocator(), value));
    ORT_SUCCEEDS(training_.GetProperty(objects.state, "framework", ortAllocator(), &type, &value));
    QCOMPARE(type, OrtStringProperty);
    QCOMPARE(textOf(static_cast<char*>(value)), QString("onnxruntime"));
    ORT_SUCCEEDS(training_.SaveCheckpoint(objects.state, path("props.ckpt").c_str(), false));
    QCOMPARE(readCheckpoint(path("props.ckpt")).properties.size(), size_t{3});
}

void OrtCTrainingTest::namesAreListed() {
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    size_t inputs = 0, outputs = 0;
    char* name = nullptr;
    ORT_SUCCEEDS(training_.TrainingSessionGetTrainingModelInputCount(objects.session, &inputs));
    ORT_SUCCEEDS(training_.TrainingSessionGetTrainingModelOutputCount(objects.session, &outputs));
    QVERIFY(inputs == 2 && outputs == 1);
    ORT_SUCCEEDS(training_.TrainingSessionGetTrainingModelInputName(objects.session, 1,
                                                                    ortAllocator(), &name));
    QCOMPARE(textOf(name), QString("labels"));
    ORT_SUCCEEDS(training_.TrainingSessionGetTrainingModelOutputName(objects.session, 0,
                                                                     ortAllocator(), &name));
    QCOMPARE(textOf(name), QString("onnx::loss::21273"));
    ORT_SUCCEEDS(training_.TrainingSessionGetEvalModelInputCount(objects.session, &inputs));
    ORT_SUCCEEDS(training_.TrainingSessionGetEvalModelOutputCount(objects.session, &outputs));
    QVERIFY(inputs == 2 && outputs == 1);
    ORT_SUCCEEDS(
        training_.TrainingSessionGetEvalModelInputName(objects.session, 0, ortAllocator(), &name));
    QCOMPARE(textOf(name), QString("input-0"));
    ORT_SUCCEEDS(
        training_.TrainingSessionGetEvalModelOutputName(objects.session, 0, ortAllocator(), &name));
    QCOMPARE(textOf(name), QString("onnx::loss::21273"));
}

void OrtCTrainingTest::buffersHoldAllParameters() {
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    const Tensor before(DType::Float32, {397510}), after(DType::Float32, {397510});
    for (const bool trainableOnly : {true, false}) {
        size_t size = 0;
        ORT_SUCCEEDS(training_.GetParametersSize(objects.session, &size, trainableOnly));
        QCOMPARE(size, size_t{397510});
        OrtOwned<OrtValue> buffer = valueOver(before);
        ORT_SUCCEEDS(training_.CopyParametersToBuffer(objects.session, buffer, trainableOnly));
    }
    QVERIFY(std::isfinite(objects.trainStep(OrtApiFixture::recordedFeeds())));
    ORT_SUCCEEDS(training_.OptimizerStep(objects.session, nullptr));
    OrtOwned<OrtValue> first = valueOver(before), second = valueOver(after);
    ORT_SUCCEEDS(training_.CopyParametersToBuffer(objects.session, second, true));
    QVERIFY(!sameBits(before, after));
    ORT_SUCCEEDS(training_.CopyBufferToParameters(objects.session, first, true));
    ORT_SUCCEEDS(training_.CopyParametersToBuffer(objects.session, second, true));
    QVERIFY(sameBits(before, after));
}

void OrtCTrainingTest::parametersAreReadAndWritten() {
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    OrtOwned<OrtTensorTypeAndShapeInfo> info;
    ORT_SUCCEEDS(training_.GetParameterTypeAndShape(objects.state, "fc1.weight", info.out()));
    size_t count = 0;
    ORT_SUCCEEDS(ortApi().GetTensorShapeElementCount(info, &count));
    QCOMPARE(count, size_t{500 * 784});
    OrtOwned<OrtValue> found;
    ORT_SUCCEEDS(training_.GetParameter(objects.state, "fc1.weight", ortAllocator(), found.out()));
    const Tensor original = tensorOf(found);
    const CheckpointFile file = readCheckpoint(OrtObjects::api("checkpoint.ckpt"));
    const auto expected = std::ranges::find(file.trainable, "fc1.weight", &NamedTensor::name);
    QVERIFY(expected != file.trainable.end() && sameBits(original, expected->data));

    const Tensor random = OrtApiFixture::random({500, 784});
    OrtOwned<OrtValue> written = valueOver(random);
    ORT_SUCCEEDS(training_.UpdateParameter(objects.state, "fc1.weight", written));
    ORT_SUCCEEDS(training_.GetParameter(objects.state, "fc1.weight", ortAllocator(), found.out()));
    QVERIFY(sameBits(tensorOf(found), random));
}

void OrtCTrainingTest::nominalStatesTrainOnceParametersAreSet() {
    OrtObjects full, nominal;
    QCOMPARE(full.load(), QString());
    QCOMPARE(nominal.load("nominal_checkpoint"), QString());
    const Tensor all(DType::Float32, {397510});
    OrtOwned<OrtValue> buffer = valueOver(all);
    ORT_SUCCEEDS(training_.CopyParametersToBuffer(full.session, buffer, false));
    QVERIFY(messageOf(training_.CopyBufferToParameters(nominal.session, buffer, true))
                .contains("all parameters need to be loaded"));
    ORT_SUCCEEDS(training_.CopyBufferToParameters(nominal.session, buffer, false));
    const std::vector<Tensor> feeds = OrtApiFixture::randomFeeds({0, 8});
    for (int i = 0; i < 4; ++i) {
        QCOMPARE(nominal.trainStep(feeds), full.trainStep(feeds));
        for (OrtObjects* each : {&full, &nominal}) {
            ORT_SUCCEEDS(training_.OptimizerStep(each->session, nullptr));
            ORT_SUCCEEDS(training_.LazyResetGrad(each->session));
        }
    }
}

void OrtCTrainingTest::modelsMayBeInMemory() {
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    const std::string model = readFile(OrtObjects::api("training_model.onnx"));
    const std::string optimizer = readFile(OrtObjects::api("adamw.onnx"));
    ORT_SUCCEEDS(training_.CreateTrainingSessionFromBuffer(
        objects.env, objects.options, objects.state, model.data(), model.size(), nullptr, 0,
        optimizer.data(), optimizer.size(), objects.session.out()));
    compareRecorded(objects.trainStep(OrtApiFixture::recordedFeeds()),
                    OrtApiFixture::recordedLoss("loss_1.out"));
    QCOMPARE(messageOf(training_.CreateTrainingSessionFromBuffer(
                           objects.env, objects.options, objects.state, nullptr, 0, nullptr, 0,
                           nullptr, 0, objects.session.out()))
                 .contains("Training Session Creation failed. Train model data cannot be NULL."),
             true);
}

void OrtCTrainingTest::theSeedIsThatOfLaterSessions() {
    Owned<TemperModel> model;
    Owned<TemperArtifacts> artifacts;
    QCOMPARE(temper_model_from_text(R"(<ir_version: 8, opset_import: ["" : 17]>
        net (float[N, 64] x) => (float[N, 64] y)
        <float[64] w = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, float ratio = {0.5}, bool mode = {1}>
        { h = Mul(x, w)  y = Dropout(h, ratio, mode) })",
                                    model.out(), nullptr),
             TEMPER_OK);
    QCOMPARE(temper_artifacts_make(model, R"({"artifacts": {"loss": {"key": "mse"}}})", nullptr,
                                   artifacts.out(), nullptr),
             TEMPER_OK);
    QCOMPARE(temper_artifacts_save(artifacts, path("dropout").c_str(), nullptr), TEMPER_OK);
    std::vector<Tensor> feeds{OrtApiFixture::random({1, 64}), Tensor(DType::Float32, {1, 64})};
    std::map<int64_t, std::vector<double>> losses;
    for (const int64_t seed : {1, 2, 1}) {
        OrtObjects objects;
        ORT_SUCCEEDS(training_.SetSeed(seed));
        ORT_SUCCEEDS(
            training_.LoadCheckpoint(path("dropout/checkpoint").c_str(), objects.state.out()));
        ORT_SUCCEEDS(training_.CreateTrainingSession(objects.env, objects.options, objects.state,
                                                     path("dropout/training_model.onnx").c_str(),
                                                     nullptr, nullptr, objects.session.out()));
        losses[seed].push_back(objects.trainStep(feeds));
    }
    ORT_SUCCEEDS(training_.SetSeed(0));
    QCOMPARE(losses[1][0], losses[1][1]);
    QVERIFY(losses[1][0] != losses[2][0]);
}

void OrtCTrainingTest::exportedModelsRun() {
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    const char* output = "output-0";
    const std::string file = path("trained.onnx");
    ORT_SUCCEEDS(training_.ExportModelForInferencing(objects.session, file.c_str(), 1, &output));
    OrtOwned<OrtSession> session;
    ORT_SUCCEEDS(ortApi().CreateSession(objects.env, file.c_str(), objects.options, session.out()));
    size_t count = 0;
    ORT_SUCCEEDS(ortApi().SessionGetInputCount(session, &count));
    QCOMPARE(count, size_t{1});
    const std::vector<Tensor> feeds = OrtApiFixture::recordedFeeds();
    OrtOwned<OrtValue> input = valueOver(feeds[0]);
    const OrtValue* inputs[] = {input};
    const char* inputName = "input-0";
    OrtOwned<OrtValue> logits;
    ORT_SUCCEEDS(ortApi().Run(session, nullptr, &inputName, inputs, 1, &output, 1, logits.out()));
    // cross entropy of class 1, as the recorded loss
    const Tensor found = tensorOf(logits);
    QCOMPARE(found.shape(), (Shape{2, 10}));
    double loss = 0;
    for (size_t row = 0; row < 2; ++row) {
        const auto values = found.values<float>().subspan(row * 10, 10);
        double sum = 0;
        for (const float value : values) sum += std::exp(double(value));
        loss += (std::log(sum) - values[1]) / 2;
    }
    compareRecorded(loss, OrtApiFixture::recordedLoss("loss_1.out"));
}

void OrtCTrainingTest::errorsHaveItsTexts_data() {
    QTest::addColumn<QString>("text");
    for (const char* row :
         {"No optimizer session initialized.", "Evaluation session not initialized",
          "No learning rate scheduler was registered.",
          "Train output name index out of range. Expected in range [0-1). Actual: 1",
          "Train input name index out of range. Expected in range [0-2). Actual: 2",
          "Parameters buffer size incorrect. Expected:397510, Actual:3", "No property named X",
          "Parameter no_such not found", "Eval model was not provided.", "'session' is null",
          "'checkpoint_path' is null", "session.use_env_allocators"}) {
        QTest::newRow(row) << row;
    }
}

void OrtCTrainingTest::errorsHaveItsTexts() {
    QFETCH(QString, text);
    OrtObjects objects;
    QCOMPARE(objects.load("checkpoint.ckpt", false), QString());
    OrtTrainingSession* session = objects.session;
    OrtCheckpointState* state = objects.state;
    const Tensor three(DType::Float32, {3});
    OrtOwned<OrtValue> buffer = valueOver(three), found;
    char* name = nullptr;
    OrtPropertyType type = OrtIntProperty;
    void* value = nullptr;
    const char* output = "output-0";
    OrtOwned<OrtSessionOptions> options;
    ORT_SUCCEEDS(ortApi().CreateSessionOptions(options.out()));
    ORT_SUCCEEDS(ortApi().AddSessionConfigEntry(options, "session.use_env_allocators", "1"));
    OrtOwned<OrtTrainingSession> other;
    OrtOwned<OrtCheckpointState> otherState;
    OrtStatus* const statuses[] = {
        training_.OptimizerStep(session, nullptr),
        training_.EvalStep(session, nullptr, 0, nullptr, 0, nullptr),
        training_.SchedulerStep(session),
        training_.TrainingSessionGetTrainingModelOutputName(session, 1, ortAllocator(), &name),
        training_.TrainingSessionGetTrainingModelInputName(session, 2, ortAllocator(), &name),
        training_.CopyParametersToBuffer(session, buffer, true),
        training_.GetProperty(state, "X", ortAllocator(), &type, &value),
        training_.GetParameter(state, "no_such", ortAllocator(), found.out()),
        training_.ExportModelForInferencing(session, path("no.onnx").c_str(), 1, &output),
        training_.LazyResetGrad(nullptr),
        training_.LoadCheckpoint(nullptr, otherState.out()),
        training_.CreateTrainingSession(objects.env, options, state,
                                        OrtObjects::api("training_model.onnx").c_str(), nullptr,
                                        nullptr, other.out()),
    };
    QStringList messages;
    for (OrtStatus* status : statuses) messages << messageOf(status);
    QVERIFY(!messages.contains(QString()));
    QVERIFY2(std::ranges::count_if(
                 messages, [&](const QString& message) { return message.contains(text); }) == 1,
             qPrintable(messages.join('\n')));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OrtCTrainingTest)
#include "ort_c_training_test.moc"
