// SPDX-License-Identifier: Apache-2.0
// Classic sessions whose ranks are stages of a pipeline: threads of this process.
#include <algorithm>
#include <cmath>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "tests/engine/training/ort_classic/rank_fixture.h"

namespace temper::test {

using classic::StateDictionary;

namespace {

const SessionOptions kOneThread{.threads = 1};

Tensor randomTensor(const Shape& shape, Random& random) {
    Tensor tensor(DType::Float32, shape);
    for (float& number : tensor.mutableValues<float>()) number = random.normal();
    return tensor;
}

Feeds forEvaluation(Feeds feeds) {
    feeds["training_mode"] = Tensor::of<bool>({1}, {false});
    return feeds;
}

std::string header(const std::string& signature) {
    return R"(<ir_version: 8, opset_import: ["" : 17]> network )" + signature;
}

void requireNear(double found, double expected) {
    if (std::abs(found - expected) <= 1e-6 + 1e-5 * std::abs(expected)) return;
    throw Error(ErrorCode::Internal, "The loss is " + std::to_string(found) + "; expected " +
                                         std::to_string(expected) + ".");
}

double lossOf(classic::TrainingSession& session, const Feeds& feeds) {
    return session.run({"loss"}, feeds).front().toDouble();
}

}  // namespace

class ClassicStagesTest : public QObject, ClassicFixture {
    Q_OBJECT

private slots:
    void stagesShareAModel_data();
    void stagesShareAModel();
    void stagesAndNeighboursShareAModel();
    void valuesArePassedOnThroughStages_data();
    void valuesArePassedOnThroughStages();
    void inputsAreCutAlongTheirAxes();
    void aWeightThatDoesNotTrainIsReadInTwoStages();
    void dropoutOfTheLastStageDrawsAnewInEachStep();
    void replicasOfTheLastStageShareRunningStatistics();
    void stagesContinueFromAnOptimizerState();
    void whatCannotBeCutIsNamed_data();
    void whatCannotBeCutIsNamed();
    void batchesThatCannotBeCutAreNamed();
    void theErrorOfAStageEndsAll();

private:
    /// One replica of as many stages as there are ranks.
    static TrainingParameters staged(TrainingParameters given, const Group& ranks,
                                     const std::string& cuts, int microBatches = 1) {
        given = distributed(std::move(given), ranks);
        given.distributed.dataParallelSize = 1;
        given.distributed.pipelineParallelSize = ranks.size();
        given.distributed.pipelineMicroBatches = microBatches;
        given.distributed.pipelineCutInfo = cuts;
        return given;
    }
    static TrainingParameters sgd() {
        TrainingParameters given = parameters("SGDOptimizer");
        given.gradientAccumulationSteps = 1;
        return given;
    }
    /// One rank and as many as there are stages do a few steps with the same batches: losses and
    /// weights are the same.
    static void compareWithOneRank(const Graph& model, const TrainingParameters& given,
                                   const std::string& cuts, int microBatches, const Feeds& feeds);
};

void ClassicStagesTest::compareWithOneRank(const Graph& model, const TrainingParameters& given,
                                           const std::string& cuts, int microBatches,
                                           const Feeds& feeds) {
    constexpr int kSteps = 4;
    TrainingParameters single = given;
    single.distributed = {};
    classic::TrainingSession alone(model, single, allOps(), kOneThread);
    std::vector<double> losses;
    for (int i = 0; i < kSteps; ++i) losses.push_back(lossOf(alone, feeds));
    const auto stages = static_cast<int>(std::ranges::count(cuts, ',')) + 2;
    std::vector<StateDictionary> states(static_cast<size_t>(stages));
    const auto errors = runRanks(stages, [&](Group& group) {
        classic::TrainingSession trained(model, staged(given, group, cuts, microBatches), allOps(),
                                         kOneThread, &group);
        for (const double loss : losses) requireNear(lossOf(trained, feeds), loss);
        states[static_cast<size_t>(group.rank())] = trained.state();
    });
    QCOMPARE(errors, noErrors(stages));
    const StateDictionary whole = alone.state();
    for (const StateDictionary& state : states) {
        for (const auto& [name, data] : state) {
            const auto expected = whole.find(name);
            if (expected == whole.end() || !isFloating(data.dtype())) continue;
            QVERIFY2(worstRatio(data, expected->second, 1e-6, 1e-5) <= 1, name.c_str());
        }
    }
}

void ClassicStagesTest::stagesShareAModel_data() {
    QTest::addColumn<QString>("run");
    QTest::addColumn<QString>("cuts");
    QTest::addColumn<int>("microBatches");
    QTest::addColumn<int>("replicas");
    for (const char* run : {"sgd", "adam", "groups", "lamb"}) {
        QTest::addRow("%s, 2 stages", run) << run << "h1" << 1 << 1;
        QTest::addRow("%s, 2 stages, 3 micro-batches", run) << run << "h1" << 3 << 1;
        QTest::addRow("%s, 3 stages, 6 micro-batches", run) << run << "h1,h2" << 6 << 1;
        QTest::addRow("%s, 2 stages twice", run) << run << "h2" << 2 << 2;
    }
}

/// A layer or two each; the mean over micro-batches is that over the batch. The model has outputs
/// of all stages, which are not computed.
void ClassicStagesTest::stagesShareAModel() {
    QFETCH(QString, run);
    QFETCH(QString, cuts);
    QFETCH(int, microBatches);
    QFETCH(int, replicas);
    const std::string key = run.toStdString();
    const auto model = parseText(header("(float[N, 4] x, float[N, 2] target) => (float[N, 5] a1, "
                                        "float[N, 2] scores, float loss) <") +
                                 weight("w1", 4, 5, 1) + ", " + weight("w3", 5, 6, 2) + ", " +
                                 weight("w2", 6, 2, 3) + R"(,
            float[5] b1 = {0.1, 0.2, -0.1, 0.3, -0.2}, float[2] b2 = {0.1, -0.1}> {
            a1 = Gemm(x, w1, b1)
            h1 = Tanh(a1)
            a2 = MatMul(h1, w3)
            h2 = Tanh(a2)
            scores = Gemm(h2, w2, b2)
            d = Sub(scores, target)
            dd = Mul(d, d)
            loss = ReduceMean<keepdims = 0>(dd)
        })");
    TrainingParameters single = parametersOf(key);
    single.optimizerAttributes["w3"]["max_norm_clip"] = 0.5F;
    Random random(5);
    std::vector<Feeds> batches;
    for (int i = 0; i < 8; ++i) {
        batches.push_back({{"x", randomTensor({6, 4}, random)},
                           {"target", randomTensor({6, 2}, random)},
                           {"Learning_Rate", rateFeed(rateOf(key))}});
    }
    classic::TrainingSession alone(*model, single, allOps(), kOneThread);
    std::vector<double> losses;
    for (const Feeds& feeds : batches) losses.push_back(lossOf(alone, feeds));
    const int stages = static_cast<int>(cuts.count(',')) + 2, ranks = stages * replicas;
    std::vector<StateDictionary> states(static_cast<size_t>(ranks));
    const auto errors = runRanks(ranks, [&](Group& group) {
        TrainingParameters given = staged(single, group, cuts.toStdString(), microBatches);
        given.distributed.dataParallelSize = replicas;
        given.distributed.pipelineParallelSize = stages;
        given.gradientAccumulationSteps = 2 / replicas;
        classic::TrainingSession trained(*model, given, allOps(), kOneThread, &group);
        const auto replica = static_cast<size_t>(group.rank() % replicas);
        for (size_t i = replica; i < batches.size(); i += static_cast<size_t>(replicas)) {
            requireNear(lossOf(trained, forEvaluation(batches[i])), losses[i]);
            requireNear(lossOf(trained, batches[i]), losses[i]);
        }
        states[static_cast<size_t>(group.rank())] = trained.state();
    });
    QCOMPARE(errors, noErrors(ranks));
    StateDictionary all;
    for (const StateDictionary& state : states) all.insert(state.begin(), state.end());
    for (const auto& [name, data] : alone.state()) {
        if (!isFloating(data.dtype())) continue;
        QVERIFY2(all.contains(name), name.c_str());
        const double worst = worstRatio(all.at(name), data, 1e-6, 1e-5);
        QVERIFY2(worst <= 1, qPrintable(QString("%1: %2").arg(name.c_str()).arg(worst)));
    }
}

/// Two neighbours in each of two stages. The norm that is clipped is that of all parts.
void ClassicStagesTest::stagesAndNeighboursShareAModel() {
    const auto model = parseText(header("(float[N, 4] x, float[N, 2] target) => (float loss) <") +
                                 weight("w1", 4, 6, 1) + ", " + weight("w2", 6, 3, 2) + ", " +
                                 weight("w3", 3, 4, 3) + ", " + weight("w4", 4, 2, 4) + R"(,
            float[6] b1 = {0.1, 0.2, -0.1, 0.3, -0.2, 0.1}, float[3] b2 = {0.1, -0.1, 0.2}> {
            a1 = Gemm(x, w1, b1)  t1 = Tanh(a1)  h = Gemm(t1, w2, b2)
            a2 = MatMul(h, w3)  t2 = Tanh(a2)  s = MatMul(t2, w4)
            d = Sub(s, target)  dd = Mul(d, d)  loss = ReduceMean<keepdims = 0>(dd)
        })");
    Random random(8);
    const Feeds feeds{{"x", randomTensor({4, 4}, random)},
                      {"target", randomTensor({4, 2}, random)},
                      {"Learning_Rate", rateFeed(0.5F)}};
    TrainingParameters single = sgd();
    for (const char* name : {"w1", "w2", "w3", "w4", "b1", "b2"})
        single.optimizerAttributes[name]["max_norm_clip"] = 0.1F;
    classic::TrainingSession alone(*model, single, allOps(), kOneThread);
    std::vector<double> losses, norms;
    for (int i = 0; i < 5; ++i) {
        losses.push_back(lossOf(alone, feeds));
        norms.push_back(alone.lastStep().gradientNorm);
    }
    QVERIFY(norms.front() > 0.1);
    const auto errors = runRanks(4, [&](Group& group) {
        TrainingParameters given = staged(single, group, "h", 2);
        given.distributed.horizontalParallelSize = 2;
        given.distributed.pipelineParallelSize = 2;
        classic::TrainingSession trained(*model, given, allOps(), kOneThread, &group);
        const size_t slices = trained.partitionInfoMap().size();  // w1, b1 and w2; or w3 and w4
        if (slices != (group.rank() < 2 ? size_t{3} : size_t{2}))
            throw Error(ErrorCode::Internal, std::to_string(slices) + " weights are cut");
        for (size_t i = 0; i < losses.size(); ++i) {
            requireNear(lossOf(trained, feeds), losses[i]);
            requireNear(trained.lastStep().gradientNorm, norms[i]);
        }
    });
    QCOMPARE(errors, noErrors(4));
}

void ClassicStagesTest::valuesArePassedOnThroughStages_data() {
    QTest::addColumn<QString>("cuts");
    QTest::addColumn<QString>("nodes");
    QTest::newRow("of the first stage to the third, with a mask")
        << "h1-h2/s:mask,h2:h1:mask-m"
        << "h1 = MatMul(x, w1) mask = Greater(h1, zero) h2 = MatMul(h1, w2) h3 = MatMul(h2, w3) "
           "s = Add(h3, h1) m = Where(mask, s, zero)";
    QTest::newRow("read on the way where it gets no gradient")
        << "h1:k,h2:h1"
        << "h1 = MatMul(x, w1) k = Tanh(h1) mask = Greater(h1, zero) k2 = MatMul(k, w2) "
           "h2 = Where(mask, k2, zero) s = Add(h2, h1) m = MatMul(s, w3)";
    QTest::newRow("not read on the way, and read by all later stages")
        << "h1:k,h2:h1:k"
        << "h1 = MatMul(x, w1) k = Tanh(h1) h2 = MatMul(k, w2) s = Mul(h2, h1) t = Add(s, k) "
           "m = MatMul(t, w3)";
}

void ClassicStagesTest::valuesArePassedOnThroughStages() {
    QFETCH(QString, cuts);
    QFETCH(QString, nodes);
    const auto model =
        parseText(header("(float[N, 3] x) => (float loss) <") + weight("w1", 3, 3, 1) + ", " +
                  weight("w2", 3, 3, 2) + ", " + weight("w3", 3, 3, 3) + ", float zero = {0}> { " +
                  nodes.toStdString() + " mm = Mul(m, m) loss = ReduceMean<keepdims = 0>(mm) }");
    Random random(6);
    const Feeds feeds{{"x", randomTensor({4, 3}, random)}, {"Learning_Rate", rateFeed(0.1F)}};
    TrainingParameters given = sgd();
    given.weightsToTrain = {"w1", "w2", "w3"};
    compareWithOneRank(*model, given, cuts.toStdString(), 2, feeds);
}

/// The second stage reads inputs, too; the factors are the same for all samples.
void ClassicStagesTest::inputsAreCutAlongTheirAxes() {
    const auto model = parseText(
        header("(float[3, N] x, float[2] factors, float[N, 2] target) => (float loss) <") +
        weight("w1", 3, 3, 1) + ", " + weight("w2", 3, 2, 2) + R"(> {
            rows = Transpose<perm = [1, 0]>(x)  h = MatMul(rows, w1)  k = MatMul(h, w2)
            s = Mul(k, factors)  d = Sub(s, target)
            dd = Mul(d, d)  loss = ReduceMean<keepdims = 0>(dd)
        })");
    Random random(6);
    const Feeds feeds{{"x", randomTensor({3, 6}, random)},
                      {"factors", randomTensor({2}, random)},
                      {"target", randomTensor({6, 2}, random)},
                      {"Learning_Rate", rateFeed(0.1F)}};
    TrainingParameters given = sgd();
    given.distributed.slicedAxes = {{"x", 1}, {"target", 0}};
    given.distributed.slicedTensorNames = {"x", "target"};
    compareWithOneRank(*model, given, "h", 3, feeds);
}

