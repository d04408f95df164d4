// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/engine/training/fixtures.h"

namespace temper::test {

QString qt(const std::string& text) { return QString::fromStdString(text); }

/// Losses, all gradients and final parameters of models that PyTorch exported and trained.
class TorchGoldenTest : public QObject {
    Q_OBJECT

private slots:
    void trainingGivesTheGoldenValues_data();
    void trainingGivesTheGoldenValues();

private:
    static void compare(const Tensor& actual, const Tensor& golden, const std::string& what,
                        double noise);
};

void TorchGoldenTest::trainingGivesTheGoldenValues_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("optimizer");
    for (const char* model : kTorchModels) {
        for (const char* optimizer : {"adamw", "adamw_hf", "sgd"}) {
            QTest::addRow("%s with %s", model, optimizer) << QString(model) << QString(optimizer);
        }
    }
}

void TorchGoldenTest::compare(const Tensor& actual, const Tensor& golden, const std::string& what,
                              double noise) {
    const double worst = worstRatio(actual, golden, 1e-5 + 20 * noise, 1e-4);
    QVERIFY2(worst <= 1, qPrintable(QString("%1: %2 of the tolerance").arg(qt(what)).arg(worst)));
}

/// Running statistics after five steps. PyTorch's runs started at mean 0 and variance 1; the
/// exported model starts with the values after one batch of the exporter. Each step keeps the share
/// `momentum` of the start.
Tensor goldenStatistic(const TorchFixture& fixture, const std::string& optimizer,
                       const std::string& name) {
    constexpr double kMomentum = 0.9;
    const double fresh = name.ends_with("running_var") ? 1 : 0;
    const double share = std::pow(kMomentum, 5);
    Tensor golden = fixture.golden.at("buffer/" + optimizer + "/" + name).clone();
    const auto exported = fixture.model->at(name)->constant().values<float>();
    auto values = golden.mutableValues<float>();
    for (size_t i = 0; i < values.size(); ++i) {
        values[i] += static_cast<float>(share * (exported[i] - fresh));
    }
    return golden;
}

/// Statistics carry the noise of the parameters before them, such as the bias before a batch
/// normalization, whose gradient is zero except for rounding.
double statisticsNoise(const TorchFixture& fixture, const QString& optimizer) {
    double worst = 0;
    for (const Value* initializer : fixture.model->initializers()) {
        worst = std::max(worst, fixture.noise({"final", optimizer, qt(initializer->name())}));
    }
    return worst;
}

void TorchGoldenTest::trainingGivesTheGoldenValues() {
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    const TorchFixture fixture(model.toStdString());
    const std::string name = optimizer.toStdString();
    const ArtifactSpec spec = fixture.spec(name);
    Artifacts artifacts = generateArtifacts(*fixture.model, *allOps(), spec);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps());
    session.setLearningRate(TorchFixture::learningRate(name));
    const auto losses = fixture.golden.at("loss/" + name).cast(DType::Float64);
    for (int64_t step = 0; step < 5; ++step) {
        const double loss = session.trainStep(feedsOf(session, fixture.data, step))[0].toDouble();
        const double golden = losses.values<double>()[static_cast<size_t>(step)];
        QVERIFY2(
            std::abs(loss - golden) <=
                fixture.tolerance(golden, fixture.noise({"loss", optimizer})),
            qPrintable(QString("loss of step %1: %2, golden %3").arg(step).arg(loss).arg(golden)));
        for (const Parameter& parameter : state->parameters()) {
            if (step > 0 || !parameter.requiresGrad) continue;
            compare(parameter.gradient, fixture.golden.at("grad/" + parameter.name), parameter.name,
                    fixture.noise({"grad", qt(parameter.name)}));
        }
        session.optimizerStep();
        session.lazyResetGrad();
    }
    for (const Parameter& parameter : state->parameters()) {
        if (parameter.requiresGrad) {
            compare(parameter.data, fixture.golden.at("final/" + name + "/" + parameter.name),
                    parameter.name, fixture.noise({"final", optimizer, qt(parameter.name)}));
        } else {
            compare(parameter.data, goldenStatistic(fixture, name, parameter.name), parameter.name,
                    statisticsNoise(fixture, optimizer));
        }
    }
    QCOMPARE(static_cast<qsizetype>(session.state().parameters().size()),
             fixture.meta["parameters"].toObject().size() +
                 fixture.meta["other_initializers"].toObject().size());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::TorchGoldenTest)
#include "torch_golden_test.moc"
