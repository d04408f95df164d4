// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/core/file.h"
#include "engine/data/npy_file.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/ort/checkpoint_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

/// Commands on files of ONNX Runtime, ONNX and NumPy, and whole runs of the lessons.
class CliFilesTest : public QObject {
    Q_OBJECT

private slots:
    void conformanceCountsPassedAndFailedCases();
    void checkpointsAreComparedByParameter();
    void propertiesAreSetAndShown();
    void parametersAreExtracted();
    void aRunIsTrainedEvaluatedAndReported();
    void aRunIsResumedWhereItStopped();
    void resumedRunsAreTheSameBits_data();
    void resumedRunsAreTheSameBits();
    void runsEndEarlyByFlags_data();
    void runsEndEarlyByFlags();
    void theBestCheckpointsAreKept();
    void aLossThatRunsAwayFails_data();
    void aLossThatRunsAwayFails();
    void aRunThatEndedByTimeIsResumed();
    void optimizersAndSchedulesAreChosenByFlags();
    void groupsAreListsOfParameters();
    void wrongFlagsOfOptimizersAreNamed_data();
    void wrongFlagsOfOptimizersAreNamed();
    void aLessonRunsFromEndToEnd();
    void aLessonsModelIsAModel();
    void aLessonThatFailsOnPurposeIsMended();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    QString irisArtifacts();
    QString dropoutArtifacts();
    QString irisModel();
    QTemporaryDir dir_;
};

QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

constexpr const char* kIris = "lesson:iris/train.csv?target=species";
constexpr const char* kIrisTest = "lesson:iris/test.csv?target=species";

QString CliFilesTest::irisArtifacts() {
    const QString folder = path("iris");
    if (QFileInfo::exists(folder)) return folder;
    runTemper(
        {"artifacts", TEMPER_SOURCE_DIR "/resources/lessons/iris/model.onnx", "--out", folder});
    return folder;
}

void CliFilesTest::conformanceCountsPassedAndFailedCases() {
    const QString cases = "/usr/lib/python3/dist-packages/onnx/backend/test/data/node/";
    if (!QFileInfo::exists(cases + "test_relu")) QSKIP("ONNX's backend tests are not installed");
    QVERIFY(runShell("mkdir cases && cp -r " + cases + "test_relu " + cases +
                         "test_add cases/ && cp -r " + cases + "test_relu cases/wrong && cp " +
                         cases +
                         "test_add/test_data_set_0/output_0.pb "
                         "cases/wrong/test_data_set_0/output_0.pb && mkdir cases/no_data && cp " +
                         cases + "test_relu/model.onnx cases/no_data/",
                     dir_.path())
                .exitStatus == 0);
    const ProgramResult result = runTemper({"conformance", path("cases"), "--json"});
    QVERIFY2(result.exitStatus == 1, result.all());
    QCOMPARE(result.json()["passed"].toArray(), (QJsonArray{"test_add", "test_relu"}));
    QCOMPARE(result.json()["failed"].toArray().size(), 1);
    QCOMPARE(result.json()["failed"][0]["name"].toString(), QString("wrong"));
    QVERIFY(result.json()["failed"][0]["reason"].toString().contains("expected"));
}

void CliFilesTest::checkpointsAreComparedByParameter() {
    CheckpointFile first;
    first.trainable = {{"w", Tensor::of<float>({2}, {3, 4})}, {"only", Tensor::scalar(1.0F)}};
    CheckpointFile second;
    second.trainable = {{"w", Tensor::of<float>({2}, {3, 16})}};
    writeCheckpoint(first, path("first").toStdString());
    writeCheckpoint(second, path("second").toStdString());
    const ProgramResult result =
        runTemper({"checkpoint", "diff", path("first"), path("second"), "--json"});
    QVERIFY2(result.exitStatus == 0, result.all());
    const QJsonValue w = result.json()["parameters"][0];
    QCOMPARE(w["first_norm"].toDouble(), 5.0);
    QCOMPARE(w["max_change"].toDouble(), 12.0);
    QCOMPARE(result.json()["only_in_first"].toArray(), QJsonArray{"only"});
}

