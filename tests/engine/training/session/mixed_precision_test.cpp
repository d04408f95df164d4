// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/passes/narrow_products.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {
namespace {

constexpr const char* kModel = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[N, 3] x) => (float[N, 2] logits)
        <float[3, 4] w1 = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7, -0.8, 0.9, 0.15, 0.25, -0.35},
         float[4] b1 = {0.1, 0.2, -0.1, 0.3}, float[4, 2] w2 = {0.5, -0.4, 0.3, 0.2, -0.1, 0.6, 0.7, 0.8}> {
        p = MatMul(x, w1)
        s = Add(p, b1)
        h = Relu(s)
        soft = Softmax(h)
        logits = MatMul(soft, w2)
    })";

DType inputType(const Graph& graph, const std::string& output, size_t input) {
    return graph.at(output)->producer()->input(input)->type().dtype;
}

/// Narrow, whatever processor runs the test.
std::unique_ptr<Graph> narrowed(const Graph& graph) {
    return withNarrowProducts(graph, allOps()->catalog, BFloat16Units::Tiles);
}

/// The nodes of these operators.
std::vector<const Node*> nodesOf(const Graph& graph, const std::set<std::string>& opTypes) {
    std::vector<const Node*> nodes;
    for (const Node* node : graph.nodes()) {
        if (opTypes.contains(node->opType())) nodes.push_back(node);
    }
    return nodes;
}

/// Losses of some steps over a fixture's data, and all parameters after them.
struct Trained {
    std::vector<double> losses;
    Tensor parameters;
    size_t activationBytes = 0;
};

Trained train(const TorchFixture& fixture, Precision precision, int threads) {
    Artifacts artifacts = generateArtifacts(*fixture.model, *allOps(), fixture.spec("adamw"));
    const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps(),
                            {.threads = threads, .precision = precision, .mayWidenBFloat16 = true});
    Trained trained;
    for (int64_t step = 0; step < 5; ++step) {
        trained.losses.push_back(
            session.trainStep(feedsOf(session, fixture.data, step))[0].toDouble());
        session.optimizerStep();
        session.lazyResetGrad();
    }
    trained.parameters = session.toBuffer(false);
    trained.activationBytes = session.memoryUse().activationBytes;
    return trained;
}

bool haveSameBits(const Tensor& a, const Tensor& b) {
    return std::ranges::equal(a.values<float>(), b.values<float>());
}

}  // namespace

class MixedPrecisionTest : public QObject {
    Q_OBJECT

private slots:
    void productsAreNarrowAndTheRestIsNot();
    void numbersAreRoundedOnce();
    void numbersAreMovedAfterTheyAreRounded();
    void fewerProductsStayInFloat32_data();
    void fewerProductsStayInFloat32();
    void inputsAndOutputsStayAsTheyAre();
    void lossesAreThoseOfFloat32_data() { addFixtures(); }
    void lossesAreThoseOfFloat32();
    void threadsDoNotChangeABit();
    void processorsWithoutItRefuse();
    void unknownPrecisionsAreRefused();

private:
    static void addFixtures() {
        QTest::addColumn<QString>("name");
        for (const char* name : kTorchModels) QTest::newRow(name) << name;
    }
    static Artifacts artifacts() { return generateArtifacts(*parseText(kModel), *allOps(), {}); }
};

void MixedPrecisionTest::productsAreNarrowAndTheRestIsNot() {
    const Artifacts made = artifacts();
    const auto mixed = narrowed(*made.trainingModel);
    const auto products = nodesOf(*mixed, {"MatMul", "FusedMatMul", "Gemm"});
    QCOMPARE(products.size(), size_t{5});  // two forward, three backward: x needs no gradient
    for (const Node* node : products) {
        QCOMPARE(node->input(0)->type().dtype, DType::BFloat16);
        QCOMPARE(node->input(1)->type().dtype, DType::BFloat16);
    }
    for (const Node* node : mixed->nodes()) {
        for (const Value* output : node->outputs()) {
            const bool isNarrow = output && output->type().dtype == DType::BFloat16;
            QVERIFY2(!isNarrow || allOps()->catalog.facts(*node).movesData,
                     qPrintable(node->describe().c_str()));
        }
    }
    for (const Node* node : nodesOf(*mixed, {"InPlaceAccumulatorV2"})) {
        QCOMPARE(node->input(0)->type().dtype, DType::Float32);
        QCOMPARE(node->input(1)->type().dtype, DType::Float32);
    }
}

/// What only products read, forward and backward, and each parameter.
void MixedPrecisionTest::numbersAreRoundedOnce() {
    const Artifacts made = artifacts();
    const auto mixed = narrowed(*made.trainingModel);
    std::multiset<std::string> rounded;
    for (const Node* node : nodesOf(*mixed, {"Cast"})) rounded.insert(node->input(0)->name());
    for (const char* name : {"x", "w1", "w2"}) QCOMPARE(rounded.count(name), size_t{1});
    // The gradient of Softmax reads it in float32, which is kept.
    QCOMPARE(rounded.count("soft"), size_t{2});
}

