// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

/// Checkpoints of another model whose parameters have the same names and shapes.
class CliForeignCheckpointTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void everyCommandWarnsAndGoesOn_data();
    void everyCommandWarnsAndGoesOn();
    void theNextRunMakesItsOwn();
    void artifactsHaveNoFingerprint();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    /// Parameters w and v with `operation` between them.
    void makeArtifacts(const QString& operation, const QString& folder) const;
    QString data() const { return path("data.npz"); }
    QTemporaryDir dir_;
};

const QByteArray kWarning = "warning C001: The checkpoint belongs to another model";

void CliForeignCheckpointTest::makeArtifacts(const QString& operation,
                                             const QString& folder) const {
    const QString text = QString(R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 2] x) => (float[N, 1] y)
            <float[2, 3] w = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6}, float[3, 1] v = {0.1, 0.2, 0.3}> {
            h = MatMul(x, w)
            a = %1(h)
            y = MatMul(a, v)
        })")
                             .arg(operation);
    saveModel(*parseText(text.toStdString()), path(folder + ".onnx").toStdString());
    const ProgramResult made =
        runTemper({"artifacts", path(folder + ".onnx"), "--loss", "mse", "--out", path(folder)});
    QVERIFY2(made.exitStatus == 0, made.all());
}

void CliForeignCheckpointTest::initTestCase() {
    makeArtifacts("Relu", "relu");
    makeArtifacts("Tanh", "tanh");
    writeNpz(data().toStdString(), {{"x", Tensor::of<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})},
                                    {"target", Tensor::of<float>({4, 1}, {1, 2, 3, 4})}});
    const ProgramResult trained = runTemper({"train", path("relu"), "--data", data(), "--eval-data",
                                             data(), "--epochs", "2", "--save", path("run")});
    QVERIFY2(trained.exitStatus == 0 && !trained.err.contains("C001"), trained.all());
}

void CliForeignCheckpointTest::everyCommandWarnsAndGoesOn_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QStringList>("command");  ///< without the folder of the artifacts
    const QString last = path("run/last.ckpt"), best = path("run/best.ckpt");
    const std::vector<std::pair<const char*, QStringList>> commands = {
        {"train", {"train", "--data", data(), "--epochs", "3", "--resume", last}},
        {"train from it", {"train", "--data", data(), "--epochs", "3", "--checkpoint", best}},
        {"evaluate", {"evaluate", "--data", data(), "--checkpoint", best}},
        {"export", {"export", "--checkpoint", last, "--out", path("out.onnx")}},
        {"step", {"step", "--feeds", data(), "--checkpoint", last}},
    };
    for (const char* model : {"relu", "tanh"}) {
        for (const auto& [name, command] : commands)
            QTest::addRow("%s, %s", name, model) << model << command;
    }
}

void CliForeignCheckpointTest::everyCommandWarnsAndGoesOn() {
    QFETCH(QString, model);
    QFETCH(QStringList, command);
    command.insert(1, path(model));
    const ProgramResult result = runTemper(command);
    QVERIFY2(result.exitStatus == 0, result.all());
    QCOMPARE(result.err.count(kWarning), model == "tanh" ? 1 : 0);
}

void CliForeignCheckpointTest::theNextRunMakesItsOwn() {
    const ProgramResult trained =
        runTemper({"train", path("tanh"), "--data", data(), "--epochs", "3", "--resume",
                   path("run/last.ckpt"), "--save", path("own")});
    QVERIFY2(trained.exitStatus == 0 && trained.err.contains(kWarning), trained.all());
    const auto evaluate = [this](const QString& model) {
        return runTemper(
            {"evaluate", path(model), "--data", data(), "--checkpoint", path("own/last.ckpt")});
    };
    QVERIFY(!evaluate("tanh").err.contains("C001"));
    QVERIFY(evaluate("relu").err.contains(kWarning));
}

void CliForeignCheckpointTest::artifactsHaveNoFingerprint() {
    const ProgramResult result = runTemper(
        {"evaluate", path("tanh"), "--data", data(), "--checkpoint", path("relu/checkpoint")});
    QVERIFY2(result.exitStatus == 0 && !result.err.contains("C001"), result.all());
    QFile artifact(path("relu/checkpoint")), saved(path("run/last.ckpt"));
    QVERIFY(artifact.open(QIODevice::ReadOnly) && saved.open(QIODevice::ReadOnly));
    QVERIFY(!artifact.readAll().contains("fingerprint"));
    QVERIFY(saved.readAll().contains("temper.model_fingerprint"));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliForeignCheckpointTest)
#include "cli_foreign_checkpoint_test.moc"
