// SPDX-License-Identifier: Apache-2.0
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/core/tensor.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"
#include "tests/engine/provenance/exported_model.h"

namespace temper::test {

/// Recorded by ONNX Runtime: the losses of the steps of a training run.
QJsonArray recordedSteps(const QString& name) {
    QFile file(conformance("ort/expected/" + name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll())["steps"].toArray();
}

double firstOutput(const QJsonValue& step) {
    const QJsonObject outputs = step["outputs"].toObject();
    return outputs.begin().value().toDouble(NAN);
}

QStringList mnist(const QString& optimizer = "training_api/adamw.onnx") {
    const QString ort = conformance("ort/");
    return {"--train-model",     ort + "training_api/training_model.onnx",
            "--eval-model",      ort + "training_api/eval_model.onnx",
            "--optimizer-model", ort + optimizer,
            "--checkpoint",      ort + "training_api/checkpoint.ckpt"};
}

/// Generating artifacts, training with them and exporting, compared with ONNX Runtime and PyTorch.
class CliArtifactsTest : public QObject {
    Q_OBJECT

private slots:
    void artifactsAreMadeAndListed();
    void ortFormatIsAcceptedWhereverOnnxIs();
    void aDryRunWritesNothing();
    void aPatternThatMatchesNothingIsAFinding();
    void aLossReadsATensorOfASequence();
    void trainingStepsAreThoseOfOrt_data();
    void trainingStepsAreThoseOfOrt();
    void gradientsAreThoseOfOrt();
    void stepsTakeOneBatchEach();
    void exportedModelsGiveTheResultsOfTheEvalModel();
    void batchNormsAndWeightsAreMovedOnRequest();
    void weightsStayInASeparateFileIfTheyWereInOne();
    void gradientsPassTheCheck_data();
    void gradientsPassTheCheck();
    void benchTimesStepsAndOperators();
    void inspectReportsTheKindOfAFile_data();
    void inspectReportsTheKindOfAFile();
    void inspectTellsWhatArtifactsRestore();
    void inspectListsWhatArtifactsTrain_data();
    void inspectListsWhatArtifactsTrain();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    QString makeArtifacts();

    QTemporaryDir dir_;
};

QString CliArtifactsTest::makeArtifacts() {
    const QString folder = path("mlp");
    if (QFileInfo::exists(folder)) return folder;
    runTemper({"artifacts", conformance("torch/mlp/model.onnx"), "--out", folder});
    return folder;
}

void CliArtifactsTest::artifactsAreMadeAndListed() {
    const ProgramResult result = runTemper({"artifacts", conformance("torch/mlp/model.onnx"),
                                            "--out", path("listed"), "--prefix", "p_", "--json"});
    QVERIFY2(result.exitStatus == 0, result.all());
    const QJsonObject document = result.json();
    QCOMPARE(document["files"].toObject().size(), 4);
    for (const QJsonValue& file : document["files"].toObject()) {
        QVERIFY2(QFileInfo::exists(file.toString()), qPrintable(file.toString()));
    }
    QVERIFY(document["files"]["checkpoint"].toString().endsWith("listed/p_checkpoint"));
    QVERIFY(document["trainable"].toArray().size() >= 4);
    QCOMPARE(document["target"].toString(), QString("labels"));
}

/// Generated, converted, inspected, trained and exported as .ort: the same numbers as with .onnx.
void CliArtifactsTest::ortFormatIsAcceptedWhereverOnnxIs() {
    const QString onnx = conformance("torch/mlp/model.onnx");
    const QString model = path("mlp.ort");
    QCOMPARE(runTemper({"export", onnx, "--out", model}).exitStatus, 0);
    const ProgramResult made =
        runTemper({"artifacts", model, "--out", path("ort"), "--ort-format", "--json"});
    QVERIFY2(made.exitStatus == 0, made.all());
    QCOMPARE(made.json()["files"].toObject().size(), 7);
    for (const char* name : {"training_model", "eval_model", "optimizer_model"}) {
        QVERIFY(QFile::remove(path("ort/") + name + ".onnx"));
    }
    const QString data = conformance("torch/mlp/data.npz");
    const QStringList step{"step", "--feeds", data, "--steps", "3", "--json"};
    const ProgramResult fromOrt = runTemper(step + QStringList{path("ort")});
    const ProgramResult fromOnnx = runTemper(step + QStringList{makeArtifacts()});
    QVERIFY2(fromOrt.exitStatus == 0, fromOrt.all());
    QVERIFY(!fromOnnx.out.isEmpty());
    QCOMPARE(fromOrt.out, fromOnnx.out);
    const ProgramResult exported =
        runTemper({"export", path("ort"), "--out", path("exported.ort")});
    QVERIFY2(exported.exitStatus == 0, exported.all());
    QCOMPARE(runTemper({"inspect", path("exported.ort"), "--json"}).json()["kind"].toString(),
             QString("model"));
}

void CliArtifactsTest::aDryRunWritesNothing() {
    const ProgramResult result = runTemper({"artifacts", conformance("torch/mlp/model.onnx"),
                                            "--out", path("dry"), "--dry-run", "--json"});
    QVERIFY2(result.exitStatus == 0, result.all());
    QVERIFY(result.json()["files"].toObject().isEmpty());
    QVERIFY(!QFileInfo::exists(path("dry")));
}

void CliArtifactsTest::aPatternThatMatchesNothingIsAFinding() {
    const ProgramResult result =
        runTemper({"artifacts", conformance("torch/mlp/model.onnx"), "--out", path("none"),
                   "--train", "nothing*", "--json"});
    QVERIFY2(result.exitStatus == 1, result.all());
    const QJsonArray findings = result.json()["findings"].toArray();
    QVERIFY2(!findings.isEmpty(), result.all());
    QVERIFY(findings[0]["message"].toString().contains("nothing*"));
    QVERIFY(!QFileInfo::exists(path("none")));
}

void CliArtifactsTest::aLossReadsATensorOfASequence() {
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 18]>
        m (float[N, 3] x) => (seq(float[N, 4]) y)
            <float[3, 4] w = {0.1, -0.2, 0.3, 0.2, 0.1, -0.1, -0.3, 0.2, 0.2, 0.1, 0.3, -0.1}> {
            h = MatMul(x, w) g = Tanh(h) y = SequenceConstruct(h, g)
        })");
    saveModel(*model, path("list.onnx").toStdString());
    const ProgramResult refused =
        runTemper({"artifacts", path("list.onnx"), "--loss", "mse", "--out", path("list")});
    QVERIFY(refused.exitStatus != 0);
    for (const char* part : {"A008", "The loss reads a tensor; 'y' is seq(float32[N, 4]).",
                             "--loss-input NAME", "such as 'h', 'g'"})
        QVERIFY2(refused.all().contains(part), refused.all());
    const ProgramResult made = runTemper({"artifacts", path("list.onnx"), "--loss", "mse",
                                          "--loss-input", "h", "--out", path("list")});
    QVERIFY2(made.exitStatus == 0, made.all());
    const ProgramResult exported =
        runTemper({"export", path("list"), "--out", path("of_list.onnx")});
    QVERIFY2(exported.exitStatus == 0, exported.all());
    QVERIFY2(exported.all().contains("checked against the eval model"), exported.all());
    const ProgramResult inspected = runTemper({"inspect", path("list.onnx"), "--json"});
    QVERIFY2(inspected.exitStatus == 0, inspected.all());
    const QJsonArray parameters = inspected.json()["parameters"].toArray();
    QCOMPARE(parameters.size(), 1);
    QVERIFY2(parameters.first().toObject()["trainable"].toBool(), inspected.all());
}

