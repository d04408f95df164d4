// SPDX-License-Identifier: Apache-2.0
#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/autodiff/gradient_graph.h"
#include "engine/core/random.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"

namespace temper::test {

constexpr int kRounds = 5;

/// Time and memory of attention and its gradient, in blocks and as simple operators. Prints the
/// figures.
class AttentionBenchTest : public QObject {
    Q_OBJECT

private slots:
    void forwardAndBackward_data();
    void forwardAndBackward();

private:
    std::unique_ptr<Graph> trainingGraph(const std::string& attributes,
                                         const std::string& shape) const;
    OpSet ops_ = standardOps();
};

struct Measured {
    std::vector<double> times;  ///< in milliseconds
    double megabytes = 0;       ///< peak memory of the plan

    double milliseconds() {
        std::ranges::sort(times);
        return times[times.size() / 2];
    }
};

void AttentionBenchTest::forwardAndBackward_data() {
    QTest::addColumn<QString>("attributes");
    QTest::addColumn<int>("tokens");
    QTest::addColumn<int>("size");
    for (const int tokens : {16, 32, 64, 128, 256, 512, 4096}) {
        for (const int size : {32, 64}) {
            for (const char* attributes : {"is_causal = 0", "is_causal = 1"}) {
                QTest::addRow("%d tokens, heads of %d, %s", tokens, size, attributes)
                    << attributes << tokens << size;
            }
        }
    }
}

std::unique_ptr<Graph> AttentionBenchTest::trainingGraph(const std::string& attributes,
                                                         const std::string& shape) const {
    const std::string heads = "float" + shape;
    auto graph = parseText("<ir_version: 10, opset_import: [\"\": 23]> g (" + heads + " q, " +
                           heads + " k, " + heads + " v, " + heads + " w) => (" + heads +
                           " y, float loss) { y = Attention<" + attributes +
                           ">(q, k, v)  z = Mul(y, w)  loss = ReduceSum<keepdims = 0>(z) }");
    inferTypes(*graph, ops_.catalog);
    std::vector<Value*> inputs = {graph->at("q"), graph->at("k"), graph->at("v")};
    Value* loss = graph->at("loss");
    applyTrainingForms(*graph, ops_.catalog, ops_.gradients, loss, inputs);
    graph->setOutputs(buildGradients(*graph, ops_.catalog, ops_.gradients, loss, inputs));
    graph->removeUnused();
    return graph;
}

void AttentionBenchTest::forwardAndBackward() {
    QFETCH(QString, attributes);
    QFETCH(int, tokens);
    QFETCH(int, size);
    const Shape shape = {1, 8, tokens, size};
    const std::shared_ptr<const Graph> graph =
        trainingGraph(attributes.toStdString(), formatShape(shape));
    Random random(1);
    std::vector<Tensor> feeds(4, Tensor());
    for (Tensor& feed : feeds) {
        feed = Tensor(DType::Float32, shape);
        for (float& value : feed.mutableValues<float>())
            value = static_cast<float>(random.uniform()) - 0.5F;
    }
    ThreadPool pool;
    GraphRunner inBlocks(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                         {.isAttentionAlwaysInBlocks = true}),
        written(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                {.withoutPasses = {"fuse-attention"}});
    Measured blocks, simple;
    const int rounds = tokens < 1000 ? 20 * kRounds : kRounds;
    for (int i = 0; i <= rounds; ++i) {  // alternating; the first run compiles
        for (auto& [runner, measured] :
             {std::pair(&inBlocks, &blocks), std::pair(&written, &simple)}) {
            QElapsedTimer timer;
            timer.start();
            runner->run(feeds);
            if (i > 0) measured->times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
            measured->megabytes = static_cast<double>(runner->arenaBytes()) / 1e6;
        }
    }
    qInfo(
        "%s, 8 heads of %d, %d tokens, forward and backward: %.2f ms and %.1f MB in blocks, "
        "%.2f ms and %.1f MB as simple operators: %.2f times as fast, %.1f times less",
        qPrintable(attributes), size, tokens, blocks.milliseconds(), blocks.megabytes,
        simple.milliseconds(), simple.megabytes, simple.milliseconds() / blocks.milliseconds(),
        simple.megabytes / blocks.megabytes);
    if (tokens >= 4096) QVERIFY(blocks.megabytes * 8 < simple.megabytes);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::AttentionBenchTest)
#include "attention_bench_test.moc"
