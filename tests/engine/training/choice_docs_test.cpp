// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QTest>
#include <algorithm>

#include "engine/runtime/passes/plan_pass.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/spec/training_spec.h"

using namespace temper;

namespace {

QString row(const QStringList& cells) {
    QString text = "|";
    for (QString cell : cells)
        text += (cell.isEmpty() ? "" : " ") + cell.replace('|', "\\|") + " |";
    return text + "\n";
}

QString tableOf(const QStringList& columns, const QList<QStringList>& rows) {
    QString table = row(columns) + "|" + QString("---|").repeated(columns.size()) + "\n";
    for (const QStringList& cells : rows) table += row(cells);
    return table;
}

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
    return tableOf({"`--" + what + "`", what, "what it does", "options"}, rows);
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
    return tableOf({"name", "purpose", "per element", "options"}, rows);
}

QString tableOfPasses() {
    QList<QStringList> rows;
    for (const PlanPass& pass : planPasses())
        rows << QStringList{
            code(std::string(pass.name)), pass.rewrite != nullptr ? "the graph" : "the plan",
            QString::fromStdString(std::string(pass.help)), pass.keepsBits ? "stay" : "may change"};
    return tableOf({"pass", "changes", "what it does", "the last bits"}, rows);
}

}  // namespace

/// The tables of losses, optimizers, schedules and passes in the documentation, compared with the
/// engine's. TEMPER_WRITE_CHOICE_DOCS=1 writes them.
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
    QTest::newRow("passes") << "docs/architecture.md" << tableOfPasses();
}

/// The table ends at the first empty line.
void ChoiceDocsTest::theDocumentHasEveryChoice() {
    QFETCH(QString, page);
    QFETCH(QString, table);
    QFile file(TEMPER_SOURCE_DIR "/" + page);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QString text = QString::fromUtf8(file.readAll());
    file.close();
    const qsizetype begin = text.indexOf(table.section('\n', 0, 0) + '\n');
    QVERIFY2(begin >= 0, qPrintable(page + " lacks the table with the first line of:\n" + table));
    const qsizetype size = text.indexOf("\n\n", begin) + 1 - begin;
    if (qEnvironmentVariableIsSet("TEMPER_WRITE_CHOICE_DOCS")) {
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.replace(begin, size, table).toUtf8());
        return;
    }
    if (text.mid(begin, size) != table)
        QFAIL(qPrintable("TEMPER_WRITE_CHOICE_DOCS=1 updates " + page + ", which should have:\n" +
                         table));
}

QTEST_APPLESS_MAIN(ChoiceDocsTest)
#include "choice_docs_test.moc"