void CliFilesTest::propertiesAreSetAndShown() {
    CheckpointFile file;
    file.trainable = {{"w", Tensor::scalar(1.0F)}};
    writeCheckpoint(file, path("c").toStdString());
    const auto set = [&](const char* name, const char* value) {
        return runTemper({"checkpoint", "set-property", path("c"), name, value}).exitStatus;
    };
    QCOMPARE(set("epoch", "12"), 0);
    QCOMPARE(set("rate", "0.5"), 0);
    QCOMPARE(set("note", "twelve"), 0);
    QCOMPARE(runTemper({"checkpoint", "set-property", path("c"), "zip", "0123", "--type", "string"})
                 .exitStatus,
             0);
    const ProgramResult shown = runTemper({"checkpoint", "show", path("c"), "--json"});
    QCOMPARE(shown.json()["properties"].toObject(),
             (QJsonObject{{"epoch", 12}, {"rate", 0.5}, {"note", "twelve"}, {"zip", "0123"}}));
    QCOMPARE(
        runTemper({"checkpoint", "set-property", path("c"), "x", "y", "--type", "int"}).exitStatus,
        2);
}

void CliFilesTest::parametersAreExtracted() {
    CheckpointFile file;
    file.trainable = {{"a/b", Tensor::of<float>({2}, {1, 2})}};
    file.frozen = {{"n", Tensor::scalar<int64_t>(7)}};
    writeCheckpoint(file, path("e").toStdString());
    const ProgramResult result =
        runTemper({"checkpoint", "extract", path("e"), "--out", path("arrays")});
    QVERIFY2(result.exitStatus == 0, result.all());
    QCOMPARE(readNpy(path("arrays/a_b.npy").toStdString()).values<float>()[1], 2.0F);
    QCOMPARE(readNpy(path("arrays/n.npy").toStdString()).toInt64(), int64_t{7});
    QCOMPARE(
        runTemper({"checkpoint", "extract", path("e"), "zz", "--out", path("other")}).exitStatus,
        2);
    QVERIFY(!QFileInfo::exists(path("other")));
}

void CliFilesTest::aRunIsTrainedEvaluatedAndReported() {
    const ProgramResult trained = runTemper({"train",        irisArtifacts(),
                                             "--data",       kIris,
                                             "--eval-data",  kIrisTest,
                                             "--epochs",     "60",
                                             "--lr",         "0.01",
                                             "--batch-size", "16",
                                             "--seed",       "3",
                                             "--save",       path("run"),
                                             "--log",        path("run.jsonl"),
                                             "--report",     path("run.html")});
    QVERIFY2(trained.exitStatus == 0, trained.all());
    QVERIFY(readFile(path("run.html").toStdString()).find("</svg>") != std::string::npos);
    QCOMPARE(QString::fromStdString(readFile(path("run.jsonl").toStdString())).count("\"epoch\","),
             60);
    const ProgramResult reported =
        runTemper({"report", path("run.jsonl"), "--out", path("again.html")});
    QVERIFY2(reported.exitStatus == 0, reported.all());
    for (const auto& [from, to] :
         {std::pair("run.jsonl", "run.tlog"), std::pair("run.tlog", "back.jsonl"),
          std::pair("run.tlog", "packed.html")}) {
        const ProgramResult converted = runTemper({"report", path(from), "--out", path(to)});
        QVERIFY2(converted.exitStatus == 0, converted.all());
    }
    QVERIFY(readFile(path("back.jsonl").toStdString()) ==
            readFile(path("run.jsonl").toStdString()));
    QVERIFY(readFile(path("packed.html").toStdString()) ==
            readFile(path("again.html").toStdString()));
    const ProgramResult evaluated =
        runTemper({"evaluate", irisArtifacts(), "--checkpoint", path("run/last.ckpt"),
                   "--train-data", kIris, "--data", kIrisTest, "--json"});
    QVERIFY2(evaluated.exitStatus == 0, evaluated.all());
    const QJsonObject result = evaluated.json();
    QCOMPARE(result["samples"].toInt(), 30);
    QVERIFY2(result["metrics"]["accuracy"].toDouble() > 0.85, evaluated.all());
    int counted = 0;
    for (const QJsonValue& row : result["confusion_matrix"].toArray()) {
        for (const QJsonValue& count : row.toArray()) counted += count.toInt();
    }
    QCOMPARE(counted, 30);
}

