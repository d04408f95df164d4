// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/core/thread_pool.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/graph_runner.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

constexpr const char* kRegression = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[N, 3] x) => (float[N, 2] y)
        <float[3, 2] w = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6}, float[2] b = {0.0, 0.1}> {
        h = MatMul(x, w)
        y = Add(h, b)
    })";

class SessionTest : public QObject {
    Q_OBJECT

private slots:
    void gradientsAddUpUntilTheyAreReset();
    void anOptimizerStepKeepsTheGradients();
    void threadsDoNotChangeABit_data();
    void threadsDoNotChangeABit();
    void aSmallerBatchTrainsToo();
    void aResumedRunIsTheRunItself();
    void parametersGoThroughABuffer();
    void clippingScalesAllGradients();
    void theLinearScheduleIsOrts_data();
    void theLinearScheduleIsOrts();
    void aScheduleHasToBeRegistered();
    void exportedModelsNeedNoTargets();
    void anyValueOfTheEvalModelCanBeComputed();
    void infinityIsTracedToItsNode();
    void wrongFeedsAreNamed_data();
    void wrongFeedsAreNamed();
    void modelsOfEveryOpsetTrain_data();
    void modelsOfEveryOpsetTrain();
    void artifactsThatDoNotBelongTogetherAreRefused();
    void checkpointsOfOtherModelsAreRefused();

private:
    static std::unique_ptr<TrainingSession> regression(int threads = 1) {
        ArtifactSpec spec;
        spec.loss = {"mse", {}};
        Artifacts artifacts = generateArtifacts(*parseText(kRegression), *allOps(), spec);
        auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        return std::make_unique<TrainingSession>(std::move(artifacts), state, allOps(),
                                                 SessionOptions{threads, 0});
    }
    const std::vector<Tensor> feeds_ = {
        Tensor::of<float>({4, 3}, {1, 2, 3, -1, 0, 1, 0.5F, 0.25F, -2, 4, 1, 1}),
        Tensor::of<float>({4, 2}, {1, 0, 0, 1, 1, 1, -1, 2})};
};

std::vector<float> numbers(const Tensor& tensor) {
    const auto values = tensor.values<float>();
    return {values.begin(), values.end()};
}

void SessionTest::gradientsAddUpUntilTheyAreReset() {
    const auto session = regression();
    session->trainStep(feeds_);
    const std::vector<float> once = numbers(session->state().parameter("w").gradient);
    session->trainStep(feeds_);
    const std::vector<float> twice = numbers(session->state().parameter("w").gradient);
    for (size_t i = 0; i < once.size(); ++i) QCOMPARE(twice[i], 2 * once[i]);
    session->lazyResetGrad();
    QCOMPARE(numbers(session->state().parameter("w").gradient), twice);
    session->trainStep(feeds_);
    QCOMPARE(numbers(session->state().parameter("w").gradient), once);
}

void SessionTest::anOptimizerStepKeepsTheGradients() {
    const auto session = regression();
    session->trainStep(feeds_);
    const std::vector<float> gradient = numbers(session->state().parameter("w").gradient);
    session->optimizerStep();
    QCOMPARE(numbers(session->state().parameter("w").gradient), gradient);
    QCOMPARE(session->state().optimizerState().step, int64_t{1});
}

void SessionTest::threadsDoNotChangeABit_data() {
    QTest::addColumn<QString>("model");
    for (const char* name : {"mlp", "lenet", "resnet", "mobilenet"}) QTest::newRow(name) << name;
}

void SessionTest::threadsDoNotChangeABit() {
    QFETCH(QString, model);
    const TorchFixture fixture(model.toStdString());
    const auto train = [&](int threads) {
        Artifacts artifacts = generateArtifacts(*fixture.model, *allOps(), {});
        auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        TrainingSession session(std::move(artifacts), state, allOps(), {threads, 0});
        for (int64_t step = 0; step < 3; ++step) {
            session.trainStep(feedsOf(session, fixture.data, step));
            session.optimizerStep();
            session.lazyResetGrad();
        }
        return numbers(session.toBuffer(false));
    };
    const std::vector<float> expected = train(1);
    QVERIFY(train(2) == expected);
    QVERIFY(train(5) == expected);
}

void SessionTest::aSmallerBatchTrainsToo() {
    const auto session = regression();
    session->trainStep(feeds_);
    const std::vector<Tensor> last = {Tensor::of<float>({1, 3}, {1, 2, 3}),
                                      Tensor::of<float>({1, 2}, {1, 0})};
    const double loss = session->trainStep(last)[0].toDouble();
    // y = [-0.8 + 0, 2.4 + 0.1], squares of -1.8 and 2.5, their mean.
    QVERIFY(std::abs(loss - (1.8 * 1.8 + 2.5 * 2.5) / 2) < 1e-5);
}

