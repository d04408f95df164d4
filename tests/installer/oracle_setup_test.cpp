// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/installer/shell.h"

namespace temper::test {

/// How the tests get the real ONNX Runtime, and what is reported if they don't.
class OracleSetupTest : public QObject {
    Q_OBJECT

private slots:
    void theEnvironmentIsMadeAndTheScriptsAreCopied();
    void leftoversOfAnEarlierVersionAreRemoved();
    void aSetupThatFailsLeavesNoScripts();
    void ciSaysLoudlyThatTheOracleIsAbsent_data();
    void ciSaysLoudlyThatTheOracleIsAbsent();
    void ciIsSilentIfTheOracleExists();
    void whatWasComparedAndSkippedIsReported_data();
    void whatWasComparedAndSkippedIsReported();

private:
    /// A copy of the project's setup, and beside it an ort-oracle whose setup.sh is `setup`.
    static QString projectWith(const QTemporaryDir& folder, const QString& setup);
    /// Output and errors of a script in it.
    static QString inProject(const QString& root, const QString& script) {
        return bashOutput("exec 2>&1; cd '" + root +
                          "'; TEMPER_ROOT=$PWD; unset TEMPER_ORT_ORACLE\n"
                          "source tools/common.sh; source tools/oracle.sh\n" +
                          script);
    }
};

const QString kWorkingSetup = "mkdir -p \"$1/bin\"; touch \"$1/pyvenv.cfg\" \"$1/bin/python\"";

QString OracleSetupTest::projectWith(const QTemporaryDir& folder, const QString& setup) {
    const QString root = folder.filePath("project"), source = "shared/tools/ort-oracle";
    bashOutput("mkdir -p '" + root +
               "/tests/support'\n"
               "cp -R tools '" +
               root +
               "'\n"
               "cp tests/support/setup_oracle.sh '" +
               root +
               "/tests/support'\n"
               "cd '" +
               folder.path() + "'; mkdir -p " + source +
               "/ort_oracle\n"
               "touch " +
               source + "/server.py " + source +
               "/ort_oracle/cli.py\n"
               "cat > " +
               source + "/setup.sh <<'END'\n" + setup + "\nEND");
    return root;
}

void OracleSetupTest::theEnvironmentIsMadeAndTheScriptsAreCopied() {
    const QTemporaryDir folder;
    const QString root = projectWith(folder, kWorkingSetup);
    const QString scripts = "../shared/tools/ort-oracle/ort_oracle";
    for (int time = 0; time < 2; ++time) {
        inProject(root, "chmod a-w " + scripts +
                            "; tests/support/setup_oracle.sh\n"
                            "chmod u+w " +
                            scripts);
        for (const char* path : {"bin/python", "scripts/server.py", "scripts/ort_oracle/cli.py"})
            QVERIFY2(QFile::exists(root + "/build/ort-oracle/" + path), path);
    }
}

void OracleSetupTest::leftoversOfAnEarlierVersionAreRemoved() {
    const QTemporaryDir folder;
    const QString root = projectWith(folder, kWorkingSetup);
    QVERIFY(QDir().mkpath(root + "/build/ort-oracle/node_modules/onnxruntime-web"));
    inProject(root, "tests/support/setup_oracle.sh");
    QVERIFY(!QFile::exists(root + "/build/ort-oracle/node_modules"));
    QVERIFY(QFile::exists(root + "/build/ort-oracle/scripts/server.py"));
}

/// Tests consider a folder with scripts to be a working oracle.
void OracleSetupTest::aSetupThatFailsLeavesNoScripts() {
    const QTemporaryDir folder;
    const QString root = projectWith(folder, "echo no Python 3.11 found; exit 3");
    const QString output = inProject(root, "tests/support/setup_oracle.sh || echo \"exit $?\"");
    QVERIFY2(output.contains("no Python 3.11 found\nexit 3"), qPrintable(output));
    QVERIFY(!QFile::exists(root + "/build/ort-oracle/scripts"));
}

void OracleSetupTest::ciSaysLoudlyThatTheOracleIsAbsent_data() {
    QTest::addColumn<QString>("setup");
    QTest::addColumn<QString>("message");
    QTest::newRow("a set-up that fails")
        << "echo no Python 3.11 found; exit 3"
        << "no Python 3.11 found\nWARNING: the real ONNX Runtime is not set up: "
           "tests/support/setup_oracle.sh failed.\n";
    QTest::newRow("no ort-oracle") << QString()
                                   << "WARNING: the real ONNX Runtime is not set up: there is no "
                                      "../shared/tools/ort-oracle.\n";
}

void OracleSetupTest::ciSaysLoudlyThatTheOracleIsAbsent() {
    QFETCH(QString, setup);
    QFETCH(QString, message);
    const QTemporaryDir folder;
    const QString root = projectWith(folder, setup);
    if (setup.isEmpty()) QVERIFY(QDir(folder.path()).rename("shared", "elsewhere"));
    const QString output = inProject(root, "prepare_oracle; echo the tests; warn_without_oracle");
    QVERIFY2(output.contains(message), qPrintable(output));
    QVERIFY2(output.section("the tests", 1).contains("WARNING: the real"), qPrintable(output));
}

void OracleSetupTest::ciIsSilentIfTheOracleExists() {
    const QTemporaryDir folder;
    const QString root = projectWith(folder, kWorkingSetup);
    QCOMPARE(inProject(root, "prepare_oracle; warn_without_oracle"), QString());
}

void OracleSetupTest::whatWasComparedAndSkippedIsReported_data() {
    QTest::addColumn<QString>("log");
    QTest::addColumn<QString>("told");
    const QString skip =
        "SKIP   : temper::test::SomeTest::initTestCase() the real ONNX Runtime is absent: run x\n";
    QTest::newRow("all compared")
        << "PASS   : a\nONNX Runtime ran 31 scripts\nONNX Runtime ran 4 scripts\n"
        << "Compared with ONNX Runtime: 2 test programs (35 scripts); "
           "0 tests skipped because it is not set up\n";
    QTest::newRow("nothing compared") << skip + skip
                                      << "Compared with ONNX Runtime: 0 test programs (0 scripts); "
                                         "2 tests skipped because it is not set up\n";
    QTest::newRow("nothing to compare") << "PASS   : a\n" << QString();
}

void OracleSetupTest::whatWasComparedAndSkippedIsReported() {
    QFETCH(QString, log);
    QFETCH(QString, told);
    const QTemporaryDir folder;
    const QString root = projectWith(folder, kWorkingSetup);
    QFile file(root + "/LastTest.log");
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(log.toUtf8());
    file.close();
    QCOMPARE(inProject(root, "tell_of_oracle LastTest.log"), told);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleSetupTest)
#include "oracle_setup_test.moc"
