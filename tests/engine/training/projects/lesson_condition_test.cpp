// SPDX-License-Identifier: Apache-2.0
#include "engine/training/projects/lesson_condition.h"

#include <QStringList>
#include <QTest>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/training/projects/lesson.h"

using namespace temper;

namespace {

using Edit = std::function<void(LessonFacts&)>;

/// A learner has opened the lesson and done nothing yet.
LessonFacts factsAtTheStart(const Lesson& lesson) {
    LessonFacts facts;
    facts.places = {"model", "lesson"};
    facts.runSpec = facts.spec = lesson.spec;
    return facts;
}

}  // namespace

class LessonConditionTest : public QObject {
    Q_OBJECT

private slots:
    void allThatIsSetHasToHold_data() {
        QTest::addColumn<LessonCondition>("condition");
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<bool>("expected");
        const auto row = [](const char* name, const LessonCondition& condition, const Edit& edit,
                            bool expected) {
            QTest::newRow(name) << condition << edit << expected;
        };
        const Edit none = [](LessonFacts&) {};
        const Edit finished = [](LessonFacts& facts) { facts.run = "finished"; };
        const Edit failed = [](LessonFacts& facts) { facts.run = "failed"; };
        row("page shown", {.place = "model"}, none, true);
        row("page not shown", {.place = "data"}, none, false);
        row(
            "act", {.act = "export"}, [](LessonFacts& f) { f.act = "export"; }, true);
        row(
            "another act", {.act = "export"}, [](LessonFacts& f) { f.act = "draw"; }, false);
        row("no run yet", {.run = "ended"}, none, false);
        row("finished", {.run = "finished"}, finished, true);
        row("failed is not finished", {.run = "finished"}, failed, false);
        row("failed is an end", {.run = "ended"}, failed, true);
        row(
            "running is no end", {.run = "ended"}, [](LessonFacts& f) { f.run = "running"; },
            false);
        row(
            "too few steps", {.steps = 100}, [](LessonFacts& f) { f.steps = 99; }, false);
        row(
            "enough steps", {.steps = 100}, [](LessonFacts& f) { f.steps = 100; }, true);
        row(
            "page and steps, one missing", {.place = "data", .steps = 1},
            [](LessonFacts& f) { f.steps = 5; }, false);
        row("goal, nothing evaluated", {.reachesGoal = true}, finished, false);
        row(
            "goal missed", {.reachesGoal = true},
            [](LessonFacts& f) {
                f.metrics = {{"accuracy", 0.5}};
            },
            false);
        row(
            "goal reached", {.reachesGoal = true},
            [](LessonFacts& f) {
                f.metrics = {{"accuracy", 0.99}};
            },
            true);
        const LessonCondition rate{.changed = {"/run/learning_rate"}};
        const LessonCondition runAtRate{.run = "finished", .changed = {"/run/learning_rate"}};
        const Edit chooseRate = [](LessonFacts& f) { f.spec.run.learningRate = 0.1; };
        row("choice as shipped", rate, none, false);
        row("choice changed", rate, chooseRate, true);
        row(
            "another choice changed", rate, [](LessonFacts& f) { f.spec.run.session.seed = 9; },
            false);
        row(
            "changed after the run", runAtRate, [=](LessonFacts& f) { chooseRate(f), finished(f); },
            false);
        row(
            "changed before the run", runAtRate,
            [=](LessonFacts& f) {
                finished(f);
                f.runSpec.run.learningRate = 0.1;
            },
            true);
        const LessonCondition either{.changed = {"/artifacts/trainable", "/artifacts/frozen"}};
        row(
            "one of two", either, [](LessonFacts& f) { f.spec.artifacts.frozen = {"0.*"}; }, true);
        row(
            "value of an optimizer", {.changed = {"/artifacts/optimizer/values/weight_decay"}},
            [](LessonFacts& f) { f.spec.artifacts.optimizer.values["weight_decay"] = 1; }, true);
        LessonCondition other = rate;
        other.kept = {"/run/seed"};
        row("kept", other, chooseRate, true);
        row(
            "not kept", other, [=](LessonFacts& f) { chooseRate(f), f.spec.run.session.seed = 9; },
            false);
    }
    void allThatIsSetHasToHold() {
        QFETCH(LessonCondition, condition);
        QFETCH(Edit, edit);
        QFETCH(bool, expected);
        const Lesson lesson = findLesson("iris");
        LessonFacts facts = factsAtTheStart(lesson);
        edit(facts);
        QCOMPARE(isMet(condition, lesson, facts), expected);
    }

    void everyStepHasACondition() {
        for (const Lesson& lesson : bundledLessons())
            QCOMPARE(stepConditions(lesson).size(), lesson.steps.size());
    }

    void noStepIsDoneAtTheStart() {
        for (const Lesson& lesson : bundledLessons())
            for (const LessonCondition& done : stepConditions(lesson))
                QVERIFY2(!isMet(done, lesson, factsAtTheStart(lesson)), lesson.name.c_str());
    }

    /// A misspelled choice would never change.
    void conditionsAreAboutChoicesThatExist() {
        for (const Lesson& lesson : bundledLessons()) {
            TrainingSpec chosen = lesson.spec;
            chosen.artifacts.optimizer.values = {{"weight_decay", 0.5}};
            const auto spec = nlohmann::json::parse(toJson(chosen));
            for (const LessonCondition& done : stepConditions(lesson))
                for (const auto* choices : {&done.changed, &done.kept})
                    for (const std::string& choice : *choices)
                        QVERIFY2(spec.contains(nlohmann::json::json_pointer(choice)),
                                 choice.c_str());
        }
    }

    void conditionsAreAboutStatesThatExist() {
        const QStringList states = {"", "paused", "finished", "failed", "ended"};
        for (const Lesson& lesson : bundledLessons())
            for (const LessonCondition& done : stepConditions(lesson))
                QVERIFY2(states.contains(QString::fromStdString(done.run)), done.run.c_str());
    }
};

QTEST_GUILESS_MAIN(LessonConditionTest)
#include "lesson_condition_test.moc"
