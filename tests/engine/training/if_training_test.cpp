// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"
#include "tests/engine/training/oracle_run.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Models with an If whose condition depends on the data, trained as they are.
class IfTrainingTest : public QObject {
    Q_OBJECT

private slots:
    void ortTrainsTheArtifactsToTheSameLosses_data();
    void ortTrainsTheArtifactsToTheSameLosses();
    void whatIsNotTakenReachesNoParameter_data();
    void whatIsNotTakenReachesNoParameter();
    void theExportedModelKeepsTheCondition();
    void aParameterThatTrainsDecidesInEachStep();
    void aFrozenParameterDecidesOnce();
    void branchesThatDoNotRepeatThemselvesAreRefused_data();
    void branchesThatDoNotRepeatThemselvesAreRefused();
};

static std::unique_ptr<Graph> modelOf(const QString& nodes) {
    auto graph = parseText(QString(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        m (float[4, 3] x) => (float[4, 2] y)
            <float[3, 2] w = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6},
             float[3, 2] v = {0.7, 0.3, -0.1, 0.2, -0.4, 0.9}, float[2] s = {1.1, 0.8}> {
            zero = Constant<value = float {0.0}>()
            mean = ReduceMean<keepdims = 0>(x)
            c = Greater(mean, zero)
            %1
        })")
                               .arg(nodes)
                               .toStdString());
    inferTypes(*graph, allOps()->catalog);
    return graph;
}

static ArtifactSpec meanSquares() {
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.lossInputs = {"y", "target"};
    spec.optimizer = {"adamw", {}};
    return spec;
}

constexpr int64_t kSteps = 6;

/// Batches: of every other one, the first among them, the mean is greater than zero.
static Arrays bothWays() {
    constexpr size_t kPerStep = 12;
    Tensor x = randomTensor({kSteps, 4, 3}, 1);
    const auto numbers = x.mutableValues<float>();
    for (size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = std::abs(numbers[i]) * (i / kPerStep % 2 == 0 ? 1.0F : -1.0F);
    }
    return {{"x", x}, {"target", randomTensor({kSteps, 4, 2}, 2)}};
}

void IfTrainingTest::ortTrainsTheArtifactsToTheSameLosses_data() {
    QTest::addColumn<QString>("nodes");
    QTest::newRow("a layer for each branch")
        << R"(h = If(c) <then_branch = a () => (t) { t = MatMul(x, w) },
                         else_branch = b () => (e) { f = MatMul(x, v) e = Tanh(f) }>
              y = Mul(h, s))";
    QTest::newRow("layers in front, and a branch in a branch") << R"(
        h = MatMul(x, w)
        m2 = ReduceMax<keepdims = 0>(h)
        d = Greater(m2, zero)
        g, k = If(c) <
            then_branch = a () => (t, t2) {
                t = If(d) <then_branch = aa () => (p) { p = Mul(h, s) },
                           else_branch = ab () => (q) { q = Exp(h) }>
                t2 = Sigmoid(h)
            },
            else_branch = b () => (e, e2) { e = MatMul(x, v) e2 = Neg(h) }>
        y = Add(g, k))";
    QTest::newRow("shapes of their own") << R"(
        h = MatMul(x, w)
        g = If(c) <then_branch = a () => (t) { t = ReduceMean<axes = [0]>(h) },
                   else_branch = b () => (e) { e = Mul(h, s) }>
        z = MatMul(x, v)
        y = Add(z, g))";
}

void IfTrainingTest::ortTrainsTheArtifactsToTheSameLosses() {
    QFETCH(QString, nodes);
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    const QTemporaryDir folder;
    const ArtifactSpec spec = meanSquares();
    saveArtifacts(generateArtifacts(*modelOf(nodes), *allOps(), spec), folder.path().toStdString(),
                  spec);
    const Arrays data = bothWays();
    writeNpz(folder.filePath("data.npz").toStdString(), data);
    const OracleResult there =
        trainThere(folder.path(), "checkpoint", folder.filePath("data.npz"), kSteps);
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, trainHere(*sessionIn(folder.path()), data, kSteps));
}

void IfTrainingTest::whatIsNotTakenReachesNoParameter_data() {
    QTest::addColumn<QString>("notTaken");
    // x is positive; none of these values is a number if it is.
    QTest::newRow("a logarithm") << "n = Neg(x) l = Log(n) e = MatMul(l, v)";
    QTest::newRow("a division by zero") << "n = Sub(x, x) l = Div(x, n) e = MatMul(l, v)";
    QTest::newRow("a root of the weights") << "n = Abs(v) o = Neg(n) r = Sqrt(o) e = MatMul(x, r)";
}

/// Zero times infinity is NaN, which the gradient of v would be.
void IfTrainingTest::whatIsNotTakenReachesNoParameter() {
    QFETCH(QString, notTaken);
    const auto model = modelOf(
        "y = If(c) <then_branch = a () => (t) { t = MatMul(x, w) },"
        "           else_branch = b () => (e) { " +
        notTaken + " }>");
    Artifacts artifacts = generateArtifacts(*model, *allOps(), meanSquares());
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps());
    const double loss = session.trainStep(feedsOf(session, bothWays(), 0))[0].toDouble();
    QVERIFY(std::isfinite(loss));
    const Tensor& idle = session.state().parameter("v").gradient;
    QCOMPARE(idle.shape(), (Shape{3, 2}));
    for (const float number : idle.values<float>()) QCOMPARE(number, 0.0F);
    const auto gradient = session.state().parameter("w").gradient.values<float>();
    QVERIFY(std::ranges::all_of(gradient, [](float g) { return std::isfinite(g) && g != 0; }));
}

