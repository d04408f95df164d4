// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/free_batch.h"

#include <QTest>
#include <algorithm>
#include <cstring>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/edits/model_edits.h"
#include "tests/engine/training/edits/branching_model.h"
#include "tests/engine/training/fixtures.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Models with a fixed number of samples that then accept any number: compared with what the
/// original model computes for each batch.
class FreeBatchTest : public QObject {
    Q_OBJECT

private slots:
    void anyNumberOfSamplesGivesWhatEachGave_data();
    void anyNumberOfSamplesGivesWhatEachGave();
    void modelsOfOtherExportersAreFreed_data();
    void modelsOfOtherExportersAreFreed();
    void whatNeedsTheNumberIsRefused_data();
    void whatNeedsTheNumberIsRefused();
    void samplesThatTakePartInEachOtherAreRefused_data();
    void samplesThatTakePartInEachOtherAreRefused();
    void aFreeModelStaysAsItIs();
    void aFreedModelTrains();

private:
    static std::unique_ptr<Graph> typed(const QString& text) {
        auto graph = parseText(text.toStdString());
        inferTypes(*graph, allOps()->catalog);
        return graph;
    }
    /// "<...> m (inputs) => (outputs) <weights> { nodes }" of opset 17.
    static std::unique_ptr<Graph> model(const QString& interface, const QString& nodes) {
        return typed("<ir_version: 8, opset_import: [\"\" : 17]> m " + interface + " {" + nodes +
                     "}");
    }
    /// Concatenates tensors along the outermost axis.
    static Tensor together(const std::vector<Tensor>& parts) {
        Shape shape = parts.front().shape();
        shape.front() *= static_cast<int64_t>(parts.size());
        Tensor result(parts.front().dtype(), shape);
        std::byte* to = result.mutableData();
        for (const Tensor& part : parts) {
            std::memcpy(to, part.data(), part.byteSize());
            to += part.byteSize();
        }
        return result;
    }
    /// Empty, or how three batches at once differ from the three.
    static std::string differenceOfBatches(const Graph& given, const Graph& freed) {
        std::vector<Results> alone;
        std::map<std::string, std::vector<Tensor>> fed;
        for (uint32_t part = 0; part < 3; ++part) {
            Feeds feeds;
            for (const Value* input : given.inputs()) {
                const Shape shape = *concreteShape(*input->type().shape);
                const Tensor numbers = randomTensor(shape, part + 7).cast(input->type().dtype);
                fed[input->name()].push_back(numbers);
                feeds.emplace(input->name(), numbers);
            }
            alone.push_back(runGraph(given, feeds));
        }
        Feeds feeds;
        for (const auto& [name, parts] : fed) feeds.emplace(name, together(parts));
        const Results all = runGraph(freed, feeds);
        for (const auto& [name, whole] : all) {
            std::vector<Tensor> parts;
            for (const Results& each : alone) parts.push_back(each.at(name));
            const std::string problem = difference(whole, together(parts), {1e-5, 1e-4});
            if (!problem.empty()) return name + ": " + problem;
        }
        return {};
    }
};

