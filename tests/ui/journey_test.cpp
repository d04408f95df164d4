// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QFileInfo>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <algorithm>

#include "engine/onnx/model_file.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/training/parameters/trainable_choice.h"
#include "tests/ui/gui_monitor.h"
#include "tests/ui/window_driver.h"
#include "ui/checkpoints/checkpoint_dialog.h"
#include "ui/checkpoints/property_model.h"
#include "ui/panels/parameters/parameter_model.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

QModelIndex parameterTick(const QTableView& table, const QString& name) {
    const QAbstractItemModel& model = *table.model();
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.index(row, ParameterModel::Name).data().toString() == name)
            return model.index(row, ParameterModel::Train);
    return {};
}

/// Clicks the box in a cell, as a mouse does.
void clickTick(QTableView& table, const QModelIndex& index) {
    table.scrollTo(index);
    const QRect cell = table.visualRect(index);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                      QPoint(cell.left() + cell.height() / 2, cell.center().y()));
}

}  // namespace

/// The main workflow in the real window, with the real engine.
class JourneyTest : public QObject {
    Q_OBJECT

private slots:
    void digitsFromTheStartPageToAVerifiedModel() {
        QVERIFY2(answersInTime([&](double& longest) { fromTheStartPageToAModel(longest); }),
                 "a block of each window, printed above");
    }

