// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

/// A checkpoint keeps how the data of its run was prepared: other samples are prepared alike.
class CliKeptDataTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void samplesAreEvaluatedAsTrained_data();
    void samplesAreEvaluatedAsTrained();
    void whatTheDataChoosesItselfStays();
    void sharesAreNotTakenForBytes();
    void anUnknownClassIsRefused();
    void aResumedRunKeepsClassesAndNormalization();
    void optionsOfArtifactsAreRefusedForModels_data();
    void optionsOfArtifactsAreRefusedForModels();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    QString spec(const QString& name) const { return path(name) + "?target=kind"; }
    /// Rows of the classes chosen, far from 0 and apart.
    void writeSamples(const QString& name, const QStringList& classes) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("a,b,kind\n");
        for (int i = 0; i < 30; ++i) {
            for (const QString& kind : classes) {
                const double place = kind == "ant" ? 0 : (kind == "bee" ? 5 : 10);
                file.write(QString("%1,%2,%3\n")
                               .arg(1000 + 40 * place + i % 7)
                               .arg(-300 + 9 * place - i % 5)
                               .arg(kind)
                               .toUtf8());
            }
        }
    }
    ProgramResult evaluate(const QString& data, const QStringList& more = {}) const {
        return runTemper(QStringList{"evaluate", path("art"), "--checkpoint", path("run/last.ckpt"),
                                     "--data", data, "--json"} +
                         more);
    }

    QTemporaryDir dir_;
};

void CliKeptDataTest::initTestCase() {
    saveModel(*parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 2] x) => (float[N, 3] y)
            <float[2, 3] w = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6}, float[3] b = {0, 0, 0}> {
            h = MatMul(x, w)
            y = Add(h, b)
        })"),
              path("model.onnx").toStdString());
    writeSamples("train.csv", {"ant", "bee", "cat"});
    writeSamples("part.csv", {"cat", "bee"});
    writeSamples("one.csv", {"cat"});
    writeSamples("other.csv", {"bee", "dog"});
    const ProgramResult made = runTemper(
        {"artifacts", path("model.onnx"), "--loss", "cross-entropy", "--out", path("art")});
    QVERIFY2(made.exitStatus == 0, made.all());
    const ProgramResult trained =
        runTemper({"train", path("art"), "--data", spec("train.csv") + "&normalize=standard",
                   "--epochs", "20", "--lr", "0.1", "--save", path("run")});
    QVERIFY2(trained.exitStatus == 0, trained.all());
}

void CliKeptDataTest::samplesAreEvaluatedAsTrained_data() {
    QTest::addColumn<QString>("data");
    QTest::newRow("the training samples") << spec("train.csv");
    QTest::newRow("measured anew") << spec("part.csv") + "&normalize=standard";
    QTest::newRow("two of the classes") << spec("part.csv");
    QTest::newRow("one class") << spec("one.csv") + "&task=classification";
}

void CliKeptDataTest::samplesAreEvaluatedAsTrained() {
    QFETCH(QString, data);
    const ProgramResult alone = evaluate(data);
    QVERIFY2(alone.exitStatus == 0, alone.all());
    const ProgramResult beside =
        evaluate(data, {"--train-data", spec("train.csv") + "&normalize=standard"});
    QVERIFY2(beside.exitStatus == 0, beside.all());
    QCOMPARE(alone.json(), beside.json());
    QVERIFY2(alone.json()["metrics"].toObject()["accuracy"].toDouble() > 0.95, alone.all());
    QVERIFY2(alone.err.contains("Column 'features' is normalized as in the run that the checkpoint "
                                "comes from: mean 1203, -257;"),
             alone.all());
}

void CliKeptDataTest::whatTheDataChoosesItselfStays() {
    const ProgramResult given = evaluate(spec("train.csv") + "&mean=1000,-300&std=10,10");
    QVERIFY2(given.exitStatus == 0, given.all());
    QVERIFY2(!given.err.contains("as in the run"), given.all());
    const ProgramResult raw = evaluate(spec("train.csv") + "&normalize=none");
    QVERIFY2(raw.exitStatus == 0 && !raw.err.contains("as in the run"), raw.all());
    QVERIFY(given.json()["loss"] != raw.json()["loss"]);
}

