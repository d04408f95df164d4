// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <cmath>
#include <limits>

#include "engine/onnx/model_file.h"
#include "engine/runtime/profile.h"
#include "tests/engine/training/ort_classic/classic_fixture.h"

namespace temper::test {

using classic::DynamicLossScale;
using classic::StateDictionary;

class ClassicSessionTest : public QObject, private ClassicFixture {
    Q_OBJECT

private slots:
    void trainingIsPyTorchs_data();
    void trainingIsPyTorchs();
    void aLossScaleOfAPowerOfTwoChangesNoBit();
    void mixedPrecisionFollowsTheFloat32Losses();
    void gradientsAreOutputsOnRequest();
    void aDynamicScaleHalvesUntilNothingOverflows();
    void aStaticScaleThatOverflowsLeavesTheStepOut();
    void aStepWithoutFiniteGradientsIsLeftOut();
    void aFedLossScaleIsUsed();
    void weightsAreChosen_data();
    void weightsAreChosen();
    void immutableWeightsDoNotTrain();
    void evaluationChangesNothing();
    void modelsComeFromFilesAndBytes();
    void hintsChangeNoBit();
    void timesAreCollected();
    void argumentsAreListed();
    void wrongFeedsAndOutputsAreNamed();
    void withoutOptimizerThereAreOnlyGradients();
};

void ClassicSessionTest::trainingIsPyTorchs_data() {
    QTest::addColumn<QString>("run");
    for (const char* run : {"sgd", "adam", "float16", "bfloat16", "groups", "lamb", "after"})
        QTest::newRow(run) << run;
}

void ClassicSessionTest::trainingIsPyTorchs() {
    QFETCH(QString, run);
    const std::string key = run.toStdString();
    // Rounding errors of float32 may round a stored moment the other way: one unit in its last
    // place, which moves the weight by as much of the rate in each of the four steps.
    const double lastPlace = key == "float16"    ? std::ldexp(1, -10)
                             : key == "bfloat16" ? std::ldexp(1, -7)
                                                 : 0;
    const auto trained = session(parametersOf(key));
    const std::vector<float> losses = numbers(golden_.at(key + "/losses"));
    for (size_t i = 0; i < losses.size(); ++i) {
        const auto feeds = batch(static_cast<int64_t>(i), rateOf(key));
        const double loss = trained->run({"loss"}, feeds).front().toDouble();
        QVERIFY(std::abs(loss - losses[i]) <= 1e-6 + 1e-5 * std::abs(losses[i]));
        QCOMPARE(trained->lastStep().isUpdated, i % 2 == 1);
    }
    for (const auto& [name, data] : trained->state()) {
        if (!isFloating(data.dtype())) continue;
        compare(data.cast(DType::Float32), key + "/" + name, 1e-6 + 4 * rateOf(key) * lastPlace,
                1e-5 + lastPlace);
    }
    const size_t entries = key == "sgd" ? 4 : key == "lamb" ? 13 : 16;  // Lamb has one step for all
    QCOMPARE(trained->state().size(), entries);
}

void ClassicSessionTest::aLossScaleOfAPowerOfTwoChangesNoBit() {
    const auto plain = session(parametersOf("groups"));
    TrainingParameters scaled = parametersOf("groups");
    scaled.lossScale = 1024;
    TrainingParameters dynamic = parametersOf("groups");
    dynamic.dynamicLossScale = DynamicLossScale{65536, 2, 1, 131072};
    const auto withStatic = session(scaled);
    const auto withDynamic = session(dynamic);
    for (classic::TrainingSession* trained : {plain.get(), withStatic.get(), withDynamic.get()}) {
        train(*trained, 0, 8);
    }
    QCOMPARE(withStatic->lastStep().lossScale, 1024.0F);
    QCOMPARE(withDynamic->lastStep().lossScale, 131072.0F);
    for (const std::string& weight : kWeights) {
        const auto expected = numbers(plain->state().at(weight));
        QCOMPARE(numbers(withStatic->state().at(weight)), expected);
        QCOMPARE(numbers(withDynamic->state().at(weight)), expected);
    }
}

void ClassicSessionTest::mixedPrecisionFollowsTheFloat32Losses() {
    TrainingParameters given = parametersOf("adam");
    given.useMixedPrecision = true;
    given.dynamicLossScale.emplace();
    const auto trained = session(given);
    const std::vector<float> losses = numbers(golden_.at("adam/losses"));
    size_t different = 0;
    for (size_t i = 0; i < losses.size(); ++i) {
        const auto feeds = batch(static_cast<int64_t>(i));
        const double loss = trained->run({"loss"}, feeds).front().toDouble();
        QVERIFY(std::abs(loss - losses[i]) <= 0.02 * losses[i]);
        if (std::abs(loss - losses[i]) > 1e-5 * losses[i]) ++different;
    }
    QVERIFY2(different > 0, "products were computed in float32");
    QVERIFY(trained->isOutputFp32Node("scores"));
    QCOMPARE(trained->modelState(true).at("full_precision").at("w1").dtype(), DType::Float32);
    QCOMPARE(trained->modelState(true).at("mixed_precision").at("w1").dtype(), DType::BFloat16);
    QCOMPARE(trained->modelState().size(), size_t{1});
}

void ClassicSessionTest::gradientsAreOutputsOnRequest() {
    TrainingParameters asked = parameters();
    asked.gradientAccumulationSteps = 1;
    asked.lossScale = 256;
    asked.setGradientsAsGraphOutputs = true;
    const auto trained = session(asked);
    const auto results = trained->run({"w1_grad", "b2_grad"}, batch(0));
    compare(results[0], "loss/w1");
    compare(results[1], "loss/b2");
}

/// Gradient of w: x; an x of 1e32 overflows with scales above 2^21.
static std::unique_ptr<classic::TrainingSession> linear(TrainingParameters given) {
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        linear (float x) => (float loss) <float w = {3}> { loss = Mul(w, x) })");
    given.gradientAccumulationSteps = 1;
    given.enableGradNormClip = false;
    given.optimizerName = "SGDOptimizer";
    return std::make_unique<classic::TrainingSession>(*model, given, allOps());
}

