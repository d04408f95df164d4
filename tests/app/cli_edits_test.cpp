// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/edits/element_types.h"
#include "engine/training/projects/project_file.h"
#include "tests/app/temper_program.h"
#include "tests/engine/provenance/exported_model.h"
#include "tests/engine/training/edits/branching_model.h"

namespace temper::test {

/// Model edits through the program: gradient stops, names, the opset.
class CliEditsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void gradientsStopOnRequest();
    void inputsAndOutputsAreRenamed();
    void choicesMayUseOldNames();
    void exportedModelsAreRenamedAndChecked();
    void outputsAreSeparatedBySpaces();
    void exportedModelsNormalizeTheirInputs();
    void namesThatCanNotBeAreRefused_data();
    void namesThatCanNotBeAreRefused();
    void modelsAreExportedInOtherOpsets();
    void aForwardModelIsConverted();
    void anOpsetThatCanNotExpressItIsRefused();
    void projectsTrainTheEditedModel();
    void aDetectorWhoseWeightsAreInBranchesTrains_data();
    void aDetectorWhoseWeightsAreInBranchesTrains();
    void aDetectorTrainsFromAStateOfZeros();
    void aFixedInputIsFixedForEveryCommand();
    void constantsThatCanNotBeAreRefused_data();
    void constantsThatCanNotBeAreRefused();
    void aMergedNormIsRestoredWithStatisticsOfTheData();
    void checkpointsReportTheNamesInTheModule();
    void halfPrecisionTrainsAndComesBack();
    void patternsTrainWeightsInConstants();
    void aConstantThatIsDefinedTwiceIsReported();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    QString artifacts(const QString& name, const QStringList& flags);

    QTemporaryDir dir_;
};

void CliEditsTest::initTestCase() {
    const auto model = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        gated (float[batch, 3] x) => (float[batch, 2] y)
            <float[3, 4] w1 = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8, 0.9, 1.0, -1.1, 1.2},
             float[4] s = {1, 1.5, 1, 0.5}, float[4] b = {0, 0.1, 0, 0},
             float[4, 2] w2 = {0.2, -0.1, 0.4, 0.3, -0.5, 0.6, 0.1, 0.2}> {
            ["/first"] h = MatMul(x, w1)
            ["/norm"] n = LayerNormalization(h, s, b)
            ["/act"] a = HardSwish(n)
            ["/last"] y = MatMul(a, w2)
        })");
    saveModel(*model, path("gated.onnx").toStdString());
    writeNpz(path("data.npz").toStdString(),
             {{"pixels", Tensor::of<float>({2, 3}, {1, 2, 3, -1, 0.5F, 2})},
              {"target", Tensor::of<float>({2, 2}, {1, 0, 0, 1})}});
}

QString CliEditsTest::artifacts(const QString& name, const QStringList& flags) {
    const ProgramResult made = runTemper(
        QStringList{"artifacts", path("gated.onnx"), "--out", path(name), "--loss", "mse"} + flags);
    return made.exitStatus == 0 ? path(name) : QString();
}

void CliEditsTest::gradientsStopOnRequest() {
    const ProgramResult made = runTemper({"artifacts", path("gated.onnx"), "--out", path("stopped"),
                                          "--loss", "mse", "--stop-gradient", "/norm", "--json"});
    QVERIFY2(made.exitStatus == 0, made.all());
    QCOMPARE(made.json()["trainable"].toArray(), QJsonArray{"w2"});
    QCOMPARE(made.json()["frozen"].toArray(), (QJsonArray{"w1", "s", "b"}));
    const QJsonObject told = made.json()["findings"].toArray().first().toObject();
    QCOMPARE(told["code"].toString(), QString("G007"));
    QCOMPARE(told["node"].toString(), QString("/norm"));
    const ProgramResult wrong = runTemper({"artifacts", path("gated.onnx"), "--dry-run", "--loss",
                                           "mse", "--stop-gradient", "/nowhere"});
    QVERIFY2(wrong.exitStatus == 1 && wrong.err.contains("A014"), wrong.all());
}

