// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/file.h"
#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/ort/checkpoint_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

constexpr int kPatienceMs = 120'000;

/// Runs of several processes, which exchange their gradients over MPI.
class CliRanksTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (QStandardPaths::findExecutable("mpirun").isEmpty()) QSKIP("there is no mpirun");
        if (!QFile::exists(TEMPER_MPI)) QSKIP("Temper was built without MPI");
        saveModel(*parseText(R"(
            agraph (float[N, 4] x) => (float[N, 3] logits)
                <float[4, 8] w = {0.1, -0.2, 0.3, 0.4, 0.2, -0.1, 0.5, -0.4,
                                  0.3, 0.2, -0.3, 0.1, -0.5, 0.4, 0.1, 0.2,
                                  -0.1, 0.5, 0.2, -0.2, 0.3, 0.1, -0.4, 0.2,
                                  0.4, -0.3, 0.1, 0.2, -0.2, 0.3, 0.2, 0.1},
                 float[8, 3] v = {0.2, -0.1, 0.3, 0.1, 0.4, -0.2, -0.3, 0.2, 0.1, 0.5, -0.4, 0.2,
                                  0.1, 0.1, -0.3, 0.2, 0.3, -0.1, 0.4, -0.2, 0.1, 0.2, 0.1, 0.3}>
                { h = MatMul(x, w)  r = Relu(h)  logits = MatMul(r, v) })"),
                  path("m.onnx").toStdString());
        const ProgramResult made = runTemper({"artifacts", path("m.onnx"), "--out", path("made")});
        QVERIFY2(made.exitStatus == 0, made.all().constData());
        writeFileAtomically(path("d.csv").toStdString(), rows(96));
        writeFileAtomically(path("e.csv").toStdString(), rows(40));
    }

    void ranksTrainToTheSameBits_data() {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("plain") << QStringList{};
        QTest::newRow("accumulation and clipping")
            << QStringList{"--accumulate", "2", "--clip-norm", "0.1"};
    }
    void ranksTrainToTheSameBits() {
        QFETCH(QStringList, options);
        const QByteArray one = trained("one", QStringList{"--slices", "4"} + options);
        QVERIFY(!one.isEmpty());
        for (const QString ranks : {"1", "2", "3", "4"}) {
            QCOMPARE(trained("ranks-" + ranks, QStringList{"--ranks", ranks} + options), one);
            // one log, by rank 0, which says the same
            QCOMPARE(lossesOf("ranks-" + ranks), lossesOf("one"));
        }
    }

    void mpirunStartsTheSameRun() {
        const QByteArray one = trained("alone", {"--slices", "4"});
        const QStringList line =
            QStringList{"-np", "3", QStringLiteral(TEMPER_PROGRAM)} + arguments("by-mpirun", {});
        QProcess process;
        process.setProcessEnvironment(forMpi());
        process.start("mpirun", line);
        QVERIFY(process.waitForFinished(kPatienceMs));
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        QCOMPARE(contentOf("by-mpirun/last.ckpt"), one);
    }

    /// Each rank in a network namespace of its own.
    void ranksOnASlowAndLossyNetworkTrainToTheSameBits_data() {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("plain") << QStringList{};
        QTest::newRow("ZeRO 2 and accumulation")
            << QStringList{"--zero", "2", "--accumulate", "2", "--clip-norm", "0.1"};
    }
    void ranksOnASlowAndLossyNetworkTrainToTheSameBits() {
        QFETCH(QStringList, options);
        QStringList alone = options;
        if (const qsizetype at = alone.indexOf("--zero"); at >= 0) alone.remove(at, 2);
        const QByteArray one = trained("near", QStringList{"--slices", "4"} + alone);
        QVERIFY(!one.isEmpty());
        QProcess process;
        process.start("python3", QStringList{TEMPER_RANK_NETWORK, "--ranks", "4", "--delay-ms", "2",
                                             "--loss", "0.01", "--", TEMPER_PROGRAM} +
                                     arguments("far", options));
        QVERIFY(process.waitForFinished(kPatienceMs));
        const QByteArray err = process.readAllStandardError();
        constexpr int kNoNetwork = 77;
        if (process.exitCode() == kNoNetwork) QSKIP(err.trimmed().constData());
        QVERIFY2(process.exitCode() == 0, err.constData());
        QVERIFY2(!err.contains(" 0 dropped"), err.constData());
        QCOMPARE(contentOf("far/last.ckpt"), one);
        QCOMPARE(lossesOf("far"), lossesOf("near"));
    }

    void outputIsThatOfOneProcess() {
        const ProgramResult one = runTemper(arguments("out-1", {"--slices", "4"}));
        const ProgramResult four = runTemper(arguments("out-4", {"--ranks", "4"}));
        QCOMPARE(four.exitStatus, 0);
        // and a line about the exchange
        QCOMPARE(four.out.count('\n'), one.out.count('\n') + 1);
        QVERIFY2(four.out.contains("4 ranks: rank 0 sends "), four.out.constData());
        QCOMPARE(four.out.count("finished after"), 1);
    }

    void mistakesAreToldOnce_data() {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("more ranks than slices")
            << QStringList{"--ranks", "3", "--slices", "2"}
            << QByteArray("3 ranks can't share 2 slices of a batch.");
        QTest::newRow("a schedule that is not there")
            << QStringList{"--ranks", "2", "--schedule", "none-such"} << QByteArray("none-such");
        QTest::newRow("no ranks") << QStringList{"--ranks", "0"} << QByteArray("--ranks");
    }
    void mistakesAreToldOnce() {
        QFETCH(QStringList, options);
        QFETCH(QByteArray, message);
        const ProgramResult result = runTemper(arguments("mistake", options));
        QVERIFY(result.exitStatus != 0);
        QVERIFY2(result.err.count("error: ") == 1, result.all().constData());
        QVERIFY2(result.err.contains(message), result.all().constData());
    }

    /// Before the trainer watches over the rank: while it opens the model, or the samples.
    void aRankWithoutMemoryEndsAllAndIsToldOnce_data() {
        QTest::addColumn<int>("rank");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("message");
        for (const char* file : {"/training_model.onnx", "/d.csv"}) {
            QTest::addRow("rank 0, %s", file) << 0 << file << QByteArray("error: Not enough");
            QTest::addRow("rank 1, %s", file) << 1 << file << QByteArray("rank 1: Not enough");
        }
    }
    void aRankWithoutMemoryEndsAllAndIsToldOnce() {
        QFETCH(int, rank);
        QFETCH(QString, file);
        QFETCH(QByteArray, message);
        const ProgramResult result = runShell(
            QString("ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=%1 TEMPER_MEMORY_FAULT=%2:%3 "
                    "$TEMPER %4")
                .arg(TEMPER_MEMORY_FAULT)
                .arg(rank)
                .arg(file, arguments("memory", {"--ranks", "3"}).join(' ')));
        QCOMPARE(result.exitStatus, 1);
        QVERIFY2(result.err.contains(message + " memory."), result.all().constData());
        QVERIFY2(result.err.contains("hint: Use a smaller batch"), result.all().constData());
        QVERIFY2(result.err.count("error: ") == 1, result.all().constData());
    }

    void aMissingTransportIsToldOnce() {
        const ProgramResult result =
            runShell("TEMPER_TRANSPORT=/nowhere.so $TEMPER train " + path("made") + " --data " +
                     path("d.csv") + " --ranks 2");
        QCOMPARE(result.exitStatus, 2);
        QVERIFY2(result.err.startsWith("error: The transport '/nowhere.so' does not exist."),
                 result.all().constData());
        QVERIFY2(result.err.count('\n') == 2, result.all().constData());
    }

    void anInterruptStopsAllAndSaves() {
        QProcess process;
        process.start(QStringLiteral(TEMPER_PROGRAM),
                      arguments("interrupted", {"--ranks", "3", "--steps", "1000000000",
                                                "--save-every", "1000000000"}));
        QTRY_VERIFY_WITH_TIMEOUT(contentOf("interrupted.jsonl").count("\"event\":\"step\"") > 20,
                                 kPatienceMs);
        QVERIFY(sendSignal(process, SIGINT));
        QVERIFY(process.waitForFinished(kPatienceMs));
        const QByteArray err = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 0, err.constData());
        QVERIFY2(process.readAllStandardOutput().contains("stopped after"), err.constData());
        const CheckpointFile last = readCheckpoint(path("interrupted/last.ckpt").toStdString());
        QVERIFY(!last.optimizerGroups.empty());
    }

    void aRankThatIsKilledOrStoppedEndsTheRun_data() {
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("victim");
        for (const int victim : {0, 1, 2}) {
            QTest::addRow("rank %d killed", victim) << SIGKILL << victim;
            QTest::addRow("rank %d stopped", victim) << SIGSTOP << victim;
        }
    }
    void aRankThatIsKilledOrStoppedEndsTheRun() {
        QFETCH(int, signal);
        QFETCH(int, victim);
        const QString name = QString("%1-%2").arg(signal).arg(victim);
        QProcess process;
        process.setProcessEnvironment(forMpi());
        QStringList options{"--ranks", "3", "--steps", "1000000000", "--save-every", "100"};
        process.start(QStringLiteral(TEMPER_PROGRAM), arguments(name, options));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path(name + "/step-000200.ckpt")), kPatienceMs);
        const qint64 rank = processOf(victim, path(name));
        QVERIFY(rank > 0);
        QCOMPARE(::kill(static_cast<pid_t>(rank), signal), 0);
        QVERIFY(process.waitForFinished(kPatienceMs));
        const QByteArray err = process.readAllStandardError();
        QVERIFY(process.exitCode() != 0);
        // mpirun tells of processes that were killed, Temper of others
        const QByteArray number = QByteArray::number(victim);
        QVERIFY2(err.contains("rank " + number) || err.contains("Rank " + number), err.constData());
        // what was saved last is whole
        const CheckpointFile last = readCheckpoint(path(name + "/last.ckpt").toStdString());
        QVERIFY(!last.optimizerGroups.empty());
        if (signal == SIGSTOP) ::kill(static_cast<pid_t>(rank), SIGKILL);
    }

