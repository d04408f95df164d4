// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/runtime/profile.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {
namespace {

constexpr int64_t kSteps = 3;

Tensor randomFloats(const Shape& shape, uint64_t seed) {
    Tensor tensor(DType::Float32, shape);
    Random random(seed);
    for (float& value : tensor.mutableValues<float>()) value = 0.4F * (2 * random.uniform() - 1);
    return tensor;
}

/// Layers of 64 units: product, bias, activation, dropout.
std::unique_ptr<Graph> deepModel(int layers) {
    std::string inputs = "float[N, 64] h0, float ratio, bool mode", nodes;
    for (int i = 0; i < layers; ++i) {
        const std::string n = std::to_string(i), next = std::to_string(i + 1);
        inputs += ", float[64, 64] w" + n + ", float[64] b" + n;
        nodes += "p" + n + " = MatMul(h" + n + ", w" + n + ")\n s" + n + " = Add(p" + n + ", b" +
                 n + ")\n a" + n + " = Tanh(s" + n + ")\n h" + next + " = Dropout(a" + n +
                 ", ratio, mode)\n";
    }
    nodes += "y = Identity(h" + std::to_string(layers) + ")";
    std::unique_ptr<Graph> graph = parseText("<ir_version: 8, opset_import: [\"\" : 17]> g (" +
                                             inputs + ") => (float[N, 64] y) {" + nodes + "}");
    graph->inputToInitializer(graph->at("ratio"), Tensor::scalar(0.3F));
    graph->inputToInitializer(graph->at("mode"), Tensor::scalar(true));
    for (int i = 0; i < layers; ++i) {
        const std::string n = std::to_string(i);
        const auto seed = static_cast<uint64_t>(i);
        graph->inputToInitializer(graph->at("w" + n), randomFloats({64, 64}, seed));
        graph->inputToInitializer(graph->at("b" + n), randomFloats({64}, 100 + seed));
    }
    return graph;
}

/// The results of a few steps with some options.
struct Trained {
    std::vector<double> losses;
    std::vector<float> parameters;
    MemoryUse memory;
};

template <typename FeedsOf>
Trained train(const Graph& model, const ArtifactSpec& spec, const SessionOptions& options,
              FeedsOf&& feedsOf) {
    Artifacts artifacts = generateArtifacts(model, *allOps(), spec);
    const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps(), options);
    Trained trained;
    for (int64_t step = 0; step < kSteps; ++step) {
        trained.losses.push_back(session.trainStep(feedsOf(session, step))[0].toDouble());
        session.optimizerStep();
        session.lazyResetGrad();
    }
    const Tensor buffer = session.toBuffer(false);
    const auto values = buffer.values<float>();
    trained.parameters.assign(values.begin(), values.end());
    trained.memory = session.memoryUse();
    return trained;
}

Trained trainDeep(const SessionOptions& options) {
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    const std::vector<Tensor> feeds = {randomFloats({256, 64}, 7), randomFloats({256, 64}, 8)};
    return train(*deepModel(16), spec, options,
                 [&](TrainingSession&, int64_t) -> const std::vector<Tensor>& { return feeds; });
}

Trained trainFixture(const TorchFixture& fixture, const SessionOptions& options) {
    return train(*fixture.model, fixture.spec("adamw"), options,
                 [&](TrainingSession& session, int64_t step) {
                     return feedsOf(session, fixture.data, step);
                 });
}

size_t saved(const Trained& before, const Trained& after) {
    return before.memory.arenaBytes - after.memory.arenaBytes;
}

}  // namespace

/// Recomputed activations cost time and save memory; they change nothing else.
class RecomputeTest : public QObject {
    Q_OBJECT

private slots:
    void memoryFallsByTheShare_data();
    void memoryFallsByTheShare();
    void productsAreRepeatedLast_data();
    void productsAreRepeatedLast();
    void exportedModelsTrainTheSame_data();
    void exportedModelsTrainTheSame();
    void blocksAreComputedAgain();
    void unknownBlocksAreRefused();
    void sharesOutsideOfTheRangeAreRefused_data();
    void sharesOutsideOfTheRangeAreRefused();
};

void RecomputeTest::memoryFallsByTheShare_data() {
    QTest::addColumn<double>("share");
    for (const double share : {0.8, 0.5, 0.4}) QTest::addRow("%g", share) << share;
}

