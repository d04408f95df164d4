// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "engine/data/data_health.h"
#include "tests/engine/data/data_test_support.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Samples 0 .. size-1: x = [i, 10 * i], y = i % classes.
std::shared_ptr<const Dataset> numbered(int64_t size, int64_t classes = 3) {
    Tensor x(DType::Float32, {size, 2});
    Tensor y(DType::Int64, {size});
    for (int64_t i = 0; i < size; ++i) {
        x.mutableValues<float>()[size_t(2 * i)] = float(i);
        x.mutableValues<float>()[size_t(2 * i + 1)] = float(10 * i);
        y.mutableValues<int64_t>()[size_t(i)] = i % classes;
    }
    std::vector<Column> columns(2);
    columns[0].name = "x";
    columns[1].name = "y";
    columns[1].isTarget = true;
    for (int64_t i = 0; i < classes; ++i) columns[1].classes.push_back(std::to_string(i));
    return std::make_shared<TensorDataset>(columns, std::vector<Tensor>{x, y});
}

std::shared_ptr<const Dataset> single(const char* name, const Tensor& tensor,
                                      std::vector<std::string> classes = {}) {
    std::vector<Column> columns(1);
    columns[0].name = name;
    columns[0].isTarget = !classes.empty();
    columns[0].classes = std::move(classes);
    return std::make_shared<TensorDataset>(columns, std::vector<Tensor>{tensor});
}

std::vector<int64_t> idsOf(const Dataset& data) {
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < data.size(); ++i) {
        ids.push_back(int64_t(data.get(i, 0).values<float>()[0]));
    }
    return ids;
}

QStringList codesOf(const std::vector<Finding>& findings) {
    QStringList codes;
    for (const Finding& finding : findings) codes += QString::fromStdString(finding.code);
    return codes;
}

/// Counts the bytes that are read from it.
class CountedDataset : public DatasetView {
public:
    using DatasetView::DatasetView;
    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        bytesRead += samples.size() * columns()[column].bytesPerSample();
        data_->read(column, samples, target);
    }
    mutable size_t bytesRead = 0;
};

}  // namespace

class DatasetTest : public QObject {
    Q_OBJECT

private slots:
    void samplesAndBatchesAreCopiedOut() {
        const auto data = numbered(5);
        QCOMPARE(data->get(3, 0).shape(), Shape{2});
        QCOMPARE(data->get(3, 0).values<float>()[1], 30.0F);
        QCOMPARE(data->get(4, 1).toInt64(), int64_t{1});
        const std::vector<int64_t> samples = {4, 0, 4};
        const Tensor batch = data->batch(0, samples);
        QCOMPARE(batch.shape(), (Shape{3, 2}));
        QCOMPARE(batch.values<float>()[4], 4.0F);
        QCOMPARE(data->columnIndex("y"), size_t{1});
        QVERIFY(errorOf([&] { data->columnIndex("z"); }).contains(QStringLiteral("'z'")));
    }

    void columnsOfDifferentLengthAreRefused() {
        const QString error = errorOf([] {
            std::vector<Column> columns(2);
            columns[0].name = "x";
            columns[1].name = "y";
            TensorDataset(columns, {Tensor(DType::Float32, {3, 2}), Tensor(DType::Int64, {4})});
        });
        QVERIFY2(error.contains(QStringLiteral("'y' has 4 samples; 'x' has 3")), qPrintable(error));
    }

    void aSplitCoversAllSamplesOnceAndIsRepeatable_data() {
        QTest::addColumn<int>("size");
        QTest::addColumn<double>("fraction");
        QTest::addColumn<int>("training");
        QTest::newRow("80 % of 100") << 100 << 0.8 << 80;
        QTest::newRow("half of 7") << 7 << 0.5 << 4;
        QTest::newRow("nearly nothing") << 10 << 0.001 << 1;
        QTest::newRow("nearly all") << 10 << 0.999 << 9;
        QTest::newRow("two samples") << 2 << 0.8 << 1;
    }

