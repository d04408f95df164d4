// SPDX-License-Identifier: Apache-2.0
#include "engine/training/projects/lesson.h"

#include <QFile>
#include <QTest>
#include <cmath>
#include <numeric>

#include "engine/core/error.h"
#include "engine/data/data_health.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/projects/lesson_curve.h"
#include "resources/embedded.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

/// TEMPER_WRITE_LESSON_CURVES=1 writes the curves of the lessons' runs, for resources/lessons.
bool writesCurves() { return qEnvironmentVariableIsSet("TEMPER_WRITE_LESSON_CURVES"); }

void writeCurve(const Lesson& lesson, const std::string& curve) {
    QFile file(QStringLiteral(TEMPER_SOURCE_DIR "/resources/lessons/%1/curve.csv")
                   .arg(QString::fromStdString(lesson.name)));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(curve.data(), static_cast<qint64>(curve.size()));
}

/// The distance of two curves, as a share of the range of the first.
double distance(const LessonCurve& a, const LessonCurve& b) {
    double sum = 0, low = a.front().loss, high = low;
    for (size_t i = 0; i < a.size(); ++i) {
        sum += std::abs(a[i].loss - b[i].loss);
        low = std::min(low, a[i].loss);
        high = std::max(high, a[i].loss);
    }
    return sum / static_cast<double>(a.size()) / (high - low);
}

std::vector<Finding> findingsOf(const Lesson& lesson, const ArtifactSpec& spec) {
    const OpSet ops = standardOps();
    const std::unique_ptr<Graph> model = loadLessonModel(lesson);
    inferTypes(*model, ops.catalog);
    return planArtifacts(*model, ops, spec).findings;
}

QStringList codesOf(const std::vector<Finding>& findings) {
    QStringList codes;
    for (const Finding& finding : findings) codes << QString::fromStdString(finding.code);
    codes.sort();
    return codes;
}

std::vector<ParameterInfo> parametersOf(const Lesson& lesson) {
    const OpSet ops = standardOps();
    const std::unique_ptr<Graph> model = loadLessonModel(lesson);
    inferTypes(*model, ops.catalog);
    return classifyParameters(*model, ops.catalog);
}

}  // namespace

class LessonTest : public QObject {
    Q_OBJECT

private slots:
    void lessonsComeInTeachingOrder() {
        QStringList names;
        for (const Lesson& lesson : bundledLessons()) names += QString::fromStdString(lesson.name);
        QCOMPARE(names, (QStringList{"spirals", "xor", "sine", "iris", "digits", "digits-transfer",
                                     "broken", "tones", "overfitting", "exploding"}));
    }

    void everyLessonIsSmall() {
        size_t bytes = 0;
        for (const std::string& path : embeddedFiles("lessons/"))
            bytes += embeddedFile(path).size();
        QVERIFY2(bytes < 1'000'000, qPrintable(QString::number(bytes)));
    }

    void everyStepSaysWhatToDoAndWhere() {
        for (const Lesson& lesson : bundledLessons()) {
            QVERIFY2(lesson.steps.size() >= 5 && lesson.steps.size() <= 10, lesson.name.c_str());
            for (const LessonStep& step : lesson.steps) {
                QVERIFY2(!step.title.empty() && !step.text.empty(), lesson.name.c_str());
                QVERIFY2(step.page.empty() != step.dock.empty(), step.title.c_str());
            }
            QCOMPARE(lesson.remedy.empty(), !lesson.mended.has_value());
        }
    }

    void unknownLessonsAndFilesAreRefused() {
        try {
            findLesson("chess");
            QFAIL("no error");
        } catch (const Error& error) {
            QVERIFY(QString::fromStdString(error.hint()).contains(QStringLiteral("spirals")));
        }
        QVERIFY_EXCEPTION_THROWN(lessonFiles()("lesson:iris/nothing.csv"), Error);
        QVERIFY(!lessonFiles()("iris.csv").has_value());
    }

    void eachLessonReachesItsGoalOnTheExpectedCurve_data() {
        QTest::addColumn<QString>("name");
        for (const Lesson& lesson : bundledLessons()) {
            QTest::newRow(lesson.name.c_str()) << QString::fromStdString(lesson.name);
        }
    }

    void eachLessonReachesItsGoalOnTheExpectedCurve() {
        QFETCH(QString, name);
        const Lesson lesson = findLesson(name.toStdString());
        QVERIFY(!lesson.title.empty() && !lesson.summary.empty() && !lesson.licence.empty());
        LessonRun run(lesson.goalSpec(), lesson.name, 3);
        QVERIFY(!hasErrors(checkData(*run.data.training)));
        QVERIFY(proposeBinding(*run.session, *run.data.training, {}).findings.empty());
        QVERIFY(run.run() == RunOutcome::Finished);
        const double reached = run.all<EvalEvent>().back().metrics.at(lesson.goal.metric);
        const LessonCurve curve = thinnedCurve(run.losses());
        qInfo("%s: %s %.4f, goal %g", lesson.name.c_str(), lesson.goal.metric.c_str(), reached,
              lesson.goal.value);
        if (writesCurves()) writeCurve(lesson, formatLessonCurve(curve));
        QVERIFY(lesson.goal.isReachedBy(reached));

        LessonRun onOneThread(lesson.goalSpec(), lesson.name, 1);
        QVERIFY(onOneThread.run() == RunOutcome::Finished);
        QVERIFY(onOneThread.losses() == run.losses());
        if (writesCurves()) QSKIP("The curve was written; build again to compare with it.");
        const LessonCurve expected = expectedCurve(lesson);
        QCOMPARE(curve.size(), expected.size());
        // Processors with other vector units round differently; the differences add up over steps.
        const double apart = distance(expected, curve);
        QVERIFY2(apart < 0.02, qPrintable(QString::number(apart)));
    }

