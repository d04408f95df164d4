// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/core/interruption.h"
#include "engine/data/npz_file.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/trainer/trainer.h"
#include "tests/engine/training/oracle_run.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Models with a Loop that the data end, trained as they are.
class LoopTrainingTest : public QObject {
    Q_OBJECT

private slots:
    void ortTrainsTheArtifactsToTheSameLosses_data();
    void ortTrainsTheArtifactsToTheSameLosses();
    void theExportedModelKeepsTheLoop();
    void aStopEndsALongLoop();
    void bodiesWithoutGradientAreRefused_data();
    void bodiesWithoutGradientAreRefused();
};

static std::unique_ptr<Graph> loopModelOf(const QString& nodes) {
    auto graph = parseText(QString(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        m (float[4, 3] x) => (float[4, 2] y)
            <float[3, 2] w = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6},
             float[2, 2] v = {0.7, 0.3, -0.1, 0.9}, float[2] s = {1.1, 0.8}, float one = {1.0},
             int64[1] trip_offset = {1}> {
            zero = Constant<value = float {0.0}>()
            h = MatMul(x, w)
            most = ReduceMax<keepdims = 0>(x)
            four = Constant<value = float {4.0}>() many = Mul(most, four)
            trips = Cast<to = 7>(many)
            %1
        })")
                               .arg(nodes)
                               .toStdString());
    inferTypes(*graph, allOps()->catalog);
    return graph;
}

static ArtifactSpec loopSpec() {
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.lossInputs = {"y", "target"};
    spec.optimizer = {"adamw", {}};
    return spec;
}

constexpr int64_t kLoopSteps = 6;

/// Batches whose largest number is 0.2 (no trip), 0.45 (one trip) up to 1.45 (five).
static Arrays growingBatches() {
    constexpr size_t kPerStep = 12;
    Tensor x = randomTensor({kLoopSteps, 4, 3}, 1, -1, 0.1F);
    const auto numbers = x.mutableValues<float>();
    for (size_t step = 0; step < kLoopSteps; ++step)
        numbers[step * kPerStep + 5] = 0.2F + 0.25F * static_cast<float>(step);
    return {{"x", x}, {"target", randomTensor({kLoopSteps, 4, 2}, 2)}};
}

void LoopTrainingTest::ortTrainsTheArtifactsToTheSameLosses_data() {
    QTest::addColumn<QString>("nodes");
    QTest::newRow("as many layers as the data say") << R"(
        g = Loop(trips, "", h) <body = b (int64 i, bool c, float[4, 2] t) => (bool go, float[4, 2] n) {
            go = Identity(c) p = MatMul(t, v) q = Add(p, s) n = Tanh(q) }>
        y = Mul(g, s))";
    QTest::newRow("until a condition holds") << R"(
        yes = Less(most, four)
        k0 = Constant<value = int64 {0}>()
        g, k = Loop("", yes, h, k0) <body = b (int64 i, bool c, float[4, 2] t, int64 k1)
                => (bool go, float[4, 2] n, int64 k2) {
            p = MatMul(t, v) e = Exp(p) n = Add(t, e) size = ReduceL2<keepdims = 0>(n)
            ten = Constant<value = float {10.0}>() go = Less(size, ten)
            k3 = Constant<value = int64 {1}>() k2 = Add(k1, k3) }>
        y = Mul(g, s))";
    QTest::newRow("what all iterations give") << R"(
        last, all = Loop(trips, "", h) <body = b (int64 i, bool c, float[4, 2] t)
                => (bool go, float[4, 2] n, float[2] o) {
            go = Identity(c) p = MatMul(t, v) n = Sin(p) o = ReduceMean<axes = [0], keepdims = 0>(n) }>
        total = ReduceSum<keepdims = 0>(all)
        z = Mul(last, s) y = Add(z, total))";
    QTest::newRow("a condition in the body") << R"(
        g = Loop(trips, "", h) <body = b (int64 i, bool c, float[4, 2] t) => (bool go, float[4, 2] n) {
            go = Identity(c) mean = ReduceMean<keepdims = 0>(t) d = Greater(mean, zero)
            n = If(d) <then_branch = a () => (u) { u = MatMul(t, v) },
                       else_branch = e () => (r) { q = Mul(t, s) r = Neg(q) }> }>
        y = Mul(g, s))";
    QTest::newRow("a Loop in the body and states that are handed on") << R"(
        g, vn = Loop(trips, "", h, v) <body = b (int64 i, bool c, float[4, 2] t, float[2, 2] vt)
                => (bool go, float[4, 2] n, float[2, 2] vo) {
            go = Identity(c) vo = Identity(vt) m = Mul(t, s)
            n = Loop(i, "", m) <body = bb (int64 j, bool d, float[4, 2] t2) => (bool go2, float[4, 2] n2) {
                go2 = Identity(d) p = MatMul(t2, vt) q = Add(p, m) n2 = Tanh(q) }> }>
        y = Mul(g, s))";
    QTest::newRow("in a branch") << R"(
        d = Greater(most, one)
        g = If(d) <then_branch = a () => (r) {
                r = Loop(trips, "", h) <body = b (int64 i, bool c, float[4, 2] t) => (bool go, float[4, 2] n) {
                    go = Identity(c) p = MatMul(t, v) n = Tanh(p) }> },
            else_branch = e () => (o) { o = Mul(h, s) }>
        y = Mul(g, s))";
}

