// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>
#include <functional>

#include "engine/core/random.h"
#include "engine/training/monitors/divergence_watch.h"
#include "engine/training/projects/command_line.h"
#include "engine/training/session/run_properties.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

/// The loss of a sample at step 1, 2, ... of a run that has its own random numbers.
using Losses = std::function<double(int64_t step, Random& random)>;

constexpr int64_t kRise = 300;  ///< after this step losses diverge

double exponential(Random& random) { return -std::log(1 - random.uniform()); }

/// Feeds means over `samples` losses until it is certain that they diverge.
std::optional<Divergence> watch(const Losses& losses, uint64_t seed, int64_t steps,
                                int64_t samples) {
    DivergenceWatch guard;
    Random random(seed);
    for (int64_t step = 1; step <= steps; ++step) {
        StepEvent event;
        event.step = step;
        event.samples = samples;
        for (int64_t i = 0; i < samples; ++i) event.loss += losses(step, random) / double(samples);
        if (const auto found = guard.note(event)) return found;
    }
    return std::nullopt;
}

/// A run with a guard for going back; the rate is set by hand after the step `at`.
RunOutcome runGuarded(LessonRun& run, RollbackGuard& guard, int64_t at = 0, double rate = 0) {
    RunControl control;
    Trainer trainer(*run.session, run.data, run.spec, control, [&](const RunEvent& event) {
        run.events.push_back(event);
        const auto* step = std::get_if<StepEvent>(&event.fact);
        if (step != nullptr && step->step == at) keepFixedLearningRate(*run.state, rate);
    });
    trainer.keepGoodState(guard);
    return trainer.run();
}

/// A rate that is far too high does not yet give infinity: clipping keeps all numbers finite.
void letDiverge(LessonRun& run) {
    run.spec.steps = 600;
    run.spec.clipNorm = 1;
    run.spec.schedule = {"constant", {}};
    run.data.evaluation = nullptr;
}

}  // namespace

class DivergenceTest : public QObject {
    Q_OBJECT

private slots:
    void healthyLossesAreLeftAlone_data() {
        QTest::addColumn<Losses>("losses");
        const auto row = [](const char* name, Losses losses) { QTest::newRow(name) << losses; };
        const auto fall = [](int64_t step) { return 2.3 * std::exp(-double(step) / 400); };
        row("falls smoothly", [=](int64_t step, Random&) { return fall(step); });
        row("normal noise",
            [=](int64_t step, Random& random) { return fall(step) + 0.5 * random.normal(); });
        row("one sample a batch",
            [=](int64_t step, Random& random) { return fall(step) * exponential(random); });
        row("never learns, one sample a batch",
            [](int64_t, Random& random) { return exponential(random); });
        row("tails over many powers of ten",
            [](int64_t, Random& random) { return std::exp(2 * random.normal()); });
        row("tails without a mean",
            [](int64_t, Random& random) { return std::abs(random.normal() / random.normal()); });
        row("in large units", [](int64_t, Random& random) { return 1e9 * exponential(random); });
        row("near zero", [](int64_t, Random& random) { return 1e-7 * exponential(random); });
        row("all zero", [](int64_t, Random&) { return 0.0; });
        row("was trained, and loses some of it at a high rate", [](int64_t step, Random& random) {
            return (step < 100 ? 1e-4 : 0.4) * exponential(random);
        });
        row("falls below zero", [](int64_t step, Random& random) {
            return 1 - double(step) / 100 + 0.3 * random.normal();
        });
        row("far below zero", [](int64_t, Random& random) { return -1e4 + random.normal(); });
        row("warm restarts", [=](int64_t step, Random& random) {
            return fall(step % 500) * (0.5 + random.uniform());
        });
        row("rises at first, as in a warm-up", [](int64_t step, Random& random) {
            return (step < 200 ? 2.3 + 0.01 * double(step) : 1.0) + 0.2 * random.normal();
        });
        row("forgets half of what it learned", [](int64_t step, Random& random) {
            return (step > 100 && step < 1000 ? 0.1
                    : step < 1000             ? 2.4
                                              : 1.2) +
                   0.05 * random.normal();
        });
        row("nine bad batches in a row, again and again", [](int64_t step, Random& random) {
            return (step % 50 < 9 ? 1e6 : 1) * exponential(random);
        });
        row("two in five batches are bad", [](int64_t step, Random& random) {
            return (step % 5 < 2 && step > 40 ? 1e6 : 1) + random.uniform();
        });
        row("recovers from a leap", [=](int64_t step, Random& random) {
            const double leap = step < kRise ? 0 : 100 * std::exp(-double(step - kRise) / 60);
            return fall(step) + leap + 0.05 * random.normal();
        });
    }

