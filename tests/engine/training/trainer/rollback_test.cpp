// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/rollback_guard.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/training/session/run_properties.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

RunOutcome runGuarded(LessonRun& run, RollbackGuard& guard) {
    RunControl control;
    Trainer trainer(*run.session, run.data, run.spec, control, [&](const RunEvent& event) {
        run.events.push_back(event);
        if (run.onEvent) run.onEvent(event);
    });
    trainer.keepGoodState(guard);
    return trainer.run();
}

StepEvent stepOf(int64_t step, double loss) {
    StepEvent event;
    event.step = step;
    event.loss = loss;
    event.gradientNorm = 1;
    return event;
}

/// A state after a step, with the step's number as its only weight.
void advance(CheckpointState& state, int64_t step) {
    state.optimizerState().step = step;
    state.parameters()[0].data.mutableValues<float>()[0] = static_cast<float>(step);
}

CheckpointState smallState() {
    CheckpointState state;
    state.addParameter({"weight", Tensor(DType::Float32, {1}), {}, true});
    state.setHasOptimizerState(true);
    return state;
}

}  // namespace

class RollbackTest : public QObject {
    Q_OBJECT

private slots:
    void aCopyIsGoodAfterStepsThatWentWell() {
        CheckpointState state = smallState();
        RollbackGuard guard;
        QVERIFY(!guard.goodStep());
        guard.begin(state);
        QCOMPARE(*guard.goodStep(), int64_t{0});
        for (int64_t step = 1; step <= 24; ++step) {
            advance(state, step);
            guard.note(stepOf(step, 1), state);
            QCOMPARE(*guard.goodStep(), int64_t{0});
        }
        advance(state, 25);
        guard.note(stepOf(25, 1), state);
        QCOMPARE(*guard.goodStep(), int64_t{10});
        QCOMPARE(guard.rollBack(state), int64_t{10});
        QCOMPARE(state.optimizerState().step, int64_t{10});
        QCOMPARE(state.parameters()[0].data.values<float>()[0], 10.0F);
    }

    void copiesDependOnlyOnTheSteps_data() {
        QTest::addColumn<double>("seconds");
        QTest::newRow("steps take no time") << 0.0;
        QTest::newRow("copies are dear beside a step") << 1e-9;
        QTest::newRow("steps are slow") << 1e3;
    }
    void copiesDependOnlyOnTheSteps() {
        QFETCH(double, seconds);
        CheckpointState state = smallState();
        RollbackGuard guard;
        guard.begin(state);
        std::vector<int64_t> good{0};
        for (int64_t step = 1; step <= 2000; ++step) {
            advance(state, step);
            StepEvent event = stepOf(step, 1);
            event.stepSeconds = seconds;
            guard.note(event, state);
            if (*guard.goodStep() != good.back()) good.push_back(*guard.goodStep());
            // A quarter of the way, or the longest distance, plus the steps until a copy is
            // confirmed.
            QVERIFY(step - *guard.goodStep() <= std::clamp<int64_t>(step / 4, 10, 200) + 30);
        }
        QCOMPARE(good[1], int64_t{10});
        QCOMPARE(good[2], int64_t{25});
        QVERIFY2(good.size() < 30, qPrintable(QString::number(good.size())));
    }

    void aLossThatLeapsRefutesTheCopyBeforeIt_data() {
        QTest::addColumn<double>("loss");
        QTest::newRow("leap") << 1e4;
        QTest::newRow("infinite") << std::numeric_limits<double>::infinity();
        QTest::newRow("NaN") << std::numeric_limits<double>::quiet_NaN();
    }
    void aLossThatLeapsRefutesTheCopyBeforeIt() {
        QFETCH(double, loss);
        CheckpointState state = smallState();
        RollbackGuard guard;
        guard.begin(state);
        for (int64_t step = 1; step <= 22; ++step) {
            advance(state, step);
            guard.note(stepOf(step, step < 12 ? 1 : loss), state);
        }
        QCOMPARE(*guard.goodStep(), int64_t{0});
    }

