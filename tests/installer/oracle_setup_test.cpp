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
    void theEnvironmentIsMadeOnceForItsRequirements();
    void leftoversOfAnEarlierVersionAreRemoved();
    void aSetupThatFailsIsNotTakenForARuntime();
    void ciSaysLoudlyThatTheOracleIsAbsent();
    void ciIsSilentIfTheOracleExists();
    void whatWasComparedAndSkippedIsReported_data();
    void whatWasComparedAndSkippedIsReported();

private:
    /// A copy of the project's setup, and a Python 3.11 that makes environments in which pip is the
    /// command `pip`.
    static QString projectWith(const QTemporaryDir& folder, const QString& pip);
    /// Output and errors of a script in it.
    static QString inProject(const QString& root, const QString& script) {
        return bashOutput("exec 2>&1; cd '" + root +
                          "'; TEMPER_ROOT=$PWD; PATH=$PWD/bin:$PATH; unset TEMPER_ORT_ORACLE\n"
                          "source tools/common.sh; source tools/oracle.sh\n" +
                          script);
    }
    static bool isInstalled(const QString& root) {
        return QFile::exists(root + "/build/ort-oracle/ort-oracle-installed");
    }
};

const QString kWorkingPip = "echo \"$*\" >>pip.log";
const QString kFailingPip = "echo no network; exit 1";

/// What setup_oracle.sh asks of Python.
const QString kPython = R"(#!/bin/sh
case "$*" in
"-m venv"*) mkdir -p "$3/bin" && touch "$3/pyvenv.cfg" && cp "$0" "$3/bin/python" ;;
"-m pip"*) %1 ;;
esac
)";

QString OracleSetupTest::projectWith(const QTemporaryDir& folder, const QString& pip) {
    const QString root = folder.filePath("project");
    bashOutput("mkdir -p '" + root + "/tests/support/oracle' '" + root +
               "/bin'\n"
               "cp -R tools '" +
               root +
               "'\n"
               "cp tests/support/setup_oracle.sh '" +
               root +
               "/tests/support'\n"
               "cp tests/support/oracle/requirements*.txt '" +
               root + "/tests/support/oracle'");
    QFile python(root + "/bin/python3.11");
    if (python.open(QIODevice::WriteOnly)) python.write(kPython.arg(pip).toUtf8());
    python.setPermissions(python.permissions() | QFile::ExeOwner);
    return root;
}

void OracleSetupTest::theEnvironmentIsMadeOnceForItsRequirements() {
    const QTemporaryDir folder;
    const QString root = projectWith(folder, kWorkingPip);
    const QString setup = "tests/support/setup_oracle.sh >/dev/null\n", count = "wc -l <pip.log\n";
    const QString change =
        "chmod u+w tests/support/oracle/*; echo 'numpy==1' "
        ">tests/support/oracle/requirements.txt\n";
    const QString calls = inProject(root, setup + count + setup + count + change + setup + count);
    QCOMPARE(calls.simplified(), QString("2 2 4"));
    QVERIFY(isInstalled(root));
}

void OracleSetupTest::leftoversOfAnEarlierVersionAreRemoved() {
    const QTemporaryDir folder;
    const QString root = projectWith(folder, kWorkingPip);
    QVERIFY(QDir().mkpath(root + "/build/ort-oracle/node_modules/onnxruntime-web"));
    inProject(root, "tests/support/setup_oracle.sh");
    QVERIFY(!QFile::exists(root + "/build/ort-oracle/node_modules"));
    QVERIFY(isInstalled(root));
}

void OracleSetupTest::aSetupThatFailsIsNotTakenForARuntime() {
    const QTemporaryDir folder;
    const QString root = projectWith(folder, kFailingPip);
    const QString output = inProject(root, "tests/support/setup_oracle.sh || echo \"exit $?\"");
    QVERIFY2(output.contains("no network\nexit 1"), qPrintable(output));
    QVERIFY(!isInstalled(root));
}

void OracleSetupTest::ciSaysLoudlyThatTheOracleIsAbsent() {
    const QTemporaryDir folder;
    const QString root = projectWith(folder, kFailingPip);
    const QString output = inProject(root, "prepare_oracle; echo the tests; warn_without_oracle");
    QVERIFY2(output.contains("no network\nWARNING: the real ONNX Runtime is not set up: "
                             "tests/support/setup_oracle.sh failed.\n"),
             qPrintable(output));
    QVERIFY2(output.section("the tests", 1).contains("WARNING: the real"), qPrintable(output));
}

void OracleSetupTest::ciIsSilentIfTheOracleExists() {
    const QTemporaryDir folder;
    const QString root = projectWith(folder, kWorkingPip);
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
    const QString root = projectWith(folder, kWorkingPip);
    QFile file(root + "/LastTest.log");
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(log.toUtf8());
    file.close();
    QCOMPARE(inProject(root, "tell_of_oracle LastTest.log"), told);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleSetupTest)
#include "oracle_setup_test.moc"
