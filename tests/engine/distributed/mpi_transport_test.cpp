// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QStandardPaths>
#include <QTest>
#include <algorithm>

namespace temper::test {

constexpr int kPatienceMs = 120'000;

/// Two processes that use the transport over MPI directly: see mpi_program.c.
class MpiTransportTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (QStandardPaths::findExecutable("mpirun").isEmpty()) QSKIP("there is no mpirun");
    }

    void programsAreServedOrToldWhyNot_data() {
        QTest::addColumn<QByteArrayList>("said");
        const QByteArray left = "left", wentOn = "MPI went on";
        QTest::newRow("twice") << QByteArrayList{
            left, left, "MPI has ended in this process; ranks can be joined only once.",
            "MPI has ended in this process; ranks can be joined only once."};
        QTest::newRow("within MPI") << QByteArrayList{left, left, wentOn, wentOn};
        const QByteArray refusal =
            "This program has initialized MPI for one thread; MPI_THREAD_SERIALIZED is needed.";
        QTest::newRow("within MPI of one thread")
            << QByteArrayList{refusal, refusal, wentOn, wentOn};
        QTest::newRow("fewer bytes")
            << QByteArrayList{"A message is shorter than its receiver expects.", left, left};
        QTest::newRow("dropped") << QByteArrayList{left, left};
    }
    /// One row for each case of the program, which has its name.
    void programsAreServedOrToldWhyNot() {
        QFETCH(QByteArrayList, said);
        const ProcessOutput found = run(QTest::currentDataTag());
        QVERIFY2(found.exitCode == 0, found.err.constData());
        QByteArrayList lines = found.lines;
        std::ranges::sort(lines);
        std::ranges::sort(said);
        QCOMPARE(lines, said);
    }

    /// In MPI's own words.
    void aMessageThatIsTooLongIsAnError() {
        const ProcessOutput found = run("more bytes");
        QVERIFY2(found.exitCode == 0, found.err.constData());
        QCOMPARE(found.lines.size(), 3);
        QCOMPARE(found.lines.count("left"), 2);
        QVERIFY2(found.lines.join('\n').toLower().contains("truncate"), found.err.constData());
    }

private:
    struct ProcessOutput {
        int exitCode = -1;
        QByteArrayList lines;  ///< of both ranks, in any order
        QByteArray err;
    };

    static ProcessOutput run(const QString& what) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        // The tests may be started as root, and with more ranks than cores.
        for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                 "OMPI_MCA_rmaps_base_oversubscribe"})
            environment.insert(name, "1");
        environment.insert("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
        process.setProcessEnvironment(environment);
        process.start("mpirun", {"-np", "2", TEMPER_MPI_PROGRAM, TEMPER_MPI, what});
        if (!process.waitForFinished(kPatienceMs)) return {};
        if (process.exitStatus() != QProcess::NormalExit) return {};
        return {process.exitCode(), process.readAllStandardOutput().trimmed().split('\n'),
                process.readAllStandardError()};
    }
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::MpiTransportTest)
#include "mpi_transport_test.moc"
