// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/training/ort_classic/pipeline_cuts.h"
#include "engine/training/ort_classic/pipeline_schedule.h"

namespace temper::test {

using classic::PipelineCut;
using classic::PipelineEdge;
using classic::PipelineTurn;

/// The order of work in the stages of a pipeline, and how cuts are written.
class PipelineScheduleTest : public QObject {
    Q_OBJECT

private slots:
    void aStageAlternatesAfterItsWarmUp() {
        const auto text = [](int64_t stage, int64_t stages, int64_t batches) {
            QString turns;
            for (const PipelineTurn& turn : classic::turnsOf(stage, stages, batches))
                turns += QString("%1%2 ").arg(turn.isBackward ? "B" : "F").arg(turn.batch);
            return turns.trimmed();
        };
        QCOMPARE(text(0, 1, 2), "F0 B0 F1 B1");
        QCOMPARE(text(0, 3, 4), "F0 F1 F2 B0 F3 B1 B2 B3");
        QCOMPARE(text(1, 3, 4), "F0 F1 B0 F2 B1 F3 B2 B3");
        QCOMPARE(text(2, 3, 4), "F0 B0 F1 B1 F2 B2 F3 B3");
        QCOMPARE(text(0, 4, 2), "F0 F1 B0 B1");
    }

    /// Every message is sent before it is waited for: no stage waits for ever.
    void noScheduleHangs_data() {
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("batches");
        for (const int stages : {1, 2, 3, 4, 8}) {
            for (const int batches : {1, 2, 3, 7, 16})
                QTest::addRow("%d stages, %d batches", stages, batches) << stages << batches;
        }
    }
    void noScheduleHangs() {
        QFETCH(int, stages);
        QFETCH(int, batches);
        std::vector<std::vector<PipelineTurn>> turns;
        for (int stage = 0; stage < stages; ++stage)
            turns.push_back(classic::turnsOf(stage, stages, batches));
        // By stage: the next turn, and how many passes are done.
        std::vector<size_t> next(turns.size());
        std::vector<int64_t> forward(turns.size()), backward(turns.size());
        const auto canRun = [&](size_t stage) {
            if (next[stage] == turns[stage].size()) return false;
            const PipelineTurn turn = turns[stage][next[stage]];
            if (turn.isBackward)
                return forward[stage] > turn.batch &&
                       (stage + 1 == turns.size() || backward[stage + 1] > turn.batch);
            return stage == 0 || forward[stage - 1] > turn.batch;
        };
        for (bool isProgress = true; isProgress;) {
            isProgress = false;
            for (size_t stage = 0; stage < turns.size(); ++stage) {
                while (canRun(stage)) {
                    const PipelineTurn turn = turns[stage][next[stage]++];
                    ++(turn.isBackward ? backward : forward)[stage];
                    isProgress = true;
                    QVERIFY(forward[stage] - backward[stage] <= stages - static_cast<int>(stage));
                }
            }
        }
        for (size_t stage = 0; stage < turns.size(); ++stage)
            QVERIFY(forward[stage] == batches && backward[stage] == batches);
    }

    void cutsAreWrittenAsInOnnxRuntime() {
        QVERIFY(classic::parsePipelineCuts("").empty());
        const std::vector<PipelineCut> single{PipelineCut{PipelineEdge{"12", {}}}};
        QVERIFY(classic::parsePipelineCuts("12") == single);
        const PipelineEdge passed{"407", {"1463", "1585", "1707"}}, last{"407", {"2439"}};
        const std::vector<PipelineCut> expected{PipelineCut{PipelineEdge{"1393", {}}, passed},
                                                PipelineCut{PipelineEdge{"2369", {}}, last}};
        QVERIFY(classic::parsePipelineCuts("1393:407-1463/1585/1707,2369:407-2439") == expected);
    }
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::PipelineScheduleTest)
#include "pipeline_schedule_test.moc"