private:
    QString path(const QString& name) const { return dir_.filePath(name); }

    static std::string rows(int count) {
        Random random(5);
        std::string text = "a,b,c,d,y\n";
        for (int i = 0; i < count; ++i) {
            for (int column = 0; column < 4; ++column)
                text += std::to_string(random.uniform()) + ",";
            text += std::to_string(random.below(3)) + "\n";
        }
        return text;
    }

    QStringList arguments(const QString& name, const QStringList& options) const {
        QStringList all{"train",       path("made"),  "--data",       path("d.csv"),
                        "--eval-data", path("e.csv"), "--batch-size", "10",
                        "--save",      path(name),    "--log",        path(name + ".jsonl")};
        if (!options.contains("--steps"))
            all << "--epochs"
                << "2";
        return all + options;
    }

    /// The last checkpoint of a run with these options.
    QByteArray trained(const QString& name, const QStringList& options) const {
        const ProgramResult result = runTemper(arguments(name, options));
        if (result.exitStatus != 0) qWarning("%s", result.all().constData());
        return contentOf(name + "/last.ckpt");
    }

    QByteArray contentOf(const QString& name) const {
        QFile file(path(name));
        return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray();
    }

    QList<double> lossesOf(const QString& name) const {
        QList<double> losses;
        for (const QByteArray& line : contentOf(name + ".jsonl").split('\n')) {
            const QJsonObject event = QJsonDocument::fromJson(line).object();
            if (event["event"] == "step" || event["event"] == "eval")
                losses << event["loss"].toDouble();
        }
        return losses;
    }

    /// For mpirun itself, which the tests may start as root and with more ranks than cores.
    static QProcessEnvironment forMpi() {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                 "OMPI_MCA_rmaps_base_oversubscribe"})
            environment.insert(name, "1");
        environment.insert("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
        return environment;
    }

    /// The process of a rank of the run that saves there.
    static qint64 processOf(int rank, const QString& folder) {
        for (const QString& entry : QDir("/proc").entryList({"[0-9]*"}, QDir::Dirs)) {
            QFile arguments("/proc/" + entry + "/cmdline"),
                variables("/proc/" + entry + "/environ");
            if (!arguments.open(QFile::ReadOnly) || !variables.open(QFile::ReadOnly)) continue;
            if (arguments.readAll().contains(folder.toUtf8() + '\0') &&
                variables.readAll().contains("OMPI_COMM_WORLD_RANK=" + QByteArray::number(rank) +
                                             '\0'))
                return entry.toLongLong();
        }
        return 0;
    }

    const QTemporaryDir dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliRanksTest)
#include "cli_ranks_test.moc"
