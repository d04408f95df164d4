// SPDX-License-Identifier: Apache-2.0
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "tests/installer/shell.h"

using temper::test::bashOutput;
using temper::test::hasProgram;

static const QString kTemper = QStringLiteral(TEMPER_BINARY_DIR "/bin/temper");
static const QString kStudio = QStringLiteral(TEMPER_BINARY_DIR "/bin/temper-studio");

/// The files of the two programs: what they link, how they are hardened, and that they do not use
/// the network.
class ProgramsTest : public QObject {
    Q_OBJECT

private slots:
    void programsAreHardened_data() { programs(); }
    void programsAreHardened();
    void readersOfFilesAreHardened_data() { programs(); }
    void readersOfFilesAreHardened();
    void programsNameNoFolderOfTheirBuild_data() { programs(); }
    void programsNameNoFolderOfTheirBuild();
    void programsAreSmall_data() { programs(); }
    void programsAreSmall();
    void programsImportNoNetwork_data() { programs(); }
    void programsImportNoNetwork();
    void theCommandLineLinksNeitherQtNorXNorGplCode();
    void programsRunWithoutANetwork_data() { commands(); }
    void programsRunWithoutANetwork();
    void programsOpenNoSocketsToTheNetwork_data() { commands(); }
    void programsOpenNoSocketsToTheNetwork();
    void theWindowSaysWhatItNeeds_data();
    void theWindowSaysWhatItNeeds();
    void everyOptionOfTheWindowIsCompleted_data();
    void everyOptionOfTheWindowIsCompleted();

private:
    static void programs() {
        QTest::addColumn<QString>("program");
        QTest::newRow("temper") << kTemper;
        QTest::newRow("temper-studio") << kStudio;
    }
    static void commands() {
        QTest::addColumn<QString>("command");
        QTest::newRow("temper demo iris") << kTemper + " demo iris --out demo";
        QTest::newRow("temper-studio --benchmark") << kStudio + " --benchmark";
    }
    /// In a temporary folder, which is also the home.
    static QString prepared(const QString& command) {
        return "export HOME=$(mktemp -d) QT_QPA_PLATFORM=offscreen; trap 'rm -rf $HOME' EXIT\n"
               "export XDG_RUNTIME_DIR=$HOME; cd $HOME\n" +
               command;
    }
};

void ProgramsTest::theWindowSaysWhatItNeeds_data() {
    QTest::addColumn<QString>("environment");
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("output");
    const auto row = [](const char* arguments, bool hasDisplay, int status, const char* output) {
        const char* name = hasDisplay ? "display" : "no display";
        QTest::addRow("%s, %s", name, arguments)
            << QString(hasDisplay ? "QT_QPA_PLATFORM=offscreen"
                                  : "-u QT_QPA_PLATFORM -u DISPLAY -u WAYLAND_DISPLAY")
            << QString(arguments) << status << QString(output);
    };
    row("--help", false, 0, "Usage: ");
    row("--version", false, 0, "temper-studio 0.");
    row("model.onnx", false, 1, "error: There is no display");
    row("--dance", false, 2, "error: Unknown option 'dance'");
    row("--version", true, 0, "temper-studio 0.");
    row("--dance", true, 2, "error: Unknown option 'dance'");
}

void ProgramsTest::theWindowSaysWhatItNeeds() {
    QFETCH(QString, environment);
    QFETCH(QString, arguments);
    QFETCH(int, status);
    QFETCH(QString, output);
    const QString found =
        bashOutput(prepared("env " + environment + " " + kStudio + " " + arguments +
                            " 2>&1 && echo ended 0 || echo ended $?"));
    QVERIFY2(found.startsWith(output), qPrintable(found));
    QVERIFY2(found.endsWith("ended " + QString::number(status) + "\n"), qPrintable(found));
}

void ProgramsTest::everyOptionOfTheWindowIsCompleted_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"temper-studio", "_temper-studio", "temper-studio.fish"})
        QTest::newRow(file) << QString(file);
}

void ProgramsTest::everyOptionOfTheWindowIsCompleted() {
    QFETCH(QString, file);
    const QString text = bashOutput("cat installer/completions/" + file);
    const QStringList options = bashOutput(prepared(kStudio + " --help") +
                                           " | grep -o -- '^  .*--[a-z-]*' | grep -o -- "
                                           "'--.*' | cut -c3-")
                                    .split('\n', Qt::SkipEmptyParts);
    QVERIFY2(options.size() > 5, qPrintable(options.join(' ')));
    for (const QString& option : options)
        QVERIFY2(text.contains((file.endsWith(".fish") ? "-l " : "--") + option),
                 qPrintable(option));
}

