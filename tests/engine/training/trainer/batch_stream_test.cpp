// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/batch_stream.h"

#include <QTest>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "engine/core/interruption.h"
#include "engine/data/batch_loader.h"
#include "engine/training/trainer/stream_loader.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Parts of a data set, in an order of one's own for each pass.
class PartStream : public BatchStream {
public:
    using Order = std::function<std::vector<int64_t>(int64_t epoch)>;

    PartStream(std::shared_ptr<const Dataset> data, int64_t size, Order order)
        : data_(std::move(data)), size_(size), order_(std::move(order)) {}

    std::optional<int64_t> batchesPerEpoch() const override { return length; }
    int64_t samplesPerEpoch() const override { return length ? data_->size() : 0; }

    void begin(int64_t epoch) override {
        left_ = order_(epoch);
        ++passes;
    }

    std::shared_ptr<const Dataset> next() override {
        const auto count = std::min<std::ptrdiff_t>(size_, std::ssize(left_));
        if (count == 0) return nullptr;
        std::vector<int64_t> part(left_.begin(), left_.begin() + count);
        left_.erase(left_.begin(), left_.begin() + count);
        return subset(data_, std::move(part));
    }

    std::optional<int64_t> length;
    int passes = 0;

private:
    std::shared_ptr<const Dataset> data_;
    std::ptrdiff_t size_;
    Order order_;
    std::vector<int64_t> left_;
};

/// Waits with its second batch until it is released.
class SlowStream : public PartStream {
public:
    using PartStream::PartStream;

    std::shared_ptr<const Dataset> next() override {
        if (taken_++ > 0) {
            std::unique_lock lock(mutex_);
            released_.wait(lock, [this] { return isReleased_; });
        }
        return PartStream::next();
    }

    void release() {
        const std::lock_guard lock(mutex_);
        isReleased_ = true;
        released_.notify_all();
    }

private:
    int taken_ = 0;
    std::mutex mutex_;
    std::condition_variable released_;
    bool isReleased_ = false;
};

/// Is released by those who wait for it.
class AwaitedStream : public SlowStream {
public:
    using SlowStream::SlowStream;

    void awaited() override {
        ++calls;
        release();
    }

    std::atomic<int> calls = 0;
};

/// A run of iris over a stream of its samples, which the data set would give in the same order.
struct StreamRun : LessonRun {
    explicit StreamRun(bool knowsLength, int64_t size = 16) : LessonRun("iris") {
        spec.epochs = 3;
        stream = std::make_shared<PartStream>(data.training, size, [this](int64_t epoch) {
            return epochOrder(whole->size(), spec.session.seed, epoch);
        });
        if (knowsLength) stream->length = (whole->size() + size - 1) / size;
        data.stream = stream;
    }

    std::shared_ptr<const Dataset> whole = data.training;
    std::shared_ptr<PartStream> stream;
};

std::vector<double> lossesOf(const LessonRun& run) {
    std::vector<double> losses;
    for (const StepEvent& step : run.all<StepEvent>()) losses.push_back(step.loss);
    for (const EvalEvent& evaluation : run.all<EvalEvent>()) losses.push_back(evaluation.loss);
    return losses;
}

}  // namespace

class BatchStreamTest : public QObject {
    Q_OBJECT

private slots:
    void aStreamInTheOrderOfTheDataSetGivesTheSameRun_data() {
        QTest::addColumn<bool>("knowsLength");
        QTest::addColumn<int>("accumulate");
        QTest::newRow("known length") << true << 1;
        QTest::newRow("unknown length") << false << 1;
        QTest::newRow("accumulated") << true << 3;
        QTest::newRow("accumulated, unknown length") << false << 3;
    }

    void aStreamInTheOrderOfTheDataSetGivesTheSameRun() {
        QFETCH(const bool, knowsLength);
        QFETCH(const int, accumulate);
        LessonRun expected("iris");
        expected.spec.epochs = 3;
        expected.spec.batchSize = 16;
        expected.spec.accumulate = accumulate;
        expected.spec.schedule = {"constant", {}};
        StreamRun run(knowsLength);
        run.spec.accumulate = accumulate;
        run.spec.schedule = {"constant", {}};
        QCOMPARE(expected.run(), RunOutcome::Finished);
        QCOMPARE(run.run(), RunOutcome::Finished);
        QCOMPARE(lossesOf(run), lossesOf(expected));
        QCOMPARE(run.all<EpochEvent>().size(), size_t{3});
        QCOMPARE(run.stream->passes, 3);
        const StartedEvent started = run.all<StartedEvent>().at(0);
        QCOMPARE(started.totalSteps, knowsLength ? expected.all<StartedEvent>()[0].totalSteps : 0);
        QCOMPARE(started.trainSamples, int64_t{knowsLength ? 120 : 0});
    }

