// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <chrono>
#include <limits>
#include <thread>

#include "engine/training/projects/command_line.h"
#include "engine/training/projects/project_file.h"
#include "engine/training/trainer/checkpoint_keeper.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

/// When a run ends before its last step, and which of its evaluations is the best.
class EarlyStopTest : public QObject {
    Q_OBJECT

private slots:
    void aRunWithoutImprovementEndsEarly() {
        LessonRun run("iris");
        run.spec.learningRate = 0;
        run.spec.earlyStopPatience = 3;
        QCOMPARE(run.run(), RunOutcome::Finished);
        QCOMPARE(run.all<EvalEvent>().size(), size_t{4});
        QVERIFY(run.all<WarningEvent>().back().message.find("ends early") != std::string::npos);
    }

    void theBestIsThatOfTheChosenMetric() {
        LessonRun run("iris");
        run.spec.learningRate = 0.05;
        run.spec.bestMetric = "accuracy";
        run.spec.epochs = 15;
        QCOMPARE(run.run(), RunOutcome::Finished);
        double best = -1;
        int64_t without = 0;
        for (const EvalEvent& event : run.all<EvalEvent>()) {
            const double accuracy = event.metrics.at("accuracy");
            without = accuracy > best ? 0 : without + 1;
            QCOMPARE(event.isBest, accuracy > best);
            QCOMPARE(event.withoutImprovement, without);
            best = std::max(best, accuracy);
        }
        QCOMPARE(std::get<float>(run.session->state().properties().at("temper.best_accuracy")),
                 static_cast<float>(best));
    }

    void smallImprovementsDoNotPutOffTheEarlyStop_data() {
        QTest::addColumn<double>("minDelta");
        QTest::addColumn<bool>("endsEarly");
        QTest::newRow("any") << 0.0 << false;
        QTest::newRow("large ones only") << 10.0 << true;
    }

    void smallImprovementsDoNotPutOffTheEarlyStop() {
        QFETCH(double, minDelta);
        QFETCH(bool, endsEarly);
        LessonRun run("iris");
        run.spec.epochs = 6;
        run.spec.earlyStopPatience = 3;
        run.spec.earlyStopMinDelta = minDelta;
        QCOMPARE(run.run(), RunOutcome::Finished);
        const auto evaluations = run.all<EvalEvent>();
        QCOMPARE(evaluations.size(), endsEarly ? size_t{4} : size_t{6});
        QVERIFY(evaluations.back().isBest);  // it improved a little each time
    }

    void theLeastImprovementFollowsTheDirectionOfTheFigure_data() {
        QTest::addColumn<ProgressRule>("rule");
        QTest::addColumn<std::vector<double>>("values");
        QTest::addColumn<std::vector<bool>>("best");
        QTest::addColumn<std::vector<int64_t>>("without");
        const double nan = std::numeric_limits<double>::quiet_NaN();
        // Exact in binary: at 1.5, the distance from 2 equals the least improvement.
        QTest::newRow("lower is better")
            << ProgressRule{"loss", false, 0.5} << std::vector{2.0, 1.75, 1.5, 1.25, nan, 1.25, 3.0}
            << std::vector{true, true, true, true, false, false, false}
            << std::vector<int64_t>{0, 1, 2, 0, 1, 2, 3};
        QTest::newRow("higher is better")
            << ProgressRule{"accuracy", true, 0.25} << std::vector{0.25, 0.375, 0.5, 0.625, 0.5}
            << std::vector{true, true, true, true, false} << std::vector<int64_t>{0, 1, 2, 0, 1};
        QTest::newRow("any improvement")
            << ProgressRule{"accuracy", true, 0} << std::vector{0.25, 0.375, 0.375, 0.5}
            << std::vector{true, true, false, true} << std::vector<int64_t>{0, 0, 1, 0};
    }