void CliEditsTest::inputsAndOutputsAreRenamed() {
    const QString folder = artifacts("renamed", {"--rename", "x=pixels", "--rename", "y=scores"});
    QVERIFY(!folder.isEmpty());
    const auto eval = loadModel((folder + "/eval_model.onnx").toStdString());
    QVERIFY(eval->find("pixels") != nullptr && eval->find("scores") != nullptr);
    QVERIFY(eval->find("x") == nullptr && eval->find("y") == nullptr);
    const ProgramResult steps =
        runTemper({"step", folder, "--feeds", path("data.npz"), "--steps", "1"});
    QVERIFY2(steps.exitStatus == 0, steps.all());
    const ProgramResult exported = runTemper({"export", folder, "--out", path("renamed.onnx")});
    QVERIFY2(exported.exitStatus == 0, exported.all());
    const auto model = loadModel(path("renamed.onnx").toStdString());
    QCOMPARE(namesOf(model->inputs()), std::vector<std::string>{"pixels"});
    QCOMPARE(namesOf(model->outputs()), std::vector<std::string>{"scores"});
}

void CliEditsTest::choicesMayUseOldNames() {
    const auto bytes = [](const QString& folder) {
        return serializeModel(*loadModel((folder + "/training_model.onnx").toStdString()));
    };
    const QString byNew = artifacts("new", {"--rename", "y=scores", "--loss-input", "scores"});
    const QString byOld = artifacts("old", {"--rename", "y=scores", "--loss-input", "y"});
    QVERIFY(!byNew.isEmpty() && !byOld.isEmpty());
    QVERIFY(bytes(byNew) == bytes(byOld));
}

void CliEditsTest::exportedModelsAreRenamedAndChecked() {
    const QString folder = artifacts("plain", {});
    const ProgramResult exported = runTemper({"export", folder, "--out", path("export.onnx"),
                                              "--rename", "x=pixels", "--rename", "y=scores"});
    QVERIFY2(exported.exitStatus == 0, exported.all());
    QVERIFY2(exported.out.contains("'scores'"), exported.all());
    QVERIFY2(exported.out.contains("checked against the eval model: largest difference 0"),
             exported.all());
    const auto model = loadModel(path("export.onnx").toStdString());
    QCOMPARE(namesOf(model->inputs()), std::vector<std::string>{"pixels"});
    const ProgramResult fed = runTemper({"export", folder, "--out", path("export.onnx"), "--rename",
                                         "x=pixels", "--feeds", path("data.npz")});
    QVERIFY2(fed.exitStatus == 0 && fed.out.contains("largest difference"), fed.all());
}

void CliEditsTest::outputsAreSeparatedBySpaces() {
    for (const QString& model : {artifacts("plain", {}), path("gated.onnx")}) {
        const ProgramResult refused =
            runTemper({"export", model, "--outputs", "h,y", "--out", path("export.onnx")});
        QVERIFY2(refused.exitStatus == 2 && isFriendlyError(refused), refused.all());
        QVERIFY2(refused.err.contains("no value 'h,y'"), refused.all());
        QVERIFY2(refused.err.contains("Separate names by spaces: --outputs h y"), refused.all());
    }
}

void CliEditsTest::exportedModelsNormalizeTheirInputs() {
    const QString folder = artifacts("raw", {});
    const QStringList without = {"export", folder, "--out", path("raw.onnx"),
                                 "--include-normalization"};
    const ProgramResult refused = runTemper(without);
    QCOMPARE(refused.exitStatus, 2);
    QVERIFY2(isFriendlyError(refused) && refused.err.contains("no normalization to include"),
             refused.all());
    const ProgramResult trained =
        runTemper({"train", folder, "--data", "npz:" + path("data.npz") + "?normalize=standard",
                   "--steps", "2", "--save", path("raw-saves")});
    QVERIFY2(trained.exitStatus == 0, trained.all());
    const QString checkpoint = path("raw-saves/last.ckpt");
    const ProgramResult exported = runTemper(without + QStringList{"--checkpoint", checkpoint});
    QVERIFY2(exported.exitStatus == 0, exported.all());
    QVERIFY2(exported.out.contains("normalization included: 'x'"), exported.all());
    QVERIFY2(exported.out.contains("checked against the eval model"), exported.all());
    const ProgramResult told =
        runTemper({"export", folder, "--out", path("told.onnx"), "--checkpoint", checkpoint});
    QVERIFY2(told.exitStatus == 0, told.all());
    QVERIFY(loadModel(path("told.onnx").toStdString())->info().metadata.contains("normalization"));
}

