// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTest>
#include <algorithm>

#include "tests/ui/gui_monitor.h"
#include "tests/ui/window_driver.h"
#include "ui/panels/train/plane/plane_follower.h"
#include "ui/panels/train/plane/plane_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;
constexpr int kRounds = 5;
constexpr int kRoundMs = 3000;
constexpr double kMaxShare = 0.02;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

/// Prints the cost for a run of being displayed.
class PlaneBenchTest : public QObject {
    Q_OBJECT

private slots:
    void lookingAtThePlaneCostsARunNextToNothing() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("spirals"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 1'000'000;
        spec.run.evaluateEvery = 1'000'000;
        spec.run.saveEvery = 1'000'000;
        driver.project().edit("Train long", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        driver.trainPanel().showPlane();
        const PlaneFollower& follower = *driver.trainPanel().plane()->follower();
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 500 && follower.looks() > 2, kPatienceMs);
        GuiMonitor monitor;
        std::vector<double> with, without;
        double copies = 0, watched = 0;
        const int looksBefore = follower.looks();
        for (int round = 0; round < kRounds; ++round) {
            const double before = follower.copySeconds();
            driver.trainPanel().plane()->follower()->setWatched(true);
            with.push_back(stepsPerSecond(driver));
            copies += follower.copySeconds() - before;
            watched += kRoundMs / 1000.0;
            driver.trainPanel().plane()->follower()->setWatched(false);
            without.push_back(stepsPerSecond(driver));
        }
        const double looks = (follower.looks() - looksBefore) / watched;
        qInfo(
            "looked at %.1f times a second: copying took %.3f %% of the run; %.0f steps/s, "
            "unwatched %.0f steps/s (%.2f %% fewer); longest block of the window %.1f ms",
            looks, 100 * copies / watched, median(with), median(without),
            100 * (1 - median(with) / median(without)), monitor.longestBlockMs());
        QVERIFY(copies < kMaxShare * watched);
        QVERIFY(looks > 0.3);
    }

private:
    static double stepsPerSecond(WindowDriver& driver) {
        QTest::qWait(200);
        QElapsedTimer timer;
        const int64_t begin = driver.run().step();
        timer.start();
        QTest::qWait(kRoundMs);
        return 1000.0 * static_cast<double>(driver.run().step() - begin) /
               static_cast<double>(timer.elapsed());
    }
};

QTEST_MAIN(PlaneBenchTest)
#include "plane_bench_test.moc"
