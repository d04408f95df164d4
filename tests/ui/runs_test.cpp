// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QSignalSpy>
#include <QSlider>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "engine/core/random.h"
#include "engine/runs/run_journal.h"
#include "engine/training/projects/project_file.h"
#include "tests/ui/pace.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/runs/parallel_view.h"
#include "ui/docks/runs/run_compare_model.h"
#include "ui/docks/runs/run_overlay.h"
#include "ui/docks/runs/run_sign.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/docks/runs/run_value_model.h"
#include "ui/docks/runs/runs_dock.h"
#include "ui/plots/plot_cursor.h"
#include "ui/run/run_history.h"
#include "ui/theme/colors.h"
#include "ui/widgets/copy_table.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

StoredRun makeRun(int64_t id, double rate, double loss) {
    TrainingSpec spec;
    spec.model = "lesson:iris/model.onnx";
    spec.run.learningRate = rate;
    StoredRun run;
    run.id = id;
    run.name = "Run " + std::to_string(id);
    run.spec = toJson(ProjectFile{spec, {}}, "/p");
    run.status = RunStatus::Finished;
    run.startedAt = 1.7e9 + static_cast<double>(id);
    const auto last = static_cast<float>(loss);
    run.metrics = {{"accuracy", 1 - loss, 9, 0, 1, 1 - loss, 9, 3, {0.F, 0.5F, 1.F}},
                   {"loss", loss, 9, loss / 2, 5, 2, 1, 9, {4 * last, 2 * last, last}}};
    return run;
}

std::shared_ptr<const RunTable> tableOf(std::vector<StoredRun> runs, RunTableChoice choice = {}) {
    return makeRunTable(std::make_shared<const std::vector<StoredRun>>(std::move(runs)), choice);
}

QStringList titles(const RunTableModel& model) {
    QStringList titles;
    for (int column = 0; column < model.columnCount(); ++column)
        titles << model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    return titles;
}

int columnOf(const RunTableModel& model, const QString& key) {
    for (int column = 0; column < model.columnCount(); ++column)
        if (model.column(column).key == key) return column;
    return -1;
}

QList<int64_t> ids(const RunTableModel& model) {
    QList<int64_t> ids;
    for (int row = 0; row < model.rowCount(); ++row) ids << model.run(row).id;
    return ids;
}

/// The time in milliseconds to sort a table of `runCount` runs by four columns.
double sortMs(int runCount) {
    Random random(5);
    std::vector<StoredRun> runs;
    for (int id = runCount; id > 0; --id)
        runs.push_back(makeRun(id, random.uniform() / 10, random.uniform()));
    RunTableModel model;
    model.setTable(tableOf(std::move(runs)));
    QTableView view;
    view.setModel(&model);
    view.show();
    return msOf([&] {
        for (const char* key : {"loss", "run.learning_rate", "name", "started"}) {
            model.sort(columnOf(model, key), Qt::DescendingOrder);
            QCoreApplication::processEvents();
        }
    });
}

}  // namespace