void CliEditsTest::namesThatCanNotBeAreRefused_data() {
    QTest::addColumn<QString>("rename");
    QTest::addColumn<QString>("message");
    QTest::newRow("form") << "pixels"
                          << "expected OLD=NEW";
    QTest::newRow("not there") << "q=p"
                               << "no input or output of this name";
    QTest::newRow("taken") << "x=h"
                           << "already uses this name";
}

void CliEditsTest::namesThatCanNotBeAreRefused() {
    QFETCH(QString, rename);
    QFETCH(QString, message);
    const ProgramResult made = runTemper(
        {"artifacts", path("gated.onnx"), "--dry-run", "--loss", "mse", "--rename", rename});
    QCOMPARE(made.exitStatus, 2);
    QVERIFY2(isFriendlyError(made) && made.err.contains(message.toUtf8()), made.all());
}

void CliEditsTest::modelsAreExportedInOtherOpsets() {
    const QString folder = artifacts("plain", {});
    for (const int opset : {9, 13, 17, 18, 21}) {
        const QString file = path(QString("opset%1.onnx").arg(opset));
        const ProgramResult exported =
            runTemper({"export", folder, "--out", file, "--opset", QString::number(opset)});
        QVERIFY2(exported.exitStatus == 0, exported.all());
        QVERIFY2(exported.out.contains("checked against the eval model"), exported.all());
        QCOMPARE(loadModel(file.toStdString())->info().onnxOpset(), int64_t{opset});
    }
    const ProgramResult wrong =
        runTemper({"export", folder, "--out", path("wrong.onnx"), "--opset", "99"});
    QCOMPARE(wrong.exitStatus, 2);
    QVERIFY(!QFileInfo::exists(path("wrong.onnx")));
}

void CliEditsTest::aForwardModelIsConverted() {
    const ProgramResult converted =
        runTemper({"export", path("gated.onnx"), "--out", path("converted.onnx"), "--opset", "13",
                   "--rename", "y=scores"});
    QVERIFY2(converted.exitStatus == 0, converted.all());
    const auto model = loadModel(path("converted.onnx").toStdString());
    QCOMPARE(model->info().onnxOpset(), int64_t{13});
    QCOMPARE(namesOf(model->outputs()), std::vector<std::string>{"scores"});
    const auto hasOp = [&](const char* op) {
        return std::ranges::any_of(model->nodes(),
                                   [&](const Node* node) { return node->opType() == op; });
    };
    QVERIFY(hasOp("HardSigmoid") && !hasOp("HardSwish") && !hasOp("LayerNormalization"));
}

void CliEditsTest::anOpsetThatCanNotExpressItIsRefused() {
    const auto model = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        m (float[2, 2] x) => (float[2, 2] y) { ["/e"] y = Einsum<equation = "ij->ji">(x) })");
    saveModel(*model, path("einsum.onnx").toStdString());
    const ProgramResult refused =
        runTemper({"export", path("einsum.onnx"), "--out", path("refused.onnx"), "--opset", "11"});
    QCOMPARE(refused.exitStatus, 2);
    QVERIFY2(isFriendlyError(refused), refused.all());
    for (const char* words : {"'/e'", "Einsum", "opset 11", "Opset 12 is the first"})
        QVERIFY2(refused.err.contains(words), refused.all());
    QVERIFY(!QFileInfo::exists(path("refused.onnx")));
}

