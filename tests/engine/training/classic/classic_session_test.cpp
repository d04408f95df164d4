// SPDX-License-Identifier: Apache-2.0
#include "engine/training/classic/training_session.h"

#include <QTemporaryDir>
#include <QTest>
#include <limits>

#include "engine/onnx/model_file.h"
#include "tests/engine/training/classic/classic_network.h"
#include "tests/support/oracle.h"

namespace temper::test {

using classic::DynamicLossScale;
using classic::LossScaler;
using classic::OptimizerStates;
using classic::StateDictionary;
using classic::TrainingParameters;
using Names = std::vector<std::string>;
using Feeds = classic::TrainingSession::Feeds;

static const Names kWeights{"w1", "b1", "w2", "b2"};

static std::vector<float> numbers(const Tensor& tensor) {
    const auto values = tensor.values<float>();
    return {values.begin(), values.end()};
}

static Tensor rateFeed(float rate) { return Tensor::of<float>({1}, {rate}); }

static std::string errorOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

#define QVERIFY_SAYS(action, text)                                        \
    do {                                                                  \
        const std::string found_ = errorOf([&] { action; });              \
        QVERIFY2(found_.find(text) != std::string::npos, found_.c_str()); \
    } while (false)

class ClassicSessionTest : public QObject {
    Q_OBJECT

private slots:
    void trainingIsPyTorchs_data();
    void trainingIsPyTorchs();
    void aLossScaleOfAPowerOfTwoChangesNoBit();
    void halfMomentsTakeHalfTheMemory();
    void gradientsAreOutputsWhereAskedFor();
    void aDynamicScaleHalvesUntilNothingOverflows();
    void aStaticScaleThatOverflowsLeavesTheStepOut();
    void aStepWithoutFiniteGradientsIsLeftOut();
    void aFedLossScaleIsUsed();
    void aRunContinuesFromItsStateDictionary();
    void aRunContinuesFromItsInitialOptimizerState();
    void aRunContinuesFromItsCheckpointWithItsScale();
    void stateDictionariesAreChecked();
    void initialOptimizerStatesAreChecked();
    void weightsAreChosen_data();
    void weightsAreChosen();
    void immutableWeightsDoNotTrain();
    void recomputedActivationsGiveTheSameBitsInLessMemory_data();
    void recomputedActivationsGiveTheSameBitsInLessMemory();
    void stagesAreSaved();
    void onnxRuntimeComputesTheScaledGradients();
    void evaluationChangesNothing();
    void argumentsAreListed();
    void wrongFeedsAndOutputsAreNamed();
    void withoutOptimizerThereAreGradientsOnly();

private:
    static TrainingParameters parameters(const std::string& optimizer = "AdamOptimizer") {
        TrainingParameters result;
        result.lossOutputName = "loss";
        result.optimizerName = optimizer;
        result.gradientAccumulationSteps = 2;
        return result;
    }
    /// What a run of make_classic_golden.py was set to.
    static TrainingParameters parametersOf(const std::string& run);
    static float rateOf(const std::string& run) { return run == "sgd" ? 0.1F : 0.01F; }

    std::unique_ptr<classic::TrainingSession> session(const TrainingParameters& given) const {
        return std::make_unique<classic::TrainingSession>(*classicNetwork(golden_), given, allOps(),
                                                          SessionOptions{.threads = 1});
    }
    Feeds batch(int64_t i, float rate = 0.01F) const {
        return {{"x", sliceOf(golden_.at("x"), i)},
                {"target", sliceOf(golden_.at("target"), i)},
                {"Learning_Rate", rateFeed(rate)}};
    }
    void train(classic::TrainingSession& trained, int64_t begin, int64_t end) const {
        for (int64_t i = begin; i < end; ++i) trained.run({"loss"}, batch(i));
    }
    void compare(const Tensor& actual, const std::string& golden, double atol = 1e-6,
                 double rtol = 1e-5) const {
        const double worst = worstRatio(actual, golden_.at(golden), atol, rtol);
        QVERIFY2(worst <= 1, qPrintable(QString("%1: %2").arg(golden.c_str()).arg(worst)));
    }

