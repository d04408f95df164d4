// SPDX-License-Identifier: Apache-2.0
#include "engine/training/rehearsal/rehearsal.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "engine/core/random.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/rehearsal/largest_batch.h"
#include "tests/engine/training/lesson_run.h"

namespace temper::test {

/// Steps that leave no trace: a run's needs, and the rate that it tolerates.
class RehearsalTest : public QObject {
    Q_OBJECT

private slots:
    void theEstimateIsThatOfTheRun();
    void nothingChanges();
    void ratesGrowByEqualFactors();
    void theSuggestedRateTrains_data();
    void theSuggestedRateTrains();
    void theSuggestedRateLearnsWhatTheLessonLearns_data();
    void theSuggestedRateLearnsWhatTheLessonLearns();
    void aSearchEndsIfItDivergesOrIsCancelled();
    void noiseBeforeTheFallIsNotAFall();
    void theSteepestFallIsSuggested_data();
    void theSteepestFallIsSuggested();
    void optionsThatMakeNoSenseAreRefused();
    void thePlannedMemoryIsThatOfTheSession_data();
    void thePlannedMemoryIsThatOfTheSession();
    void theLargestBatchFitsAndTheNextOneDoesNot_data();
    void theLargestBatchFitsAndTheNextOneDoesNot();
    void aSearchForABatchCanBeCancelled();
    void oneBatchIsLearnedByHeart_data();
    void oneBatchIsLearnedByHeart();
    void oneBatchIsNotLearnedIfNothingFits();
    void gradientsOfARunAgreeWithDifferences();
    void gradientsStraightThroughAgreeIfTheChoiceIsGiven();

private:
    static std::shared_ptr<const OpSet> ops() {
        static const auto kOps = std::make_shared<const OpSet>(standardOps());
        return kOps;
    }
};

void RehearsalTest::theEstimateIsThatOfTheRun() {
    LessonRun lesson("digits");
    lesson.spec.session.threads = 1;
    lesson.spec.steps = 30;
    const RunEstimate estimate = estimateRun(lesson.artifacts, ops(), lesson.data, lesson.spec);
    QCOMPARE(estimate.totalSteps, int64_t{30});
    RunSpec epochs = lesson.spec;
    epochs.steps = 0;
    epochs.epochs = 2;
    const int64_t samples = lesson.data.training->size(), batch = epochs.batchSize;
    QVERIFY(samples % batch != 0);
    QCOMPARE(estimateRun(lesson.artifacts, ops(), lesson.data, epochs).totalSteps,
             2 * (samples / batch + 1));
    QVERIFY(estimate.stepSeconds > 0);
    QCOMPARE(estimate.totalSeconds(), 30 * estimate.stepSeconds);
    lesson.spec.evaluateEvery = 1000;
    QVERIFY(lesson.run() == RunOutcome::Finished);
    // The last batch of an epoch and an evaluation have their own plans, but smaller ones.
    QCOMPARE(estimate.memory.arenaBytes, lesson.session->memoryUse().arenaBytes);
    QCOMPARE(estimate.memory.parameterBytes, lesson.session->memoryUse().parameterBytes);
}

void RehearsalTest::nothingChanges() {
    const LessonRun lesson("iris");
    const Tensor before = lesson.session->toBuffer(false).clone();
    const Tensor first = lesson.artifacts.checkpoint.trainable.front().data.clone();
    findLearningRate(lesson.artifacts, ops(), lesson.data, lesson.spec);
    const Tensor after = lesson.session->toBuffer(false);
    QVERIFY(std::memcmp(before.data(), after.data(), before.byteSize()) == 0);
    const Tensor& kept = lesson.artifacts.checkpoint.trainable.front().data;
    QVERIFY(std::memcmp(first.data(), kept.data(), kept.byteSize()) == 0);
}

void RehearsalTest::ratesGrowByEqualFactors() {
    const LessonRun lesson("iris");
    const LrRangeOptions options{.lowest = 1e-4, .highest = 1e-1, .steps = 31, .divergence = 1000};
    const LrRange range =
        findLearningRate(lesson.artifacts, ops(), lesson.data, lesson.spec, options);
    QCOMPARE(range.points.size(), size_t{31});
    QCOMPARE(range.points.front().rate, 1e-4);
    QVERIFY(std::abs(range.points.back().rate - 1e-1) < 1e-12);
    for (size_t i = 1; i < range.points.size(); ++i) {
        const double factor = range.points[i].rate / range.points[i - 1].rate;
        QVERIFY(std::abs(factor - std::pow(10, 0.1)) < 1e-9);
    }
    const LrRange again =
        findLearningRate(lesson.artifacts, ops(), lesson.data, lesson.spec, options);
    for (size_t i = 0; i < range.points.size(); ++i) {
        QCOMPARE(again.points[i].loss, range.points[i].loss);
    }
}

void RehearsalTest::theSuggestedRateTrains_data() {
    QTest::addColumn<QString>("lesson");
    for (const char* lesson : {"digits", "iris", "spirals", "exploding"})
        QTest::newRow(lesson) << lesson;
}

/// A run at the suggested rate ends with a clearly smaller loss than it began with.
void RehearsalTest::theSuggestedRateTrains() {
    QFETCH(QString, lesson);
    LessonRun run(lesson.toStdString());
    const LrRange range = findLearningRate(run.artifacts, ops(), run.data, run.spec);
    QVERIFY2(range.suggested > 1e-6 && range.suggested < 1,
             qPrintable(QString::number(range.suggested)));
    run.spec.learningRate = range.suggested;
    run.spec.schedule = {"constant", {}};
    run.spec.steps = 150;
    QVERIFY(run.run() == RunOutcome::Finished);
    const auto steps = run.all<StepEvent>();
    QVERIFY2(steps.back().loss < 0.7 * steps.front().loss, qPrintable(QString("%1 -> %2 at %3")
                                                                          .arg(steps.front().loss)
                                                                          .arg(steps.back().loss)
                                                                          .arg(range.suggested)));
}

void RehearsalTest::theSuggestedRateLearnsWhatTheLessonLearns_data() {
    QTest::addColumn<QString>("lesson");
    for (const Lesson& lesson : bundledLessons()) {
        // What is broken on purpose does not train with its own settings.
        if (!lesson.mended)
            QTest::newRow(lesson.name.c_str()) << QString::fromStdString(lesson.name);
    }
}

/// By at least nine tenths of what the loss falls at the lesson's own rate, in the same steps.
void RehearsalTest::theSuggestedRateLearnsWhatTheLessonLearns() {
    QFETCH(QString, lesson);
    const auto fallOf = [](LessonRun& run) {
        run.run();
        const std::vector<double> losses = run.losses();
        const std::span<const double> end = std::span(losses).last(losses.size() / 10);
        return losses.front() -
               std::accumulate(end.begin(), end.end(), 0.0) / static_cast<double>(end.size());
    };
    LessonRun own(lesson.toStdString()), found(lesson.toStdString());
    found.spec.learningRate =
        findLearningRate(found.artifacts, ops(), found.data, found.spec).suggested;
    const double wanted = fallOf(own), reached = fallOf(found);
    QVERIFY2(reached >= 0.9 * wanted, qPrintable(QString("%1 at %2, %3 at %4")
                                                     .arg(wanted)
                                                     .arg(own.spec.learningRate)
                                                     .arg(reached)
                                                     .arg(found.spec.learningRate)));
}

void RehearsalTest::aSearchEndsIfItDivergesOrIsCancelled() {
    const LessonRun lesson("digits");
    const LrRange diverged =
        findLearningRate(lesson.artifacts, ops(), lesson.data, lesson.spec,
                         {.lowest = 1e-3, .highest = 1e4, .steps = 100, .divergence = 2});
    QVERIFY(diverged.points.size() < 100);
    int asked = 0;
    const LrRange told = findLearningRate(lesson.artifacts, ops(), lesson.data, lesson.spec, {},
                                          [&](const LrRangePoint&) { return ++asked < 3; });
    QCOMPARE(told.points.size(), size_t{3});
    QCOMPARE(told.suggested, 0.0);
}

void RehearsalTest::oneBatchIsLearnedByHeart_data() {
    QTest::addColumn<QString>("lesson");
    for (const char* lesson : {"digits", "iris", "xor"}) QTest::newRow(lesson) << lesson;
}

/// The losses equal those of a trainer that sees one batch in every step.
void RehearsalTest::oneBatchIsLearnedByHeart() {
    QFETCH(QString, lesson);
    LessonRun run(lesson.toStdString());
    run.spec.learningRate = 0.01;
    run.spec.schedule = {"constant", {}};
    run.spec.clipNorm = run.spec.clipValue = 0;
    const auto before = run.state->parameters().front().data.clone();
    const OneBatch learned =
        learnOneBatch(run.artifacts, ops(), run.data, run.spec, {.steps = 1000});
    QVERIFY2(learned.isLearned, qPrintable(QString::number(learned.reached())));
    QVERIFY(learned.reached() <= 0.1);
    QVERIFY(learned.losses.back() <= 0.1 * learned.losses.front());
    // Nothing else changed.
    const Tensor& after = run.state->parameters().front().data;
    QVERIFY(std::memcmp(before.data(), after.data(), before.byteSize()) == 0);
}

void RehearsalTest::oneBatchIsNotLearnedIfNothingFits() {
    LessonRun run("digits");
    run.spec.learningRate = 1e-9;
    const OneBatch slow = learnOneBatch(run.artifacts, ops(), run.data, run.spec, {.steps = 20});
    QCOMPARE(slow.losses.size(), size_t{20});
    QVERIFY(!slow.isLearned);
    QVERIFY(slow.reached() > 0.99);
    run.spec.learningRate = 1e30;  // the second loss is NaN
    const OneBatch wild = learnOneBatch(run.artifacts, ops(), run.data, run.spec);
    QVERIFY(!wild.isLearned);
    QVERIFY(wild.losses.size() < 10);
    int asked = 0;
    const OneBatch told = learnOneBatch(run.artifacts, ops(), run.data, run.spec, {},
                                        [&](double) { return ++asked < 1; });
    QCOMPARE(told.losses.size(), size_t{1});
    for (const OneBatchOptions& wrong : {OneBatchOptions{0, 0.1}, OneBatchOptions{10, 1.0}})
        QVERIFY_THROWS_EXCEPTION(Error,
                                 learnOneBatch(run.artifacts, ops(), run.data, run.spec, wrong));
}

void RehearsalTest::gradientsOfARunAgreeWithDifferences() {
    LessonRun run("iris");
    run.spec.session.precision = Precision::BFloat16;  // is not checked
    size_t asked = 0;
    const auto checks =
        checkGradientsOfRun(run.artifacts, ops(), run.data, run.spec, {},
                            [&](size_t done, size_t all) { return done == asked++ && all > 1; });
    QVERIFY(checks.size() > 1);
    QCOMPARE(checks.size(), asked);
    QVERIFY2(checks.front().maxRelativeError < 1e-3, checks.front().name.c_str());
    const auto one = checkGradientsOfRun(run.artifacts, ops(), run.data, run.spec, {},
                                         [](size_t done, size_t) { return done < 1; });
    QCOMPARE(one.size(), size_t{1});
}

/// A rounded value, whose own slope is zero: the differences follow the choice.
void RehearsalTest::gradientsStraightThroughAgreeIfTheChoiceIsGiven() {
    const auto model = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        rounded (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1, 2, -1.5, 0.7}> {
            h = MatMul(x, w)  r = Round(h)  y = Mul(r, r) })");
    inferTypes(*model, ops()->catalog);
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.straightThrough = {"Round"};
    const ArtifactPlan plan = planArtifacts(*model, *ops(), spec);
    const Artifacts artifacts = generateArtifacts(*model, *ops(), spec, plan);
    std::vector<Column> columns(2);
    columns[0].name = "x";
    columns[1].name = "target";
    const auto data = std::make_shared<TensorDataset>(
        columns, std::vector{Tensor::of<float>({2, 2}, {0.9F, -1.2F, 2.3F, 0.4F}),
                             Tensor::of<float>({2, 2}, {1, 0, 0, 1})});
    const TrainerData feeds{data, nullptr, {{"x", "x"}, {"target", "target"}}};
    const auto worst = [&](const GradientChoices& choices) {
        return checkGradientsOfRun(artifacts, ops(), feeds, {}, choices).front().maxRelativeError;
    };
    QVERIFY(worst({plan.straightThrough, plan.stopGradient}) < 1e-3);
    QVERIFY(worst({}) > 0.5);
}

