// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/file.h"
#include "engine/core/string_tensor.h"
#include "tests/app/temper_program.h"
#include "tests/capi/objects.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// Models, artifacts and choices in C, against `temper inspect` and PyTorch's files.
class CapiModelTest : public QObject {
    Q_OBJECT

private slots:
    void inputsAndOutputsHaveNamesTypesAndShapes();
    void parametersAreThoseOfPyTorch();
    void findingsAreThoseOfTheCommandLine();
    void savedModelsAndBytesAreEqual();
    void textsAndScalarsGoThroughInference();
    void artifactsSayWhatTrains();
    void artifactsGiveTheirModels();
    void artifactsThatCannotBeMadeListAllFindings();
    void choicesAreCompleted();
    void settingsAreThoseOfTheCommandLine();

private:
    std::string path(const char* name) const { return folder_.filePath(name).toStdString(); }
    static QString torch(const char* name) {
        return QString::fromStdString((conformanceFolder() / "torch" / name / "model.onnx"));
    }

    QTemporaryDir folder_;
};

void CapiModelTest::inputsAndOutputsHaveNamesTypesAndShapes() {
    Owned<TemperModel> model;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_model_from_text(R"(<ir_version: 8, opset_import: ["" : 17]>
        net (float[batch, 4] x, int64[2, ?] ids, double s) => (float[batch, 4] y)
        { y = Relu(x) })",
                                           model.out(), failure.out()));
    int64_t count = 0;
    TEMPER_SUCCEEDS(temper_model_input_count(model, &count, failure.out()));
    QCOMPARE(count, int64_t{3});
    TemperValueInfo info = {};
    info.struct_size = sizeof info;
    TEMPER_SUCCEEDS(temper_model_input(model, 0, &info, failure.out()));
    QCOMPARE(QString(info.name), QString("x"));
    QCOMPARE(info.dtype, TEMPER_DTYPE_FLOAT32);
    QCOMPARE(info.rank, int64_t{2});
    QVERIFY(info.shape[0] == -1 && info.shape[1] == 4);
    QCOMPARE(QString(info.symbols[0]), QString("batch"));
    QVERIFY(info.symbols[1] == nullptr);
    TEMPER_SUCCEEDS(temper_model_input(model, 1, &info, failure.out()));
    QCOMPARE(info.dtype, TEMPER_DTYPE_INT64);
    QVERIFY(info.shape[0] == 2 && info.shape[1] == -1);
    TEMPER_SUCCEEDS(temper_model_input(model, 2, &info, failure.out()));
    QVERIFY(info.rank == 0 && info.dtype == TEMPER_DTYPE_FLOAT64);
    TEMPER_SUCCEEDS(temper_model_output_count(model, &count, failure.out()));
    QCOMPARE(count, int64_t{1});
    TEMPER_SUCCEEDS(temper_model_output(model, 0, &info, failure.out()));
    QCOMPARE(QString(info.name), QString("y"));
    QCOMPARE(temper_model_output(model, 1, &info, failure.out()), TEMPER_INVALID_INPUT);
    QVERIFY(failure.message().contains("expected one in [0, 1)"));
}

void CapiModelTest::parametersAreThoseOfPyTorch() {
    const TorchFixture fixture("mlp");
    Owned<TemperModel> model;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_model_open(qPrintable(torch("mlp")), model.out(), failure.out()));
    int64_t count = 0;
    TEMPER_SUCCEEDS(temper_model_parameter_count(model, &count, failure.out()));
    QCOMPARE(count, static_cast<int64_t>(fixture.model->initializers().size()));
    QVERIFY(count > 2);
    for (int64_t i = 0; i < count; ++i) {
        TemperParameterInfo info = {};
        info.struct_size = sizeof info;
        TEMPER_SUCCEEDS(temper_model_parameter(model, i, &info, failure.out()));
        const Value* value = fixture.model->initializers()[static_cast<size_t>(i)];
        QCOMPARE(std::string(info.name), value->name());
        QCOMPARE(Shape(info.shape, info.shape + info.rank), value->constant().shape());
        QCOMPARE(QString(info.kind), QString("trainable"));
        QCOMPARE(info.trains, 1);
    }
    const TemperFindings* findings = nullptr;
    TEMPER_SUCCEEDS(temper_model_findings(model, &findings, failure.out()));
    QCOMPARE(temper_findings_count(findings), int64_t{0});
}