static float weightOf(const classic::TrainingSession& session) {
    return numbers(session.state().at("w")).front();
}

void ClassicSessionTest::aDynamicScaleHalvesUntilNothingOverflows() {
    TrainingParameters given = parameters();
    given.dynamicLossScale = DynamicLossScale{16777216, 2, 1, 16777216};
    const auto trained = linear(given);
    const Feeds feeds{{"x", Tensor::scalar(1e32F)}, {"Learning_Rate", rateFeed(1e-32F)}};
    const std::vector<float> scales{16777216, 8388608, 4194304, 2097152, 2097152, 4194304, 2097152};
    const std::vector<float> weights{3, 3, 3, 2, 1, 1, 0};
    for (size_t i = 0; i < scales.size(); ++i) {
        trained->run({}, feeds);
        QCOMPARE(trained->lastStep().lossScale, scales[i]);
        QCOMPARE(trained->lastStep().isUpdated, weights[i] != (i == 0 ? 3 : weights[i - 1]));
        QVERIFY(std::abs(weightOf(*trained) - weights[i]) < 1e-6);
    }
    QCOMPARE(trained->session().state().optimizerState().step, 3);
}

void ClassicSessionTest::aStaticScaleThatOverflowsLeavesTheStepOut() {
    TrainingParameters given = parameters();
    given.lossScale = 16777216;
    const auto trained = linear(given);
    const Feeds large{{"x", Tensor::scalar(1e32F)}, {"Learning_Rate", rateFeed(1e-32F)}};
    for (int i = 0; i < 3; ++i) {
        trained->run({}, large);
        QVERIFY(!trained->lastStep().isUpdated);
        QVERIFY(std::isinf(trained->lastStep().gradientNorm));
        QCOMPARE(trained->lossScale(), 16777216.0F);
    }
    QCOMPARE(weightOf(*trained), 3.0F);
    trained->run({}, {{"x", Tensor::scalar(2.0F)}, {"Learning_Rate", rateFeed(0.5F)}});
    QVERIFY(trained->lastStep().isUpdated);
    QCOMPARE(weightOf(*trained), 2.0F);
}

void ClassicSessionTest::aStepWithoutFiniteGradientsIsLeftOut() {
    const auto trained = linear(parameters());
    for (const float x :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        trained->run({}, {{"x", Tensor::scalar(x)}, {"Learning_Rate", rateFeed(0.5F)}});
        QVERIFY(trained->lastStep().endsStep);
        QVERIFY(!trained->lastStep().isUpdated);
        QCOMPARE(weightOf(*trained), 3.0F);
    }
    trained->run({}, {{"x", Tensor::scalar(2.0F)}, {"Learning_Rate", rateFeed(0.5F)}});
    QCOMPARE(weightOf(*trained), 2.0F);
}