/// The table beside the overlay, compared with the logs of the runs.
void checkValues(WindowDriver& driver, RunOverlay& overlay) {
    const RunValueModel& values = *overlay.values();
    const auto lossAt = [&](int64_t id, int64_t step) {
        const StoredRun* run = driver.window().work().history.find(id);
        const auto log = runLogPath(driver.window().work().history.folderOf(*run).toStdString());
        for (const RunEvent& event : readRunEvents(log))
            if (const auto* fact = std::get_if<StepEvent>(&event.fact); fact && fact->step == step)
                return double{fact->loss};
        return std::nan("");
    };
    overlay.cursor()->setX(3.2);
    QCOMPARE(values.rowCount(), 2);
    for (const RunValue& value : values.values()) {
        const int64_t id =
            driver.window().work().history.find(1)->name == value.run.toStdString() ? 1 : 2;
        QCOMPARE(value.step, 3.0);
        QCOMPARE(value.value, lossAt(id, 3));
    }
    QVERIFY(values.values()[0].smoothed <= values.values()[1].smoothed);  // the best one first
    const auto shape = [&](size_t row) {
        return values.values()[row].sign.value<QPixmap>().toImage().convertToFormat(
            QImage::Format_Alpha8);
    };
    QVERIFY(!shape(0).isNull() && shape(0) != shape(1));  // they differ without colour
    const QImage light = values.values()[0].sign.value<QPixmap>().toImage();
    driver.window().appearance().setTheme(ThemeMode::Dark);
    QTRY_VERIFY(values.values()[0].sign.value<QPixmap>().toImage() != light);
    driver.window().appearance().setTheme(ThemeMode::Light);
    QTRY_COMPARE(values.values()[0].sign.value<QPixmap>().toImage(), light);
    overlay.cursor()->setX(std::nullopt);
    QCOMPARE(values.values()[0].step, 3.0);  // remains, so that it can be copied
    auto* table = overlay.findChild<QTableView*>("overlayValues");
    QVERIFY(!table->isColumnHidden(RunValueModel::Smoothed));
    overlay.findChild<QToolButton*>("copyOverlayValues")->click();
    const QStringList lines = QApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[0], QString("Run\tValue\tSmoothed\tStep"));
    QCOMPARE(lines[1].section('\t', 0, 0), values.values()[0].run);
    QCOMPARE(lines[1].section('\t', 3), QString("3"));
    // Without smoothing only the measured values remain; the page Train has the same setting.
    auto* slider = overlay.findChild<QSlider*>("overlaySmoothing");
    const int before = slider->value();
    QCOMPARE(before, int(std::lround(1000 * driver.run().smoothing())));
    QCOMPARE(overlay.plot()->seriesCount(), 4);
    slider->setValue(0);
    QCOMPARE(driver.run().smoothing(), 0.0);
    QTRY_COMPARE_WITH_TIMEOUT(overlay.plot()->seriesCount(), 2, kPatienceMs);
    QVERIFY(table->isColumnHidden(RunValueModel::Smoothed));
    slider->setValue(before);
    QTRY_COMPARE_WITH_TIMEOUT(overlay.plot()->seriesCount(), 4, kPatienceMs);
}

/// Runs within a range are selected and thereby compared.
void checkRanges(RunsDock& dock) {
    const auto* table = dock.findChild<QTableView*>("runTable");
    const QString rate = "run.learning_rate";
    QVERIFY(std::ranges::find(dock.parallel()->axes(), rate, &ParallelAxis::key) !=
            dock.parallel()->axes().end());
    dock.parallel()->setRange(rate, ParallelView::Range{0.9, 1});
    emit dock.parallel()->rangesChanged();
    const QModelIndexList rows = table->selectionModel()->selectedRows();
    QCOMPARE(rows.size(), 1);
    QCOMPARE(dock.model()->run(rows.front().row()).id, int64_t{1});  // the other one is slower
    dock.parallel()->clearRanges();
    emit dock.parallel()->rangesChanged();
    QVERIFY(table->selectionModel()->selectedRows().isEmpty());
}

/// The same runs as columns, with their differences as rows; and back.
void checkColumns(RunsDock& dock) {
    auto* comparison = dock.findChild<QTableView*>("runComparison");
    QVERIFY(!comparison->isVisible());
    auto* view = dock.findChild<QComboBox*>("runView");
    view->setCurrentIndex(1);
    QVERIFY(comparison->isVisible());
    QCOMPARE(comparison->model()->columnCount(), 2);
    QStringList rows;
    for (int row = 0; row < comparison->model()->rowCount(); ++row)
        rows << comparison->model()->headerData(row, Qt::Vertical, Qt::ToolTipRole).toString();
    QVERIFY2(rows.contains("Learning rate"), qPrintable(rows.join(", ")));
    QVERIFY(!rows.contains("Batch size"));
    view->setCurrentIndex(2);
    QVERIFY(!comparison->isVisible() && dock.parallel()->isVisible());
    checkRanges(dock);
    view->setCurrentIndex(0);
    QVERIFY(!dock.parallel()->isVisible());
    dock.findChild<QTableView*>("runTable")->selectAll();
}