/// Of pixels: bytes are divided by 255, and numbers from 0 to 1 are not.
void CliKeptDataTest::sharesAreNotTakenForBytes() {
    saveModel(*parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 2, 2] x) => (float[N, 2] y)
            <float[4, 2] w = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6, 0.7, -0.8}> {
            h = Flatten(x)
            y = MatMul(h, w)
        })"),
              path("pixels.onnx").toStdString());
    std::vector<uint8_t> bytes;
    std::vector<float> shares;
    for (int i = 0; i < 80; ++i) {
        bytes.push_back(static_cast<uint8_t>(i * 37 % 256));
        shares.push_back(static_cast<float>(bytes.back()) / 255);
    }
    std::vector<int64_t> labels;
    for (int64_t i = 0; i < 20; ++i) labels.push_back(i % 2);
    const Tensor targets = Tensor::of<int64_t>({20}, labels);
    writeNpz(path("bytes.npz").toStdString(),
             {{"x", Tensor::of<uint8_t>({20, 2, 2}, bytes)}, {"labels", targets}});
    writeNpz(path("shares.npz").toStdString(),
             {{"x", Tensor::of<float>({20, 2, 2}, shares)}, {"labels", targets}});
    const QStringList options = {"--loss", "cross-entropy", "--out", path("pixels")};
    QCOMPARE(runTemper(QStringList{"artifacts", path("pixels.onnx")} + options).exitStatus, 0);
    const ProgramResult trained = runTemper({"train", path("pixels"), "--data", path("bytes.npz"),
                                             "--epochs", "2", "--save", path("pixel-run")});
    QVERIFY2(trained.exitStatus == 0, trained.all());
    const auto loss = [&](const char* data) {
        const ProgramResult result =
            runTemper({"evaluate", path("pixels"), "--checkpoint", path("pixel-run/last.ckpt"),
                       "--data", path(data), "--json"});
        return result.json()["loss"].toDouble(-1);
    };
    const double expected = loss("bytes.npz");
    QVERIFY2(expected > 0.1 && std::abs(loss("shares.npz") - expected) < 1e-6 * expected,
             qPrintable(QString("%1 and %2").arg(expected).arg(loss("shares.npz"))));
}

void CliKeptDataTest::anUnknownClassIsRefused() {
    const ProgramResult result = evaluate(spec("other.csv"));
    QVERIFY2(result.exitStatus == 2 && isFriendlyError(result), result.all());
    QVERIFY2(result.err.contains("Column 'kind' has the class 'dog', which the model was not "
                                 "trained with; its classes are 'ant', 'bee', 'cat'."),
             result.all());
    const ProgramResult renamed = evaluate(spec("other.csv") + "&classes=bee,cat");
    QVERIFY2(renamed.exitStatus == 0, renamed.all());
}

void CliKeptDataTest::aResumedRunKeepsClassesAndNormalization() {
    const QStringList resumed = {
        "train", path("art"), "--resume", path("run/last.ckpt"), "--epochs", "25",
        "--lr",  "0.1",       "--save",   path("resumed"),       "--data",   spec("part.csv")};
    const ProgramResult trained = runTemper(resumed);
    QVERIFY2(trained.exitStatus == 0, trained.all());
    const auto properties = [&](const QString& run) {
        const ProgramResult shown =
            runTemper({"checkpoint", "show", path(run + "/last.ckpt"), "--json"});
        return shown.json()["properties"].toObject();
    };
    for (const char* name : {"temper.classes", "temper.normalization"}) {
        QVERIFY(!properties("run")[name].isUndefined());
        QCOMPARE(properties("resumed")[name], properties("run")[name]);
    }
}

void CliKeptDataTest::optionsOfArtifactsAreRefusedForModels_data() {
    QTest::addColumn<QStringList>("options");
    QTest::newRow("checkpoint") << QStringList{"--checkpoint", path("run/last.ckpt")};
    QTest::newRow("average") << QStringList{"--average"};
    QTest::newRow("normalization") << QStringList{"--include-normalization"};
    QTest::newRow("float16") << QStringList{"--as-it-came"};
}

void CliKeptDataTest::optionsOfArtifactsAreRefusedForModels() {
    QFETCH(QStringList, options);
    const ProgramResult result = runTemper(
        QStringList{"export", path("model.onnx"), "--out", path("exported.onnx")} + options);
    QVERIFY2(result.exitStatus == 2 && isFriendlyError(result), result.all());
    QVERIFY2(
        result.err.contains((options.first() + " can't be used with the forward model").toUtf8()),
        result.all());
    QVERIFY(!QFile::exists(path("exported.onnx")));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliKeptDataTest)
#include "cli_kept_data_test.moc"