    const Arrays golden_ = classicGolden();
};

TrainingParameters ClassicSessionTest::parametersOf(const std::string& run) {
    TrainingParameters result = parameters(run == "sgd" ? "SGDOptimizer" : "AdamOptimizer");
    result.enableGradNormClip = run == "sgd" || run == "groups";
    if (run == "float16") result.momentType = DType::Float16;
    if (run == "bfloat16") result.momentType = DType::BFloat16;
    for (const std::string& weight : kWeights) {
        auto& attributes = result.optimizerAttributes[weight];
        attributes["max_norm_clip"] = 0.5F;
        if (run != "groups") continue;
        attributes["epsilon"] = 1e-6F;
        if (weight[0] == 'b') continue;
        attributes["lambda"] = 0.1F;
        attributes["alpha"] = 0.8F;
        attributes["beta"] = 0.99F;
    }
    return result;
}

void ClassicSessionTest::trainingIsPyTorchs_data() {
    QTest::addColumn<QString>("run");
    for (const char* run : {"sgd", "adam", "float16", "bfloat16", "groups"})
        QTest::newRow(run) << run;
}

void ClassicSessionTest::trainingIsPyTorchs() {
    QFETCH(QString, run);
    const std::string key = run.toStdString();
    // Rounding errors of float32 may round a kept moment the other way: one unit in its last place,
    // which moves the weight by as much of the rate in each of the four steps.
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
    QCOMPARE(trained->state().size(), kWeights.size() * (key == "sgd" ? 1 : 4));
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

void ClassicSessionTest::halfMomentsTakeHalfTheMemory() {
    const auto full = session(parametersOf("adam"));
    const auto half = session(parametersOf("bfloat16"));
    train(*half, 0, 4);
    QCOMPARE(half->state().at("Moment_1_w1").dtype(), DType::BFloat16);
    const size_t elements = 4 * 5 + 5 + 5 * 2 + 2;
    QCOMPARE(full->session().memoryUse().parameterBytes, elements * 16);
    QCOMPARE(half->session().memoryUse().parameterBytes, elements * 12);
    // a checkpoint holds float32; the session goes on from it with the same bits
    const QTemporaryDir folder;
    const std::string path = folder.filePath("state.ckpt").toStdString();
    half->session().state().save(path, true);
    const CheckpointFile file = readCheckpoint(path);
    QCOMPARE(file.optimizerGroups.front().parameters.front().moments.front().data.dtype(),
             DType::Float32);
    const auto other = session(parametersOf("bfloat16"));
    other->session().state().assign(file);
    train(*half, 4, 8);
    train(*other, 4, 8);
    for (const std::string& weight : kWeights) {
        QCOMPARE(numbers(other->state().at(weight)), numbers(half->state().at(weight)));
    }
}

void ClassicSessionTest::gradientsAreOutputsWhereAskedFor() {
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

void ClassicSessionTest::aRunContinuesFromItsStateDictionary() {
    const auto whole = session(parametersOf("groups"));
    train(*whole, 0, 8);
    const auto first = session(parametersOf("groups"));
    train(*first, 0, 4);
    const auto second = session(parametersOf("groups"));
    second->loadState(first->state());
    train(*second, 4, 8);
    const StateDictionary expected = whole->state();
    for (const auto& [name, data] : second->state()) {
        QCOMPARE(data.byteSize(), expected.at(name).byteSize());
        QVERIFY(std::equal(data.data(), data.data() + data.byteSize(), expected.at(name).data()));
    }
    QCOMPARE(expected.at("Update_Count_w1").toInt64(), 5);
}

void ClassicSessionTest::aRunContinuesFromItsInitialOptimizerState() {
    const auto whole = session(parametersOf("adam"));
    train(*whole, 0, 4);
    TrainingParameters given = parametersOf("adam");
    given.optimizerInitialState = whole->optimizerState();
    const auto other = session(given);
    other->loadState(whole->modelState().at("full_precision"));
    train(*whole, 4, 8);
    train(*other, 4, 8);
    for (const std::string& weight : kWeights) {
        QCOMPARE(numbers(other->state().at(weight)), numbers(whole->state().at(weight)));
    }
}

void ClassicSessionTest::aRunContinuesFromItsCheckpointWithItsScale() {
    TrainingParameters given = parametersOf("adam");
    given.dynamicLossScale = DynamicLossScale{64, 3, 1, 65536};
    const auto whole = session(given);
    train(*whole, 0, 4);
    const QTemporaryDir folder;
    const std::string path = folder.filePath("state.ckpt").toStdString();
    whole->session().state().save(path, true);
    const auto other = session(given);
    other->session().state().assign(readCheckpoint(path));
    train(*whole, 4, 8);
    train(*other, 4, 8);
    QCOMPARE(whole->lossScale(), 128.0F);
    QCOMPARE(other->lossScale(), 128.0F);
    for (const std::string& weight : kWeights) {
        QCOMPARE(numbers(other->state().at(weight)), numbers(whole->state().at(weight)));
    }
}

void ClassicSessionTest::stateDictionariesAreChecked() {
    const auto trained = session(parametersOf("adam"));
    const Tensor bias = Tensor::of<float>({2}, {1, 2});
    QVERIFY_SAYS(trained->loadState({{"b2", bias}, {"b9", bias}}),
                 "Checkpoint tensor 'b9' is not a known state tensor.");
    compare(trained->state().at("b2"), "initial/b2");  // nothing was loaded
    trained->loadState({{"b2", bias}, {"b9", bias}}, /*strict=*/false);
    QCOMPARE(numbers(trained->state().at("b2")), (std::vector<float>{1, 2}));
    QVERIFY_SAYS(trained->loadState({{"b1", bias}}, false), "'b1' is float32[2]; expected");
    QVERIFY_SAYS(trained->loadState({{"Update_Count_w1", Tensor::of<int64_t>({1}, {4})},
                                     {"Update_Count_w2", Tensor::of<int64_t>({1}, {5})}}),
                 "'Update_Count_w2' is 5; expected 4.");
}

void ClassicSessionTest::initialOptimizerStatesAreChecked() {
    const Tensor wrong = Tensor::of<float>({2}, {1, 2});
    const auto rowOf = [&](OptimizerStates states) {
        TrainingParameters given = parametersOf("adam");
        given.optimizerInitialState = std::move(states);
        return errorOf([&] { session(given); });
    };
    QCOMPARE(rowOf({{"w1", {{"Moment_1", wrong}}}}),
             std::string("Checkpoint tensor 'Moment_1_w1' is float32[2]; expected float32[4, 5]."));
    QCOMPARE(rowOf({{"w7", {{"Moment_1", wrong}}}}),
             std::string("Checkpoint tensor 'Moment_1_w7' is not a known state tensor."));
    QCOMPARE(rowOf({{"b2", {{"Moment_3", wrong}}}}),
             std::string("Checkpoint tensor 'Moment_3_b2' is not a known state tensor."));
    QCOMPARE(rowOf({{"b2", {{"Moment_1", wrong}}}}), std::string());
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
    given.weightsToTrain = {"w"};  // what is named trains
    QCOMPARE(trainedOf(), Names{"w"});
}

/// Layers of attention and GELU over [64, 32].
static std::unique_ptr<Graph> transformer(int layers) {
    std::string inputs, nodes;
    for (int i = 0; i < layers; ++i) {
        const std::string n = std::to_string(i), next = std::to_string(i + 1);
        inputs += ", float[32, 32] q" + n + ", float[32, 32] w" + n;
        nodes += "query" + n + " = MatMul(h" + n + ", q" + n + ")\n" +                    //
                 "key" + n + " = Transpose<perm = [1, 0]>(h" + n + ")\n" +                //
                 "scores" + n + " = MatMul(query" + n + ", key" + n + ")\n" +             //
                 "attention" + n + " = Softmax<axis = 1>(scores" + n + ")\n" +            //
                 "mixed" + n + " = MatMul(attention" + n + ", h" + n + ")\n" +            //
                 "x" + n + " = MatMul(mixed" + n + ", w" + n + ")\n" +                    //
                 "d" + n + " = Div(x" + n + ", root)\n e" + n + " = Erf(d" + n + ")\n" +  //
                 "g" + n + " = Add(e" + n + ", one)\n m" + n + " = Mul(x" + n + ", g" + n + ")\n" +
                 "h" + next + " = Mul(m" + n + ", half)\n";
    }
    nodes += "s = Mul(h" + std::to_string(layers) + ", h" + std::to_string(layers) +
             ")\n loss = ReduceMean<keepdims = 0>(s)";
    const std::string constants =
        "root = Constant<value_float = 1.4142135>()\none = Constant<value_float = 1.0>()\n"
        "half = Constant<value_float = 0.5>()\n";
    auto graph = parseText("<ir_version: 8, opset_import: [\"\" : 17]> g (float[64, 32] h0" +
                           inputs + ") => (float loss) {" + constants + nodes + "}");
    for (Value* input : std::vector<Value*>(graph->inputs())) {
        if (input->name() == "h0") continue;
        Tensor weight(DType::Float32, {32, 32});
        for (size_t k = 0; k < 32; ++k) weight.mutableValues<float>()[33 * k] = 0.7F;
        graph->inputToInitializer(input, std::move(weight));
    }
    return graph;
}

void ClassicSessionTest::recomputedActivationsGiveTheSameBitsInLessMemory_data() {
    QTest::addColumn<bool>("attention");
    QTest::addColumn<bool>("gelu");
    QTest::addColumn<bool>("layer");
    QTest::newRow("attn_dropout_recompute") << true << false << false;
    QTest::newRow("gelu_recompute") << false << true << false;
    QTest::newRow("transformer_layer_recompute") << false << false << true;
}

void ClassicSessionTest::recomputedActivationsGiveTheSameBitsInLessMemory() {
    QFETCH(bool, attention);
    QFETCH(bool, gelu);
    QFETCH(bool, layer);
    const auto model = transformer(8);
    Tensor x(DType::Float32, {64, 32});
    for (size_t i = 0; i < 2048; ++i) {
        x.mutableValues<float>()[i] = std::sin(static_cast<float>(i));
    }
    const auto trainedWith = [&](const classic::RecomputeParameters& recompute) {
        TrainingParameters given = parameters();
        given.gradientAccumulationSteps = 1;
        given.recompute = recompute;
        auto trained = std::make_unique<classic::TrainingSession>(*model, given, allOps());
        for (int i = 0; i < 3; ++i) {
            trained->run({}, {{"h0", x}, {"Learning_Rate", rateFeed(0.01F)}});
        }
        return trained;
    };
    const auto kept = trainedWith({});
    const auto again = trainedWith({attention, gelu, layer, 0});
    const StateDictionary expected = kept->state();
    for (const auto& [name, data] : again->state()) {
        QVERIFY(std::equal(data.data(), data.data() + data.byteSize(), expected.at(name).data()));
    }
    const size_t before = kept->session().memoryUse().arenaBytes;
    const size_t after = again->session().memoryUse().arenaBytes;
    QVERIFY2(after < before, qPrintable(QString("%1 of %2 bytes").arg(after).arg(before)));
}

void ClassicSessionTest::stagesAreSaved() {
    const QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.filePath(name).toStdString(); };
    TrainingParameters given = parametersOf("groups");
    given.modelAfterGraphTransformsPath = path("forward.onnx");
    given.modelWithGradientGraphPath = path("gradients.onnx");
    given.modelWithTrainingGraphPath = path("training.onnx");
    const auto trained = session(given);
    const auto forward = loadModel(path("forward.onnx"));
    QCOMPARE(namesOf(forward->outputs()), (Names{"loss", "scores", "energy"}));
    QVERIFY(forward->at("w1")->isGraphInput());
    QVERIFY(forward->find("w1_grad") == nullptr);
    const auto gradients = loadModel(path("gradients.onnx"));
    QCOMPARE(namesOf(gradients->outputs()),
             (Names{"loss", "scores", "energy", "w1_grad", "b1_grad", "w2_grad", "b2_grad"}));
    QVERIFY(gradients->find("lazy_reset_grad") == nullptr);
    const auto whole = loadModel(path("training.onnx"));
    QVERIFY(whole->at("lazy_reset_grad")->isGraphInput());
    for (const char* name : {"training.optimizer1.onnx", "training.optimizer2.onnx"}) {
        QCOMPARE(loadModel(path(name))->nodes().front()->opType(), std::string("AdamWOptimizer"));
    }
}

void ClassicSessionTest::onnxRuntimeComputesTheScaledGradients() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    const QTemporaryDir folder;
    TrainingParameters given = parameters();
    given.lossScale = 1024;
    given.modelWithTrainingGraphPath = folder.filePath("training.onnx").toStdString();
    const auto trained = session(given);
    trained->session().state().save(folder.filePath("checkpoint").toStdString());
    Feeds feeds = batch(0);
    feeds.erase("Learning_Rate");
    feeds["loss_scale"] = Tensor::of<float>({1}, {1024});
    writeNpz(folder.filePath("feeds.npz").toStdString(), feeds);
    const OracleResult there = runOracle(
        "grads.mjs",
        {"--train", folder.filePath("training.onnx"), "--checkpoint", folder.filePath("checkpoint"),
         "--feeds", folder.filePath("feeds.npz"), "--out", folder.filePath("gradients.npz")});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const Arrays gradients = readNpz(folder.filePath("gradients.npz").toStdString());
    for (const std::string& weight : kWeights) {
        std::vector<float> unscaled = numbers(gradients.at(weight));
        for (float& value : unscaled) value /= 1024;
        compare(Tensor::of<float>(gradients.at(weight).shape(), unscaled), "loss/" + weight);
    }
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
        QVERIFY(std::equal(data.data(), data.data() + data.byteSize(), before.at(name).data()));
    }
    const auto step = trained->run({"loss", "energy"}, batch(0));
    QCOMPARE(step[0].toDouble(), results[0].toDouble());
    QVERIFY(!trained->lastStep().endsStep);
    QVERIFY_SAYS(
        trained->run({"w1_grad"}, {{"x", feeds.at("x")}, {"training_mode", Tensor::scalar(false)}}),
        "The session has no output 'w1_grad' here.");
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
    QVERIFY_SAYS(trained->run({"cost"}, batch(0)), "The session has no output 'cost' here.");
}

void ClassicSessionTest::withoutOptimizerThereAreGradientsOnly() {
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