void CliFilesTest::aRunIsResumedWhereItStopped() {
    const auto train = [&](const QStringList& more) {
        return runTemper(QStringList{"train", irisArtifacts(), "--data", kIris, "--batch-size",
                                     "16", "--seed", "5"} +
                         more);
    };
    const ProgramResult whole = train({"--steps", "20", "--save", path("whole")});
    QVERIFY2(whole.exitStatus == 0, whole.all());
    QVERIFY(train({"--steps", "9", "--save", path("half")}).exitStatus == 0);
    const ProgramResult rest =
        train({"--steps", "20", "--resume", path("half/last.ckpt"), "--save", path("rest")});
    QVERIFY2(rest.exitStatus == 0, rest.all());
    const CheckpointFile a = readCheckpoint(path("whole/last.ckpt").toStdString());
    const CheckpointFile b = readCheckpoint(path("rest/last.ckpt").toStdString());
    QCOMPARE(a.optimizerGroups[0].step, int64_t{20});
    QCOMPARE(b.optimizerGroups[0].step, int64_t{20});
    for (size_t i = 0; i < a.trainable.size(); ++i) {
        const auto left = a.trainable[i].data.values<float>();
        const auto right = b.trainable[i].data.values<float>();
        QVERIFY2(std::ranges::equal(left, right), a.trainable[i].name.c_str());
    }
}

/// A small network for iris with Dropout, which draws different numbers in each step.
QString CliFilesTest::dropoutArtifacts() {
    const QString folder = path("dropout");
    if (QFileInfo::exists(folder)) return folder;
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        g (float[N, 4] x) => (float[N, 3] logits)
            <float[4, 5] w1 = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, -0.8, 0.9, 0.15,
                               0.25, -0.35, 0.4, 0.2, -0.1, 0.3, -0.6, 0.1, 0.5, -0.4},
             float[5, 3] w2 = {0.5, -0.4, 0.3, 0.2, -0.1, 0.6, 0.7, 0.8, -0.3, 0.1, 0.2, 0.4, -0.2,
                               0.35, 0.45},
             float ratio = {0.3}, bool mode = {1}> {
            p = MatMul(x, w1)
            h = Tanh(p)
            d = Dropout(h, ratio, mode)
            logits = MatMul(d, w2)
        })");
    saveModel(*model, path("dropout.onnx").toStdString());
    runTemper({"artifacts", path("dropout.onnx"), "--out", folder});
    return folder;
}

void CliFilesTest::resumedRunsAreTheSameBits_data() {
    QTest::addColumn<QString>("resumed");
    QTest::addColumn<QString>("threads");
    for (const char* threads : {"1", "2", "3"}) {
        QTest::addRow("in one go, %s threads", threads) << QString() << QString(threads);
        QTest::addRow("after step 50, %s threads", threads)
            << "step-000050.ckpt" << QString(threads);
    }
}

/// AdamW, one cycle, Dropout, shuffling: the checkpoint holds the state of all of them.
void CliFilesTest::resumedRunsAreTheSameBits() {
    QFETCH(QString, resumed);
    QFETCH(QString, threads);
    const auto train = [&](const QStringList& more) {
        return runTemper(QStringList{"train", dropoutArtifacts(), "--data", kIris, "--batch-size",
                                     "16", "--seed", "5", "--steps", "100", "--schedule",
                                     "one-cycle", "--lr", "0.01", "--save-every", "50"} +
                         more);
    };
    if (!QFileInfo::exists(path("reference"))) {
        const ProgramResult first = train({"--threads", "1", "--save", path("reference")});
        QVERIFY2(first.exitStatus == 0, first.all());
    }
    const QString folder = path("again " + threads + resumed);
    QStringList choices = {"--threads", threads, "--save", folder};
    if (!resumed.isEmpty()) choices += {"--resume", path("reference/" + resumed)};
    const ProgramResult again = train(choices);
    QVERIFY2(again.exitStatus == 0, again.all());
    const QByteArray expected = bytesOf(path("reference/last.ckpt"));
    QVERIFY(!expected.isEmpty());
    QVERIFY2(bytesOf(folder + "/last.ckpt") == expected, "the checkpoints differ");
    QVERIFY(bytesOf(path("reference/step-000050.ckpt")) != expected);
}

