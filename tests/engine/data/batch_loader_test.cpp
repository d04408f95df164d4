// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batch_loader.h"

#include <atomic>
#include <numeric>
#include <set>

#include "tests/engine/data/data_test_support.h"

using namespace temper;
using namespace temper::test;

namespace {

std::shared_ptr<const Dataset> counting(int64_t size) {
    Tensor ids(DType::Int64, {size});
    std::iota(ids.mutableValues<int64_t>().begin(), ids.mutableValues<int64_t>().end(), 0);
    Tensor x(DType::Float32, {size, 2, 2});
    std::iota(x.mutableValues<float>().begin(), x.mutableValues<float>().end(), 0.0F);
    std::vector<Column> columns(2);
    columns[0].name = "id";
    columns[1].name = "x";
    return std::make_shared<TensorDataset>(columns, std::vector<Tensor>{ids, x});
}

/// Fails if sample `bad` is requested.
class FailingDataset : public Dataset {
public:
    FailingDataset(int64_t size, int64_t bad) : data_(counting(size)), bad_(bad) {}
    int64_t size() const override { return data_->size(); }
    const std::vector<Column>& columns() const override { return data_->columns(); }
    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        if (std::find(samples.begin(), samples.end(), bad_) != samples.end()) {
            throw Error(ErrorCode::Io, "Sample " + std::to_string(bad_) + " can't be read.");
        }
        data_->read(column, samples, target);
    }

private:
    std::shared_ptr<const Dataset> data_;
    int64_t bad_;
};

std::vector<std::vector<int64_t>> allBatches(const std::shared_ptr<const Dataset>& data,
                                             const LoaderOptions& options) {
    BatchLoader loader(data, {{"id", DType::Undefined, {}}}, options);
    std::vector<std::vector<int64_t>> batches;
    while (const std::optional<Batch> batch = loader.next()) {
        const std::span<const int64_t> ids = batch->tensors[0].values<int64_t>();
        batches.emplace_back(ids.begin(), ids.end());
    }
    return batches;
}

}  // namespace

class BatchLoaderTest : public QObject {
    Q_OBJECT

private slots:
    void eachEpochGivesEverySampleOnceInItsOwnOrder() {
        const LoaderOptions options = {.batchSize = 4, .seed = 3, .epochs = 3};
        BatchLoader loader(counting(10), {{"id", DType::Undefined, {}}}, options);
        QCOMPARE(batchesPerEpoch(10, options), int64_t{3});
        std::set<std::vector<int64_t>> orders;
        for (int64_t epoch = 0; epoch < 3; ++epoch) {
            std::vector<int64_t> order;
            for (int64_t index = 0; index < 3; ++index) {
                const std::optional<Batch> batch = loader.next();
                QVERIFY(batch.has_value());
                QCOMPARE(batch->epoch, epoch);
                QCOMPARE(batch->index, index);
                QCOMPARE(batch->size, int64_t{index == 2 ? 2 : 4});
                QCOMPARE(batch->endsEpoch, index == 2);
                for (const int64_t id : batch->tensors[0].values<int64_t>()) order.push_back(id);
                QVERIFY(loader.waitSeconds() >= 0);
            }
            QCOMPARE(order, epochOrder(10, 3, epoch));
            orders.insert(order);
            QCOMPARE(std::set<int64_t>(order.begin(), order.end()).size(), size_t{10});
        }
        QCOMPARE(orders.size(), size_t{3});
        QVERIFY(!loader.next().has_value());
        QVERIFY(!loader.next().has_value());
    }

    void theLoaderGivesWhatDirectReadingGives() {
        const auto data = counting(9);
        BatchLoader loader(data,
                           {{"x", DType::Undefined, Shape{4}}, {"id", DType::Float32, Shape{1}}},
                           {.batchSize = 4, .seed = 1, .prefetch = 3});
        const std::vector<int64_t> order = epochOrder(9, 1, 0);
        size_t at = 0;
        while (const std::optional<Batch> batch = loader.next()) {
            QCOMPARE(batch->tensors[0].shape(), (Shape{batch->size, 4}));
            QCOMPARE(batch->tensors[1].shape(), (Shape{batch->size, 1}));
            for (int64_t i = 0; i < batch->size; ++i, ++at) {
                const Tensor sample = data->get(order[at], 1);
                const auto got = batch->tensors[0].values<float>().subspan(size_t(4 * i), 4);
                QVERIFY(std::equal(got.begin(), got.end(), sample.values<float>().begin()));
                QCOMPARE(batch->tensors[1].values<float>()[size_t(i)], float(order[at]));
            }
        }
        QCOMPARE(at, size_t{9});
    }

