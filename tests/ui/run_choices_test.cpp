// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_choices.h"

#include <QRegularExpression>
#include <QTest>

#include "engine/training/projects/project_file.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/translation/languages.h"

using namespace temper;
using namespace temper::ui;

namespace {

/// Keys, specifications and JSON.
const QRegularExpression kForPrograms(R"(\w+_\w+|lesson:|[{}\[\]])");

TrainingSpec specOf(const char* optimizer, const char* schedule) {
    TrainingSpec spec;
    spec.model = "lesson:iris/model.onnx";
    spec.run.data = "lesson:iris/train.csv?split=0.8";
    spec.artifacts.optimizer.key = optimizer;
    spec.run.schedule.key = schedule;
    return spec;
}

StoredRun runOf(int64_t id, const TrainingSpec& spec) {
    StoredRun run;
    run.id = id;
    run.name = "Run " + std::to_string(id);
    run.spec = toJson(ProjectFile{spec, {}}, "/p");
    run.metrics = {{"loss", 1, 9, 1, 5, 1, 1, 9, {1.F, 1.F}}};
    return run;
}

/// Runs that differ in everything that has a key.
std::vector<StoredRun> unlikeRuns() {
    TrainingSpec first = specOf("adamw", "step"), second = specOf("sgd", "plateau");
    first.artifacts.loss = {"focal", {{"gamma", 3}}};
    first.artifacts.optimizer.values = {{"weight_decay", 0.1}, {"clip_norm", 5}};
    first.run.schedule.values = {{"gamma", 0.5}, {"step_size", 20}};
    first.artifacts.parameterGroups = {{"fc1*", 0.1, 0.0, 100}, {"fc2*", 10}};
    first.artifacts.decayBiasesAndNorms = false;
    first.run.metrics = {"accuracy", "top_5"};
    first.run.clipNorm = 2;
    first.run.steps = 500;
    second.model = "nets/other.onnx";
    second.run.schedule.values = {{"factor", 0.3}};
    second.run.bestMetric = "accuracy";
    second.freeBatch = true;
    second.hiddenUnits = std::vector<int64_t>{16, 8};
    return {runOf(1, first), runOf(2, second)};
}

}  // namespace

/// What a run was started with, as the table of runs says it.
class RunChoicesTest : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { installLanguage(*qApp, QString()); }

    void choicesAreSaidInWords_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<bool>("differencesOnly");
        for (const char* language : {"en", "de"})
            for (const bool differences : {true, false})
                QTest::addRow("%s%s", language, differences ? ", differences" : "")
                    << language << differences;
    }
    void choicesAreSaidInWords() {
        QFETCH(QString, language);
        QFETCH(bool, differencesOnly);
        installLanguage(*qApp, language);
        RunTableModel model;
        model.setTable(makeRunTable(std::make_shared<const std::vector<StoredRun>>(unlikeRuns()),
                                    {.differencesOnly = differencesOnly}));
        QStringList titles;
        for (int column = 0; column < model.columnCount(); ++column) {
            const QString title =
                model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
            QVERIFY2(!title.contains(kForPrograms), qPrintable(title));
            QVERIFY2(!titles.contains(title), qPrintable(title));
            titles << title;
            QCOMPARE(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString(), title);
            for (int row = 0; row < model.rowCount(); ++row) {
                const QString cell = model.index(row, column).data().toString();
                QVERIFY2(!cell.contains(kForPrograms), qPrintable(title + ": " + cell));
            }
        }
        QVERIFY(titles.size() > 15);
    }

    void everyChoiceHasItsTitleAndValue_data() {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("title");
        QTest::addColumn<QStringList>("values");
        const auto row = [](const char* place, const char* title, const QStringList& values) {
            QTest::newRow(place) << QString(place) << QString(title) << values;
        };
        row("model", "Model", {"Iris flowers", "other.onnx"});
        row("free_batch", "Any batch size", {"no", "yes"});
        row("hidden_units", "Hidden units", {"", "16, 8"});
        row("artifacts.loss.key", "Loss function", {"Focal", "Cross entropy"});
        row("artifacts.loss.values.gamma", "Gamma", {"3", ""});
        row("artifacts.optimizer.key", "Optimizer", {"AdamW", "SGD"});
        row("artifacts.optimizer.values.clip_norm", "Optimizer: Clip gradient norm", {"5", "0"});
        row("artifacts.parameter_groups", "Parameter groups",
            {"fc1*: rate × 0.1, weight decay 0, after step 100; fc2*: rate × 10", ""});
        row("run.clip_norm", "Clip gradient norm (setting)", {"2", "0"});
        row("run.steps", "Steps (setting)", {"500", "0"});
        row("run.metrics", "Metrics", {"Accuracy, Top 5", ""});
        row("run.best_metric", "Best by", {"Loss", "Accuracy"});
        row("run.schedule.key", "Schedule", {"Step", "Reduce on plateau"});
        row("run.schedule.values.gamma", "Step: Factor", {"0.5", ""});
        row("run.schedule.values.factor", "Reduce on plateau: Factor", {"", "0.3"});
        row("run.schedule.values.step_size", "Interval", {"20", ""});
    }
    void everyChoiceHasItsTitleAndValue() {
        QFETCH(QString, place);
        QFETCH(QString, title);
        QFETCH(QStringList, values);
        RunTableModel model;
        model.setTable(makeRunTable(std::make_shared<const std::vector<StoredRun>>(unlikeRuns()),
                                    RunTableChoice()));
        const int column = model.columnOf(place);
        QVERIFY(column >= 0);
        QCOMPARE(model.column(column).title, title);
        for (int row = 0; row < 2; ++row)
            QCOMPARE(model.index(row, column).data().toString(), values[row]);
    }

    /// A sweep leaves a number out where it has its default.
    void aDefaultIsTold() {
        TrainingSpec changed = specOf("adamw", "constant");
        changed.artifacts.optimizer.values = {{"beta1", 0.8}};
        RunTableModel model;
        model.setTable(makeRunTable(std::make_shared<const std::vector<StoredRun>>(std::vector{
                                        runOf(1, changed), runOf(2, specOf("adamw", "constant")),
                                        runOf(3, specOf("sgd", "constant"))}),
                                    RunTableChoice()));
        const int column = model.columnOf("artifacts.optimizer.values.beta1");
        QVERIFY(column >= 0);
        QStringList texts;
        for (int row = 0; row < 3; ++row) texts << model.index(row, column).data().toString();
        QCOMPARE(texts, QStringList({"0.8", "0.9", ""}));
    }

    void aNameOfTheModelStaysAsItIs() {
        QCOMPARE(choiceTitles("run.binding.input_ids").front(), QString("Column for input_ids"));
        QCOMPARE(choiceTitles("rename.a.b").front(), QString("New name of a.b"));
        QCOMPARE(choiceTitles("fixed_inputs.sr").front(), QString("Constant sr"));
    }
};

QTEST_MAIN(RunChoicesTest)
#include "run_choices_test.moc"
