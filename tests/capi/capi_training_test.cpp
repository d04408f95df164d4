// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "engine/core/file.h"
#include "engine/data/npz_file.h"
#include "tests/app/temper_program.h"
#include "tests/capi/objects.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

namespace {

std::string ort(const std::string& path) { return (conformanceFolder() / "ort" / path).string(); }

/// The batch of ort/feeds/mnist: input-0, labels.
std::vector<Tensor> mnistFeeds() {
    const Arrays arrays = loadFeeds(ort("feeds/mnist"));
    return {arrays.at("input-0").reshaped({2, 784}),
            arrays.at("labels").reshaped({2}).cast(DType::Int32)};
}

/// Losses below 1e-4 have few significant bits, as the data's README says.
void compareLoss(double actual, double expected, int step) {
    const double tolerance = std::max(1e-5 * std::abs(expected), expected < 1e-4 ? 1e-6 : 0.0);
    QVERIFY2(
        std::abs(actual - expected) <= tolerance,
        qPrintable(QString("step %1: found %2, expected %3").arg(step).arg(actual).arg(expected)));
}

QString loadMnist(TrainingObjects& objects, const char* optimizer = "training_api/adamw.onnx",
                  const char* checkpoint = "training_api/checkpoint.ckpt") {
    return objects.load(ort("training_api/training_model.onnx"),
                        ort("training_api/eval_model.onnx"), ort(optimizer), ort(checkpoint));
}

}  // namespace

/// Training in C against ONNX Runtime's records, and against the program `temper`.
class CapiTrainingTest : public QObject {
    Q_OBJECT

private slots:
    void lossesAreThoseThatOnnxRuntimeRecorded_data();
    void lossesAreThoseThatOnnxRuntimeRecorded();
    void artifactsOfOnnxRuntimeTrainToItsParameters_data();
    void artifactsOfOnnxRuntimeTrainToItsParameters();
    void gradientsAreThoseThatOnnxRuntimeRecorded();
    void theLinearScheduleIsOnnxRuntimes();
    void otherSchedulesSetTheRate();
    void programsInCPrintTheseLosses_data();
    void programsInCPrintTheseLosses();
    void stepsAreThoseOfTheCommandLineToTheBit();
    void fitIsTemperTrainToTheBit();
    void theFunctionForEventsEndsARun();
    void aNominalCheckpointTrainsOnceParametersAreSet();
    void exportedModelsComputeWhatTheSessionDoes();
    void threadsTakeTurnsWithASession();
    void aClosedSessionComputesNoMore();

private:
    QString at(const QString& name) const { return folder_.filePath(name); }
    std::string path(const QString& name) const { return at(name).toStdString(); }

    QTemporaryDir folder_;
};

void CapiTrainingTest::lossesAreThoseThatOnnxRuntimeRecorded_data() {
    QTest::addColumn<QString>("record");
    QTest::addColumn<QString>("optimizer");
    for (const char* name : {"adamw_mode0", "adamw_mode1_decay", "adamw_no_bias_correction",
                             "adamw_clip", "sgd", "sgd_clip"}) {
        QTest::newRow(name) << QString("mnist_%1.json").arg(name)
                            << QString("optimizers/%1.onnx").arg(name);
    }
    for (const char* name : {"adamw", "adamw_lr_schedule", "adamw_accumulate2"})
        QTest::newRow(name) << QString("mnist_%1.json").arg(name) << "training_api/adamw.onnx";
}

