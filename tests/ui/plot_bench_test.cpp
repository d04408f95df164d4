// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/core/random.h"
#include "tests/ui/pace.h"
#include "ui/plots/plot_view.h"
#include "ui/theme/theme.h"

using namespace temper;
using namespace temper::ui;

namespace {

/// Falls, with noise.
Curve longCurve(int points) {
    Random random(3);
    Curve curve;
    for (int i = 1; i <= points; ++i)
        curve.append(i, 2.3 / (1 + i / 1e4) + 0.1 * std::abs(double{random.normal()}));
    return curve;
}

double percentile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

/// Times of frames in milliseconds.
struct Frames {
    std::vector<double> follow;   ///< while the curve grows
    std::vector<double> dragged;  ///< over the zoomed curve
};

double frameMs(PlotView& plot, const Curve& raw, const Curve& smooth) {
    const CoreTimer timer;
    plot.setCurve(0, raw);
    plot.setCurve(1, smooth);
    plot.draw();
    return timer.ms();
}

Frames framesOf(int points) {
    Curve raw = longCurve(points);
    Curve smooth;
    Smoother smoother = smooth.smooth(raw, 0.9);
    PlotView plot("Loss");
    plot.addSeries("Each step", SeriesStyle::Envelope, 0);
    plot.addSeries("Smoothed", SeriesStyle::Line, 0);
    plot.resize(1200, 600);
    plot.show();
    if (!QTest::qWaitForWindowExposed(&plot)) return {};
    std::vector<PlotMark> marks;
    for (int i = 0; i < 200; ++i)
        marks.push_back({points / 200.0 * i, "checkpoint", MarkSymbol::Square});
    plot.setMarks(marks);
    Frames frames;
    for (int frame = 0; frame < 100; ++frame) {
        for (int step = 0; step < 50; ++step) {
            const double y = std::sin(frame);
            raw.append(points + 50 * frame + step + 1, y);
            smooth.append(points + 50 * frame + step + 1, smoother.add(y));
        }
        frames.follow.push_back(frameMs(plot, raw, smooth));
    }
    for (int frame = 0; frame < 100; ++frame) {
        const double begin = points / 400.0 * frame;
        plot.zoom(begin, points / 2.0 + begin);  // dragged
        frames.dragged.push_back(frameMs(plot, raw, smooth));
    }
    const CoreTimer timer;
    smooth.smooth(raw, 0.99);
    qInfo(
        "%d points: frame p50 %.1f ms, p95 %.1f ms; dragged p50 %.1f ms, p95 %.1f ms; smoothed "
        "anew in %.1f ms",
        points, percentile(frames.follow, 0.5), percentile(frames.follow, 0.95),
        percentile(frames.dragged, 0.5), percentile(frames.dragged, 0.95), timer.ms());
    return frames;
}

}  // namespace

/// Prints how long a frame of a plot takes.
class PlotBenchTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light, QApplication::palette()); }

    /// A frame draws as many lines as the plot has pixels in width, however many points there are.
    void aMillionPointsAreAboutAsFluentAsAFewThousand() {
        const Frames few = framesOf(10'000), many = framesOf(1'000'000);
        QVERIFY(!many.follow.empty());
        QVERIFY(percentile(many.follow, 0.5) < 3 * percentile(few.follow, 0.5));
        QVERIFY(percentile(many.dragged, 0.5) < 3 * percentile(few.dragged, 0.5));
    }
};

QTEST_MAIN(PlotBenchTest)
#include "plot_bench_test.moc"
