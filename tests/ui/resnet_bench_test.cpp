// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDockWidget>
#include <QTest>
#include <algorithm>

#include "engine/core/random.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"
#include "engine/training/parameters/trainable_choice.h"
#include "tests/ui/gui_monitor.h"
#include "tests/ui/resnet_model.h"
#include "tests/ui/window_driver.h"
#include "ui/graph_view/graph_view.h"
#include "ui/panels/train/train_plots.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 300'000;
constexpr int64_t kSamples = 16;

void writePictures(const std::string& path) {
    Random random(7);
    Tensor pictures(DType::Float32, {kSamples, 3, 224, 224}), labels(DType::Int64, {kSamples});
    for (float& value : pictures.mutableValues<float>()) value = random.normal();
    for (int64_t& label : labels.mutableValues<int64_t>()) label = random.below(1000);
    writeNpz(path, {{"x", pictures}, {"labels", labels}});
}

}  // namespace

/// The window while the engine is fully loaded; prints the figures.
class ResnetBenchTest : public QObject {
    Q_OBJECT

private slots:
    void theWindowAnswersWhileResNet18Trains() {
        QVERIFY2(answersInTime([&](double& longest) { trainAndUse(longest); }),
                 "a block of each window, printed above");
    }

private:
    /// `longestBlockMs`: the longest time for which the window did not answer.
    void trainAndUse(double& longestBlockMs) {
        WindowDriver driver;
        QVERIFY(QTest::qWaitForWindowExposed(&driver.window()));
        const QString model = driver.filePath("resnet18.onnx");
        const QString data = driver.filePath("pictures.npz");
        saveModel(*resnet18(), model.toStdString());
        writePictures(data.toStdString());
        driver.window().files().open(model);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        const auto& parameters = driver.project().model()->parameters;
        const auto trained = trainedParameters(parameters, driver.project().spec().artifacts);
        QCOMPARE(countParameters(parameters, trained).trainedElements, int64_t{11'689'512});
        driver.window().files().open(data);
        QTRY_VERIFY2_WITH_TIMEOUT(driver.project().isReadyToTrain(), qPrintable(driver.message()),
                                  kPatienceMs);
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 100'000;
        spec.run.batchSize = 4;
        driver.project().edit("Train long", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(QTest::qWaitForWindowExposed(&driver.window()));

        GuiMonitor monitor;
        QVERIFY2(driver.click("startButton"), qPrintable(driver.message()));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 1, kPatienceMs);
        useTheWindow(driver);
        if (QTest::currentTestFailed()) return;
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 8, kPatienceMs);
        const int64_t steps = driver.run().step();
        QVERIFY(driver.click("stopButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        qInfo(
            "%lld steps of ResNet-18 (batch 4): longest block of the window %.1f ms, on the clock "
            "%.1f ms, %lld beats",
            static_cast<long long>(steps), monitor.longestBlockMs(), monitor.longestWallMs(),
            static_cast<long long>(monitor.beats()));
        QVERIFY(monitor.beats() > 200);
        longestBlockMs = monitor.longestBlockMs();
    }

    /// Every page, the graph, a choice and undoing it, the plots, a pause, a checkpoint.
    void useTheWindow(WindowDriver& driver) {
        for (const PanelInfo& panel : panels()) {
            QVERIFY(driver.goTo(panel.id));
            QTest::qWait(300);
        }
        QVERIFY(driver.goTo("model"));
        auto* graph = driver.window().findChild<GraphView*>();
        QTRY_VERIFY_WITH_TIMEOUT(graph->drawing() != nullptr, kPatienceMs);
        for (int i = 0; i < 4; ++i) {
            graph->zoomIn();
            QTest::qWait(100);
        }
        graph->fit();
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.frozen = {"conv1.weight"};
        driver.project().edit("Freeze", spec);
        driver.project().undoStack()->undo();

        QVERIFY(driver.goTo("train"));
        for (const char* dock : {"dock-layers", "dock-log", "dock-runs"}) {
            auto* shown = driver.window().findChild<QDockWidget*>(dock);
            QVERIFY2(shown != nullptr, dock);
            shown->show();
            shown->raise();
            QTest::qWait(500);
        }
        driver.trainPanel().lossPlot()->zoom(0, 2);
        QTest::qWait(200);
        driver.trainPanel().lossPlot()->showEverything();
        QVERIFY(driver.click("pauseButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Paused, kPatienceMs);
        QVERIFY(driver.click("pauseButton"));
        const QString saved = driver.filePath("saved");
        driver.trainPanel().checkpoints()->save(saved);
        QTRY_VERIFY_WITH_TIMEOUT(
            std::ranges::any_of(driver.run().checkpoints(),
                                [&](const CheckpointEntry& entry) { return entry.path == saved; }),
            kPatienceMs);
    }
};

QTEST_MAIN(ResnetBenchTest)
#include "resnet_bench_test.moc"
