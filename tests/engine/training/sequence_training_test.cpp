// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/runtime/sequence_folding.h"
#include "engine/training/artifacts/artifacts.h"
#include "tests/engine/training/fixtures.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Models with sequences and optionals train as if they used plain tensors.
class SequenceTrainingTest : public QObject {
    Q_OBJECT

private slots:
    void theModelTrainsAsWrittenByHand_data();
    void theModelTrainsAsWrittenByHand();
    void whatStaysSaysWhyAndWhatToDo_data();
    void whatStaysSaysWhyAndWhatToDo();
};

namespace {

const char* const kSequenceConstants =
    "s = Constant<value = int64[1] {1}>() t = Constant<value = int64[1] {3}>() "
    "a = Constant<value = int64[1] {1}>() rest = Constant<value = int64[2] {4, 2}>() "
    "l = Constant<value = float[2, 2] {1.0, 2.0, 3.0, 4.0}>() "
    "two = Constant<value = float {2.0}>() "
    "z1 = Constant<value = int64[1] {1}>() h = MatMul(x, w) g = Tanh(h) wt = Transpose(w) ";

std::unique_ptr<Graph> sequenceModelOf(const QString& nodes) {
    auto graph = parseText(QString(R"(
        <ir_version: 8, opset_import: ["" : 18]>
        m (float[4, 6] x, int64 at, float[N, 2] rows) => (float[4, 2] y)
            <float[6, 2] w = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8, 0.9, 1.0, -1.1, 1.2},
             int64 zero = {0}, int64 last = {-1}, int64[2] sizes = {2, 4}, int64 four = {4}> {
            %1
        })")
                               .arg(kSequenceConstants + nodes)
                               .toStdString());
    inferTypes(*graph, allOps()->catalog);
    return graph;
}

ArtifactSpec sequenceSpec() {
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.lossInputs = {"y", "target"};
    spec.optimizer = {"sgd", {}};
    return spec;
}

struct TrainedStep {
    double loss = 0;
    Tensor gradient;  ///< of w
};

TrainedStep sequenceStepOf(const Graph& model, int64_t at) {
    const Artifacts artifacts = generateArtifacts(model, *allOps(), sequenceSpec());
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(artifacts, state, allOps());
    const Arrays data{{"x", randomTensor({4, 6})},
                      {"at", Tensor::scalar<int64_t>(at)},
                      {"rows", randomTensor({5, 2}, 3)},
                      {"target", randomTensor({4, 2}, 7)}};
    TrainedStep step;
    step.loss = session.trainStep(feedsOf(session, data, 0))[0].toDouble();
    step.gradient = session.state().parameter("w").gradient.clone();
    return step;
}

}  // namespace

