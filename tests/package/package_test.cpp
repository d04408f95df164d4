// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/projects/lesson.h"
#include "temper/training.h"

namespace temper::test {

static const QString kProgram = QStringLiteral(TEMPER_SOURCE_DIR "/tests/package/program");

static QString readText(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// The output of the program; fails the test unless it exits with 0.
static QString outputOf(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    process.waitForFinished(300000);
    const bool fine = process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
    if (!fine) {
        QTest::qFail(process.readAllStandardOutput() + process.readAllStandardError(), __FILE__,
                     __LINE__);
    }
    return QString::fromUtf8(process.readAllStandardOutput());
}

/// The text between ```<language> and ``` that begins with `firstLine`.
static QString listing(const QString& document, const QString& language, const QString& firstLine) {
    const QString opening = "```" + language + "\n";
    const qsizetype begin = document.indexOf(opening + firstLine);
    if (begin < 0) return {};
    const qsizetype text = begin + opening.size();
    return document.mid(text, document.indexOf("```", text) - text);
}

/// Accuracy of a checkpoint on the lesson's test samples.
static double evaluated(const Artifacts& artifacts, const CheckpointFile& checkpoint) {
    const auto state = std::make_shared<CheckpointState>(checkpoint);
    TrainingSession session(artifacts, state, std::make_shared<const OpSet>(standardOps()));
    const auto data = openData(TEMPER_SOURCE_DIR "/resources/lessons/digits/test.npz").training;
    const auto binding = proposeBinding(session, *data, {}).binding;
    return evaluateDataset(session, *data, binding, 64, {"accuracy"}).metrics.at("accuracy");
}

/// Installs the package into a temporary folder and builds the program there.
class PackageTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void thePackageHoldsPublicHeadersOnly();
    void thePackageNamesNoFolderOfThisMachine();
    void theProgramTemperIsInstalledToo();
    void anotherVersionIsNotFound();
    void theProgramTrainsEvaluatesSavesAndExports();
    void aPluginBuiltOutsideTheTreeTrains();
    void theDocumentationShowsThisProgram_data();
    void theDocumentationShowsThisProgram();
    void whatElseTheDocumentationShowsCompiles();

private:
    QString at(const QString& path) const { return folder_.filePath(path); }

    const QTemporaryDir folder_;
};

void PackageTest::initTestCase() {
    if (!QFileInfo(TEMPER_BINARY_DIR).isWritable()) QSKIP("this user can't write to the build");
    for (const char* component : {"libtemper-dev", "temper"}) {
        outputOf(TEMPER_CMAKE, {"--install", TEMPER_BINARY_DIR, "--component", component,
                                "--prefix", at("prefix")});
    }
}

void PackageTest::thePackageHoldsPublicHeadersOnly() {
    const QString headers = at("prefix/include/temper/");
    QVERIFY(QFile::exists(headers + "temper/training.h"));
    QVERIFY(QFile::exists(headers + "engine/training/session/training_session.h"));
    QVERIFY(QFile::exists(headers + "engine/core/tensor.h"));
    QVERIFY(!QFile::exists(headers + "engine/onnx/proto.h"));
    QVERIFY(!QFile::exists(headers + "engine/runtime/cpu/onednn.h"));
}

void PackageTest::thePackageNamesNoFolderOfThisMachine() {
    const QStringList found = QDir(at("prefix")).entryList({"lib*"}, QDir::Dirs);
    QCOMPARE(found.size(), 1);
    const QDir package(at("prefix/" + found.front() + "/cmake/Temper"));
    const QStringList files = package.entryList({"*.cmake"});
    QVERIFY(files.size() >= 4);
    for (const QString& file : files) {
        QString text = readText(package.filePath(file));
        QVERIFY2(!text.contains(TEMPER_SOURCE_DIR), qPrintable(file));
        text.remove("libtemper.so");
        QVERIFY2(!text.contains(".so"), qPrintable(file));
    }
}

void PackageTest::theProgramTemperIsInstalledToo() {
    QVERIFY(outputOf(at("prefix/bin/temper"), {"--version"}).startsWith("temper "));
}

void PackageTest::anotherVersionIsNotFound() {
    QDir().mkpath(at("other"));
    QFile file(at("other/CMakeLists.txt"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "cmake_minimum_required(VERSION 3.25)\nproject(Other LANGUAGES CXX)\n"
        "find_package(Temper 9.0 QUIET)\nmessage(STATUS \"found ${Temper_FOUND} \"\n"
        "\"considered ${Temper_CONSIDERED_VERSIONS}\")\n");
    file.close();
    const QString output =
        outputOf(TEMPER_CMAKE,
                 {"-S", at("other"), "-B", at("other/build"), "-G", TEMPER_GENERATOR,
                  "-DCMAKE_CXX_COMPILER=" TEMPER_COMPILER, "-DCMAKE_PREFIX_PATH=" + at("prefix")});
    QVERIFY2(output.contains("found 0 considered 0."), qPrintable(output));
}

void PackageTest::theProgramTrainsEvaluatesSavesAndExports() {
    const Lesson lesson = findLesson("digits");
    const Artifacts artifacts =
        generateArtifacts(*loadLessonModel(lesson), standardOps(), lesson.spec.artifacts);
    saveArtifacts(artifacts, at("artifacts").toStdString(), lesson.spec.artifacts);

    outputOf(TEMPER_CMAKE,
             {"-S", kProgram, "-B", at("build"), "-G", TEMPER_GENERATOR,
              "-DCMAKE_CXX_COMPILER=" TEMPER_COMPILER, "-DCMAKE_PREFIX_PATH=" + at("prefix")});
    outputOf(TEMPER_CMAKE, {"--build", at("build")});
    const QString lessons = QStringLiteral(TEMPER_SOURCE_DIR "/resources/lessons/digits/");
    const QString output = outputOf(at("build/train_digits"),
                                    {at("artifacts"), lessons + "train.npz", lessons + "test.npz"});

    const auto loss = QRegularExpression("evaluation: loss (\\d\\.\\d+) over 360 samples")
                          .match(output)
                          .captured(1);
    QVERIFY2(!loss.isEmpty() && loss.toDouble() < 0.3, qPrintable(output));
    const CheckpointFile checkpoint = readCheckpoint(at("artifacts/trained.ckpt").toStdString());
    QCOMPARE(std::get<int64_t>(checkpoint.properties.at("epochs")), 5);
    QCOMPARE(checkpoint.optimizerGroups.size(), size_t{1});
    QVERIFY(checkpoint.optimizerGroups.front().step > 100);
    const auto model = loadModel(at("artifacts/trained.onnx").toStdString());
    QCOMPARE(namesOf(model->outputs()), std::vector<std::string>{"logits"});
    QCOMPARE(model->inputs().size(), size_t{1});
    QVERIFY(evaluated(artifacts, checkpoint) > 0.9);
}

// As its README says: built against the installed header, loaded by the installed program.
void PackageTest::aPluginBuiltOutsideTheTreeTrains() {
    const QString source = QStringLiteral(TEMPER_SOURCE_DIR "/plugins/examples/swish");
    QDir().mkpath(at("swish"));
    for (const char* name : {"/swish.cpp", "/CMakeLists.txt"})
        QVERIFY(QFile::copy(source + name, at("swish") + name));
    outputOf(TEMPER_CMAKE,
             {"-S", at("swish"), "-B", at("swish/build"), "-G", TEMPER_GENERATOR,
              "-DCMAKE_CXX_COMPILER=" TEMPER_COMPILER, "-DCMAKE_PREFIX_PATH=" + at("prefix")});
    outputOf(TEMPER_CMAKE, {"--build", at("swish/build")});

    const auto graph = parseText(R"(<ir_version: 8, opset_import: ["" : 17, "com.example" : 1]>
        net (float[N, 4] x) => (float[N, 1] y)
        <float[4, 2] w = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, -0.8}, float[2, 1] v = {1, 1}> {
        h = MatMul(x, w)
        a = com.example.Swish(h)
        y = MatMul(a, v)
    })");
    saveModel(*graph, at("net.onnx").toStdString());
    QFile data(at("data.csv"));
    QVERIFY(data.open(QIODevice::WriteOnly));
    data.write("a,b,c,d,y\n1,0,2,1,3\n0,1,1,2,2\n2,2,0,1,4\n1,1,1,1,3\n0,0,1,0,1\n3,1,0,0,4\n");
    data.close();

    qputenv("TEMPER_PLUGIN_PATH", at("swish/build").toUtf8());
    const QString temper = at("prefix/bin/temper");
    outputOf(temper, {"artifacts", at("net.onnx"), "--out", at("swish/made"), "--loss", "mse"});
    outputOf(temper, {"train", at("swish/made"), "--data", "csv:" + at("data.csv") + "?target=y",
                      "--epochs", "2", "--batch-size", "3"});
    qunsetenv("TEMPER_PLUGIN_PATH");
    const auto model = loadModel(at("swish/made/training_model.onnx").toStdString());
    QVERIFY(std::ranges::any_of(model->nodes(), [](const Node* node) {
        return node->qualifiedOp() == "com.example.SwishGrad";
    }));
}

void PackageTest::theDocumentationShowsThisProgram_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("firstLine");
    QTest::newRow("the program") << "main.cpp"
                                 << "cpp"
                                 << "#include";
    QTest::newRow("its build") << "CMakeLists.txt"
                               << "cmake"
                               << "cmake_minimum_required";
}

