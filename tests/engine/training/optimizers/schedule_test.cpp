// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/session/run_properties.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

/// From schedule_golden.json, which make_schedule_golden.py computes with PyTorch.
QJsonArray goldenCases() {
    QFile file(TEMPER_SOURCE_DIR "/tests/engine/training/optimizers/schedule_golden.json");
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll()).array();
}

Selection selectionOf(const QJsonObject& golden) {
    Selection selection{golden["schedule"].toString().toStdString(), {}};
    const QJsonObject values = golden["values"].toObject();
    for (auto i = values.begin(); i != values.end(); ++i) {
        selection.values[i.key().toStdString()] = i.value().toDouble();
    }
    const QJsonObject lists = golden["lists"].toObject();
    for (auto i = lists.begin(); i != lists.end(); ++i) {
        for (const QJsonValue& value : i.value().toArray()) {
            selection.lists[i.key().toStdString()].push_back(value.toDouble());
        }
    }
    return selection;
}

std::unique_ptr<LrSchedule> makeSchedule(const QJsonObject& golden) {
    return makeLrSchedule(selectionOf(golden), golden["rate"].toDouble(), golden["steps"].toInt());
}

/// 0.4, 0.3, 0.2, ...: a tenth less with each evaluation that it receives.
class FallingSchedule final : public LrSchedule {
public:
    double rateAt(int64_t) const override { return rate_; }
    void noteEvaluation(double) override { rate_ -= 0.1; }
    std::string state() const override { return "falling " + std::to_string(rate_); }
    void restore(const std::string& state) override { rate_ = std::stod(state.substr(8)); }

private:
    double rate_ = 0.4;
};

std::vector<double> ratesOf(const LessonRun& run) {
    std::vector<double> rates;
    for (const StepEvent& step : run.all<StepEvent>()) rates.push_back(step.learningRate);
    return rates;
}

}  // namespace

class ScheduleTest : public QObject {
    Q_OBJECT

private slots:
    void ratesAreThoseOfPyTorch_data() {
        QTest::addColumn<QJsonObject>("golden");
        int number = 0;
        for (const QJsonValue& golden : goldenCases()) {
            QTest::addRow("%s, case %d", qPrintable(golden["schedule"].toString()), ++number)
                << golden.toObject();
        }
        QVERIFY2(number >= 19, qPrintable(QString::number(number)));
    }

    void ratesAreThoseOfPyTorch() {
        QFETCH(QJsonObject, golden);
        const auto schedule = makeSchedule(golden);
        const QJsonArray rates = golden["rates"].toArray();
        const QJsonArray losses = golden["losses"].toArray();
        QCOMPARE(rates.size(), 20);
        QCOMPARE(schedule->needsEvaluations(), !losses.isEmpty());
        for (int step = 0; step < rates.size(); ++step) {
            const double expected = rates[step].toDouble();
            const double rate = schedule->rateAt(step);
            QVERIFY2(std::abs(rate - expected) <= 1e-9 * std::abs(expected) + 1e-15,
                     qPrintable(QString("step %1: %2, PyTorch %3")
                                    .arg(step)
                                    .arg(rate, 0, 'g', 12)
                                    .arg(expected, 0, 'g', 12)));
            if (step < losses.size()) schedule->noteEvaluation(losses[step].toDouble());
        }
    }

    void aScheduleContinuesFromItsState_data() { ratesAreThoseOfPyTorch_data(); }

    void aScheduleContinuesFromItsState() {
        QFETCH(QJsonObject, golden);
        const QJsonArray losses = golden["losses"].toArray();
        const auto whole = makeSchedule(golden);
        for (int cut = 0; cut < 20; ++cut) {
            const auto rest = makeSchedule(golden);
            rest->restore(whole->state());
            QCOMPARE(rest->rateAt(cut), whole->rateAt(cut));
            QCOMPARE(rest->state(), whole->state());
            if (cut < losses.size()) whole->noteEvaluation(losses[cut].toDouble());
        }
    }

