// SPDX-License-Identifier: Apache-2.0
#include "engine/training/export/batch_norm_folding.h"

#include <QTest>

#include "engine/core/random.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Batch norms folded into weights: the model gives the same results with fewer nodes.
class BatchNormFoldingTest : public QObject {
    Q_OBJECT

private slots:
    void foldedModelsGiveTheSame_data();
    void foldedModelsGiveTheSame();
    void othersStay_data();
    void othersStay();

private:
    static constexpr const char* kNorm = "BatchNormalization(c, scale, beta, mean, var)";

    static Tensor randomTensor(const Shape& shape, uint64_t seed) {
        Random random(seed);
        Tensor tensor(DType::Float32, shape);
        for (float& value : tensor.mutableValues<float>()) value = random.normal();
        return tensor;
    }

    /// There are four output channels; the input and the weights `w` have these shapes.
    static std::unique_ptr<Graph> modelOf(const QString& nodes, const Shape& x, const Shape& w) {
        Feeds feeds{{"x", randomTensor(x, 1)},
                    {"w", randomTensor(w, 2)},
                    {"b", randomTensor({4}, 3)},
                    {"scale", Tensor::of<float>({4}, {1.5F, -0.5F, 2, 0.25F})},
                    {"beta", randomTensor({4}, 4)},
                    {"mean", randomTensor({4}, 5)},
                    {"var", Tensor::of<float>({4}, {0.5F, 2, 0.25F, 9})}};
        return graphOf(
            {nodes.toStdString(), feeds, 17, {"w", "b", "scale", "beta", "mean", "var"}});
    }

    static size_t normsIn(const Graph& graph) {
        size_t count = 0;
        for (const Node* node : graph.nodes()) count += node->opType() == "BatchNormalization";
        return count;
    }
};

void BatchNormFoldingTest::foldedModelsGiveTheSame_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<Shape>("input");
    QTest::addColumn<Shape>("weights");
    const QString norm(kNorm);
    const auto row = [](const char* name, const QString& nodes, const Shape& x, const Shape& w) {
        QTest::newRow(name) << nodes << x << w;
    };
    const Shape images{2, 3, 6, 5};
    row("Conv", "c = Conv(x, w, b) n = " + norm + " y = Relu(n)", images, {4, 3, 3, 3});
    row("Conv without bias", "c = Conv(x, w) y = " + norm, images, {4, 3, 3, 3});
    row("grouped Conv", "c = Conv<group = 2>(x, w, b) y = " + norm, {2, 6, 6, 5}, {4, 3, 2, 2});
    row("Conv of sequences", "c = Conv(x, w) y = " + norm, {2, 3, 9}, {4, 3, 3});
    row("ConvTranspose", "c = ConvTranspose(x, w, b) y = " + norm, images, {3, 4, 2, 2});
    row("Gemm", "c = Gemm(x, w, b) y = " + norm, {5, 3}, {3, 4});
    row("Gemm of a transposed matrix", "c = Gemm<transB = 1>(x, w) y = " + norm, {5, 3}, {4, 3});
    row("epsilon",
        "c = Conv(x, w) y = BatchNormalization<epsilon = 0.1>(c, scale, beta, mean, var)", images,
        {4, 3, 1, 1});
    row("weights that another node reads",
        "c = Conv(x, w, b) n = " + norm + " d = Conv(x, w, b) y = Add(n, d)", images, {4, 3, 3, 3});
    row("one after the other",
        "c0 = Conv(x, w, b) c = BatchNormalization(c0, scale, beta, mean, var) y = " + norm, images,
        {4, 3, 3, 3});
}

void BatchNormFoldingTest::foldedModelsGiveTheSame() {
    QFETCH(QString, nodes);
    QFETCH(Shape, input);
    QFETCH(Shape, weights);
    const auto graph = modelOf(nodes, input, weights);
    const Feeds feeds{{"x", randomTensor(input, 9)}};
    const Tensor before = runGraph(*graph, feeds).at("y");
    const size_t norms = normsIn(*graph);
    QCOMPARE(foldBatchNorms(*graph, ops().catalog), norms);
    QCOMPARE(normsIn(*graph), size_t{0});
    QVERIFY(graph->find("mean") == nullptr);
    QCOMPARE(namesOf(graph->outputs()), std::vector<std::string>{"y"});
    const std::string wrong = difference(runGraph(*graph, feeds).at("y"), before, {1e-5, 1e-5});
    QVERIFY2(wrong.empty(), wrong.c_str());
}

void BatchNormFoldingTest::othersStay_data() {
    QTest::addColumn<QString>("nodes");
    const QString norm(kNorm);
    QTest::newRow("behind another operator") << "d = Conv(x, w, b) c = Relu(d) y = " + norm;
    QTest::newRow("what it reads is read elsewhere")
        << "c = Conv(x, w, b) n = " + norm + " y = Add(n, c)";
    QTest::newRow("in training mode")
        << "c = Conv(x, w, b) y, m, v = BatchNormalization<training_mode = 1>"
           "(c, scale, beta, mean, var)";
    QTest::newRow("statistics of another size")
        << "c = Conv(x, w, b) y = BatchNormalization(c, scale, beta, mean, w)";
    QTest::newRow("computed scale")
        << "c = Conv(x, w, b) s = Neg(scale) y = BatchNormalization(c, s, beta, mean, var)";
    QTest::newRow("computed weights") << "u = Neg(w) c = Conv(x, u, b) y = " + norm;
}

void BatchNormFoldingTest::othersStay() {
    QFETCH(QString, nodes);
    const auto graph = modelOf(nodes, {2, 3, 6, 5}, {4, 3, 3, 3});
    const size_t norms = normsIn(*graph);
    const size_t count = graph->nodeCount();
    QCOMPARE(foldBatchNorms(*graph, ops().catalog), size_t{0});
    QCOMPARE(normsIn(*graph), norms);
    QCOMPARE(graph->nodeCount(), count);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::BatchNormFoldingTest)
#include "batch_norm_folding_test.moc"
