// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/architecture/layer_rules.h"
#include "tests/architecture/source_tree.h"

using temper::test::Include;
using temper::test::SourceFile;
using temper::test::sourceFilesBelow;

static const std::vector<std::string> kProductFolders = {
    "engine", "temper", "app", "ui", "plugins", "python/src", "capi", "resources"};

/// Files over the limit of 500 lines, and why that is better than splitting them.
static const std::map<std::string, std::string> kLongFiles = {
    {"capi/include/onnxruntime/onnxruntime_c_api.h", "one struct, in ONNX Runtime's order"}};

static std::vector<SourceFile> filesBelow(const std::vector<std::string>& folders) {
    std::vector<SourceFile> files;
    for (const std::string& folder : folders) {
        for (SourceFile& file : sourceFilesBelow(TEMPER_SOURCE_DIR, folder)) {
            files.push_back(std::move(file));
        }
    }
    return files;
}

static QString contentOf(const std::string& path) {
    QFile file(QStringLiteral(TEMPER_SOURCE_DIR "/") + QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

static QByteArray text(const std::vector<std::string>& lines) {
    std::string joined;
    for (const std::string& line : lines) joined += "\n    " + line;
    return QByteArray::fromStdString(joined);
}

static std::string expectedLicence(const std::string& path) {
    const auto kWindow = {"ui/", "app/studio/", "plugins/media/", "tests/ui/", "tests/plugins/"};
    const bool isWindow =
        std::ranges::any_of(kWindow, [&](const char* folder) { return path.starts_with(folder); });
    return isWindow ? "GPL-3.0-or-later" : "Apache-2.0";
}

class ArchitectureTest : public QObject {
    Q_OBJECT

private slots:
    void includesKeepToTheTableOfLayersAndHomes();
    void theRulesTellGoodIncludesFromBad_data();
    void theRulesTellGoodIncludesFromBad();
    void includesAreFoundInSourceText();
    void sourceFilesBeginWithTheirLicence();
    void scriptsNameTheirLicence();
    void sourceFilesHaveAtMost500Lines();
    void noClassOfTheWindowIsDefinedInTwoFiles();
    void classesAreFoundInSourceText();
    void kernelsAreAskedForTheirCapabilities();
    void eachPassHasAFileOfItsName();
    void theCommandLineProgramLinksNoQt();
};

void ArchitectureTest::includesKeepToTheTableOfLayersAndHomes() {
    std::vector<std::string> problems;
    size_t includes = 0;
    for (const SourceFile& file : filesBelow(kProductFolders)) {
        for (const Include& include : file.includes) {
            ++includes;
            for (const std::string& why : temper::test::violations(file.path, include)) {
                problems.push_back(file.path + ":" + std::to_string(include.line) + ": " + why);
            }
        }
    }
    QVERIFY2(includes > 100, "the sources were not found");
    QVERIFY2(problems.empty(), text(problems).constData());
}

void ArchitectureTest::theRulesTellGoodIncludesFromBad_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("target");
    QTest::addColumn<bool>("allowed");

    const auto row = [](const char* name, const char* path, const char* target, bool allowed) {
        QTest::newRow(name) << path << target << allowed;
    };
    row("ir uses core", "engine/ir/graph.h", "\"engine/core/error.h\"", true);
    row("core uses ir", "engine/core/error.h", "\"engine/ir/graph.h\"", false);
    row("runtime uses onnx", "engine/runtime/plan.cpp", "\"engine/onnx/model_file.h\"", false);
    row("training uses onnx", "engine/training/artifacts/artifacts.cpp",
        "\"engine/onnx/model_file.h\"", true);
    row("the trainer uses the session", "engine/training/trainer/trainer.cpp",
        "\"engine/training/session/training_session.h\"", true);
    row("the session uses the trainer", "engine/training/session/module.cpp",
        "\"engine/training/trainer/trainer.h\"", false);
    row("losses use the data", "engine/training/loss/loss_plan.cpp", "\"engine/data/dataset.h\"",
        false);
    row("a file of training is in no layer", "engine/training/session/module.cpp",
        "\"engine/training/module.h\"", false);
    row("a file in no layer uses core", "engine/other/thing.cpp", "\"engine/core/error.h\"", false);
    row("training uses ui", "engine/training/trainer/trainer.cpp", "\"ui/theme/theme.h\"", false);
    row("a rule uses autodiff", "engine/ops/conv/conv_gradient.cpp", "\"engine/autodiff/var.h\"",
        true);
    row("a rule uses runtime", "engine/ops/conv/conv_gradient.cpp", "\"engine/runtime/kernel.h\"",
        false);
    row("a kernel uses runtime", "engine/ops/conv/conv_cpu.cpp", "\"engine/runtime/kernel.h\"",
        true);
    row("a kernel uses autodiff", "engine/ops/conv/conv_cpu.cpp", "\"engine/autodiff/var.h\"",
        false);
    row("type rules use runtime", "engine/ops/conv/conv_types.cpp", "\"engine/runtime/kernel.h\"",
        false);
    row("the window uses the engine", "ui/run/run_model.h", "\"engine/runs/run_event.h\"", true);
    row("a page uses the document", "ui/panels/data/data_panel.h",
        "\"ui/document/studio_project.h\"", true);
    row("the document uses a page", "ui/document/studio_project.cpp",
        "\"ui/panels/data/data_panel.h\"", false);
    row("a control uses the document", "ui/widgets/banner.h", "\"ui/document/studio_project.h\"",
        false);
    row("the window uses a page", "ui/main_window.cpp", "\"ui/panels/data/data_panel.h\"", true);
    row("the command line uses the window", "app/cli/main.cpp", "\"ui/theme/theme.h\"", false);
    row("an include that is not from the root", "engine/ir/graph.cpp", "\"graph.h\"", false);
    row("a plugin uses its header", "plugins/examples/swish/swish.cpp", "<temper/plugin.h>", true);
    row("a plugin uses the engine", "plugins/examples/swish/swish.cpp", "\"engine/core/error.h\"",
        false);
    row("Qt in the engine", "engine/training/trainer/trainer.cpp", "<QString>", false);
    row("Qt by module in the engine", "engine/training/trainer/trainer.cpp", "<QtCore/QString>",
        false);
    row("Qt in the command line", "app/cli/main.cpp", "<QCoreApplication>", false);
    row("Qt in the window", "ui/main_window.h", "<QMainWindow>", true);
    row("protobuf in onnx", "engine/onnx/model_file.cpp", "<onnx/onnx_pb.h>", true);
    row("protobuf in ir", "engine/ir/graph.cpp", "<onnx/onnx_pb.h>", false);
    row("flatbuffers in training", "engine/training/artifacts/artifacts.cpp",
        "<flatbuffers/flatbuffers.h>", false);
    row("oneDNN in a kernel", "engine/ops/conv/conv_cpu.cpp", "<oneapi/dnnl/dnnl.hpp>", true);
    row("oneDNN in a gradient", "engine/ops/conv/conv_gradient.cpp", "<oneapi/dnnl/dnnl.hpp>",
        false);
    row("QCustomPlot outside ui/plots", "ui/panels/train/panel.cpp", "<qcustomplot.h>", false);
    row("Qt Multimedia in its module", "plugins/media/camera_source.cpp", "<QCamera>", true);
    row("Qt Multimedia in the window", "ui/capture/capture_module.cpp", "<QCamera>", false);
    row("the module uses the interface", "plugins/media/camera_source.h",
        "\"ui/capture/capture_devices.h\"", true);
    row("the module uses pages", "plugins/media/camera_source.h", "\"ui/panels/panel.h\"", false);
    row("the window uses the module", "ui/capture/capture_module.cpp",
        "\"plugins/media/camera_source.h\"", false);
    row("the Python module uses the engine", "python/src/model.cpp", "\"engine/ir/graph.h\"", true);
    row("the C interface uses the engine", "capi/src/model.cpp", "\"engine/ir/graph.h\"", true);
    row("the C interface uses the Python module", "capi/src/model.cpp", "\"python/src/model.h\"",
        false);
    row("nanobind in the engine", "engine/core/error.cpp", "<nanobind/nanobind.h>", false);
    row("CLI11 in the engine", "engine/core/error.cpp", "<CLI/CLI.hpp>", false);
    row("the standard library", "engine/core/error.cpp", "<queue>", true);
}

void ArchitectureTest::theRulesTellGoodIncludesFromBad() {
    QFETCH(QString, path);
    QFETCH(QString, target);
    QFETCH(bool, allowed);
    const auto includes = temper::test::parseIncludes("#include " + target.toStdString());
    QCOMPARE(includes.size(), size_t{1});
    const auto found = temper::test::violations(path.toStdString(), includes[0]);
    QVERIFY2(found.empty() == allowed, text(found).constData());
}

void ArchitectureTest::includesAreFoundInSourceText() {
    const auto includes = temper::test::parseIncludes(
        "// #include <no>\n#include <vector>\n  #  include \"engine/ir/graph.h\"  // why\n");
    QCOMPARE(includes.size(), size_t{2});
    QCOMPARE(includes[0].target, std::string("vector"));
    QVERIFY(!includes[0].quoted);
    QCOMPARE(includes[1].target, std::string("engine/ir/graph.h"));
    QVERIFY(includes[1].quoted);
    QCOMPARE(includes[1].line, size_t{3});
}

void ArchitectureTest::sourceFilesBeginWithTheirLicence() {
    std::vector<std::string> problems;
    for (const SourceFile& file : filesBelow({"engine", "temper", "app", "ui", "plugins",
                                              "python/src", "capi", "resources", "tests"})) {
        const std::string expected = "// SPDX-License-Identifier: " + expectedLicence(file.path);
        if (file.firstLine != expected) problems.push_back(file.path + ": expected " + expected);
    }
    QVERIFY2(problems.empty(), text(problems).constData());
}

/// Build files, scripts and sources of other languages, whose comments begin differently.
static QStringList scriptsOfTheProject() {
    const QDir root(QStringLiteral(TEMPER_SOURCE_DIR));
    const QStringList kinds{"CMakeLists.txt", "*.cmake", "*.sh", "*.py", "*.c"};
    QStringList paths{"CMakeLists.txt", "test", "run", ".ci/run", "python/CMakeLists.txt"};
    for (const char* folder :
         {"app", "capi", "cmake", "engine", "installer", "plugins", "python/src", "python/temper",
          "python/tests", "resources", "tests", "tools", "ui"}) {
        QDirIterator files(root.filePath(folder), kinds, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) paths << root.relativeFilePath(files.next());
    }
    return paths;
}

void ArchitectureTest::scriptsNameTheirLicence() {
    const QStringList paths = scriptsOfTheProject();
    QVERIFY(paths.size() > 60);
    for (const QString& path : paths) {
        QFile file(QStringLiteral(TEMPER_SOURCE_DIR) + "/" + path);
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
        const QByteArray head = file.readLine() + file.readLine();
        const auto licence =
            QByteArray("SPDX-License-Identifier: ") + expectedLicence(path.toStdString()).c_str();
        QVERIFY2(head.contains(licence), qPrintable(path + ": expected " + licence));
    }
}

void ArchitectureTest::sourceFilesHaveAtMost500Lines() {
    std::vector<std::string> problems;
    for (const SourceFile& file : filesBelow(kProductFolders)) {
        if (file.lines > 500 && !kLongFiles.contains(file.path)) {
            problems.push_back(file.path + ": " + std::to_string(file.lines) + " lines");
        }
    }
    for (const QString& path : scriptsOfTheProject()) {
        const qsizetype lines = contentOf(path.toStdString()).count('\n');
        if (path.startsWith("python/") && lines > 500)
            problems.push_back((path + ": " + QString::number(lines) + " lines").toStdString());
    }
    QVERIFY2(problems.empty(), text(problems).constData());
}

/// A class that is too long for one file has too many responsibilities.
void ArchitectureTest::noClassOfTheWindowIsDefinedInTwoFiles() {
    std::map<std::string, std::vector<std::string>> homes;
    for (const SourceFile& file : filesBelow({"ui"})) {
        if (!file.path.ends_with(".cpp")) continue;
        const std::string content = contentOf(file.path).toStdString();
        for (const std::string& name : temper::test::classesDefinedIn(content)) {
            homes[name].push_back(file.path);
        }
    }
    std::vector<std::string> problems;
    for (const auto& [name, files] : homes) {
        if (files.size() < 2) continue;
        std::string problem = name + " is defined in";
        for (const std::string& file : files) problem += " " + file;
        problems.push_back(problem);
    }
    QVERIFY2(homes.size() > 100, "the sources were not found");
    QVERIFY2(problems.empty(), text(problems).constData());
}

void ArchitectureTest::classesAreFoundInSourceText() {
    const auto classes = temper::test::classesDefinedIn(
        "Panel::Panel(QWidget* parent) : QWidget(parent) {\n    Other::call(1);\n}\n"
        "std::vector<Row::Kind> Table::kinds(std::size_t count) const {\n"
        "bool Table::Row::operator==(const Row& other) const {\n"
        "const int Limit::kMax = Numbers::most(1);\n"
        "static void make(int first = Defaults::first());\n");
    QCOMPARE(classes, (std::set<std::string>{"Panel", "Table", "Table::Row"}));
}

/// Only Kernel::capabilities() says what a kernel can do.
void ArchitectureTest::kernelsAreAskedForTheirCapabilities() {
    std::vector<std::string> problems;
    const std::vector<SourceFile> files = filesBelow({"engine/runtime", "engine/ops"});
    for (const SourceFile& file : files) {
        if (contentOf(file.path).contains("dynamic_cast")) problems.push_back(file.path);
    }
    QVERIFY2(files.size() > 100, "the sources were not found");
    QVERIFY2(problems.empty(), text(problems).constData());
    static const QRegularExpression function("\\bvirtual [^~;]*?(\\w+)\\(");
    QStringList functions;
    for (auto found = function.globalMatch(contentOf("engine/runtime/kernel.h")); found.hasNext();)
        functions << found.next().captured(1);
    QCOMPARE(functions, (QStringList{"run", "capabilities"}));
}

/// "fuse-formulas" is in fuse_formulas.cpp.
void ArchitectureTest::eachPassHasAFileOfItsName() {
    const QString table = contentOf("engine/runtime/passes/plan_pass.cpp");
    static const QRegularExpression row("\\{\\.name = \"([a-z-]+)\",");
    std::vector<std::string> problems;
    int passes = 0;
    for (auto found = row.globalMatch(table); found.hasNext(); ++passes) {
        const QString name = found.next().captured(1).replace('-', '_');
        const std::string path = "engine/runtime/passes/" + name.toStdString() + ".cpp";
        if (contentOf(path).isEmpty()) problems.push_back(path + " is not there");
    }
    QVERIFY2(passes > 10, "the table of passes was not found");
    QVERIFY2(problems.empty(), text(problems).constData());
}

void ArchitectureTest::theCommandLineProgramLinksNoQt() {
    const QString program = QStringLiteral(TEMPER_BINARY_DIR "/bin/temper");
    if (!QFile::exists(program)) QSKIP("the program temper is not built");
    QProcess ldd;
    ldd.start(QStringLiteral("ldd"), {program});
    QVERIFY(ldd.waitForFinished());
    const QByteArray libraries = ldd.readAllStandardOutput();
    QVERIFY2(libraries.contains("libc.so"), "ldd listed nothing");
    QVERIFY2(!libraries.contains("libQt"), libraries.constData());
}

QTEST_APPLESS_MAIN(ArchitectureTest)
#include "architecture_test.moc"