void RehearsalTest::theSteepestFallIsSuggested_data() {
    QTest::addColumn<double>("steepestAt");
    for (const double at : {1e-4, 1e-3, 1e-2}) QTest::addRow("%g", at) << at;
}

/// Losses differ between batches before the rate has any effect.
void RehearsalTest::noiseBeforeTheFallIsNotAFall() {
    std::vector<LrRangePoint> points;
    double sum = 0, weight = 0;
    Random random(7);
    for (int i = 0; i < 100; ++i) {
        const double rate = 1e-7 * std::pow(1e8, i / 99.0);
        const double noise = 0.3 * (2 * static_cast<double>(random.uniform()) - 1);
        const double loss = 1 + 2 / (1 + std::exp(2 * std::log(rate / 1e-3))) + noise;
        sum = 0.9 * sum + 0.1 * loss;
        weight = 0.9 * weight + 0.1;
        points.push_back({rate, loss, sum / weight});
    }
    const double found = suggestedRate(points);
    QVERIFY2(found > 2e-4 && found < 2e-2, qPrintable(QString::number(found)));
}

/// A logistic fall over the logarithm of the rate is steepest in its middle.
void RehearsalTest::theSteepestFallIsSuggested() {
    QFETCH(double, steepestAt);
    std::vector<LrRangePoint> points;
    for (int i = 0; i < 100; ++i) {
        const double rate = 1e-7 * std::pow(1e8, i / 99.0);
        const double loss = 1 / (1 + std::exp(2 * std::log(rate / steepestAt)));
        points.push_back({rate, loss, loss});
    }
    const double found = suggestedRate(points);
    QVERIFY2(std::abs(std::log(found / steepestAt)) < 0.2, qPrintable(QString::number(found)));
    for (LrRangePoint& point : points) point.smoothed = -point.smoothed;
    QCOMPARE(suggestedRate(points), 0.0);  // it only rises
    QCOMPARE(suggestedRate({}), 0.0);
}

