// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTest>

#include "engine/runs/run_journal.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/runs/parallel_view.h"
#include "ui/docks/runs/run_folders.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/docks/runs/runs_dock.h"
#include "ui/docks/runs/sweep_dialog.h"
#include "ui/run/run_queue.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

RunQueue& queueOf(WindowDriver& driver) { return driver.window().work().queue; }

QAction* actionOf(WindowDriver& driver, const QString& id) {
    return driver.window().work().commands.action(id);
}

std::vector<RunStatus> statuses(WindowDriver& driver) {
    std::vector<RunStatus> found;
    for (const StoredRun& run : *driver.window().work().history.runs())
        found.insert(found.begin(), run.status);
    return found;
}

size_t countOf(WindowDriver& driver, RunStatus status) {
    return static_cast<size_t>(std::ranges::count(statuses(driver), status));
}

void setEpochs(WindowDriver& driver, int64_t epochs) {
    TrainingSpec spec = driver.project().spec();
    spec.run.epochs = epochs;
    driver.project().edit("Epochs", spec);
}

bool isReady(WindowDriver& driver) {
    return QTest::qWaitFor([&] { return driver.project().isReadyToTrain(); }, kPatienceMs);
}

/// By the menu and the dialog.
bool vary(WindowDriver& driver, const QString& title, const QString& values) {
    actionOf(driver, "queue.vary")->trigger();
    auto* dialog = driver.window().findChild<SweepDialog*>("sweep");
    if (dialog == nullptr) return false;
    auto* which = dialog->findChild<QComboBox*>("sweepSetting");
    which->setCurrentIndex(which->findText(title));
    dialog->findChild<QLineEdit*>("sweepValues")->setText(values);
    auto* add = dialog->findChild<QPushButton*>("sweepAdd");
    if (!add->isEnabled()) return false;
    add->click();
    return true;
}

}  // namespace