/// Head, names and stops are choices of a project.
void CliEditsTest::projectsTrainTheEditedModel() {
    ProjectFile project;
    project.spec.model = path("gated.onnx").toStdString();
    project.spec.rename = {{"x", "pixels"}, {"y", "scores"}};
    project.spec.headClasses = 2;
    project.spec.artifacts.loss = {"mse", {}};
    project.spec.artifacts.stopGradient = {"/norm"};
    project.spec.run.data = path("data.npz").toStdString();
    project.spec.run.steps = 1;
    project.spec.run.saveFolder = path("saved").toStdString();
    QVERIFY(QDir().mkpath(path("project")));
    writeProject(project, path("project").toStdString());
    const ProgramResult trained = runTemper({"train", path("project")});
    QVERIFY2(trained.exitStatus == 0, trained.all());
    const ProgramResult shown =
        runTemper({"checkpoint", "show", path("saved/last.ckpt"), "--json"});
    QVERIFY2(shown.exitStatus == 0, shown.all());
    QVERIFY2(shown.out.contains("w2"), shown.all());
}

void CliEditsTest::aDetectorWhoseWeightsAreInBranchesTrains_data() {
    QTest::addColumn<qint64>("rate");
    QTest::addColumn<QString>("branch");
    QTest::newRow("then") << qint64{16000} << "wide.";
    QTest::newRow("else") << qint64{8000} << "narrow.";
}

/// Exported before training, the model gives the original's results.
void CliEditsTest::aDetectorWhoseWeightsAreInBranchesTrains() {
    QFETCH(qint64, rate);
    QFETCH(QString, branch);
    saveModel(*parseText(speechDetector()), path("detector.onnx").toStdString());
    const ProgramResult blocked = runTemper({"artifacts", path("detector.onnx"), "--dry-run",
                                             "--loss", "mse", "--loss-input", "output"});
    QVERIFY2(blocked.exitStatus == 1 && blocked.err.contains("A007") &&
                 blocked.err.contains("--fix-input sr=VALUE"),
             blocked.all());
    const QString folder = path("detector" + QString::number(rate));
    const ProgramResult made = runTemper({"artifacts", path("detector.onnx"), "--out", folder,
                                          "--loss", "mse", "--loss-input", "output", "--fix-input",
                                          "sr=" + QString::number(rate), "--json"});
    QVERIFY2(made.exitStatus == 0, made.all());
    for (const auto& name : made.json()["trainable"].toArray())
        QVERIFY2(name.toString().startsWith(branch), made.all());
    QCOMPARE(made.json()["trainable"].toArray().size(), 5);

    const auto numbersFrom = [](const Shape& shape, double factor) {
        Tensor tensor(DType::Float32, shape);
        double i = 0;
        for (float& number : tensor.mutableValues<float>())
            number = static_cast<float>(std::sin(factor * ++i));
        return tensor;
    };
    std::map<std::string, Tensor> data{{"input", numbersFrom({3, 64}, 0.7)},
                                       {"state", numbersFrom({2, 3, 4}, 0.3)}};
    writeNpz(path("inputs.npz").toStdString(), data);
    data["target"] = Tensor::of<float>({3, 1}, {0, 1, 1});
    writeNpz(path("batch.npz").toStdString(), data);
    data.erase("target");
    data["sr"] = Tensor::scalar<int64_t>(rate);
    writeNpz(path("original.npz").toStdString(), data);
    const ProgramResult exported = runTemper(
        {"export", folder, "--out", path("exported.onnx"), "--outputs", "output", "stateN"});
    QVERIFY2(exported.exitStatus == 0, exported.all());
    const auto outputsOf = [&](const QString& model, const QString& feeds) {
        const QString out = path("outputs.npz");
        const ProgramResult run =
            runTemper({"run", path(model), "--feeds", path(feeds), "--out", out});
        return run.exitStatus == 0 ? readNpz(out.toStdString()) : std::map<std::string, Tensor>{};
    };
    const auto before = outputsOf("detector.onnx", "original.npz");
    const auto after = outputsOf("exported.onnx", "inputs.npz");
    QCOMPARE(before.size(), size_t{2});
    for (const auto& [name, expected] : before) {
        const auto wanted = expected.values<float>(), found = after.at(name).values<float>();
        QVERIFY(std::ranges::equal(wanted, found));
    }
    const ProgramResult steps = runTemper(
        {"step", folder, "--feeds", path("batch.npz"), "--steps", "20", "--lr", "0.02", "--json"});
    QVERIFY2(steps.exitStatus == 0, steps.all());
    const QJsonArray losses = steps.json()["steps"].toArray();
    const auto lossOf = [](const QJsonValue& step) {
        return step["outputs"].toObject().begin().value().toDouble();
    };
    QVERIFY2(lossOf(losses.last()) < 0.9 * lossOf(losses.first()), steps.all());
}