/// Each stage has a copy of it. The first one trains some of its weights only.
void ClassicStagesTest::aWeightThatDoesNotTrainIsReadInTwoStages() {
    const auto model =
        parseText(header("(float[N, 3] x) => (float loss) <") + weight("w0", 3, 3, 1) + ", " +
                  weight("w1", 3, 3, 2) + ", " + weight("w2", 3, 3, 3) + R"(> {
            h0 = MatMul(x, w0)  h1 = MatMul(h0, w1)
            k0 = MatMul(h1, w0)  k1 = MatMul(k0, w2)
            kk = Mul(k1, k1)  loss = ReduceMean<keepdims = 0>(kk)
        })");
    Random random(6);
    const Feeds feeds{{"x", randomTensor({4, 3}, random)}, {"Learning_Rate", rateFeed(0.1F)}};
    TrainingParameters given = sgd();
    given.weightsNotToTrain = {"w0"};
    compareWithOneRank(*model, given, "h1", 2, feeds);
}

/// Other numbers in each step, the same ones when the run is repeated.
void ClassicStagesTest::dropoutOfTheLastStageDrawsAnewInEachStep() {
    const auto model = parseText(header("(float[N, 3] x) => (float loss) <") +
                                 weight("w1", 3, 3, 1) + ", " + weight("w2", 3, 8, 2) +
                                 R"(, float ratio = {0.5}, bool mode = {1}> {
            h = MatMul(x, w1)  k = MatMul(h, w2)  m = Dropout(k, ratio, mode)
            mm = Mul(m, m)  loss = ReduceMean<keepdims = 0>(mm)
        })");
    Random random(6);
    const Feeds feeds{{"x", randomTensor({4, 3}, random)}, {"Learning_Rate", rateFeed(0)}};
    const auto train = [&](std::vector<double>& losses) {
        return runRanks(2, [&](Group& group) {
            classic::TrainingSession trained(*model, staged(sgd(), group, "h", 2), allOps(),
                                             kOneThread, &group);
            const double whole = lossOf(trained, forEvaluation(feeds));
            std::vector<double> found;
            for (int i = 0; i < 3; ++i) found.push_back(lossOf(trained, feeds));
            requireNear(lossOf(trained, forEvaluation(feeds)), whole);
            if (group.isLeader()) losses = found;
        });
    };
    std::vector<double> losses, again;
    QCOMPARE(train(losses), noErrors(2));
    QCOMPARE(train(again), noErrors(2));
    QVERIFY(losses[0] != losses[1] && losses[1] != losses[2]);
    QCOMPARE(again, losses);
}