    void healthyLossesAreLeftAlone() {
        QFETCH(Losses, losses);
        for (uint64_t seed = 1; seed <= 40; ++seed) {
            const auto found = watch(losses, seed, 2000, seed % 2 == 0 ? 1 : 16);
            QVERIFY2(!found, qPrintable(QString("seed %1, step %2: %3 above %4")
                                            .arg(seed)
                                            .arg(found ? found->step : 0)
                                            .arg(found ? found->level : 0)
                                            .arg(found ? found->limit : 0)));
        }
    }

    void lossesThatRunAwayAreFound_data() {
        QTest::addColumn<Losses>("losses");
        QTest::addColumn<int64_t>("rise");
        QTest::addColumn<int64_t>("latest");
        const auto row = [](const char* name, Losses losses, int64_t rise, int64_t latest) {
            QTest::newRow(name) << losses << rise << latest;
        };
        const auto healthy = [](int64_t step, Random& random) {
            return 2.3 * std::exp(-double(step) / 100) + 0.1 * random.uniform();
        };
        row(
            "grows without end",
            [=](int64_t step, Random& random) {
                return step <= kRise ? healthy(step, random) : std::exp(0.3 * double(step - kRise));
            },
            kRise, kRise + 60);
        row(
            "grows slowly",
            [=](int64_t step, Random& random) {
                return healthy(step, random) + std::exp(0.02 * double(step - kRise)) - 1;
            },
            kRise, kRise + 200);
        row(
            "leaps and stays, with a lot of noise",
            [=](int64_t step, Random& random) {
                return step <= kRise ? healthy(step, random) : 50 * (0.2 + exponential(random));
            },
            kRise, kRise + 100);
        row(
            "in large units",
            [=](int64_t step, Random& random) {
                return 1e9 * (step <= kRise ? healthy(step, random) : 40 + random.normal());
            },
            kRise, kRise + 80);
        row(
            "forgets all it learned",
            [=](int64_t step, Random& random) {
                return step <= kRise ? healthy(step, random) : 2.3 + 0.05 * random.normal();
            },
            kRise, kRise + 120);
        row(
            "a trained model forgets all",
            [](int64_t step, Random& random) {
                return (step <= kRise ? 0.1 : 2.4) + 0.05 * random.normal();
            },
            kRise, kRise + 80);
        row(
            "from far below zero",
            [](int64_t step, Random& random) {
                return (step <= kRise ? -double(step) : 2000.0) + random.normal();
            },
            kRise, kRise + 80);
        row(
            "from the first step on, to a plateau",
            [](int64_t step, Random& random) {
                return step == 1 ? 2.3 : 400 * (0.5 + random.uniform());
            },
            int64_t{1}, int64_t{120});
        row(
            "from the first step on, linearly",
            [](int64_t step, Random&) { return 2.3 + double(std::min<int64_t>(step, 300)); },
            int64_t{1}, int64_t{100});
    }

    void lossesThatRunAwayAreFound() {
        QFETCH(Losses, losses);
        QFETCH(int64_t, rise);
        QFETCH(int64_t, latest);
        for (uint64_t seed = 1; seed <= 20; ++seed) {
            const auto found = watch(losses, seed, 2000, 16);
            QVERIFY2(found, qPrintable(QString::number(seed)));
            QVERIFY2(found->step <= latest, qPrintable(QString::number(found->step)));
            QVERIFY(found->since > rise && found->since < found->step);
            QVERIFY(found->level > found->limit && found->limit > found->best);
        }
    }

    void aRunWhoseLossRunsAwayFailsAndContinuesFromBefore_data() {
        QTest::addColumn<std::string>("lesson");
        QTest::addColumn<int64_t>("at");
        QTest::addColumn<double>("rate");
        QTest::newRow("loses all it learned") << std::string("digits") << int64_t{100} << 1.0;
        QTest::newRow("numbers without bounds") << std::string("sine") << int64_t{200} << 3.0;
        QTest::newRow("classes") << std::string("iris") << int64_t{200} << 30.0;
        QTest::newRow("too high at once") << std::string("sine") << int64_t{0} << 10.0;
    }

