// SPDX-License-Identifier: Apache-2.0
#include <temper/temper.h>

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace temper::test {

namespace {

const QString kHeaders = QStringLiteral(TEMPER_SOURCE_DIR "/capi/include");

QString readText(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QByteArray outputOf(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    process.waitForFinished(300'000);
    const bool fine = process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
    if (!fine) QTest::qFail(process.readAllStandardError().constData(), __FILE__, __LINE__);
    return process.readAllStandardOutput();
}

/// The functions that the headers declare.
QStringList declaredFunctions() {
    static const QRegularExpression kFunction(
        "\\b(?:TEMPER_API|ORT_EXPORT)\\s[^;(]*?\\b((?:temper_|Ort)\\w+)\\(");
    QStringList names;
    for (const char* header :
         {"/temper/temper.h", "/temper/temper_training.h", "/onnxruntime/onnxruntime_c_api.h"}) {
        const QString text = readText(kHeaders + header);
        for (auto found = kFunction.globalMatch(text); found.hasNext();)
            names << found.next().captured(1);
    }
    names.sort();
    return names;
}

}  // namespace

/// The library as a linker and other compilers see it.
class CapiLibraryTest : public QObject {
    Q_OBJECT

private slots:
    void itExportsWhatTheHeadersDeclare();
    void itsSonameHasTheNumberOfTheInterface();
    void itLinksNeitherQtNorPython();
    void theHeadersCompile_data();
    void theHeadersCompile();
    void structsHaveTheLayoutOfVersion1();
};

void CapiLibraryTest::itExportsWhatTheHeadersDeclare() {
    const QByteArray symbols =
        outputOf("nm", {"--dynamic", "--defined-only", "--format=posix", TEMPER_C_LIBRARY});
    QStringList exported;
    for (const QByteArray& line : symbols.split('\n')) {
        const QString name = QString::fromUtf8(line.split(' ').first()).section('@', 0, 0);
        if (!name.isEmpty() && name != "TEMPER_1") exported << name;
    }
    exported.sort();
    QVERIFY(exported.size() > 80);
    QCOMPARE(exported, declaredFunctions());
}

void CapiLibraryTest::itsSonameHasTheNumberOfTheInterface() {
    const QByteArray header = outputOf("readelf", {"--dynamic", TEMPER_C_LIBRARY});
    const QString soname = QString("[libtemper.so.%1]").arg(TEMPER_ABI_VERSION);
    QVERIFY2(header.contains(soname.toUtf8()), header.constData());
    QCOMPARE(temper_abi_version(), TEMPER_ABI_VERSION);
}

void CapiLibraryTest::itLinksNeitherQtNorPython() {
    const QByteArray libraries = outputOf("ldd", {TEMPER_C_LIBRARY});
    QVERIFY(libraries.contains("libc.so"));
    QVERIFY2(!libraries.contains("libQt") && !libraries.contains("libpython"),
             libraries.constData());
}

void CapiLibraryTest::theHeadersCompile_data() {
    QTest::addColumn<QString>("header");
    QTest::addColumn<QString>("standard");
    for (const char* header :
         {"temper/temper.h", "temper/temper_training.h", "onnxruntime_training_c_api.h"}) {
        for (const char* standard : {"c99", "c11", "c17", "c++98", "c++17"})
            QTest::addRow("%s as %s", header, standard) << header << standard;
    }
}

void CapiLibraryTest::theHeadersCompile() {
    QFETCH(QString, header);
    QFETCH(QString, standard);
    const QTemporaryDir folder;
    const bool isC = !standard.startsWith("c++");
    QFile file(folder.filePath(isC ? "use.c" : "use.cpp"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#include <" + header.toUtf8() + ">\nint f(void);\nint f(void) { return 0; }\n");
    file.close();
    QStringList options{
        "-std=" + standard, "-Wall",         "-Wextra",       "-Werror",
        "-pedantic",        "-fsyntax-only", "-I" + kHeaders, "-I" + kHeaders + "/onnxruntime",
        file.fileName()};
    if (standard == "c++98") options << "-Wno-long-long";  // what 64-bit integers are called there
    outputOf(isC ? TEMPER_C_COMPILER : TEMPER_CXX_COMPILER, options);
}

/// Other languages declare them by hand.
void CapiLibraryTest::structsHaveTheLayoutOfVersion1() {
    static_assert(sizeof(void*) == 8);
    QCOMPARE(sizeof(TemperArray), size_t{40});
    QCOMPARE(offsetof(TemperArray, byte_size), size_t{8});
    QCOMPARE(offsetof(TemperArray, shape), size_t{16});
    QCOMPARE(offsetof(TemperArray, rank), size_t{24});
    QCOMPARE(offsetof(TemperArray, dtype), size_t{32});
    QCOMPARE(sizeof(TemperNames), size_t{16});
    QVERIFY(sizeof(TemperFinding) >= 72 && offsetof(TemperFinding, severity) == 64);
    QVERIFY(sizeof(TemperValueInfo) >= 48 && offsetof(TemperValueInfo, dtype) == 40);
    QVERIFY(sizeof(TemperParameterInfo) >= 56 && offsetof(TemperParameterInfo, dtype) == 48);
    QVERIFY(sizeof(TemperProperty) >= 32 && offsetof(TemperProperty, number) == 24);
    QVERIFY(sizeof(TemperArtifactPaths) >= 40 && sizeof(TemperArtifactBytes) >= 72);
    QVERIFY(sizeof(TemperExportOptions) >= 32 && offsetof(TemperExportOptions, as_it_came) == 24);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CapiLibraryTest)
#include "capi_library_test.moc"