void CapiModelTest::findingsAreThoseOfTheCommandLine() {
    Owned<TemperModel> model;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_model_from_text(R"(<ir_version: 8, opset_import: ["" : 17]>
        net (float[N, 2] x) => (float[N, 2] y, float[N, 2] z)
        <float[2] w = {2, 3}, float[2] v = {4, 5}, float[2] u = {6, 7}> {
        a = Mul(x, w)  b = Round(a)  y = Add(b, v)  c = Add(x, u)  z = Sign(c)
    })",
                                           model.out(), failure.out()));
    TEMPER_SUCCEEDS(temper_model_save(model, path("blocked.onnx").c_str(), failure.out()));
    const ProgramResult expected =
        runTemper({"inspect", QString::fromStdString(path("blocked.onnx")), "--json"});
    QVERIFY2(expected.exitStatus == 0, expected.all().constData());
    const TemperFindings* findings = nullptr;
    TEMPER_SUCCEEDS(temper_model_findings(model, &findings, failure.out()));
    QStringList found, wanted;
    for (int64_t i = 0; i < temper_findings_count(findings); ++i) {
        TemperFinding finding = {};
        finding.struct_size = sizeof finding;
        TEMPER_SUCCEEDS(temper_findings_get(findings, i, &finding, failure.out()));
        found << QString("%1 %2 %3").arg(finding.code, finding.node, finding.message);
    }
    for (const QJsonValue& finding : expected.json()["findings"].toArray())
        wanted << QString("%1 %2 %3")
                      .arg(finding["code"].toString(), finding["node"].toString(),
                           finding["message"].toString());
    QCOMPARE(wanted.size(), 2);
    QCOMPARE(found, wanted);
    TemperParameterInfo info = {};
    info.struct_size = sizeof info;
    QStringList trained;
    for (int64_t i = 0; i < 3; ++i) {
        TEMPER_SUCCEEDS(temper_model_parameter(model, i, &info, failure.out()));
        if (info.trains == 1) trained << info.name;
    }
    QCOMPARE(trained, QStringList{"v"});
}

void CapiModelTest::savedModelsAndBytesAreEqual() {
    const std::string bytes = readFile(torch("lstm").toStdString());
    Owned<TemperModel> model, again;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_model_from_bytes(bytes.data(), static_cast<int64_t>(bytes.size()),
                                            model.out(), failure.out()));
    TEMPER_SUCCEEDS(temper_model_save(model, path("saved.onnx").c_str(), failure.out()));
    Owned<void> made;
    int64_t size = 0;
    TEMPER_SUCCEEDS(temper_model_to_bytes(model, made.out(), &size, failure.out()));
    QCOMPARE(std::string(static_cast<const char*>(made.get()), static_cast<size_t>(size)),
             readFile(path("saved.onnx")));
    QCOMPARE(temper_model_from_bytes("no model", 8, again.out(), failure.out()),
             TEMPER_INVALID_INPUT);
    QVERIFY(again.get() == nullptr);
}

void CapiModelTest::textsAndScalarsGoThroughInference() {
    Owned<TemperModel> model;
    Owned<TemperInference> inference;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_model_from_text(R"(<ir_version: 8, opset_import: ["" : 17]>
        net (string[N] words, float s) => (string[N] same, float twice)
        { same = Identity(words)  twice = Add(s, s) })",
                                           model.out(), failure.out()));
    TEMPER_SUCCEEDS(temper_inference_create(model, nullptr, 0, 1, inference.out(), failure.out()));
    const char* words[] = {"ein", "gr\xc3\xbc\xc3\x9f", ""};
    const int64_t shape[] = {3};
    float number = 1.5F;
    const TemperArray inputs[] = {{words, sizeof words, shape, 1, TEMPER_DTYPE_STRING, 0},
                                  {&number, sizeof number, nullptr, 0, TEMPER_DTYPE_FLOAT32, 0}};
    TemperArray outputs[2] = {};
    TEMPER_SUCCEEDS(temper_inference_run(inference, inputs, 2, outputs, 2, 0, failure.out()));
    QCOMPARE(outputs[0].dtype, TEMPER_DTYPE_STRING);
    for (int i = 0; i < 3; ++i)
        QCOMPARE(std::string(static_cast<const char* const*>(outputs[0].data)[i]),
                 std::string(words[i]));
    QVERIFY(outputs[1].rank == 0 && *static_cast<const float*>(outputs[1].data) == 3.0F);
}

void CapiModelTest::artifactsSayWhatTrains() {
    Owned<TemperModel> model;
    Owned<TemperArtifacts> artifacts, loaded;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_model_open(qPrintable(torch("mlp")), model.out(), failure.out()));
    const char* choices = R"({"artifacts": {"frozen": ["*bias"], "loss": {"key": "mse"}}})";
    TEMPER_SUCCEEDS(temper_artifacts_make(model, choices, nullptr, artifacts.out(), failure.out()));
    TemperNames trainable = {}, frozen = {};
    TEMPER_SUCCEEDS(temper_artifacts_trainable(artifacts, &trainable, failure.out()));
    TEMPER_SUCCEEDS(temper_artifacts_frozen(artifacts, &frozen, failure.out()));
    QVERIFY(trainable.count > 0 && frozen.count > 0);
    for (const std::string& name : listOf(frozen)) QVERIFY(name.ends_with("bias"));
    for (const std::string& name : listOf(trainable)) QVERIFY(!name.ends_with("bias"));

    TEMPER_SUCCEEDS(temper_artifacts_save(artifacts, path("artifacts").c_str(), failure.out()));
    TEMPER_SUCCEEDS(temper_artifacts_load(path("artifacts").c_str(), loaded.out(), failure.out()));
    TemperNames again = {};
    TEMPER_SUCCEEDS(temper_artifacts_trainable(loaded, &again, failure.out()));
    QCOMPARE(listOf(again), listOf(trainable));
}

