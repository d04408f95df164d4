// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>

#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// Losses, all gradients and final parameters of models that PyTorch exported and trained.
class TorchGoldenTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void trainingGivesTheGoldenValues_data();
    void trainingGivesTheGoldenValues();

private:
    void compare(const TorchFixture& fixture, const Tensor& actual, const std::string& key,
                 double noise);
};

void TorchGoldenTest::initTestCase() {
    if (!conformanceIsThere()) QSKIP(kSharedAbsent);
}

void TorchGoldenTest::trainingGivesTheGoldenValues_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("optimizer");
    for (const char* model : {"mlp", "lenet", "resnet", "mobilenet"}) {
        for (const char* optimizer : {"adamw", "adamw_hf", "sgd"}) {
            QTest::addRow("%s with %s", model, optimizer) << QString(model) << QString(optimizer);
        }
    }
}

void TorchGoldenTest::compare(const TorchFixture& fixture, const Tensor& actual,
                              const std::string& key, double noise) {
    const auto found = fixture.golden.find(key);
    QVERIFY2(found != fixture.golden.end(), key.c_str());
    const double worst = worstRatio(actual, found->second, 1e-5 + 20 * noise, 1e-4);
    QVERIFY2(worst <= 1,
             qPrintable(QString("%1: %2 of the tolerance").arg(key.c_str()).arg(worst)));
}

void TorchGoldenTest::trainingGivesTheGoldenValues() {
    QFETCH(QString, model);
    QFETCH(QString, optimizer);
    const TorchFixture fixture(model.toStdString());
    const std::string name = optimizer.toStdString();
    ArtifactSpec spec;
    spec.optimizer = TorchFixture::optimizer(name);
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
            compare(fixture, parameter.gradient, "grad/" + parameter.name,
                    fixture.noise({"grad", QString::fromStdString(parameter.name)}));
        }
        session.optimizerStep();
        session.lazyResetGrad();
    }
    for (const Parameter& parameter : state->parameters()) {
        const bool trains = parameter.requiresGrad;
        const std::string key = (trains ? "final/" : "buffer/") + name + "/" + parameter.name;
        compare(fixture, parameter.data, key,
                fixture.noise({trains ? "final" : "buffer", optimizer,
                               QString::fromStdString(parameter.name)}));
    }
    QCOMPARE(static_cast<qsizetype>(session.state().parameters().size()),
             fixture.meta["parameters"].toObject().size() +
                 fixture.meta["other_initializers"].toObject().size());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::TorchGoldenTest)
#include "torch_golden_test.moc"