void CliArtifactsTest::trainingStepsAreThoseOfOrt_data() {
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<QString>("record");
    QTest::newRow("AdamW") << "training_api/adamw.onnx"
                           << "mnist_adamw.json";
    QTest::newRow("AdamW, mode 0") << "optimizers/adamw_mode0.onnx"
                                   << "mnist_adamw_mode0.json";
    QTest::newRow("clipping") << "optimizers/adamw_clip.onnx"
                              << "mnist_adamw_clip.json";
}

void CliArtifactsTest::trainingStepsAreThoseOfOrt() {
    QFETCH(QString, optimizer);
    QFETCH(QString, record);
    const QJsonArray expected = recordedSteps(record);
    QVERIFY(expected.size() >= 5);
    const ProgramResult result = runTemper(
        QStringList{"step", "--feeds", conformance("ort/feeds/mnist"), "--steps", "5", "--json"} +
        mnist(optimizer));
    QVERIFY2(result.exitStatus == 0, result.all());
    const QJsonObject document = result.json();
    const QJsonArray steps = document["steps"].toArray();
    QCOMPARE(steps.size(), 5);
    for (int i = 0; i < 5; ++i) {
        const double loss = firstOutput(steps[i]);
        const double wanted = firstOutput(expected[i]);
        QVERIFY2(std::abs(loss - wanted) <= 1e-4 * wanted + 1e-6, result.all());
        QCOMPARE(steps[i]["step"].toInt(), i + 1);
        QCOMPARE(float(steps[i]["learning_rate"].toDouble()), 0.001F);
    }
    QCOMPARE(document["parameters"]["total"].toInt(), 397510);
    QVERIFY(firstOutput(document["eval"]) < firstOutput(steps[4]));
}