/// The state [2, N, 4] is not a column of the data; as a constant it follows the batch size.
void CliEditsTest::aDetectorTrainsFromAStateOfZeros() {
    saveModel(*parseText(speechDetector()), path("stateful.onnx").toStdString());
    Tensor input(DType::Float32, {6, 64});
    double i = 0;
    for (float& number : input.mutableValues<float>())
        number = static_cast<float>(std::sin(0.7 * ++i));
    const Tensor target = Tensor::of<float>({6, 1}, {0, 1, 1, 0, 1, 0});
    writeNpz(path("states.npz").toStdString(), {{"input", input.clone()},
                                                {"state", Tensor(DType::Float32, {6, 2, 4})},
                                                {"target", target.clone()}});
    writeNpz(path("sounds.npz").toStdString(),
             {{"input", input.clone()}, {"target", target.clone()}});
    writeNpz(path("input.npz").toStdString(), {{"input", input.clone()}});
    writeNpz(path("all.npz").toStdString(), {{"input", input.clone()},
                                             {"state", Tensor(DType::Float32, {2, 6, 4})},
                                             {"sr", Tensor::scalar<int64_t>(16000)}});
    const auto made = [&](const QString& folder, const QStringList& fixed) {
        return runTemper(QStringList{"artifacts", path("stateful.onnx"), "--out", path(folder),
                                     "--loss", "mse", "--loss-input", "output"} +
                         fixed);
    };
    const QStringList rate{"--fix-input", "sr=16000"};
    QCOMPARE(made("fed", rate).exitStatus, 0);
    for (const char* data : {"states.npz", "sounds.npz"}) {
        const ProgramResult refused =
            runTemper({"train", path("fed"), "--data", path(data), "--epochs", "1"});
        QVERIFY2(refused.exitStatus != 0 &&
                     refused.err.contains("Input 'state', float32[2, N, 4], has the batch 'N' as "
                                          "axis 1") &&
                     refused.err.contains("--fix-input state=0"),
                 refused.all());
    }
    const ProgramResult fixed = made("fixed", rate + QStringList{"--fix-input", "state=0"});
    QVERIFY2(fixed.exitStatus == 0, fixed.all());
    const ProgramResult exported = runTemper(
        {"export", path("fixed"), "--out", path("zeros.onnx"), "--outputs", "output", "stateN"});
    QVERIFY2(exported.exitStatus == 0, exported.all());
    const auto outputsOf = [&](const char* model, const char* feeds) {
        const ProgramResult run =
            runTemper({"run", path(model), "--feeds", path(feeds), "--out", path("out.npz")});
        return run.exitStatus == 0 ? readNpz(path("out.npz").toStdString())
                                   : std::map<std::string, Tensor>{};
    };
    const auto before = outputsOf("stateful.onnx", "all.npz");
    const auto after = outputsOf("zeros.onnx", "input.npz");
    QCOMPARE(before.size(), size_t{2});
    QCOMPARE(after.size(), size_t{2});
    for (const auto& [name, wanted] : before)
        QVERIFY(std::ranges::equal(wanted.values<float>(), after.at(name).values<float>()));
    const ProgramResult trained = runTemper({"train", path("fixed"), "--data", path("sounds.npz"),
                                             "--epochs", "2", "--batch-size", "4"});
    QVERIFY2(trained.exitStatus == 0, trained.all());
}

