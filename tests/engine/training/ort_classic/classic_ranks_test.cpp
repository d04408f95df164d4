// SPDX-License-Identifier: Apache-2.0
// Classic sessions of several ranks: threads of this process.
#include <algorithm>
#include <cmath>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "tests/engine/training/ort_classic/rank_fixture.h"
#include "tests/support/reference_device.h"

namespace temper::test {

using classic::StateDictionary;

namespace {

std::vector<double> doubles(const Tensor& tensor) {
    const auto values = tensor.values<float>();
    return {values.begin(), values.end()};
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// Of two gradients of a parameter, as the paper has it.
std::vector<double> adasum(const std::vector<double>& a, const std::vector<double>& b) {
    const double ofA = 1 - product(a, b) / (2 * product(a, a));
    const double ofB = 1 - product(a, b) / (2 * product(b, b));
    std::vector<double> sum;
    for (size_t i = 0; i < a.size(); ++i) sum.push_back(ofA * a[i] + ofB * b[i]);
    return sum;
}

/// Of any number: of neighbours, then of the results of neighbours.
std::vector<double> adasum(std::vector<std::vector<double>> gradients) {
    while (gradients.size() > 1) {
        std::vector<std::vector<double>> next;
        for (size_t i = 0; i + 1 < gradients.size(); i += 2)
            next.push_back(adasum(gradients[i], gradients[i + 1]));
        if (gradients.size() % 2 == 1) next.push_back(gradients.back());
        gradients = std::move(next);
    }
    return gradients.front();
}

}  // namespace

class ClassicRanksTest : public QObject, ClassicFixture {
    Q_OBJECT

private slots:
    void initTestCase() { addReferenceDevice(); }
    void ranksTrainAsPyTorchDoesOnAllBatches_data();
    void ranksTrainAsPyTorchDoesOnAllBatches();
    void sharedOptimizerStateChangesNoBit();
    void replicasOnADeviceEndWithTheSameBits_data();
    void replicasOnADeviceEndWithTheSameBits();
    void gradientsAreCombinedByAdasum_data();
    void gradientsAreCombinedByAdasum();
    void equalGradientsStayAsTheyAre();
    void aRunOfRanksContinuesFromItsState();
    void neighboursShareAModel_data();
    void neighboursShareAModel();
    void theHeadsOfAttentionAreSharedOut();
    void modelsThatCannotBeSharedOutAreRefused();
    void ranksThatDifferAreRefused();
    void theErrorOfARankEndsAll();
    void whatRanksCannotShareOutIsNamed();

private:
    /// The whole of what neighbours have parts of.
    static Tensor joined(const std::vector<StateDictionary>& parts, const std::string& name,
                         const classic::WeightSlices& slices) {
        // "Moment_1_w1" is cut as "w1" is.
        const auto slice = std::ranges::find_if(slices, [&](const auto& each) {
            return name == each.first || name.ends_with("_" + each.first);
        });
        const bool isCut = slice != slices.end() && isFloating(parts.front().at(name).dtype());
        if (!isCut) return parts.front().at(name);
        const Shape& whole = slice->second.whole;
        const auto axis = static_cast<size_t>(slice->second.axis);
        Tensor result(DType::Float32, whole);
        int64_t outer = 1;
        for (size_t i = 0; i < axis; ++i) outer *= whole[i];
        const int64_t row = result.numElements() / outer;
        int64_t begin = 0;
        for (const StateDictionary& part : parts) {
            const Tensor& data = part.at(name);
            const int64_t run = data.numElements() / outer;
            for (int64_t i = 0; i < outer; ++i) {
                std::copy_n(data.values<float>().data() + i * run, run,
                            result.mutableValues<float>().data() + i * row + begin);
            }
            begin += run;
        }
        return result;
    }

