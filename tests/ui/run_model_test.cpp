// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "ui/checkpoints/checkpoint_list_model.h"
#include "ui/run/curve_csv.h"
#include "ui/run/run_model.h"

using namespace temper;
using namespace temper::ui;

namespace {

RunEvent stepEvent(int64_t step, double loss, double seconds = 0.1) {
    StepEvent event;
    event.step = step;
    event.loss = loss;
    event.learningRate = 0.5;
    event.samples = 32;
    event.stepSeconds = seconds;
    return {0, event};
}

RunEvent startedEvent(int64_t total) {
    StartedEvent event;
    event.totalSteps = total;
    return {0, event};
}

RunEvent endEvent(RunOutcome outcome, const std::string& message = {}) {
    EndEvent event;
    event.outcome = outcome;
    event.message = message;
    return {0, event};
}

}  // namespace

class RunModelTest : public QObject {
    Q_OBJECT

private slots:
    void eventsOfADrainBecomeCurvesAndOneUpdate() {
        RunModel run;
        QSignalSpy updated(&run, &RunModel::updated);
        run.apply(std::vector{startedEvent(4), stepEvent(1, 2.0), stepEvent(2, 1.0)});
        QCOMPARE(updated.size(), 1);
        QCOMPARE(run.state(), RunState::Running);
        QCOMPARE(run.loss().points().size(), size_t{2});
        QCOMPARE(run.step(), 2);
        QCOMPARE(run.samplesPerSecond(), 320.0);
        run.apply({});
        QCOMPARE(updated.size(), 1);
    }

    void statesFollowTheEvents() {
        RunModel run;
        run.apply(std::vector{startedEvent(4), RunEvent{0, PausedEvent{1}}});
        QCOMPARE(run.state(), RunState::Paused);
        run.apply(std::vector{RunEvent{0, ResumedEvent{1}}});
        QCOMPARE(run.state(), RunState::Running);
        run.apply(std::vector{endEvent(RunOutcome::Failed, "NaN")});
        QCOMPARE(run.state(), RunState::Failed);
        QCOMPARE(run.problem().message, QString("NaN"));
        QVERIFY(!run.isActive());
    }

    void aFailureBeforeTheFirstStepHasNoStep_data() {
        QTest::addColumn<qint64>("step");
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("logged");
        QTest::newRow("before it") << qint64{0} << "Training could not start"
                                   << "Training could not start: No memory.";
        QTest::newRow("later") << qint64{7} << "Training stopped at step 7"
                               << "Training failed at step 7: No memory.";
    }
    void aFailureBeforeTheFirstStepHasNoStep() {
        QFETCH(qint64, step);
        QFETCH(QString, title);
        QFETCH(QString, logged);
        RunModel run;
        QString said;
        connect(&run, &RunModel::happened, &run,
                [&said](const Problem& what, bool) { said = what.message; });
        EndEvent end;
        end.outcome = RunOutcome::Failed;
        end.step = step;
        end.message = "No memory.";
        run.apply(std::vector{RunEvent{0, end}});
        QCOMPARE(run.problem().title, title);
        QCOMPARE(said, logged);
    }

    void aPauseThatComesWhileStoppingDoesNotHideIt() {
        RunModel run;
        run.apply(std::vector{startedEvent(4)});
        run.setState(RunState::Stopping);
        run.apply(std::vector{RunEvent{0, PausedEvent{1}}});
        QCOMPARE(run.state(), RunState::Stopping);
        run.apply(std::vector{endEvent(RunOutcome::Stopped)});
        QCOMPARE(run.state(), RunState::Stopped);
    }

    void evaluationsGiveValidationMetricsAndTheBest() {
        RunModel run;
        EvalEvent first, second;
        first.step = 1;
        first.loss = 0.5;
        first.metrics["accuracy"] = 0.8;
        second.step = 2;
        second.loss = 0.7;
        run.apply(std::vector{RunEvent{0, first}, RunEvent{0, second}});
        QCOMPARE(run.validationLoss().points().size(), size_t{2});
        QCOMPARE(run.metrics().at("accuracy").points().size(), size_t{1});
        QCOMPARE(*run.bestValidationLoss(), 0.5);
    }

