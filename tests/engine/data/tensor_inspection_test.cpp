// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <cmath>
#include <fstream>

#include "engine/core/file.h"
#include "engine/core/random.h"
#include "engine/data/npy_file.h"
#include "engine/data/npz_file.h"
#include "engine/data/tensor_export.h"
#include "engine/data/tensor_numbers.h"
#include "engine/data/tensor_order.h"
#include "engine/data/tensor_slice.h"
#include "engine/data/tensor_statistics.h"
#include "tests/engine/data/data_test_support.h"

using namespace temper;
using namespace temper::test;

namespace {

const std::map<std::string, Tensor>& golden() {
    static const auto arrays = readNpz(TEMPER_SOURCE_DIR "/tests/engine/data/tensor_golden.npz");
    return arrays;
}

std::vector<int64_t> integers(const std::string& name) {
    const auto values = golden().at(name).values<int64_t>();
    return {values.begin(), values.end()};
}

void addTensors() {
    QTest::addColumn<QString>("name");
    for (const auto& [name, tensor] : golden())
        if (name.find('.') == std::string::npos)
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b)); }

}  // namespace

class TensorInspectionTest : public QObject {
    Q_OBJECT

private slots:
    void statisticsAreThoseOfNumPy_data() { addTensors(); }
    void statisticsAreThoseOfNumPy() {
        QFETCH(QString, name);
        const std::string key = name.toStdString();
        const Tensor& tensor = golden().at(key);
        const auto expected = golden().at(key + ".stats").values<double>();
        const TensorStatistics found = measureTensor(tensor);
        QCOMPARE(found.count, tensor.numElements());
        QVERIFY(near(found.minimum, expected[0]));
        QVERIFY(near(found.maximum, expected[1]));
        QVERIFY(std::abs(found.mean - expected[2]) <= 1e-12 * found.norm);
        QVERIFY(std::abs(found.deviation - expected[3]) <= 1e-9 * (1e-300 + expected[3]) ||
                found.deviation <= 1e-7 * found.maximum);
        QVERIFY(std::abs(found.norm - expected[4]) <= 1e-12 * expected[4]);
        QCOMPARE(static_cast<double>(found.zeros), expected[5]);
        QCOMPARE(static_cast<double>(found.nans), expected[6]);
        QCOMPARE(static_cast<double>(found.infinities), expected[7]);
    }

    void histogramsAreThoseOfNumPy_data() { addTensors(); }
    void histogramsAreThoseOfNumPy() {
        QFETCH(QString, name);
        const TensorStatistics found = measureTensor(golden().at(name.toStdString()));
        // NumPy extends the range around a single value.
        if (found.minimum == found.maximum) {
            QVERIFY(found.histogram.empty());
            return;
        }
        QCOMPARE(found.histogram, integers(name.toStdString() + ".bins"));
    }

    void ordersAreThoseOfNumPy_data() { addTensors(); }
    void ordersAreThoseOfNumPy() {
        QFETCH(QString, name);
        const std::string key = name.toStdString();
        const Tensor& tensor = golden().at(key);
        const auto rowsOf = [&](OrderBy by, bool descending) {
            return TensorOrder(tensor, by, descending).rows(0, tensor.numElements());
        };
        QCOMPARE(rowsOf(OrderBy::Value, false), integers(key + ".ascending"));
        QCOMPARE(rowsOf(OrderBy::Value, true), integers(key + ".descending"));
        QCOMPARE(rowsOf(OrderBy::Magnitude, true), integers(key + ".large"));
    }

    void rowsInTheMiddleAreFoundWithoutTheOthers() {
        const Tensor& tensor = golden().at("special");
        const auto expected = integers("special.ascending");
        for (int64_t first = 0; first < tensor.numElements(); first += 37) {
            const TensorOrder order(tensor, OrderBy::Value, false);
            const int64_t count = std::min<int64_t>(20, tensor.numElements() - first);
            QCOMPARE(order.rows(first, 20), std::vector<int64_t>(expected.begin() + first,
                                                                 expected.begin() + first + count));
        }
    }

    void crowdedBucketsAreSelected() {
        // Four million numbers in few buckets and with many equals: more than are listed at once.
        const int64_t count = 4'500'000;
        Tensor tensor(DType::Float32, {count});
        const auto values = tensor.mutableValues<float>();
        Random random(3);
        for (float& value : values)
            value =
                random.below(2) == 0 ? 1.0F : 1.0F + static_cast<float>(random.below(1000)) * 1e-6F;
        std::vector<int64_t> expected(static_cast<size_t>(count));
        std::iota(expected.begin(), expected.end(), 0);
        std::stable_sort(expected.begin(), expected.end(), [&](int64_t a, int64_t b) {
            return values[static_cast<size_t>(a)] < values[static_cast<size_t>(b)];
        });
        const TensorOrder order(tensor, OrderBy::Value, false);
        for (const int64_t first :
             {int64_t{0}, int64_t{1'000'000}, int64_t{2'249'900}, int64_t{3'000'123}, count - 200})
            QCOMPARE(order.rows(first, 200), std::vector<int64_t>(expected.begin() + first,
                                                                  expected.begin() + first + 200));
    }