void ClassicStagesTest::replicasOfTheLastStageShareRunningStatistics() {
    const auto model = parseText(header("(float[N, 3] x) => (float loss) <") +
                                 weight("w1", 3, 3, 1) + ", " + weight("w2", 3, 3, 2) + R"(,
            float[3] scale = {1, 1, 1}, float[3] bias = {0, 0, 0},
            float[3] mean = {0, 0, 0}, float[3] variance = {1, 1, 1}> {
            h = MatMul(x, w1)
            n = BatchNormalization(h, scale, bias, mean, variance)
            m = MatMul(n, w2)
            mm = Mul(m, m)  loss = ReduceMean<keepdims = 0>(mm)
        })");
    std::vector<StateDictionary> states(4);
    const auto errors = runRanks(4, [&](Group& group) {
        TrainingParameters given = staged(sgd(), group, "h", 2);
        given.distributed.dataParallelSize = 2;
        given.distributed.pipelineParallelSize = 2;
        classic::TrainingSession trained(*model, given, allOps(), kOneThread, &group);
        Random random(static_cast<uint64_t>(group.rank() % 2));
        for (int i = 0; i < 2; ++i) {
            const Feeds feeds{{"x", randomTensor({8, 3}, random)},
                              {"Learning_Rate", rateFeed(0.1F)}};
            trained.run({"loss"}, feeds);
        }
        states[static_cast<size_t>(group.rank())] = trained.state();
    });
    QCOMPARE(errors, noErrors(4));
    QVERIFY(!states[0].contains("mean"));
    for (const char* name : {"mean", "variance", "w2", "scale"})
        QVERIFY2(sameBytes(states[2].at(name), states[3].at(name)), name);
    QVERIFY(numbers(states[2].at("mean")) != std::vector<float>(3));
}

