// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/runtime/cpu/cpu_device.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/profile.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

constexpr int64_t kSteps = 3;

/// The passes of the plan compiler change how a step is computed, never a bit of its results; those
/// that reorder sums change as much as another engine would.
class PlanPassesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void trainingIsTheSameWithoutPasses_data();
    void trainingIsTheSameWithoutPasses();
    void passesAreLeftOutOfAllPlans_data();
    void passesAreLeftOutOfAllPlans();
};

std::vector<std::string> allPasses() {
    std::vector<std::string> names;
    for (const PlanPass& pass : planPasses()) names.emplace_back(pass.name);
    return names;
}

/// A processor that has the kernels of no pass.
class PlainDevice final : public CpuDevice {
public:
    using CpuDevice::CpuDevice;
    std::vector<std::string> missingPasses() const override { return allPasses(); }
};

void PlanPassesTest::initTestCase() {
    addDevice({"plain", [](const KernelRegistry& kernels, int threads) {
                   return std::make_shared<PlainDevice>(kernels, threads);
               }});
}

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

/// An optimizer model that computes the same rate in two steps, which a pass makes one.
std::shared_ptr<const Graph> withComputedRate(const Graph& optimizer) {
    std::shared_ptr<Graph> model = optimizer.clone();
    Value* rate = model->at("learning_rate");
    const Value::Use update = rate->uses().front();
    Value* twice = model->addNode({"Add", {rate, rate}, {"twice"}})->output(0);
    Value* once = model->addNode({"Sub", {twice, rate}, {"once"}})->output(0);
    model->setInput(update.node, update.input, once);
    return model;
}

/// The operators that `work` runs as a part of another one's step.
QStringList joinedOperators(TrainingSession& session, const std::function<void()>& work) {
    Profile profile;
    session.setProfile(&profile);
    work();
    session.setProfile(nullptr);
    QStringList joined;
    for (const Profile::Step& step : profile.steps()) {
        if (step.cost.count > 0 && step.op.find('+') != std::string::npos)
            joined << QString::fromStdString(step.op);
    }
    return joined;
}

void PlanPassesTest::passesAreLeftOutOfAllPlans_data() {
    QTest::addColumn<SessionOptions>("options");
    QTest::addColumn<bool>("hasPasses");
    QTest::newRow("none is left out") << SessionOptions{} << true;
    QTest::newRow("by the user") << SessionOptions{.withoutPasses = allPasses()} << false;
    QTest::newRow("by the device") << SessionOptions{.device = "plain"} << false;
}

void PlanPassesTest::passesAreLeftOutOfAllPlans() {
    QFETCH(SessionOptions, options);
    QFETCH(bool, hasPasses);
    const TorchFixture fixture("lenet");
    Artifacts artifacts = generateArtifacts(*fixture.model, *allOps(), fixture.spec("adamw"));
    artifacts.optimizerModel = withComputedRate(*artifacts.optimizerModel);
    const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps(), options);
    const QStringList training =
        joinedOperators(session, [&] { session.trainStep(feedsOf(session, fixture.data, 0)); });
    const QStringList optimizer = joinedOperators(session, [&] { session.optimizerStep(); });
    const QStringList evaluation = joinedOperators(
        session, [&] { session.evalStep(feedsOf(session, fixture.data, 0, false)); });
    QCOMPARE(!training.isEmpty(), hasPasses);
    QCOMPARE(!optimizer.isEmpty(), hasPasses);
    for (const QString& op : optimizer) QCOMPARE(op, "Add+Sub");
    QCOMPARE(!evaluation.isEmpty(), hasPasses);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::PlanPassesTest)
#include "plan_passes_test.moc"