void FreeBatchTest::anyNumberOfSamplesGivesWhatEachGave_data() {
    QTest::addColumn<QString>("interface");
    QTest::addColumn<QString>("nodes");
    const QString weights = QString::fromStdString(numbers(96, 3));
    QTest::newRow("flattened by a Reshape") << "(float[1, 2, 3] x) => (float[1, 6] y)"
                                            << "s = Constant<value = int64[2] {1, 6}>() "
                                               "r = Reshape(x, s) y = Relu(r)";
    QTest::newRow("the rest follows") << "(float[1, 2, 3] x) => (float[1, 6] y)"
                                      << "s = Constant<value = int64[2] {1, -1}>() "
                                         "r = Reshape(x, s) y = Relu(r)";
    QTest::newRow("the batch follows") << "(float[1, 2, 3] x) => (float[1, 6] y)"
                                       << "s = Constant<value = int64[2] {-1, 6}>() "
                                          "r = Reshape(x, s) y = Relu(r)";
    QTest::newRow("batches of four") << "(float[4, 2, 3] x) => (float[4, 6] y)"
                                     << "s = Constant<value = int64[2] {4, 6}>() "
                                        "r = Reshape(x, s) y = Relu(r)";
    QTest::newRow("heads beside the batch")
        << "(float[1, 5, 6] x) => (float[1, 5, 6] y)"
        << "s = Constant<value = int64[4] {1, 5, 2, 3}>() h = Reshape(x, s) "
           "t = Transpose<perm = [0, 2, 1, 3]>(h) m = Constant<value = int64[3] {2, 5, 3}>() "
           "q = Reshape(t, m) k = Transpose<perm = [0, 2, 1]>(q) w = MatMul(q, k) "
           "a = Softmax(w) v = MatMul(a, q) b = Constant<value = int64[4] {1, 2, 5, 3}>() "
           "u = Reshape(v, b) o = Transpose<perm = [0, 2, 1, 3]>(u) "
           "e = Constant<value = int64[3] {1, 5, 6}>() y = Reshape(o, e)";
    QTest::newRow("one shape for two") << "(float[1, 6] a, float[1, 6] b) => (float[1, 2, 3] y)"
                                       << "s = Constant<value = int64[3] {1, 2, 3}>() "
                                          "p = Reshape(a, s) q = Reshape(b, s) y = Mul(p, q)";
    QTest::newRow("a class token")
        << "(float[1, 4, 3] x) => (float[1, 5, 3] y) <float[1, 1, 3] token = {1, 2, 3}>"
        << "c = Concat<axis = 1>(token, x) y = Relu(c)";
    QTest::newRow("a class token of an Expand")
        << "(float[1, 4, 3] x) => (float[1, 5, 3] y) <float[1, 1, 3] token = {1, 2, 3}>"
        << "s = Constant<value = int64[3] {1, -1, -1}>() "
           "n = Constant<value = int64[3] {1, 1, 3}>() e = Expand(token, n) "
           "c = Concat<axis = 1>(e, x) y = Relu(c)";
    QTest::newRow("sizes of a Resize")
        << "(float[1, 2, 3, 3] x) => (float[1, 2, 6, 6] y)"
        << "n = Constant<value = int64[4] {1, 2, 6, 6}>() y = Resize(x, , , n)";
    QTest::newRow("states of a recurrent layer")
        << "(float[1, 4, 2] x) => (float[4, 1, 1, 3] y, float[1, 3] l) "
           "<float[1, 12, 2] w = " +
               QString::fromStdString(numbers(24, 1)) +
               ", float[1, 12, 3] r = " + QString::fromStdString(numbers(36, 2)) +
               ", float[1, 1, 3] h = {0.1, 0.2, 0.3}>"
        << "t = Transpose<perm = [1, 0, 2]>(x) y, a, c = LSTM<hidden_size = 3>(t, w, r, , , h, h) "
           "z = Constant<value = int64[1] {0}>() l = Squeeze(a, z)";
}

void FreeBatchTest::anyNumberOfSamplesGivesWhatEachGave() {
    QFETCH(QString, interface);
    QFETCH(QString, nodes);
    const auto given = model(interface, nodes);
    QVERIFY(fixedBatch(*given).has_value());
    QVERIFY(remarkOnFixedBatch(*given).has_value());
    const auto freed = given->clone();
    freeBatch(*freed, allOps()->catalog);
    QVERIFY(!fixedBatch(*freed).has_value());
    if (given->outputs().size() == 1) {
        const std::string problem = differenceOfBatches(*given, *freed);
        QVERIFY2(problem.empty(), problem.c_str());
    }
    requireFreeableBatch(*given, *allOps());
}

void FreeBatchTest::modelsOfOtherExportersAreFreed_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"conv_bn", "mnist_cnn_pytorch", "mnist_cntk", "attention_int32_mask",
                             "attention_mask_no_cast", "mlp_mnist", "conv1d_add_mul"})
        QTest::newRow(name) << QString(name);
}

void FreeBatchTest::modelsOfOtherExportersAreFreed() {
    QFETCH(QString, name);
    const auto given =
        loadModel(conformanceFolder() / "ort-models" / (name.toStdString() + ".onnx"));
    inferTypes(*given, allOps()->catalog);
    QVERIFY(fixedBatch(*given).has_value());
    const auto freed = given->clone();
    freeBatch(*freed, allOps()->catalog);
    const std::string problem = differenceOfBatches(*given, *freed);
    QVERIFY2(problem.empty(), problem.c_str());
}