void IfTrainingTest::theExportedModelKeepsTheCondition() {
    const auto model = modelOf(R"(
        y = If(c) <then_branch = a () => (t) { t = MatMul(x, w) },
                   else_branch = b () => (e) { e = MatMul(x, v) }>)");
    const Artifacts artifacts = generateArtifacts(*model, *allOps(), meanSquares());
    const auto nodes = artifacts.evalModel->nodes();
    QCOMPARE(std::ranges::count(nodes, "If", [](const Node* node) { return node->opType(); }), 1);
}

/// A gate that is open at first and closes during training: predictions are too large while it is
/// open.
static std::unique_ptr<Graph> gatedModel() {
    return modelOf(R"(
        bias = ReduceMean<keepdims = 0>(s)
        one = Constant<value = float {0.9}>()
        open = Greater(bias, one)
        h = If(open) <then_branch = a () => (t) { t = MatMul(x, w) },
                      else_branch = b () => (e) { f = MatMul(x, v) e = Tanh(f) }>
        y = Add(h, s))");
}

static double meanSquaresOf(const Tensor& found, const Tensor& target) {
    double sum = 0;
    for (size_t i = 0; i < static_cast<size_t>(target.numElements()); ++i)
        sum += std::pow(found.values<float>()[i] - target.values<float>()[i], 2);
    return sum / static_cast<double>(target.numElements());
}

/// The loss of each step is that of the forward model with the parameters before the step.
void IfTrainingTest::aParameterThatTrainsDecidesInEachStep() {
    const auto model = gatedModel();
    Artifacts artifacts = generateArtifacts(*model, *allOps(), meanSquares());
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps());
    session.setLearningRate(0.02F);
    const Tensor x = randomTensor({4, 3}, 1);
    const Tensor target(DType::Float32, {4, 2});
    std::vector<bool> wasOpen;
    for (int64_t step = 0; step < kSteps; ++step) {
        const auto now = model->clone();
        for (const char* name : {"w", "v", "s"})
            now->setConstant(now->at(name), state->parameter(name).data.clone());
        const auto s = now->at("s")->constant().values<float>();
        wasOpen.push_back((s[0] + s[1]) / 2 > 0.9F);
        const double expected = meanSquaresOf(runGraph(*now, {{"x", x}}).at("y"), target);
        const double loss =
            session.trainStep(feedsOf(session, {{"x", x}, {"target", target}}, 0))[0].toDouble();
        QVERIFY2(std::abs(loss - expected) < 1e-5,
                 qPrintable(QString("step %1: %2, not %3").arg(step).arg(loss).arg(expected)));
        session.optimizerStep();
        session.lazyResetGrad();
    }
    QVERIFY(wasOpen.front());
    QVERIFY(!wasOpen.back());
}

void IfTrainingTest::aFrozenParameterDecidesOnce() {
    ArtifactSpec spec = meanSquares();
    spec.frozen = {"s"};
    const Artifacts artifacts = generateArtifacts(*gatedModel(), *allOps(), spec);
    for (const Node* node : artifacts.trainingModel->nodes()) QVERIFY(node->opType() != "If");
    QCOMPARE(artifacts.checkpoint.trainable.size(), size_t{1});
}

void IfTrainingTest::branchesThatDoNotRepeatThemselvesAreRefused_data() {
    QTest::addColumn<QString>("branch");
    QTest::addColumn<QString>("message");
    QTest::newRow("dropout") << "r = Constant<value = float {0.5}>() on = Constant<value = bool "
                                "{1}>() t = Dropout(h, r, on)"
                             << "draws random numbers in the branch of an If";
    QTest::newRow("noise") << "n = RandomNormalLike(h) t = Add(h, n)"
                           << "draws random numbers in the branch of an If";
    QTest::newRow("a batch normalization") << "b = Sub(s, s) t = BatchNormalization(h, s, b, b, s)"
                                           << "has a training form, but not in the branch of an If";
    QTest::newRow("in a branch of the branch")
        << "t = If(c) <then_branch = aa () => (p) { n = RandomUniformLike(h) p = Add(h, n) },"
           "           else_branch = ab () => (q) { q = Neg(h) }>"
        << "draws random numbers in the branch of an If";
}

void IfTrainingTest::branchesThatDoNotRepeatThemselvesAreRefused() {
    QFETCH(QString, branch);
    QFETCH(QString, message);
    const auto model =
        modelOf("h = MatMul(x, w) [\"/if\"] y = If(c) <then_branch = a () => (t) { " + branch +
                " }, else_branch = b () => (e) { e = MatMul(x, v) }>");
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), meanSquares());
    const auto found = std::ranges::find(plan.findings, Severity::Error, &Finding::severity);
    QVERIFY(found != plan.findings.end());
    QVERIFY2(QString::fromStdString(found->message).contains(message), found->message.c_str());
    QVERIFY2(QString::fromStdString(found->hint).contains("--replace If"), found->hint.c_str());
    QCOMPARE(found->node, std::string("/if"));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::IfTrainingTest)
#include "if_training_test.moc"