void ProgramsTest::programsAreHardened() {
    QFETCH(QString, program);
    if (!hasProgram("readelf")) QSKIP("readelf is not here");
    const QString elf = bashOutput("LC_ALL=C readelf -hldW " + program);
    QVERIFY2(elf.contains("Position-Independent Executable file"), "PIE");
    QVERIFY2(elf.contains("GNU_RELRO"), "RELRO");
    QVERIFY2(elf.contains("BIND_NOW") || elf.contains("Flags: NOW"), "-z now");
    QVERIFY2(!elf.contains(QRegularExpression("GNU_STACK .* RWE ")), "the stack is executable");
    QVERIFY2(!elf.contains("(RPATH)"), "RPATH");
}

void ProgramsTest::readersOfFilesAreHardened() {
    QFETCH(QString, program);
    if (!TEMPER_HARDENED) QSKIP("TEMPER_HARDENED is off");
    const QString symbols = bashOutput("LC_ALL=C readelf --dyn-syms -W " + program);
    QVERIFY2(symbols.contains("__stack_chk_fail"), "-fstack-protector-strong");
    QVERIFY2(symbols.contains(QRegularExpression("__[a-z]+_chk@")), "_FORTIFY_SOURCE");
}

void ProgramsTest::programsNameNoFolderOfTheirBuild() {
    QFETCH(QString, program);
    if (!TEMPER_HARDENED) QSKIP("TEMPER_HARDENED is off");
    const QString found =
        bashOutput("grep -c -F -a '" TEMPER_SOURCE_DIR "' " + program + " || true");
    QCOMPARE(found.trimmed(), QString("0"));
}

void ProgramsTest::programsAreSmall() {
    QFETCH(QString, program);
    if (!hasProgram("strip")) QSKIP("strip is not here");
    const QTemporaryDir folder;
    const QString stripped = folder.filePath("program");
    bashOutput("strip -o " + stripped + " " + program);
    QVERIFY2(QFileInfo(stripped).size() < 20'000'000, qPrintable(bashOutput("ls -l " + stripped)));
}

void ProgramsTest::programsImportNoNetwork() {
    QFETCH(QString, program);
    if (!hasProgram("readelf")) QSKIP("readelf is not here");
    const QString elf = bashOutput("LC_ALL=C readelf -dW --dyn-syms " + program);
    const QRegularExpression network(
        R"(\b(socket|connect|bind|listen|accept4?|send(to|msg)?|recv(from|msg)?|getaddrinfo|)"
        R"(gethostbyname)@|libQt6Network|libcurl|libssl)");
    QVERIFY(elf.contains("NEEDED"));
    QVERIFY2(!elf.contains(network), qPrintable(network.match(elf).captured()));
}

void ProgramsTest::theCommandLineLinksNeitherQtNorXNorGplCode() {
    const QString libraries = bashOutput("LC_ALL=C ldd " + kTemper);
    QVERIFY2(libraries.contains("libc.so"), "ldd listed nothing");
    for (const char* name : {"libQt", "libX", "libxcb", "libwayland", "libGL", "libQCustomPlot",
                             "libpython", "libreadline"}) {
        QVERIFY2(!libraries.contains(name), name);
    }
}

void ProgramsTest::programsRunWithoutANetwork() {
    QFETCH(QString, command);
    const QString namespaces = "unshare --map-root-user --net --user";
    if (bashOutput(namespaces + " true 2>/dev/null && echo yes || true").isEmpty()) {
        QSKIP("unshare may make no network namespace here");
    }
    const QString output = bashOutput(prepared(namespaces + " " + command));
    QVERIFY2(output.contains("cold start") || output.contains("report.html"), qPrintable(output));
}

void ProgramsTest::programsOpenNoSocketsToTheNetwork() {
    QFETCH(QString, command);
    if (bashOutput("strace -o /dev/null true && echo yes || true").isEmpty()) {
        QSKIP("strace is not here, or may not trace");
    }
    const QString calls = bashOutput(prepared("strace -f -o calls -e trace=%network,exit_group " +
                                              command + " >/dev/null; cat calls"));
    QVERIFY2(calls.contains("exit_group"), qPrintable(calls));
    QVERIFY2(!calls.contains("AF_INET"), qPrintable(calls));
}

QTEST_GUILESS_MAIN(ProgramsTest)
#include "programs_test.moc"