    void theLeastImprovementFollowsTheDirectionOfTheFigure() {
        QFETCH(ProgressRule, rule);
        QFETCH(std::vector<double>, values);
        QFETCH(std::vector<bool>, best);
        QFETCH(std::vector<int64_t>, without);
        LessonRun run("iris");
        CheckpointKeeper keeper(*run.state, {}, rule);
        for (size_t i = 0; i < values.size(); ++i) {
            const Progress progress = keeper.noteEvaluation(values[i]);
            QCOMPARE(progress.isBest, bool(best[i]));
            QCOMPARE(progress.withoutImprovement, without[i]);
        }
    }

    /// Figures of different kinds are not compared, and evaluations without improvement of one kind
    /// do not count for the other.
    void aRunMayContinueByAnotherFigure() {
        LessonRun run("iris");
        CheckpointKeeper byLoss(*run.state, {}, {"loss", false, 0});
        QVERIFY(byLoss.noteEvaluation(1.5).isBest);
        QCOMPARE(byLoss.noteEvaluation(2).withoutImprovement, int64_t{1});
        CheckpointKeeper byAccuracy(*run.state, {}, {"accuracy", true, 0});
        const Progress progress = byAccuracy.noteEvaluation(0.5);
        QVERIFY(progress.isBest);
        QCOMPARE(progress.withoutImprovement, int64_t{0});
        QVERIFY(!byLoss.noteEvaluation(1.75).isBest);
        byLoss.forget();
        QVERIFY(byLoss.noteEvaluation(1.75).isBest);
    }

    void aCheckpointThatKnowsOnlyItsBestLossContinuesFromThat() {
        LessonRun run("iris");
        run.state->properties()["temper.best_loss"] = 0.5F;
        run.state->properties()["temper.evaluations_without_improvement"] = int64_t{2};
        CheckpointKeeper keeper(*run.state, {});
        QCOMPARE(keeper.noteEvaluation(0.75).withoutImprovement, int64_t{3});
        QCOMPARE(keeper.noteEvaluation(0.25).withoutImprovement, int64_t{0});
    }

    void theDecidingMetricIsMeasuredWithTheOthers() {
        LessonRun run("iris");
        run.spec.epochs = 1;
        run.spec.metrics = {"top-5-accuracy"};
        run.spec.bestMetric = "accuracy";
        QCOMPARE(run.run(), RunOutcome::Finished);
        const auto metrics = run.all<EvalEvent>().back().metrics;
        QCOMPARE(metrics.size(), size_t{2});
        QVERIFY(metrics.contains("accuracy") && metrics.contains("top-5-accuracy"));
    }

    void withoutEvaluationsNothingIsTheBest_data() {
        QTest::addColumn<QString>("metric");
        QTest::addColumn<int>("patience");
        QTest::addColumn<bool>("warns");
        QTest::newRow("neither is asked for") << "loss" << 0 << false;
        QTest::newRow("a metric") << "accuracy" << 0 << true;
        QTest::newRow("an early stop") << "loss" << 3 << true;
    }

    void withoutEvaluationsNothingIsTheBest() {
        QFETCH(QString, metric);
        QFETCH(int, patience);
        QFETCH(bool, warns);
        LessonRun run("iris");
        run.data.evaluation.reset();
        run.spec.epochs = 1;
        run.spec.bestMetric = metric.toStdString();
        run.spec.earlyStopPatience = patience;
        QCOMPARE(run.run(), RunOutcome::Finished);
        const auto warnings = run.all<WarningEvent>();
        QCOMPARE(warnings.size(), size_t{warns});
        if (warns) QVERIFY(warnings[0].message.find("evaluation samples") != std::string::npos);
    }

    void stopRulesThatAreNotNumbersAreRefused_data() {
        QTest::addColumn<int>("patience");
        QTest::addColumn<double>("minDelta");
        QTest::addColumn<double>("timeLimit");
        QTest::addColumn<QString>("named");
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("negative patience")
            << -1 << 0.0 << 0.0 << "'Early stop after' is -1; expected 0 or more";
        QTest::newRow("negative improvement") << 0 << -0.5 << 0.0 << "improvement";
        QTest::newRow("improvement that is no number")
            << 0 << nan << 0.0 << "'Minimum improvement' is nan";
        QTest::newRow("negative time")
            << 0 << 0.0 << -60.0 << "'Time limit' is -60 s; expected 0 or more";
        QTest::newRow("time that is no number") << 0 << 0.0 << nan << "'Time limit'";
    }

