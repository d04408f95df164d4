// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <cmath>
#include <cstring>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"

namespace temper::test {

const std::string kPass = "fold-transposes";

/// Products that absorb a Transpose by reading and writing in its order.
class TransposeFoldingTest : public QObject {
    Q_OBJECT

private slots:
    void transposesAreFolded_data();
    void transposesAreFolded();

private:
    std::vector<Tensor> run(const std::shared_ptr<const Graph>& graph,
                            const std::vector<std::string>& without) const;

    OpSet ops_ = standardOps();
};

void TransposeFoldingTest::transposesAreFolded_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("steps");
    const auto row = [](const char* name, const char* nodes, const QStringList& steps) {
        QTest::newRow(name) << QString(nodes) << steps;
    };
    const char* domain = "com.microsoft.";
    row("left", "(float[4, 3] a, float[4, 5] b) => (y) { t = Transpose(a)  y = MatMul(t, b) }",
        {"MatMul"});
    row("right", "(float[4, 3] a, float[5, 3] b) => (y) { t = Transpose(b)  y = MatMul(a, t) }",
        {"MatMul"});
    row("both", R"((float[3, 4] a, float[5, 3] b) => (y) {
        s = Transpose(a)  t = Transpose(b)  y = MatMul(s, t) })",
        {"MatMul"});
    row("a square by itself", R"((float[4, 4] a) => (y) { t = Transpose(a)  y = MatMul(t, t) })",
        {"MatMul"});
    row("of a product that is transposed anyway",
        R"((float[3, 4] a, float[3, 5] b) => (y) {
        t = Transpose(b)  y = com.microsoft.FusedMatMul<transA = 1, transB = 1, alpha = 2.0>(a, t) })",
        {QString(domain) + "FusedMatMul"});
    row("heads", R"((float[2, 6, 3, 4] q, float[2, 7, 3, 4] k) => (y) {
        s = Transpose<perm = [0, 2, 1, 3]>(q)  t = Transpose<perm = [0, 2, 3, 1]>(k)
        y = MatMul(s, t) })",
        {"MatMul"});
    row("heads that are put together", R"((float[2, 3, 6, 7] p, float[2, 7, 3, 4] v) => (y) {
        t = Transpose<perm = [0, 2, 1, 3]>(v)  h = MatMul(p, t)
        y = Transpose<perm = [0, 2, 1, 3]>(h) })",
        {"MatMul"});
    row("one matrix for a batch", R"((float[2, 6, 3] a, float[5, 3] b) => (y) {
        t = Transpose(b)  y = MatMul(a, t) })",
        {"MatMul"});
    row("a batch of rows that lie apart", R"((float[6, 2, 3] a, float[3, 5] b) => (y) {
        t = Transpose<perm = [1, 0, 2]>(a)  y = MatMul(t, b) })",
        {"MatMul"});
    row("a vector", "(float[3, 4] a, float[3] b) => (y) { t = Transpose(a)  y = MatMul(t, b) }",
        {"MatMul"});
    row("biased", R"((float[4, 3] a, float[5, 4] b, float[5] c) => (y) {
        s = Transpose(a)  t = Transpose(b)  y = Gemm<beta = 3.0>(s, t, c) })",
        {"Gemm"});
    row("of Gemm's transposed operand", R"((float[3, 4] a, float[5, 4] b, float[5, 3] c) => (y) {
        s = Transpose(a)  u = Transpose(c)  y = Gemm<transA = 1, transB = 1>(s, b, u) })",
        {"Transpose", "Gemm"});
    row("what an accumulator reads",
        R"((float[3, 4] a, float[3, 5] b, float[5, 4] sum, bool[1] new) => (y) {
        p = com.microsoft.FusedMatMul<transA = 1>(a, b)  t = Transpose(p)
        y = com.microsoft.InPlaceAccumulatorV2(sum, t, new) })",
        {QString(domain) + "FusedMatMul+" + domain + "InPlaceAccumulatorV2"});
    row("a batch that an accumulator reads",
        R"((float[2, 3, 4] a, float[2, 4, 5] b, float[2, 5, 3] sum, bool[1] new) => (y) {
        p = MatMul(a, b)  t = Transpose<perm = [0, 2, 1]>(p)
        y = com.microsoft.InPlaceAccumulatorV2(sum, t, new) })",
        {QString("MatMul+") + domain + "InPlaceAccumulatorV2"});
    row("read by others, too", R"((float[4, 3] a, float[4, 5] b) => (y, z) {
        t = Transpose(a)  y = MatMul(t, b)  z = CumSum(t, i) })",
        {"Transpose", "MatMul", "CumSum"});
    row("given out", R"((float[4, 3] a, float[4, 5] b) => (y, t) {
        t = Transpose(a)  y = MatMul(t, b) })",
        {"Transpose", "MatMul"});
    row("a product that is given out", R"((float[2, 3, 4] a, float[2, 4, 5] b) => (y, p) {
        p = MatMul(a, b)  y = Transpose<perm = [1, 0, 2]>(p) })",
        {"MatMul", "Transpose"});
    row("a product of two readers", R"((float[2, 3, 4] a, float[2, 4, 5] b) => (y, z) {
        p = MatMul(a, b)  y = Transpose<perm = [1, 0, 2]>(p)  z = CumSum(p, i) })",
        {"MatMul", "Transpose", "CumSum"});
    row("turned as a whole", R"((float[3, 4] a, float[4, 5] b) => (y) {
        p = MatMul(a, b)  y = Transpose(p) })",
        {"MatMul", "Transpose"});
    row("gaps in both directions", R"((float[2, 3, 4, 5] a, float[4, 6] b) => (y) {
        t = Transpose<perm = [0, 3, 1, 2]>(a)  y = MatMul(t, b) })",
        {"Transpose", "MatMul"});
    row("in another shape", R"((float[4, 3, 2] a, float[4, 5] b) => (y) {
        t = Transpose<perm = [1, 2, 0]>(a)  r = Reshape(t, six_four)  y = MatMul(r, b) })",
        {"Transpose", "MatMul"});
    row("in double precision", R"((float[4, 3] a, float[5, 4] b) => (y) {
        c = Cast<to = 11>(a)  d = Cast<to = 11>(b)  s = Transpose(c)  t = Transpose(d)
        p = MatMul(s, t)  y = Cast<to = 1>(p) })",
        {"Cast", "Cast", "MatMul", "Cast"});
}