    void aSplitCoversAllSamplesOnceAndIsRepeatable() {
        QFETCH(int, size);
        QFETCH(double, fraction);
        QFETCH(int, training);
        const DataSplit split = splitDataset(numbered(size), fraction, 7);
        QCOMPARE(split.training->size(), int64_t{training});
        std::vector<int64_t> ids = idsOf(*split.training);
        QVERIFY(std::is_sorted(ids.begin(), ids.end()));
        QCOMPARE(idsOf(*splitDataset(numbered(size), fraction, 7).training), ids);
        const std::vector<int64_t> rest = idsOf(*split.evaluation);
        ids.insert(ids.end(), rest.begin(), rest.end());
        std::sort(ids.begin(), ids.end());
        std::vector<int64_t> all(static_cast<size_t>(size));
        std::iota(all.begin(), all.end(), 0);
        QCOMPARE(ids, all);
    }

    void anotherSeedDrawsOtherSamples() {
        QVERIFY(idsOf(*splitDataset(numbered(100), 0.5, 1).training) !=
                idsOf(*splitDataset(numbered(100), 0.5, 2).training));
    }

    void aSplitThatLeavesNothingIsRefused() {
        QVERIFY(!errorOf([] { splitDataset(numbered(10), 1.0, 0); }).isEmpty());
        QVERIFY(!errorOf([] { splitDataset(numbered(10), 0.0, 0); }).isEmpty());
        QVERIFY(!errorOf([] { splitDataset(numbered(10), std::nan(""), 0); }).isEmpty());
        QVERIFY(!errorOf([] { splitDataset(numbered(1), 0.5, 0); }).isEmpty());
    }

    void aStratifiedSplitKeepsTheShares() {
        Tensor labels(DType::Int64, {100});
        for (int64_t i = 0; i < 100; ++i) {
            labels.mutableValues<int64_t>()[size_t(i)] = i < 10 ? 0 : i < 40 ? 1 : 2;
        }
        Column column;
        column.name = "label";
        const auto data = std::make_shared<TensorDataset>(std::vector{column}, std::vector{labels});
        const auto countsOf = [](const Dataset& part) {
            std::vector<int64_t> counts(3, 0);
            for (int64_t i = 0; i < part.size(); ++i) ++counts[size_t(part.get(i, 0).toInt64())];
            return counts;
        };
        const DataSplit split = splitDataset(data, 0.8, 3, 0);
        QCOMPARE(countsOf(*split.training), (std::vector<int64_t>{8, 24, 48}));
        QCOMPARE(countsOf(*split.evaluation), (std::vector<int64_t>{2, 6, 12}));
        QCOMPARE(countsOf(*splitDataset(data, 0.33, 3, 0).training),
                 (std::vector<int64_t>{3, 10, 20}));
        // at least one sample stays for evaluation
        QCOMPARE(splitDataset(data, 0.999, 3, 0).evaluation->size(), int64_t{1});
    }

    void measuredNormalizationGivesMeanZeroAndDeviationOne() {
        const auto data = numbered(101);
        const Normalization by = measureNormalization(*data, 0, 2);
        QCOMPARE(by.mean, (std::vector<double>{50, 500}));
        QCOMPARE(by.deviation[0], std::sqrt(850.0));  // (n^2 - 1) / 12
        const auto scaled = normalized(data, 0, by);
        const Normalization after = measureNormalization(*scaled, 0, 2);
        QVERIFY(std::abs(after.mean[1]) < 1e-6 && std::abs(after.deviation[1] - 1) < 1e-6);
        QCOMPARE(scaled->get(50, 0).values<float>()[0], 0.0F);
        QCOMPARE(scaled->get(50, 1).toInt64(), int64_t{50 % 3});
    }

    void channelsAreNormalisedOneByOne() {
        Tensor pixels(DType::UInt8, {1, 2, 1, 2});
        const uint8_t values[] = {10, 20, 100, 200};
        std::copy(std::begin(values), std::end(values), pixels.mutableValues<uint8_t>().begin());
        const auto data = normalized(single("x", pixels), 0, {{10, 100}, {10, 50}});
        QCOMPARE(int(data->columns()[0].dtype), int(DType::Float32));
        const Tensor out = data->get(0, 0);
        const std::vector<float> got(out.values<float>().begin(), out.values<float>().end());
        QCOMPARE(got, (std::vector<float>{0, 1, 0, 2}));
        QVERIFY(!errorOf([&] {
                     normalized(single("x", pixels), 0, {{1, 2, 3}, {1, 1, 1}});
                 }).isEmpty());
    }

