// SPDX-License-Identifier: Apache-2.0
#include "engine/training/rehearsal/gradient_check.h"

#include <QTest>
#include <algorithm>
#include <functional>
#include <string_view>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/artifacts/artifacts.h"

namespace temper::test {

constexpr const char* kModel = R"(
    agraph (float[N, 2] x) => (float[N, 3] logits)
        <float[2, 4] w1 = {0.5, -0.2, 0.3, 0.7, 0.4, 0.5, -0.6, 0.1}, float[4] b1 = {0.1, 0.2, 0.3, 0.1},
         float[4, 3] w2 = {0.1, 0.2, 0.3, -0.4, 0.5, 0.6, 0.7, -0.8, 0.9, 0.3, 0.2, 0.1}> {
        hidden = Gemm(x, w1, b1)
        active = Relu(hidden)
        logits = MatMul(active, w2)
    })";

using MakeFactor = std::function<Value*(Graph&)>;

MakeFactor number(float factor) {
    return [=](Graph& graph) { return graph.addInitializer("scale", Tensor::scalar(factor)); };
}

/// (1e8 + 1) - 1e8: 1 in float64, 0 in float32.
Value* oneUnlessRounded(Graph& graph) {
    Value* large = graph.addInitializer("large", Tensor::scalar(1e8F));
    Value* one = graph.addInitializer("one", Tensor::scalar(1.0F));
    const Node* sum = graph.addNode({"Add", {large, one}, {"sum"}});
    return graph.addNode({"Sub", {sum->output(0), large}, {"scale"}})->output(0);
}

/// The artifacts of the model, with the gradient of `parameter` multiplied by a factor.
Artifacts artifactsWithWrongGradient(const OpSet& ops, std::string_view parameter,
                                     const MakeFactor& factor) {
    const auto model = parseText(kModel);
    inferTypes(*model, ops.catalog);
    ArtifactSpec spec;
    spec.optimizer = {"none", {}};
    Artifacts artifacts = generateArtifacts(*model, ops, spec);
    std::shared_ptr<Graph> training = artifacts.trainingModel->clone();
    const std::string buffer = std::string(parameter) + "_grad.accumulation.buffer";
    Node* accumulator = training->at(buffer)->uses().front().node;
    Node* product =
        training->addNode({"Mul", {accumulator->input(1), factor(*training)}, {"wrong_gradient"}});
    training->setInput(accumulator, 1, product->output(0));
    inferTypes(*training, ops.catalog);
    artifacts.trainingModel = std::move(training);
    return artifacts;
}

class GradientCheckTest : public QObject {
    Q_OBJECT

private slots:
    void wrongGradientsAreFoundAndRightOnesPass_data();
    void wrongGradientsAreFoundAndRightOnesPass();
};

void GradientCheckTest::wrongGradientsAreFoundAndRightOnesPass_data() {
    QTest::addColumn<MakeFactor>("factor");
    QTest::addColumn<bool>("passes");
    QTest::newRow("right") << number(1) << true;
    QTest::newRow("a hundredth too large") << number(1.01F) << false;
    QTest::newRow("a fifth too large") << number(1.2F) << false;
    QTest::newRow("half") << number(0.5F) << false;
    QTest::newRow("wrong sign") << number(-1) << false;
    QTest::newRow("none") << number(0) << false;
    QTest::newRow("none in float32 only") << MakeFactor(oneUnlessRounded) << false;
}

void GradientCheckTest::wrongGradientsAreFoundAndRightOnesPass() {
    QFETCH(MakeFactor, factor);
    QFETCH(bool, passes);
    const auto ops = std::make_shared<const OpSet>(standardOps());
    Artifacts artifacts = artifactsWithWrongGradient(*ops, "w2", factor);
    const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, ops, {.threads = 1});
    const std::vector<Tensor> inputs{
        Tensor::of<float>({3, 2}, {0.3F, 1.2F, -0.7F, 0.4F, 1.1F, -0.9F}),
        Tensor::of<int64_t>({3}, {0, 2, 1})};
    const Tensor before = state->parameter("w2").data.clone();
    for (const GradientCheck& check : checkGradients(session, ops, inputs, 1)) {
        const bool shouldPass = passes || check.name != "w2";
        QVERIFY2(check.passes(1e-3) == shouldPass,
                 (check.name + " " + std::to_string(check.maxRelativeError) + ", rounding " +
                  std::to_string(check.roundingError))
                     .c_str());
    }
    const Tensor& after = state->parameter("w2").data;
    QVERIFY(std::ranges::equal(after.values<float>(), before.values<float>()));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::GradientCheckTest)
#include "gradient_check_test.moc"