void CapiModelTest::artifactsGiveTheirModels() {
    const std::string folder = (conformanceFolder() / "ort/training_api/").string();
    const std::string file = folder + "training_model.onnx";
    TemperArtifactPaths paths = {};
    paths.struct_size = sizeof paths;
    paths.training_model = file.c_str();
    Owned<TemperArtifacts> artifacts;
    Owned<TemperModel> model;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_artifacts_load_files(&paths, artifacts.out(), failure.out()));
    TEMPER_SUCCEEDS(
        temper_artifacts_model(artifacts, TEMPER_TRAINING_MODEL, model.out(), failure.out()));
    TemperValueInfo info = {};
    info.struct_size = sizeof info;
    TEMPER_SUCCEEDS(temper_model_input(model, 0, &info, failure.out()));
    QCOMPARE(QString(info.name), QString("input-0"));
    for (const int32_t kind : {TEMPER_EVAL_MODEL, TEMPER_OPTIMIZER_MODEL})
        QCOMPARE(temper_artifacts_model(artifacts, kind, model.out(), failure.out()),
                 TEMPER_NOT_FOUND);
    QVERIFY(failure.message().contains("optimizer model"));
    QCOMPARE(temper_artifacts_model(artifacts, 3, model.out(), failure.out()),
             TEMPER_INVALID_INPUT);
}

void CapiModelTest::artifactsThatCannotBeMadeListAllFindings() {
    Owned<TemperModel> model;
    Owned<TemperArtifacts> artifacts;
    FailureTexts failure;
    TEMPER_SUCCEEDS(temper_model_open(qPrintable(torch("mlp")), model.out(), failure.out()));
    const char* choices = R"({"artifacts": {"frozen": ["no_such"], "extra_outputs": ["neither"]}})";
    QCOMPARE(temper_artifacts_make(model, choices, nullptr, artifacts.out(), failure.out()),
             TEMPER_INVALID_INPUT);
    QVERIFY(artifacts.get() == nullptr);
    const TemperFindings* findings = temper_failure_findings(failure.get());
    QStringList codes;
    for (int64_t i = 0; i < temper_findings_count(findings); ++i) {
        TemperFinding finding = {};
        finding.struct_size = sizeof finding;
        QCOMPARE(temper_findings_get(findings, i, &finding, nullptr), TEMPER_OK);
        if (finding.severity == TEMPER_ERROR) codes << finding.code;
    }
    QVERIFY2(codes.contains("A001") && codes.contains("A006"), qPrintable(codes.join(' ')));
}

void CapiModelTest::choicesAreCompleted() {
    FailureTexts failure;
    Owned<char> complete;
    TEMPER_SUCCEEDS(
        temper_specification_complete(R"({"run": {"epochs": 3}})", complete.out(), failure.out()));
    const QJsonObject made = QJsonDocument::fromJson(complete.get()).object();
    QCOMPARE(made["run"]["epochs"].toInt(), 3);
    QCOMPARE(made["run"]["batch_size"].toInt(), 32);
    QCOMPARE(made["artifacts"]["loss"]["key"].toString(), QString("cross-entropy"));
    QCOMPARE(
        temper_specification_complete(R"({"run": {"epoch": 3}})", complete.out(), failure.out()),
        TEMPER_INVALID_INPUT);
    QVERIFY(failure.message().contains("run.epoch"));
    QVERIFY(failure.hint().contains("epochs"));
}

void CapiModelTest::settingsAreThoseOfTheCommandLine() {
    FailureTexts failure;
    Owned<char> settings;
    TEMPER_SUCCEEDS(temper_settings(settings.out(), failure.out()));
    const QJsonObject all = QJsonDocument::fromJson(settings.get()).object();
    QVERIFY(all["run"].toArray().size() > 20);
    const QByteArray help = runTemper({"train", "--help"}).out;
    int found = 0;
    for (const QJsonValue& setting : all["run"].toArray())
        found += help.contains("--" + setting["key"].toString().replace('_', '-').toUtf8()) ? 1 : 0;
    QVERIFY2(found > 15, qPrintable(QString::number(found)));
    const QByteArray artifactsHelp = runTemper({"artifacts", "--help"}).out;
    for (const char* family : {"loss", "optimizer"}) {
        for (const QJsonValue& choice : all[family].toArray())
            QVERIFY(artifactsHelp.contains(choice["key"].toString().toUtf8()));
    }
    QVERIFY(all["schedule"].toArray().size() > 3);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CapiModelTest)
#include "capi_model_test.moc"