std::vector<Tensor> TransposeFoldingTest::run(const std::shared_ptr<const Graph>& graph,
                                              const std::vector<std::string>& without) const {
    std::vector<Tensor> feeds;
    Random random(7);
    for (const Value* input : graph->inputs()) {
        feeds.emplace_back(input->type().dtype, *concreteShape(*input->type().shape));
        if (input->type().dtype == DType::Bool) continue;
        // Small whole numbers: their sums are exact in any order.
        for (float& value : feeds.back().mutableValues<float>())
            value = std::floor(10 * random.uniform());
    }
    ThreadPool pool(2);
    GraphRunner runner(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                       {.withoutPasses = without});
    std::vector<Tensor> results;
    for (const Tensor& output : runner.run(feeds)) results.push_back(output.clone());
    return results;
}

void TransposeFoldingTest::transposesAreFolded() {
    QFETCH(QString, nodes);
    QFETCH(QStringList, steps);
    nodes.replace(") => ", ", int64 i, int64[2] six_four) => ");
    auto parsed = parseText("<ir_version: 8, opset_import: [\"\": 17, \"com.microsoft\": 1]> g " +
                            nodes.toStdString());
    parsed->inputToInitializer(parsed->at("i"), Tensor::scalar(int64_t{0}));
    parsed->inputToInitializer(parsed->at("six_four"), Tensor::of<int64_t>({2}, {6, 4}));
    const std::shared_ptr<const Graph> graph = std::move(parsed);
    InputTypes types;
    for (const Value* input : graph->inputs())
        types[input->name()] = {{input->type().dtype, *concreteShape(*input->type().shape)}};
    QStringList found;
    const auto plan = ExecutionPlan::compile(*graph, types, ops_.catalog, ops_.cpuKernels,
                                             {.withoutPasses = {"fuse-elementwise"}});
    for (const auto& step : plan->steps()) found << QString::fromStdString(step.op);
    QCOMPARE(found, steps);
    const std::vector<Tensor> folded = run(graph, {}), copied = run(graph, {kPass});
    QCOMPARE(folded.size(), copied.size());
    for (size_t i = 0; i < folded.size(); ++i) {
        QCOMPARE(folded[i].shape(), copied[i].shape());
        QVERIFY(std::memcmp(folded[i].data(), copied[i].data(), copied[i].byteSize()) == 0);
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::TransposeFoldingTest)
#include "transpose_folding_test.moc"