void CapiTrainingTest::lossesAreThoseThatOnnxRuntimeRecorded() {
    QFETCH(QString, record);
    QFETCH(QString, optimizer);
    TrainingObjects objects;
    QCOMPARE(loadMnist(objects, qPrintable(optimizer)), QString());
    const QJsonObject expected = readJson(ort("expected/" + record.toStdString()));
    const QJsonArray rates = expected["learningRates"].toArray();
    const QJsonArray steps = expected["steps"].toArray();
    const std::vector<Tensor> feeds = mnistFeeds();
    FailureTexts failure;
    int updates = 0;
    for (int i = 0; i < steps.size(); ++i) {
        const QJsonObject step = steps[i].toObject();
        compareLoss(objects.trainStep(feeds), step["outputs"].toObject().begin()->toDouble(),
                    i + 1);
        if (step["optimizerStep"].toBool()) {
            if (!rates.isEmpty()) {
                const qsizetype at = std::min<qsizetype>(updates, rates.size() - 1);
                TEMPER_SUCCEEDS(temper_session_set_learning_rate(
                    objects.session, static_cast<float>(rates[at].toDouble()), failure.out()));
            }
            TEMPER_SUCCEEDS(temper_session_optimizer_step(objects.session, failure.out()));
            TEMPER_SUCCEEDS(temper_session_reset_gradients(objects.session, failure.out()));
            ++updates;
        }
        compareLoss(objects.evalStep(feeds), step["eval"].toObject().begin()->toDouble(), i + 1);
        if (QTest::currentTestFailed()) return;
    }
    QVERIFY(steps.size() >= 6);
    int64_t done = 0;
    TEMPER_SUCCEEDS(temper_checkpoint_steps(objects.checkpoint, &done, failure.out()));
    QCOMPARE(done, int64_t{updates});
}

void CapiTrainingTest::artifactsOfOnnxRuntimeTrainToItsParameters_data() {
    QTest::addColumn<QString>("folder");
    for (const char* model : {"mlp", "lstm", "transformer"}) {
        for (const char* optimizer : {"adamw", "sgd"}) {
            const QString folder = QString("%1/%2").arg(model, optimizer);
            QTest::newRow(qPrintable(folder)) << folder;
        }
    }
}

void CapiTrainingTest::artifactsOfOnnxRuntimeTrainToItsParameters() {
    QFETCH(QString, folder);
    const auto files = conformanceFolder() / "ort-artifacts" / folder.toStdString();
    TrainingObjects objects;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_artifacts_load(files.c_str(), objects.artifacts.out(), failure.out()));
    TEMPER_SUCCEEDS(
        temper_checkpoint_create(objects.artifacts, objects.checkpoint.out(), failure.out()));
    TEMPER_SUCCEEDS(temper_session_create(objects.artifacts, objects.checkpoint, nullptr,
                                          objects.session.out(), failure.out()));
    const QJsonObject expected = readJson(files / "expected.json");
    const Arrays data = TorchFixture(folder.section('/', 0, 0).toStdString()).data;
    TemperNames inputs = {};
    TEMPER_SUCCEEDS(temper_session_inputs(objects.session, 1, &inputs, failure.out()));
    const QJsonArray losses = expected["losses"].toArray();
    for (int64_t step = 0; step < losses.size(); ++step) {
        std::vector<Tensor> feeds;
        for (const std::string& name : listOf(inputs)) {
            const Tensor& all = data.at(name);
            const Shape shape(all.shape().begin() + 1, all.shape().end());
            const auto size = static_cast<size_t>(numElements(shape)) * dtypeSize(all.dtype());
            feeds.push_back(Tensor::wrap(all.dtype(), shape, nullptr,
                                         all.address() + static_cast<size_t>(step) * size));
        }
        compareLoss(objects.trainStep(feeds), losses[step].toDouble(), static_cast<int>(step) + 1);
        TEMPER_SUCCEEDS(temper_session_optimizer_step(objects.session, failure.out()));
        TEMPER_SUCCEEDS(temper_session_reset_gradients(objects.session, failure.out()));
    }
    const Arrays final = readNpz(files / "final_parameters.npz");
    QVERIFY(final.size() > 2);
    for (const auto& [name, values] : final) {
        TemperArray found = {};
        TEMPER_SUCCEEDS(
            temper_checkpoint_parameter(objects.checkpoint, name.c_str(), &found, failure.out()));
        const double worst = worstRatio(tensorOf(found), values, 1e-5, 1e-4);
        QVERIFY2(worst <= 1, qPrintable(QString("%1: %2").arg(name.c_str()).arg(worst)));
    }
}