/// Name, folder, notes and pin are undone one by one, without interference from other undo steps.
void checkUndo(WindowDriver& driver, RunsDock& dock) {
    RunTableModel& model = *dock.model();
    RunHistory& history = driver.window().work().history;
    QUndoStack& undo = *driver.project().undoStack();
    const auto set = [&](const char* key, const char* text) {
        return model.setData(model.index(model.rowOf(2), columnOf(model, key)), text, Qt::EditRole);
    };
    QCOMPARE(undo.undoText(), QString("Change notes of run"));
    const int before = undo.count();
    const std::string name = history.find(2)->name;
    QVERIFY(set("name", "Best one") && set("group", "keep"));
    TrainingSpec spec = driver.project().spec();
    spec.run.session.seed += 1;
    driver.project().edit("Seed", spec);
    for (auto* table : dock.findChildren<QTableView*>("runTable")) table->selectRow(model.rowOf(2));
    driver.window().work().commands.action("runs.pin")->trigger();
    QCOMPARE(undo.count(), before + 4);
    QVERIFY(history.find(2)->isPinned);
    QVERIFY(set("name", "Best one"));  // the same value is no change
    QCOMPARE(undo.count(), before + 4);
    undo.undo();
    QVERIFY(!history.find(2)->isPinned);
    QCOMPARE(history.find(2)->group, std::string("keep"));
    undo.undo();
    undo.undo();
    QCOMPARE(history.find(2)->group, std::string());
    undo.undo();
    QCOMPARE(history.find(2)->name, name);
    QCOMPARE(history.find(2)->notes, std::string("slower"));
    undo.redo();
    QCOMPARE(history.find(2)->name, std::string("Best one"));
    undo.undo();
    // On disk, too.
    QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
    QCOMPARE(history.find(2)->name, name);
    QVERIFY(!history.find(2)->isPinned);
}

/// The table of runs and its dock.
class RunsTest : public QObject {
    Q_OBJECT

private slots:
    void settingsThatDifferAreColumns() {
        RunTableModel model;
        QAbstractItemModelTester tester(&model);
        model.setTable(tableOf({makeRun(2, 0.1, 0.5), makeRun(1, 0.01, 0.25)}));
        QCOMPARE(titles(model),
                 QStringList({"Run", "State", "Accuracy", "Loss", "Steps", "Duration", "Started",
                              "Learning rate", "Folder", "Tags", "Notes"}));
        RunTableChoice all;
        all.differencesOnly = false;
        model.setTable(tableOf({makeRun(2, 0.1, 0.5), makeRun(1, 0.01, 0.25)}, all));
        QVERIFY(titles(model).contains("Batch size"));
        QVERIFY(titles(model).contains("Seed"));
    }

    void metricsShowBestLastOrLeast_data() {
        QTest::addColumn<int>("value");
        QTest::addColumn<QString>("loss");
        QTest::addColumn<QString>("accuracy");
        // Of the loss of the batches, a mean: (2 + 1 + 0.5) / 3.
        QTest::newRow("best") << int(MetricValue::Best) << "1.167"
                              << "50.0 %";
        QTest::newRow("last") << int(MetricValue::Last) << "0.5"
                              << "50.0 %";
        QTest::newRow("least") << int(MetricValue::Minimum) << "0.25"
                               << "0.0 %";
    }
    void metricsShowBestLastOrLeast() {
        QFETCH(int, value);
        QFETCH(QString, loss);
        QFETCH(QString, accuracy);
        RunTableModel model;
        model.setTable(tableOf({makeRun(1, 0.1, 0.5)}, {MetricValue(value), true, false}));
        QCOMPARE(model.index(0, columnOf(model, "loss")).data().toString(), loss);
        QCOMPARE(model.index(0, columnOf(model, "accuracy")).data().toString(), accuracy);
        QCOMPARE(model.index(0, columnOf(model, "loss"))
                     .data(RunTableModel::kSparkRole)
                     .value<QList<float>>(),
                 QList<float>({2.F, 1.F, 0.5F}));
    }

