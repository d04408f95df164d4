// SPDX-License-Identifier: Apache-2.0
#include "engine/training/lesson.h"

#include <QTest>

#include "engine/core/error.h"
#include "engine/data/data_health.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

class LessonTest : public QObject {
    Q_OBJECT

private slots:
    void lessonsComeInTeachingOrder() {
        QStringList names;
        for (const Lesson& lesson : bundledLessons()) names += QString::fromStdString(lesson.name);
        QCOMPARE(names.mid(0, 4), (QStringList{"iris", "spirals", "digits", "digits-transfer"}));
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

    void eachLessonReachesThePromisedAccuracy_data() {
        QTest::addColumn<QString>("name");
        for (const Lesson& lesson : bundledLessons()) {
            QTest::newRow(lesson.name.c_str()) << QString::fromStdString(lesson.name);
        }
    }

    void eachLessonReachesThePromisedAccuracy() {
        QFETCH(QString, name);
        const Lesson lesson = findLesson(name.toStdString());
        QVERIFY(!lesson.title.empty() && !lesson.summary.empty() && !lesson.licence.empty());
        QVERIFY(lesson.tryThis.size() >= 3);
        LessonRun run(lesson.name, 2);
        QVERIFY(!hasErrors(checkData(*run.data.training)));
        QVERIFY(proposeBinding(*run.session, *run.data.training, {}).findings.empty());
        QVERIFY(run.run() == RunOutcome::Finished);
        const EvalEvent last = run.all<EvalEvent>().back();
        qInfo("%s: accuracy %.4f, loss %.4f", lesson.name.c_str(), last.metrics.at("accuracy"),
              last.loss);
        QVERIFY(last.metrics.at("accuracy") >= lesson.expectedAccuracy);
        const std::unique_ptr<Graph> exported = run.session->inferenceModel({lesson.exportOutput});
        QCOMPARE(exported->outputs().size(), size_t{1});
        QCOMPARE(exported->outputs()[0]->name(), lesson.exportOutput);
    }
};

QTEST_APPLESS_MAIN(LessonTest)
#include "lesson_test.moc"