/// A copy of half the size; a product reads what it transposes in place.
void MixedPrecisionTest::numbersAreMovedAfterTheyAreRounded() {
    const auto graph = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        g (float[6, 6] x) => (y) {
            h = Relu(x)
            moved = Transpose<perm = [1, 0]>(h)
            p = MatMul(moved, x)
            written = Transpose<perm = [1, 0]>(p)
            shared = Transpose<perm = [1, 0]>(h)
            q = MatMul(written, shared)
            y = Add(q, shared)
        })");
    inferTypes(*graph, allOps()->catalog);
    const auto mixed = narrowed(*graph);
    QCOMPARE(mixed->at("moved")->type().dtype, DType::BFloat16);
    QCOMPARE(mixed->at("written")->type().dtype, DType::Float32);  // by the product
    QCOMPARE(mixed->at("shared")->type().dtype, DType::Float32);   // Add reads it
    QCOMPARE(inputType(*mixed, "q", 0), DType::BFloat16);
    QCOMPARE(inputType(*mixed, "q", 1), DType::BFloat16);
}

/// Convolutions that need fewer products in float32, unless the processor multiplies tiles.
void MixedPrecisionTest::fewerProductsStayInFloat32_data() {
    QTest::addColumn<QString>("attributes");
    QTest::addColumn<QString>("weights");
    QTest::addColumn<bool>("vectors");
    QTest::addColumn<bool>("tiles");
    QTest::newRow("3 x 3") << ""
                           << "64, 64, 3, 3" << false << true;
    QTest::newRow("strided") << "<strides = [2, 2]>"
                             << "64, 64, 3, 3" << true << true;
    QTest::newRow("1 x 1") << ""
                           << "64, 64, 1, 1" << true << true;
    QTest::newRow("few features") << ""
                                  << "20, 64, 3, 3" << true << true;
    QTest::newRow("in groups") << "<group = 4>"
                               << "64, 16, 3, 3" << false << false;
}

void MixedPrecisionTest::fewerProductsStayInFloat32() {
    QFETCH(QString, attributes);
    QFETCH(QString, weights);
    QFETCH(bool, vectors);
    QFETCH(bool, tiles);
    const auto graph = parseText(QString(R"(<ir_version: 8, opset_import: ["" : 17]>
        g (float[8, 64, 28, 28] x, float[%1] w) => (y) { y = Conv%2(x, w) })")
                                     .arg(weights, attributes)
                                     .toStdString());
    inferTypes(*graph, allOps()->catalog);
    const auto isNarrow = [&](BFloat16Units units) {
        const auto mixed = withNarrowProducts(*graph, allOps()->catalog, units);
        return inputType(*mixed, "y", 0) == DType::BFloat16;
    };
    QCOMPARE(isNarrow(BFloat16Units::Vectors), vectors);
    QCOMPARE(isNarrow(BFloat16Units::Tiles), tiles);
}

void MixedPrecisionTest::inputsAndOutputsStayAsTheyAre() {
    const Artifacts made = artifacts();
    const auto mixed = narrowed(*made.trainingModel);
    const auto compare = [](const std::vector<Value*>& before, const std::vector<Value*>& after) {
        QCOMPARE(after.size(), before.size());
        for (size_t i = 0; i < before.size(); ++i) {
            QCOMPARE(after[i]->name(), before[i]->name());
            QCOMPARE(after[i]->type().dtype, before[i]->type().dtype);
        }
    };
    compare(made.trainingModel->inputs(), mixed->inputs());
    compare(made.trainingModel->outputs(), mixed->outputs());
}

/// bfloat16 has eight significant bits: half a percent, and Adam's first steps follow signs.
void MixedPrecisionTest::lossesAreThoseOfFloat32() {
    QFETCH(QString, name);
    const TorchFixture fixture(name.toStdString());
    const Trained wide = train(fixture, Precision::Float32, 1);
    const Trained narrow = train(fixture, Precision::BFloat16, 1);
    for (size_t i = 0; i < wide.losses.size(); ++i) {
        QVERIFY2(std::abs(narrow.losses[i] - wide.losses[i]) <= 0.02 * wide.losses[i],
                 qPrintable(QString("step %1: %2 for %3")
                                .arg(i + 1)
                                .arg(narrow.losses[i])
                                .arg(wide.losses[i])));
    }
    QCOMPARE(narrow.parameters.dtype(), DType::Float32);
    QVERIFY2(!haveSameBits(narrow.parameters, wide.parameters), "nothing was rounded");
    qInfo("activations: %zu bytes for %zu", narrow.activationBytes, wide.activationBytes);
}

void MixedPrecisionTest::threadsDoNotChangeABit() {
    const TorchFixture fixture("resnet");
    const Trained one = train(fixture, Precision::BFloat16, 1);
    const Trained three = train(fixture, Precision::BFloat16, 3);
    QVERIFY(one.losses == three.losses);
    QVERIFY(haveSameBits(one.parameters, three.parameters));
}

void MixedPrecisionTest::processorsWithoutItRefuse() {
    const TorchFixture fixture("mlp");
    Artifacts made = generateArtifacts(*fixture.model, *allOps(), fixture.spec("adamw"));
    const auto state = std::make_shared<CheckpointState>(made.checkpoint);
    const bool isThere = bfloat16Units() != BFloat16Units::None;
    try {
        const TrainingSession session(std::move(made), state, allOps(),
                                      {.precision = Precision::BFloat16});
        QVERIFY(isThere);
    } catch (const Error& error) {
        QVERIFY2(!isThere && QString(error.what()).contains("bfloat16"), error.what());
    }
}

void MixedPrecisionTest::unknownPrecisionsAreRefused() {
    QCOMPARE(parsePrecision("bf16"), Precision::BFloat16);
    try {
        parsePrecision("fp12");
        QFAIL("it was taken");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("fp12"), error.what());
        QVERIFY(QString::fromStdString(error.hint()).contains("bf16"));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::MixedPrecisionTest)
#include "mixed_precision_test.moc"
