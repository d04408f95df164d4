// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/runtime/plan_pass.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

constexpr int64_t kSteps = 3;

/// The passes of the plan compiler change how a step is computed, never a bit of what it gives.
class PlanPassesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void trainingIsTheSameWithoutPasses_data();
    void trainingIsTheSameWithoutPasses();
};

std::vector<float> train(const TorchFixture& fixture, const SessionOptions& options) {
    Artifacts artifacts = generateArtifacts(*fixture.model, *allOps(), fixture.spec("adamw"));
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

void PlanPassesTest::initTestCase() {
    if (!conformanceIsThere()) QSKIP(kSharedAbsent);
}

void PlanPassesTest::trainingIsTheSameWithoutPasses_data() {
    QTest::addColumn<QString>("model");
    for (const char* model : kTorchModels) QTest::newRow(model) << QString(model);
}

void PlanPassesTest::trainingIsTheSameWithoutPasses() {
    QFETCH(QString, model);
    const TorchFixture fixture(model.toStdString());
    const std::vector<float> expected = train(fixture, {});
    std::vector<std::string> all;
    for (const PlanPass& pass : planPasses()) {
        all.emplace_back(pass.name);
        QVERIFY2(train(fixture, {.withoutPasses = {all.back()}}) == expected, all.back().c_str());
    }
    QVERIFY(train(fixture, {.withoutPasses = all}) == expected);
    QVERIFY(train(fixture, {.threads = 1, .withoutPasses = all}) == expected);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::PlanPassesTest)
#include "plan_passes_test.moc"