    using Change = std::function<void(TrainingParameters&)>;
    /// Two ranks train on the batches of a golden run, which takes two for each step: each has one
    /// of them. Returns: what each rank ends with.
    std::vector<StateDictionary> train(const std::string& run, const Change& change,
                                       std::vector<std::string>& errors,
                                       const std::string& device = "cpu") const {
        std::vector<StateDictionary> states(2);
        const int64_t batches = golden_.at(run + "/losses").numElements();
        errors = runRanks(2, [&](Group& ranks) {
            TrainingParameters parameters = distributed(parametersOf(run), ranks);
            parameters.gradientAccumulationSteps = 1;
            change(parameters);
            const auto trained = session(parameters, &ranks, device);
            for (int64_t i = ranks.rank(); i < batches; i += 2)
                trained->run({"loss"}, batch(i, rateOf(run)));
            states[static_cast<size_t>(ranks.rank())] = trained->state();
        });
        return states;
    }
    void compareStates(const StateDictionary& a, const StateDictionary& b) const {
        QCOMPARE(a.size(), b.size());
        for (const auto& [name, data] : a) QVERIFY2(sameBytes(data, b.at(name)), name.c_str());
    }
};

void ClassicRanksTest::ranksTrainAsPyTorchDoesOnAllBatches_data() {
    QTest::addColumn<QString>("run");
    for (const char* run : {"sgd", "adam", "groups", "lamb", "after"}) QTest::newRow(run) << run;
}

/// The mean of the gradients of two ranks is that of two batches of one.
void ClassicRanksTest::ranksTrainAsPyTorchDoesOnAllBatches() {
    QFETCH(QString, run);
    const std::string key = run.toStdString();
    std::vector<std::string> errors;
    const auto states = train(
        key, [](TrainingParameters&) {}, errors);
    QCOMPARE(errors, noErrors(2));
    compareStates(states[0], states[1]);
    for (const auto& [name, data] : states[0]) {
        if (isFloating(data.dtype())) compare(data.cast(DType::Float32), key + "/" + name);
    }
}

void ClassicRanksTest::sharedOptimizerStateChangesNoBit() {
    for (const std::string run : {"sgd", "adam", "groups"}) {
        std::vector<std::string> errors;
        const auto whole = train(
            run, [](TrainingParameters&) {}, errors);
        QCOMPARE(errors, noErrors(2));
        const auto shared = train(
            run, [](TrainingParameters& p) { p.distributed.zeroStage = 1; }, errors);
        QCOMPARE(errors, noErrors(2));
        for (const StateDictionary& state : shared) compareStates(state, whole[0]);
    }
}

void ClassicRanksTest::replicasOnADeviceEndWithTheSameBits_data() {
    QTest::addColumn<int>("zeroStage");
    QTest::addColumn<bool>("isAdasum");
    QTest::newRow("mean") << 0 << false;
    QTest::newRow("ZeRO") << 1 << false;
    QTest::newRow("Adasum") << 0 << true;
}

void ClassicRanksTest::replicasOnADeviceEndWithTheSameBits() {
    QFETCH(int, zeroStage);
    QFETCH(bool, isAdasum);
    const auto change = [=](TrainingParameters& given) {
        given.distributed.zeroStage = zeroStage;
        given.distributed.enableAdasum = isAdasum;
    };
    std::vector<std::string> errors;
    const auto here = train("adam", change, errors);
    QCOMPARE(errors, noErrors(2));
    const auto there = train("adam", change, errors, "reference");
    QCOMPARE(errors, noErrors(2));
    for (const StateDictionary& state : there) compareStates(state, here[0]);
}

void ClassicRanksTest::gradientsAreCombinedByAdasum_data() {
    QTest::addColumn<int>("ranks");
    for (const int ranks : {2, 3, 4}) QTest::addRow("%d ranks", ranks) << ranks;
}

void ClassicRanksTest::gradientsAreCombinedByAdasum() {
    QFETCH(int, ranks);
    TrainingParameters single = parameters("SGDOptimizer");
    single.gradientAccumulationSteps = 1;
    single.enableGradNormClip = false;
    // What each rank computes alone: a step of SGD at rate 1 subtracts the gradient.
    std::map<std::string, std::vector<std::vector<double>>> alone;
    std::map<std::string, std::vector<double>> before;
    for (int i = 0; i < ranks; ++i) {
        const auto trained = session(single);
        for (const auto& [name, data] : trained->state()) before[name] = doubles(data);
        trained->run({"loss"}, batch(i, 1));
        for (const auto& [name, data] : trained->state()) {
            std::vector<double> gradient = doubles(data);
            for (size_t k = 0; k < gradient.size(); ++k)
                gradient[k] = before[name][k] - gradient[k];
            alone[name].push_back(std::move(gradient));
        }
    }
    std::vector<StateDictionary> states(static_cast<size_t>(ranks));
    const auto errors = runRanks(ranks, [&](Group& group) {
        TrainingParameters given = distributed(single, group);
        given.distributed.enableAdasum = true;
        const auto trained = session(given, &group);
        trained->run({"loss"}, batch(group.rank(), 1));
        states[static_cast<size_t>(group.rank())] = trained->state();
    });
    QCOMPARE(errors, noErrors(ranks));
    for (const auto& [name, gradients] : alone) {
        const std::vector<double> expected = adasum(gradients);
        const std::vector<double> after = doubles(states[0].at(name));
        for (size_t k = 0; k < expected.size(); ++k) {
            const double found = before[name][k] - after[k];
            QVERIFY2(
                std::abs(found - expected[k]) <= 1e-6 + 1e-5 * std::abs(expected[k]),
                qPrintable(QString("%1: %2, %3").arg(name.c_str()).arg(found).arg(expected[k])));
        }
    }
    for (const StateDictionary& state : states) compareStates(state, states[0]);
}

void ClassicRanksTest::equalGradientsStayAsTheyAre() {
    TrainingParameters single = parameters("SGDOptimizer");
    single.gradientAccumulationSteps = 1;
    const auto alone = session(single);
    alone->run({"loss"}, batch(0));
    StateDictionary together;
    const auto errors = runRanks(4, [&](Group& ranks) {
        TrainingParameters given = distributed(single, ranks);
        given.distributed.enableAdasum = true;
        const auto trained = session(given, &ranks);
        trained->run({"loss"}, batch(0));
        if (ranks.isLeader()) together = trained->state();
    });
    QCOMPARE(errors, noErrors(4));
    compareStates(together, alone->state());
}

/// Of a run with shared moments, by another number of ranks, and by one.
void ClassicRanksTest::aRunOfRanksContinuesFromItsState() {
    const auto train = [this](int ranks, const StateDictionary& start,
                              std::vector<std::string>& errors) {
        StateDictionary end;
        errors = runRanks(ranks, [&](Group& group) {
            TrainingParameters given = distributed(parametersOf("adam"), group);
            given.gradientAccumulationSteps = 4 / ranks;
            given.distributed.zeroStage = ranks > 1 ? 1 : 0;
            const auto trained = session(given, &group);
            if (!start.empty()) trained->loadState(start);
            for (int64_t i = group.rank(); i < 4; i += ranks) trained->run({"loss"}, batch(i));
            StateDictionary state = trained->state();
            if (group.isLeader()) end = std::move(state);
        });
        return end;
    };
    std::vector<std::string> errors;
    const StateDictionary first = train(2, {}, errors);
    QCOMPARE(errors, noErrors(2));
    const StateDictionary of4 = train(4, first, errors);
    QCOMPARE(errors, noErrors(4));
    const StateDictionary of1 = train(1, first, errors);
    QCOMPARE(errors, noErrors(1));
    QCOMPARE(of4.size(), of1.size());
    for (const auto& [name, data] : of1) {
        if (!isFloating(data.dtype())) continue;
        QVERIFY2(worstRatio(of4.at(name), data, 1e-6, 1e-5) <= 1, name.c_str());
    }
}

void ClassicRanksTest::neighboursShareAModel_data() {
    QTest::addColumn<QString>("run");
    QTest::addColumn<int>("ranks");
    QTest::addColumn<bool>("isGemm");
    QTest::addColumn<int>("zeroStage");
    for (const char* run : {"sgd", "adam", "groups"}) {
        QTest::addRow("%s, 2 neighbours", run) << run << 2 << false << 0;
        QTest::addRow("%s, 2 neighbours twice", run) << run << 4 << false << 0;
        QTest::addRow("%s, Gemm", run) << run << 2 << true << 0;
        QTest::addRow("%s, ZeRO", run) << run << 4 << true << 1;
    }
}

/// A part of the hidden units each, with the batches of all or of half of them.
void ClassicRanksTest::neighboursShareAModel() {
    QFETCH(QString, run);
    QFETCH(int, ranks);
    QFETCH(bool, isGemm);
    QFETCH(int, zeroStage);
    const std::string key = run.toStdString();
    const int replicas = ranks / 2;
    const std::string first = isGemm ? weight("w1", 6, 4, 1) : weight("w1", 4, 6, 1);
    const std::string product =
        isGemm ? "c = Gemm<transB = 1>(x, w1, b1)" : "a = MatMul(x, w1)\n c = Add(a, b1)";
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        network (float[N, 4] x, float[N, 2] target) => (float loss) <)" +
                                 first + ", " + weight("w2", 6, 2, 2) + R"(,
            float[6] b1 = {0.1, 0.2, -0.1, 0.3, -0.2, 0.1}, float[2] b2 = {0.1, -0.1}> {
            )" + product + R"(
            h = Tanh(c)
            scores = Gemm(h, w2, b2)
            d = Sub(scores, target)
            dd = Mul(d, d)
            loss = ReduceMean<keepdims = 0>(dd)
        })");
    const SessionOptions options{.threads = 1};
    constexpr int64_t kBatches = 8;
    classic::TrainingSession alone(*model, parametersOf(key), allOps(), options);
    std::vector<double> losses;
    for (int64_t i = 0; i < kBatches; ++i)
        losses.push_back(alone.run({"loss"}, batch(i, rateOf(key))).front().toDouble());
    std::vector<StateDictionary> states(static_cast<size_t>(ranks));
    classic::WeightSlices slices;
    const auto errors = runRanks(ranks, [&](Group& group) {
        TrainingParameters given = distributed(parametersOf(key), group, 2);
        given.gradientAccumulationSteps = 2 / replicas;
        given.distributed.zeroStage = zeroStage;
        classic::TrainingSession trained(*model, given, allOps(), options, &group);
        for (int64_t i = group.rank() / 2; i < kBatches; i += replicas) {
            const double loss = trained.run({"loss"}, batch(i, rateOf(key))).front().toDouble();
            const double expected = losses[static_cast<size_t>(i)];
            if (std::abs(loss - expected) > 1e-6 + 1e-5 * std::abs(expected))
                throw Error(ErrorCode::Internal, "another loss");
        }
        states[static_cast<size_t>(group.rank())] = trained.state();
        if (group.isLeader()) slices = trained.partitionInfoMap();
    });
    QCOMPARE(errors, noErrors(ranks));
    QCOMPARE(slices.size(), size_t{3});  // both weights and the first bias
    QVERIFY(slices.contains("w1") && slices.contains("b1") && slices.contains("w2"));
    const StateDictionary whole = alone.state();
    for (int i = 0; i < replicas; ++i) {
        const std::vector<StateDictionary> parts{states[static_cast<size_t>(2 * i)],
                                                 states[static_cast<size_t>(2 * i + 1)]};
        for (const auto& [name, data] : whole) {
            if (!isFloating(data.dtype())) continue;
            const double worst = worstRatio(joined(parts, name, slices), data, 1e-6, 1e-5);
            QVERIFY2(worst <= 1, qPrintable(QString("%1: %2").arg(name.c_str()).arg(worst)));
        }
        // What is whole has the same bits on both.
        QVERIFY(sameBytes(parts.front().at("b2"), parts.back().at("b2")));
    }
}