void FreeBatchTest::whatNeedsTheNumberIsRefused_data() {
    QTest::addColumn<QString>("interface");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("named");
    QTest::newRow("the only sample is taken out")
        << "(float[1, 2, 3] x) => (float[1, 3] y)"
        << "i = Constant<value = int64 {0}>() g = Gather<axis = 0>(x, i) "
           "z = Constant<value = int64[2] {1, -1}>() "
           "n = Constant<value = int64[1] {0}>() m = ReduceMax<axes = [0], keepdims = 0>(g) "
           "u = Unsqueeze(m, n) y = Relu(u)"
        << "the Gather node of 'g' makes float32[2, 3] of float32[batch, 2, 3]";
    QTest::newRow("the mean of the batch")
        << "(float[4, 3] x) => (float[4, 3] y)"
        << "m = ReduceMean<axes = [0], keepdims = 1>(x) "
           "s = Constant<value = int64[2] {4, 3}>() "
           "y = Expand(m, s)"
        << "the ReduceMean node of 'm' makes float32[1, 3] of float32[batch, 3]";
    QTest::newRow("a constant for each sample")
        << "(float[2, 3] x) => (float[2, 3] y) <float[2, 3] w = {1, 2, 3, 4, 5, 6}>"
        << "y = Add(x, w)"
        << "batch";
}

void FreeBatchTest::whatNeedsTheNumberIsRefused() {
    QFETCH(QString, interface);
    QFETCH(QString, nodes);
    QFETCH(QString, named);
    const auto given = model(interface, nodes);
    try {
        requireFreeableBatch(*given, *allOps());
        QFAIL("it was not refused");
    } catch (const Error& error) {
        QCOMPARE(error.code(), ErrorCode::Unsupported);
        QVERIFY2(error.message().find(named.toStdString()) != std::string::npos,
                 error.message().c_str());
        QVERIFY(!error.hint().empty());
    }
}

void FreeBatchTest::samplesThatTakePartInEachOtherAreRefused_data() {
    QTest::addColumn<QString>("nodes");
    QTest::newRow("Softmax over the batch") << "y = Softmax<axis = 0>(x)";
    QTest::newRow("the largest of all") << "m = ReduceMax<keepdims = 1>(x) y = Div(x, m)";
}

void FreeBatchTest::samplesThatTakePartInEachOtherAreRefused() {
    QFETCH(QString, nodes);
    const auto given = model("(float[1, 3] x) => (float[1, 3] y)", nodes);
    try {
        requireFreeableBatch(*given, *allOps());
        QFAIL("it was not refused");
    } catch (const Error& error) {
        QCOMPARE(error.code(), ErrorCode::Unsupported);
        QVERIFY2(error.message().find("output 'y' differs") != std::string::npos,
                 error.message().c_str());
    }
}

void FreeBatchTest::aFreeModelStaysAsItIs() {
    const auto given = model("(float[N, 3] x) => (float[N, 3] y)", "y = Relu(x)");
    QVERIFY(!fixedBatch(*given).has_value());
    QVERIFY(!remarkOnFixedBatch(*given).has_value());
    const std::string before = toText(*given);
    freeBatch(*given, allOps()->catalog);
    QCOMPARE(toText(*given), before);
}

void FreeBatchTest::aFreedModelTrains() {
    const auto given = model("(float[1, 2, 3] x) => (float[1, 2] y) <float[6, 2] w = " +
                                 QString::fromStdString(numbers(12, 1)) + ">",
                             "s = Constant<value = int64[2] {1, 6}>() r = Reshape(x, s) "
                             "y = MatMul(r, w)");
    TrainingSpec edits;
    edits.freeBatch = true;
    editModel(*given, *allOps(), edits);
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    const ArtifactPlan plan = planArtifacts(*given, *allOps(), spec);
    QVERIFY(!hasErrors(plan.findings));
    const Artifacts artifacts = generateArtifacts(*given, *allOps(), spec);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(artifacts, state, allOps());
    const Arrays data{{"x", randomTensor({5, 2, 3})}, {"target", randomTensor({5, 2}, 3)}};
    std::vector<double> losses;
    for (int step = 0; step < 30; ++step) {
        losses.push_back(session.trainStep(feedsOf(session, data, 0))[0].toDouble());
        session.setLearningRate(0.05F);
        session.optimizerStep();
        session.lazyResetGrad();
    }
    QVERIFY2(losses.back() < 0.8 * losses.front(), std::to_string(losses.back()).c_str());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::FreeBatchTest)
#include "free_batch_test.moc"
