// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>

#include "engine/runtime/passes/plan_pass.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/spec/run_settings.h"
#include "engine/training/spec/training_spec.h"
#include "tests/support/documented_table.h"

using namespace temper;
using namespace temper::test;

namespace {

QString code(const std::string& text) { return '`' + QString::fromStdString(text) + '`'; }
QString identifier(const std::string& key) { return code(key).replace('-', '_'); }
QString flag(const std::string& key) { return code("--" + key).replace('_', '-'); }

bool hasOption(const Choice& choice, const std::string& key) {
    return std::ranges::find(choice.hyperParameters, key, &HyperParameter::key) !=
           choice.hyperParameters.end();
}

/// Without what all choices with options have.
QString flagsOf(const Choice& choice, const std::vector<Choice>& choices) {
    QStringList flags;
    for (const HyperParameter& option : choice.hyperParameters) {
        const bool isCommon = std::ranges::all_of(choices, [&](const Choice& each) {
            return each.hyperParameters.empty() || hasOption(each, option.key);
        });
        if (!isCommon) flags << flag(option.key);
    }
    return flags.join(", ");
}

QString tableOf(const QString& what, const std::vector<Choice>& choices,
                const Selection& standard) {
    QList<QStringList> rows;
    for (const Choice& choice : choices)
        rows << QStringList{code(choice.key) + (choice.key == standard.key ? " (default)" : ""),
                            QString::fromStdString(choice.label),
                            QString::fromStdString(choice.help), flagsOf(choice, choices)};
    return documentedTable({"`--" + what + "`", what, "what it does", "options"}, rows);
}

/// As formulas name them.
QString tableOfLosses() {
    QList<QStringList> rows;
    for (const LossFunction& loss : lossFunctions()) {
        QStringList options;
        for (const HyperParameter& option : loss.choice.hyperParameters)
            options << identifier(option.key);
        rows << QStringList{identifier(loss.choice.key), QString::fromStdString(loss.choice.help),
                            QString::fromStdString(loss.choice.formula), options.join(", ")};
    }
    return documentedTable({"name", "purpose", "per element", "options"}, rows);
}

/// A command, a project's file and Python call them differently.
QString tableOfSettings() {
    QList<QStringList> rows;
    for (const Setting<RunSpec>& setting : runSettings()) {
        const std::string standard = settingText(setting, RunSpec{});
        const bool isWord = standard == "0" && !setting.zero.empty();
        rows << QStringList{setting.flag.empty() ? "" : code(setting.flag), code(setting.key),
                            QString::fromStdString(isWord ? setting.zero : standard),
                            QString::fromStdString(setting.help)};
    }
    return documentedTable({"option", "key", "default", "what it does"}, rows);
}

QString tableOfPasses() {
    QList<QStringList> rows;
    for (const PlanPass& pass : planPasses())
        rows << QStringList{
            code(std::string(pass.name)), pass.rewrite != nullptr ? "the graph" : "the plan",
            QString::fromStdString(std::string(pass.help)), pass.keepsBits ? "stay" : "may change"};
    return documentedTable({"pass", "changes", "what it does", "the last bits"}, rows);
}

}  // namespace

/// The tables of losses, optimizers, schedules, settings and passes in the documentation, compared
/// with the engine's.
class ChoiceDocsTest : public QObject {
    Q_OBJECT

private slots:
    void theDocumentHasEveryChoice_data();
    void theDocumentHasEveryChoice();
};

void ChoiceDocsTest::theDocumentHasEveryChoice_data() {
    QTest::addColumn<QString>("page");
    QTest::addColumn<QString>("table");
    const TrainingSpec standard;
    QTest::newRow("losses") << "docs/losses.md" << tableOfLosses();
    QTest::newRow("optimizers") << "docs/training.md"
                                << tableOf("optimizer", optimizerChoices(),
                                           standard.artifacts.optimizer);
    QTest::newRow("schedules") << "docs/training.md"
                               << tableOf("schedule", scheduleChoices(), standard.run.schedule);
    QTest::newRow("settings") << "docs/training.md" << tableOfSettings();
    QTest::newRow("passes") << "docs/architecture.md" << tableOfPasses();
}

void ChoiceDocsTest::theDocumentHasEveryChoice() {
    QFETCH(QString, page);
    QFETCH(QString, table);
    compareWithPage(table, page);
}

QTEST_APPLESS_MAIN(ChoiceDocsTest)
#include "choice_docs_test.moc"