    void theMonitorNoticesABusyGuiThread() {
        GuiMonitor monitor;
        QTRY_VERIFY(monitor.beats() > 3);
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < 60) {
        }
        QTRY_VERIFY(monitor.longestWallMs() >= 50);
        monitor.restart();
        QCOMPARE(monitor.longestBlockMs(), 0.0);
    }

    void choicesSurviveSavingAndOpening() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 3;
        spec.artifacts.frozen = {spec.artifacts.frozen.empty()
                                     ? driver.project().model()->parameters.front().name
                                     : spec.artifacts.frozen.front()};
        driver.project().edit("Choose", spec);
        const QString path = driver.filePath("choices.json");
        driver.project().saveSpec(path);
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(path), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().undoStack()->isClean(), kPatienceMs);
        const int before = driver.project().generation();
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().generation() > before, kPatienceMs);
        QVERIFY(driver.project().spec() == spec);
        QVERIFY(driver.project().lesson().has_value());
        QCOMPARE(driver.window().work().recent.paths().front(), path);
    }

    void aLearningRateEditedWhileTrainingApplies() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 100'000;
        driver.project().edit("Train long", spec);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        spec.run.learningRate = 0.001;
        driver.project().edit("Change rate", spec);
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().lastStep()->learningRate, 0.001, kPatienceMs);
        QVERIFY(driver.click("stopButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
    }

private:
    /// `longestBlockMs`: the longest time for which the window did not answer.
    void fromTheStartPageToAModel(double& longestBlockMs) {
        WindowDriver driver;
        QVERIFY(QTest::qWaitForWindowExposed(&driver.window()));
        GuiMonitor monitor;

        QCOMPARE(driver.window().pages().current(), QString("start"));
        QVERIFY2(driver.openLesson("digits"), qPrintable(driver.message()));
        QCOMPARE(driver.window().pages().current(), QString("model"));

        freezeTheFirstConvolution(driver);
        if (QTest::currentTestFailed()) return;
        trainPauseAndResume(driver);
        if (QTest::currentTestFailed()) return;
        saveAndReload(driver);
        if (QTest::currentTestFailed()) return;
        exportTheModel(driver);
        if (QTest::currentTestFailed()) return;

        qInfo("GUI thread: longest block %.1f ms, on the clock %.1f ms, %lld beats",
              monitor.longestBlockMs(), monitor.longestWallMs(),
              static_cast<long long>(monitor.beats()));
        QTRY_VERIFY2(monitor.beats() > 20, "something was measured");
        longestBlockMs = monitor.longestBlockMs();
    }

    void freezeTheFirstConvolution(WindowDriver& driver) {
        QVERIFY(driver.goTo("parameters"));
        auto* table = driver.window().findChild<QTableView*>("parameterTable");
        const ParameterCounts before = counts(driver);
        const QModelIndex tick = parameterTick(*table, "conv1.weight");
        QVERIFY(tick.isValid());
        clickTick(*table, tick);
        QCOMPARE(counts(driver).trainedTensors, before.trainedTensors - 1);
        driver.project().undoStack()->undo();
        QCOMPARE(counts(driver).trainedTensors, before.trainedTensors);
        driver.project().undoStack()->redo();
        QCOMPARE(counts(driver).trainedTensors, before.trainedTensors - 1);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
    }

    static ParameterCounts counts(WindowDriver& driver) {
        const auto& parameters = driver.project().model()->parameters;
        return countParameters(parameters,
                               trainedParameters(parameters, driver.project().spec().artifacts));
    }

    void trainPauseAndResume(WindowDriver& driver) {
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        PlotView* plot = driver.trainPanel().lossPlot();
        QTRY_VERIFY_WITH_TIMEOUT(plot->pointCount(0) > 10, kPatienceMs);
        QVERIFY(driver.click("pauseButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Paused, kPatienceMs);
        const int64_t paused = driver.run().step();
        QVERIFY(driver.click("stepButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().step(), paused + 1, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Paused, kPatienceMs);
        QVERIFY(driver.click("pauseButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > paused + 20, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().lastEval().has_value(), kPatienceMs);
        QVERIFY(plot->pointCount(2) > 0);
    }

    void saveAndReload(WindowDriver& driver) {
        const QString path = driver.filePath("saved");
        driver.trainPanel().checkpoints()->save(path);
        // The run continues, and may have written others after it.
        const auto saved = [&] {
            return std::ranges::find(driver.run().checkpoints(), path, &CheckpointEntry::path);
        };
        QTRY_VERIFY_WITH_TIMEOUT(saved() != driver.run().checkpoints().end(), kPatienceMs);
        const int64_t savedStep = saved()->step;
        QVERIFY(savedStep > 0);
        if (driver.run().isActive()) QVERIFY(driver.click("stopButton"));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.run().isActive(), kPatienceMs);
        editAProperty(driver, path);
        if (QTest::currentTestFailed()) return;

        driver.trainPanel().checkpoints()->load(path);
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().checkpoints().back().kind, QString("loaded"),
                                  kPatienceMs);
        QCOMPARE(driver.run().checkpoints().back().step, savedStep);
        auto* start = driver.window().findChild<QPushButton*>("startButton");
        QCOMPARE(start->text(), QString("Continue training"));
        // The rest of the run may be over before the state is checked.
        const QSignalSpy states(&driver.run(), &RunModel::stateChanged);
        const auto ran = [](const QVariantList& state) {
            return state.front().value<RunState>() == RunState::Running;
        };
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(std::ranges::any_of(states, ran), kPatienceMs);
        QCOMPARE(driver.run().started().firstStep, savedStep);
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
    }

    void editAProperty(WindowDriver& driver, const QString& path) {
        driver.trainPanel().checkpoints()->view(path);
        auto* dialog = driver.window().findChild<CheckpointDialog*>();
        QVERIFY(dialog != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->isLoaded(), kPatienceMs);
        PropertyModel& properties = *dialog->properties();
        properties.add();
        const int row = properties.rowCount() - 1;
        QVERIFY(
            properties.setData(properties.index(row, PropertyModel::Name), "author", Qt::EditRole));
        QVERIFY(
            properties.setData(properties.index(row, PropertyModel::Value), "me", Qt::EditRole));
        bool saved = false;
        connect(dialog, &CheckpointDialog::saved, this, [&saved] { saved = true; });
        dialog->save();
        QTRY_VERIFY_WITH_TIMEOUT(saved, kPatienceMs);
        dialog->close();
        QCOMPARE(readCheckpoint(path.toStdString()).properties.at("author"),
                 PropertyValue(std::string("me")));
    }

    void exportTheModel(WindowDriver& driver) {
        QVERIFY(driver.goTo("export"));
        ExportPanel& panel = driver.exportPanel();
        const QString path = driver.filePath("digits.onnx");
        panel.exportTo(path);
        QTRY_VERIFY_WITH_TIMEOUT(!panel.result().path.empty() || !driver.message().isEmpty(),
                                 kPatienceMs);
        QVERIFY2(driver.message().isEmpty(), qPrintable(driver.message()));
        QVERIFY(panel.result().isVerified());
        QVERIFY(panel.result().samples > 0);
        QVERIFY(panel.result().deviation.magnitude > 0);
        auto* verdict = panel.findChild<QLabel*>("exportVerdict");
        QVERIFY(verdict->isVisible() && verdict->text().startsWith("Verified"));
        const auto graph = loadModel(path.toStdString());
        QCOMPARE(graph->inputs().size(), size_t{1});
        QCOMPARE(graph->outputs().front()->name(), std::string("logits"));
    }
};

QTEST_MAIN(JourneyTest)
#include "journey_test.moc"