/// Two heads of size 3, one on each rank.
void ClassicRanksTest::theHeadsOfAttentionAreSharedOut() {
    const std::string text = R"(
        <ir_version: 8, opset_import: ["" : 17]>
        agraph (float[2, 4, 6] x, float[2, 1, 1, 4] mask, float[2, 4, 6] target) => (float loss) <)" +
                             weight("wq", 6, 6, 1) + ", " + weight("wk", 6, 6, 2) + ", " +
                             weight("wv", 6, 6, 3) + ", " + weight("wo", 6, 6, 4) + R"(,
        float[6] bq = {0.1, -0.2, 0.3, -0.1, 0.2, -0.3}, float[6] bo = {0.1, 0, 0.2, 0, 0.3, 0},
        float scale = {0.577},
        int64[4] split = {2, 4, 2, 3}, int64[3] merge = {0, 4, 6}> {
            q0 = MatMul(x, wq)  q1 = Add(q0, bq)  k0 = MatMul(x, wk)  v0 = MatMul(x, wv)
            q2 = Reshape(q1, split)  k2 = Reshape(k0, split)  v2 = Reshape(v0, split)
            q = Transpose <perm = [0, 2, 1, 3]> (q2)
            k = Transpose <perm = [0, 2, 3, 1]> (k2)
            v = Transpose <perm = [0, 2, 1, 3]> (v2)
            s0 = MatMul(q, k)  s1 = Mul(s0, scale)  s2 = Add(s1, mask)
            p = Softmax <axis = -1> (s2)
            c0 = MatMul(p, v)  c1 = Transpose <perm = [0, 2, 1, 3]> (c0)  c = Reshape(c1, merge)
            o0 = MatMul(c, wo)  o = Add(o0, bo)
            d = Sub(o, target)  dd = Mul(d, d)  loss = ReduceMean <keepdims = 0> (dd)
        })";
    const auto model = parseText(text);
    Random random(7);
    const auto feed = [&random](const Shape& shape) {
        Tensor tensor(DType::Float32, shape);
        for (float& x : tensor.mutableValues<float>()) x = random.normal();
        return tensor;
    };
    const Feeds feeds{{"x", feed({2, 4, 6})},
                      {"mask", feed({2, 1, 1, 4})},
                      {"target", feed({2, 4, 6})},
                      {"Learning_Rate", rateFeed(0.1F)}};
    TrainingParameters given = parameters("SGDOptimizer");
    given.gradientAccumulationSteps = 1;
    std::vector<double> losses;
    classic::TrainingSession alone(*model, given, allOps(), SessionOptions{.threads = 1});
    for (int i = 0; i < 5; ++i) losses.push_back(alone.run({"loss"}, feeds).front().toDouble());
    QVERIFY(losses.back() < losses.front());
    std::vector<StateDictionary> states(2);
    classic::WeightSlices slices;
    const auto errors = runRanks(2, [&](Group& group) {
        classic::TrainingSession trained(*model, distributed(given, group, 2), allOps(),
                                         SessionOptions{.threads = 1}, &group);
        for (const double loss : losses) {
            if (std::abs(trained.run({"loss"}, feeds).front().toDouble() - loss) > 1e-5)
                throw Error(ErrorCode::Internal, "another loss");
        }
        states[static_cast<size_t>(group.rank())] = trained.state();
        if (group.isLeader()) slices = trained.partitionInfoMap();
    });
    QCOMPARE(errors, noErrors(2));
    QCOMPARE(slices.size(), size_t{5});  // four weights and the bias of the queries
    QCOMPARE(slices.at("wo").axis, int64_t{0});
    for (const auto& [name, data] : alone.state()) {
        const double worst = worstRatio(joined(states, name, slices), data, 1e-5, 1e-4);
        QVERIFY2(worst <= 1, qPrintable(QString("%1: %2").arg(name.c_str()).arg(worst)));
    }
}