void CliFilesTest::runsEndEarlyByFlags_data() {
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<QString>("message");
    QTest::newRow("loss") << QStringList{"--early-stop", "2", "--min-delta", "100"}
                          << "The evaluation's loss has not improved 2 times in a row";
    QTest::newRow("metric") << QStringList{"--best-metric", "accuracy", "--early-stop", "3",
                                           "--min-delta",   "1"}
                            << "The evaluation's accuracy has not improved 3 times in a row";
    QTest::newRow("time") << QStringList{"--time-limit", "0.2"} << "The time limit was reached";
}

void CliFilesTest::runsEndEarlyByFlags() {
    QFETCH(QStringList, flags);
    QFETCH(QString, message);
    const QString folder = path(QString("early ") + QTest::currentDataTag());
    const ProgramResult result =
        runTemper(QStringList{"train", irisArtifacts(), "--data", kIris, "--eval-data", kIrisTest,
                              "--epochs", "1000000", "--save-every", "1000000", "--save", folder} +
                  flags);
    QVERIFY2(result.exitStatus == 0, result.all());
    QVERIFY2(result.all().contains(message.toUtf8()), result.all());
    QVERIFY(QFileInfo::exists(folder + "/last.ckpt"));
    QVERIFY(QFileInfo::exists(folder + "/best.ckpt"));
}

/// An interrupted and continued run keeps the same checkpoints as an uninterrupted one.
void CliFilesTest::theBestCheckpointsAreKept() {
    const auto train = [&](const QString& folder, const QStringList& more) {
        return runTemper(QStringList{"train", irisArtifacts(), "--data", kIris, "--eval-data",
                                     kIrisTest, "--lr", "0.3", "--keep-best", "3", "--save",
                                     folder} +
                         more);
    };
    const auto kept = [](const QString& folder) {
        return QDir(folder).entryList({"best-*.ckpt"}, QDir::Files, QDir::Name);
    };
    const QString whole = path("kept whole"), parts = path("kept in parts");
    const QStringList all{"--steps", "80", "--schedule", "constant"};
    const ProgramResult one = train(whole, all);
    QVERIFY2(one.exitStatus == 0, one.all());
    QCOMPARE(kept(whole).size(), 3);
    QVERIFY2(one.all().contains("checkpoint (kept): "), one.all());
    QVERIFY(train(parts, {"--steps", "40", "--schedule", "constant"}).exitStatus == 0);
    const ProgramResult second = train(
        parts, all + QStringList{"--resume", parts + "/last.ckpt", "--log", path("kept.jsonl")});
    QVERIFY2(second.exitStatus == 0, second.all());
    QCOMPARE(kept(parts), kept(whole));
    QCOMPARE(bytesOf(parts + "/best.ckpt"), bytesOf(whole + "/best.ckpt"));
    QVERIFY(bytesOf(path("kept.jsonl")).contains("\"kind\":\"kept\""));
}

/// Clipped steps in a direction that is always wrong: all numbers stay finite.
void CliFilesTest::aLossThatRunsAwayFails() {
    QFETCH(bool, guarded);
    QStringList train{"train",      irisArtifacts(), "--data",      kIris, "--lr",         "100",
                      "--steps",    "400",           "--clip-norm", "0.1", "--batch-size", "32",
                      "--schedule", "constant"};
    if (!guarded) train += "--no-divergence-guard";
    const ProgramResult result = runTemper(train);
    QVERIFY2(result.exitStatus == (guarded ? 1 : 0), result.all());
    QCOMPARE(result.all().contains("R002: The loss rose"), guarded);
}

void CliFilesTest::aLossThatRunsAwayFails_data() {
    QTest::addColumn<bool>("guarded");
    QTest::newRow("guarded") << true;
    QTest::newRow("not guarded") << false;
}