void CliEditsTest::aFixedInputIsFixedForEveryCommand() {
    saveModel(*parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 2] x, bool c) => (float[N, 2] y) {
            ["/if"] y = If (c) <
                then_branch = a () => (float[N, 2] t) <float[2, 2] w = {1, 2, 3, 4}>
                    { t = MatMul(x, w) },
                else_branch = b () => (float[N, 2] e) { e = Neg(x) }>
        })"),
              path("if.onnx").toStdString());
    writeNpz(path("xy.npz").toStdString(), {{"x", Tensor::of<float>({2, 2}, {1, 2, -1, 0.5F})},
                                            {"target", Tensor::of<float>({2, 2}, {1, 0, 0, 1})}});
    const QStringList fix{"--fix-input", "c=true"};
    const ProgramResult shown = runTemper(QStringList{"inspect", path("if.onnx"), "--json"} + fix);
    QVERIFY2(shown.exitStatus == 0, shown.all());
    QCOMPARE(shown.json()["inputs"].toArray().size(), 1);
    QCOMPARE(shown.json()["parameters"][0]["name"].toString(), QString("w"));
    QCOMPARE(shown.json()["parameters"][0]["trainable"].toBool(), true);
    QVERIFY2(!shown.json()["operators"].toObject().contains("If"), shown.all());
    const QStringList feeds{"--feeds", path("xy.npz"), "--loss", "mse"};
    const ProgramResult checked =
        runTemper(QStringList{"gradcheck", path("if.onnx"), "--json"} + feeds + fix);
    QVERIFY2(checked.exitStatus == 0, checked.all());
    QCOMPARE(checked.json()["parameters"][0]["name"].toString(), QString("w"));
    const ProgramResult timed =
        runTemper(QStringList{"bench", path("if.onnx"), "--steps", "2", "--json"} + feeds + fix);
    QVERIFY2(timed.exitStatus == 0, timed.all());
    const ProgramResult run = runTemper(
        QStringList{"run", path("if.onnx"), "--feeds", path("xy.npz"), "--out", path("y.npz")} +
        fix);
    QVERIFY2(run.exitStatus == 0, run.all());
    const Tensor y = readNpz(path("y.npz").toStdString()).at("y");
    const std::vector<float> product{7, 10, 0.5F, 0};  // x times w: the true branch
    QVERIFY(std::ranges::equal(y.values<float>(), product));
    const ProgramResult folder = runTemper(QStringList{"inspect", artifacts("plain", {})} + fix);
    QVERIFY2(folder.exitStatus == 2 && folder.err.contains("is not a forward model"), folder.all());
}

void CliEditsTest::constantsThatCanNotBeAreRefused_data() {
    QTest::addColumn<QStringList>("fix");
    QTest::addColumn<QString>("message");
    QTest::newRow("form") << QStringList{"x"} << "expected NAME=VALUE with a number, true or false";
    QTest::newRow("no number") << QStringList{"x=two"}
                               << "expected NAME=VALUE with a number, true or false";
    QTest::newRow("not there") << QStringList{"q=1"} << "has no input of this name";
    QTest::newRow("twice") << QStringList{"x=1", "--fix-input", "x=2"}
                           << "'x' is fixed twice; expected one value";
    QTest::newRow("data") << QStringList{"x=1"} << "no other input has its dimension 'batch'";
}

void CliEditsTest::constantsThatCanNotBeAreRefused() {
    QFETCH(QStringList, fix);
    QFETCH(QString, message);
    for (const QStringList& command : {QStringList{"artifacts", path("gated.onnx"), "--dry-run"},
                                       QStringList{"inspect", path("gated.onnx")},
                                       QStringList{"run", path("gated.onnx"), "--feeds",
                                                   path("xy.npz"), "--out", path("y.npz")}}) {
        const ProgramResult made = runTemper(command + QStringList{"--fix-input"} + fix);
        QCOMPARE(made.exitStatus, 2);
        QVERIFY2(isFriendlyError(made) && made.err.contains(message.toUtf8()), made.all());
    }
}

