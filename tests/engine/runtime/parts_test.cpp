// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cstring>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"
#include "engine/runtime/passes/plan_pass.h"

using namespace temper;

namespace {

const std::vector<std::string> kPasses = {"join-parts", "view-parts"};

std::shared_ptr<const Graph> parse(const QString& nodes) {
    return parseText("<ir_version: 8, opset_import: [\"\": 17]> g " + nodes.toStdString());
}

/// With these nodes before the others.
QString withConstants(QString nodes, const char* constants) {
    return nodes.insert(nodes.indexOf('{') + 1, QString(" %1 ").arg(constants));
}

/// Numbers in [-1, 1).
std::vector<Tensor> feedsFor(const Graph& graph, uint64_t seed) {
    std::vector<Tensor> feeds;
    for (const Value* input : graph.inputs()) {
        feeds.emplace_back(DType::Float32, *concreteShape(*input->type().shape));
        Random random(++seed);
        for (float& value : feeds.back().mutableValues<float>()) value = 2 * random.uniform() - 1;
    }
    return feeds;
}

}  // namespace

/// The passes view-parts and join-parts.
class PartsTest : public QObject {
    Q_OBJECT

private slots:
    void partsAreNotCopied_data();
    void partsAreNotCopied();
    void partsTakeNoMemory();
    void gradientsOfPartsAreJoined_data();
    void gradientsOfPartsAreJoined();

private:
    std::shared_ptr<const ExecutionPlan> plan(const Graph& graph,
                                              const std::vector<std::string>& without = {}) const {
        InputTypes types;
        for (const Value* input : graph.inputs())
            types[input->name()] = {{DType::Float32, *concreteShape(*input->type().shape)}};
        return ExecutionPlan::compile(graph, types, ops_.catalog, ops_.cpuKernels,
                                      {.withoutPasses = without});
    }
    QStringList stepsOf(const Graph& graph) const {
        QStringList steps;
        const auto made = plan(graph);
        for (const auto& step : made->steps()) {
            steps << QString::fromStdString(step.op).remove("com.microsoft.");
        }
        steps.sort();
        return steps;
    }
    /// The outputs of two runs on inputs in different places.
    std::vector<Tensor> run(const std::shared_ptr<const Graph>& graph, int threads,
                            const std::vector<std::string>& without) const {
        ThreadPool pool(threads);
        GraphRunner runner(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                           {.withoutPasses = without});
        const std::vector<Tensor> first = feedsFor(*graph, 0), second = feedsFor(*graph, 100);
        std::vector<Tensor> results;
        for (const auto& feeds : {first, second}) {
            for (const Tensor& output : runner.run(feeds)) results.push_back(output.clone());
        }
        return results;
    }

    OpSet ops_ = standardOps();
};

