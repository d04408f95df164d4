// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/spec/training_spec.h"
#include "tests/engine/training/oracle_run.h"

namespace temper::test {

/// A quantized step between two layers; `step` is the operator.
static std::unique_ptr<Graph> quantized(const QString& step) {
    const QString words = QString(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        quantized (float[batch, 2] x) => (float[batch, 2] y)
            <float[2, 2] w = {1.5, -0.5, 0.25, 2.0}, float[2, 2] v = {1.0, 2.0, 3.0, -4.0}> {
            ["/first"] a = MatMul(x, w)
            ["/step"] s = %1(a)
            ["/second"] y = MatMul(s, v)
        })")
                              .arg(step);
    return parseText(words.toStdString());
}

static ArtifactSpec choosing(std::vector<std::string> choices) {
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.lossInputs = {"y", "target"};
    spec.straightThrough = std::move(choices);
    return spec;
}

/// The gradient that reaches the first layer's weight, under the names that the rules give.
static std::string readByFirstLayer(const Graph& training) {
    const Value* gradient = training.find("w_grad");
    return gradient == nullptr ? std::string() : gradient->producer()->input(1)->name();
}

/// The user's choice that gradients pass rounding and similar operators unchanged.
class StraightThroughTest : public QObject {
    Q_OBJECT

private slots:
    void withoutTheChoiceTheStepIsNamed();
    void theGradientPassesUnchanged_data();
    void theGradientPassesUnchanged();
    void parametersBeforeTheStepLearn();
    void aChoiceWithoutEffectIsAFinding_data();
    void aChoiceWithoutEffectIsAFinding();
    void theChoiceSurvivesJson();
    void ortTrainsTheArtifactsToTheSameLosses();
};

void StraightThroughTest::withoutTheChoiceTheStepIsNamed() {
    const ArtifactPlan plan = planArtifacts(*quantized("Round"), *allOps(), choosing({}));
    QCOMPARE(plan.findings.size(), size_t{1});
    QCOMPARE(plan.findings[0].code, std::string("G002"));
    const QString hint = QString::fromStdString(plan.findings[0].hint);
    QVERIFY2(hint.contains("straight through") && hint.contains("Round") && hint.contains("/step"),
             qPrintable(hint));
}

void StraightThroughTest::theGradientPassesUnchanged_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("choice");
    QTest::newRow("Round, by operator") << "Round"
                                        << "Round";
    QTest::newRow("Floor, by operator in capitals") << "Floor"
                                                    << "FLOOR";
    QTest::newRow("Ceil, by node") << "Ceil"
                                   << "/step";
    QTest::newRow("Sign, by pattern") << "Sign"
                                      << "/st*";
    QTest::newRow("Hardmax, by output") << "Hardmax"
                                        << "s";
    QTest::newRow("Bernoulli") << "Bernoulli"
                               << "Bernoulli";
}

/// dw = transpose(x) ds: the first layer reads the step's incoming gradient directly.
void StraightThroughTest::theGradientPassesUnchanged() {
    QFETCH(QString, op);
    QFETCH(QString, choice);
    const auto model = quantized(op);
    const ArtifactSpec spec = choosing({choice.toStdString()});
    QVERIFY(planArtifacts(*model, *allOps(), spec).findings.empty());
    const Artifacts artifacts = generateArtifacts(*model, *allOps(), spec);
    const Graph& training = *artifacts.trainingModel;
    QVERIFY(training.find("w_grad") != nullptr);
    QVERIFY(training.find("v_grad") != nullptr);
    QCOMPARE(training.find("a_grad"), nullptr);  // it is the step's incoming gradient
    QVERIFY(training.find("s_grad") != nullptr);
    QCOMPARE(readByFirstLayer(training), std::string("s_grad"));
    QCOMPARE(training.find("s")->producer()->opType(), op.toStdString());
}

/// Trains a session over the artifacts. Returns: the losses of its steps.
static std::vector<double> losses(const Artifacts& artifacts, const Arrays& data, int64_t steps) {
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(artifacts, state, allOps());
    session.setLearningRate(1e-3F);
    std::vector<double> found;
    for (int64_t step = 0; step < steps; ++step) {
        found.push_back(session.trainStep(feedsOf(session, data, step))[0].toDouble());
        session.optimizerStep();
        session.lazyResetGrad();
    }
    return found;
}

static Arrays samples() {
    return {{"x", Tensor::of<float>({2, 2}, {1.0F, 2.0F, -3.0F, 0.7F})},
            {"target", Tensor::of<float>({2, 2}, {0.5F, 1.0F, -1.0F, 2.0F})}};
}

void StraightThroughTest::parametersBeforeTheStepLearn() {
    ArtifactSpec spec = choosing({"Round"});
    spec.trainable = {"w"};
    const std::vector<double> found =
        losses(generateArtifacts(*quantized("Round"), *allOps(), spec), samples(), 400);
    for (const double loss : found) QVERIFY(std::isfinite(loss));
    QVERIFY2(found.back() < 0.9 * found.front(),
             qPrintable(QString("%1 to %2").arg(found.front()).arg(found.back())));
}

void StraightThroughTest::aChoiceWithoutEffectIsAFinding_data() {
    QTest::addColumn<QString>("choice");
    QTest::addColumn<QString>("message");
    QTest::newRow("no such name") << "Runde"
                                  << "no operator or node has this name";
    QTest::newRow("another operator") << "MatMul"
                                      << "is not an operator that supports this";
    QTest::newRow("a node of another operator") << "/first"
                                                << "(MatMul) is not an operator";
}

void StraightThroughTest::aChoiceWithoutEffectIsAFinding() {
    QFETCH(QString, choice);
    QFETCH(QString, message);
    const ArtifactPlan plan =
        planArtifacts(*quantized("Round"), *allOps(), choosing({"Round", choice.toStdString()}));
    QCOMPARE(plan.findings.size(), size_t{1});
    QCOMPARE(plan.findings[0].code, std::string("A010"));
    QVERIFY2(QString::fromStdString(plan.findings[0].message).contains(message),
             plan.findings[0].message.c_str());
    QVERIFY(QString::fromStdString(plan.findings[0].hint).contains("Ceil, Floor"));
}

void StraightThroughTest::theChoiceSurvivesJson() {
    TrainingSpec spec;
    spec.artifacts.straightThrough = {"Round", "/act/*"};
    QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
}

void StraightThroughTest::ortTrainsTheArtifactsToTheSameLosses() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    const QTemporaryDir folder;
    const ArtifactSpec spec = choosing({"Round"});
    const Artifacts artifacts = generateArtifacts(*quantized("Round"), *allOps(), spec);
    saveArtifacts(artifacts, folder.path().toStdString(), spec);
    writeNpz(folder.filePath("data.npz").toStdString(), samples());
    const OracleResult there =
        trainThere(folder.path(), "checkpoint", folder.filePath("data.npz"), 5);
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, losses(artifacts, samples(), 5));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::StraightThroughTest)
#include "straight_through_test.moc"
