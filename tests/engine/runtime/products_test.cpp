// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"
#include "engine/runtime/passes/plan_pass.h"

using namespace temper;

namespace {

const QString kInputs =
    "(float[128, 64] x, float[128, 64] y, float[64, 96] u, float[64, 96] v, float[128, 96] z, "
    "float[96] bias, float[64, 96] buffer, bool[1] reset, float[2, 6, 8] a, float[2, 6, 8] b, "
    "float[2, 6, 4] c, float[8, 4] s, float[8, 4] t, float[2, 6, 4] d, "
    "float[4, 4] e) => ";

std::shared_ptr<Graph> parse(const QString& nodes) {
    return parseText(QString("<ir_version: 8, opset_import: [\"\": 17]> g " + kInputs + nodes)
                         .replace("FusedMatMul", "com.microsoft.FusedMatMul")
                         .replace("InPlaceAccumulatorV2", "com.microsoft.InPlaceAccumulatorV2")
                         .toStdString());
}

}  // namespace

/// The passes join-products and sum-products.
class ProductsTest : public QObject {
    Q_OBJECT

private slots:
    void productsRunTogether_data();
    void productsRunTogether();
    void productsAreAddedToOthers_data();
    void productsAreAddedToOthers();

private:
    QStringList stepsOf(const Graph& graph) const {
        InputTypes types;
        for (const Value* input : graph.inputs())
            types[input->name()] = {{input->type().dtype, *concreteShape(*input->type().shape)}};
        QStringList steps;
        const auto plan = ExecutionPlan::compile(graph, types, ops_.catalog, ops_.cpuKernels);
        for (const auto& step : plan->steps())
            steps << QString::fromStdString(step.op).remove("com.microsoft.").remove("temper.");
        steps.sort();
        return steps;
    }
    /// The outputs of two runs, the first of which resets the accumulator.
    std::vector<Tensor> run(const std::shared_ptr<const Graph>& graph, int threads,
                            const std::vector<std::string>& without) const {
        std::vector<Tensor> feeds;
        for (const Value* input : graph->inputs()) {
            feeds.emplace_back(input->type().dtype, *concreteShape(*input->type().shape));
            if (feeds.back().dtype() != DType::Float32) continue;
            Random random(feeds.size());
            for (float& value : feeds.back().mutableValues<float>())
                value = 2 * random.uniform() - 1;
        }
        ThreadPool pool(threads);
        GraphRunner runner(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                           {.withoutPasses = without});
        std::vector<Tensor> results;
        for (const bool resets : {true, false}) {
            for (Tensor& feed : feeds) {
                if (feed.dtype() == DType::Bool) *feed.mutableValues<bool>().data() = resets;
            }
            for (const Tensor& output : runner.run(feeds)) results.push_back(output.clone());
            for (const Tensor& feed : feeds) results.push_back(feed.clone());
        }
        return results;
    }

    OpSet ops_ = standardOps();
};

void ProductsTest::productsRunTogether_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("steps");
    const auto row = [](const char* name, const char* nodes, const QStringList& steps) {
        QTest::newRow(name) << QString(nodes) << steps;
    };
    row("one left factor", "(p, q) { p = MatMul(x, u)  q = MatMul(x, v) }", {"MatMul+MatMul"});
    row("steps between them",
        "(q) { p = MatMul(x, u)  n = Add(p, bias)  m = MatMul(x, v)  q = Mul(n, m) }",
        {"Add+Mul", "MatMul+MatMul"});
    row("both gradients of a layer",
        "(p, q) { p = Gemm<transB = 1>(z, u)  q = Gemm<transA = 1>(x, z) }", {"Gemm+Gemm"});
    row("of which one is added up",
        "(p, q) { p = Gemm<transB = 1>(z, u)  w = Gemm<transA = 1>(x, z)"
        " q = InPlaceAccumulatorV2(buffer, w, reset) }",
        {"Gemm+Gemm+InPlaceAccumulatorV2"});
    row("with a bias", "(p, q) { p = Gemm(x, u, bias)  q = Gemm(x, v) }", {"Gemm+Gemm"});
    row("strangers", "(p, q) { p = MatMul(x, u)  q = MatMul(y, v) }", {"MatMul", "MatMul"});
    row("one that reads another", "(q) { p = MatMul(x, u)  q = Gemm<transB = 1>(p, u) }",
        {"Gemm", "MatMul"});
    row("one that reads a later result",
        "(p, q) { p = MatMul(x, u)  n = Neg(z)  q = Gemm<transB = 1>(n, u) }",
        {"Gemm", "MatMul", "Neg"});
    row("small ones", "(p, q) { p = MatMul(a, s)  q = MatMul(a, t) }", {"MatMul", "MatMul"});
}