/// A model without metadata; a project with the same choice measures the statistics in its run.
void CliEditsTest::aMergedNormIsRestoredWithStatisticsOfTheData() {
    saveModel(*parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        merged (float[N, 1, 4] x) => (float[N, 2] y)
            <float[2, 1, 3] conv.weight = {0.5, -1, 2, 1, 0.25, -0.5}, float[2] conv.bias = {3, -2}> {
            ["/conv"] c = Conv(x, conv.weight, conv.bias)
            p = GlobalAveragePool(c)
            y = Flatten(p)
        })"),
              path("merged.onnx").toStdString());
    std::map<std::string, Tensor> data{{"x", Tensor(DType::Float32, {5, 1, 4})}};
    double i = 0;
    for (float& number : data["x"].mutableValues<float>())
        number = static_cast<float>(std::sin(++i));
    writeNpz(path("x.npz").toStdString(), data);
    data["target"] = Tensor(DType::Float32, {5, 2});
    writeNpz(path("samples.npz").toStdString(), data);

    const QStringList command{
        "artifacts", path("merged.onnx"), "--out", path("normed"), "--loss", "mse",
        "--json",    "--restore-norm"};
    const ProgramResult without = runTemper(command + QStringList{"*"});
    QVERIFY2(without.exitStatus == 2 && without.err.contains("--data DATA"), without.all());
    const QStringList samples{"--data", path("samples.npz"), "--bind", "x=x"};
    const ProgramResult unknown = runTemper(command + QStringList{"/pool"} + samples);
    QVERIFY2(unknown.exitStatus == 2 && unknown.err.contains("'/pool'"), unknown.all());
    const ProgramResult made = runTemper(command + QStringList{"*"} + samples);
    QVERIFY2(made.exitStatus == 0, made.all());
    QCOMPARE(made.json()["trainable"].toArray(),
             (QJsonArray{"conv.weight", "conv.bias", "conv_norm.weight", "conv_norm.bias"}));
    const ProgramResult shown = runTemper({"checkpoint", "show", path("normed/checkpoint")});
    QVERIFY2(shown.out.contains("conv_norm.running_var"), shown.all());

    const auto outputOf = [&](const QString& model) {
        const QString out = path("out.npz");
        runTemper({"run", path(model), "--feeds", path("x.npz"), "--out", out});
        const Tensor y = readNpz(out.toStdString()).at("y");
        return std::vector<float>(y.values<float>().begin(), y.values<float>().end());
    };
    runTemper({"export", path("normed"), "--out", path("normed.onnx"), "--outputs", "y"});
    const std::vector<float> before = outputOf("merged.onnx"), after = outputOf("normed.onnx");
    QCOMPARE(before.size(), size_t{10});
    for (size_t k = 0; k < before.size(); ++k) QVERIFY(std::abs(before[k] - after[k]) < 2e-6F);
}

/// A weight that the exporter transposed; the training model beside the checkpoint has its name.
void CliEditsTest::checkpointsReportTheNamesInTheModule() {
    saveModel(
        *exportedModel("g (float[N, 2] x) => (float[N, 2] y)"
                       " <float[2, 2] val_1 = {1, 2, 3, 4}> { y = MatMul(x, val_1) }",
                       "p_w: PARAMETER target='fc.weight'\n", {}, {{"val_1", "['fc.weight']"}}, {}),
        path("transposed.onnx").toStdString());
    const ProgramResult made = runTemper(
        {"artifacts", path("transposed.onnx"), "--out", path("transposed"), "--loss", "mse"});
    QVERIFY2(made.exitStatus == 0, made.all());
    const QString checkpoint = path("transposed/checkpoint");
    for (const QStringList& command :
         {QStringList{"checkpoint", "show", checkpoint}, QStringList{"inspect", checkpoint},
          QStringList{"checkpoint", "diff", checkpoint, checkpoint}}) {
        const ProgramResult shown = runTemper(command);
        QVERIFY2(shown.out.contains("val_1 (fc.weight)"), shown.all());
        const ProgramResult json = runTemper(command + QStringList{"--json"});
        QCOMPARE(json.json()["parameters"][0]["module_names"].toArray(), QJsonArray{"fc.weight"});
    }
    QVERIFY(QFile::copy(checkpoint, path("lonely.ckpt")));
    const ProgramResult lonely = runTemper({"checkpoint", "show", path("lonely.ckpt")});
    QVERIFY2(lonely.out.contains("val_1") && !lonely.out.contains("fc.weight"), lonely.all());
}

