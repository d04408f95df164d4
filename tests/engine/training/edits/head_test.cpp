// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/head.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/engine/training/fixtures.h"
#include "tests/engine/training/lesson_run.h"

namespace temper::test {

/// The last layer, found and replaced.
class HeadTest : public QObject {
    Q_OBJECT

private slots:
    void headsAreFound_data();
    void headsAreFound();
    void headsAreReplaced_data() { headsAreFound_data(); }
    void headsAreReplaced();
    void headsOfRealModels_data();
    void headsOfRealModels();
    void theSameSeedGivesTheSameWeights();
    void aModelWithANewHeadTrains();
    void whatIsNotAHeadIsNamed_data();
    void whatIsNotAHeadIsNamed();

private:
    static std::unique_ptr<Graph> typed(const QString& text) {
        auto graph = parseText(text.toStdString());
        inferTypes(*graph, allOps()->catalog);
        return graph;
    }
};

void HeadTest::headsAreFound_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("weight");
    QTest::addColumn<QString>("bias");
    QTest::addColumn<int>("inputs");
    QTest::newRow("Gemm") << R"(g (float[N, 4] x) => (float[N, 3] y)
        <float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, float[3] b = {1, 2, 3}>
        { y = Gemm(x, w, b) })"
                          << "w"
                          << "b" << 4;
    QTest::newRow("Gemm, transposed, Softmax") << R"(g (float[N, 2] x) => (float[N, 3] y)
        <float[3, 2] w = {1, 2, 3, 4, 5, 6}> { s = Gemm<transB = 1>(x, w) y = Softmax(s) })"
                                               << "w"
                                               << "" << 2;
    QTest::newRow("MatMul and Add") << R"(g (float[N, 5, 2] x) => (float[N, 5, 3] y)
        <float[2, 3] w = {1, 2, 3, 4, 5, 6}, float[3] b = {1, 2, 3}>
        { s = MatMul(x, w) y = Add(b, s) })"
                                    << "w"
                                    << "b" << 2;
    QTest::newRow("Conv, pooled") << R"(g (float[N, 2, 4, 4] x) => (float[N, 3] y)
        <float[3, 2, 1, 1] w = {1, 2, 3, 4, 5, 6}, float[3] b = {1, 2, 3}>
        { s = Conv(x, w, b) r = Relu(s) p = GlobalAveragePool(r) y = Flatten(p) })"
                                  << "w"
                                  << "b" << 2;
}

void HeadTest::headsAreFound() {
    QFETCH(QString, model);
    QFETCH(QString, weight);
    QFETCH(QString, bias);
    QFETCH(int, inputs);
    const Head head = findHead(*typed(model), allOps()->catalog);
    QCOMPARE(QString::fromStdString(head.weight), weight);
    QCOMPARE(QString::fromStdString(head.bias), bias);
    QCOMPARE(head.inputs, int64_t{inputs});
    QCOMPARE(head.classes, int64_t{3});
}

void HeadTest::headsAreReplaced() {
    QFETCH(QString, model);
    QFETCH(QString, weight);
    QFETCH(QString, bias);
    QFETCH(int, inputs);
    const auto graph = typed(model);
    replaceHead(*graph, allOps()->catalog, 7, 1);
    QCOMPARE(findHead(*graph, allOps()->catalog).classes, int64_t{7});
    const auto& shape = *graph->outputs().front()->type().shape;
    QVERIFY(std::ranges::any_of(shape, [](const Dim& dim) { return dim.value == 7; }));
    const double bound = 1 / std::sqrt(inputs);
    for (const QString& name : {weight, bias}) {
        if (name.isEmpty()) continue;
        const auto values = graph->at(name.toStdString())->constant().values<float>();
        QVERIFY(std::ranges::all_of(values, [&](float v) { return std::abs(v) <= bound; }));
        QVERIFY(std::ranges::adjacent_find(values, std::not_equal_to<>()) != values.end());
    }
}