void LoopTrainingTest::ortTrainsTheArtifactsToTheSameLosses() {
    QFETCH(QString, nodes);
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    const QTemporaryDir folder;
    const ArtifactSpec spec = loopSpec();
    saveArtifacts(generateArtifacts(*loopModelOf(nodes), *allOps(), spec),
                  folder.path().toStdString(), spec);
    const Arrays data = growingBatches();
    writeNpz(folder.filePath("data.npz").toStdString(), data);
    const OracleResult there =
        trainThere(folder.path(), "checkpoint", folder.filePath("data.npz"), kLoopSteps);
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, trainHere(*sessionIn(folder.path()), data, kLoopSteps));
}

void LoopTrainingTest::theExportedModelKeepsTheLoop() {
    const auto model = loopModelOf(R"(
        g = Loop(trips, "", h) <body = b (int64 i, bool c, float[4, 2] t) => (bool go, float[4, 2] n) {
            go = Identity(c) n = Mul(t, s) }>
        y = Mul(g, s))");
    const Artifacts artifacts = generateArtifacts(*model, *allOps(), loopSpec());
    const auto nodes = artifacts.evalModel->nodes();
    const auto loop = std::ranges::find(nodes, "Loop", [](const Node* n) { return n->opType(); });
    QVERIFY(loop != nodes.end());
    QCOMPARE((*loop)->outputs().size(), size_t{1});
}

/// Millions of trips: the stop comes in the thousandth trip of the first step.
void LoopTrainingTest::aStopEndsALongLoop() {
    const auto model = loopModelOf(R"(
        g = Loop(trips, "", h) <body = b (int64 i, bool c, float[4, 2] t) => (bool go, float[4, 2] n) {
            go = Identity(c) p = MatMul(t, v) n = Tanh(p) }>
        y = Mul(g, s))");
    const QTemporaryDir folder;
    saveArtifacts(generateArtifacts(*model, *allOps(), loopSpec()), folder.path().toStdString(),
                  loopSpec());
    const auto session = sessionIn(folder.path());
    Tensor x = randomTensor({8, 3}, 1, -1, 1e6F);
    for (float& number : x.mutableValues<float>()) number = 1e6F;
    std::vector<Column> columns(2);
    columns[0].name = "x";
    columns[1].name = "target";
    columns[1].isTarget = true;
    const TrainerData data{std::make_shared<TensorDataset>(
                               columns, std::vector<Tensor>{x, randomTensor({8, 2}, 2, -1, 1)}),
                           nullptr,
                           {{"x", "x"}, {"target", "target"}}};
    RunSpec spec;
    spec.batchSize = 4;
    spec.epochs = 1;
    RunControl control;
    int iterations = 0;
    const InterruptionScope asked([&] {
        if (++iterations == 1000) control.stop(false);
        return false;
    });
    Trainer trainer(*session, data, spec, control, [](const RunEvent&) {});
    QCOMPARE(trainer.run(), RunOutcome::Stopped);
    QCOMPARE(iterations, 1000);
    QCOMPARE(session->state().optimizerState().step, int64_t{0});
}

void LoopTrainingTest::bodiesWithoutGradientAreRefused_data() {
    QTest::addColumn<QString>("inputs");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("message");
    QTest::newRow("noise") << "h"
                           << "(int64 i, bool c, float[4, 2] t) => (bool go, float[4, 2] n) { "
                              "go = Identity(c) r = RandomNormalLike(t) n = Add(t, r) }"
                           << "draws random numbers in the body of a Loop";
    QTest::newRow("a batch normalization")
        << "h"
        << "(int64 i, bool c, float[4, 2] t) => (bool go, float[4, 2] n) { go = Identity(c) "
           "b = Sub(s, s) n = BatchNormalization(t, s, b, b, s) }"
        << "has a training form, but not in the body of a Loop";
    QTest::newRow("a state that grows")
        << "h"
        << "(int64 i, bool c, t) => (bool go, n) { go = Identity(c) n = Concat<axis = 0>(t, h) }"
        << "State 't' is float32[4, 2] before the first iteration and float32[8, 2] after it";
    QTest::newRow("a scalar that becomes a matrix")
        << "one"
        << "(int64 i, bool c, t) => (bool go, n) { go = Identity(c) n = Add(t, h) }"
        << "State 't' is float32[] before the first iteration and float32[4, 2] after it";
}

void LoopTrainingTest::bodiesWithoutGradientAreRefused() {
    QFETCH(QString, inputs);
    QFETCH(QString, body);
    QFETCH(QString, message);
    const auto model = loopModelOf("[\"/loop\"] g = Loop(trips, \"\", " + inputs + ") <body = b " +
                                   body + "> k = ReduceMean<axes = [0]>(g) y = Mul(h, k)");
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), loopSpec());
    const auto found = std::ranges::find(plan.findings, Severity::Error, &Finding::severity);
    QVERIFY(found != plan.findings.end());
    QVERIFY2(QString::fromStdString(found->message).contains(message), found->message.c_str());
    QCOMPARE(found->node, std::string("/loop"));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::LoopTrainingTest)
#include "loop_training_test.moc"