void PartsTest::partsAreNotCopied_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("steps");
    const auto row = [](const char* name, const char* nodes, const QStringList& steps) {
        QTest::newRow(name) << "(float[4, 32] x, float[6, 32] w, float[4, 3] v) => " +
                                   withConstants(nodes,
                                                 "i = Constant<value_int = 2>() "
                                                 "j = Constant<value_ints = [1]>() "
                                                 "k = Constant<value_ints = [3]>() "
                                                 "z = Constant<value_ints = [0]>()")
                            << steps;
    };
    row("of an input", "(a, b) { p, q = Split<axis = 0>(x)  a = Neg(p)  b = Exp(q) }",
        {"Exp", "Neg"});
    row("a row", "(c) { r = Exp(x)  g = Gather(r, i)  c = Neg(g) }", {"Exp", "Neg"});
    row("a slice", "(c) { r = Exp(x)  s = Slice(r, j, k)  c = Neg(s) }", {"Exp", "Neg"});
    row("a part of a part",
        "(c) { r = Exp(x)  p, q = Split<axis = 0>(r)  g = Gather(q, j)  c = Neg(g) }",
        {"Exp", "Neg"});
    row("reshaped", "(c) { r = Exp(x)  s = Slice(r, j, k)  t = Flatten<axis = 0>(s)  c = Neg(t) }",
        {"Exp", "Neg"});
    row("not aligned", "(c) { r = Exp(v)  g = Gather(r, i)  c = Neg(g) }",
        {"Exp", "Gather", "Neg"});
    row("a column", "(c) { r = Exp(x)  g = Gather<axis = 1>(r, i)  c = Neg(g) }",
        {"Exp", "Gather", "Neg"});
    row("given out", "(g) { r = Exp(x)  g = Gather(r, i) }", {"Exp", "Gather"});
    row("of an array that is read after the last part",
        "(n, c, e) { r = Exp(x)  p, q = Split<axis = 0>(r)  n = Neg(p)  c = CumSum(q, z) "
        " e = CumSum(r, z) }",
        {"CumSum", "CumSum", "Exp", "Neg"});
    row("read after the whole array",
        "(n, c) { r = Exp(x)  p, q = Split<axis = 0>(r)  e = Neg(r)  n = CumSum(e, z) "
        " c = Neg(p) }",
        {"CumSum", "Exp", "Neg", "Neg"});
    row("joined", "(c) { a = Exp(x)  b = Tanh(w)  d = Concat<axis = 0>(a, b)  c = CumSum(d, z) }",
        {"CumSum", "Exp", "Tanh"});
    row("joined and given out", "(d) { a = Exp(x)  b = Tanh(w)  d = Concat<axis = 0>(a, b) }",
        {"Exp", "Tanh"});
    row("joined and read",
        "(e, c) { a = Exp(x)  b = Tanh(w)  d = Concat<axis = 0>(a, b)  e = CumSum(a, z) "
        " c = CumSum(d, z) }",
        {"CumSum", "CumSum", "Exp", "Tanh"});
    row("one joined, one given out, too",
        "(a, d) { a = Exp(x)  b = Tanh(w)  d = Concat<axis = 0>(a, b) }",
        {"Concat", "Exp", "Tanh"});
    row("joined with an input", "(d) { b = Tanh(w)  d = Concat<axis = 0>(x, b) }",
        {"Concat", "Tanh"});
    row("joined with itself", "(d) { a = Exp(x)  d = Concat<axis = 0>(a, a) }", {"Concat", "Exp"});
    row("joined twice",
        "(f) { a = Exp(x)  b = Tanh(w)  d = Concat<axis = 0>(a, b)  f = Concat<axis = 0>(d, x) }",
        {"Concat", "Exp", "Tanh"});
    row("in the body of a loop",
        "(y) { y = Scan<num_scan_inputs = 1, body = step (t) => (s) {"
        " m, n = Split<axis = 0>(t)  o = Neg(m)  s = Concat<axis = 0>(n, o) }>(x) }",
        {"Scan"});
}

/// The results have the same bits as without any pass.
void PartsTest::partsAreNotCopied() {
    QFETCH(QString, nodes);
    QFETCH(QStringList, steps);
    const auto graph = parse(nodes);
    QCOMPARE(stepsOf(*graph), steps);
    const std::vector<Tensor> expected = run(graph, 1, planPassNames());
    for (const int threads : {1, 3}) {
        const std::vector<Tensor> found = run(graph, threads, {});
        QCOMPARE(found.size(), expected.size());
        for (size_t i = 0; i < found.size(); ++i) {
            QCOMPARE(found[i].shape(), expected[i].shape());
            QVERIFY(std::memcmp(found[i].data(), expected[i].data(), found[i].byteSize()) == 0);
        }
    }
}

void PartsTest::partsTakeNoMemory() {
    const auto graph = parse(
        "(float[4, 4096] x) => (c, n) { j = Constant<value_ints = [1]>()  k = Constant<value_ints "
        "= [3]>()  r = Exp(x)  s = Slice(r, j, k)  c = ReduceSum(s)  n = ReduceSum(r) }");
    const size_t bytesOfPart = 2 * 4096 * sizeof(float);
    QVERIFY(plan(*graph)->arenaBytes() + bytesOfPart / 2 < plan(*graph, kPasses)->arenaBytes());
}