    /// The copy waits for the loss to calm down.
    void noCopyIsGoodWhileTheLossGoesUp() {
        CheckpointState state = smallState();
        RollbackGuard guard;
        guard.begin(state);
        for (int64_t step = 1; step <= 60; ++step) {
            advance(state, step);
            guard.note(stepOf(step, 1), state, step < 20 || step > 55);
            QCOMPARE(*guard.goodStep(), step <= 55 ? int64_t{0} : int64_t{10});
        }
    }

    void goingBackWithoutABeginningIsAnError() {
        CheckpointState state = smallState();
        QVERIFY_THROWS_EXCEPTION(Error, RollbackGuard().rollBack(state));
    }

    void aFailedRunContinuesFromItsGoodStateAtALowerRate() {
        LessonRun run("iris");
        run.spec.epochs = 6;
        run.spec.schedule = {"constant", {}};
        const double rate = run.spec.learningRate;
        RollbackGuard guard;
        // At step 20 somebody requests a rate that is far too high.
        run.onEvent = [&](const RunEvent& event) {
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step != nullptr && step->step == 20) keepFixedLearningRate(*run.state, 1e30);
        };
        QCOMPARE(runGuarded(run, guard), RunOutcome::Failed);
        const EndEvent end = run.all<EndEvent>().back();
        QVERIFY(end.goodStep && *end.goodStep <= 20);
        QVERIFY2(end.message.find("step") != std::string::npos, end.message.c_str());

        run.onEvent = {};
        const int64_t good = guard.rollBack(*run.state);
        QCOMPARE(good, *end.goodStep);
        QVERIFY(!fixedLearningRate(*run.state));
        run.events.clear();
        run.spec.learningRate = rate / 10;
        QCOMPARE(runGuarded(run, guard), RunOutcome::Finished);
        QCOMPARE(run.all<StepEvent>().front().step, good + 1);
        for (const double loss : run.losses()) QVERIFY(std::isfinite(loss));
    }

    void whatFollowsTheGoodStateIsWhatWouldHaveFollowed() {
        LessonRun straight("digits");
        straight.spec.steps = 80;
        straight.run();
        LessonRun back("digits");
        back.spec.steps = 80;
        RollbackGuard guard;
        runGuarded(back, guard);
        const auto good = static_cast<size_t>(guard.rollBack(*back.state));
        QVERIFY(good > 0);
        back.events.clear();
        runGuarded(back, guard);
        const std::vector<double> all = straight.losses();
        QCOMPARE(back.losses(), std::vector<double>(all.begin() + std::ptrdiff_t(good), all.end()));
        QCOMPARE(back.parameters(), straight.parameters());
    }

    void aRateSetByHandIsAnEvent() {
        LessonRun run("iris");
        run.spec.epochs = 2;
        run.onEvent = [&](const RunEvent& event) {
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step == nullptr) return;
            if (step->step == 4) run.control.setLearningRate(0.125);
            if (step->step == 8) run.control.followSchedule();
        };
        QCOMPARE(run.run(), RunOutcome::Finished);
        const auto changes = run.all<LearningRateEvent>();
        const auto steps = run.all<StepEvent>();
        QCOMPARE(changes.size(), size_t{2});
        QCOMPARE(changes[0].step, int64_t{4});
        QCOMPARE(changes[0].learningRate, 0.125);
        QVERIFY(!changes[0].followsSchedule && changes[1].followsSchedule);
        QCOMPARE(steps[4].learningRate, 0.125);
        QCOMPARE(steps[8].learningRate, changes[1].learningRate);
        QVERIFY(steps[8].learningRate != 0.125);
    }
};

QTEST_GUILESS_MAIN(RollbackTest)
#include "rollback_test.moc"
