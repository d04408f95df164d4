// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>
#include <QTest>

#include "tests/support/op_check.h"

using namespace temper;
using namespace temper::test;

namespace {

Tensor position(int64_t value) { return Tensor::scalar<int64_t>(value); }

/// What the nodes of the rows read. All are fed: nothing is known before the run.
Feeds sequenceFeeds() {
    return {{"a", randomTensor({2, 3}, 1)},
            {"b", randomTensor({2, 3}, 2)},
            {"c", randomTensor({4, 3}, 3)},
            {"x", randomTensor({5, 3}, 4)},
            {"k", randomTensor({3}, 5)},
            {"zero", position(0)},
            {"one", position(1)},
            {"two", position(2)},
            {"three", position(3)},
            {"last", position(-1)},
            {"nine", position(9)},
            {"sizes", integerTensor({1, 4})},
            {"wrong", integerTensor({1, 3})},
            {"yes", Tensor::scalar<bool>(true)},
            {"no", Tensor::scalar<bool>(false)}};
}

OpCase sequenceCase(const QString& nodes) {
    OpCase opCase{nodes.toStdString(), {}, 18};
    for (const auto& [name, feed] : sequenceFeeds()) {
        const QRegularExpression word("\\b" + QString::fromStdString(name) + "\\b");
        if (nodes.contains(word)) opCase.feeds.emplace(name, feed);
    }
    return opCase;
}

}  // namespace

/// Operators on sequences and optionals.
class SequenceTest : public QObject {
    Q_OBJECT

private slots:
    void sequencesGiveWhatTensorsGive_data();
    void sequencesGiveWhatTensorsGive();
    void aSequenceIsAResult();
    void contradictionsNameTheNode_data();
    void contradictionsNameTheNode();
    void gradientsMatchFiniteDifferences_data();
    void gradientsMatchFiniteDifferences();
};