void CliArtifactsTest::gradientsAreThoseOfOrt() {
    const ProgramResult result =
        runTemper(QStringList{"step", "--feeds", conformance("ort/feeds/mnist"), "--grads",
                              path("grads.npz"), "--params", path("params.npz")} +
                  mnist());
    QVERIFY2(result.exitStatus == 0, result.all());
    const auto expected = readNpz(conformance("ort/expected/mnist_gradients.npz").toStdString());
    const auto actual = readNpz(path("grads.npz").toStdString());
    QCOMPARE(actual.size(), size_t{4});
    for (const auto& [name, gradient] : actual) {
        const auto found = expected.find(name);
        QVERIFY2(found != expected.end(), name.c_str());
        const auto wanted = found->second.values<float>();
        const auto given = gradient.values<float>();
        for (size_t i = 0; i < given.size(); ++i) {
            const float bound = 1e-6F + 1e-4F * std::abs(wanted[i]);
            QVERIFY2(std::abs(given[i] - wanted[i]) <= bound, name.c_str());
        }
    }
    QVERIFY(readNpz(path("params.npz").toStdString()).contains("fc1.weight"));
}

void CliArtifactsTest::stepsTakeOneBatchEach() {
    const QString fixture = conformance("torch/mlp/");
    QFile meta(fixture + "meta.json");
    QVERIFY(meta.open(QIODevice::ReadOnly));
    const ProgramResult result = runTemper(
        {"step", makeArtifacts(), "--feeds", fixture + "data.npz", "--steps", "5", "--json"});
    QVERIFY2(result.exitStatus == 0, result.all());
    const Tensor golden = readNpz((fixture + "golden.npz").toStdString()).at("loss/adamw_hf");
    const Tensor losses = golden.cast(DType::Float64);
    const QJsonArray steps = result.json()["steps"].toArray();
    for (int i = 0; i < 5; ++i) {
        const double wanted = losses.values<double>()[size_t(i)];
        QVERIFY2(std::abs(firstOutput(steps[i]) - wanted) <= 1e-4 * wanted, result.all());
    }
}

void CliArtifactsTest::exportedModelsGiveTheResultsOfTheEvalModel() {
    const ProgramResult result =
        runTemper({"export", makeArtifacts(), "--out", path("exported.onnx")});
    QVERIFY2(result.exitStatus == 0, result.all());
    QVERIFY2(result.out.contains("checked against the eval model"), result.all());
    const ProgramResult inspected = runTemper({"inspect", path("exported.onnx"), "--json"});
    QVERIFY2(inspected.exitStatus == 0, inspected.all());
    QCOMPARE(inspected.json()["kind"].toString(), QString("model"));
}