void CapiTrainingTest::gradientsAreThoseThatOnnxRuntimeRecorded() {
    TrainingObjects objects;
    QCOMPARE(loadMnist(objects), QString());
    QVERIFY(std::isfinite(objects.trainStep(mnistFeeds())));
    const Arrays expected = readNpz(ort("expected/mnist_gradients.npz"));
    FailureTexts failure;
    TemperNames names = {};
    TEMPER_SUCCEEDS(temper_checkpoint_parameters(objects.checkpoint, &names, failure.out()));
    QCOMPARE(names.count, int64_t{4});
    double squares = 0;
    for (const std::string& name : listOf(names)) {
        TemperArray gradient = {};
        TEMPER_SUCCEEDS(
            temper_checkpoint_gradient(objects.checkpoint, name.c_str(), &gradient, failure.out()));
        const Tensor found = tensorOf(gradient);
        QVERIFY(worstRatio(found, expected.at(name), 1e-7, 1e-5) <= 1);
        for (const float value : found.values<float>()) squares += double(value) * value;
    }
    double norm = 0;
    TEMPER_SUCCEEDS(temper_session_gradient_norm(objects.session, &norm, failure.out()));
    QVERIFY(std::abs(norm - std::sqrt(squares)) < 1e-9 + 1e-6 * norm);
    TEMPER_SUCCEEDS(temper_session_scale_gradients(objects.session, 0.5F, failure.out()));
    double half = 0;
    TEMPER_SUCCEEDS(temper_session_gradient_norm(objects.session, &half, failure.out()));
    QCOMPARE(half, norm / 2);
}

void CapiTrainingTest::theLinearScheduleIsOnnxRuntimes() {
    TrainingObjects objects;
    QCOMPARE(loadMnist(objects), QString());
    QVERIFY(std::isfinite(objects.trainStep(mnistFeeds())));
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_session_set_linear_schedule(objects.session, 2, 4, 0.1F, failure.out()));
    float rate = 0;
    TEMPER_SUCCEEDS(temper_session_learning_rate(objects.session, &rate, failure.out()));
    QCOMPARE(rate, 0.1F);
    for (const float expected : {0.05F, 0.1F, 0.05F, 0.0F}) {  // those of its C# test
        TEMPER_SUCCEEDS(temper_session_optimizer_step(objects.session, failure.out()));
        TEMPER_SUCCEEDS(temper_session_schedule_step(objects.session, failure.out()));
        TEMPER_SUCCEEDS(temper_session_learning_rate(objects.session, &rate, failure.out()));
        QCOMPARE(rate, expected);
    }
}

void CapiTrainingTest::otherSchedulesSetTheRate() {
    TrainingObjects objects;
    QCOMPARE(loadMnist(objects), QString());
    QVERIFY(std::isfinite(objects.trainStep(mnistFeeds())));
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_session_set_schedule(
        objects.session, R"({"run": {"learning_rate": 0.2, "schedule": {"key": "cosine"}}})", 2,
        failure.out()));
    for (const double expected : {0.2 * 0.5, 0.0}) {  // half a period of a cosine
        TEMPER_SUCCEEDS(temper_session_optimizer_step(objects.session, failure.out()));
        TEMPER_SUCCEEDS(temper_session_schedule_step(objects.session, failure.out()));
        float rate = -1;
        TEMPER_SUCCEEDS(temper_session_learning_rate(objects.session, &rate, failure.out()));
        QVERIFY2(std::abs(rate - expected) < 1e-7, qPrintable(QString::number(rate)));
    }
    QCOMPARE(temper_session_set_schedule(
                 objects.session, R"({"run": {"schedule": {"key": "cosinus"}}})", 2, failure.out()),
             TEMPER_INVALID_INPUT);
    QVERIFY(failure.message().contains("cosinus"));
}