void RecomputeTest::memoryFallsByTheShare() {
    QFETCH(double, share);
    const Trained whole = trainDeep({.threads = 2, .seed = 5});
    const Trained less = trainDeep({.threads = 2, .seed = 5, .memoryShare = share});
    QVERIFY(whole.losses == less.losses);
    QVERIFY(whole.parameters == less.parameters);
    const auto activations = static_cast<double>(whole.memory.activationBytes);
    QVERIFY(activations > 0.5 * static_cast<double>(whole.memory.arenaBytes));
    QVERIFY2(static_cast<double>(saved(whole, less)) >= (1 - share) * activations,
             qPrintable(QString("%1 of %2 bytes").arg(saved(whole, less)).arg(activations)));
    // Random numbers do matter here.
    QVERIFY(trainDeep({.threads = 2, .seed = 6}).losses != whole.losses);
}

void RecomputeTest::productsAreRepeatedLast_data() {
    QTest::addColumn<double>("share");
    QTest::addColumn<bool>("areRepeated");
    QTest::newRow("activations and dropout suffice") << 0.8 << false;
    QTest::newRow("nothing suffices") << 0.05 << true;
}

void RecomputeTest::productsAreRepeatedLast() {
    QFETCH(double, share);
    QFETCH(bool, areRepeated);
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    Artifacts artifacts = generateArtifacts(*deepModel(16), *allOps(), spec);
    const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps(), {.memoryShare = share});
    Profile profile;
    session.setProfile(&profile);
    const std::vector<Tensor> feeds = {randomFloats({256, 64}, 7), randomFloats({256, 64}, 8)};
    session.trainStep(feeds);
    session.setProfile(nullptr);
    const auto products = std::ranges::count(profile.steps(), "MatMul", &Profile::Step::op);
    QVERIFY2(areRepeated ? products > 16 : products == 16, qPrintable(QString::number(products)));
}

void RecomputeTest::exportedModelsTrainTheSame_data() {
    QTest::addColumn<double>("share");
    for (const char* name : kTorchModels) {
        for (const double share : {0.5, 0.01}) {
            QTest::addRow("%s, share %g", name, share) << share;
        }
    }
}

void RecomputeTest::exportedModelsTrainTheSame() {
    QFETCH(double, share);
    const QString row = QTest::currentDataTag();
    const TorchFixture fixture(row.left(row.indexOf(',')).toStdString());
    const Trained whole = trainFixture(fixture, {.threads = 1});
    const Trained less = trainFixture(fixture, {.threads = 1, .memoryShare = share});
    QVERIFY(whole.losses == less.losses);
    QVERIFY(whole.parameters == less.parameters);
    QVERIFY(less.memory.arenaBytes <= whole.memory.arenaBytes);
    qInfo("activations %zu of %zu bytes planned, %zu saved", whole.memory.activationBytes,
          whole.memory.arenaBytes, saved(whole, less));
}

void RecomputeTest::blocksAreComputedAgain() {
    const TorchFixture fixture("transformer");
    const Trained whole = trainFixture(fixture, {.threads = 1});
    const Trained less =
        trainFixture(fixture, {.threads = 1, .recompute = {"GELU", "LayerNorm", "Attention"}});
    QVERIFY(whole.losses == less.losses);
    QVERIFY(whole.parameters == less.parameters);
    QVERIFY(less.memory.activationBytes < whole.memory.activationBytes);
}

void RecomputeTest::unknownBlocksAreRefused() {
    try {
        trainDeep({.recompute = {"Gelu"}});
        QFAIL("it trained");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("'Gelu'"), error.what());
        QVERIFY2(QString::fromStdString(error.hint()).contains("GELU"), error.hint().c_str());
    }
}

void RecomputeTest::sharesOutsideOfTheRangeAreRefused_data() {
    QTest::addColumn<double>("share");
    for (const double share : {0.0, -1.0, 1.5, std::nan("")}) {
        QTest::addRow("%g", share) << share;
    }
}

void RecomputeTest::sharesOutsideOfTheRangeAreRefused() {
    QFETCH(double, share);
    try {
        trainDeep({.memoryShare = share});
        QFAIL("it trained");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("memory share"), error.what());
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::RecomputeTest)
#include "recompute_test.moc"