void CliArtifactsTest::batchNormsAndWeightsAreMovedOnRequest() {
    const QString artifacts = path("resnet");
    const ProgramResult made =
        runTemper({"artifacts", conformance("torch/resnet/model.onnx"), "--out", artifacts});
    QVERIFY2(made.exitStatus == 0, made.all());
    const ProgramResult result = runTemper({"export", artifacts, "--out", path("folded.onnx"),
                                            "--fold-batch-norms", "--external-data"});
    QVERIFY2(result.exitStatus == 0, result.all());
    QVERIFY2(result.out.contains("checked against the eval model"), result.all());
    QVERIFY2(result.out.contains("folded batch norms: "), result.all());
    QVERIFY(QFileInfo(path("folded.onnx.data")).size() > QFileInfo(path("folded.onnx")).size());
    const QJsonObject operators =
        runTemper({"inspect", path("folded.onnx"), "--json"}).json()["operators"].toObject();
    QVERIFY(operators.contains("Conv") && !operators.contains("BatchNormalization"));
    const ProgramResult refused =
        runTemper({"export", artifacts, "--out", path("folded.ort"), "--external-data"});
    QVERIFY2(refused.exitStatus == 2 && isFriendlyError(refused), refused.all());
    QVERIFY(!QFileInfo::exists(path("folded.ort")));
}

void CliArtifactsTest::weightsStayInASeparateFileIfTheyWereInOne() {
    const auto run = [](const QStringList& arguments) {
        const ProgramResult result = runTemper(arguments);
        QVERIFY2(result.exitStatus == 0, result.all());
    };
    const QString model = conformance("torch/mlp/model.onnx");
    run({"export", model, "--out", path("beside.onnx"), "--external-data"});
    run({"artifacts", path("beside.onnx"), "--out", path("beside")});
    run({"export", path("beside"), "--out", path("trained.onnx")});
    run({"export", path("beside.onnx"), "--out", path("copy.onnx")});
    run({"artifacts", model, "--out", path("inside")});
    run({"export", path("inside"), "--out", path("whole.onnx")});
    for (const char* name : {"trained.onnx", "copy.onnx"}) {
        QVERIFY(QFileInfo(path(name) + ".data").size() > QFileInfo(path(name)).size());
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(!file.readAll().contains("temper."));
    }
    QVERIFY(!QFileInfo::exists(path("whole.onnx.data")));
}

/// All models that PyTorch exported.
void CliArtifactsTest::gradientsPassTheCheck_data() {
    QTest::addColumn<QString>("loss");
    QTest::newRow("activations") << "l1";
    QTest::newRow("autoencoder") << "mse";
    QTest::newRow("gru") << "bce-with-logits";
    QTest::newRow("unet") << "bce-with-logits";
    for (const char* model : {"mlp", "lenet", "resnet", "mobilenet", "transformer", "lstm"}) {
        QTest::newRow(model) << "cross-entropy";
    }
}

void CliArtifactsTest::gradientsPassTheCheck() {
    QFETCH(QString, loss);
    const QString fixture = conformance(QString("torch/%1/").arg(QTest::currentDataTag()));
    const ProgramResult result = runTemper({"gradcheck", fixture + "model.onnx", "--feeds",
                                            fixture + "data.npz", "--loss", loss, "--json"});
    QVERIFY2(result.exitStatus == 0, result.all());
    QVERIFY(result.json()["passed"].toBool());
    double worst = INFINITY;
    for (const QJsonValue& parameter : result.json()["parameters"].toArray()) {
        QVERIFY(parameter["passed"].toBool());
        QVERIFY(parameter["max_relative_error"].toDouble() <= worst);
        worst = parameter["max_relative_error"].toDouble();
    }
}