void ClassicRanksTest::modelsThatCannotBeSharedOutAreRefused() {
    const auto errors =
        runRanks(3, [&](Group& ranks) { session(distributed(parameters(), ranks, 3), &ranks); });
    for (const std::string& error : errors)
        QVERIFY2(error.find("units, which 3 ranks do not divide") != std::string::npos,
                 error.c_str());
    const auto lamb = runRanks(2, [&](Group& ranks) {
        session(distributed(parameters("LambOptimizer"), ranks, 2), &ranks);
    });
    for (const std::string& error : lamb)
        QVERIFY2(error.find("needs weights that are whole on each rank") != std::string::npos,
                 error.c_str());
}

void ClassicRanksTest::ranksThatDifferAreRefused() {
    const auto errors = runRanks(3, [&](Group& ranks) {
        TrainingParameters given = distributed(parameters(), ranks);
        if (ranks.rank() == 2) given.weightsNotToTrain = {"w1"};
        session(given, &ranks);
    });
    for (const std::string& error : errors)
        QVERIFY2(
            error.find("Rank 2 differs from rank 0 in the training model.") != std::string::npos,
            error.c_str());
}

void ClassicRanksTest::theErrorOfARankEndsAll() {
    const auto errors = runRanks(2, [&](Group& ranks) {
        const auto trained = session(distributed(parameters(), ranks), &ranks);
        Feeds feeds = batch(0);
        if (ranks.rank() == 1) feeds.erase("target");
        for (int i = 0; i < 2; ++i) trained->run({"loss"}, feeds);
    });
    QVERIFY2(errors[1].find("The input 'target' is missing.") != std::string::npos,
             errors[1].c_str());
    QVERIFY2(errors[0].find("rank 1: The input 'target' is missing.") != std::string::npos,
             errors[0].c_str());
}

void ClassicRanksTest::whatRanksCannotShareOutIsNamed() {
    for (const bool isLamb : {true, false}) {
        const auto errors = runRanks(2, [&](Group& ranks) {
            TrainingParameters given =
                distributed(parameters(isLamb ? "LambOptimizer" : "AdamOptimizer"), ranks);
            if (!isLamb) given.momentType = DType::Float16;
            given.distributed.zeroStage = 1;
            session(given, &ranks);
        });
        for (const std::string& error : errors)
            QVERIFY2(error.find(isLamb ? "norms of whole parameters" : "float32 moments only") !=
                         std::string::npos,
                     error.c_str());
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ClassicRanksTest)
#include "classic_ranks_test.moc"
