// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>

#include "tests/app/temper_program.h"

namespace temper::test {

/// The completion scripts, run by their shells if these are installed.
class CliCompletionTest : public QObject {
    Q_OBJECT

private slots:
    void bashOffersWhatFits_data();
    void bashOffersWhatFits();
    void otherShellsReadTheirScripts_data();
    void otherShellsReadTheirScripts();
    void fishOffersWhatFits();
    void otherShellsAreRefused();
};

void CliCompletionTest::bashOffersWhatFits_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("offered");
    QTest::newRow("commands") << "temper ch"
                              << "checkpoint";
    QTest::newRow("commands of commands") << "temper checkpoint s"
                                          << "show set-property";
    QTest::newRow("options") << "temper train --sch"
                             << "--schedule";
    QTest::newRow("options of commands of commands") << "temper checkpoint diff --j"
                                                     << "--json";
    QTest::newRow("schedules") << "temper train --schedule co"
                               << "constant cosine cosine-restarts";
    QTest::newRow("after an equals sign") << "temper train --schedule = pl"
                                          << "plateau";
    QTest::newRow("losses") << "temper artifacts m.onnx --loss bce"
                            << "bce-with-logits";
    QTest::newRow("optimizers") << "temper artifacts --optimizer la"
                                << "lamb";
    QTest::newRow("a check's words") << "temper checkpoint set-property --type f"
                                     << "float";
    QTest::newRow("a setting's names") << "temper train --precision bf"
                                       << "bf16";
    QTest::newRow("passes") << "temper train d --data x --without-pass early-m"
                            << "early-masks";
    QTest::newRow("metrics") << "temper train d --metrics acc"
                             << "accuracy";
    QTest::newRow("lessons") << "temper demo ir"
                             << "iris";
    QTest::newRow("after a flag") << "temper demo --list ir"
                                  << "iris";
    QTest::newRow("files") << "temper train --data x"
                           << "-o default";
    QTest::newRow("folders") << "temper artifacts --out x"
                             << "-o dirnames";
    QTest::newRow("models") << "temper inspect m"
                            << "-o default";
    QTest::newRow("numbers") << "temper train --epochs 1"
                             << "";
}

void CliCompletionTest::bashOffersWhatFits() {
    QFETCH(QString, line);
    QFETCH(QString, offered);
    const ProgramResult result = runShell(
        "bash -euc 'source <($TEMPER completion bash); compopt() { COMPREPLY=(\"$@\"); }\n"
        "COMP_WORDS=(" +
        line +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()\n"
        "_temper || true; echo \"${COMPREPLY[*]}\"'");
    QCOMPARE(result.exitStatus, 0);
    QCOMPARE(QString::fromUtf8(result.out).trimmed(), offered);
}

void CliCompletionTest::otherShellsReadTheirScripts_data() {
    QTest::addColumn<QString>("shell");
    for (const char* shell : {"bash", "zsh", "fish"}) QTest::newRow(shell) << QString(shell);
}

void CliCompletionTest::otherShellsReadTheirScripts() {
    QFETCH(QString, shell);
    const QTemporaryDir folder;
    const ProgramResult script = runTemper({"completion", shell});
    QCOMPARE(script.exitStatus, 0);
    QVERIFY(script.out.contains("cosine-restarts") && script.out.contains("set-property"));
    const ProgramResult result = runShell(QString("command -v %1 || exit 99\n"
                                                  "$TEMPER completion %1 >script && %1 -n script")
                                              .arg(shell),
                                          folder.path());
    if (result.exitStatus == 99) QSKIP(qPrintable(shell + " is not here"));
    QVERIFY2(result.exitStatus == 0, result.all());
}

void CliCompletionTest::fishOffersWhatFits() {
    const QTemporaryDir folder;
    const ProgramResult result = runShell(
        "command -v fish >/dev/null || exit 99\n"
        "$TEMPER completion fish >script && HOME=$PWD fish -N -c 'source script\n"
        "complete -C \"temper checkpoint sh\"; complete -C \"temper train --schedule pl\"'",
        folder.path());
    if (result.exitStatus == 99) QSKIP("fish is not here");
    QVERIFY2(result.out.startsWith("show\t"), result.all());
    QVERIFY2(result.out.contains("\nplateau\t"), result.all());
}

void CliCompletionTest::otherShellsAreRefused() {
    const ProgramResult result = runTemper({"completion", "tcsh"});
    QCOMPARE(result.exitStatus, 2);
    QVERIFY2(isFriendlyError(result), result.all());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliCompletionTest)
#include "cli_completion_test.moc"