void CliArtifactsTest::benchTimesStepsAndOperators() {
    const QString fixture = conformance("torch/mlp/");
    const ProgramResult result = runTemper({"bench", fixture + "model.onnx", "--feeds",
                                            fixture + "data.npz", "--steps", "5", "--json"});
    QVERIFY2(result.exitStatus == 0, result.all());
    const QJsonObject document = result.json();
    QVERIFY(document["median_ms"].toDouble() > 0);
    QVERIFY(document["p10_ms"].toDouble() <= document["median_ms"].toDouble());
    QVERIFY(document["p90_ms"].toDouble() >= document["median_ms"].toDouble());
    for (const char* phase : {"forward_ms", "backward_ms", "optimizer_ms", "arena_mb"}) {
        QVERIFY2(document[phase].toDouble() > 0, phase);
    }
    double share = 0;
    for (const QJsonValue& op : document["operators"].toArray()) share += op["share"].toDouble();
    QVERIFY(std::abs(share - 1) < 1e-6);
}

void CliArtifactsTest::inspectReportsTheKindOfAFile_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("trainable");
    const QString api = "ort/training_api/";
    QTest::newRow("model") << "torch/lenet/model.onnx"
                           << "model" << 8;
    QTest::newRow("training model") << api + "training_model.onnx"
                                    << "training" << 4;
    QTest::newRow("eval model") << api + "eval_model.onnx"
                                << "eval" << 0;
    QTest::newRow("optimizer model") << api + "adamw.onnx"
                                     << "optimizer" << 0;
    QTest::newRow("checkpoint") << api + "checkpoint.ckpt"
                                << "checkpoint" << 4;
    QTest::newRow("eval model in ORT format") << api + "ort_format/eval_model.ort"
                                              << "eval" << 0;
    QTest::newRow("optimizer model in ORT format") << api + "ort_format/optimizer_model.ort"
                                                   << "optimizer" << 0;
    QTest::newRow("folder in ORT format") << api + "ort_format"
                                          << "artifacts" << 2;
    QTest::newRow("checkpoint folder") << "ort/legacy_checkpoint/mobilenetv2.ckpt"
                                       << "checkpoint" << 2;
    QTest::newRow("folder") << "ort-artifacts/mlp/adamw"
                            << "artifacts" << 6;
}

void CliArtifactsTest::inspectReportsTheKindOfAFile() {
    QFETCH(QString, file);
    QFETCH(QString, kind);
    QFETCH(int, trainable);
    const ProgramResult result = runTemper({"inspect", conformance(file), "--json"});
    QVERIFY2(result.exitStatus == 0, result.all());
    const QJsonObject document = result.json();
    QCOMPARE(document["kind"].toString(), kind);
    int count = 0;
    for (const QJsonValue& parameter : document["parameters"].toArray()) {
        count += parameter["trainable"].toBool() ? 1 : 0;
    }
    QCOMPARE(count, trainable);
    const ProgramResult text = runTemper({"inspect", conformance(file)});
    QVERIFY2(text.exitStatus == 0 && text.out.startsWith("kind: " + kind.toUtf8()), text.all());
}

/// Two biases that were equal are one tensor of the file, and two of the artifacts.
void CliArtifactsTest::inspectTellsWhatArtifactsRestore() {
    const auto model = exportedModel(
        "g (float[N, 2] x) => (float[N, 2] y) <float[2] a.bias = {0, 0}>"
        " { h = Add(x, a.bias) y = Add(h, a.bias) }",
        "p_a: PARAMETER target='a.bias'\np_b: PARAMETER target='b.bias'\n",
        {{"a.bias", "PARAMETER"}}, {},
        {{"h", "add.Tensor](args = (%x, %p_a)"}, {"y", "add.Tensor](args = (%h, %p_b)"}});
    saveModel(*model, path("merged.onnx").toStdString());
    const ProgramResult shown = runTemper({"inspect", path("merged.onnx"), "--json"});
    QStringList codes;
    for (const QJsonValue& finding : shown.json()["findings"].toArray())
        codes << finding["code"].toString();
    QCOMPARE(codes, QStringList{"S002"});
}