    void timeLeftNeedsTenStepsAndEndsWithTheRun() {
        RunModel run;
        run.apply(std::vector{startedEvent(100)});
        for (int64_t step = 1; step < 10; ++step) run.apply(std::vector{stepEvent(step, 1)});
        QVERIFY(!run.remaining());
        run.apply(std::vector{stepEvent(10, 1)});
        QVERIFY(run.remaining());
        QVERIFY(std::abs(run.remaining()->minimumSeconds - 9.0) < 1e-9);
        run.apply(std::vector{endEvent(RunOutcome::Finished)});
        QVERIFY(!run.remaining());
    }

    void goingBackForgetsWhatCameLater() {
        RunModel run;
        run.apply(std::vector{startedEvent(100)});
        for (int64_t step = 1; step <= 20; ++step) run.apply(std::vector{stepEvent(step, 1)});
        EvalEvent good, bad;
        good.step = 8;
        good.loss = 0.5;
        bad.step = 16;
        bad.loss = 0.25;
        good.isBest = bad.isBest = true;
        run.apply(
            std::vector{RunEvent{0, good}, RunEvent{0, bad}, RunEvent{0, RolledBackEvent{10, 20}}});
        QCOMPARE(run.loss().points().size(), size_t{10});
        QCOMPARE(run.smoothedLoss().points().size(), size_t{10});
        QCOMPARE(run.step(), 10);
        QCOMPARE(run.state(), RunState::Stopped);
        QCOMPARE(*run.bestValidationLoss(), 0.5);
        QCOMPARE(*run.bestStep(), 8);
        QCOMPARE(run.marks().size(), size_t{2});
        QVERIFY(!run.lastEval());
        run.apply(std::vector{stepEvent(11, 3)});
        QCOMPARE(run.loss().points().size(), size_t{11});
    }

    /// The run determines which evaluation is the best: not necessarily by the loss.
    void theBestIsMarked() {
        RunModel run;
        const std::vector<std::pair<double, bool>> evaluations{
            {0.5, true}, {0.25, false}, {0.6, true}, {0.75, false}};
        for (const auto& [loss, isBest] : evaluations) {
            EvalEvent event;
            event.step = run.validationLoss().isEmpty() ? 1 : run.lastEval()->step + 1;
            event.loss = loss;
            event.isBest = isBest;
            run.apply(std::vector{RunEvent{0, event}});
        }
        QCOMPARE(*run.bestStep(), 3);
        QCOMPARE(*run.bestValidationLoss(), 0.25);
        QCOMPARE(run.marks().size(), size_t{1});
        QCOMPARE(run.marks().front().step, 3.0);
    }

    void waitingForDataIsAShareOfTheTime() {
        RunModel run;
        RunEvent event = stepEvent(1, 1, 0.3);
        std::get<StepEvent>(event.fact).dataWaitSeconds = 0.1;
        run.apply(std::vector{event});
        QVERIFY(std::abs(run.dataWaitShare() - 0.25) < 1e-12);
    }

    void smoothingStartsAtTheFirstValue() {
        Smoother smoother(0.9);
        QCOMPARE(smoother.add(5.0), 5.0);
        QVERIFY(std::abs(smoother.add(5.0) - 5.0) < 1e-12);
        // (0.9 * 0.1 * 5 + 0.9 * 0.1 ... + 0.1 * 0) / (1 - 0.9^3), by hand.
        QVERIFY(std::abs(smoother.add(0.0) - (0.081 * 5 + 0.09 * 5) / 0.271) < 1e-12);
    }