void ClassicSessionTest::aFedLossScaleIsUsed() {
    TrainingParameters given = parameters("SGDOptimizer");
    given.lossScale = 8;
    const auto trained = session(given);
    QCOMPARE(trained->lossScaleInput(), std::string("loss_scale"));
    Feeds feeds = batch(0);
    feeds["loss_scale"] = Tensor::of<float>({1}, {4});
    const auto results = trained->run({"loss", "scaled_loss"}, feeds);
    QCOMPARE(results[1].toDouble(), 4 * results[0].toDouble());
    QVERIFY_SAYS(trained->run({}, batch(1)), "The loss scale is 8");
}

void ClassicSessionTest::weightsAreChosen_data() {
    QTest::addColumn<Names>("toTrain");
    QTest::addColumn<Names>("notToTrain");
    QTest::addColumn<Names>("trained");
    QTest::newRow("all") << Names{} << Names{} << kWeights;
    QTest::newRow("to train") << Names{"w2", "b2"} << Names{} << Names{"w2", "b2"};
    QTest::newRow("not to train") << Names{} << Names{"w1"} << Names{"b1", "w2", "b2"};
}

void ClassicSessionTest::weightsAreChosen() {
    QFETCH(Names, toTrain);
    QFETCH(Names, notToTrain);
    QFETCH(Names, trained);
    TrainingParameters given = parameters();
    given.weightsToTrain = toTrain;
    given.weightsNotToTrain = notToTrain;
    const auto chosen = session(given);
    train(*chosen, 0, 2);
    for (const std::string& weight : kWeights) {
        const bool changed =
            numbers(chosen->state().at(weight)) != numbers(golden_.at("initial/" + weight));
        const bool expected = std::find(trained.begin(), trained.end(), weight) != trained.end();
        QCOMPARE(changed, expected);
        QCOMPARE(chosen->optimizerState().contains(weight), expected);
    }
}

void ClassicSessionTest::immutableWeightsDoNotTrain() {
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        g (float x) => (float loss) <float w = {3}, float half = {0.5}, float other = {0.25}> {
            a = Mul(x, w)
            b = Mul(a, half)
            loss = Mul(b, other)
        })");
    TrainingParameters given = parameters();
    const auto trainedOf = [&] {
        classic::TrainingSession trained(*model, given, allOps());
        Names names;
        for (const auto& [weight, states] : trained.optimizerState()) names.push_back(weight);
        return names;
    };
    QCOMPARE(trainedOf(), (Names{"half", "other", "w"}));
    given.immutableWeights = {{"Mul", {{1, 0.5F}}}};
    QCOMPARE(trainedOf(), (Names{"other", "w"}));
    given.immutableWeights = {{"Mul", {{1, 3.0F}, {0, 0.5F}}}, {"Add", {{1, 0.25F}}}};
    QCOMPARE(trainedOf(), (Names{"half", "other"}));
    given.weightsToTrain = {"w"};  // named weights train
    QCOMPARE(trainedOf(), Names{"w"});
}

void ClassicSessionTest::evaluationChangesNothing() {
    TrainingParameters given = parameters();
    given.lossScale = 2;
    const auto trained = session(given);
    Feeds feeds = batch(0);
    feeds.erase("Learning_Rate");
    feeds[classic::kTrainingMode] = Tensor::scalar(false);
    const StateDictionary before = trained->state();
    const auto results = trained->run({"loss", "energy"}, feeds);
    QCOMPARE(trained->run({}, feeds).size(), size_t{3});  // scores, energy, loss
    feeds.erase("target");
    QCOMPARE(numbers(trained->run({"energy"}, feeds)[0]), numbers(results[1]));
    for (const auto& [name, data] : trained->state()) {
        QVERIFY(sameBytes(data, before.at(name)));
    }
    const auto step = trained->run({"loss", "energy"}, batch(0));
    QCOMPARE(step[0].toDouble(), results[0].toDouble());
    QVERIFY(!trained->lastStep().endsStep);
    QVERIFY_SAYS(
        trained->run({"w1_grad"}, {{"x", feeds.at("x")}, {"training_mode", Tensor::scalar(false)}}),
        "The session has no output 'w1_grad'.");
}

