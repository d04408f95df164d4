// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "engine/training/analysis/decision_plane.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

Predictor predictorOf(const LessonRun& run, const std::string& lesson) {
    const auto ops = std::make_shared<const OpSet>(standardOps());
    const std::unique_ptr<Graph> model = loadLessonModel(findLesson(lesson));
    inferTypes(*model, ops->catalog);
    const Artifacts artifacts = generateArtifacts(*model, *ops, findLesson(lesson).spec.artifacts);
    return {*artifacts.evalModel, *run.state, ops};
}

}  // namespace

class DecisionPlaneTest : public QObject {
    Q_OBJECT

private slots:
    /// Evaluating point by point gives the same as all cells in passes.
    void cellsEqualSinglePoints() {
        const LessonRun run("spirals");
        Predictor predictor = predictorOf(run, "spirals");
        QVERIFY(readsPlane(predictor));
        const PlaneRange range{-1, 2, -3, 1};
        const PlaneScale scale{{0.5, -1}, {2, 0.25}};
        const DecisionPlane plane = decisionPlane(predictor, range, 60, 40, scale);
        QCOMPARE(plane.values.size(), size_t{60 * 40 * 3});
        for (int64_t cell = 0; cell < 60 * 40; cell += 97) {
            const double x = -1 + (static_cast<double>(cell % 60) + 0.5) * 3 / 60;
            const double y = 1 - (static_cast<double>(cell / 60) + 0.5) * 4 / 40;
            const std::vector<Tensor> input = {Tensor::of<float>(
                {1, 2}, {static_cast<float>((x - 0.5) / 2), static_cast<float>((y + 1) / 0.25)})};
            const Tensor said = predictor.probabilities(input);
            for (int64_t k = 0; k < 3; ++k)
                QVERIFY(std::abs(said.values<float>()[static_cast<size_t>(k)] -
                                 plane.values[static_cast<size_t>(3 * cell + k)]) < 1e-5F);
        }
    }

    void modelsOfOtherInputsAreRefused() {
        const LessonRun run("iris");
        Predictor predictor = predictorOf(run, "iris");
        QVERIFY(!readsPlane(predictor));
        QVERIFY_THROWS_EXCEPTION(Error, decisionPlane(predictor, {}, 4, 4, {}));
    }

    void itStopsWhenItIsCancelled() {
        const LessonRun run("spirals");
        Predictor predictor = predictorOf(run, "spirals");
        int asked = 0;
        const DecisionPlane plane =
            decisionPlane(predictor, {}, 128, 128, {}, [&asked] { return ++asked > 2; });
        QCOMPARE(asked, 3);
        QCOMPARE(plane.values.back(), 0.0F);
    }
};

QTEST_GUILESS_MAIN(DecisionPlaneTest)
#include "decision_plane_test.moc"