/// Runs that wait for the end of others.
class QueueTest : public QObject {
    Q_OBJECT

private slots:
    /// Its runs move into the project's folder, between two of them.
    void savingTheProjectDoesNotEndTheQueue() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        setEpochs(driver, 20);
        QVERIFY(isReady(driver));
        QVERIFY(vary(driver, "Learning rate", "0.001..0.1:3"));
        QTRY_COMPARE_WITH_TIMEOUT(queueOf(driver).waiting(), size_t{3}, kPatienceMs);
        queueOf(driver).setOn(true);
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().isActive(), kPatienceMs);
        const QString place = driver.filePath("place");
        driver.project().saveAs(place);
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), place, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!queueOf(driver).isOn(), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(countOf(driver, RunStatus::Finished), size_t{3}, kPatienceMs);
        for (const char* run : {"0001", "0002", "0003"})
            QVERIFY2(QFile::exists(place + "/runs/" + run + "/last.ckpt"), run);
    }

    void aRunForEachValueOfASetting() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        setEpochs(driver, 2);
        QVERIFY(isReady(driver));
        const TrainingSpec before = driver.project().spec();
        QVERIFY(vary(driver, "Learning rate", "0.001..0.1:3"));
        QTRY_COMPARE_WITH_TIMEOUT(queueOf(driver).waiting(), size_t{3}, kPatienceMs);
        QVERIFY(!queueOf(driver).isOn());
        QVERIFY(!driver.run().isActive());
        QTRY_VERIFY(actionOf(driver, "queue.run")->isEnabled());
        actionOf(driver, "queue.run")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(countOf(driver, RunStatus::Finished), size_t{3}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("The queue is done"), kPatienceMs);
        QVERIFY(!queueOf(driver).isOn());
        QCOMPARE(queueOf(driver).waiting(), size_t{0});
        std::vector<double> rates;
        for (const StoredRun& run : *driver.window().work().history.runs()) {
            const TrainingSpec spec = driver.window().work().history.specOf(run);
            rates.insert(rates.begin(), spec.run.learningRate);
            QCOMPARE(run.group, std::string("Learning rate"));
            QVERIFY2(run.name.starts_with("Learning rate 0."), run.name.c_str());
            QCOMPARE(spec.run.epochs, int64_t{2});
            QVERIFY(!run.metrics.empty());
        }
        QCOMPARE(rates, (std::vector<double>{0.001, 0.01, 0.1}));
        QVERIFY2(driver.project().spec() == before, "the choices of the document stay");
    }

    /// Beside others, over parallel axes.
    void theRunsOfAVariationAreCompared() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        setEpochs(driver, 2);
        QVERIFY(isReady(driver));
        actionOf(driver, "training.start")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(countOf(driver, RunStatus::Finished), size_t{1}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(actionOf(driver, "queue.vary")->isEnabled(), kPatienceMs);
        QVERIFY(vary(driver, "Learning rate", "0.001..0.1:3"));
        QTRY_COMPARE_WITH_TIMEOUT(queueOf(driver).waiting(), size_t{3}, kPatienceMs);
        queueOf(driver).setOn(true);
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("The queue is done"), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        auto* dock = driver.window().findChild<RunsDock*>();
        const auto* view = dock->findChild<QComboBox*>("runView");
        const auto* table = dock->findChild<QTableView*>("runTable");
        QCOMPARE(dock->model()->rowCount(), 4);
        QCOMPARE(view->currentIndex(), 0);
        for (auto* button : driver.window().findChildren<QPushButton*>("bannerAction"))
            if (button->text() == "Compare runs") button->click();
        QTRY_VERIFY_WITH_TIMEOUT(dock->parallel()->isVisible(), kPatienceMs);
        QCOMPARE(view->currentText(), QString("Parallel axes"));
        QCOMPARE(dock->folders()->chosen().value_or("all"), QString("Learning rate"));
        QCOMPARE(dock->model()->rowCount(), 3);
        QCOMPARE(table->selectionModel()->selectedRows().size(), 3);
        const auto& axes = dock->parallel()->axes();
        QVERIFY(std::ranges::find(axes, "run.learning_rate", &ParallelAxis::key) != axes.end());
    }

    /// What is added during training starts when that run has finished.
    void whatIsAddedDuringARunFollowsIt() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        setEpochs(driver, 40);
        QVERIFY(isReady(driver));
        actionOf(driver, "training.start")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().isActive(), kPatienceMs);
        actionOf(driver, "queue.add")->trigger();
        QVERIFY(queueOf(driver).isOn());
        QTRY_COMPARE_WITH_TIMEOUT(countOf(driver, RunStatus::Finished), size_t{2}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!queueOf(driver).isOn(), kPatienceMs);
    }

    /// Whoever stops a run wants no other one to start.
    void aRunThatIsStoppedHoldsTheQueue() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        setEpochs(driver, 100000);
        QVERIFY(isReady(driver));
        QVERIFY(vary(driver, "Seed", "1, 2"));
        QTRY_COMPARE_WITH_TIMEOUT(queueOf(driver).waiting(), size_t{2}, kPatienceMs);
        queueOf(driver).setOn(true);
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Running, kPatienceMs);
        actionOf(driver, "training.stop")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!queueOf(driver).isOn(), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(countOf(driver, RunStatus::Stopped), size_t{1}, kPatienceMs);
        QTest::qWait(300);
        QVERIFY(!driver.run().isActive());
        QCOMPARE(countOf(driver, RunStatus::Waiting), size_t{1});
    }

    /// A run that can't start or fails does not hold the others.
    void aRunThatFailsIsPassedOver() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        setEpochs(driver, 1);
        QVERIFY(isReady(driver));
        TrainingSpec broken = driver.project().spec();
        broken.artifacts.trainable = {"no_such_parameter"};
        TrainingSpec missing = driver.project().spec();
        missing.run.data = "csv:/nowhere/data.csv?target=y";
        queueOf(driver).add({{"broken", {}, broken},
                             {"missing", {}, missing},
                             {"good", {}, driver.project().spec()}});
        QTRY_COMPARE_WITH_TIMEOUT(queueOf(driver).waiting(), size_t{3}, kPatienceMs);
        queueOf(driver).setOn(true);
        const std::vector<RunStatus> expected = {RunStatus::Failed, RunStatus::Failed,
                                                 RunStatus::Finished};
        QTRY_VERIFY_WITH_TIMEOUT(statuses(driver) == expected, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!queueOf(driver).isOn(), kPatienceMs);
    }

    /// The queue is in the project: it is offered when that is opened again.
    void theQueueOutlivesTheProgram() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        setEpochs(driver, 2);
        QVERIFY(isReady(driver));
        const QString folder = driver.filePath("project");
        driver.project().saveAs(folder);
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), folder, kPatienceMs);
        QVERIFY(vary(driver, "Seed", "1, 2"));
        QTRY_COMPARE_WITH_TIMEOUT(queueOf(driver).waiting(), size_t{2}, kPatienceMs);
        driver.reopen();
        driver.project().openFile(folder);
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("2 runs are waiting"), kPatienceMs);
        QVERIFY(isReady(driver));
        QVERIFY(driver.click("bannerAction"));
        QTRY_COMPARE_WITH_TIMEOUT(countOf(driver, RunStatus::Finished), size_t{2}, kPatienceMs);
    }

    void aRunInTheTrashDoesNotWait() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(isReady(driver));
        actionOf(driver, "queue.add")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(queueOf(driver).waiting(), size_t{1}, kPatienceMs);
        const int64_t id = driver.window().work().history.waiting().front().id;
        driver.window().work().history.label({id}, [](StoredRun& run) { run.isTrashed = true; });
        QCOMPARE(queueOf(driver).waiting(), size_t{0});
        QTRY_VERIFY(!actionOf(driver, "queue.run")->isEnabled());
    }

    void valuesThatAreNoneCanNotBeAdded_data() {
        QTest::addColumn<QString>("setting");
        QTest::addColumn<QString>("values");
        QTest::addColumn<QString>("message");
        QTest::newRow("a word") << "Learning rate"
                                << "fast"
                                << "can't be 'fast'";
        QTest::newRow("out of range") << "Learning rate"
                                      << "0.1, -1"
                                      << "is -1";
        QTest::newRow("half a range") << "Batch size"
                                      << "1..8"
                                      << "can't be '1..8'";
        QTest::newRow("nothing") << "Seed"
                                 << " , "
                                 << "at least one value";
    }
    void valuesThatAreNoneCanNotBeAdded() {
        QFETCH(QString, setting);
        QFETCH(QString, values);
        QFETCH(QString, message);
        SweepDialog dialog({});
        auto* which = dialog.findChild<QComboBox*>("sweepSetting");
        which->setCurrentIndex(which->findText(setting));
        QVERIFY(dialog.findChild<QPushButton*>("sweepAdd")->isEnabled());
        dialog.findChild<QLineEdit*>("sweepValues")->setText(values);
        QVERIFY(!dialog.findChild<QPushButton*>("sweepAdd")->isEnabled());
        const QString said = dialog.findChild<QLabel*>("sweepRuns")->text();
        QVERIFY2(said.contains(message), qPrintable(said));
        QVERIFY(dialog.values().empty());
    }
};

QTEST_MAIN(QueueTest)
#include "queue_test.moc"