/// The bits stay.
void ProductsTest::productsRunTogether() {
    QFETCH(QString, nodes);
    QFETCH(QStringList, steps);
    const std::shared_ptr<const Graph> graph = parse(nodes);
    QCOMPARE(stepsOf(*graph), steps);
    const std::vector<Tensor> expected = run(graph, 1, planPassNames());
    for (const int threads : {1, 3}) {
        const std::vector<Tensor> found = run(graph, threads, {});
        QCOMPARE(found.size(), expected.size());
        for (size_t i = 0; i < found.size(); ++i)
            QVERIFY(std::memcmp(found[i].data(), expected[i].data(), found[i].byteSize()) == 0);
    }
}

/// Values named p, q, r and w are of the backward pass.
void ProductsTest::productsAreAddedToOthers_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("steps");
    const auto row = [](const char* name, const char* nodes, const QStringList& steps) {
        QTest::newRow(name) << QString(nodes) << steps;
    };
    const QStringList two = {"AddedProduct", "FusedMatMul"};
    const QStringList asWritten = {"FusedMatMul", "FusedMatMul", "Sum"};
    row("two products",
        "(w) { p = FusedMatMul<transB = 1>(c, s)  q = FusedMatMul<transB = 1>(d, t)"
        " [g] w = Sum(p, q) }",
        two);
    row("two products and others",
        "(w) { p = FusedMatMul<transB = 1>(c, s)  q = FusedMatMul<transB = 1, alpha = 0.5>(d, t)"
        " [g] w = Sum(a, q, b, p) }",
        {"AddedProduct", "FusedMatMul", "Sum"});
    row("three products",
        "(w) { p = FusedMatMul<transB = 1>(c, s)  q = FusedMatMul<transB = 1>(d, t)"
        " r = FusedMatMul<transB = 1>(d, s)  [g] w = Sum(p, q, r) }",
        {"AddedProduct", "AddedProduct", "FusedMatMul"});
    row("gradients of a weight that is used twice",
        "(w) { p = Gemm<transA = 1, beta = 0.0>(s, t)  q = Gemm<transA = 1, beta = 0.0>(t, s)"
        " [g] w = Sum(p, q) }",
        {"AddedProduct", "Gemm"});
    row("the same, added up",
        "(n) { p = Gemm<transA = 1, beta = 0.0>(s, t)  q = Gemm<transA = 1, beta = 0.0>(t, s)"
        " [g] w = Sum(p, q)  n = InPlaceAccumulatorV2(e, w, reset) }",
        {"AddedProduct+InPlaceAccumulatorV2", "Gemm"});
    row("one that others read",
        "(w, n) { p = FusedMatMul<transB = 1>(c, s)  q = FusedMatMul<transB = 1>(d, t)"
        " [g] w = Sum(p, q)  n = Neg(p) }",
        {"FusedMatMul", "FusedMatMul", "Neg", "Sum"});
    row("in the forward pass",
        "(n) { k = FusedMatMul<transB = 1>(c, s)  l = FusedMatMul<transB = 1>(d, t)"
        " n = Sum(k, l) }",
        asWritten);
    row("repeated from the forward pass",
        "(n, w) { [repeated] n = Neg(a)  p = FusedMatMul<transB = 1>(c, s)"
        " q = FusedMatMul<transB = 1>(d, t)  [repeated] w = Sum(p, q) }",
        {"FusedMatMul", "FusedMatMul", "Neg", "Sum"});
    row("repeated, without a name",
        "(w) { p = FusedMatMul<transB = 1>(c, s)  q = FusedMatMul<transB = 1>(d, t)"
        " w = Sum(p, q) }",
        asWritten);
}

void ProductsTest::productsAreAddedToOthers() {
    QFETCH(QString, nodes);
    QFETCH(QStringList, steps);
    const std::shared_ptr<Graph> graph = parse(nodes);
    for (Node* node : graph->nodes())
        node->setBackward(std::string("pqrw").find(node->output(0)->name()) != std::string::npos);
    QCOMPARE(stepsOf(*graph), steps);
    const std::vector<Tensor> expected = run(graph, 1, planPassNames());
    const std::vector<Tensor> found = run(graph, 3, {});
    QCOMPARE(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
        if (found[i].dtype() != DType::Float32) continue;
        QVERIFY(std::ranges::equal(
            found[i].values<float>(), expected[i].values<float>(),
            [](float a, float b) { return std::abs(a - b) <= 1e-5F * (1 + std::abs(b)); }));
    }
}

QTEST_GUILESS_MAIN(ProductsTest)
#include "products_test.moc"