void CliArtifactsTest::inspectListsWhatArtifactsTrain_data() {
    QTest::addColumn<QStringList>("names");
    const auto add = [this](const char* row, const std::unique_ptr<Graph>& model,
                            const QStringList& names) {
        saveModel(*model, path(QString(row) + ".onnx").toStdString());
        QTest::newRow(row) << names;
    };
    const std::string weight = "p_w: PARAMETER target='fc.weight'\n";
    add("a formula",
        exportedModel(
            "g (float[N, 2] x) => (float[N, 3] y) <float[3, 2] fc.weight ="
            " {1, 2, 3, 4, 5, 6}, float[3] exp = {1, 2, 3}>"
            " { h = Gemm<transB = 1>(x, fc.weight) y = Mul(h, exp) }",
            weight + "p_s: PARAMETER target='logit_scale'\n", {{"fc.weight", "PARAMETER"}},
            {{"exp", "['logit_scale']"}},
            {{"h", "linear.default](args = (%x, %p_w)"}, {"y", "mul.Tensor](args = (%h, %exp)"}}),
        {"fc.weight", "logit_scale"});
    add("a formula in another shape",
        exportedModel("g (float[N, 2, 2] x) => (float[N, 2, 2] y) <float[1, 2, 2] unsqueeze ="
                      " {-1, -2, -1, -2}, float[2] bias = {0.5, 1}>"
                      " { h = Mul(x, unsqueeze) y = Add(h, bias) }",
                      "p_a: PARAMETER target='A_log'\np_b: PARAMETER target='bias'\n",
                      {{"bias", "PARAMETER"}}, {{"unsqueeze", "['A_log', 'exp', 'neg']"}}, {}),
        {"A_log", "bias"});
    add("a merged bias",
        exportedModel(
            "g (float[N, 2] x) => (float[N, 2] y) <float[2] a.bias = {0, 0}>"
            " { h = Add(x, a.bias) y = Add(h, a.bias) }",
            "p_a: PARAMETER target='a.bias'\np_b: PARAMETER target='b.bias'\n",
            {{"a.bias", "PARAMETER"}}, {},
            {{"h", "add.Tensor](args = (%x, %p_a)"}, {"y", "add.Tensor](args = (%h, %p_b)"}}),
        {"a.bias", "b.bias"});
    add("a copy",
        exportedModel("g (int64[N] x) => (float[N, 3] y) <float[3, 2] fc.weight ="
                      " {1, 2, 3, 4, 5, 6}, float[2, 3] val_1 = {1, 3, 5, 2, 4, 6},"
                      " float[3] bias = {0.5, 0, 1}>"
                      " { h = Gather(fc.weight, x) z = MatMul(h, val_1) y = Add(z, bias) }",
                      weight + "p_b: PARAMETER target='bias'\n",
                      {{"fc.weight", "PARAMETER"}, {"bias", "PARAMETER"}},
                      {{"val_1", "['fc.weight']"}}, {}),
        {"bias", "fc.weight"});
}

/// The names are those that `temper artifacts` takes, not those of the file.
void CliArtifactsTest::inspectListsWhatArtifactsTrain() {
    QFETCH(QStringList, names);
    const QString model = path(QString(QTest::currentDataTag()) + ".onnx");
    const ProgramResult shown = runTemper({"inspect", model, "--json"});
    QVERIFY2(shown.exitStatus == 0, shown.all());
    QStringList listed;
    for (const QJsonValue& parameter : shown.json()["parameters"].toArray())
        if (parameter["trainable"].toBool()) listed << parameter["name"].toString();
    listed.sort();
    QCOMPARE(listed, names);
    const ProgramResult text = runTemper({"inspect", model});
    for (const QString& name : names) {
        QVERIFY2(text.out.contains("\n  " + name.toUtf8() + "  "), text.all());
        const ProgramResult made = runTemper(
            {"artifacts", model, "--dry-run", "--loss", "mse", "--freeze", name, "--json"});
        QVERIFY2(made.exitStatus == 0, made.all());
        QCOMPARE(made.json()["frozen"].toArray(), QJsonArray{name});
        QCOMPARE(made.json()["trainable"].toArray().size(), names.size() - 1);
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliArtifactsTest)
#include "cli_artifacts_test.moc"