void SequenceTrainingTest::theModelTrainsAsWrittenByHand_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("byHand");
    QTest::addColumn<int>("at");
    const auto row = [](const char* name, const char* nodes, const char* byHand, int at = 0) {
        QTest::newRow(name) << nodes << byHand << at;
    };
    row("SequenceAt of a list", "q = SequenceConstruct(h, g) y = SequenceAt(q, last)",
        "y = Identity(g)");
    row("ConcatFromSequence",
        "q = SequenceConstruct(h, g) k = ConcatFromSequence<axis = 1>(q) y = Slice(k, s, t, a) ",
        "k = Concat<axis = 1>(h, g) y = Slice(k, s, t, a)");
    row("ConcatFromSequence of a new axis",
        "q = SequenceConstruct(h, g) k = ConcatFromSequence<axis = 0, new_axis = 1>(q) "
        "z = Constant<value = int64[1] {0}>() y = ReduceMean<keepdims = 0>(k, z)",
        "k = Add(h, g) y = Div(k, two)");
    row("SplitToSequence of sizes",
        "q = SplitToSequence<axis = 1>(wt, sizes) p = SequenceAt(q, last) "
        "r = Concat<axis = 1>(p, l) t2 = Transpose(r) y = MatMul(x, t2)",
        "p0, p = Split<axis = 1>(wt, sizes) r = Concat<axis = 1>(p, l) "
        "t2 = Transpose(r) y = MatMul(x, t2)");
    row("SplitToSequence of one size, the last is smaller",
        "q = SplitToSequence<axis = 1>(wt, four) p = SequenceAt(q, last) "
        "r = Concat<axis = 1>(p, p, p) t2 = Transpose(r) y = MatMul(x, t2)",
        "p0, p = Split<axis = 1>(wt, rest) r = Concat<axis = 1>(p, p, p) "
        "t2 = Transpose(r) y = MatMul(x, t2)");
    row("SplitToSequence of single rows",
        "q = SplitToSequence<axis = 0, keepdims = 0>(w) p = SequenceAt(q, zero) y = Mul(h, p)",
        "p = Gather<axis = 0>(w, zero) y = Mul(h, p)");
    row("all parts of a split",
        "q = SplitToSequence<axis = 1>(wt, sizes) r = ConcatFromSequence<axis = 1>(q) "
        "t2 = Transpose(r) y = MatMul(x, t2)",
        "t2 = Transpose(wt) y = MatMul(x, t2)");
    row("inserted and erased",
        "e = SequenceEmpty() q1 = SequenceInsert(e, h) q2 = SequenceInsert(q1, g, zero) "
        "o = Neg(g) q3 = SequenceInsert(q2, o) q4 = SequenceErase(q3, last) q5 = SequenceErase(q4) "
        "y = SequenceAt(q5, zero)",
        "y = Identity(g)");
    row("a length",
        "q = SequenceConstruct(h, g, g) n = SequenceLength(q) f = Cast<to = 1>(n) y = Mul(h, f)",
        "n = Constant<value = float {3.0}>() y = Mul(h, n)");
    row("the number of rows of an open shape",
        "q = SplitToSequence(rows) n = SequenceLength(q) f = Cast<to = 1>(n) y = Mul(h, f)",
        "n = Constant<value = float {5.0}>() y = Mul(h, n)");
    const char* chosen = "q = SequenceConstruct(h, g) y = SequenceAt(q, at)";
    row("a place that is fed: the first", chosen, "y = Identity(h)", 0);
    row("a place that is fed: the last", chosen, "y = Identity(g)", -1);
    row("a row whose place is fed",
        "q = SplitToSequence<axis = 0, keepdims = 0>(w) p = SequenceAt(q, at) y = Mul(h, p)",
        "p = Gather<axis = 0>(w, at) y = Mul(h, p)", 4);
    row("a row of an open shape whose place is fed",
        "q = SplitToSequence<axis = 0>(rows) p = SequenceAt(q, at) y = Mul(h, p)",
        "p = Gather<axis = 0>(rows, at) y = Mul(h, p)", 4);
    row("a SequenceMap",
        "q = SequenceConstruct(h, g) r = SequenceMap<body = f (u, v) => (o) { o = Mul(u, v) }>"
        "(q, two) y = SequenceAt(r, last)",
        "y = Mul(g, two)");
    row("a SequenceMap that reads a weight from outside",
        "q = SplitToSequence<axis = 0>(x) r = SequenceMap<body = f (u) => (o) { p = MatMul(u, w) "
        "o = Tanh(p) }>(q) y = ConcatFromSequence<axis = 0>(r)",
        "y = Identity(g)");
    row("an optional tensor", "o = Optional(g) e = OptionalGetElement(o) y = Mul(h, e)",
        "y = Mul(h, g)");
    row("an optional sequence",
        "q = SequenceConstruct(h, g) o = Optional(q) e = OptionalGetElement(o) "
        "y = SequenceAt(e, last)",
        "y = Identity(g)");
    row("an optional that is there",
        "o = Optional(g) c = OptionalHasElement(o) "
        "y = If (c) <then_branch = b1 () => (r) { r = Mul(h, g) }, "
        "else_branch = b2 () => (r2) { r2 = Exp(h) }>",
        "y = Mul(h, g)");
    row("an optional that is not there",
        "c = OptionalHasElement() "
        "y = If (c) <then_branch = b1 () => (r) { r = Mul(h, g) }, "
        "else_branch = b2 () => (r2) { r2 = Exp(h) }>",
        "y = Exp(h)");
}

