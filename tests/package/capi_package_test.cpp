// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

namespace temper::test {

namespace {

const QString kExample = QStringLiteral(TEMPER_SOURCE_DIR "/capi/examples/linear");

QString readText(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// The text between ```<language> and ``` that begins with `firstLine`.
QString listing(const QString& document, const QString& language, const QString& firstLine) {
    const QString opening = "```" + language + "\n";
    const qsizetype begin = document.indexOf(opening + firstLine);
    if (begin < 0) return {};
    const qsizetype text = begin + opening.size();
    return document.mid(text, document.indexOf("```", text) - text);
}

}  // namespace

/// Installs the C interface into a temporary folder and builds its example there, as users do.
class CapiPackageTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void theExampleIsBuiltWithCMake();
    void theExampleIsBuiltWithPkgConfig();
    void programsForOnnxRuntimeAreBuilt();
    void theLibraryAloneRunsPrograms();
    void theDocumentationShowsTheExample();

private:
    QString at(const QString& path) const { return folder_.filePath(path); }
    QString libraries() const;
    QStringList flags(const QString& package) const;
    /// The output of a program; fails the test unless it exits with 0.
    QString outputOf(const QString& program, const QStringList& arguments) const;
    /// Runs the example and checks what it has learned: y = 2 a - 3 b + 1.
    void runExample(const QString& program, const QString& model) const;

    const QTemporaryDir folder_;
};

QString CapiPackageTest::libraries() const {
    const QStringList found = QDir(at("prefix")).entryList({"lib*"}, QDir::Dirs);
    return at("prefix/" + found.value(0));
}

QString CapiPackageTest::outputOf(const QString& program, const QStringList& arguments) const {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PKG_CONFIG_PATH", libraries() + "/pkgconfig");
    environment.insert("LD_LIBRARY_PATH", libraries());
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    process.waitForFinished(300'000);
    const bool fine = process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
    if (!fine) {
        QTest::qFail(process.readAllStandardOutput() + process.readAllStandardError(), __FILE__,
                     __LINE__);
    }
    return QString::fromUtf8(process.readAllStandardOutput());
}

void CapiPackageTest::runExample(const QString& program, const QString& model) const {
    const QString output = outputOf(program, {model});
    QVERIFY2(output.contains("y = 2.000 a + -3.000 b + 1.000\n"), qPrintable(output));
    QVERIFY2(output.contains("step 500: loss 0.000000\n"), qPrintable(output));
    QVERIFY(QFile::exists(model));
}

void CapiPackageTest::initTestCase() {
    if (!QFileInfo(TEMPER_BINARY_DIR).isWritable()) QSKIP("this user can't write to the build");
    for (const char* component : {"libtemper1", "libtemper-dev"}) {
        outputOf(TEMPER_CMAKE, {"--install", TEMPER_BINARY_DIR, "--component", component,
                                "--prefix", at("prefix")});
    }
}

void CapiPackageTest::theExampleIsBuiltWithCMake() {
    outputOf(TEMPER_CMAKE,
             {"-S", kExample, "-B", at("build"), "-G", TEMPER_GENERATOR,
              "-DCMAKE_C_COMPILER=" TEMPER_C_COMPILER, "-DCMAKE_PREFIX_PATH=" + at("prefix")});
    outputOf(TEMPER_CMAKE, {"--build", at("build")});
    runExample(at("build/linear"), at("cmake.onnx"));
}

QStringList CapiPackageTest::flags(const QString& package) const {
    return outputOf("pkg-config", {"--cflags", "--libs", package})
        .simplified()
        .split(' ', Qt::SkipEmptyParts);
}

void CapiPackageTest::theExampleIsBuiltWithPkgConfig() {
    outputOf(TEMPER_C_COMPILER, QStringList{"-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic",
                                            kExample + "/linear.c", "-o", at("linear")} +
                                    flags("temper"));
    runExample(at("linear"), at("pkg_config.onnx"));
    QCOMPARE(outputOf("pkg-config", {"--modversion", "temper"}).trimmed(),
             QStringLiteral(TEMPER_VERSION));
}

void CapiPackageTest::programsForOnnxRuntimeAreBuilt() {
    QFile program(at("version.c"));
    QVERIFY(program.open(QIODevice::WriteOnly));
    program.write(
        "#include <onnxruntime_training_c_api.h>\n#include <stdio.h>\n"
        "int main(void) {\n    const OrtApi* ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);\n"
        "    const OrtTrainingApi* training = ort->GetTrainingApi(ORT_API_VERSION);\n"
        "    puts(ort->GetBuildInfoString());\n    return training == NULL;\n}\n");
    program.close();
    outputOf(TEMPER_C_COMPILER,
             QStringList{program.fileName(), "-o", at("version")} + flags("temper-onnxruntime"));
    QVERIFY(outputOf(at("version"), {}).contains("Temper " TEMPER_VERSION));
    QVERIFY(!flags("temper").join(' ').contains("onnxruntime"));

    QFile build(at("ort/CMakeLists.txt"));
    QVERIFY(QDir().mkpath(at("ort")) && build.open(QIODevice::WriteOnly));
    build.write(
        "cmake_minimum_required(VERSION 3.25)\nproject(Version LANGUAGES C)\n"
        "find_package(Temper REQUIRED COMPONENTS c)\nadd_executable(version ../version.c)\n"
        "target_link_libraries(version PRIVATE Temper::onnxruntime)\n");
    build.close();
    outputOf(TEMPER_CMAKE,
             {"-S", at("ort"), "-B", at("ort/build"), "-G", TEMPER_GENERATOR,
              "-DCMAKE_C_COMPILER=" TEMPER_C_COMPILER, "-DCMAKE_PREFIX_PATH=" + at("prefix")});
    outputOf(TEMPER_CMAKE, {"--build", at("ort/build")});
    QVERIFY(outputOf(at("ort/build/version"), {}).contains("Temper " TEMPER_VERSION));
}

/// As on a computer without libtemper-dev.
void CapiPackageTest::theLibraryAloneRunsPrograms() {
    const QString alone = at("alone");
    outputOf(TEMPER_CMAKE,
             {"--install", TEMPER_BINARY_DIR, "--component", "libtemper1", "--prefix", alone});
    const QStringList files = QDir(alone + "/" + QDir(alone).entryList({"lib*"}).value(0))
                                  .entryList(QDir::Files | QDir::System);
    QCOMPARE(files.size(), 2);  // the library, and the link of its soname
    QVERIFY(files.contains("libtemper.so.1"));
    QVERIFY(!QFile::exists(alone + "/include"));
}

void CapiPackageTest::theDocumentationShowsTheExample() {
    const QString document = readText(QStringLiteral(TEMPER_SOURCE_DIR "/docs/c_api.md"));
    for (const auto& [file, language, firstLine] :
         {std::tuple("/linear.c", "c", "#include"),
          std::tuple("/CMakeLists.txt", "cmake", "cmake_minimum_required")}) {
        QString program = readText(kExample + file);
        program.remove(0, program.indexOf('\n') + 1);  // the licence
        QCOMPARE(listing(document, language, firstLine), program);
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CapiPackageTest)
#include "capi_package_test.moc"