void SessionTest::aResumedRunIsTheRunItself() {
    const QTemporaryDir folder;
    const auto path = folder.filePath("checkpoint").toStdString();
    const auto step = [&](TrainingSession& session) {
        session.trainStep(feeds_);
        session.optimizerStep();
        session.lazyResetGrad();
    };
    const auto whole = regression();
    for (int i = 0; i < 6; ++i) {
        if (i == 3) whole->state().save(path, true);
        step(*whole);
    }
    const auto resumed = regression();
    auto state = std::make_shared<CheckpointState>(CheckpointState::load(path));
    TrainingSession session(resumed->artifacts(), state, allOps());
    for (int i = 3; i < 6; ++i) step(session);
    QCOMPARE(numbers(session.toBuffer(false)), numbers(whole->toBuffer(false)));
    QCOMPARE(state->optimizerState().step, int64_t{6});
    resumed->state().assign(readCheckpoint(path));
    for (int i = 3; i < 6; ++i) step(*resumed);
    QCOMPARE(numbers(resumed->toBuffer(false)), numbers(whole->toBuffer(false)));
}

void SessionTest::parametersGoThroughABuffer() {
    const auto session = regression();
    QCOMPARE(session->parametersSize(false), int64_t{8});
    Tensor buffer = session->toBuffer(true);
    QCOMPARE(numbers(buffer).front(), 0.1F);
    buffer.mutableValues<float>()[7] = 9;
    session->fromBuffer(buffer, true);
    QCOMPARE(numbers(session->state().parameter("b").data)[1], 9.0F);
    QVERIFY_EXCEPTION_THROWN(session->fromBuffer(Tensor(DType::Float32, {7}), true), Error);
}

void SessionTest::clippingScalesAllGradients() {
    const auto session = regression();
    session->trainStep(feeds_);
    const double norm = session->gradientNorm();
    double sum = 0;
    for (const Parameter& parameter : session->state().parameters()) {
        for (const float g : numbers(parameter.gradient)) sum += static_cast<double>(g) * g;
    }
    QVERIFY(std::abs(norm - std::sqrt(sum)) < 1e-12);
    session->scaleGradients(static_cast<float>(0.5 / norm));
    QVERIFY(std::abs(session->gradientNorm() - 0.5) < 1e-6);
}

void SessionTest::theLinearScheduleIsOrts_data() {
    QTest::addColumn<int>("warmup");
    QTest::addColumn<bool>("restored");
    for (const int warmup : {0, 30, 70, 200}) {
        QTest::addRow("warm-up %d", warmup) << warmup << false;
        QTest::addRow("warm-up %d, restored", warmup) << warmup << true;
    }
}

void SessionTest::theLinearScheduleIsOrts() {
    QFETCH(int, warmup);
    QFETCH(bool, restored);
    const QString name = QString("warmup_linear_scheduler_warmupstep-%1%2.json")
                             .arg(warmup)
                             .arg(restored ? "_restored" : "");
    QFile file(QString::fromStdString((conformanceFolder() / "ort/lr_scheduler").string()) + "/" +
               name);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonArray expected = QJsonDocument::fromJson(file.readAll()).array();
    QVERIFY(expected.size() > 10);
    const auto session = regression();
    session->registerLinearLrSchedule(warmup, 100, 1e-3F);
    QCOMPARE(session->learningRate(), 1e-3F);
    for (const QJsonValue& entry : expected) {
        session->state().optimizerState().step = entry[0].toInt();
        session->schedulerStep();
        const double rate = entry[1][0].toDouble();
        QVERIFY2(std::abs(session->learningRate() - rate) <= 1e-9, qPrintable(name));
    }
}

void SessionTest::aScheduleHasToBeRegistered() {
    QVERIFY_EXCEPTION_THROWN(regression()->schedulerStep(), Error);
}

void SessionTest::exportedModelsNeedNoTargets() {
    const auto session = regression();
    const QTemporaryDir folder;
    const std::string path = folder.filePath("model.onnx").toStdString();
    session->exportModelForInferencing(path, {"y"});
    const std::shared_ptr<const Graph> graph = loadModel(path);
    QCOMPARE(namesOf(graph->inputs()), std::vector<std::string>{"x"});
    ThreadPool pool(1);
    GraphRunner runner(graph, allOps()->catalog, allOps()->cpuKernels, std::make_shared<Arena>(),
                       pool);
    const std::vector<float> exported = numbers(runner.run({&feeds_[0], 1})[0]);
    QCOMPARE(exported, numbers(session->evaluate(feeds_, {"y"})[0]));
    QVERIFY_EXCEPTION_THROWN(session->exportModelForInferencing(path, {"z"}), Error);
    QVERIFY_EXCEPTION_THROWN(session->exportModelForInferencing(path, {}), Error);
}

