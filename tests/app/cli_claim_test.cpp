// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/stat.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

constexpr int kPatienceMs = 60'000;

/// A run has exclusive use of its outputs, which are checked before the first step.
class CliClaimTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        saveModel(*parseText(R"(
            agraph (float[N, 2] x) => (float[N, 2] logits)
                <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}> { logits = MatMul(x, w) })"),
                  path("m.onnx").toStdString());
        const ProgramResult made = runTemper({"artifacts", path("m.onnx"), "--out", path("made")});
        QVERIFY2(made.exitStatus == 0, made.all().constData());
        writeFileAtomically(path("d.csv").toStdString(), "a,b,y\n1,2,0\n3,1,1\n2,2,0\n5,1,1\n");
        writeFileAtomically(path("file").toStdString(), "content");
    }

    void outputsInUseAreRefusedToASecondRun_data() {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("name");
        QTest::newRow("checkpoints") << "--save"
                                     << "saves";
        QTest::newRow("log") << "--log"
                             << "run.jsonl";
    }
    void outputsInUseAreRefusedToASecondRun() {
        QFETCH(QString, option);
        QFETCH(QString, name);
        const QString log = option == "--log" ? name : QStringLiteral("first.jsonl");
        QStringList endless = arguments("1000000000") << option << path(name);
        if (log != name) endless << "--log" << path(log);
        QProcess first;
        first.start(QStringLiteral(TEMPER_PROGRAM), endless);
        QTRY_VERIFY_WITH_TIMEOUT(readAll(log).count("\"event\":\"step\"") > 2, kPatienceMs);
        const ProgramResult second = runTemper(arguments("2") << option << path(name));
        const QByteArray lines = readAll(log);
        QVERIFY2(second.exitStatus > 0, second.all().constData());
        QVERIFY2(isFriendlyError(second), second.all().constData());
        const QByteArray who = "process " + QByteArray::number(first.processId());
        QVERIFY2(second.err.contains(name.toUtf8() + "' is in use: "), second.all().constData());
        QVERIFY2(second.err.contains(who) || second.err.contains("another process"),
                 second.all().constData());
        QVERIFY(lines.startsWith("{\"event\":\"settings\""));  // it was not emptied
        if (option == "--save") {
            const ProgramResult set =
                runTemper({"checkpoint", "set-property", path("made/checkpoint"), "epoch", "3",
                           "--out", path(name + "/last.ckpt")});
            QVERIFY2(set.exitStatus > 0, set.all().constData());
            QVERIFY2(set.err.contains("is in use: "), set.all().constData());
        }
        for (const QString& from : {log, QStringLiteral("elsewhere.jsonl")}) {
            QFile::copy(path(log), path("elsewhere.jsonl"));
            const ProgramResult report = runTemper({"report", path(from), "--out", path(log)});
            QVERIFY2(report.exitStatus > 0, report.all().constData());
            QVERIFY2(report.err.contains(from == log ? "is the log itself" : "is in use: "),
                     report.all().constData());
        }
        first.kill();
        QVERIFY(first.waitForFinished(kPatienceMs));
        const ProgramResult third = runTemper(arguments("2") << option << path(name));
        QVERIFY2(third.exitStatus == 0, third.all().constData());
    }

    void unwritableOutputsAreReportedBeforeTheFirstStep_data() {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("message");
        const auto row = [&](const char* name, const QString& option, const QString& target,
                             const QString& message) {
            QTest::newRow(name) << QStringList{option, path(target)} << message;
        };
        row("checkpoints into a file", "--save", "file", "file' is a file");
        row("checkpoints below a file", "--save", "file/a", "file' is a file");
        row("log into a folder", "--log", "made", "made' can't be written: Is a directory");
        row("log, no folder", "--log", "none/l", "none/l' can't be written: No such file");
        row("report into a folder", "--report", "made", "made' can't be written: it is a folder");
        row("report, no folder", "--report", "none/r.html", "r.html' can't be written: No such");
        row("profile into a folder", "--profile", "made", "made' can't be written: it is a folder");
        row("profile, no folder", "--profile", "none/p", "none/p' can't be written: No such file");
    }
    void unwritableOutputsAreReportedBeforeTheFirstStep() {
        QFETCH(QStringList, options);
        QFETCH(QString, message);
        const ProgramResult result = runTemper(arguments("1000000000") + options);
        QVERIFY2(result.exitStatus > 0, result.all().constData());
        QVERIFY2(result.err.contains(message.toUtf8()), result.all().constData());
        QVERIFY2(!result.out.contains("training "), result.all().constData());
        QCOMPARE(readAll("file"), QByteArray("content"));
    }

    void aPipeInsteadOfACheckpointIsReportedBeforeTheFirstStep_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("last") << "last.ckpt";
        QTest::newRow("best") << "best.ckpt";
    }
    void aPipeInsteadOfACheckpointIsReportedBeforeTheFirstStep() {
        QFETCH(QString, name);
        const QString folder = "pipe of " + name;
        QDir().mkpath(path(folder));
        QCOMPARE(mkfifo(QFile::encodeName(path(folder + "/" + name)).constData(), 0666), 0);
        const ProgramResult result = runTemper(arguments("1000000000") << "--eval-data"
                                                                       << "csv:" + path("d.csv")
                                                                       << "--save" << path(folder));
        QVERIFY2(result.exitStatus > 0, result.all().constData());
        QVERIFY2(result.err.contains((name + "' can't be written: it is a pipe").toUtf8()),
                 result.all().constData());
        QVERIFY2(!result.out.contains("training "), result.all().constData());
    }

    /// The weights have 16 bytes; AdamW's moments make that 48.
    void aDiskThatIsTooSmallIsReportedBeforeTheFirstStep_data() {
        QTest::addColumn<QString>("options");
        QTest::addColumn<int>("bytes");
        QTest::newRow("the last one and what replaces it") << "" << 2 * 48;
        QTest::newRow("the average as well") << "--average-decay 0.9" << 2 * 64;
        QTest::newRow("the best one") << "--eval-data csv:d.csv" << 3 * 48;
        QTest::newRow("the best ones") << "--eval-data csv:d.csv --keep-best 3" << 6 * 48;
    }
    void aDiskThatIsTooSmallIsReportedBeforeTheFirstStep() {
        QFETCH(QString, options);
        QFETCH(int, bytes);
        const auto train = [&](int left) {
            return runShell(QString("TEMPER_FAULT=space:0:-:%1:0 LD_PRELOAD=%2 $TEMPER train made "
                                    "--data csv:d.csv --steps 2 --save '%3' %4")
                                .arg(left)
                                .arg(TEMPER_FAULT_INJECTOR, QTest::currentDataTag(), options),
                            dir_.path());
        };
        const ProgramResult refused = train(bytes - 1);
        QVERIFY2(refused.exitStatus > 0, refused.all().constData());
        QVERIFY2(refused.err.contains(
                     QString("%1 bytes left; %2 are needed").arg(bytes - 1).arg(bytes).toUtf8()),
                 refused.all().constData());
        const ProgramResult trained = train(bytes);
        QVERIFY2(trained.exitStatus == 0, trained.all().constData());
    }

    void aDamagedPictureIsReportedBeforeTheFirstStepOrLeftOut() {
        QString weights;
        for (int i = 0; i < 96; ++i) weights += QString(i > 0 ? ", 0.%1" : "0.%1").arg(i % 10);
        saveModel(*parseText(QString(R"(
            agraph (float[N, 3, 4, 4] x) => (float[N, 2] logits)
                <float[48, 2] w = {%1}> { f = Flatten(x)  logits = MatMul(f, w) })")
                                 .arg(weights)
                                 .toStdString()),
                  path("pictures.onnx").toStdString());
        const ProgramResult made =
            runTemper({"artifacts", path("pictures.onnx"), "--out", path("pictures")});
        QVERIFY2(made.exitStatus == 0, made.all().constData());
        const std::string picture =
            readFile(TEMPER_SOURCE_DIR "/tests/engine/data/pictures/rgb.png");
        for (const char* name :
             {"shown/a/1.png", "shown/a/2.png", "shown/b/1.png", "shown/b/2.png"}) {
            QDir().mkpath(QFileInfo(path(name)).path());
            writeFileAtomically(path(name).toStdString(), picture);
        }
        writeFileAtomically(path("shown/b/2.png").toStdString(),
                            picture.substr(0, picture.size() / 2));
        const QStringList train{"train",  path("pictures"), "--steps", "3",
                                "--save", path("p"),        "--data"};
        const ProgramResult refused = runTemper(train + QStringList{"images:" + path("shown")});
        QVERIFY2(refused.exitStatus == 2, refused.all().constData());
        QVERIFY2(refused.err.contains("One of 4 samples can't be read: File '") &&
                     refused.err.contains("shown/b/2.png") && refused.err.contains("invalid=drop"),
                 refused.all().constData());
        QVERIFY2(!refused.out.contains("training "), refused.all().constData());
        const ProgramResult trained =
            runTemper(train + QStringList{"images:" + path("shown") + "?invalid=drop"});
        QVERIFY2(trained.exitStatus == 0, trained.all().constData());
        QVERIFY2(trained.err.contains("warning D113: Skipped 1 of 4 samples that can't be read"),
                 trained.all().constData());
    }

private:
    QStringList arguments(const char* steps) const {
        return {"train", path("made"), "--data", "csv:" + path("d.csv"), "--steps", steps};
    }
    QString path(const QString& name) const { return dir_.filePath(name); }
    QByteArray readAll(const QString& name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliClaimTest)
#include "cli_claim_test.moc"