void RehearsalTest::optionsThatMakeNoSenseAreRefused() {
    const LessonRun lesson("iris");
    for (const LrRangeOptions& options :
         {LrRangeOptions{.lowest = 0}, LrRangeOptions{.lowest = 1, .highest = 0.1},
          LrRangeOptions{.steps = 1}, LrRangeOptions{.divergence = 1}}) {
        QVERIFY_THROWS_EXCEPTION(
            Error, findLearningRate(lesson.artifacts, ops(), lesson.data, lesson.spec, options));
    }
}

void RehearsalTest::thePlannedMemoryIsThatOfTheSession_data() {
    QTest::addColumn<QString>("lesson");
    QTest::addColumn<int>("batch");
    QTest::addColumn<double>("share");
    QTest::addColumn<QString>("precision");
    for (const int batch : {1, 7, 64})
        QTest::addRow("digits, %d", batch) << "digits" << batch << 1.0 << "fp32";
    QTest::newRow("iris") << "iris" << 16 << 1.0 << "fp32";
    QTest::newRow("computed again") << "digits" << 32 << 0.5 << "fp32";
    QTest::newRow("half precision") << "digits" << 32 << 1.0 << "bf16";
}

/// Without a step, the same figures as those of a session after some steps.
void RehearsalTest::thePlannedMemoryIsThatOfTheSession() {
    QFETCH(QString, lesson);
    QFETCH(int, batch);
    QFETCH(double, share);
    QFETCH(QString, precision);
    LessonRun run(lesson.toStdString());
    run.spec.batchSize = batch;
    run.spec.session.memoryShare = share;
    run.spec.session.precision = parsePrecision(precision.toStdString());
    run.spec.session.mayWidenBFloat16 = true;
    const Artifacts& artifacts = run.artifacts;
    const MemoryUse planned = BatchMemory(artifacts, ops(), run.data, run.spec).of(batch);
    const MemoryUse used = estimateRun(artifacts, ops(), run.data, run.spec).memory;
    QCOMPARE(planned.arenaBytes, used.arenaBytes);
    QCOMPARE(planned.activationBytes, used.activationBytes);
    QCOMPARE(planned.parameterBytes, used.parameterBytes);
}

