// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/onnx/graph_text.h"
#include "engine/runtime/control_folding.h"
#include "engine/training/artifacts/artifacts.h"
#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

constexpr const char* kHeader = "<ir_version: 8, opset_import: [\"\": 17]> g ";

/// A running sum of x, with each element doubled on output.
constexpr const char* kRunningSum = R"(Scan <num_scan_inputs = 1, ATTRIBUTES
    body = b (float[M] s, float[M] row) => (next, out) {
        two = Constant<value_float = 2.0>()  next = Add(s, row)  out = Mul(next, two) }>)";

OpCase runningSum(const std::string& attributes, const Tensor& start, const Tensor& x) {
    std::string scan = kRunningSum;
    scan.replace(scan.find("ATTRIBUTES"), 10, attributes);
    return {"last, all = " + scan + "(s, x)", {{"s", start}, {"x", x}}};
}

Tensor matrix(std::initializer_list<float> values, int64_t columns) {
    return Tensor::of<float>({static_cast<int64_t>(values.size()) / columns, columns}, values);
}

QString differenceOf(const Results& results, const std::string& name, const Tensor& expected) {
    return QString::fromStdString(difference(results.at(name), expected, {1e-6, 1e-6}));
}

/// A Loop that multiplies by k three times.
constexpr const char* kPower = R"((float[2] x, float[2] k) => (y) {
    three = Constant<value = int64 {3}>()  yes = Constant<value = bool {1}>()
    y = Loop <body = b (int64 i, bool c, float[2] s) => (bool go, float[2] next) {
        go = Identity(c)  next = Mul(s, k) }> (three, yes, x) })";

}  // namespace

class ControlTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() {
        addOnnxRows(
            {"if", "loop11", "loop13", "loop16", "scan_sum", "scan9_sum", "range", "sequence_map"});
    }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void scansGoForwardAndBackward_data() {
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<QList<float>>("last");
        QTest::addColumn<QList<float>>("all");
        QTest::newRow("forward") << "" << QList<float>{10, 13}
                                 << QList<float>{4, 6, 10, 14, 20, 26};
        QTest::newRow("reversed input") << "scan_input_directions = [1]," << QList<float>{10, 13}
                                        << QList<float>{12, 14, 18, 22, 20, 26};
        QTest::newRow("reversed output") << "scan_output_directions = [1]," << QList<float>{10, 13}
                                         << QList<float>{20, 26, 10, 14, 4, 6};
    }
    void scansGoForwardAndBackward() {
        QFETCH(QString, attributes);
        QFETCH(QList<float>, last);
        QFETCH(QList<float>, all);
        const Results results =
            runOp(runningSum(attributes.toStdString(), Tensor::of<float>({2}, {1, 1}),
                             matrix({1, 2, 3, 4, 5, 6}, 2)));
        QCOMPARE(differenceOf(results, "last",
                              Tensor::of<float>({2}, std::span<const float>(last.data(), 2))),
                 QString());
        QCOMPARE(differenceOf(results, "all",
                              Tensor::of<float>({3, 2}, std::span<const float>(all.data(), 6))),
                 QString());
    }

    void scansRunAlongOtherAxes() {
        const Results results =
            runOp(runningSum("scan_input_axes = [1], scan_output_axes = [-1],",
                             Tensor::of<float>({2}, {0, 0}), matrix({1, 2, 3, 4, 5, 6}, 3)));
        QCOMPARE(differenceOf(results, "all", matrix({2, 6, 12, 8, 18, 30}, 3)), QString());
    }

    void anEmptySequenceLeavesTheState() {
        const Results results =
            runOp(runningSum("", Tensor::of<float>({2}, {7, 8}), Tensor(DType::Float32, {0, 2})));
        QCOMPARE(differenceOf(results, "last", Tensor::of<float>({2}, {7, 8})), QString());
        QCOMPARE(results.at("all").shape(), (Shape{0, 2}));
    }

    void statesMaySwapPlaces() {
        const OpCase swap{R"(a2, b2 = Scan <num_scan_inputs = 1,
            body = b (float[M] p, float[M] q, float[M] row) => (q2, p2) {
                q2 = Identity(q)  p2 = Add(p, row) }>(a, b, x))",
                          {{"a", Tensor::of<float>({1}, {1})},
                           {"b", Tensor::of<float>({1}, {2})},
                           {"x", matrix({10, 100, 1000}, 1)}}};
        const Results results = runOp(swap);
        // (1, 2) -> (2, 11) -> (11, 102) -> (102, 1011)
        QCOMPARE(differenceOf(results, "a2", Tensor::of<float>({1}, {102})), QString());
        QCOMPARE(differenceOf(results, "b2", Tensor::of<float>({1}, {1011})), QString());
    }

    void aStateThatChangesItsShapeIsRefused() {
        const OpCase growing{R"(last = Scan <num_scan_inputs = 1,
            body = b (float[M] s, float[M] row) => (next) { next = Concat<axis = 0>(s, row) }>(s, x))",
                             {{"s", Tensor::of<float>({1}, {1})}, {"x", matrix({1, 2}, 1)}}};
        try {
            runOp(growing);
            QFAIL("a state that grows was accepted");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("State 0"), error.what());
        }
    }

    void decidedControlFlowIsFolded_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("isFolded");
        const char* branches = R"(y = If <then_branch = t () => (float[N, 2] a) { a = Neg(x) },
            else_branch = e () => (float[N, 2] b) { b = Abs(x) }> (c) })";
        const std::string shape =
            "(float[N, 2] x) => (y) { s = Shape(x)  i = Constant<value_int = 1>()"
            "  d = Gather(s, i)  two = Constant<value_int = 2>()"
            "  c = Equal(d, two)  ";
        QTest::newRow("a dimension of an open shape")
            << QString::fromStdString(shape + branches) << true;
        QTest::newRow("a condition that is fed")
            << QString::fromStdString("(float[N, 2] x, bool c) => (y) { " + std::string(branches))
            << false;
        QTest::newRow("a Loop with a constant limit") << kPower << true;
        QTest::newRow("a Loop over the rows of a static shape") << R"((float[3, 2] x) => (y) {
            s = Shape(x)  i = Constant<value_int = 0>()  n = Gather(s, i)
            one = Constant<value_int = 1>()  yes = Cast<to = 9>(one)
            y = Loop <body = b (int64 i2, bool c) => (bool go, float[2] row) {
                go = Cast<to = 9>(yes)  row = Gather(x, i2) }> (n, yes) })"
                                                                << true;
        const char* counting = R"((float[N, 2] x, int64 fed) => (y) {
            zero = Constant<value_int = 0>()  one = Constant<value_int = 1>()
            three = Constant<value_int = 3>()  yes = Constant<value = bool {1}>()
            n, y = Loop <body = b (int64 i, bool c, int64 k, float[N, 2] s)
                => (bool go, int64 next, float[N, 2] t) {
                t = Add(s, x)  next = Add(k, one)  go = Less(next, %1) }> (%2, yes, zero, x) })";
        const auto counted = [&](const char* end, const char* limit) {
            return QString(counting).arg(end, limit);
        };
        QTest::newRow("a Loop that counts by itself") << counted("three", R"("")") << true;
        QTest::newRow("a Loop that counts by itself, with a limit")
            << counted("three", "one") << true;
        QTest::newRow("a Loop that counts to what is fed") << counted("fed", R"("")") << false;
        QTest::newRow("a Loop that counts, with a limit that is fed")
            << counted("three", "fed") << false;
        QTest::newRow("a Loop over the rows of an open shape") << R"((float[N, 2] x) => (y) {
            s = Shape(x)  i = Constant<value_int = 0>()  n = Gather(s, i)
            yes = Constant<value = bool {1}>()
            y = Loop <body = b (int64 i2, bool c) => (bool go, float[2] row) {
                go = Identity(c)  row = Gather(x, i2) }> (n, yes) })"
                                                               << false;
    }
    void decidedControlFlowIsFolded() {
        QFETCH(QString, text);
        QFETCH(bool, isFolded);
        const auto model = parseText(kHeader + text.toStdString());
        const auto folded = withFoldedControlFlow(*model, ops().catalog, ops().cpuKernels);
        const auto nodes = folded->nodes();
        const bool isThere = std::any_of(nodes.begin(), nodes.end(), [](const Node* node) {
            return node->opType() == "If" || node->opType() == "Loop";
        });
        QCOMPARE(isThere, !isFolded);
        QCOMPARE(folded->outputs().front()->name(), std::string("y"));
    }

    void anUnrolledLoopComputesTheSame() {
        const auto model = parseText(std::string(kHeader) + kPower);
        const auto folded = withFoldedControlFlow(*model, ops().catalog, ops().cpuKernels);
        const Feeds feeds{{"x", Tensor::of<float>({2}, {1, 2})},
                          {"k", Tensor::of<float>({2}, {2, 3})}};
        const Tensor expected = Tensor::of<float>({2}, {8, 54});
        QCOMPARE(differenceOf(runGraph(*model, feeds), "y", expected), QString());
        QCOMPARE(differenceOf(runGraph(*folded, feeds), "y", expected), QString());
    }

    /// As PyTorch's exporter writes an embedding bag: a branch slices the rows of a bag. The first
    /// state is a constant that the branches read, too.
    void aLoopThatCollectsASequenceIsFolded_data() {
        QTest::addColumn<QString>("insert");
        QTest::addColumn<QString>("join");
        QTest::addColumn<Tensor>("expected");
        QTest::newRow("at the end")
            << "SequenceInsert(q, row)"
            << "ConcatFromSequence<axis = 0>" << Tensor::of<float>({3, 2}, {0, 0, 3, 4, 10, 12});
        QTest::newRow("in front") << "SequenceInsert(q, row, zero)"
                                  << "ConcatFromSequence<axis = 0>"
                                  << Tensor::of<float>({3, 2}, {10, 12, 3, 4, 0, 0});
        QTest::newRow("along a new axis") << "SequenceInsert(q, row)"
                                          << "ConcatFromSequence<axis = 1, new_axis = 1>"
                                          << Tensor::of<float>({1, 3, 2}, {0, 0, 3, 4, 10, 12});
    }
    void aLoopThatCollectsASequenceIsFolded() {
        QFETCH(QString, insert);
        QFETCH(QString, join);
        QFETCH(Tensor, expected);
        const auto model = parseText(
            (kHeader + QString(R"((float[4, 2] x) => (y) <int64[4] offsets = {0, 0, 2, 4}> {
                zero = Constant<value = int64 {0}>()  yes = Constant<value = bool {1}>()
                first = Constant<value = int64[1] {0}>()
                q0 = SequenceEmpty()
                n, q1 = Loop <body = b (int64 i, bool c, int64 k, q) => (go, next, r) {
                    one = Constant<value = int64[1] {1}>()  all = Constant<value = int64 {3}>()
                    last = Constant<value_int = 1>()
                    at = Unsqueeze(k, first)  to = Add(at, one)  past = Add(to, one)
                    begin = Slice(offsets, at, to)  end = Slice(offsets, to, past)
                    isEmpty = Equal(begin, end)
                    row = If (isEmpty) <
                        then_branch = t () => (p) <float[1, 2] p = {0, 0}> {},
                        else_branch = e () => (s) {
                            rows = Slice(x, begin, end)
                            isFirst = Equal(k, last)
                            s = If (isFirst) <
                                then_branch = t2 () => (u) { z = Cast<to = 1>(zero)
                                    f = ReduceSum(rows, first)  u = Add(f, z) },
                                else_branch = e2 () => (w) { w = ReduceSum(rows, first) }>
                        }>
                    r = %1
                    step = Constant<value = int64 {1}>()  next = Add(k, step)
                    go = Less(next, all)
                }> ("", yes, zero, q0)
                y = %2(q1)
            })")
                           .arg(insert, join))
                .toStdString());
        const auto folded = withFoldedControlFlow(*model, ops().catalog, ops().cpuKernels);
        for (const Node* node : folded->nodes()) {
            QVERIFY2(node->opType() != "Loop" && node->opType() != "If" &&
                         !node->opType().starts_with("Sequence"),
                     node->describe().c_str());
        }
        const Feeds feeds{{"x", Tensor::of<float>({4, 2}, {1, 1, 2, 3, 4, 5, 6, 7})}};
        QCOMPARE(differenceOf(runGraph(*folded, feeds), "y", expected), QString());
    }

    void parametersInsideAnUnrolledLoopTrain() {
        auto model = parseText(std::string(kHeader) + kPower);
        model->inputToInitializer(model->at("k"), Tensor::of<float>({2}, {2, 3}));
        ArtifactSpec spec;
        spec.loss.key = "mse";
        const ArtifactPlan plan = planArtifacts(*model, ops(), spec);
        QVERIFY(!hasErrors(plan.findings));
        QCOMPARE(plan.trainable, (std::vector<std::string>{"k"}));
    }
};

QTEST_GUILESS_MAIN(ControlTest)
#include "control_test.moc"
