// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "tests/capi/ort_objects.h"
#include "tests/support/oracle.h"

namespace temper::test {

namespace {

/// ONNX Runtime's own library, which knows no training.
QString realLibrary() {
    const QString given = qEnvironmentVariable("TEMPER_ORT_ORACLE");
    const QDir library(
        (given.isEmpty() ? QStringLiteral(TEMPER_BINARY_DIR "/../ort-oracle") : given) +
        "/native/onnxruntime/capi");
    return library.filePath(library.entryList({"libonnxruntime.so.*"}, QDir::Files).value(0));
}

QByteArray valuesOf(const QString& library, const QString& model) {
    QProcess process;
    process.start(TEMPER_ORT_C_VALUES, {library, model});
    process.waitForFinished(300'000);
    const bool fine = process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
    const QByteArray output = process.readAllStandardOutput();
    if (!fine) QTest::qFail(output + process.readAllStandardError(), __FILE__, __LINE__);
    return output;
}

}  // namespace

/// One program, which calls Temper's library and ONNX Runtime's: it has to print the same.
class OrtCOracleTest : public QObject {
    Q_OBJECT

private slots:
    void functionsReturnTheSameThere();
};

/// Also shows that the functions are at the same places of the table.
void OrtCOracleTest::functionsReturnTheSameThere() {
    OrtObjects objects;
    QCOMPARE(objects.load(), QString());
    const QTemporaryDir folder;
    const QString model = folder.filePath("trained.onnx");
    const char* output = "output-0";
    ORT_SUCCEEDS(
        ortTraining().ExportModelForInferencing(objects.session, qPrintable(model), 1, &output));
    const QByteArray found = valuesOf(TEMPER_C_LIBRARY, model);
    QVERIFY(found.contains("1 input input-0, 1 output output-0"));
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    QCOMPARE(found, valuesOf(realLibrary(), model));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OrtCOracleTest)
#include "ort_c_oracle_test.moc"