void ClassicStagesTest::stagesContinueFromAnOptimizerState() {
    const TrainingParameters first = parameters();
    const auto alone = session(first);
    train(*alone, 0, 2);
    TrainingParameters given = first;
    given.optimizerInitialState = alone->optimizerState();
    std::vector<StateDictionary> states(2);
    const auto errors = runRanks(2, [&](Group& group) {
        const auto trained = session(staged(given, group, "h"), &group);
        states[static_cast<size_t>(group.rank())] = trained->state();
    });
    QCOMPARE(errors, noErrors(2));
    const StateDictionary whole = alone->state();
    for (const char* name : {"Moment_1_w1", "Moment_2_b1", "Update_Count_w1"})
        QVERIFY2(sameBytes(states[0].at(name), whole.at(name)), name);
    for (const char* name : {"Moment_1_w2", "Moment_2_b2", "Update_Count_w2"})
        QVERIFY2(sameBytes(states[1].at(name), whole.at(name)), name);
}

void ClassicStagesTest::whatCannotBeCutIsNamed_data() {
    QTest::addColumn<QString>("cuts");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* cuts, const char* message) {
        QTest::newRow(cuts) << QString(cuts) << QString(message);
    };
    row("h1:mask,h2:mask", "The value 'h1' of stage 0 is read by ");
    row("h1,h9", "The model computes no value 'h9'");
    row("h1,x", "The model computes no value 'x'");
    row("h2:h1:mask,h1:mask", "Stage 1 of the pipeline has no nodes");
    row("h2:h1:mask,h3:h1:mask:h0", "The value 'h0' of stage 0 is in cut 1, but cut 0 does not");
    row("h1-x/mask,h2:h1:mask", "The reader 'x' of 'h1' is not a node after stage 0");
    row("h1:,h2", "has an empty name");
    row("h1:h1,h2", "has 'h1' twice");
    row("h1", "has 1 cut; expected one less than stages");
    row("h1:mask,s:mask", "No weight trains in stage 2 of the pipeline");
    row("dropped:h1:mask,h2:h1:mask", "in stage 0 of the pipeline computes something else");
    row("h1:mask,wide:h1:mask", "'wide', which 'pipeline_cut_info_string' names, is float64");
    row("shared:h1:mask,h3:h1:mask", "The weight 'w1' is read in stage 0 and stage 1");
}