void ClassicSessionTest::modelsComeFromFilesAndBytes() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("model.onnx").toStdString();
    saveModel(*classicNetwork(golden_), path);
    const std::string bytes = serializeModel(*classicNetwork(golden_));
    classic::TrainingSession fromFile(path, parametersOf("groups"), allOps());
    classic::TrainingSession fromBytes(std::as_bytes(std::span(bytes)), parametersOf("groups"),
                                       allOps());
    const auto expected = session(parametersOf("groups"));
    for (auto* trained : {&fromFile, &fromBytes, expected.get()}) train(*trained, 0, 2);
    for (const auto& [name, data] : expected->state()) {
        QVERIFY(sameBytes(fromFile.state().at(name), data));
        QVERIFY(sameBytes(fromBytes.state().at(name), data));
    }
}

void ClassicSessionTest::hintsChangeNoBit() {
    TrainingParameters hinted = parametersOf("groups");
    hinted.useMemoryEfficientGradient = true;
    hinted.casts = {2, {"Gelu"}, "InsertAndReduce"};
    hinted.distributed.allreducePostAccumulation = true;
    const auto plain = session(parametersOf("groups"));
    const auto other = session(hinted);
    for (auto* trained : {plain.get(), other.get()}) train(*trained, 0, 4);
    for (const auto& [name, data] : plain->state()) {
        QVERIFY(sameBytes(other->state().at(name), data));
    }
}

void ClassicSessionTest::timesAreCollected() {
    const auto trained = session(parameters());
    Profile profile;
    trained->session().setProfile(&profile);
    train(*trained, 0, 1);
    trained->session().setProfile(nullptr);
    int64_t products = 0;
    for (const Profile::Step& step : profile.steps()) {
        if (step.phase == "forward" && step.op == "MatMul") products += step.cost.count;
    }
    QCOMPARE(products, 2);
}

void ClassicSessionTest::argumentsAreListed() {
    TrainingParameters given = parameters();
    given.lossScale = 2;
    given.setGradientsAsGraphOutputs = true;
    given.learningRateName = "rate";
    const auto trained = session(given);
    Names inputs, outputs;
    for (const classic::Argument& argument : trained->inputs()) inputs.push_back(argument.name);
    for (const classic::Argument& argument : trained->outputs()) outputs.push_back(argument.name);
    QCOMPARE(inputs, (Names{"x", "target", "loss_scale", "rate"}));
    QCOMPARE(outputs, (Names{"scores", "energy", "loss", "scaled_loss", "w1_grad", "b1_grad",
                             "w2_grad", "b2_grad"}));
    QVERIFY(trained->isOutputFp32Node("scores"));
    QVERIFY_SAYS(trained->isOutputFp32Node("x"), "Output: x is not produced by any node.");
    QCOMPARE(trained->modelMeta().onnxOpset(), 17);
    QCOMPARE(trained->sessionOptions().threads, 1);
}

void ClassicSessionTest::wrongFeedsAndOutputsAreNamed() {
    const auto trained = session(parameters());
    Feeds feeds = batch(0);
    feeds.erase("target");
    QVERIFY_SAYS(trained->run({}, feeds), "The input 'target' is missing.");
    feeds = batch(0);
    feeds.erase("Learning_Rate");
    QVERIFY_SAYS(trained->run({}, feeds), "The input 'Learning_Rate' is missing.");
    feeds["Learning_Rate"] = Tensor::scalar(int64_t{1});
    QVERIFY_SAYS(trained->run({}, feeds), "'Learning_Rate' is int64[]; expected a float32 number.");
    feeds = batch(0);
    feeds["y"] = feeds["x"];
    QVERIFY_SAYS(trained->run({}, feeds), "The session has no input 'y'.");
    QVERIFY_SAYS(trained->run({"cost"}, batch(0)), "The session has no output 'cost'.");
}

void ClassicSessionTest::withoutOptimizerThereAreOnlyGradients() {
    TrainingParameters given = parameters("");
    given.gradientAccumulationSteps = 1;
    given.setGradientsAsGraphOutputs = true;
    const auto trained = session(given);
    Feeds feeds = batch(0);
    feeds.erase("Learning_Rate");
    for (int i = 0; i < 2; ++i) compare(trained->run({"w2_grad"}, feeds).front(), "loss/w2");
    QVERIFY(!trained->lastStep().isUpdated);
    compare(trained->state().at("w2"), "initial/w2");
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ClassicSessionTest)
#include "classic_session_test.moc"