void CliFilesTest::aRunThatEndedByTimeIsResumed() {
    const QStringList train{"train",  irisArtifacts(),    "--data",       kIris,
                            "--save", path("timed"),      "--save-every", "1000000",
                            "--log",  path("timed.jsonl")};
    const ProgramResult first =
        runTemper(train + QStringList{"--epochs", "1000000", "--time-limit", "0.1"});
    QVERIFY2(first.exitStatus == 0, first.all());
    const int64_t done =
        readCheckpoint(path("timed/last.ckpt").toStdString()).optimizerGroups[0].step;
    QVERIFY(done > 0);
    const ProgramResult second =
        runTemper(train + QStringList{"--steps", QString::number(done + 5), "--time-limit", "60",
                                      "--resume", path("timed/last.ckpt")});
    QVERIFY2(second.exitStatus == 0, second.all());
    QVERIFY2(!second.all().contains("time limit"), second.all());
    QCOMPARE(readCheckpoint(path("timed/last.ckpt").toStdString()).optimizerGroups[0].step,
             done + 5);
}

/// The lesson's final model.
QString CliFilesTest::irisModel() {
    const QString model = path("plain/model.onnx");
    if (!QFileInfo::exists(model)) runTemper({"demo", "iris", "--out", path("plain")});
    return model;
}

/// Lion with groups and an average, milestones from a list, and a continued run whose average is
/// exported.
void CliFilesTest::optimizersAndSchedulesAreChosenByFlags() {
    const QString model = irisModel();
    const ProgramResult made = runTemper(
        {"artifacts", model, "--out", path("lion"), "--optimizer", "lion", "--weight-decay", "0.1",
         "--no-decay-on-biases-and-norms", "--group", "*bias*:lr=0.5", "--clip-value", "0.5"});
    QVERIFY2(made.exitStatus == 0, made.all());
    const auto train = [&](const QStringList& more) {
        return runTemper(QStringList{"train", path("lion"), "--data", kIris, "--lr", "0.01",
                                     "--schedule", "multi-step", "--milestones", "2,4", "--gamma",
                                     "0.5", "--average-decay", "0.9", "--seed", "3"} +
                         more);
    };
    const ProgramResult run =
        train({"--steps", "6", "--save", path("lion-run"), "--log", path("lion.jsonl")});
    QVERIFY2(run.exitStatus == 0, run.all());
    QFile log(path("lion.jsonl"));
    QVERIFY(log.open(QIODevice::ReadOnly));
    QList<double> rates;
    while (!log.atEnd()) {
        const QJsonObject event = QJsonDocument::fromJson(log.readLine()).object();
        if (event["event"] == "step") rates << event["learning_rate"].toDouble();
    }
    QCOMPARE(rates, (QList<double>{0.01, 0.01, 0.005, 0.005, 0.0025, 0.0025}));
    const QString checkpoint = path("lion-run/last.ckpt");
    const QStringList exported{"export", path("lion"), "--checkpoint", checkpoint, "--out"};
    QCOMPARE(runTemper(exported + QStringList{path("last.onnx")}).exitStatus, 0);
    const ProgramResult averaged =
        runTemper(exported + QStringList{path("average.onnx"), "--average"});
    QVERIFY2(averaged.exitStatus == 0, averaged.all());
    QVERIFY(bytesOf(path("average.onnx")) != bytesOf(path("last.onnx")));
    const ProgramResult none =
        runTemper({"export", path("lion"), "--out", path("none.onnx"), "--average"});
    QVERIFY2(none.err.contains("has no weight average"), none.all());
}

/// The same parameters under other names give the same files; other parameters don't.
void CliFilesTest::groupsAreListsOfParameters() {
    const auto optimizerOf = [&](const QString& group) {
        const QString folder = path("grouped");
        const ProgramResult made =
            runTemper({"artifacts", irisModel(), "--out", folder, "--group", group + ":lr=0.5"});
        return made.exitStatus == 0 ? bytesOf(folder + "/optimizer_model.onnx") : QByteArray();
    };
    const QByteArray biases = optimizerOf("*.bias");
    QVERIFY(!biases.isEmpty());
    QVERIFY(optimizerOf("0.bias, 2.bias") == biases);
    QVERIFY(optimizerOf("*, !*.weight") == biases);
    QVERIFY(optimizerOf("\"0.bias\",2.bias") == biases);
    QVERIFY(optimizerOf("*.bias, !2.bias") != biases);
    QVERIFY(optimizerOf("no such, nor this").isEmpty());
}

