// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/runtime/passes/plan_pass.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

constexpr int64_t kSteps = 3;

/// The passes of the plan compiler change how a step is computed, never a bit of its results; those
/// that reorder sums change as much as another engine would.
class PlanPassesTest : public QObject {
    Q_OBJECT

private slots:
    void trainingIsTheSameWithoutPasses_data();
    void trainingIsTheSameWithoutPasses();
};

std::vector<float> train(const TorchFixture& fixture, const SessionOptions& options,
                         const std::string& optimizer = "adamw") {
    Artifacts artifacts = generateArtifacts(*fixture.model, *allOps(), fixture.spec(optimizer));
    const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps(), options);
    std::vector<float> numbers;
    for (int64_t step = 0; step < kSteps; ++step) {
        const double loss = session.trainStep(feedsOf(session, fixture.data, step))[0].toDouble();
        numbers.push_back(static_cast<float>(loss));
        session.optimizerStep();
        session.lazyResetGrad();
    }
    const Tensor buffer = session.toBuffer(false);
    const auto parameters = buffer.values<float>();
    numbers.insert(numbers.end(), parameters.begin(), parameters.end());
    return numbers;
}

/// Where numbers differ by more than 1e-5, relative to those above 1.
QString distance(const std::vector<float>& found, const std::vector<float>& expected) {
    for (size_t i = 0; i < expected.size(); ++i) {
        const float off = std::abs(found.at(i) - expected[i]);
        if (off <= 1e-5F * std::max(1.0F, std::abs(expected[i]))) continue;
        return QString("%1: %2, expected %3").arg(i).arg(found[i]).arg(expected[i]);
    }
    return {};
}

void PlanPassesTest::trainingIsTheSameWithoutPasses_data() {
    QTest::addColumn<QString>("model");
    for (const char* model : kTorchModels) QTest::newRow(model) << QString(model);
}

void PlanPassesTest::trainingIsTheSameWithoutPasses() {
    QFETCH(QString, model);
    const TorchFixture fixture(model.toStdString());
    const std::vector<float> expected = train(fixture, {});
    std::vector<std::string> all, reordering;
    for (const PlanPass& pass : planPasses()) {
        all.emplace_back(pass.name);
        const SessionOptions without{.withoutPasses = {all.back()}};
        if (pass.keepsBits) {
            QVERIFY2(train(fixture, without) == expected, all.back().c_str());
            continue;
        }
        // SGD: the first steps of AdamW turn gradients that are only rounding errors into whole
        // steps.
        const QString problem = distance(train(fixture, without, "sgd"), train(fixture, {}, "sgd"));
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        reordering.push_back(all.back());
    }
    const std::vector<float> inOrder = train(fixture, {.withoutPasses = reordering});
    QVERIFY(train(fixture, {.withoutPasses = all}) == inOrder);
    QVERIFY(train(fixture, {.threads = 1, .withoutPasses = all}) == inOrder);
    QVERIFY(train(fixture, {.threads = 1}) == expected);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::PlanPassesTest)
#include "plan_passes_test.moc"