void SequenceTrainingTest::theModelTrainsAsWrittenByHand() {
    QFETCH(QString, nodes);
    QFETCH(QString, byHand);
    QFETCH(int, at);
    const auto model = sequenceModelOf(nodes);
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), sequenceSpec());
    for (const Finding& finding : plan.findings)
        QVERIFY2(finding.severity != Severity::Error, finding.message.c_str());
    const Artifacts artifacts = generateArtifacts(*model, *allOps(), sequenceSpec());
    for (const Node* node : artifacts.trainingModel->nodes()) {
        QVERIFY2(!isOfSequences(*node), node->describe().c_str());
        // ONNX Runtime's fusion of slices gives two unnamed splits the same name.
        const bool isMade =
            node->opType() == "Slice" && node->output(0)->name().ends_with("_Slice");
        QVERIFY(!isMade || !node->name().empty());
    }
    const TrainedStep found = sequenceStepOf(*model, at);
    const TrainedStep expected = sequenceStepOf(*sequenceModelOf(byHand), at);
    QVERIFY(std::abs(found.loss - expected.loss) <= 1e-6 * std::abs(expected.loss));
    const std::string different = difference(found.gradient, expected.gradient, {1e-5, 1e-7});
    QVERIFY2(different.empty(), different.c_str());
}

void SequenceTrainingTest::whatStaysSaysWhyAndWhatToDo_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("reason");
    QTest::newRow("the data choose among shapes")
        << "n = Neg(wt) q = SequenceConstruct(h, n) [\"/at\"] p = SequenceAt(q, at) "
           "r = ReduceMean<keepdims = 0>(p) y = Mul(h, r)"
        << "node '/at' (SequenceAt): the data determines which tensor it reads, and their shapes "
           "may differ";
    QTest::newRow("as many tensors as the data have")
        << "p = Gather(w, zero) d = Mul(rows, p) q = SplitToSequence(d) "
           "[\"/map\"] r = SequenceMap<body = f (u) => (o) { o = Tanh(u) }>(q) "
           "[\"/at\"] e = SequenceAt(r, zero) y = Mul(h, e)"
        << "node '/at' (SequenceAt): which tensors it reads is unknown";
    QTest::newRow("a place where nothing is")
        << "nine = Constant<value = int64 {9}>() q = SequenceConstruct(h, g) "
           "[\"/at\"] p = SequenceAt(q, nine) y = Mul(h, p)"
        << "node '/at' (SequenceAt): which tensors it reads is unknown";
}

void SequenceTrainingTest::whatStaysSaysWhyAndWhatToDo() {
    QFETCH(QString, nodes);
    QFETCH(QString, reason);
    const ArtifactPlan plan = planArtifacts(*sequenceModelOf(nodes), *allOps(), sequenceSpec());
    const auto found = std::ranges::find_if(plan.findings, [&](const Finding& finding) {
        return finding.severity == Severity::Error &&
               QString::fromStdString(finding.hint).contains(reason);
    });
    QStringList all;
    for (const Finding& finding : plan.findings)
        all << QString::fromStdString(finding.code + finding.message + finding.hint);
    QVERIFY2(found != plan.findings.end(), qPrintable(all.join("\n")));
    QVERIFY(QString::fromStdString(found->hint).contains("use tensors of one shape"));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::SequenceTrainingTest)
#include "sequence_training_test.moc"