    void stopRulesThatAreNotNumbersAreRefused() {
        QFETCH(QString, named);
        LessonRun run("iris");
        QFETCH(int, patience);
        QFETCH(double, minDelta);
        QFETCH(double, timeLimit);
        run.spec.earlyStopPatience = patience;
        run.spec.earlyStopMinDelta = minDelta;
        run.spec.timeLimit = timeLimit;
        QCOMPARE(run.run(), RunOutcome::Failed);
        QVERIFY2(run.all<EndEvent>().back().message.find(named.toStdString()) != std::string::npos,
                 run.all<EndEvent>().back().message.c_str());
        QVERIFY(run.all<StepEvent>().empty());
    }

    void projectsAndCommandsHaveTheChoices() {
        ProjectFile project;
        RunSpec& run = project.spec.run;
        run.bestMetric = "accuracy";
        run.earlyStopPatience = 5;
        run.earlyStopMinDelta = 0.0625;
        run.timeLimit = 90;
        const ProjectFile read = projectFromJson(toJson(project, "/home/a/p"), "/home/a/p");
        QVERIFY(read == project);
        const std::string command = commandLineOf(project.spec, {});
        for (const char* flag :
             {"--best-metric accuracy", "--early-stop 5", "--min-delta 0.0625", "--time-limit 90"})
            QVERIFY2(command.find(flag) != std::string::npos, command.c_str());
        run = {};
        QVERIFY(commandLineOf(project.spec, {}).find("--time-limit") == std::string::npos);
    }

    void anUnknownBestMetricIsRefused() {
        LessonRun run("iris");
        run.spec.bestMetric = "mae";
        QCOMPARE(run.run(), RunOutcome::Failed);
        QVERIFY(run.all<EndEvent>().back().message.find("mae") != std::string::npos);
        QVERIFY(run.all<StepEvent>().empty());
    }

    void aRunEndsAtItsTimeLimit() {
        LessonRun run("iris");
        run.spec.epochs = 1000000;
        run.spec.timeLimit = 0.2;
        QCOMPARE(run.run(), RunOutcome::Finished);
        const EndEvent end = run.all<EndEvent>().back();
        QVERIFY(end.seconds >= 0.2);
        QVERIFY(end.step < 8 * run.spec.epochs);
        QVERIFY(run.all<WarningEvent>().back().message.find("time limit") != std::string::npos);
        QCOMPARE(run.all<EvalEvent>().back().step, end.step);
    }

    /// Its time restarts: all the steps of a second start are after those of the first.
    void aRunThatContinuesHasAllOfItsTime() {
        LessonRun run("iris");
        run.spec.epochs = 1000000;
        run.spec.timeLimit = 0.2;
        QCOMPARE(run.run(), RunOutcome::Finished);
        const EndEvent first = run.all<EndEvent>().back();
        RunControl again;
        QCOMPARE(run.run(again), RunOutcome::Finished);
        const EndEvent second = run.all<EndEvent>().back();
        QCOMPARE(run.all<StartedEvent>().back().firstStep, first.step);
        QVERIFY(second.seconds >= 0.2 && second.step > first.step);
    }

    void pausesDoNotCountAsTimeOfARun() {
        LessonRun run("iris");
        run.spec.epochs = 1;
        run.spec.timeLimit = 2;
        run.control.pause();
        std::jthread resuming;
        run.onEvent = [&](const RunEvent& event) {
            if (!std::holds_alternative<PausedEvent>(event.fact)) return;
            resuming = std::jthread([&run] {
                std::this_thread::sleep_for(std::chrono::milliseconds(2100));
                run.control.resume();
            });
        };
        QCOMPARE(run.run(), RunOutcome::Finished);
        QVERIFY(run.all<EndEvent>().back().seconds > run.spec.timeLimit);
        QCOMPARE(run.all<StepEvent>().size(), size_t{8});
        QVERIFY(run.all<WarningEvent>().empty());
    }
};

QTEST_GUILESS_MAIN(EarlyStopTest)
#include "early_stop_test.moc"