void SequenceTest::sequencesGiveWhatTensorsGive_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("byHand");
    const auto row = [](const char* name, const char* nodes, const char* byHand) {
        QTest::newRow(name) << nodes << byHand;
    };
    row("inserted at the end",
        "e = SequenceEmpty() q = SequenceInsert(e, a) r = SequenceInsert(q, c) "
        "y = ConcatFromSequence<axis = 0>(r)",
        "y = Concat<axis = 0>(a, c)");
    row("inserted in front",
        "q = SequenceConstruct(a, b) r = SequenceInsert(q, c, zero) "
        "y = ConcatFromSequence<axis = 0>(r)",
        "y = Concat<axis = 0>(c, a, b)");
    row("inserted before the last",
        "q = SequenceConstruct(a, b) r = SequenceInsert(q, c, last) "
        "y = ConcatFromSequence<axis = 0>(r)",
        "y = Concat<axis = 0>(a, c, b)");
    row("erased",
        "q = SequenceConstruct(a, b, c) r = SequenceErase(q, one) s = SequenceErase(r) "
        "t = SequenceInsert(s, x) y = ConcatFromSequence<axis = 0>(t)",
        "y = Concat<axis = 0>(a, x)");
    row("tensors of several shapes", "q = SequenceConstruct(a, c, b) y = SequenceAt(q, one)",
        "y = Identity(c)");
    row("joined along a new axis",
        "q = SequenceConstruct(a, b) y = ConcatFromSequence<axis = -1, new_axis = 1>(q)",
        "m = Constant<value = int64[1] {-1}>() u = Unsqueeze(a, m) v = Unsqueeze(b, m) "
        "y = Concat<axis = -1>(u, v)");
    row("parts of given sizes", "q = SplitToSequence(x, sizes) y = SequenceAt(q, last)",
        "z, y = Split<axis = 0>(x, sizes) w = Neg(z)");
    row("parts of one size, the last is smaller",
        "q = SplitToSequence(x, two) u = SequenceAt(q, two) v = SequenceAt(q, zero) "
        "y = Concat<axis = 0>(u, v)",
        "s = Constant<value = int64[3] {2, 2, 1}>() v, z, u = Split(x, s) w = Neg(z) "
        "y = Concat<axis = 0>(u, v)");
    row("single columns", "q = SplitToSequence<axis = 1, keepdims = 0>(x) y = SequenceAt(q, one)",
        "y = Gather<axis = 1>(x, one)");
    row("the number of parts",
        "q = SplitToSequence(x, two) n = SequenceLength(q) f = Cast<to = 1>(n) y = Mul(a, f)",
        "f = Cast<to = 1>(three) y = Mul(a, f)");
    row("a Loop collects as many tensors as it runs",
        "e = SequenceEmpty() q = Loop<body = step (i, g, s) => (go, t) { go = Identity(g) "
        "r = Gather(x, i) t = SequenceInsert(s, r) }>(three, \"\", e) "
        "y = ConcatFromSequence<axis = 0, new_axis = 1>(q)",
        "s = Constant<value = int64[2] {3, 2}>() y, z = Split(x, s) w = Neg(z)");
    row("a Loop collects tensors until there are enough",
        "e = SequenceEmpty() q = Loop<body = step (i, g, s) => (go, t) { "
        "r = Gather(x, i) t = SequenceInsert(s, r, zero) n = SequenceLength(t) "
        "go = Less(n, three) }>(\"\", yes, e) y = SequenceAt(q, zero)",
        "y = Gather(x, two)");
    row("a Loop that does not run hands its sequence on",
        "q = SequenceConstruct(a, b) r = Loop<body = step (i, g, s) => (go, t) { "
        "go = Identity(g) t = SequenceErase(s) }>(three, no, q) "
        "y = ConcatFromSequence<axis = 0>(r)",
        "y = Concat<axis = 0>(a, b)");
    row("a Loop reads a sequence from outside",
        "q = SplitToSequence<keepdims = 0>(x) y = Loop<body = step (i, g, s) => (go, t) { "
        "go = Identity(g) r = SequenceAt(q, i) t = Add(s, r) }>(two, \"\", k) l = "
        "SequenceLength(q)",
        "u = Gather(x, zero) v = Gather(x, one) p = Add(k, u) y = Add(p, v) "
        "l = Constant<value = int64 {5}>() z = Neg(l)");
    const char* branches =
        "q = If(%1)<then_branch = t () => (r) { r = SequenceConstruct(a, b) }, "
        "else_branch = e () => (s) { s = SequenceConstruct(c) }> "
        "y = ConcatFromSequence<axis = 0>(q)";
    row("a branch makes a sequence", qPrintable(QString(branches).arg("yes")),
        "y = Concat<axis = 0>(a, b)");
    row("the other branch makes a sequence", qPrintable(QString(branches).arg("no")),
        "y = Identity(c)");
    row("a SequenceMap",
        "q = SplitToSequence(x, two) s = SequenceMap<body = f (u, v) => (w) { p = Mul(u, v) "
        "w = Exp(p) }>(q, k) y = ConcatFromSequence<axis = 0>(s)",
        "p = Mul(x, k) y = Exp(p)");
    row("a SequenceMap over two sequences, with two results",
        "q = SequenceConstruct(a, c) r = SequenceConstruct(b, c) "
        "s, t = SequenceMap<body = f (u, v) => (w, n) { w = Sub(u, v) n = Shape(w) }>(q, r) "
        "l = SequenceAt(t, one) g = Cast<to = 1>(l) d = ConcatFromSequence<axis = 0>(s) "
        "z = ReduceSum(g) y = Mul(d, z)",
        "u = Sub(a, b) v = Sub(c, c) d = Concat<axis = 0>(u, v) "
        "z = Constant<value = float {7.0}>() y = Mul(d, z)");
    row("an optional tensor",
        "o = Optional(a) h = OptionalHasElement(o) g = OptionalGetElement(o) y = Where(h, g, b)",
        "y = Identity(a)");
    row("an optional sequence",
        "q = SequenceConstruct(a, b) o = Optional(q) g = OptionalGetElement(o) "
        "y = SequenceAt(g, one)",
        "y = Identity(b)");
    row("an optional without content",
        "o = Optional<type: type_proto = float[2, 3]>() h = OptionalHasElement(o) "
        "y = Where(h, a, b)",
        "y = Identity(b)");
    row("an empty sequence is content",
        "q = SequenceEmpty() o = Optional(q) h = OptionalHasElement(o) y = Where(h, a, b)",
        "y = Identity(a)");
    row("a branch without content",
        "o = If(yes)<then_branch = t () => (r) { r = Optional<type: type_proto = float[2, 3]>() }, "
        "else_branch = e () => (s) { s = Optional(a) }> h = OptionalHasElement(o) "
        "y = Where(h, a, b)",
        "y = Identity(b)");
}

void SequenceTest::sequencesGiveWhatTensorsGive() {
    QFETCH(QString, nodes);
    QFETCH(QString, byHand);
    const Tensor expected = runOp(sequenceCase(byHand)).at("y");
    const std::string problem = checkOutput(sequenceCase(nodes), "y", expected, {1e-6, 1e-6});
    QVERIFY2(problem.empty(), problem.c_str());
}

void SequenceTest::aSequenceIsAResult() {
    const OpCase opCase =
        sequenceCase("q = SplitToSequence(x, sizes) r = SequenceInsert(q, a, one)");
    const auto results = runOnFeeds(*graphOf(opCase), opCase.feeds);
    const ValueData& found = results.at("r");
    QVERIFY(found.isSequence);
    QCOMPARE(found.tensors.size(), size_t{3});
    QCOMPARE(found.tensors[0].shape(), (Shape{1, 3}));
    QCOMPARE(found.tensors[2].shape(), (Shape{4, 3}));
    const std::string problem =
        difference(found.tensors[1], opCase.feeds.at("a").tensors.front(), {0, 0});
    QVERIFY2(problem.empty(), problem.c_str());
}