    void positionsNeedNoSearch() {
        const Tensor tensor = Tensor::of<float>({2, 2}, {4, 3, 2, 1});
        QCOMPARE(TensorOrder(tensor, OrderBy::Position, false).rows(1, 2),
                 (std::vector<int64_t>{1, 2}));
        QCOMPARE(TensorOrder(tensor, OrderBy::Position, true).rows(0, 9),
                 (std::vector<int64_t>{3, 2, 1, 0}));
        QVERIFY(TensorOrder(tensor, OrderBy::Value, false).rows(4, 1).empty());
    }

    void slicesAreCutOut() {
        const Tensor& tensor = golden().at("floats");
        const auto values = tensor.values<float>();
        const SliceGrid grid = sliceTensor(tensor, {2, 0, {0, 4, 0}}, 100);
        QCOMPARE(grid.rows, 5);
        QCOMPARE(grid.columns, 7);
        for (int64_t row = 0; row < 5; ++row)
            for (int64_t column = 0; column < 7; ++column)
                QCOMPARE(
                    grid.values[static_cast<size_t>(row * 7 + column)],
                    static_cast<double>(values[static_cast<size_t>((column * 9 + 4) * 5 + row)]));
    }

    void largeSlicesKeepWhatStandsOut() {
        Tensor tensor(DType::Float32, {1000, 900});
        const auto values = tensor.mutableValues<float>();
        values[517 * 900 + 333] = -5;
        values[20 * 900 + 10] = std::numeric_limits<float>::quiet_NaN();
        const SliceGrid grid = sliceTensor(tensor, lastAxes(tensor.shape()), 100);
        QCOMPARE(grid.rows, 100);
        QCOMPARE(grid.rowStep, 10);
        QCOMPARE(grid.columnStep, 9);
        QCOMPARE(grid.values[51 * 100 + 37], -5.0);
        QVERIFY(std::isnan(grid.values[2 * 100 + 1]));
        QCOMPARE(grid.minimum, -5.0);
        QCOMPARE(grid.maximum, 0.0);
    }

    void missingSlicesAreRefused() {
        const Tensor tensor(DType::Float32, {2, 3});
        QVERIFY_THROWS_EXCEPTION(Error, sliceTensor(tensor, {0, 0, {0, 0}}, 10));
        QVERIFY_THROWS_EXCEPTION(Error, sliceTensor(tensor, {0, 2, {0, 0}}, 10));
        QVERIFY_THROWS_EXCEPTION(Error, sliceTensor(tensor, {-1, 1, {2, 0}}, 10));
        QCOMPARE(sliceTensor(Tensor::scalar(3.0F), lastAxes({}), 10).values,
                 std::vector<double>{3});
    }

    void arraysAreSavedAsNpy_data() { addTensors(); }
    void arraysAreSavedAsNpy() {
        QFETCH(QString, name);
        QTemporaryDir folder;
        const std::string path = folder.filePath("a.npy").toStdString();
        const Tensor& tensor = golden().at(name.toStdString());
        QVERIFY(exportNpy(path, tensor));
        QCOMPARE(QByteArray::fromStdString(readFile(path)),
                 QByteArray::fromStdString(formatNpy(tensor)));
    }

    void tablesReadBackAsTheSameNumbers_data() { addTensors(); }
    void tablesReadBackAsTheSameNumbers() {
        QFETCH(QString, name);
        QTemporaryDir folder;
        const std::string path = folder.filePath("a.csv").toStdString();
        const Tensor& tensor = golden().at(name.toStdString());
        QVERIFY(exportCsv(path, tensor));
        const QStringList lines =
            QString::fromStdString(readFile(path)).split('\n', Qt::SkipEmptyParts);
        const int64_t columns = tensor.rank() > 1 ? tensor.shape().back() : 1;
        QCOMPARE(static_cast<int64_t>(lines.size()), tensor.numElements() / columns);
        int64_t position = 0;
        for (const QString& line : lines) {
            for (const QString& field : line.split(',')) {
                const double expected = numberAt(tensor, position++);
                const bool isSingle =
                    tensor.dtype() == DType::Float32 || tensor.dtype() == DType::Float16;
                const double found =
                    isSingle ? static_cast<double>(field.toFloat()) : field.toDouble();
                QVERIFY2(found == expected || (std::isnan(expected) && field == "nan"),
                         qPrintable(field));
            }
        }
        QCOMPARE(position, tensor.numElements());
    }

    void whatIsStoppedLeavesNoFile() {
        QTemporaryDir folder;
        std::stop_source source;
        source.request_stop();
        const Tensor tensor(DType::Float32, {10});
        for (const char* file : {"a.npy", "a.csv"}) {
            const QString path = folder.filePath(file);
            const bool csv = path.endsWith("csv");
            QVERIFY(!(csv ? exportCsv(path.toStdString(), tensor, source.get_token())
                          : exportNpy(path.toStdString(), tensor, source.get_token())));
            QVERIFY(!QFile::exists(path));
        }
        QVERIFY(TensorOrder(tensor, OrderBy::Value, false).rows(0, 5, source.get_token()).empty());
    }
};

QTEST_GUILESS_MAIN(TensorInspectionTest)
#include "tensor_inspection_test.moc"