    void constantAndMissingValuesDoNotSpoilTheNormalization() {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const auto data = single("x", Tensor::of<float>({3, 2}, {5, 1, 5, nan, 5, 3}));
        const Normalization by = measureNormalization(*data, 0, 2);
        QCOMPARE(by.mean, (std::vector<double>{5, 2}));
        QCOMPARE(by.deviation, (std::vector<double>{1, 1}));
        QCOMPARE(filled(data, 0, by.mean)->get(1, 0).values<float>()[1], 2.0F);
        QCOMPARE(filled(data, 0, by.mean)->get(2, 0).values<float>()[1], 3.0F);
    }

    void healthFindsWhatIsWrong_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QStringList>("codes");
        QTest::newRow("nothing") << 0 << QStringList{};
        QTest::newRow("NaN") << 1 << QStringList{"D101"};
        QTest::newRow("infinity") << 2 << QStringList{"D101"};
        QTest::newRow("constant") << 3 << QStringList{"D102"};
        QTest::newRow("class without samples") << 4 << QStringList{"D103"};
        QTest::newRow("label too high") << 5 << QStringList{"D104"};
        QTest::newRow("label negative") << 6 << QStringList{"D104"};
        QTest::newRow("no samples") << 7 << QStringList{"D105"};
        QTest::newRow("a feature of about 50") << 8 << QStringList{"D109"};
    }

    void healthFindsWhatIsWrong() {
        QFETCH(int, kind);
        QFETCH(QStringList, codes);
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const float infinity = std::numeric_limits<float>::infinity();
        const std::vector<std::shared_ptr<const Dataset>> cases = {
            numbered(3),
            single("x", Tensor::of<float>({2, 2}, {1, 2, nan, 4})),
            single("x", Tensor::of<float>({2, 2}, {1, infinity, 3, 4})),
            single("x", Tensor::of<float>({2, 2}, {1, 2, 1, 3})),
            single("y", Tensor::of<int64_t>({3}, {0, 1, 0}), {"a", "b", "c"}),
            single("y", Tensor::of<int64_t>({3}, {0, 1, 2}), {"a", "b"}),
            single("y", Tensor::of<int64_t>({3}, {0, 1, -1}), {"a", "b"}),
            single("x", Tensor(DType::Float32, {0, 3})),
            single("x", Tensor::of<float>({2, 2}, {1, 48, 0, 52})),
        };
        QCOMPARE(codesOf(checkData(*cases[size_t(kind)])), codes);
    }

    void classesAreCounted() {
        QCOMPARE(countClasses(*numbered(8), 1), (std::vector<int64_t>{3, 3, 2}));
    }

    /// 100,000 samples of 4 numbers, 1.6 MB; one late sample is not a number.
    void largeColumnsAreLookedAtOnceOrInPart_data() {
        QTest::addColumn<qulonglong>("mostWhole");
        QTest::addColumn<QStringList>("codes");
        QTest::addColumn<double>("share");  // at most, of the bytes read
        QTest::newRow("fits into memory") << 1'600'000ULL << QStringList{"D101"} << 1.03;
        QTest::newRow("does not fit") << 400'000ULL << QStringList{"D116"} << 0.3;
    }

    void largeColumnsAreLookedAtOnceOrInPart() {
        QFETCH(qulonglong, mostWhole);
        QFETCH(QStringList, codes);
        QFETCH(double, share);
        Tensor all(DType::Float32, {100'000, 4});
        for (size_t i = 0; i < 400'000; ++i) all.mutableValues<float>()[i] = float(i % 7);
        all.mutableValues<float>()[4 * 99'990] = std::numeric_limits<float>::quiet_NaN();
        const auto counted = std::make_shared<CountedDataset>(single("x", all));
        QCOMPARE(codesOf(checkData(*counted, mostWhole)), codes);
        QVERIFY(double(counted->bytesRead) < share * double(all.byteSize()));
    }
};

QTEST_APPLESS_MAIN(DatasetTest)
#include "dataset_test.moc"