void HeadTest::headsOfRealModels_data() {
    QTest::addColumn<QString>("model");
    for (const char* name : {"mlp", "lenet", "resnet", "mobilenet"}) QTest::newRow(name) << name;
}

void HeadTest::headsOfRealModels() {
    QFETCH(QString, model);
    const std::string path =
        std::string(TEMPER_CONFORMANCE_DIR) + "/torch/" + model.toStdString() + "/model.onnx";
    const auto graph = loadModel(path);
    inferTypes(*graph, allOps()->catalog);
    replaceHead(*graph, allOps()->catalog, 7, 1);
    const auto& shape = *graph->outputs().front()->type().shape;
    QCOMPARE(shape.back().value, int64_t{7});
}

void HeadTest::theSameSeedGivesTheSameWeights() {
    const auto weights = [](uint64_t seed) {
        const auto graph = typed(
            "g (float[N, 4] x) => (float[N, 2] y)"
            "<float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> { y = MatMul(x, w) }");
        replaceHead(*graph, allOps()->catalog, 5, seed);
        return graph->at("w")->constant();
    };
    const Tensor first = weights(3), same = weights(3), other = weights(4);
    QVERIFY(std::memcmp(first.data(), same.data(), first.byteSize()) == 0);
    QVERIFY(std::memcmp(first.data(), other.data(), first.byteSize()) != 0);
}

/// Ten digits with twelve classes: two are never seen.
void HeadTest::aModelWithANewHeadTrains() {
    TrainingSpec spec = findLesson("digits").spec;
    spec.run.steps = 60;
    LessonRun run(spec, "digits", 1,
                  [](Graph& model) { replaceHead(model, allOps()->catalog, 12, 1); });
    QVERIFY(run.run() == RunOutcome::Finished);
    const auto steps = run.all<StepEvent>();
    QVERIFY(std::abs(steps.front().loss - std::log(12)) < 0.3);
    QVERIFY(steps.back().loss < 1);
}

void HeadTest::whatIsNotAHeadIsNamed_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<int>("classes");
    QTest::addColumn<QString>("message");
    const char* gemm =
        "g (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1, 2, 3, 4}>"
        "{ y = MatMul(x, w) }";
    QTest::newRow("no classes") << gemm << 0 << "0 classes";
    QTest::newRow("an input") << "g (float[N, 2] x) => (float[N, 2] y) { y = Identity(x) }" << 7
                              << "the input 'x'";
    QTest::newRow("a sum") << "g (float[N] x) => (float y) { y = ReduceSum<keepdims = 0>(x) }" << 7
                           << "ReduceSum 'y'";
    QTest::newRow("several outputs")
        << "g (float[N, 2] x) => (float[N, 2] y, float[N, 2] z) <float[2, 2] w = {1, 2, 3, 4}>"
           "{ y = MatMul(x, w) z = Identity(y) }"
        << 7 << "several outputs";
    QTest::newRow("shared weights")
        << "g (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1, 2, 3, 4}>"
           "{ h = MatMul(x, w) y = MatMul(h, w) }"
        << 7 << "'w' of the head";
    QTest::newRow("a reshape with the old number")
        << "g (float[4, 2] x) => (float[2, 4] y) <float[2, 2] w = {1, 2, 3, 4},"
           " int64[2] s = {2, 4}> { h = MatMul(x, w) y = Reshape(h, s) }"
        << 7 << "needs the old number of classes, 2";
}

void HeadTest::whatIsNotAHeadIsNamed() {
    QFETCH(QString, model);
    QFETCH(int, classes);
    QFETCH(QString, message);
    const auto graph = typed(model);
    try {
        replaceHead(*graph, allOps()->catalog, classes, 1);
        QFAIL("it was replaced");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(message), error.what());
        QVERIFY(!error.hint().empty());
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::HeadTest)
#include "head_test.moc"
