// SPDX-License-Identifier: Apache-2.0
// Evaluations that ranks share out: threads of this process, each with a session of its own.
#include <QTest>
#include <algorithm>

#include "engine/training/evaluation/evaluation.h"
#include "tests/engine/distributed/local_ranks.h"
#include "tests/engine/distributed/wrapped_transport.h"
#include "tests/engine/training/lesson_run.h"

namespace temper::test {

namespace {

using Metrics = std::vector<std::string>;

constexpr int kRanks = 4;
constexpr Patience kPatience{std::chrono::seconds(60), std::chrono::seconds(60)};

Evaluation evaluated(const std::string& lesson, int64_t batchSize, const Metrics& metrics,
                     Group& group) {
    const LessonRun run(lesson);
    return evaluateTogether(*run.session, *run.data.evaluation, run.data.binding, batchSize,
                            metrics, group);
}

/// What a rank is receiving.
struct Incoming {
    size_t bytes = 0;
    size_t most = 0;  ///< at the same time
};

class CountedTransfer final : public Transfer {
public:
    CountedTransfer(std::unique_ptr<Transfer> transfer, size_t bytes, Incoming& incoming)
        : transfer_(std::move(transfer)), bytes_(bytes), incoming_(incoming) {
        incoming_.bytes += bytes_;
        incoming_.most = std::max(incoming_.most, incoming_.bytes);
    }
    ~CountedTransfer() override { incoming_.bytes -= bytes_; }
    CountedTransfer(const CountedTransfer&) = delete;
    CountedTransfer& operator=(const CountedTransfer&) = delete;

    bool isDone() override { return transfer_->isDone(); }

private:
    std::unique_ptr<Transfer> transfer_;
    size_t bytes_;
    Incoming& incoming_;
};

class CountingTransport final : public WrappedTransport {
public:
    CountingTransport(std::unique_ptr<Transport> transport, Incoming& incoming)
        : WrappedTransport(std::move(transport)), incoming_(incoming) {}

    std::unique_ptr<Transfer> receive(int from, int channel, std::span<std::byte> data) override {
        return std::make_unique<CountedTransfer>(WrappedTransport::receive(from, channel, data),
                                                 data.size(), incoming_);
    }

private:
    Incoming& incoming_;
};

}  // namespace

class EvaluationRanksTest : public QObject {
    Q_OBJECT

private slots:
    void theBitsAreThoseOfOneRank_data() {
        QTest::addColumn<std::string>("lesson");
        QTest::addColumn<Metrics>("metrics");
        QTest::newRow("classes") << std::string("digits") << Metrics{};
        QTest::newRow("classes, the loss only") << std::string("iris") << Metrics{"loss"};
        QTest::newRow("numbers") << std::string("sine") << Metrics{"mae", "rmse"};
        QTest::newRow("numbers, the loss only") << std::string("sine") << Metrics{"loss"};
    }
    void theBitsAreThoseOfOneRank() {
        QFETCH(std::string, lesson);
        QFETCH(Metrics, metrics);
        constexpr int64_t kBatch = 7;  // the last batch is smaller
        const LessonRun run(lesson);
        const Evaluation one =
            evaluateDataset(*run.session, *run.data.evaluation, run.data.binding, kBatch, metrics);
        for (int ranks = 1; ranks <= kRanks; ++ranks) {
            std::vector<Evaluation> all(static_cast<size_t>(ranks));
            const auto errors = runRanks(ranks, [&](Group& group) {
                all[static_cast<size_t>(group.rank())] = evaluated(lesson, kBatch, metrics, group);
            });
            QCOMPARE(errors, noErrors(ranks));
            for (const Evaluation& each : all) {
                QCOMPARE(each.samples, one.samples);
                QVERIFY(each.loss == one.loss);
                QVERIFY(each.metrics == one.metrics);
                QCOMPARE(each.confusion != nullptr, one.confusion != nullptr);
                if (one.confusion) QCOMPARE(each.confusion->counts, one.confusion->counts);
            }
        }
    }

    /// A rank never receives the predictions of two others at the same time.
    void oneBatchCrossesTheNetworkAtATime() {
        constexpr int64_t kBatch = 90;  // each rank has one of the four
        constexpr size_t kBytes = kBatch * (10 * sizeof(float) + sizeof(int64_t));
        Transports transports = makeLocalTransports(kRanks);
        std::vector<Incoming> incoming(kRanks);
        for (size_t i = 0; i < kRanks; ++i)
            transports[i] =
                std::make_unique<CountingTransport>(std::move(transports[i]), incoming[i]);
        const auto errors = runRanks(std::move(transports), kPatience,
                                     [](Group& group) { evaluated("digits", kBatch, {}, group); });
        QCOMPARE(errors, noErrors(kRanks));
        for (const Incoming& each : incoming) {
            QVERIFY2(each.most > kBytes / 2, qPrintable(QString::number(each.most)));
            QVERIFY2(each.most < 2 * kBytes, qPrintable(QString::number(each.most)));
        }
    }

    void predictionsThatNothingNeedsAreNotSent() {
        constexpr int64_t kBatch = 20, kBatches = 4;
        std::vector<int64_t> sent(kRanks);
        const auto errors = runRanks(kRanks, [&](Group& group) {
            evaluated("sine", kBatch, {"loss"}, group);
            sent[static_cast<size_t>(group.rank())] = group.traffic().bytesSent;
        });
        QCOMPARE(errors, noErrors(kRanks));
        // to two ranks at most: a length, the number of samples, the loss, two empty tensors
        for (const int64_t bytes : sent)
            QVERIFY2(0 < bytes && bytes <= kBatches * 2 * 32, qPrintable(QString::number(bytes)));
    }
};

}  // namespace temper::test

QTEST_APPLESS_MAIN(temper::test::EvaluationRanksTest)
#include "evaluation_ranks_test.moc"
