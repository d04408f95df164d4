// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <ctime>

#include "engine/core/random.h"
#include "tests/ui/gui_monitor.h"
#include "ui/plots/plot_view.h"
#include "ui/theme/theme.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr double kFrameMs = 16 * kSlowdown;

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

}  // namespace

/// How long a frame of a plot takes; printed.
class PlotBenchTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light, QApplication::palette()); }

    void aMillionPointsAreFluent() {
        Curve raw = longCurve(1'000'000);
        Curve smooth;
        Smoother smoother = smooth.smooth(raw, 0.9);
        PlotView plot("Loss");
        plot.addSeries("Each step", SeriesStyle::Envelope, 0);
        plot.addSeries("Smoothed", SeriesStyle::Line, 0);
        plot.resize(1200, 600);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        std::vector<PlotMark> marks;
        for (int i = 0; i < 200; ++i)
            marks.push_back({5000.0 * i, "checkpoint", MarkSymbol::Square});
        plot.setMarks(marks);
        std::vector<double> follow, zoomed;
        for (int frame = 0; frame < 100; ++frame) {
            for (int step = 0; step < 50; ++step) {
                const double y = std::sin(frame);
                raw.append(1e6 + 50 * frame + step + 1, y);
                smooth.append(1e6 + 50 * frame + step + 1, smoother.add(y));
            }
            follow.push_back(frameMs(plot, raw, smooth));
        }
        for (int frame = 0; frame < 100; ++frame) {
            plot.zoom(1e4 * frame / 4, 5e5 + 1e4 * frame / 4);  // dragged
            zoomed.push_back(frameMs(plot, raw, smooth));
        }
        const double begin = nowMs();
        smooth.smooth(raw, 0.99);
        qInfo(
            "a million points: frame p50 %.1f ms, p95 %.1f ms; dragged p50 %.1f ms, p95 %.1f ms; "
            "smoothed anew in %.1f ms",
            percentile(follow, 0.5), percentile(follow, 0.95), percentile(zoomed, 0.5),
            percentile(zoomed, 0.95), nowMs() - begin);
        QVERIFY(percentile(follow, 0.95) < kFrameMs);
        QVERIFY(percentile(zoomed, 0.95) < kFrameMs);
    }

private:
    /// Of this thread's processor time: what else runs on the machine does not count.
    static double nowMs() {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return 1e3 * double(time.tv_sec) + double(time.tv_nsec) / 1e6;
    }

    static double frameMs(PlotView& plot, const Curve& raw, const Curve& smooth) {
        const double begin = nowMs();
        plot.setCurve(0, raw);
        plot.setCurve(1, smooth);
        plot.draw();
        return nowMs() - begin;
    }
};

QTEST_MAIN(PlotBenchTest)
#include "plot_bench_test.moc"