    void everyChoiceIsTestedAgainstPyTorch() {
        for (const Choice& choice : scheduleChoices()) {
            const auto cases = goldenCases();
            QVERIFY2(std::any_of(cases.begin(), cases.end(),
                                 [&](const QJsonValue& golden) {
                                     return golden["schedule"].toString().toStdString() ==
                                            choice.key;
                                 }),
                     choice.key.c_str());
        }
    }

    void schedulesThatDependOnTheNumberOfStepsSaySo() {
        for (const Choice& choice : scheduleChoices()) {
            const Selection selection{choice.key, {}};
            const auto shorter = makeLrSchedule(selection, 0.1, 10);
            const auto longer = makeLrSchedule(selection, 0.1, 20);
            bool differ = false;
            for (int step = 0; step < 10; ++step)
                differ = differ || shorter->rateAt(step) != longer->rateAt(step);
            QVERIFY2(needsTotalSteps(selection) == differ, choice.key.c_str());
        }
    }

    void whatIsOutOfRangeIsNamed_data() {
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<QString>("key");
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("message");
        QTest::newRow("unknown schedule") << "sine"
                                          << "warmup_steps" << 1.0 << "'sine' is unknown.";
        QTest::newRow("unknown hyperparameter")
            << "linear"
            << "gamma" << 1.0 << "'linear' has no hyperparameter 'gamma'.";
        QTest::newRow("out of range")
            << "step"
            << "step_size" << 0.0 << "'step_size' of 'step' is 0; expected 1 to 1e+09.";
    }

    void whatIsOutOfRangeIsNamed() {
        QFETCH(QString, schedule);
        QFETCH(QString, key);
        QFETCH(double, value);
        QFETCH(QString, message);
        try {
            makeLrSchedule({schedule.toStdString(), {{key.toStdString(), value}}}, 0.1, 10);
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(QString(error.what()), message);
        }
    }

    void listsSurviveJson() {
        TrainingSpec spec;
        spec.run.schedule = {"multi-step", {{"gamma", 0.5}}, {{"milestones", {3, 5, 8}}}};
        const TrainingSpec read = trainingSpecFromJson(toJson(spec));
        QVERIFY(read == spec);
        QCOMPARE(read.run.schedule.list(scheduleChoices(), "milestones"),
                 (std::vector<double>{3, 5, 8}));
    }