void PartsTest::gradientsOfPartsAreJoined_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("steps");
    const auto row = [](const char* name, const char* nodes, const QStringList& steps) {
        const QString text =
            withConstants(nodes,
                          "shape = Constant<value_ints = [3, 4, 32]>() "
                          "none = Constant<value_ints = [3, 0, 32]>() "
                          "wide = Constant<value_ints = [4, 64]>() "
                          "i = Constant<value_int = 0>() j = Constant<value_ints = [1]>() "
                          "k = Constant<value_int = -1>() begin = Constant<value_ints = [0]>() "
                          "less = Constant<value_ints = [31]>() "
                          "half = Constant<value_ints = [32]>() "
                          "end = Constant<value_ints = [1000]>()")
                .replace("GatherGrad", "com.microsoft.GatherGrad<axis = 0>")
                .replace("SliceGrad", "com.microsoft.SliceGrad");
        QTest::newRow(name) << "(float[4, 32] a, float[4, 32] b, float[1, 4, 32] c, "
                               "float[4, 64] d, float[4, 33] e, "
                               "float[0, 32] f, float[1, 0, 32] g) => " +
                                   text
                            << steps;
    };
    row("indices",
        "(y) { p = GatherGrad(shape, i, a)  q = GatherGrad(shape, k, b)  r = GatherGrad(shape, j, "
        "c)  y = Sum(q, p, r) }",
        {"Concat"});
    row("nothing in them",
        "(y) { p = GatherGrad(none, i, f)  q = GatherGrad(none, k, f)  r = GatherGrad(none, j, "
        "g)  y = Sum(q, p, r) }",
        {"Concat"});
    row("of results, which are made in place",
        "(y) { s = Exp(a)  t = Neg(b)  u = Tanh(c)  p = GatherGrad(shape, i, s)  q = "
        "GatherGrad(shape, k, t)  r = GatherGrad(shape, j, u)  y = Sum(p, q, r) }",
        {"Exp", "Neg", "Tanh"});
    row("slices and others",
        "(y) { p = SliceGrad(a, wide, half, end, j)  q = SliceGrad(b, wide, begin, half, j) "
        " y = Sum(p, d, q) }",
        {"Concat", "Sum"});
    row("a gap", "(y) { p = GatherGrad(shape, i, a)  q = GatherGrad(shape, k, b)  y = Sum(p, q) }",
        {"GatherGrad", "GatherGrad", "Sum"});
    row("an overlap",
        "(y) { p = SliceGrad(e, wide, less, end, j)  q = SliceGrad(b, wide, begin, half, j) "
        " y = Sum(p, q) }",
        {"SliceGrad", "SliceGrad", "Sum"});
    row("one that others read",
        "(y, n) { p = SliceGrad(a, wide, half, end, j)  q = SliceGrad(b, wide, begin, half, j) "
        " y = Sum(p, q)  n = CumSum(p, j) }",
        {"CumSum", "SliceGrad", "SliceGrad", "Sum"});
}

void PartsTest::gradientsOfPartsAreJoined() {
    QFETCH(QString, nodes);
    QFETCH(QStringList, steps);
    const auto graph = parse(nodes);
    QCOMPARE(stepsOf(*graph), steps);
    const std::vector<Tensor> expected = run(graph, 1, planPassNames());
    const std::vector<Tensor> found = run(graph, 3, {});
    QCOMPARE(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
        QCOMPARE(found[i].shape(), expected[i].shape());
        QVERIFY(std::ranges::equal(found[i].values<float>(), expected[i].values<float>()));
    }
}

QTEST_GUILESS_MAIN(PartsTest)
#include "parts_test.moc"