    void aRunWhoseLossRunsAwayFailsAndContinuesFromBefore() {
        QFETCH(std::string, lesson);
        QFETCH(int64_t, at);
        QFETCH(double, rate);
        TrainingSpec spec = findLesson(lesson).spec;
        if (lesson != "digits") spec.artifacts.optimizer = {"sgd", {}};
        LessonRun run(spec, lesson);
        letDiverge(run);
        if (lesson != "digits") run.spec.learningRate = 0.05;
        const double healthyRate = run.spec.learningRate;
        if (at == 0) run.spec.learningRate = rate;
        RollbackGuard guard;
        QCOMPARE(runGuarded(run, guard, at, rate), RunOutcome::Failed);
        const EndEvent end = run.all<EndEvent>().back();
        for (const double loss : run.losses()) QVERIFY(std::isfinite(loss));
        qInfo("%s", end.message.c_str());
        QCOMPARE(end.code, std::string("R002"));
        QVERIFY2(end.message.find("The loss rose") == 0, end.message.c_str());
        QVERIFY2(end.message.find("step " + std::to_string(end.step)) != std::string::npos,
                 end.message.c_str());
        QVERIFY(!end.hint.empty());
        QVERIFY(end.step < 400);
        const auto nodes = run.session->artifacts().trainingModel->nodes();
        QVERIFY2(std::ranges::count(nodes, end.node, &Node::name) == 1, end.node.c_str());

        QVERIFY(end.goodStep);
        QVERIFY2(*end.goodStep <= std::max<int64_t>(at, 10),
                 qPrintable(QString::number(*end.goodStep)));
        if (at > 0) QVERIFY(*end.goodStep > 0);
        QCOMPARE(guard.rollBack(*run.state), *end.goodStep);
        run.events.clear();
        run.spec.learningRate = healthyRate;
        QCOMPARE(runGuarded(run, guard), RunOutcome::Finished);
        QVERIFY(run.losses().back() < 1);
    }

    /// Without the guard the same run continues to its end, identical up to the failure.
    void theGuardCanBeSwitchedOff() {
        TrainingSpec spec = findLesson("sine").spec;
        spec.artifacts.optimizer = {"sgd", {}};
        LessonRun guarded(spec, "sine"), free(spec, "sine");
        for (LessonRun* run : {&guarded, &free}) {
            letDiverge(*run);
            run->spec.learningRate = 3;
        }
        free.spec.divergenceGuard = false;
        QCOMPARE(guarded.run(), RunOutcome::Failed);
        QCOMPARE(free.run(), RunOutcome::Finished);
        std::vector<double> losses = free.losses();
        QCOMPARE(losses.size(), size_t{600});
        losses.resize(guarded.losses().size());
        QCOMPARE(guarded.losses(), losses);
    }

    void aHealthyRunIsTheSameToTheBit() {
        LessonRun guarded("digits"), free("digits");
        guarded.spec.steps = free.spec.steps = 100;
        free.spec.divergenceGuard = false;
        QCOMPARE(guarded.run(), RunOutcome::Finished);
        QCOMPARE(free.run(), RunOutcome::Finished);
        QCOMPARE(guarded.losses(), free.losses());
        QCOMPARE(guarded.parameters(), free.parameters());
    }

    /// As shipped, if they can be trained that way; lesson_test checks their goals.
    void noLessonIsEnded_data() {
        QTest::addColumn<QString>("name");
        for (const Lesson& lesson : bundledLessons())
            if (lesson.name != "broken" && lesson.name != "exploding")
                QTest::newRow(lesson.name.c_str()) << QString::fromStdString(lesson.name);
    }

    void noLessonIsEnded() {
        QFETCH(QString, name);
        for (const int64_t batch : {1, 4, 0}) {  // 0: the lesson's batch size
            LessonRun run(name.toStdString());
            if (batch > 0) run.spec.batchSize = batch;
            run.spec.steps = 1500;
            run.data.evaluation = nullptr;
            run.spec.schedule = {"constant", {}};
            QVERIFY2(run.run() == RunOutcome::Finished, run.all<EndEvent>().back().message.c_str());
        }
    }

    void choicesAreKept() {
        TrainingSpec spec;
        QVERIFY(spec.run.divergenceGuard);
        spec.run.divergenceGuard = false;
        QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
        QVERIFY(commandLineOf(spec, {}).find("--no-divergence-guard") != std::string::npos);
        QVERIFY(commandLineOf({}, {}).find("divergence") == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(DivergenceTest)
#include "divergence_test.moc"