void PackageTest::theDocumentationShowsThisProgram() {
    QFETCH(QString, file);
    QFETCH(QString, language);
    QFETCH(QString, firstLine);
    QString program = readText(kProgram + "/" + file);
    program.remove(0, program.indexOf('\n') + 1);  // the licence
    const QString document = readText(QStringLiteral(TEMPER_SOURCE_DIR "/docs/cpp.md"));
    QCOMPARE(listing(document, language, firstLine), program);
}

void PackageTest::whatElseTheDocumentationShowsCompiles() {
    const QString document = readText(QStringLiteral(TEMPER_SOURCE_DIR "/docs/cpp.md"));
    const QStringList snippets{listing(document, "cpp", "temper::GradientGraphBuilder"),
                               listing(document, "cpp", "temper::classic::TrainingParameters"),
                               listing(document, "cpp", "temper::Group")};
    QFile file(at("snippets.cpp"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#include <temper/training.h>\n");
    for (const QString& snippet : snippets) {
        QVERIFY(!snippet.isEmpty());
        file.write("static void f" + QByteArray::number(file.pos()) +
                   "(std::shared_ptr<const temper::OpSet> ops, temper::Tensor x, "
                   "temper::Tensor labels, temper::Tensor rate) {\n" +
                   snippet.toUtf8() + "}\n");
    }
    file.close();
    outputOf(TEMPER_COMPILER, {"-std=c++20", "-fsyntax-only", "-I", at("prefix/include/temper"),
                               at("snippets.cpp")});
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::PackageTest)
#include "package_test.moc"
