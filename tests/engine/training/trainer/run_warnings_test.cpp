// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>

#include "engine/ort/checkpoint_file.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

/// What a run warns of before its first step.
class RunWarningsTest : public QObject {
    Q_OBJECT

private slots:
    void settingsWithoutEffectAreTold_data() {
        QTest::addColumn<bool>("evaluatesAverage");
        QTest::addColumn<double>("averageDecay");
        QTest::addColumn<Selection>("schedule");
        QTest::addColumn<QStringList>("expected");
        const QString average =
            "The run keeps no average of the weights: evaluations use the weights.";
        const QString milestones =
            "The schedule 'multi-step' has no milestones: the learning rate stays as it is.";
        const Selection constant{"constant", {}}, steps{"multi-step", {}};
        QTest::newRow("an average that is not kept")
            << true << 0.0 << constant << QStringList{average};
        QTest::newRow("one that is") << true << 0.9 << constant << QStringList();
        QTest::newRow("no milestones") << false << 0.0 << steps << QStringList{milestones};
        QTest::newRow("milestones")
            << false << 0.0 << Selection{"multi-step", {}, {{"milestones", {4}}}} << QStringList();
        QTest::newRow("both") << true << 0.0 << steps << QStringList{average, milestones};
    }

    void settingsWithoutEffectAreTold() {
        QFETCH(const bool, evaluatesAverage);
        QFETCH(const double, averageDecay);
        QFETCH(const Selection, schedule);
        LessonRun run("iris");
        run.spec.epochs = 1;
        run.spec.evaluateAverage = evaluatesAverage;
        run.spec.averageDecay = averageDecay;
        run.spec.schedule = schedule;
        QTEST(warningsOf(run), "expected");
    }

    void aRunThatStartsOverTellsWhichCheckpointsItReplaces() {
        const QTemporaryDir folder;
        const auto warningsWith = [&](bool evaluates, bool resumes) {
            LessonRun run("iris");
            run.spec.epochs = 2;
            run.spec.saveFolder = folder.path().toStdString();
            if (!evaluates) run.data.evaluation = nullptr;
            if (resumes) run.state->assign(readCheckpoint(run.spec.saveFolder + "/last.ckpt"));
            return warningsOf(run).filter("earlier run");
        };
        const QString start =
            "Folder '" + folder.path() +
            "' has checkpoints of an earlier run, which this run replaces: last.ckpt";
        QCOMPARE(warningsWith(true, false), QStringList());
        QCOMPARE(warningsWith(true, true), QStringList());
        QCOMPARE(warningsWith(true, false), QStringList{start + ", best.ckpt."});
        QCOMPARE(warningsWith(false, false), QStringList{start + "."});
    }

private:
    static QStringList warningsOf(LessonRun& run) {
        run.run();
        QStringList warnings;
        for (const WarningEvent& warning : run.all<WarningEvent>())
            warnings += QString::fromStdString(warning.message);
        return warnings;
    }
};

QTEST_APPLESS_MAIN(RunWarningsTest)
#include "run_warnings_test.moc"