    void aLoaderThatContinuesGivesTheRestOfTheSameOrder_data() {
        QTest::addColumn<int>("first");
        for (const int first : {0, 1, 3, 4, 7, 12}) {
            QTest::addRow("from batch %d", first) << first;
        }
    }

    void aLoaderThatContinuesGivesTheRestOfTheSameOrder() {
        QFETCH(int, first);
        const auto whole = allBatches(counting(11), {.batchSize = 3, .seed = 5, .epochs = 3});
        QCOMPARE(whole.size(), size_t{12});
        const auto rest =
            allBatches(counting(11), {.batchSize = 3, .seed = 5, .epochs = 3, .firstBatch = first});
        QCOMPARE(rest, (std::vector<std::vector<int64_t>>(whole.begin() + first, whole.end())));
    }

    void withoutShufflingTheOrderIsThatOfTheData() {
        QCOMPARE(allBatches(counting(5), {.batchSize = 2, .shuffle = false}),
                 (std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}, {4}}));
    }

    void samplesThatDoNotFillABatchAreLeftOutOnDemand() {
        QCOMPARE(allBatches(counting(5), {.batchSize = 2, .shuffle = false, .dropLast = true}),
                 (std::vector<std::vector<int64_t>>{{0, 1}, {2, 3}}));
        QVERIFY(errorOf([] {
                    BatchLoader(counting(3), {}, {.batchSize = 4, .dropLast = true});
                }).contains(QStringLiteral("batches of 4")));
    }

    void anErrorReplacesItsBatch() {
        BatchLoader loader(std::make_shared<FailingDataset>(10, 5), {{"id", DType::Undefined, {}}},
                           {.batchSize = 2, .shuffle = false});
        QCOMPARE(loader.next()->tensors[0].values<int64_t>()[0], int64_t{0});
        QCOMPARE(loader.next()->tensors[0].values<int64_t>()[0], int64_t{2});
        QCOMPARE(errorOf([&] { loader.next(); }), QStringLiteral("Sample 5 can't be read."));
        QCOMPARE(errorOf([&] { loader.next(); }), QStringLiteral("Sample 5 can't be read."));
    }

    void aLoaderCanBeDroppedAtAnyTime() {
        for (int taken = 0; taken < 5; ++taken) {
            BatchLoader loader(counting(1000), {{"x", DType::Undefined, {}}},
                               {.batchSize = 7, .epochs = 0});
            for (int i = 0; i < taken; ++i) QVERIFY(loader.next().has_value());
        }
    }

    void whatCanNotBeLoadedIsRefused() {
        QVERIFY(errorOf([] {
                    BatchLoader(counting(0), {}, {});
                }).contains(QStringLiteral("no samples")));
        QVERIFY(errorOf([] {
                    BatchLoader(counting(1), {}, {.batchSize = 0});
                }).contains(QStringLiteral("batch size")));
        BatchLoader loader(counting(1), {{"nothing", DType::Undefined, {}}}, {});
        QVERIFY(errorOf([&] { loader.next(); }).contains(QStringLiteral("'nothing'")));
    }

    void numbersThatDoNotFitTheWantedTypeAreRefused_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<int>("dtype");
        QTest::addColumn<bool>("fits");
        QTest::newRow("3 as int64") << 3.0 << int(DType::Int64) << true;
        QTest::newRow("2.5 as int64") << 2.5 << int(DType::Int64) << false;
        QTest::newRow("1e30 as int64") << 1e30 << int(DType::Int64) << false;
        QTest::newRow("NaN as int32") << std::nan("") << int(DType::Int32) << false;
        QTest::newRow("255 as uint8") << 255.0 << int(DType::UInt8) << true;
        QTest::newRow("256 as uint8") << 256.0 << int(DType::UInt8) << false;
        QTest::newRow("-1 as uint8") << -1.0 << int(DType::UInt8) << false;
        QTest::newRow("2^63 as int64") << 9223372036854775808.0 << int(DType::Int64) << false;
        QTest::newRow("2.5 as float32") << 2.5 << int(DType::Float32) << true;
    }

    void numbersThatDoNotFitTheWantedTypeAreRefused() {
        QFETCH(double, value);
        QFETCH(int, dtype);
        QFETCH(bool, fits);
        std::vector<Column> columns(1);
        columns[0].name = "v";
        const TensorDataset data(columns, {Tensor::of<double>({1}, {value})});
        const std::vector<int64_t> samples = {0};
        const QString error = errorOf([&] {
            readFields(data, {{"v", DType(dtype), {}}}, samples);
        });
        QCOMPARE(error.isEmpty(), fits);
        QVERIFY(fits || error.contains(QStringLiteral("'v'")));
    }
};

QTEST_APPLESS_MAIN(BatchLoaderTest)
#include "batch_loader_test.moc"
