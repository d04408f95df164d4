// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "engine/training/projects/project_file.h"
#include "tests/ui/pace.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/runs/parallel_view.h"
#include "ui/docks/runs/run_table_model.h"

using namespace temper;
using namespace temper::ui;

namespace {

/// Run i of these has the rate 10^-i, alternately adamw and sgd, and the loss i; run 3 has no loss.
StoredRun runOf(int64_t id) {
    TrainingSpec spec;
    spec.model = "lesson:iris/model.onnx";
    spec.run.learningRate = std::pow(10.0, -static_cast<double>(id));
    spec.artifacts.optimizer.key = id % 2 == 0 ? "sgd" : "adamw";
    StoredRun run;
    run.id = id;
    run.name = "Run " + std::to_string(id);
    run.spec = toJson(ProjectFile{spec, {}}, "/p");
    run.startedAt = 1.7e9 + static_cast<double>(id);
    const auto loss = static_cast<double>(id);
    const auto mean = static_cast<float>(id);
    if (id != 3) run.metrics = {{"loss", loss, 9, loss, 5, loss, 1, 9, {mean, mean}}};
    return run;
}

void fill(RunTableModel& model, int count) {
    std::vector<StoredRun> runs;
    for (int id = 1; id <= count; ++id) runs.push_back(runOf(id));
    model.setTable(
        makeRunTable(std::make_shared<const std::vector<StoredRun>>(std::move(runs)), {}));
}

const ParallelAxis* axisOf(const std::vector<ParallelAxis>& axes, const QString& key) {
    const auto found = std::ranges::find(axes, key, &ParallelAxis::key);
    return found == axes.end() ? nullptr : &*found;
}

QStringList keys(const ParallelView& view) {
    QStringList keys;
    for (const ParallelAxis& axis : view.axes()) keys << axis.key;
    return keys;
}

/// Milliseconds.
struct PaintTimes {
    double made = 0;     ///< axes
    double painted = 0;  ///< lines
    double again = 0;    ///< with another run selected
};

PaintTimes timesOf(int runCount) {
    RunTableModel model;
    std::vector<StoredRun> runs;
    for (int id = 1; id <= runCount; ++id) {
        runs.push_back(runOf(1 + id % 7));
        runs.back().id = id;
        if (!runs.back().metrics.empty()) runs.back().metrics[0].last = id * 1e-3;
        if (!runs.back().metrics.empty())
            runs.back().metrics[0].spark = {static_cast<float>(id) * 1e-3F};
    }
    model.setTable(
        makeRunTable(std::make_shared<const std::vector<StoredRun>>(std::move(runs)), {}));
    ParallelView view(model);
    view.resize(1200, 300);
    view.show();
    if (!QTest::qWaitForWindowExposed(&view)) return {};
    PaintTimes times;
    times.made = msOf([&] { view.refresh(); });
    times.painted = msOf([&] { view.grab(); });
    times.again = msOf([&] {
        view.setSelected({5});
        view.grab();
    });
    qInfo("%d runs: axes %.1f ms, lines %.1f ms, once more %.1f ms", runCount, times.made,
          times.painted, times.again);
    return times;
}

}  // namespace

/// Runs over parallel axes.
class ParallelTest : public QObject {
    Q_OBJECT

private slots:
    void axesAreWhatDiffers() {
        RunTableModel model;
        fill(model, 4);
        const std::vector<ParallelAxis> axes = parallelAxes(model);
        QCOMPARE(axes.size(), size_t{3});
        QCOMPARE(axes.back().key, QString("loss"));  // results are on the right
        const ParallelAxis* rate = axisOf(axes, "run.learning_rate");
        QVERIFY(rate != nullptr && rate->isLog);
        for (int i = 0; i < 4; ++i)  // equal steps: 0.1, 0.01, 0.001, 0.0001
            QVERIFY(std::abs(rate->places[static_cast<size_t>(i)] - (1 - i / 3.0)) < 1e-9);
        QCOMPARE(rate->ticks(5).size(), size_t{4});
        const ParallelAxis* loss = axisOf(axes, "loss");
        QVERIFY(!loss->isLog);
        QCOMPARE(loss->places[1], 1.0 / 3);  // 2, between 1 and 4
        QVERIFY(std::isnan(loss->places[2]));
        const auto optimizer =
            std::ranges::find_if(axes, [](const auto& axis) { return !axis.categories.empty(); });
        QVERIFY(optimizer != axes.end());
        QVERIFY(optimizer->categories == std::vector<QString>({"AdamW", "SGD"}));
        QVERIFY(optimizer->places == std::vector<double>({0, 1, 0, 1}));
        model.setFilter("Run 2");
        QVERIFY(parallelAxes(model).empty());  // a single run has no differences
    }

    void aRangeKeepsTheRunsWithinIt() {
        RunTableModel model;
        fill(model, 6);
        ParallelView view(model);
        view.refresh();
        QCOMPARE(view.within().size(), size_t{6});
        view.setRange("loss", ParallelView::Range{0.0, 0.5});  // losses 1 to 3.5; 3 has none
        QVERIFY(view.within() == std::vector<int>({0, 1}));
        view.setRange("run.learning_rate", ParallelView::Range{0.9, 0.7});  // 0.1 is at 1
        QVERIFY(view.within() == std::vector<int>({1}));
        view.setRange("loss", std::nullopt);
        view.refresh();  // ranges persist
        QVERIFY(view.within() == std::vector<int>({1}));
        view.clearRanges();
        QCOMPARE(view.within().size(), size_t{6});
    }