void SessionTest::anyValueOfTheEvalModelCanBeComputed() {
    const auto session = regression();
    const std::vector<Tensor> withoutTarget = {feeds_[0], Tensor()};
    QCOMPARE(session->evaluate(withoutTarget, {"h"})[0].shape(), (Shape{4, 2}));
}

void SessionTest::infinityIsTracedToItsNode() {
    const auto session = regression();
    session->trainStep(feeds_);
    QCOMPARE(session->findNonFinite(feeds_), std::string());
    session->state().parameter("b").data.mutableValues<float>()[0] = 1e30F;
    const double loss = session->trainStep(feeds_)[0].toDouble();
    QVERIFY(!std::isfinite(loss));
    QVERIFY(session->findNonFinite(feeds_).find("Pow") != std::string::npos);
}

void SessionTest::wrongFeedsAreNamed_data() {
    QTest::addColumn<int>("feed");
    QTest::addColumn<QString>("message");
    QTest::newRow("a wrong rank") << 0
                                  << "Input 'x' is float32[4]; the model expects float32[N, 3]";
    QTest::newRow("a wrong size") << 1
                                  << "Input 'x' is float32[4, 2]; the model expects float32[N, 3]";
    QTest::newRow("a wrong element type")
        << 2 << "Input 'x' is int64[4, 3]; the model expects float32[N, 3]";
    QTest::newRow("too few") << 3 << "takes 2 inputs (x, target); found 1";
}

void SessionTest::wrongFeedsAreNamed() {
    QFETCH(int, feed);
    QFETCH(QString, message);
    const std::vector<std::vector<Tensor>> feeds = {{Tensor(DType::Float32, {4}), feeds_[1]},
                                                    {Tensor(DType::Float32, {4, 2}), feeds_[1]},
                                                    {Tensor(DType::Int64, {4, 3}), feeds_[1]},
                                                    {feeds_[0]}};
    try {
        regression()->trainStep(feeds[static_cast<size_t>(feed)]);
        QFAIL("no error");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(message), error.what());
    }
}

void SessionTest::modelsOfEveryOpsetTrain_data() {
    QTest::addColumn<int>("opset");
    QTest::addColumn<QString>("loss");
    for (int opset = 9; opset <= 21; ++opset) {
        QTest::addRow("opset %d, mse", opset) << opset << "mse";
        QTest::addRow("opset %d, cross entropy", opset) << opset << "cross-entropy";
    }
}

void SessionTest::modelsOfEveryOpsetTrain() {
    QFETCH(int, opset);
    QFETCH(QString, loss);
    const auto model = parseText(kRegression);
    model->info().opsetImports[""] = opset;
    ArtifactSpec spec;
    spec.loss = {loss.toStdString(), {}};
    Artifacts artifacts = generateArtifacts(*model, *allOps(), spec);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps(), {1, 0});
    session.setLearningRate(0.05F);
    const std::vector<Tensor> feeds = {
        feeds_[0], loss == "mse" ? feeds_[1] : Tensor::of<int64_t>({4}, {0, 1, 1, 0})};
    const double first = session.trainStep(feeds)[0].toDouble();
    for (int i = 0; i < 20; ++i) {
        session.optimizerStep();
        session.lazyResetGrad();
        session.trainStep(feeds);
    }
    QVERIFY(session.evalStep(feeds)[0].toDouble() < 0.8 * first);
}

void SessionTest::artifactsThatDoNotBelongTogetherAreRefused() {
    const auto session = regression();
    CheckpointFile other;
    other.trainable.push_back({"stranger", Tensor(DType::Float32, {2})});
    auto state = std::make_shared<CheckpointState>(other);
    try {
        const TrainingSession wrong(session->artifacts(), state, allOps());
        QFAIL("no error");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("stranger"), error.what());
    }
}

void SessionTest::checkpointsOfOtherModelsAreRefused() {
    const auto session = regression();
    CheckpointFile other;
    other.trainable.push_back({"w", Tensor(DType::Float32, {3, 2})});
    other.trainable.push_back({"stranger", Tensor(DType::Float32, {2})});
    try {
        session->state().assign(other);
        QFAIL("no error");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("lacks b"), error.what());
        QVERIFY2(QString(error.what()).contains("stranger"), error.what());
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::SessionTest)
#include "session_test.moc"