void CliFilesTest::wrongFlagsOfOptimizersAreNamed_data() {
    QTest::addColumn<QStringList>("flags");
    QTest::addColumn<QString>("message");
    QTest::newRow("a group without numbers")
        << QStringList{"--group", "fc*"} << "The parameter group 'fc*' is invalid";
    QTest::newRow("a group with an unknown number")
        << QStringList{"--group", "fc*:speed=2"} << "'fc*:speed=2' is invalid";
    QTest::newRow("half a step") << QStringList{"--group", "fc*:start_step=2.5"}
                                 << "'fc*:start_step=2.5' is invalid";
    QTest::newRow("a group that matches nothing")
        << QStringList{"--group", "nothing*:lr=2"} << "'nothing*' of the parameter groups";
    QTest::newRow("another optimizer's number")
        << QStringList{"--optimizer", "sgd", "--momentum", "0.5"}
        << "--momentum does not apply to --optimizer sgd";
    QTest::newRow("out of range") << QStringList{"--optimizer", "lion", "--beta1", "2"}
                                  << "--beta1 is 2; expected 0 to 0.999999";
}

void CliFilesTest::wrongFlagsOfOptimizersAreNamed() {
    QFETCH(QStringList, flags);
    QFETCH(QString, message);
    const ProgramResult result =
        runTemper(QStringList{"artifacts", irisModel(), "--out", path("wrong")} + flags);
    QVERIFY2(result.exitStatus != 0, result.all());
    QVERIFY2((result.out + result.err).contains(message.toUtf8()), result.all());
}

void CliFilesTest::aLessonRunsFromEndToEnd() {
    const ProgramResult result = runTemper({"demo", "iris", "--out", path("demo")});
    QVERIFY2(result.exitStatus == 0, result.all());
    for (const char* file : {"artifacts/training_model.onnx", "checkpoint", "model.onnx",
                             "run.jsonl", "report.html"}) {
        QVERIFY2(QFileInfo::exists(path("demo/") + file), file);
    }
    QVERIFY2(result.out.contains("checked against the eval model"), result.all());
}

void CliFilesTest::aLessonsModelIsAModel() {
    const ProgramResult made =
        runTemper({"artifacts", "lesson:iris/model.onnx", "--out", path("ofLesson")});
    QVERIFY2(made.exitStatus == 0, made.all());
    QVERIFY(QFileInfo::exists(path("ofLesson/training_model.onnx")));
    const ProgramResult unknown =
        runTemper({"artifacts", "lesson:nowhere/model.onnx", "--out", path("ofNothing")});
    QVERIFY2(unknown.exitStatus != 0 && unknown.err.contains("nowhere"), unknown.all());
}

void CliFilesTest::aLessonThatFailsOnPurposeIsMended() {
    const ProgramResult mended = runTemper({"demo", "broken", "--out", path("mended")});
    QVERIFY2(mended.exitStatus == 0, mended.all());
    for (const char* words : {"fails on purpose", "G002", "W005", "Fixed as the lesson teaches"})
        QVERIFY2(mended.out.contains(words), mended.all());
    QVERIFY(QFileInfo::exists(path("mended/model.onnx")));
    const ProgramResult broken =
        runTemper({"demo", "broken", "--as-shipped", "--out", path("broken")});
    QVERIFY2(broken.exitStatus != 0, broken.all());
    QVERIFY2(broken.err.contains("stops gradients"), broken.all());
    QVERIFY2(broken.err.contains("straight through"), broken.all());
    const ProgramResult exploding =
        runTemper({"demo", "exploding", "--as-shipped", "--out", path("exploding")});
    QVERIFY2(exploding.exitStatus != 0, exploding.all());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliFilesTest)
#include "cli_files_test.moc"
