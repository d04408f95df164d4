// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/step_plan.h"

#include <QTest>
#include <limits>

#include "engine/core/error.h"

using namespace temper;

class StepPlanTest : public QObject {
    Q_OBJECT

private slots:
    void stepsTakeTheBatchesOfAnEpochOnceEach_data() {
        QTest::addColumn<int>("batches");
        QTest::addColumn<int>("accumulate");
        QTest::addColumn<int>("stepsPerEpoch");
        QTest::newRow("one by one") << 7 << 1 << 7;
        QTest::newRow("pairs") << 6 << 2 << 3;
        QTest::newRow("a rest") << 7 << 3 << 3;
        QTest::newRow("more than there are") << 2 << 9 << 1;
    }

    void stepsTakeTheBatchesOfAnEpochOnceEach() {
        QFETCH(int, batches);
        QFETCH(int, accumulate);
        QFETCH(int, stepsPerEpoch);
        RunSpec spec;
        spec.epochs = 3;
        spec.accumulate = accumulate;
        const StepPlan plan = StepPlan::of(spec, batches);
        QCOMPARE(plan.stepsPerEpoch, int64_t{stepsPerEpoch});
        QCOMPARE(plan.totalSteps, int64_t{3 * stepsPerEpoch});
        int64_t next = 0;
        for (int64_t step = 0; step < plan.totalSteps; ++step) {
            QCOMPARE(plan.firstBatchOf(step), next);
            next += plan.batchesOf(step);
            QCOMPARE(plan.endsEpoch(step + 1), next % batches == 0);
        }
        QCOMPARE(next, int64_t{3 * batches});
    }

    void aNumberOfStepsGoesBeforeEpochs() {
        RunSpec spec;
        spec.steps = 5;
        const StepPlan plan = StepPlan::of(spec, 4);
        QCOMPARE(plan.totalSteps, int64_t{5});
        QCOMPARE(plan.epochAt(5), 1.25);
    }

    void theLargestNumberOfEpochsFits() {
        RunSpec spec;
        spec.epochs = std::numeric_limits<int64_t>::max() / 4;
        const StepPlan plan = StepPlan::of(spec, 4);
        QCOMPARE(plan.totalSteps, spec.epochs * 4);
        QCOMPARE(plan.firstBatchOf(plan.totalSteps), plan.totalSteps);
    }

    void numbersThatMakeNoSenseAreRefused() {
        for (const char* what : {"epochs", "many epochs", "steps", "accumulate"}) {
            RunSpec spec;
            if (*what == 'e') spec.epochs = 0;
            if (*what == 'm') spec.epochs = std::numeric_limits<int64_t>::max() / 4 + 1;
            if (*what == 's') spec.steps = -1;
            if (*what == 'a') spec.accumulate = 0;
            QVERIFY_EXCEPTION_THROWN(StepPlan::of(spec, 4), Error);
        }
    }
};

QTEST_APPLESS_MAIN(StepPlanTest)
#include "step_plan_test.moc"