    void eachLessonIsExportedWithItsOutput() {
        for (const Lesson& lesson : bundledLessons()) {
            const LessonRun run(lesson.goalSpec(), lesson.name);
            const auto exported = run.session->inferenceModel({lesson.exportOutput});
            QCOMPARE(exported->outputs().size(), size_t{1});
            QCOMPARE(exported->outputs()[0]->name(), lesson.exportOutput);
        }
    }

    void curvesAreThinnedToMeansOfSteps() {
        QVERIFY(thinnedCurve({}).empty());
        QVERIFY(thinnedCurve(std::vector<double>{3}) == (LessonCurve{{1, 3}}));
        std::vector<double> losses(250);
        std::iota(losses.begin(), losses.end(), 1.0);  // the loss equals the step
        const LessonCurve curve = thinnedCurve(losses);
        QCOMPARE(curve.size(), size_t{84});  // three steps each, one in the last
        for (const LessonCurvePoint& point : curve) QCOMPARE(point.loss, point.step);
        QCOMPARE(curve.front().step, 2.0);
        QCOMPARE(curve.back().step, 250.0);
        QCOMPARE(formatLessonCurve({{1.5, 0.25}}), std::string("step,loss\n1.5,0.25\n"));
    }

    void theBrokenLessonIsMendedByWhatTheReportSays() {
        const Lesson lesson = findLesson("broken");
        const std::vector<Finding> broken = findingsOf(lesson, lesson.spec.artifacts);
        QCOMPARE(codesOf(broken), (QStringList{"G002", "W004", "W005"}));
        QVERIFY(hasErrors(broken));
        ArtifactSpec mended = lesson.spec.artifacts;
        for (const Finding& finding : broken) {
            if (finding.code == "G002") mended.straightThrough.push_back(finding.node);
            if (finding.code == "W005") mended.frozen = finding.parameters;
        }
        QCOMPARE(codesOf(findingsOf(lesson, mended)), QStringList{"W004"});
        TrainingSpec spec = lesson.spec;
        spec.artifacts = mended;
        QVERIFY(hasExpectedCurve(lesson, spec, parametersOf(lesson)));
        QCOMPARE(codesOf(findingsOf(lesson, lesson.goalSpec().artifacts)), QStringList{"W004"});
    }

    void theExplodingLessonFailsAsItShips() {
        LessonRun run("exploding");
        QVERIFY(run.run() == RunOutcome::Failed);
        const EndEvent end = run.all<EndEvent>().back();
        qInfo("step %lld: %s", static_cast<long long>(end.step), end.message.c_str());
        QVERIFY(end.step >= 1 && end.step < 60);
    }

    void theOverfittingLessonGetsWorseAfterItsBest() {
        LessonRun run("overfitting");
        QVERIFY(run.run() == RunOutcome::Finished);
        std::vector<double> losses;
        for (const EvalEvent& eval : run.all<EvalEvent>()) losses.push_back(eval.loss);
        const auto best = std::min_element(losses.begin(), losses.end());
        qInfo("best %.3f at evaluation %td of %zu, last %.3f; training %.4f", *best,
              best - losses.begin() + 1, losses.size(), losses.back(), run.losses().back());
        QVERIFY(losses.back() > 1.5 * *best);
        QVERIFY(best - losses.begin() < 60);
        LessonRun stopped("overfitting");
        stopped.spec.earlyStopPatience = 15;
        QVERIFY(stopped.run() == RunOutcome::Finished);
        QVERIFY(stopped.all<EvalEvent>().size() < losses.size());
    }

    void onlyTheChoicesOfALessonHaveItsCurve() {
        const Lesson lesson = findLesson("digits");
        const std::vector<ParameterInfo> parameters = parametersOf(lesson);
        TrainingSpec spec = lesson.spec;
        spec.run.session.threads = 2;
        spec.run.saveFolder = "/elsewhere";
        spec.run.earlyStopPatience = 5;
        spec.run.timeLimit = 60;
        spec.artifacts.trainable = {"*"};
        QVERIFY(hasExpectedCurve(lesson, spec, parameters));
        for (const auto& change : std::vector<std::function<void(TrainingSpec&)>>{
                 [](TrainingSpec& each) { each.run.learningRate *= 2; },
                 [](TrainingSpec& each) { each.run.session.seed = 1; },
                 [](TrainingSpec& each) { each.run.batchSize = 16; },
                 [](TrainingSpec& each) { each.headClasses = 7; },
                 [](TrainingSpec& each) { each.artifacts.frozen = {"conv1.*"}; },
                 [](TrainingSpec& each) { each.artifacts.optimizer.key = "sgd"; }}) {
            TrainingSpec other = lesson.spec;
            change(other);
            QVERIFY(!hasExpectedCurve(lesson, other, parameters));
        }
    }
};

QTEST_APPLESS_MAIN(LessonTest)
#include "lesson_test.moc"