    void theTrainerLowersTheRateOnAPlateauAndContinues() {
        const QTemporaryDir folder;
        LessonRun whole("iris");
        LessonRun first("iris");
        LessonRun second("iris");
        for (LessonRun* run : {&whole, &first, &second}) {
            run->spec.steps = 24;
            run->spec.learningRate = 0.3;
            run->spec.evaluateEvery = 2;
            run->spec.schedule = {"plateau",
                                  {{"patience", 0}, {"factor", 0.3}, {"threshold", 0.1}}};
        }
        QCOMPARE(whole.run(), RunOutcome::Finished);
        const std::vector<double> rates = ratesOf(whole);
        QCOMPARE(rates.front(), 0.3);
        QVERIFY(rates.back() < 0.1);
        first.spec.saveFolder = folder.path().toStdString();
        first.onEvent = [&](const RunEvent& event) {
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step != nullptr && step->step == 15) first.control.stop();
        };
        QCOMPARE(first.run(), RunOutcome::Stopped);
        second.state->assign(readCheckpoint(first.all<CheckpointEvent>().back().path));
        QCOMPARE(second.run(), RunOutcome::Finished);
        std::vector<double> both = ratesOf(first);
        std::ranges::copy(ratesOf(second), std::back_inserter(both));
        QCOMPARE(both, rates);
        QCOMPARE(second.parameters(), whole.parameters());
        QVERIFY(second.state->properties() == whole.state->properties());
    }

    void aPlateauNeedsEvaluationSamples() {
        LessonRun run("iris");
        run.data.evaluation = nullptr;
        run.spec.schedule = {"plateau", {}};
        QCOMPARE(run.run(), RunOutcome::Failed);
        QCOMPARE(QString::fromStdString(run.all<EndEvent>().back().message),
                 "The schedule 'plateau' needs evaluations, but there are no evaluation samples.");
    }

    void aRateSetByHandOutlivesTheProcess() {
        const QTemporaryDir folder;
        LessonRun first("iris");
        LessonRun second("iris");
        for (LessonRun* run : {&first, &second}) {
            run->spec.steps = 12;
            run->spec.schedule = {"cosine", {}};
        }
        first.spec.saveFolder = folder.path().toStdString();
        first.onEvent = [&](const RunEvent& event) {
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step != nullptr && step->step == 4) first.control.setLearningRate(0.0123);
            if (step != nullptr && step->step == 6) first.control.stop();
        };
        QCOMPARE(first.run(), RunOutcome::Stopped);
        second.state->assign(readCheckpoint(first.all<CheckpointEvent>().back().path));
        second.onEvent = [&](const RunEvent& event) {
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step != nullptr && step->step == 9) second.control.followSchedule();
        };
        QCOMPARE(second.run(), RunOutcome::Finished);
        const std::vector<double> rates = ratesOf(second);
        QCOMPARE(std::vector<double>(rates.begin(), rates.begin() + 3),
                 (std::vector<double>{0.0123, 0.0123, 0.0123}));
        const auto schedule = makeLrSchedule({"cosine", {}}, second.spec.learningRate, 12);
        QCOMPARE(rates[3], schedule->rateAt(9));
        QVERIFY(!fixedLearningRate(*second.state));
    }

    void aSessionBeginsWithTheRateOfItsState() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("checkpoint").toStdString();
        LessonRun first("iris");
        QCOMPARE(first.session->learningRate(), 1e-3F);
        first.session->setLearningRate(0.0371F);
        first.state->save(path, true);
        const LessonRun other("iris");
        auto state = std::make_shared<CheckpointState>(readCheckpoint(path));
        const TrainingSession session(other.session->artifacts(), state,
                                      std::make_shared<const OpSet>(standardOps()));
        QCOMPARE(session.learningRate(), 0.0371F);
    }

    void aCustomScheduleDrivesASession() {
        LessonRun run("iris");
        QVERIFY_EXCEPTION_THROWN(run.session->schedulerNoteEvaluation(1), Error);
        run.session->registerLrSchedule(std::make_shared<FallingSchedule>());
        run.session->schedulerStep();
        QCOMPARE(run.session->learningRate(), 0.4F);
        run.session->schedulerNoteEvaluation(1);
        run.session->schedulerStep();
        QCOMPARE(run.session->learningRate(), 0.3F);
        run.session->registerLrSchedule(std::make_shared<FallingSchedule>());
        run.session->schedulerStep();
        QCOMPARE(run.session->learningRate(), 0.3F);  // it continued
        run.session->registerLrSchedule(
            std::make_shared<CurveSchedule>([](int64_t step) { return 0.5 / double(step + 1); }));
        run.state->optimizerState().step = 4;
        run.session->schedulerStep();
        QCOMPARE(run.session->learningRate(), 0.1F);
    }

    void aCustomScheduleDrivesATrainer() {
        LessonRun run("iris");
        run.spec.steps = 4;
        run.spec.evaluateEvery = 2;
        Trainer trainer(*run.session, run.data, run.spec, run.control,
                        [&](const RunEvent& event) { run.events.push_back(event); });
        trainer.setSchedule(std::make_unique<FallingSchedule>());
        QCOMPARE(trainer.run(), RunOutcome::Finished);
        QCOMPARE(ratesOf(run), (std::vector<double>{0.4, 0.4, 0.4 - 0.1, 0.4 - 0.1}));
    }
};

QTEST_GUILESS_MAIN(ScheduleTest)
#include "schedule_test.moc"
