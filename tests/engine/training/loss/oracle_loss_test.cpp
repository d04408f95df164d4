// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/artifacts/artifact_files.h"
#include "tests/engine/training/fixtures.h"
#include "tests/engine/training/loss/loss_cases.h"
#include "tests/support/oracle.h"

namespace temper::test {

/// The real ONNX Runtime runs each loss and its gradients.
class OracleLossTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void lossesAndGradientsAreTheSameThere_data() { addFewLossRows(); }
    void lossesAndGradientsAreTheSameThere();
    void theWeightedLossTrainsThere();
};

/// Two outputs from one hidden layer.
constexpr const char* kTwoOutputs = R"(<ir_version: 8, opset_import: ["" : 17]>
    two (float[batch, 4] input) => (float[batch, 3] out1, float[batch, 2] out2)
    <float[4, 5] w1 = {0.1, 0.2, -0.1, 0.3, 0.4, -0.3, -0.1, 0.3, 0.1, 0.2, -0.1, 0.5, 0.1, 0.2,
        -0.4, 0.3, 0.1, 0.2, -0.1, 0.3},
     float[5, 3] w2 = {0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.1},
     float[5, 2] w3 = {0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.1, 0.3, 0.1, 0.2}> {
        hidden = MatMul(input, w1)
        act = Tanh(hidden)
        out1 = MatMul(act, w2)
        out2 = MatMul(act, w3)
    })";

void OracleLossTest::initTestCase() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
}

void OracleLossTest::lossesAndGradientsAreTheSameThere() {
    QFETCH(int, index);
    const LossCase& one = lossCases()[size_t(index)];
    const QTemporaryDir folder;
    const Artifacts artifacts = generateArtifacts(*one.model(), *allOps(), one.spec());
    saveArtifacts(artifacts, folder.path().toStdString(), one.spec());
    writeNpz(folder.filePath("feeds.npz").toStdString(), one.feeds());
    const std::string loss = "output/" + artifacts.trainingModel->outputs().front()->name();
    const OracleResult there = runOracle(
        "grads.py", {"--train", folder.filePath("training_model.onnx"), "--checkpoint",
                     folder.filePath("checkpoint"), "--feeds", folder.filePath("feeds.npz"),
                     "--out", folder.filePath("grads.npz")});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const Arrays arrays = readNpz(folder.filePath("grads.npz").toStdString());
    QVERIFY(arrays.contains(loss));
    const double value = arrays.at(loss).toDouble();
    QVERIFY2(std::abs(value - one.loss) <= 1e-6 + 1e-5 * std::abs(one.loss),
             qPrintable(QString("%1, expected %2").arg(value, 0, 'g', 9).arg(one.loss, 0, 'g', 9)));
    for (const auto& [name, golden] : one.gradients) {
        const auto found = arrays.find("parameter_" + name);
        QVERIFY2(found != arrays.end(), name.c_str());
        const double worst = worstRatio(found->second, golden, 1e-6, 1e-5);
        QVERIFY2(worst <= 1,
                 qPrintable(
                     QString("gradient of %1: %2 of the tolerance").arg(name.c_str()).arg(worst)));
    }
}

/// The example of ONNX Runtime's documentation as a formula: losses of five steps and weights.
void OracleLossTest::theWeightedLossTrainsThere() {
    constexpr int kSteps = 5;
    ArtifactSpec spec;
    spec.loss = {"0.4*mse(out1, target1) + 0.6*mse(out2, target2)", {}};
    Artifacts artifacts = generateArtifacts(*parseText(kTwoOutputs), *allOps(), spec);
    const QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.filePath(name); };
    saveArtifacts(artifacts, folder.path().toStdString(), spec);
    const Arrays feeds = {
        {"input", Tensor::of<float>({2, 4}, {1, -2, 0.5F, 3, -1, 0.25F, 2, -0.5F})},
        {"target1", Tensor::of<float>({2, 3}, {1, 0, -1, 0.5F, 2, 0})},
        {"target2", Tensor::of<float>({2, 2}, {-1, 1, 0.5F, -2})}};
    writeNpz(path("feeds.npz").toStdString(), feeds);
    const OracleResult there =
        runOracle("train.py", {"--train", path("training_model.onnx"), "--eval",
                               path("eval_model.onnx"), "--optimizer", path("optimizer_model.onnx"),
                               "--checkpoint", path("checkpoint"), "--feeds", path("feeds.npz"),
                               "--feeds-mode", "reuse", "--steps", QString::number(kSteps)});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps(), {.threads = 1});
    session.setLearningRate(1e-3F);  // the runtime's own
    const QJsonArray steps = there.output["steps"].toArray();
    QCOMPARE(steps.size(), kSteps);
    double first = 0, last = 0;
    for (int i = 0; i < kSteps; ++i) {
        last = session.trainStep(feedsOf(session, feeds, i))[0].toDouble();
        if (i == 0) first = last;
        const double loss = steps[i].toObject()["outputs"].toObject().begin()->toDouble();
        QVERIFY2(std::abs(loss - last) <= 1e-5 * std::abs(last),
                 qPrintable(QString("step %1: %2 here, %3 there").arg(i + 1).arg(last).arg(loss)));
        session.optimizerStep();
        session.lazyResetGrad();
    }
    QVERIFY(last < first);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleLossTest)
#include "oracle_loss_test.moc"
