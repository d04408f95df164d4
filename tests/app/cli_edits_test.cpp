// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/project_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

/// Changes of a model on its way through the program: stops of gradients, names, the opset.
class CliEditsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void gradientsStopWhereAsked();
    void inputsAndOutputsAreRenamed();
    void choicesByOldNamesAreMeantToo();
    void exportedModelsAreRenamedAndChecked();
    void namesThatCanNotBeAreRefused_data();
    void namesThatCanNotBeAreRefused();
    void modelsAreExportedInOtherOpsets();
    void aForwardModelIsConverted();
    void anOpsetThatCanNotSayItIsRefused();
    void projectsTrainTheEditedModel();

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

void CliEditsTest::gradientsStopWhereAsked() {
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

void CliEditsTest::choicesByOldNamesAreMeantToo() {
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

void CliEditsTest::namesThatCanNotBeAreRefused_data() {
    QTest::addColumn<QString>("rename");
    QTest::addColumn<QString>("message");
    QTest::newRow("form") << "pixels"
                          << "expected OLD=NEW";
    QTest::newRow("not there") << "q=p"
                               << "no input or output of this name";
    QTest::newRow("taken") << "x=h"
                           << "has this name already";
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

void CliEditsTest::anOpsetThatCanNotSayItIsRefused() {
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

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliEditsTest)
#include "cli_edits_test.moc"
