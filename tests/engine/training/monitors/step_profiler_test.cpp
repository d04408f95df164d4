// SPDX-License-Identifier: Apache-2.0
#include "engine/training/monitors/step_profiler.h"

#include <QTest>
#include <algorithm>
#include <set>

#include "tests/engine/training/lesson_run.h"

namespace temper::test {

/// Which steps of a run are profiled, and that the run stays the same.
class StepProfilerTest : public QObject {
    Q_OBJECT

private slots:
    void someStepsAreProfiled_data();
    void someStepsAreProfiled();
    void aStoppedRunHasTheStepsSoFar();
    void aProfileChangesNoBit();
    void evaluationsAreNotPartOfIt();

private:
    /// A lesson with the given number of steps.
    struct ShortRun : LessonRun {
        explicit ShortRun(int64_t steps) : LessonRun("iris") {
            spec.steps = steps;
            spec.epochs = 0;
        }
    };

    static void train(LessonRun& run, StepProfiler& profiler) {
        Trainer trainer(*run.session, run.data, run.spec, run.control, [&](const RunEvent& event) {
            run.events.push_back(event);
            if (run.onEvent) run.onEvent(event);
        });
        trainer.profileSteps(profiler);
        trainer.run();
    }
};

void StepProfilerTest::someStepsAreProfiled_data() {
    QTest::addColumn<int>("steps");
    QTest::addColumn<int>("profiled");
    QTest::addColumn<QString>("first");
    QTest::newRow("a short run is profiled as a whole") << 5 << 5 << "step 1";
    QTest::newRow("up to thirty steps") << 30 << 30 << "step 1";
    QTest::newRow("else the first ten are left out") << 31 << 20 << "step 11";
    QTest::newRow("and those behind thirty") << 50 << 20 << "step 11";
}

void StepProfilerTest::someStepsAreProfiled() {
    QFETCH(int, steps);
    QFETCH(int, profiled);
    ShortRun run(steps);
    StepProfiler profiler;
    train(run, profiler);
    QCOMPARE(profiler.steps(), int64_t{profiled});
    const Profile& profile = profiler.profile();
    QTEST(QString::fromStdString(profile.spans().front().name), "first");
    std::set<std::string> phases;
    for (const Profile::Step& step : profile.steps()) {
        phases.insert(step.phase);
        QVERIFY(step.cost.count % profiled == 0);
    }
    QCOMPARE(phases, (std::set<std::string>{"backward", "forward", "optimizer"}));
    for (const Profile::Event& call : profile.timeline()) {
        const bool isInside = std::ranges::any_of(profile.spans(), [&](const Profile::Span& span) {
            return span.begin <= call.begin && call.end <= span.end;
        });
        QVERIFY(isInside);
    }
}

void StepProfilerTest::aStoppedRunHasTheStepsSoFar() {
    ShortRun run(1000);
    run.onEvent = [&](const RunEvent& event) {
        const auto* step = std::get_if<StepEvent>(&event.fact);
        if (step != nullptr && step->step == 13) run.control.stop();
    };
    StepProfiler profiler;
    train(run, profiler);
    QCOMPARE(run.all<StepEvent>().back().step, int64_t{13});
    QCOMPARE(profiler.steps(), int64_t{3});
}

void StepProfilerTest::aProfileChangesNoBit() {
    ShortRun plain(40);
    plain.run();
    ShortRun profiled(40);
    StepProfiler profiler;
    train(profiled, profiler);
    QCOMPARE(profiled.losses(), plain.losses());
    QCOMPARE(profiled.parameters(), plain.parameters());
}

void StepProfilerTest::evaluationsAreNotPartOfIt() {
    ShortRun run(10);
    run.spec.evaluateEvery = 1;
    StepProfiler profiler;
    train(run, profiler);
    QVERIFY(run.all<EvalEvent>().size() >= 10);
    for (const Profile::Step& step : profiler.profile().steps()) {
        QVERIFY2(step.cost.count == 10, step.node.c_str());
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::StepProfilerTest)
#include "step_profiler_test.moc"