void RehearsalTest::theLargestBatchFitsAndTheNextOneDoesNot_data() {
    QTest::addColumn<int>("wanted");
    for (const int wanted : {0, 1, 2, 3, 63, 64, 65, 300}) QTest::addRow("%d", wanted) << wanted;
    QTest::newRow("all") << -1;
}

/// The limit is one byte less than the next larger batch needs. Memory does not grow with every
/// sample: kernels choose other scratch sizes for round batch sizes, so that a smaller one may be
/// found.
void RehearsalTest::theLargestBatchFitsAndTheNextOneDoesNot() {
    QFETCH(int, wanted);
    const LessonRun run("digits");
    const BatchMemory memory(run.artifacts, ops(), run.data, run.spec);
    const int64_t samples = run.data.training->size();
    const int64_t size = wanted < 0 ? samples : wanted;
    std::vector<int64_t> tried;
    const size_t limit = memory.totalOf(size + 1) - 1;
    const LargestBatch found = findLargestBatch(memory, samples, limit, [&](int64_t each) {
        tried.push_back(each);
        return true;
    });
    QVERIFY(found.batchSize <= size && found.batchSize >= size * 9 / 10);
    QVERIFY(size == 0 || found.bytes <= limit);
    QVERIFY(found.batchSize == samples || memory.totalOf(found.batchSize + 1) > limit);
    QCOMPARE(found.isAllSamples, wanted < 0);
    QCOMPARE(found.bytes, memory.totalOf(std::max<int64_t>(1, found.batchSize)));
    QVERIFY2(tried.size() <= 24, qPrintable(QString::number(tried.size())));
    QVERIFY(*std::ranges::max_element(tried) <= samples);
}

void RehearsalTest::aSearchForABatchCanBeCancelled() {
    const LessonRun run("digits");
    const BatchMemory memory(run.artifacts, ops(), run.data, run.spec);
    const LargestBatch found =
        findLargestBatch(memory, run.data.training->size(), availableMemory(),
                         [](int64_t size) { return size < 8; });
    QVERIFY(found.isCancelled && !found.isAllSamples);
    QCOMPARE(found.batchSize, int64_t{4});
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::RehearsalTest)
#include "rehearsal_test.moc"
