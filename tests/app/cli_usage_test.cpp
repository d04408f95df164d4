// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>
#include <QTest>

#include "tests/app/temper_program.h"

namespace temper::test {

class CliUsageTest : public QObject {
    Q_OBJECT

private slots:
    void exitStatusReportsWhatHappened_data();
    void exitStatusReportsWhatHappened();
    void everyCommandHasHelp_data();
    void everyCommandHasHelp();
    void usageErrorsSayWhereHelpIs();
    void whatIsUnknownIsNamed_data();
    void whatIsUnknownIsNamed();
    void versionNamesTheLibraries();
    void resultsThatCannotBeWrittenAreAFailure();
};

void CliUsageTest::exitStatusReportsWhatHappened_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("status");
    QTest::newRow("help") << QStringList{"--help"} << 0;
    QTest::newRow("version") << QStringList{"--version"} << 0;
    QTest::newRow("lessons") << QStringList{"demo", "--list"} << 0;
    QTest::newRow("nothing") << QStringList{} << 2;
    QTest::newRow("unknown command") << QStringList{"dance"} << 2;
    QTest::newRow("unknown option") << QStringList{"inspect", "--dance", "x"} << 2;
    QTest::newRow("missing argument") << QStringList{"inspect"} << 2;
    QTest::newRow("missing option") << QStringList{"run", "model.onnx"} << 2;
    QTest::newRow("a word for a number")
        << QStringList{"step", "d", "--feeds", "f", "--steps", "x"} << 2;
    QTest::newRow("a negative number")
        << QStringList{"step", "d", "--feeds", "f", "--steps", "-1"} << 2;
    QTest::newRow("a negative seed")
        << QStringList{"step", "d", "--feeds", "f", "--seed", "-1"} << 2;
    QTest::newRow("a seed of 65 bits")
        << QStringList{"step", "d", "--feeds", "f", "--seed", "18446744073709551616"} << 2;
    QTest::newRow("a word for a rate") << QStringList{"jobs", "rate", "1", "fast"} << 2;
    QTest::newRow("a negative rate") << QStringList{"jobs", "rate", "1", "-1"} << 2;
    QTest::newRow("a word for a job") << QStringList{"jobs", "pause", "first"} << 2;
    QTest::newRow("a report in another form")
        << QStringList{"report", "no such log", "--out", "report.pdf"} << 2;
    QTest::newRow("both epochs and steps")
        << QStringList{"train", "d", "--data", "x", "--epochs", "1", "--steps", "1"} << 2;
    QTest::newRow("checkpoint without a verb") << QStringList{"checkpoint"} << 2;
    QTest::newRow("missing file") << QStringList{"inspect", "no such file"} << 2;
    QTest::newRow("missing lesson") << QStringList{"demo", "no such lesson"} << 2;
    QTest::newRow("unknown device")
        << QStringList{"step", ".", "--feeds", "f", "--device", "abacus"} << 2;
}

void CliUsageTest::exitStatusReportsWhatHappened() {
    QFETCH(QStringList, arguments);
    QFETCH(int, status);
    const ProgramResult result = runTemper(arguments);
    QVERIFY2(result.exitStatus == status, result.all());
    QVERIFY2(isFriendlyError(result) == (status != 0), result.all());
}

void CliUsageTest::everyCommandHasHelp_data() {
    QTest::addColumn<QString>("command");
    const ProgramResult help = runTemper({"--help"});
    const qsizetype list = help.out.indexOf("\nSubcommands:\n");
    QVERIFY2(list > 0, help.all());
    static const QRegularExpression kCommand("^  ([a-z]+)", QRegularExpression::MultilineOption);
    for (auto found = kCommand.globalMatch(help.out.mid(list)); found.hasNext();) {
        const QString command = found.next().captured(1);
        QTest::newRow(qPrintable(command)) << command;
    }
    QTest::newRow("completion") << "completion";  // not listed
}

void CliUsageTest::everyCommandHasHelp() {
    QFETCH(QString, command);
    const ProgramResult result = runTemper({command, "--help"});
    QCOMPARE(result.exitStatus, 0);
    QVERIFY2(result.out.contains("Usage: temper " + command.toUtf8()), result.all());
    QVERIFY(result.err.isEmpty());
}

void CliUsageTest::usageErrorsSayWhereHelpIs() {
    const ProgramResult result = runTemper({"step"});
    QVERIFY2(result.err.startsWith("error: "), result.all());
    QVERIFY2(result.err.contains("\n  hint: "), result.all());
    QVERIFY(result.out.isEmpty());
}

void CliUsageTest::whatIsUnknownIsNamed_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* line, const char* message, const char* hint) {
        QTest::newRow(line) << line << message << hint;
    };
    const char* all = "See 'temper --help' or 'temper COMMAND --help'.";
    const char* train = "See 'temper train --help'.";
    row("dance", "Unknown command 'dance'.", all);
    row("trian a --data b", "Unknown command 'trian'.", "Did you mean 'train'? ");
    row("--dance", "Unknown option '--dance'.", all);
    row("checkpoint shwo", "Unknown command 'shwo'.", "Did you mean 'show'? ");
    row("train a --data b c d", "Unknown argument 'c'.", train);
    row("train a --data b --dance 3", "Unknown option '--dance'.", train);
    row("train a --data b --epochss 3 --dance", "Unknown option '--epochss'.",
        "Did you mean '--epochs'? See 'temper train --help'.");
    row("train --epoch=3", "Unknown option '--epoch'.", "Did you mean '--epochs'? ");
    row("train a --data b --learning-rate 0.1", "Unknown option '--learning-rate'.",
        "Did you mean '--lr'? ");
    row("train a --data b --optimizer sgd", "Unknown option '--optimizer'.",
        "--optimizer is an option of 'temper artifacts'");
    row("export a --ckpt b --out c", "Unknown option '--ckpt'.", "Did you mean '--checkpoint'? ");
    row("jobs pause first", "JOB: 'first' is not a valid number",
        "See 'temper jobs pause --help'.");
    row("run a", "--feeds is required", "See 'temper run --help'.");
}

void CliUsageTest::whatIsUnknownIsNamed() {
    QFETCH(const QString, line);
    QFETCH(const QString, message);
    QFETCH(const QString, hint);
    const ProgramResult result = runTemper(line.split(' '));
    QCOMPARE(result.exitStatus, 2);
    QVERIFY2(result.err.startsWith("error: " + message.toUtf8()), result.all());
    QVERIFY2(result.err.contains("\n  hint: " + hint.toUtf8()), result.all());
}

void CliUsageTest::versionNamesTheLibraries() {
    const ProgramResult result = runTemper({"--version"});
    QVERIFY2(result.out.startsWith("temper 0."), result.all());
    for (const char* name : {"oneDNN", "ONNX", "Qt", "device cpu"}) {
        QVERIFY2(result.out.contains(name), result.all());
    }
}

void CliUsageTest::resultsThatCannotBeWrittenAreAFailure() {
    const ProgramResult result =
        runShell("test -e /dev/full || exit 99; $TEMPER demo --list >/dev/full");
    if (result.exitStatus == 99) QSKIP("/dev/full is absent");
    QCOMPARE(result.exitStatus, 1);
    QVERIFY2(isFriendlyError(result), result.all());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliUsageTest)
#include "cli_usage_test.moc"