    void aPassMayHaveMoreOrFewerBatchesThanItSaid_data() {
        QTest::addColumn<int>("said");
        QTest::newRow("more") << 5;
        QTest::newRow("fewer") << 20;
    }

    void aPassMayHaveMoreOrFewerBatchesThanItSaid() {
        QFETCH(const int, said);
        StreamRun run(false);
        run.stream->length = said;
        QCOMPARE(run.run(), RunOutcome::Finished);
        QCOMPARE(run.all<StepEvent>().size(), size_t{3 * 8});
        const std::vector<EpochEvent> epochs = run.all<EpochEvent>();
        QCOMPARE(epochs.size(), size_t{3});
        QCOMPARE(epochs[1].step, int64_t{16});
        QCOMPARE(run.all<StepEvent>().back().epoch, 3.0);
    }

    void aRunContinuesWithinAnEpoch() {
        StreamRun whole(true);
        QCOMPARE(whole.run(), RunOutcome::Finished);
        StreamRun half(true);
        half.onEvent = [&](const RunEvent& event) {
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step != nullptr && step->step == 11) half.control.stop();
        };
        QCOMPARE(half.run(), RunOutcome::Stopped);
        half.onEvent = {};
        RunControl control;
        QCOMPARE(half.run(control), RunOutcome::Finished);
        const std::vector<StepEvent> steps = half.all<StepEvent>();
        const std::vector<StepEvent> expected = whole.all<StepEvent>();
        QCOMPARE(steps.size(), expected.size());
        for (size_t i = 0; i < steps.size(); ++i) QCOMPARE(steps[i].loss, expected[i].loss);
        QCOMPARE(steps[12].epoch, expected[12].epoch);
    }

    void stepsEndARunWithinAPass() {
        StreamRun run(false);
        run.spec.steps = 10;
        run.spec.schedule = {"cosine", {}};
        QCOMPARE(run.run(), RunOutcome::Finished);
        QCOMPARE(run.all<StepEvent>().size(), size_t{10});
    }

    void aScheduleThatDependsOnAnUnknownLengthIsRefused() {
        StreamRun run(false);
        run.spec.schedule = {"cosine", {}};
        QCOMPARE(run.run(), RunOutcome::Failed);
        QVERIFY(run.all<EndEvent>()[0].message.starts_with(
            "The schedule 'cosine' depends on the number of steps, which is unknown"));
    }

    void aPassWithoutBatchesIsAnError() {
        StreamRun run(false);
        run.data.stream = std::make_shared<PartStream>(run.whole, 16, [&](int64_t epoch) {
            return epoch == 0 ? epochOrder(run.whole->size(), 0, 0) : std::vector<int64_t>();
        });
        QCOMPARE(run.run(), RunOutcome::Failed);
        QCOMPARE(run.all<EndEvent>()[0].message,
                 std::string("The data has no batches in epoch 2."));
        QCOMPARE(run.all<StepEvent>().size(), size_t{8});
    }

    void theLoaderIsInterruptedWhileItWaits() {
        const LessonRun run("iris");
        const auto slow = std::make_shared<SlowStream>(
            run.data.training, 16, [&](int64_t) { return epochOrder(120, 0, 0); });
        StreamLoader loader(slow, [](const Dataset&) { return std::vector<BatchField>{}; }, {});
        {
            const InterruptionScope interruption([] { return true; });
            QVERIFY_THROWS_EXCEPTION(Interrupted, loader.next());
        }
        slow->release();
        const std::optional<Batch> batch = loader.next();
        QVERIFY(batch && batch->size == 16 && !batch->endsEpoch);
    }

    void aStreamLearnsThatItsBatchIsAwaited_data() {
        QTest::addColumn<bool>("isTaken");
        QTest::newRow("by the run") << true;
        QTest::newRow("by the end of the run") << false;
    }

    void aStreamLearnsThatItsBatchIsAwaited() {
        QFETCH(const bool, isTaken);
        const LessonRun run("iris");
        const auto stream = std::make_shared<AwaitedStream>(
            run.data.training, 16, [](int64_t) { return epochOrder(120, 0, 0); });
        {
            StreamLoader loader(stream, [](const Dataset&) { return std::vector<BatchField>{}; },
                                {});
            if (isTaken) QCOMPARE(loader.next()->size, int64_t{16});
        }
        QVERIFY(stream->calls > 0);
    }
};

QTEST_APPLESS_MAIN(BatchStreamTest)
#include "batch_stream_test.moc"