    void aLuckyBatchIsNotTheBest() {
        StoredRun run = makeRun(1, 0.1, 0.5);
        MetricSummary& loss = run.metrics[1];
        loss.spark.assign(64, 1.F);
        loss.spark[20] = 0.2F;
        loss.minimum = 0.001;
        QCOMPARE(bestOf(loss), (7 * 1 + double{0.2F}) / 8);
        // Evaluations count as they are.
        QCOMPARE(bestOf(run.metrics[0]), run.metrics[0].maximum);
        RunTableModel model;
        model.setTable(tableOf({run}));
        const QString tip =
            model.index(0, columnOf(model, "loss")).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains("0.9,") && !tip.contains("0.001"), qPrintable(tip));
    }

    void aRunKeepsItsColour() {
        std::vector<StoredRun> runs;
        for (int64_t id = 1; id <= 12; ++id) runs.push_back(makeRun(id, 0.1, 0.5));
        RunTableModel model;
        model.setTable(tableOf(runs));
        const auto colorOf = [&model](int64_t id) {
            return model.index(model.rowOf(id), 0).data(Qt::DecorationRole).value<QColor>();
        };
        const QColor before = colorOf(5);
        QVERIFY(before.isValid());
        QCOMPARE(before, seriesColor(currentColors(), runSign(5)));
        QVERIFY(colorOf(6) != before);
        model.sort(columnOf(model, "started"), Qt::DescendingOrder);
        model.setFilter("Run 5");
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(colorOf(5), before);
        runs.erase(runs.begin(), runs.begin() + 4);
        model.setFilter({});
        model.setTable(tableOf(runs));
        QCOMPARE(colorOf(5), before);
    }

    void dataIsShownInWords() {
        StoredRun run = makeRun(1, 0.1, 0.5);
        TrainingSpec spec;
        spec.model = "m.onnx";
        spec.run.data = "npz:recordings/wake.npz?seed=5&split=0.8";
        run.spec = toJson(ProjectFile{spec, {}}, "/p");
        RunTableModel model;
        model.setTable(tableOf({run}, {MetricValue::Best, false, false}));
        QCOMPARE(model.index(0, columnOf(model, "run.data")).data().toString(),
                 QString("wake.npz, 80 % to train"));
    }

    void rowsAreSortedFilteredAndPinned() {
        StoredRun pinned = makeRun(3, 0.001, 0.75), unmeasured = makeRun(4, 0.2, 0);
        pinned.isPinned = true;
        pinned.notes = "Keep";
        unmeasured.metrics.clear();
        RunTableModel model;
        QAbstractItemModelTester tester(&model);
        model.setTable(tableOf({unmeasured, pinned, makeRun(2, 0.1, 0.5), makeRun(1, 0.01, 0.25)}));
        QCOMPARE(ids(model), QList<int64_t>({3, 4, 2, 1}));
        model.sort(columnOf(model, "loss"), Qt::AscendingOrder);
        QCOMPARE(ids(model), QList<int64_t>({3, 1, 2, 4}));
        model.sort(columnOf(model, "loss"), Qt::DescendingOrder);
        QCOMPARE(ids(model), QList<int64_t>({3, 2, 1, 4}));
        model.sort(columnOf(model, "run.learning_rate"), Qt::AscendingOrder);
        QCOMPARE(ids(model), QList<int64_t>({3, 1, 2, 4}));
        model.setFilter("keep");
        QCOMPARE(ids(model), QList<int64_t>({3}));
        model.setFilter({});
        const QPersistentModelIndex second(model.index(1, 0));
        model.sort(columnOf(model, "name"), Qt::DescendingOrder);
        QCOMPARE(model.run(second.row()).id, int64_t{1});
    }

    void runsAreComparedAsColumns() {
        RunTableModel runs;
        runs.setTable(tableOf({makeRun(1, 0.1, 0.5), makeRun(2, 0.1, 0.25), makeRun(3, 0.3, 0.5)},
                              {MetricValue::Best, false, false}));
        RunCompareModel sides(runs);
        QAbstractItemModelTester tester(&sides);
        const auto at = [&](const char* key, int column) {
            const QString title = titles(runs)[columnOf(runs, key)];
            for (int row = 0; row < sides.rowCount(); ++row)
                if (sides.headerData(row, Qt::Vertical, Qt::ToolTipRole).toString() == title)
                    return sides.index(row, column).data().toString();
            return QString("not there");
        };
        sides.show({}, {}, false);
        QCOMPARE(sides.columnCount(), 3);
        QCOMPARE(sides.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QString("Run 2"));
        for (int column = 0; column < 3; ++column)
            for (const char* key : {"run.learning_rate", "loss", "accuracy"})
                QCOMPARE(at(key, column),
                         runs.index(column, columnOf(runs, key)).data().toString());
        QCOMPARE(at("name", 0), QString("not there"));  // it is the column header
        sides.show({2, 0}, {}, true);  // in the order of the rows, only differences
        QCOMPARE(sides.columnCount(), 2);
        QCOMPARE(sides.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), QString("Run 1"));
        QVERIFY(at("run.learning_rate", 0) != at("run.learning_rate", 1));
        QCOMPARE(at("loss", 0), QString("not there"));
        sides.show({0, 1}, {"loss"}, true);
        QCOMPARE(at("run.learning_rate", 0), QString("not there"));
        QCOMPARE(at("loss", 0), QString("not there"));
        QVERIFY(at("accuracy", 0) != "not there");
        sides.show({1}, {}, false);  // a single run is no comparison
        QCOMPARE(sides.columnCount(), 3);

        std::vector<StoredRun> many;
        for (int i = 1; i <= 10'000; ++i) many.push_back(makeRun(i, 1e-3 * i, 1.0 / i));
        runs.setTable(tableOf(std::move(many)));
        QVERIFY2(msOf([&] { sides.show({}, {}, true); }) < noticeableMs(), "the window would wait");
        QCOMPARE(sides.columnCount(), RunCompareModel::kMaxRuns);
        QCOMPARE(sides.leftOut(), 10'000 - RunCompareModel::kMaxRuns);
    }

    void theTrashIsSeparate() {
        StoredRun gone = makeRun(1, 0.1, 0.5);
        gone.isTrashed = true;
        RunTableModel model;
        model.setTable(tableOf({makeRun(2, 0.1, 0.5), gone}));
        QCOMPARE(ids(model), QList<int64_t>({2}));
        model.setTable(tableOf({makeRun(2, 0.1, 0.5), gone}, {MetricValue::Best, true, true}));
        QCOMPARE(ids(model), QList<int64_t>({1}));
    }

    /// n log n: ten times the runs take about thirteen times as long.
    void tenThousandRunsSortInTime() {
        if (kSlowdown > 1) QSKIP(kNoTimes);
        const double few = sortMs(1000), many = sortMs(10'000);
        qInfo("sorted by four columns: 1,000 runs %.1f ms, 10,000 runs %.1f ms", few, many);
        QVERIFY(many < 40 * few);
    }

    void valuesAtAStepAreSortedTheBestFirst() {
        RunValueModel model;
        QAbstractItemModelTester tester(&model);
        const auto names = [&model] {
            QStringList list;
            for (const RunValue& value : model.values()) list << value.run;
            return list.join(' ');
        };
        const std::vector<RunValue> values{{"a", {}, 5, 0.5, 0.1},
                                           {"b", {}, 5, std::nan(""), std::nan("")},
                                           {"c", {}, 5, 0.25, 0.3},
                                           {"d", {}, 4, 0.75, 0.2}};
        model.setValues(values, false, false);
        QCOMPARE(names(), QString("c a d b"));
        model.setValues(values, false, true);
        QCOMPARE(names(), QString("d a c b"));
        model.setValues(values, true, false);
        QCOMPARE(names(), QString("a d c b"));
        QCOMPARE(tableText(model).section('\n', 1, 1), QString("a\t0.5\t0.1\t5"));
    }

    /// With more runs than the plot can show, it says so.
    void anOverlayOfTooManyRunsSaysSo() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.steps = 6;
        driver.project().edit("Short", spec);
        for (int run = 0; run < 2; ++run) {
            QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
            QVERIFY(driver.goTo("train"));
            QVERIFY(driver.click("startButton"));
            QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
            spec.run.learningRate /= 2;
            driver.project().edit("Slower", spec);
        }
        driver.window().docks().show("runs");
        QTRY_COMPARE_WITH_TIMEOUT(driver.window().work().history.runs()->size(), size_t{2},
                                  kPatienceMs);
        // Once it has its table, the dock shows what is selected: nothing.
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        RunOverlay& overlay = *driver.window().findChild<RunsDock*>()->overlay();
        auto* note = overlay.findChild<QLabel*>("overlayNote");
        QVERIFY(note->isHidden());
        std::vector<int64_t> many(RunOverlay::kMaxRuns + 3, 1);
        many[1] = 2;
        overlay.showRuns(many);
        QTRY_COMPARE_WITH_TIMEOUT(overlay.runCount(), RunOverlay::kMaxRuns, kPatienceMs);
        QVERIFY(!note->isHidden());
        QCOMPARE(note->text(), QString("The first 12 of 15 chosen runs are shown."));
        overlay.showRuns({1, 2});
        QTRY_COMPARE_WITH_TIMEOUT(overlay.runCount(), size_t{2}, kPatienceMs);
        QVERIFY(note->isHidden());
    }

    void theDockComparesRuns() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        for (int run = 0; run < 2; ++run) {
            QVERIFY(driver.goTo("train"));
            QVERIFY(driver.click("startButton"));
            QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
            TrainingSpec spec = driver.project().spec();
            spec.run.learningRate /= 2;
            driver.project().edit("Slower", spec);
            QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        }
        driver.window().docks().show("runs");
        auto* dock = driver.window().findChild<RunsDock*>();
        QTRY_COMPARE_WITH_TIMEOUT(dock->model()->rowCount(), 2, kPatienceMs);
        auto* table = driver.window().findChild<QTableView*>("runTable");
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        table->selectAll();
        PlotView* plot = dock->overlay()->plot();
        QTRY_COMPARE_WITH_TIMEOUT(dock->overlay()->runCount(), size_t{2}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(plot->pointCount(0) > 10 && plot->pointCount(1) > 10, kPatienceMs);
        checkValues(driver, *dock->overlay());
        checkColumns(*dock);
        const QModelIndex notes =
            dock->model()->index(0, columnOf(*dock->model(), QStringLiteral("notes")));
        QVERIFY(dock->model()->setData(notes, "slower", Qt::EditRole));
        QTRY_COMPARE_WITH_TIMEOUT(driver.window().work().history.find(2)->notes,
                                  std::string("slower"), kPatienceMs);
        checkUndo(driver, *dock);
        for (int i = 0; i < 20; ++i) {
            driver.window().work().history.label(
                {2}, [i](StoredRun& run) { run.notes = "change " + std::to_string(i); });
        }
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        QCOMPARE(driver.window().work().history.find(2)->notes, std::string("change 19"));
        // A run alone looks as it did beside the other.
        const auto signOfTheFirst = [&]() {
            for (const RunValue& value : dock->overlay()->values()->values())
                if (value.run == "Run 2") return value.sign.value<QPixmap>().toImage();
            return QImage();
        };
        const QImage sign = signOfTheFirst();
        QVERIFY(!sign.isNull());
        table->selectRow(dock->model()->rowOf(2));
        QTRY_COMPARE_WITH_TIMEOUT(dock->overlay()->runCount(), size_t{1}, kPatienceMs);
        QTRY_COMPARE(signOfTheFirst(), sign);
        table->selectRow(0);
        driver.window().work().commands.action("runs.trash")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(dock->model()->rowCount(), 1, kPatienceMs);
        for (auto* button : dock->findChildren<QPushButton*>())
            if (button->isVisible() && button->text() == "Undo") button->click();
        QTRY_COMPARE_WITH_TIMEOUT(dock->model()->rowCount(), 2, kPatienceMs);
    }

    /// Each checkpoint of a run that trains brings a new table.
    void whatIsTypedStaysWhileTheTableIsRenewed() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.steps = 6;
        driver.project().edit("Short", spec);
        for (int run = 0; run < 2; ++run) {
            QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
            QVERIFY(driver.goTo("train"));
            QVERIFY(driver.click("startButton"));
            QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
            spec.run.learningRate /= 2;
            driver.project().edit("Slower", spec);
        }
        driver.window().docks().show("runs");
        RunHistory& history = driver.window().work().history;
        TaskRunner& tasks = *driver.project().tasks();
        QTRY_COMPARE_WITH_TIMEOUT(history.runs()->size(), size_t{2}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!tasks.isBusy(), kPatienceMs);
        auto* dock = driver.window().findChild<RunsDock*>();
        auto* table = dock->findChild<QTableView*>("runTable");
        const RunTableModel& model = *dock->model();
        QCOMPARE(model.rowCount(), 2);
        const int64_t edited = model.run(1).id, other = model.run(0).id;
        const auto shown = [&model](int64_t id, const char* key) {
            return model.index(model.rowOf(id), columnOf(model, key)).data().toString();
        };
        const auto openEditor = [&] {
            const QModelIndex cell = model.index(model.rowOf(edited), columnOf(model, "name"));
            table->setCurrentIndex(cell);
            table->edit(cell);
            return QPointer<QLineEdit>(table->viewport()->findChild<QLineEdit*>());
        };
        const auto isCurrent = [&] {
            return table->currentIndex().row() == model.rowOf(edited) &&
                   table->currentIndex().column() == columnOf(model, "name");
        };
        QPointer<QLineEdit> editor = openEditor();
        QVERIFY(editor != nullptr);
        QTest::keyClicks(editor, "abc");
        QSignalSpy changes(&history, &RunHistory::changed);
        history.reload();
        QTRY_VERIFY_WITH_TIMEOUT(!changes.isEmpty() && !tasks.isBusy(), kPatienceMs);
        QVERIFY(editor != nullptr && editor->isVisible() && isCurrent());
        QCOMPARE(editor->text(), QString("abc"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(shown(edited, "name"), QString("abc"), kPatienceMs);
        QCOMPARE(history.find(edited)->name, std::string("abc"));
        QVERIFY(isCurrent());
        QTRY_VERIFY_WITH_TIMEOUT(!tasks.isBusy() && editor == nullptr, kPatienceMs);
        QVERIFY(isCurrent());

        // The table is renewed once the editor is closed, even if nothing was changed.
        editor = openEditor();
        QVERIFY(editor != nullptr);
        history.label({other}, [](StoredRun& run) { run.notes = "meanwhile"; });
        QTRY_VERIFY_WITH_TIMEOUT(!tasks.isBusy(), kPatienceMs);
        QVERIFY(editor != nullptr && editor->isVisible());
        QTest::keyClick(editor, Qt::Key_Escape);
        QTRY_COMPARE_WITH_TIMEOUT(shown(other, "notes"), QString("meanwhile"), kPatienceMs);
        QCOMPARE(shown(edited, "name"), QString("abc"));
        QVERIFY(isCurrent());

        // The runs of another project do not wait.
        QVERIFY(openEditor() != nullptr);
        driver.window().files().openLesson("digits");
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 0, kPatienceMs);
    }
};

QTEST_MAIN(RunsTest)
#include "runs_test.moc"