void ClassicStagesTest::whatCannotBeCutIsNamed() {
    QFETCH(QString, cuts);
    QFETCH(QString, message);
    std::string products = "h2 = MatMul(h1, w2) h3 = MatMul(h2, w3)";
    if (cuts.contains("dropped"))
        products = "dropped = Dropout(h1, ratio) h2 = MatMul(dropped, w2) h3 = MatMul(h2, w3)";
    if (cuts.contains("wide")) {
        products =
            "h2 = MatMul(h1, w2) wide = Cast<to = 11>(h2) narrow = Cast<to = 1>(wide) "
            "h3 = MatMul(narrow, w3)";
    }
    if (cuts.contains("shared"))
        products = "h2 = MatMul(h1, w2) shared = MatMul(h2, w3) h3 = MatMul(shared, w1)";
    const auto model = parseText(header("(float[N, 3] x) => (float loss) <") +
                                 weight("w1", 3, 3, 1) + ", " + weight("w2", 3, 3, 2) + ", " +
                                 weight("w3", 3, 3, 3) +
                                 R"(, float zero = {0}, float ratio = {0.5}> {
            h0 = MatMul(x, w1)  h1 = Tanh(h0)  mask = Greater(h1, zero)
            )" + products + R"(
            s = Add(h3, h1)  m = Where(mask, s, zero)
            mm = Mul(m, m)  loss = ReduceMean<keepdims = 0>(mm)
        })");
    TrainingParameters given = sgd();
    given.weightsToTrain = {"w1", "w2", "w3"};
    const auto errors = runRanks(3, [&](Group& group) {
        const classic::TrainingSession trained(*model, staged(given, group, cuts.toStdString()),
                                               allOps(), kOneThread, &group);
    });
    for (const std::string& error : errors)
        QVERIFY2(QString::fromStdString(error).contains(message), error.c_str());
}

void ClassicStagesTest::batchesThatCannotBeCutAreNamed() {
    const auto errors = runRanks(2, [&](Group& group) {
        const auto trained = session(staged(sgd(), group, "h", 64), &group);
        trained->run({"loss"}, batch(0));
    });
    for (const std::string& error : errors) {
        QVERIFY2(error.find("64 micro-batches can't be cut along axis 0.") != std::string::npos,
                 error.c_str());
    }
}

void ClassicStagesTest::theErrorOfAStageEndsAll() {
    const auto errors = runRanks(2, [&](Group& group) {
        const auto trained = session(staged(sgd(), group, "h"), &group);
        Feeds feeds = batch(0);
        trained->run({"loss"}, feeds);
        if (group.rank() == 1) feeds.erase("target");
        trained->run({"loss"}, feeds);
    });
    QVERIFY2(errors[0].find("rank 1: The input 'target' is missing.") != std::string::npos,
             errors[0].c_str());
    QVERIFY2(errors[1].find("The input 'target' is missing.") != std::string::npos,
             errors[1].c_str());
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ClassicStagesTest)
#include "classic_stages_test.moc"