void SequenceTest::contradictionsNameTheNode_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("message");
    QTest::newRow("a place beyond the end")
        << "q = SequenceConstruct(a, b) [\"/n\"] y = SequenceAt(q, nine)"
        << "Position [9] is outside a sequence of 2 tensors.";
    QTest::newRow("an insertion beyond the end")
        << "q = SequenceConstruct(a, b) [\"/n\"] y = SequenceInsert(q, a, nine)"
        << "Position [9] is outside a sequence of 2 tensors.";
    QTest::newRow("nothing to erase") << "q = SequenceEmpty() [\"/n\"] y = SequenceErase(q)"
                                      << "Position [-1] is outside a sequence of 0 tensors.";
    QTest::newRow("sizes of another sum") << "[\"/n\"] y = SplitToSequence(x, wrong)"
                                          << "The parts have 4 elements in total; expected 5";
    QTest::newRow("parts of nothing") << "[\"/n\"] y = SplitToSequence(x, zero)"
                                      << "The size of the parts is [0]; expected one number";
    QTest::newRow("an empty sequence")
        << "q = SequenceEmpty() [\"/n\"] y = ConcatFromSequence<axis "
           "= 0>(q)"
        << "The sequence is empty; expected at least one tensor.";
    QTest::newRow("tensors that do not fit")
        << "q = SequenceConstruct(a, c) [\"/n\"] y = ConcatFromSequence<axis = 1>(q)"
        << "Dimensions of the tensors of the sequence";
    QTest::newRow("an optional without content")
        << "o = Optional<type: type_proto = float[2]>() [\"/n\"] y = OptionalGetElement(o)"
        << "Input 0 is an optional without content.";
    QTest::newRow("a Loop that collects sequences")
        << "[\"/n\"] y = Loop<body = step (i, g) => (go, t) { go = Identity(g) "
           "t = SequenceConstruct(a) }>(two, \"\")"
        << "The body of the Loop makes a sequence or an optional as 't'; expected a tensor.";
}

void SequenceTest::contradictionsNameTheNode() {
    QFETCH(QString, nodes);
    QFETCH(QString, message);
    try {
        const OpCase opCase = sequenceCase(nodes);
        runOnFeeds(*graphOf(opCase), opCase.feeds);
        QFAIL("it was computed");
    } catch (const Error& error) {
        const QString text = error.what();
        QVERIFY2(text.contains(message), error.what());
        QVERIFY2(text.contains("'/n'"), error.what());
    }
}

void SequenceTest::gradientsMatchFiniteDifferences_data() {
    QTest::addColumn<QString>("nodes");
    const auto row = [](const char* name, const char* nodes) { QTest::newRow(name) << nodes; };
    row("one part of several",
        "p = Constant<value = int64[2] {2, 3}>() i = Constant<value = int64 {1}>() "
        "q = SplitToSequence(x, p) r = SequenceAt(q, i) y = Tanh(r)");
    row("single rows",
        "i = Constant<value = int64 {-1}>() q = SplitToSequence<keepdims = 0>(x) "
        "r = SequenceAt(q, i) y = Mul(r, k)");
    row("joined again",
        "p = Constant<value = int64 {2}>() q = SplitToSequence(x, p) "
        "r = SequenceInsert(q, a) s = SequenceErase(r, p) "
        "y = ConcatFromSequence<axis = 0>(s) z = Mul(y, k)");
    row("stacked",
        "q = SequenceConstruct(a, b) r = ConcatFromSequence<axis = 1, new_axis = 1>(q) "
        "y = Sin(r)");
    row("a SequenceMap",
        "q = SequenceConstruct(a, c) s = SequenceMap<body = f (u, v) => (w) { p = Mul(u, v) "
        "w = Tanh(p) }>(q, k) y = ConcatFromSequence<axis = 0>(s)");
    row("a SequenceMap over two sequences",
        "q = SequenceConstruct(a, c) r = SequenceConstruct(b, c) "
        "s = SequenceMap<body = f (u, v) => (w) { w = Mul(u, v) }>(q, r) "
        "y = ConcatFromSequence<axis = 0>(s)");
    row("a Loop that collects its states",
        "m = Constant<value = int64 {3}>() t = Constant<value = bool {1}>() "
        "e = SequenceEmpty<dtype = 1>() "
        "h, q = Loop<body = step (i, g, s, l) => (go, n, r) { go = Identity(g) p = Mul(s, k) "
        "n = Tanh(p) r = SequenceInsert(l, n) }>(m, t, a, e) "
        "y = ConcatFromSequence<axis = 0>(q)");
    row("a Loop over a sequence",
        "q = SequenceConstruct(a, b, a) m = SequenceLength(q) t = Constant<value = bool {1}>() "
        "y = Loop<body = step (i, g, s) => (go, n) { go = Identity(g) e = SequenceAt(q, i) "
        "p = Mul(s, e) n = Sin(p) }>(m, t, b)");
    row("an optional", "o = Optional(a) e = OptionalGetElement(o) y = Mul(e, b)");
}

void SequenceTest::gradientsMatchFiniteDifferences() {
    QFETCH(QString, nodes);
    const std::string problem =
        checkGradient(sequenceCase(nodes), {.alsoSymbolic = false, .foldsSequences = true});
    QVERIFY2(problem.empty(), problem.c_str());
}

QTEST_GUILESS_MAIN(SequenceTest)
#include "sequence_test.moc"
