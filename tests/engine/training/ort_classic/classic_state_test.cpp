// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <cmath>

#include "engine/onnx/model_file.h"
#include "tests/engine/training/ort_classic/classic_fixture.h"
#include "tests/support/oracle.h"

namespace temper::test {

using classic::DynamicLossScale;
using classic::OptimizerStates;
using classic::StateDictionary;

class ClassicStateTest : public QObject, private ClassicFixture {
    Q_OBJECT

private slots:
    void halfMomentsTakeHalfTheMemory();
    void aRunContinuesFromItsStateDictionary_data();
    void aRunContinuesFromItsStateDictionary();
    void aRunContinuesFromItsInitialOptimizerState_data();
    void aRunContinuesFromItsInitialOptimizerState();
    void aRunContinuesFromItsCheckpointWithItsScale();
    void stateDictionariesAreChecked();
    void initialOptimizerStatesAreChecked();
    void recomputedActivationsGiveTheSameBitsInLessMemory_data();
    void recomputedActivationsGiveTheSameBitsInLessMemory();
    void stagesAreSaved();
    void onnxRuntimeComputesTheScaledGradients();
    void onnxRuntimeTrainsTheSavedStages();
    void runsWithDropoutAreTheSameBits_data();
    void runsWithDropoutAreTheSameBits();
};

void ClassicStateTest::halfMomentsTakeHalfTheMemory() {
    const auto full = session(parametersOf("adam"));
    const auto half = session(parametersOf("bfloat16"));
    train(*half, 0, 4);
    QCOMPARE(half->state().at("Moment_1_w1").dtype(), DType::BFloat16);
    const size_t elements = 4 * 5 + 5 + 5 * 2 + 2;
    QCOMPARE(full->session().memoryUse().parameterBytes, elements * 16);
    QCOMPARE(half->session().memoryUse().parameterBytes, elements * 12);
    // a checkpoint holds float32; the session continues from it with the same bits
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

void ClassicStateTest::aRunContinuesFromItsStateDictionary_data() {
    QTest::addColumn<QString>("run");
    QTest::addColumn<QString>("count");
    QTest::newRow("Adam") << "groups"
                          << "Update_Count_w1";
    QTest::newRow("Lamb") << "lamb"
                          << "Step";
}

void ClassicStateTest::aRunContinuesFromItsStateDictionary() {
    QFETCH(QString, run);
    QFETCH(QString, count);
    const TrainingParameters given = parametersOf(run.toStdString());
    const auto whole = session(given);
    train(*whole, 0, 8);
    const auto first = session(given);
    train(*first, 0, 4);
    const auto second = session(given);
    second->loadState(first->state());
    train(*second, 4, 8);
    const StateDictionary expected = whole->state();
    for (const auto& [name, data] : second->state()) {
        QVERIFY(sameBytes(data, expected.at(name)));
    }
    QCOMPARE(expected.at(count.toStdString()).toInt64(), 5);
}

void ClassicStateTest::aRunContinuesFromItsInitialOptimizerState_data() {
    QTest::addColumn<QString>("run");
    QTest::newRow("Adam") << "adam";
    QTest::newRow("Lamb, with its shared step") << "lamb";
}

void ClassicStateTest::aRunContinuesFromItsInitialOptimizerState() {
    QFETCH(QString, run);
    TrainingParameters given = parametersOf(run.toStdString());
    const auto whole = session(given);
    train(*whole, 0, 4);
    given.optimizerInitialState = whole->optimizerState();
    const auto other = session(given);
    other->loadState(whole->modelState().at("full_precision"));
    train(*whole, 4, 8);
    train(*other, 4, 8);
    for (const std::string& weight : kWeights) {
        QCOMPARE(numbers(other->state().at(weight)), numbers(whole->state().at(weight)));
    }
}

void ClassicStateTest::aRunContinuesFromItsCheckpointWithItsScale() {
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

void ClassicStateTest::stateDictionariesAreChecked() {
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

void ClassicStateTest::initialOptimizerStatesAreChecked() {
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

void ClassicStateTest::recomputedActivationsGiveTheSameBitsInLessMemory_data() {
    QTest::addColumn<bool>("attention");
    QTest::addColumn<bool>("gelu");
    QTest::addColumn<bool>("layer");
    QTest::newRow("attn_dropout_recompute") << true << false << false;
    QTest::newRow("gelu_recompute") << false << true << false;
    QTest::newRow("transformer_layer_recompute") << false << false << true;
}

void ClassicStateTest::recomputedActivationsGiveTheSameBitsInLessMemory() {
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
        QVERIFY(sameBytes(data, expected.at(name)));
    }
    const size_t before = kept->session().memoryUse().arenaBytes;
    const size_t after = again->session().memoryUse().arenaBytes;
    // The plan has GELU as one operator, whose inner values are not kept anyway.
    QVERIFY2(gelu ? after == before : after < before,
             qPrintable(QString("%1 of %2 bytes").arg(after).arg(before)));
}

void ClassicStateTest::stagesAreSaved() {
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

void ClassicStateTest::onnxRuntimeComputesTheScaledGradients() {
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
        "grads.py",
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

void ClassicStateTest::onnxRuntimeTrainsTheSavedStages() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    const QTemporaryDir folder;
    TrainingParameters given = parametersOf("adam");
    given.lossScale = 1024;
    given.modelWithTrainingGraphPath = folder.filePath("training.onnx").toStdString();
    const auto trained = session(given);
    trained->session().state().save(folder.filePath("checkpoint").toStdString());
    train(*trained, 0, 8);
    // there, gradients accumulate without division: the loss is halved instead
    Feeds feeds{{"x", golden_.at("x")}, {"target", golden_.at("target")}};
    feeds["loss_scale"] = Tensor::of<float>({1}, {0.5F});
    writeNpz(folder.filePath("feeds.npz").toStdString(), feeds);
    const OracleResult there =
        runOracle("train.py", {"--train", folder.filePath("training.onnx"), "--checkpoint",
                               folder.filePath("checkpoint"), "--optimizer",
                               folder.filePath("training.optimizer1.onnx"), "--feeds",
                               folder.filePath("feeds.npz"), "--steps", "8", "--accumulate", "2",
                               "--lr", "0.01", "--params-out", folder.filePath("params.npz")});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const Arrays weights = readNpz(folder.filePath("params.npz").toStdString());
    for (const std::string& weight : kWeights) {
        const double worst =
            worstRatio(trained->state().at(weight), weights.at(weight), 1e-6, 1e-5);
        QVERIFY2(worst <= 1, qPrintable(QString("%1: %2").arg(weight.c_str()).arg(worst)));
    }
}

void ClassicStateTest::runsWithDropoutAreTheSameBits_data() {
    QTest::addColumn<int>("threads");
    QTest::addColumn<bool>("resumes");
    QTest::newRow("2 threads") << 2 << false;
    QTest::newRow("3 threads") << 3 << false;
    QTest::newRow("resumed") << 1 << true;
    QTest::newRow("resumed with 3 threads") << 3 << true;
}

void ClassicStateTest::runsWithDropoutAreTheSameBits() {
    QFETCH(int, threads);
    QFETCH(bool, resumes);
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        g (float[N, 4] x, float[N, 2] target, float[4, 5] w1, float[5, 2] w2) => (float loss)
            <float ratio = {0.5}, bool mode = {1}> {
            a = MatMul(x, w1)
            h = Dropout(a, ratio, mode)
            y = MatMul(h, w2)
            d = Sub(y, target)
            dd = Mul(d, d)
            loss = ReduceMean<keepdims = 0>(dd)
        })");
    for (const char* name : {"w1", "w2"}) {
        model->inputToInitializer(model->at(name), golden_.at("initial/" + std::string(name)));
    }
    const auto sessionWith = [&](int count) {
        TrainingParameters given = parameters();
        given.weightsToTrain = {"w1", "w2"};
        return std::make_unique<classic::TrainingSession>(
            *model, given, allOps(), SessionOptions{.threads = count, .seed = 5});
    };
    const auto expected = sessionWith(1);
    train(*expected, 0, 8);
    auto found = sessionWith(threads);
    train(*found, 0, resumes ? 4 : 8);
    if (resumes) {
        const CheckpointFile file = found->session().state().toFile(true);
        found = sessionWith(threads);
        found->session().state().assign(file);
        train(*found, 4, 8);
    }
    for (const char* name : {"w1", "w2"}) {
        QCOMPARE(numbers(found->state().at(name)), numbers(expected->state().at(name)));
        QVERIFY(numbers(found->state().at(name)) !=
                numbers(golden_.at(std::string("initial/") + name)));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ClassicStateTest)
#include "classic_state_test.moc"
