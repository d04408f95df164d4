// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/mixed_precision.h"

#include <QTest>
#include <algorithm>
#include <cmath>

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

/// bfloat16, or float32 that has just been converted from bfloat16.
bool isRounded(const Value* value) {
    if (value->type().dtype == DType::BFloat16) return true;
    const Node* producer = value->producer();
    return producer != nullptr && producer->opType() == "Cast" &&
           producer->input(0)->type().dtype == DType::BFloat16;
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
                            {.threads = threads, .precision = precision});
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
    void resultsReadAsFloat32AreNotRounded();
    void inputsAndOutputsStayAsTheyAre();
    void lossesAreThoseOfFloat32_data() { addFixtures(); }
    void lossesAreThoseOfFloat32();
    void threadsDoNotChangeABit();
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
    const auto mixed = toMixedPrecision(*made.trainingModel, allOps()->catalog);
    for (const char* output : {"p", "s", "h"}) {
        QCOMPARE(mixed->at(output)->type().dtype, DType::BFloat16);
    }
    QCOMPARE(inputType(*mixed, "p", 0), DType::BFloat16);
    QCOMPARE(inputType(*mixed, "p", 1), DType::BFloat16);
    QCOMPARE(mixed->at("soft")->type().dtype, DType::Float32);
    size_t narrowProducts = 0;
    for (const Node* node : mixed->nodes()) {
        const bool isProduct = node->opType() == "MatMul" || node->opType() == "FusedMatMul" ||
                               node->opType() == "Gemm";
        if (isProduct) ++narrowProducts;
        if (isProduct) QVERIFY2(isRounded(node->input(0)), qPrintable(node->describe().c_str()));
        if (node->opType() != "InPlaceAccumulatorV2") continue;
        QCOMPARE(node->input(0)->type().dtype, DType::Float32);
        QCOMPARE(node->input(1)->type().dtype, DType::Float32);
    }
    QCOMPARE(narrowProducts, size_t{5});  // two forward, three backward: x needs no gradient
}

/// Products output float32 for float32 arithmetic, unless the backward pass reads the result.
void MixedPrecisionTest::resultsReadAsFloat32AreNotRounded() {
    const Artifacts made = artifacts();
    const auto mixed = toMixedPrecision(*made.trainingModel, allOps()->catalog);
    QCOMPARE(mixed->at("logits")->type().dtype, DType::Float32);
    QVERIFY(isRounded(mixed->at("logits")->producer()->input(0)));
    for (const Node* node : mixed->nodes()) {
        if (node->opType() != "InPlaceAccumulatorV2") continue;
        const Value* gradient = node->input(1);
        QVERIFY2(!isRounded(gradient), qPrintable(gradient->name().c_str()));
    }
}

void MixedPrecisionTest::inputsAndOutputsStayAsTheyAre() {
    const Artifacts made = artifacts();
    const auto mixed = toMixedPrecision(*made.trainingModel, allOps()->catalog);
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
