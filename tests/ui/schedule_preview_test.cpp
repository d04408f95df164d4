// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QMouseEvent>
#include <QTest>
#include <cmath>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "tests/ui/window_driver.h"
#include "ui/panels/objective/schedule_handles.h"
#include "ui/plots/plot_handles.h"
#include "ui/plots/plot_view.h"
#include "ui/translation/languages.h"
#include "ui/widgets/hyper_form.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

/// Points (x, y) -> two classes; `batch` is its input's first dimension.
void writeClassifier(const QString& path, const QString& batch) {
    const QString source = QStringLiteral(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        agraph (float[%1, 2] x) => (float[%1, 2] y)
            <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}, float[2] b = {0, 0.1}> { y = Gemm(x, w, b) })")
                               .arg(batch);
    saveModel(*parseText(source.toStdString()), path.toStdString());
}

void writeSamples(const QString& path, int count) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("a,b,kind\n");
    for (int i = 0; i < count; ++i)
        file.write(QString("%1,%2,%3\n").arg(i * 0.1).arg(i % 7).arg(i % 2 ? "u" : "v").toUtf8());
}

}  // namespace

/// The learning-rate schedule before the start: drawn, and changed by dragging.
class SchedulePreviewTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { installLanguage(*qApp, "en"); }

    void theScheduleIsDrawnBeforeTheStart() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        auto* plot = driver.window().findChild<PlotView*>("schedulePreview");
        const int constant = plot->pointCount(0);
        QVERIFY(constant > 10);
        TrainingSpec spec = driver.project().spec();
        spec.run.schedule = {"one-cycle", {}};
        spec.run.epochs *= 2;
        driver.project().edit("schedule", spec);
        QVERIFY(plot->pointCount(0) > constant);
        spec.run.steps = 7;
        driver.project().edit("steps", spec);
        QCOMPARE(plot->pointCount(0), 7);
    }

    void theNumberOfStepsIsThatOfTheRun_data() {
        QTest::addColumn<QString>("batch");
        QTest::addColumn<int>("batchSize");
        QTest::addColumn<int>("accumulate");
        QTest::newRow("any batch") << "N" << 16 << 1;
        QTest::newRow("a rest of some samples") << "N" << 15 << 1;
        QTest::newRow("batches are accumulated") << "N" << 8 << 3;
        QTest::newRow("the model takes one sample at a time") << "1" << 32 << 1;
        QTest::newRow("the model takes batches of 5 and leaves the rest out") << "5" << 32 << 1;
    }
    /// The text below the planned curve matches what the run reports when it starts.
    void theNumberOfStepsIsThatOfTheRun() {
        QFETCH(QString, batch);
        QFETCH(int, batchSize);
        QFETCH(int, accumulate);
        WindowDriver driver;
        writeClassifier(driver.filePath("points.onnx"), batch);
        writeSamples(driver.filePath("points.csv"), 48);
        driver.window().files().open(driver.filePath("points.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        TrainingSpec spec = driver.project().spec();
        spec.run.data = ("csv:" + driver.filePath("points.csv") + "?target=kind").toStdString();
        spec.run.epochs = 2;
        spec.run.batchSize = batchSize;
        spec.run.accumulate = accumulate;
        driver.project().edit("data", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("objective"));
        const QString said = driver.window().findChild<QLabel*>("scheduleRemark")->text();
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Finished, kPatienceMs);
        const int64_t steps = driver.run().totalSteps();
        QVERIFY2(said.startsWith(QString("%1 steps in this run").arg(steps)),
                 qPrintable(QString("%1: %2").arg(steps).arg(said)));
        if (batch == "1") QVERIFY(driver.goTo("objective") && driver.savePicture("fault-12-steps"));
    }

    void pointsOfASchedule_data() {
        QTest::addColumn<QString>("key");
        for (const Choice& choice : scheduleChoices())
            QTest::addRow("%s", choice.key.c_str()) << QString::fromStdString(choice.key);
    }

    /// The handles are on the curve, and the curve follows them when they are dragged.
    void pointsOfASchedule() {
        QFETCH(QString, key);
        constexpr int64_t kSteps = 400;
        RunSpec run;
        run.learningRate = 0.01;
        run.schedule = {key.toStdString(), {}};
        const Choice& choice = *findChoice(scheduleChoices(), run.schedule.key);
        for (const HyperParameter& parameter : choice.hyperParameters) {
            if (parameter.key == "warmup_steps") run.schedule.values["warmup_steps"] = 40;
            if (parameter.key == "step_size") run.schedule.values["step_size"] = 150;
            if (parameter.key == "cycle_steps") run.schedule.values["cycle_steps"] = 150;
            if (parameter.key == "milestones") run.schedule.lists["milestones"] = {200, 100};
        }
        const auto isOnCurve = [](const RunSpec& drawn, const ScheduleHandle& handle) {
            const auto schedule = makeLrSchedule(drawn.schedule, drawn.learningRate, kSteps);
            const auto step = static_cast<int64_t>(std::lround(handle.step));
            const double here = std::abs(schedule->rateAt(step) - handle.rate);
            const double before = std::abs(schedule->rateAt(step - 1) - handle.rate);  // a restart
            return std::min(here, before) <= 0.01 * drawn.learningRate;
        };
        const std::vector<ScheduleHandle> handles = scheduleHandles(run, kSteps);
        QVERIFY(!handles.empty());
        for (size_t i = 0; i < handles.size(); ++i) {
            const ScheduleHandle& handle = handles[i];
            QVERIFY2(isOnCurve(run, handle), handle.stepKey.c_str());
            const double step = handle.step + 20, rate = handle.rate * 0.5 + 0.001;
            const RunSpec after = dragged(run, handle, kSteps, step, rate);
            requireValid(after.schedule, scheduleChoices());
            const ScheduleHandle there = scheduleHandles(after, kSteps).at(i);
            QVERIFY(isOnCurve(after, there));
            if (!handle.stepKey.empty()) QCOMPARE_LE(std::abs(there.step - step), 0.5);
            QCOMPARE_LE(std::abs(there.rate - rate), 0.02 * rate);
            QVERIFY(!handleText(after, handle).isEmpty());
            // In one direction only, and far beyond the allowed values.
            QCOMPARE(dragged(run, handle, kSteps, {}, {}).schedule, run.schedule);
            for (const double far : {-1e9, 1e9})
                requireValid(dragged(run, handle, kSteps, far, far).schedule, scheduleChoices());
        }
    }

    void milestonesDoNotPassEachOther() {
        RunSpec run;
        run.schedule = {"multi-step", {}, {{"milestones", {30, 10, 20}}}};
        const auto handles = scheduleHandles(run, 100);
        QCOMPARE(handles.size(), size_t{4});  // the rate, and three drops
        const auto milestones = [](const RunSpec& of) {
            return of.schedule.list(scheduleChoices(), "milestones");
        };
        QCOMPARE(milestones(dragged(run, handles[2], 100, 25, {})),
                 (std::vector<double>{10, 25, 30}));
        QCOMPARE(milestones(dragged(run, handles[2], 100, 90, {})),
                 (std::vector<double>{10, 29, 30}));
        QCOMPARE(milestones(dragged(run, handles[3], 100, 500, {})),
                 (std::vector<double>{10, 20, 99}));
    }

    /// With the mouse: one edit for a whole drag, none after Escape.
    void aPointOfTheScheduleIsDragged() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        TrainingSpec spec = driver.project().spec();
        spec.run.steps = 200;
        spec.run.learningRate = 0.01;
        spec.run.schedule = {"cosine", {{"warmup_steps", 20}}};
        driver.project().edit("schedule", spec);
        auto* plot = driver.window().findChild<PlotView*>("schedulePreview");
        auto* canvas = plot->findChild<QWidget*>("canvas");
        plot->draw();
        const auto undos = driver.project().undoStack()->count();
        const auto rate = [&] { return driver.project().spec().run.learningRate; };
        const auto warmup = [&] {
            return driver.project().spec().run.schedule.value(scheduleChoices(), "warmup_steps");
        };
        QVERIFY(plot->grab().save(pictureFile("objective-schedule")));
        const QPoint from = plot->handles()->pixelOf(0).toPoint();
        const auto drag = [&](QPoint by) {
            QTest::mousePress(canvas, Qt::LeftButton, {}, from);
            QTest::mouseMove(canvas, from + by / 2);
            QTest::mouseMove(canvas, from + by);
        };
        drag({0, 40});
        QVERIFY(plot->handles()->isDragging());
        auto* remark = driver.window().findChild<QLabel*>("scheduleRemark");
        QVERIFY2(remark->text().contains("Learning rate"), qPrintable(remark->text()));
        QCOMPARE(rate(), 0.01);  // until it is released
        QTest::keyClick(canvas, Qt::Key_Escape);
        QVERIFY(!plot->handles()->isDragging());
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, from + QPoint(0, 40));
        QCOMPARE(rate(), 0.01);
        QCOMPARE(driver.project().undoStack()->count(), undos);

        drag({0, 40});
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, from + QPoint(0, 40));
        QCOMPARE_LT(rate(), 0.009);
        QCOMPARE(warmup(), 20.0);
        QCOMPARE(driver.project().undoStack()->count(), undos + 1);
        driver.project().undoStack()->undo();
        QCOMPARE(rate(), 0.01);
        plot->draw();
        drag({60, 0});
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, from + QPoint(60, 0));
        QCOMPARE(rate(), 0.01);
        QCOMPARE_GT(warmup(), 25.0);

        // An undo during the drag stays in effect.
        plot->draw();
        const QPoint ring = plot->handles()->pixelOf(0).toPoint();
        QTest::mousePress(canvas, Qt::LeftButton, {}, ring);
        QTest::mouseMove(canvas, ring + QPoint(0, 40));
        QVERIFY(plot->handles()->isDragging());
        driver.project().undoStack()->undo();
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, ring + QPoint(0, 40));
        QCOMPARE(rate(), 0.01);
        QCOMPARE(warmup(), 20.0);
        // Release outside the window.
        plot->draw();
        QTest::mousePress(canvas, Qt::LeftButton, {}, from);
        QMouseEvent free(QEvent::MouseMove, from + QPoint(0, 30),
                         canvas->mapToGlobal(from + QPoint(0, 30)), Qt::NoButton, Qt::NoButton, {});
        QApplication::sendEvent(canvas, &free);
        QVERIFY(!plot->handles()->isDragging());
        QCOMPARE(rate(), 0.01);
    }
};

QTEST_MAIN(SchedulePreviewTest)
#include "schedule_preview_test.moc"