    void theMouseMarksRangesMovesAxesAndColours() {
        RunTableModel model;
        fill(model, 6);
        ParallelView view(model);
        view.resize(800, 300);
        view.refresh();
        const QStringList before = keys(view);
        const int last = static_cast<int>(before.size()) - 1;
        QSignalSpy changed(&view, &ParallelView::rangesChanged);
        const auto drag = [&view](QPointF from, QPointF to) {
            QTest::mousePress(&view, Qt::LeftButton, {}, from.toPoint());
            QTest::mouseMove(&view, to.toPoint());
            QTest::mouseRelease(&view, Qt::LeftButton, {}, to.toPoint());
        };
        drag(view.pointOf(last, 0.45), view.pointOf(last, -0.2));
        QCOMPARE(changed.size(), 1);
        QVERIFY(view.within() == std::vector<int>({0, 1}));
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.pointOf(last, 0.8).toPoint());
        QCOMPARE(view.within().size(), size_t{6});  // a click removes the range
        QCOMPARE(view.colorKey(), QString("loss"));
        const QPointF title(view.pointOf(0, 1).x(), 8);
        QTest::mouseClick(&view, Qt::LeftButton, {}, title.toPoint());
        QCOMPARE(view.colorKey(), before[0]);
        drag(title, {view.pointOf(1, 1).x(), 8});
        QCOMPARE(keys(view), QStringList({before[1], before[0], before[2]}));
        view.refresh();
        QCOMPARE(keys(view), QStringList({before[1], before[0], before[2]}));
        // On the line of a run, between two axes.
        const auto places = [&](int axis) {
            return view.axes()[static_cast<size_t>(axis)].places[4];
        };
        const QPointF middle = (view.pointOf(0, places(0)) + view.pointOf(1, places(1))) / 2;
        QCOMPARE(view.rowAt(middle).value_or(-1), 4);
        QSignalSpy activated(&view, &ParallelView::activated);
        QTest::mouseDClick(&view, Qt::LeftButton, {}, middle.toPoint());
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated[0][0].toInt(), 4);
    }

    void theKeyboardDoesTheSame() {
        RunTableModel model;
        fill(model, 6);
        ParallelView view(model);
        view.resize(800, 300);
        view.refresh();
        const QStringList before = keys(view);
        for (int i = 0; i < 5; ++i) QTest::keyClick(&view, Qt::Key_Right);
        QTest::keyClick(&view, Qt::Key_Down);  // the lower half of the losses
        QVERIFY(view.within() == std::vector<int>({0, 1}));
        for (int i = 0; i < 4; ++i) QTest::keyClick(&view, Qt::Key_Up);  // 0.2 to 0.7
        QVERIFY(view.within() == std::vector<int>({1, 3}));
        for (int i = 0; i < 4; ++i) QTest::keyClick(&view, Qt::Key_Up, Qt::ShiftModifier);
        QVERIFY(view.within() == std::vector<int>({0, 1, 3, 4}));  // 0 to 0.9
        QTest::keyClick(&view, Qt::Key_Escape);
        QVERIFY(!view.hasRanges());
        QTest::keyClick(&view, Qt::Key_Left);
        QTest::keyClick(&view, Qt::Key_Space);
        QCOMPARE(view.colorKey(), before[1]);
        QTest::keyClick(&view, Qt::Key_Left, Qt::ControlModifier);
        QCOMPARE(keys(view), QStringList({before[1], before[0], before[2]}));
        QVERIFY2(view.accessibleDescription().startsWith("6 of 6 runs"),
                 qPrintable(view.accessibleDescription()));
    }

    void linesAreSeenAndFade() {
        RunTableModel model;
        fill(model, 2);
        ParallelView view(model);
        view.resize(600, 300);
        view.refresh();
        const auto colorAt = [&view](int row) {
            const auto places = [&](size_t axis) {
                return view.axes()[axis].places[static_cast<size_t>(row)];
            };
            const QPointF middle =
                (view.pointOf(0, places(0)) * 3 + view.pointOf(1, places(1))) / 4;
            return view.grab().toImage().pixelColor(middle.toPoint());
        };
        const QColor ground = view.grab().toImage().pixelColor(2, 290);
        const QColor first = colorAt(0), second = colorAt(1);
        QVERIFY(first != ground && second != ground && first != second);
        view.setRange("loss", ParallelView::Range{0.0, 0.2});
        QCOMPARE(colorAt(0), first);
        QVERIFY(colorAt(1) != second);
        RunTableModel none;
        ParallelView empty(none);
        empty.refresh();
        empty.resize(400, 200);
        QVERIFY(!empty.grab().isNull());
        QVERIFY(empty.accessibleDescription().contains("don't differ"));
    }

    /// Ten times the runs take about ten times as long; the lines are kept while one is marked.
    void tenThousandRunsArePaintedInTime() {
        if (kSlowdown > 1) QSKIP(kNoTimes);
        const PaintTimes few = timesOf(1000), many = timesOf(10'000);
        QVERIFY(many.painted > 0);
        QVERIFY(many.made + many.painted < 25 * (few.made + few.painted));
        QVERIFY(many.again < many.painted / 2);
    }
};

QTEST_MAIN(ParallelTest)
#include "parallel_test.moc"