void CapiTrainingTest::programsInCPrintTheseLosses_data() {
    QTest::addColumn<QString>("program");
    QTest::newRow("temper.h") << TEMPER_C_STEPS;
    QTest::newRow("onnxruntime_training_c_api.h") << TEMPER_ORT_C_STEPS;
}

void CapiTrainingTest::programsInCPrintTheseLosses() {
    QFETCH(QString, program);
    const std::vector<Tensor> feeds = mnistFeeds();
    for (const auto& [name, tensor] :
         {std::pair("input.bin", feeds[0]), std::pair("labels.bin", feeds[1])}) {
        QFile file(at(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(reinterpret_cast<const char*>(tensor.data()),
                   static_cast<qint64>(tensor.byteSize()));
    }
    QProcess process;
    process.start(program, {QString::fromStdString(ort("training_api")), at("input.bin"),
                            at("labels.bin"), "10"});
    QVERIFY(process.waitForFinished(300'000));
    const QByteArray errors = process.readAllStandardError();
    QVERIFY2(process.exitCode() == 0 && process.exitStatus() == QProcess::NormalExit,
             errors.constData());
    const QList<QByteArray> lines = process.readAllStandardOutput().trimmed().split('\n');
    const QJsonArray steps = readJson(ort("expected/mnist_adamw.json"))["steps"].toArray();
    QCOMPARE(lines.size(), steps.size());
    for (int i = 0; i < steps.size(); ++i) {
        compareLoss(lines[i].toDouble(),
                    steps[i].toObject()["outputs"].toObject().begin()->toDouble(), i + 1);
    }
}

void CapiTrainingTest::stepsAreThoseOfTheCommandLineToTheBit() {
    const QString api = QString::fromStdString(ort("training_api/"));
    const ProgramResult expected =
        runTemper({"step", "--train-model", api + "training_model.onnx", "--eval-model",
                   api + "eval_model.onnx", "--optimizer-model", api + "adamw.onnx", "--checkpoint",
                   api + "checkpoint.ckpt", "--feeds", QString::fromStdString(ort("feeds/mnist")),
                   "--steps", "3", "--params", at("expected.npz"), "--json"});
    QVERIFY2(expected.exitStatus == 0, expected.all().constData());
    TrainingObjects objects;
    QCOMPARE(loadMnist(objects), QString());
    FailureTexts failure;
    for (const QJsonValue& step : expected.json()["steps"].toArray()) {
        const double loss = objects.trainStep(mnistFeeds());
        QCOMPARE(loss, step["outputs"].toObject().begin()->toDouble());
        TEMPER_SUCCEEDS(temper_session_optimizer_step(objects.session, failure.out()));
        TEMPER_SUCCEEDS(temper_session_reset_gradients(objects.session, failure.out()));
    }
    const Arrays parameters = readNpz(path("expected.npz"));
    QCOMPARE(parameters.size(), size_t{4});
    for (const auto& [name, values] : parameters) {
        TemperArray found = {};
        TEMPER_SUCCEEDS(
            temper_checkpoint_parameter(objects.checkpoint, name.c_str(), &found, failure.out()));
        QCOMPARE(found.byte_size, static_cast<int64_t>(values.byteSize()));
        QVERIFY(std::memcmp(found.data, values.data(), values.byteSize()) == 0);
    }
}

namespace {

int32_t collect(void* context, const char* event) {
    static_cast<QJsonArray*>(context)->append(QJsonDocument::fromJson(event).object());
    return 0;
}

int32_t stopAtStep3(void* context, const char* event) {
    const QJsonObject fields = QJsonDocument::fromJson(event).object();
    *static_cast<QJsonObject*>(context) = fields;
    return fields["event"] == "step" && fields["step"].toInt() == 3 ? 1 : 0;
}

}  // namespace

void CapiTrainingTest::fitIsTemperTrainToTheBit() {
    const QString lesson = QStringLiteral(TEMPER_SOURCE_DIR "/resources/lessons/digits/");
    const QStringList data{"--data", lesson + "train.npz", "--eval-data", lesson + "test.npz"};
    ProgramResult expected =
        runTemper({"artifacts", lesson + "model.onnx", "--out", at("made"), "--optimizer", "sgd"});
    QVERIFY2(expected.exitStatus == 0, expected.all().constData());
    expected = runTemper(QStringList{"train", at("made"), "--save", at("expected"), "--epochs", "2",
                                     "--lr", "0.05", "--seed", "7", "--log", at("expected.jsonl")} +
                         data);
    QVERIFY2(expected.exitStatus == 0, expected.all().constData());

    FailureTexts failure;
    Owned<TemperModel> model;
    TrainingObjects objects;
    TEMPER_SUCCEEDS(
        temper_model_open((lesson + "model.onnx").toUtf8(), model.out(), failure.out()));
    TEMPER_SUCCEEDS(temper_artifacts_make(model, R"({"artifacts": {"optimizer": {"key": "sgd"}}})",
                                          nullptr, objects.artifacts.out(), failure.out()));
    TEMPER_SUCCEEDS(
        temper_artifacts_save(objects.artifacts, path("made_in_c").c_str(), failure.out()));
    for (const char* file : {"training_model.onnx", "eval_model.onnx", "optimizer_model.onnx"})
        QCOMPARE(readFile(path("made_in_c/") + file), readFile(path("made/") + file));
    TEMPER_SUCCEEDS(
        temper_checkpoint_create(objects.artifacts, objects.checkpoint.out(), failure.out()));
    TEMPER_SUCCEEDS(temper_session_create(objects.artifacts, objects.checkpoint,
                                          R"({"run": {"seed": 7}})", objects.session.out(),
                                          failure.out()));
    const QJsonObject run{{"data", lesson + "train.npz"}, {"eval_data", lesson + "test.npz"},
                          {"save_folder", at("found")},   {"epochs", 2},
                          {"learning_rate", 0.05},        {"seed", 7}};
    const QByteArray choices = QJsonDocument(QJsonObject{{"run", run}}).toJson();
    QJsonArray events;
    TEMPER_SUCCEEDS(
        temper_session_fit(objects.session, choices.constData(), &collect, &events, failure.out()));

    QCOMPARE(readFile(path("found/last.ckpt")), readFile(path("expected/last.ckpt")));
    QCOMPARE(readFile(path("found/best.ckpt")), readFile(path("expected/best.ckpt")));
    QJsonArray losses, expectedLosses;
    for (const QJsonValue& event : events)
        if (event["event"] == "step") losses.append(event["loss"]);
    for (const QByteArray& line :
         QByteArray::fromStdString(readFile(path("expected.jsonl"))).trimmed().split('\n')) {
        const QJsonObject event = QJsonDocument::fromJson(line).object();
        if (event["event"] == "step") expectedLosses.append(event["loss"]);
    }
    QVERIFY(losses.size() > 50);
    QCOMPARE(losses, expectedLosses);
    QCOMPARE(events.last()["event"].toString(), QString("end"));
}

void CapiTrainingTest::theFunctionForEventsEndsARun() {
    FailureTexts failure;
    Owned<TemperModel> model;
    TrainingObjects objects;
    const char* file = TEMPER_SOURCE_DIR "/resources/lessons/digits/model.onnx";
    TEMPER_SUCCEEDS(temper_model_open(file, model.out(), failure.out()));
    TEMPER_SUCCEEDS(
        temper_artifacts_make(model, nullptr, nullptr, objects.artifacts.out(), failure.out()));
    TEMPER_SUCCEEDS(
        temper_checkpoint_create(objects.artifacts, objects.checkpoint.out(), failure.out()));
    TEMPER_SUCCEEDS(temper_session_create(objects.artifacts, objects.checkpoint, "",
                                          objects.session.out(), failure.out()));
    QJsonObject last;
    TEMPER_SUCCEEDS(temper_session_fit(objects.session,
                                       R"({"run": {"data": "lesson:digits/train.npz"}})",
                                       &stopAtStep3, &last, failure.out()));
    QCOMPARE(last["event"].toString(), QString("end"));
    QCOMPARE(last["outcome"].toString(), QString("stopped"));
    QCOMPARE(last["step"].toInt(), 3);
    int64_t steps = 0;
    TEMPER_SUCCEEDS(temper_checkpoint_steps(objects.checkpoint, &steps, failure.out()));
    QCOMPARE(steps, int64_t{3});
    QCOMPARE(temper_session_fit(objects.session, R"({"run": {"data": "/nowhere.npz"}})", nullptr,
                                nullptr, failure.out()),
             TEMPER_NOT_FOUND);
    QVERIFY(failure.message().contains("/nowhere.npz"));
    QCOMPARE(temper_session_fit(objects.session, nullptr, nullptr, nullptr, failure.out()),
             TEMPER_INVALID_INPUT);
    QVERIFY(failure.message().contains("no data"));
}

void CapiTrainingTest::aNominalCheckpointTrainsOnceParametersAreSet() {
    TrainingObjects full, nominal;
    QCOMPARE(loadMnist(full), QString());
    QCOMPARE(loadMnist(nominal, "training_api/adamw.onnx", "training_api/nominal_checkpoint"),
             QString());
    FailureTexts failure;
    int32_t isNominal = 0;
    TEMPER_SUCCEEDS(temper_checkpoint_is_nominal(nominal.checkpoint, &isNominal, failure.out()));
    QCOMPARE(isNominal, 1);
    const std::vector<Tensor> feeds = mnistFeeds();
    const auto inputs = arraysOf(feeds);
    QCOMPARE(
        temper_session_train_step(nominal.session, inputs.data(), 2, nullptr, 0, failure.out()),
        TEMPER_STATE);
    QVERIFY(failure.message().contains("nominal"));
    TemperArray view = {};
    QCOMPARE(temper_checkpoint_parameter(nominal.checkpoint, "fc1.weight", &view, failure.out()),
             TEMPER_STATE);

    int64_t size = 0;
    TEMPER_SUCCEEDS(temper_session_parameters_size(full.session, 0, &size, failure.out()));
    QCOMPARE(size, int64_t{397510});
    const Tensor buffer(DType::Float32, {size});
    const TemperArray array = arrayOf(buffer);
    TEMPER_SUCCEEDS(temper_session_get_all_parameters(full.session, 0, &array, failure.out()));
    TEMPER_SUCCEEDS(temper_session_set_all_parameters(nominal.session, 0, &array, failure.out()));
    for (int i = 0; i < 3; ++i) {
        QCOMPARE(nominal.trainStep(feeds), full.trainStep(feeds));
        for (TrainingObjects* each : {&full, &nominal}) {
            TEMPER_SUCCEEDS(temper_session_optimizer_step(each->session, failure.out()));
            TEMPER_SUCCEEDS(temper_session_reset_gradients(each->session, failure.out()));
        }
    }
}

void CapiTrainingTest::exportedModelsComputeWhatTheSessionDoes() {
    TrainingObjects objects;
    QCOMPARE(loadMnist(objects), QString());
    const std::vector<Tensor> feeds = mnistFeeds();
    QVERIFY(std::isfinite(objects.trainStep(feeds)));
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_session_optimizer_step(objects.session, failure.out()));
    const char* output = "output-0";
    const auto inputs = arraysOf(feeds);
    TemperArray expected = {};
    TEMPER_SUCCEEDS(temper_session_evaluate(objects.session, inputs.data(), 2, &output, 1,
                                            &expected, failure.out()));
    const Tensor logits = tensorOf(expected);
    QCOMPARE(logits.shape(), (Shape{2, 10}));

    TEMPER_SUCCEEDS(temper_session_export(objects.session, path("trained.onnx").c_str(), &output, 1,
                                          nullptr, failure.out()));
    Owned<TemperModel> model;
    TEMPER_SUCCEEDS(temper_model_open(path("trained.onnx").c_str(), model.out(), failure.out()));
    Owned<TemperInference> inference;
    TEMPER_SUCCEEDS(temper_inference_create(model, nullptr, 0, 1, inference.out(), failure.out()));
    TemperNames names = {};
    TEMPER_SUCCEEDS(temper_inference_inputs(inference, &names, failure.out()));
    QCOMPARE(listOf(names), std::vector<std::string>{"input-0"});
    TEMPER_SUCCEEDS(temper_inference_outputs(inference, &names, failure.out()));
    QCOMPARE(listOf(names), std::vector<std::string>{"output-0"});
    TemperArray found = {};
    TEMPER_SUCCEEDS(temper_inference_run(inference, inputs.data(), 1, &found, 1, 0, failure.out()));
    QVERIFY(worstRatio(tensorOf(found), logits, 1e-6, 1e-6) <= 1);

    TemperExportOptions options = {};
    options.struct_size = sizeof options;
    options.external_data = 1;
    TEMPER_SUCCEEDS(temper_session_export(objects.session, path("beside.onnx").c_str(), &output, 1,
                                          &options, failure.out()));
    QVERIFY(QFile::exists(at("beside.onnx.data")));
    const char* unknown = "nothing";
    QCOMPARE(temper_session_export(objects.session, path("no.onnx").c_str(), &unknown, 1, nullptr,
                                   failure.out()),
             TEMPER_NOT_FOUND);
    QVERIFY(failure.message().contains("nothing"));
}

void CapiTrainingTest::threadsTakeTurnsWithASession() {
    TrainingObjects objects;
    QCOMPARE(loadMnist(objects), QString());
    const std::vector<Tensor> feeds = mnistFeeds();
    const auto inputs = arraysOf(feeds);
    TemperSession* session = objects.session;
    const auto accumulate = [&] {
        for (int i = 0; i < 2; ++i)
            temper_session_train_step(session, inputs.data(), 2, nullptr, 0, nullptr);
    };
    TemperArray gradient = {};
    FailureTexts failure;
    temper_session_train_step(session, inputs.data(), 2, nullptr, 0, nullptr);
    TEMPER_SUCCEEDS(
        temper_checkpoint_gradient(objects.checkpoint, "fc2.weight", &gradient, failure.out()));
    const Tensor once = tensorOf(gradient);
    TEMPER_SUCCEEDS(temper_session_reset_gradients(session, failure.out()));
    std::thread first(accumulate), second(accumulate);
    first.join();
    second.join();
    // the view is the gradient's own memory
    const auto* found = static_cast<const float*>(gradient.data);
    const auto expected = once.values<float>();
    for (size_t i = 0; i < expected.size(); ++i) QCOMPARE(found[i], 4 * expected[i]);
}

void CapiTrainingTest::aClosedSessionComputesNoMore() {
    TrainingObjects objects;
    QCOMPARE(loadMnist(objects), QString());
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_session_close(objects.session, failure.out()));
    TEMPER_SUCCEEDS(temper_session_close(objects.session, failure.out()));
    const std::vector<Tensor> feeds = mnistFeeds();
    const auto inputs = arraysOf(feeds);
    QCOMPARE(
        temper_session_train_step(objects.session, inputs.data(), 2, nullptr, 0, failure.out()),
        TEMPER_STATE);
    QVERIFY(failure.message().contains("closed"));
    float rate = 0;
    QCOMPARE(temper_session_learning_rate(objects.session, &rate, nullptr), TEMPER_STATE);
    TemperNames names = {};
    TEMPER_SUCCEEDS(temper_session_inputs(objects.session, 1, &names, failure.out()));
    QCOMPARE(names.count, int64_t{2});
    TEMPER_SUCCEEDS(temper_session_create(objects.artifacts, objects.checkpoint, nullptr,
                                          objects.session.out(), failure.out()));
    QVERIFY(std::isfinite(objects.trainStep(feeds)));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CapiTrainingTest)
#include "capi_training_test.moc"