    void longCurvesKeepTheirExtremes() {
        Curve curve;
        constexpr int kPoints = 100'000;
        for (int i = 0; i < kPoints; ++i) curve.append(i, i == 77'777 ? 1000.0 : std::sin(i));
        QCOMPARE(curve.points().size(), size_t{kPoints});
        QVERIFY(curve.buckets().size() <= Curve::kMaxBuckets);
        QVERIFY(curve.buckets().size() > Curve::kMaxBuckets / 4);
        double highest = 0;
        for (const CurveBucket& bucket : curve.buckets())
            highest = std::max(highest, bucket.maximum);
        QCOMPARE(highest, 1000.0);
        QCOMPARE(curve.buckets().back().x, double(kPoints - 1));
    }

    void curvesOfDifferentLengthMakeOneTable() {
        Curve loss, validation;
        loss.append(1, 0.5);
        loss.append(2, 0.25);
        validation.append(2, 0.125);
        QCOMPARE(curvesToCsv("step", {{"loss", &loss}, {"valid, \"x\"", &validation}}),
                 std::string("step,loss,\"valid, \"\"x\"\"\"\n1,0.5,\n2,0.25,0.125\n"));
    }

    /// Lists of checkpoints are made anew with each announcement: a run of another day has
    /// thousands.
    void checkpointsAreAnnouncedOnceForManyEvents() {
        RunModel run;
        const QSignalSpy spy(&run, &RunModel::checkpointsChanged);
        std::vector<RunEvent> events;
        for (int64_t step = 1; step <= 1'000; ++step)
            events.push_back(
                RunEvent{0, CheckpointEvent{step, "epoch", "/a/" + std::to_string(step)}});
        events.push_back(RunEvent{0, CheckpointRemovedEvent{1'000, "/a/1"}});
        run.apply(events);
        QCOMPARE(spy.count(), 1);
        QCOMPARE(run.checkpoints().size(), size_t{999});
        run.apply(std::vector{RunEvent{0, WarningEvent{}}});
        QCOMPARE(spy.count(), 1);
    }

    void checkpointsAreListedLatestFirstAndOncePerFile() {
        RunModel run;
        CheckpointListModel list(run);
        QAbstractItemModelTester tester(&list,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
        run.apply(std::vector{RunEvent{0, CheckpointEvent{1, "last", "/a/last"}},
                              RunEvent{0, CheckpointEvent{1, "best", "/a/best"}},
                              RunEvent{0, CheckpointEvent{2, "last", "/a/last"}}});
        QCOMPARE(list.rowCount(), 2);
        QCOMPARE(list.entry(0).step, 2);
        QCOMPARE(list.index(0, CheckpointListModel::Kind).data().toString(), QString("last"));
        QCOMPARE(list.entry(1).path, QString("/a/best"));
    }

    void checkpointsThatAreGoneAreNotListed() {
        RunModel run;
        CheckpointListModel list(run);
        run.apply(std::vector{RunEvent{0, CheckpointEvent{1, "kept", "/a/best-000001.ckpt"}},
                              RunEvent{0, CheckpointEvent{2, "kept", "/a/best-000002.ckpt"}},
                              RunEvent{0, CheckpointRemovedEvent{2, "/a/best-000001.ckpt"}},
                              RunEvent{0, CheckpointRemovedEvent{2, "/a/unknown"}}});
        QCOMPARE(list.rowCount(), 1);
        QCOMPARE(list.entry(0).step, int64_t{2});
        QVERIFY(run.marks().empty());
    }

    void durationsReadWell_data() {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("expected");
        QTest::newRow("seconds") << 12.3 << "12 s";
        QTest::newRow("minutes") << 185.0 << "3 min 05 s";
        QTest::newRow("hours") << 7800.0 << "2 h 10 min";
    }
    void durationsReadWell() {
        QFETCH(double, seconds);
        QFETCH(QString, expected);
        QCOMPARE(durationText(seconds), expected);
    }
};

QTEST_GUILESS_MAIN(RunModelTest)
#include "run_model_test.moc"