void CliEditsTest::halfPrecisionTrainsAndComesBack() {
    const auto model = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {0.1, 0.2, -0.3, 0.4}> {
            h = MatMul(x, w) y = Tanh(h)
        })");
    changeElementTypes(*model,
                       [](const std::string&, DType, TypeSource) { return DType::Float16; });
    saveModel(*model, path("half.onnx").toStdString());
    writeNpz(path("half.npz").toStdString(), {{"x", Tensor::of<float>({2, 2}, {1, 0, 0.5F, 2})},
                                              {"target", Tensor::of<float>({2, 2}, {1, 0, 0, 1})}});
    const ProgramResult shown = runTemper({"inspect", path("half.onnx")});
    QVERIFY2(shown.exitStatus == 0 && shown.all().contains("W007"), shown.all());
    QVERIFY2(shown.out.contains("w  float16[2, 2]  trainable"), shown.all());
    const QStringList feeds{"--feeds", path("half.npz"), "--loss", "mse"};
    QVERIFY(runTemper(QStringList{"gradcheck", path("half.onnx")} + feeds).exitStatus == 0);
    QVERIFY(runTemper(QStringList{"bench", path("half.onnx"), "--steps", "1"} + feeds).exitStatus ==
            0);
    const ProgramResult made =
        runTemper({"artifacts", path("half.onnx"), "--out", path("half"), "--loss", "mse"});
    QVERIFY2(made.exitStatus == 0 && made.err.contains("(2 as float16): it trains"), made.all());
    const auto exported = [&](const QStringList& flags) {
        const ProgramResult result =
            runTemper(QStringList{"export", path("half"), "--out", path("exported.onnx")} + flags);
        if (!result.out.contains("checked against the eval model")) return DType::Undefined;
        const auto written = loadModel(path("exported.onnx").toStdString());
        const DType type = written->at("w")->type().dtype;
        return written->inputs().front()->type().dtype == type ? type : DType::Undefined;
    };
    QVERIFY(exported({}) == DType::Float32);
    QVERIFY(exported({"--as-it-came"}) == DType::Float16);
    const ProgramResult wide = runTemper(
        {"export", artifacts("plain", {}), "--out", path("exported.onnx"), "--as-it-came"});
    QVERIFY2(wide.exitStatus == 2 && isFriendlyError(wide), wide.all());
}

void CliEditsTest::patternsTrainWeightsInConstants() {
    saveModel(*parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1, 2, 3, 4}> {
            c = Constant<value = float[2, 2] {1, 2, 3, 4}>() h = MatMul(x, c) y = MatMul(h, w)
        })"),
              path("constant.onnx").toStdString());
    const ProgramResult made = runTemper({"artifacts", path("constant.onnx"), "--dry-run", "--loss",
                                          "mse", "--json", "--train", "*"});
    QVERIFY2(made.exitStatus == 0, made.all());
    QCOMPARE(made.json()["trainable"].toArray().size(), 2);
}

void CliEditsTest::aConstantThatIsDefinedTwiceIsReported() {
    const auto model = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1, 2, 3, 4}> {
            kk = Constant<value = float {2.0}>() kl = Constant<value = float {3.0}>()
            h = MatMul(x, w) i = Mul(h, kk) y = Mul(i, kl)
        })");
    QByteArray bytes = QByteArray::fromStdString(serializeModel(*model));
    bytes.replace("kl", "kk");  // a name of the same length
    QFile file(path("twice.onnx"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    file.close();
    for (const QStringList& command :
         {QStringList{"artifacts", path("twice.onnx"), "--dry-run", "--loss", "mse", "--json"},
          QStringList{"inspect", path("twice.onnx"), "--json"}}) {
        const ProgramResult told = runTemper(command);
        QVERIFY2(told.exitStatus == 0, told.all());
        const QJsonObject finding = told.json()["findings"].toArray().first().toObject();
        QCOMPARE(finding["code"].toString(), QString("W006"));
        QCOMPARE(finding["message"].toString(),
                 QString("The constant 'kk' is defined 2 times with different values: the last one "
                         "counts, as in ONNX Runtime."));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliEditsTest)
#include "cli_edits_test.moc"
