// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QHeaderView>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>
#include <fstream>

#include "engine/core/file.h"
#include "engine/data/npy_file.h"
#include "engine/data/tensor_numbers.h"
#include "tests/ui/gui_monitor.h"
#include "ui/tasks/task_runner.h"
#include "ui/tensor_view/heat_map_view.h"
#include "ui/tensor_view/kernel_grid.h"
#include "ui/tensor_view/tensor_file_drag.h"
#include "ui/tensor_view/tensor_table.h"
#include "ui/tensor_view/tensor_view.h"
#include "ui/theme/theme.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;
constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

QStringList column(const QAbstractItemModel& model, int column) {
    QStringList cells;
    for (int row = 0; row < model.rowCount(); ++row)
        cells << model.index(row, column).data().toString();
    return cells;
}

/// A file of float32, mapped: element i is a number that looks random and encodes i.
Tensor mappedTensor(const QString& path, int64_t count) {
    std::ofstream file(path.toStdString(), std::ios::binary);
    std::vector<float> block(size_t{1} << 20);
    for (int64_t begin = 0; begin < count; begin += static_cast<int64_t>(block.size())) {
        const auto size = std::min<int64_t>(count - begin, static_cast<int64_t>(block.size()));
        for (int64_t i = 0; i < size; ++i) {
            const auto bits = static_cast<uint32_t>(begin + i) * 2654435761U;
            block[static_cast<size_t>(i)] =
                static_cast<float>(static_cast<int32_t>(bits)) / 2147483648.0F;
        }
        file.write(reinterpret_cast<const char*>(block.data()), size * 4);
    }
    file.close();
    const auto mapped = MappedFile::open(path.toStdString());
    return Tensor::wrap(DType::Float32, {count / 1000, 1000}, mapped,
                        const_cast<std::byte*>(mapped->bytes().data()));
}

/// Memory of this process that is not backed by a file, in bytes.
int64_t privateMemory() {
    std::ifstream file("/proc/self/status");
    std::string key;
    int64_t kilobytes = 0;
    while (file >> key) {
        if (key == "RssAnon:") {
            file >> kilobytes;
            break;
        }
    }
    return kilobytes * 1024;
}

}  // namespace

class TensorViewTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light, QApplication::palette()); }

    void valuesAreListedAndSorted() {
        TaskRunner tasks;
        TensorValueModel model(tasks);
        QAbstractItemModelTester tester(&model, kFatal);
        model.setTensor(Tensor::of<float>({2, 3}, {3, -7, 0, 5, -1, 2}));
        model.setWindow(0, 100);
        QCOMPARE(model.rowCount(), 6);
        QCOMPARE(column(model, TensorValueModel::Position),
                 QStringList({"[0, 0]", "[0, 1]", "[0, 2]", "[1, 0]", "[1, 1]", "[1, 2]"}));
        model.sort(TensorValueModel::Value, Qt::AscendingOrder);
        QTRY_COMPARE(column(model, TensorValueModel::Value),
                     QStringList({"-7", "-1", "0", "2", "3", "5"}));
        model.sort(TensorValueModel::Magnitude, Qt::DescendingOrder);
        QTRY_COMPARE(column(model, TensorValueModel::Value),
                     QStringList({"-7", "5", "3", "2", "-1", "0"}));
        model.sort(TensorValueModel::Position, Qt::DescendingOrder);
        QTRY_COMPARE(column(model, TensorValueModel::Value),
                     QStringList({"2", "-1", "5", "0", "-7", "3"}));
        model.setWindow(4, 2);
        QTRY_COMPARE(column(model, TensorValueModel::Value), QStringList({"-7", "3"}));
        QCOMPARE(model.headerData(0, Qt::Vertical, Qt::DisplayRole).toString(), QString("5"));
        model.setTensor(Tensor());
        QCOMPARE(model.rowCount(), 0);
    }

    void aTensorIsDraggedOutAsAnArray() {
        TaskRunner tasks;
        TensorView view(tasks);
        view.setTensor("block/conv:w", Tensor::of<float>({2, 2}, {1, -2, 3, 0.5F}));
        view.show();
        auto* handle = view.findChild<DragHandle*>("tensorDragHandle");
        QVERIFY(handle->isVisible());
        QString path;
        {
            const auto data = view.dragData();
            QVERIFY(data->hasUrls());
            QCOMPARE(data->urls().size(), 1);
            path = data->urls().front().toLocalFile();
            QVERIFY(data->problem().isEmpty());
        }
        QCOMPARE(QFileInfo(path).fileName(), QString("block_conv_w.npy"));
        const Tensor read = readNpy(path.toStdString());
        QCOMPARE(read.shape(), (Shape{2, 2}));
        QCOMPARE(read.values<float>()[3], 0.5F);
        view.setTensor("words", Tensor(DType::String, {2}));
        QVERIFY(!handle->isVisible());
        QTRY_VERIFY(!tasks.isBusy());
    }

    void aDragBeginsWhereTheMouseHasMoved() {
        DragHandle handle;
        QSignalSpy started(&handle, &DragHandle::dragStarted);
        QTest::mousePress(&handle, Qt::LeftButton, {}, {2, 2});
        const auto move = [&](QPoint to, Qt::MouseButtons buttons) {
            QMouseEvent event(QEvent::MouseMove, to, handle.mapToGlobal(to), Qt::NoButton, buttons,
                              {});
            QApplication::sendEvent(&handle, &event);
        };
        move({3, 3}, Qt::LeftButton);
        move({3 + 2 * QApplication::startDragDistance(), 3}, Qt::NoButton);
        QCOMPARE(started.size(), 0);
        move({3 + 2 * QApplication::startDragDistance(), 3}, Qt::LeftButton);
        QCOMPARE(started.size(), 1);
    }

    void aDragThatCanNotBeWrittenSaysWhy() {
        const TensorMimeData data(Tensor::scalar(1.0F), "/no/such/folder/t.npy");
        QVERIFY(data.urls().isEmpty());
        QVERIFY2(data.problem().message.contains("/no/such/folder"),
                 qPrintable(data.problem().message));
    }

    void filesHaveNamesThatFilesMayHave_data() {
        QTest::addColumn<QString>("expected");
        for (const auto& [tensor, file] : {std::pair{"fc1.weight", "fc1.weight"},
                                           {"/layer/0:w?", "_layer_0_w_"},
                                           {"..", "_."},
                                           {"a\nb", "a_b"}})
            QTest::newRow(tensor) << file;
    }
    void filesHaveNamesThatFilesMayHave() {
        QTEST(fileNameOf(QString::fromUtf8(QTest::currentDataTag())), "expected");
    }

    void valuesAreWrittenAsTheLanguageDoes() {
        const QLocale before;
        QLocale::setDefault(QLocale(QLocale::German));
        TaskRunner tasks;
        TensorValueModel model(tasks);
        model.setTensor(Tensor::of<float>({2}, {0.125F, -1.5F}));
        model.setWindow(0, 2);
        const QStringList shown = column(model, TensorValueModel::Value);
        QLocale::setDefault(before);
        QCOMPARE(shown, QStringList({"0,125", "-1,5"}));
    }

    void keysAndWheelMoveOverAllRows() {
        TaskRunner tasks;
        TensorTable table(tasks);
        table.resize(500, 300);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table));
        table.setTensor(Tensor(DType::Int32, {10'000}));
        const int rows = table.model().rowCount();
        QVERIFY(rows > 3 && rows < 100);
        QTest::keyClick(table.table(), Qt::Key_End);
        QCOMPARE(table.model().first(), 10'000 - rows);
        QTest::keyClick(table.table(), Qt::Key_Home);
        QCOMPARE(table.model().first(), 0);
        QTest::keyClick(table.table(), Qt::Key_PageDown);
        QCOMPARE(table.model().first(), rows);
        table.table()->setCurrentIndex(table.model().index(rows - 1, 0));
        QTest::keyClick(table.table(), Qt::Key_Down);
        QCOMPARE(table.model().first(), rows + 1);
        table.scrollTo(500);
        QCOMPARE(table.model().index(0, 0).data().toString(), QString("[500]"));
    }

    void statisticsSliceAndKernelsAreShown() {
        TaskRunner tasks;
        TensorView view(tasks);
        view.resize(700, 500);
        view.show();
        Tensor weights(DType::Float32, {4, 3, 5, 5});
        int i = 0;
        for (float& value : weights.mutableValues<float>()) value = static_cast<float>(i++ - 100);
        view.setTensor("conv.weight", weights);
        QTRY_VERIFY(view.statistics() != nullptr);
        QCOMPARE(view.statistics()->minimum, -100.0);
        QCOMPARE(view.statistics()->maximum, 199.0);
        view.showPage(TensorView::HeatMap);
        QTRY_VERIFY(view.heatMap()->grid() != nullptr);
        QCOMPARE(view.heatMap()->grid()->rows, 5);
        QSignalSpy chosen(view.heatMap(), &HeatMapView::cellChosen);
        QTest::keyClick(view.heatMap(), Qt::Key_Right);
        QCOMPARE(chosen.back().at(1).toLongLong(), 1);
        QCOMPARE(chosen.back().at(2).toDouble(), -99.0);
        QCOMPARE(view.kernels()->outputs(), 4);
        QCOMPARE(view.kernels()->inputs(), 3);
        QVERIFY(view.kernels()->canBeColoured());
        const QImage kernel = view.kernels()->kernel(3, 2);
        QCOMPARE(kernel.size(), QSize(5, 5));
        // The largest value has the full colour, the smallest of this kernel less of it.
        QVERIFY(kernel.pixel(4, 4) != kernel.pixel(0, 0));
        view.clear();
        QVERIFY(view.tensor().empty());
    }

    void onlyKernelsAreShownAsKernels_data() {
        QTest::addColumn<QList<qlonglong>>("shape");
        QTest::addColumn<bool>("isKernel");
        QTest::newRow("convolution") << QList<qlonglong>{8, 3, 3, 3} << true;
        QTest::newRow("one dimension") << QList<qlonglong>{8, 3, 5} << true;
        QTest::newRow("pointwise") << QList<qlonglong>{8, 3, 1, 1} << false;
        QTest::newRow("matrix") << QList<qlonglong>{64, 10} << false;
        QTest::newRow("activations") << QList<qlonglong>{1, 3, 224, 224} << false;
    }
    void onlyKernelsAreShownAsKernels() {
        QFETCH(QList<qlonglong>, shape);
        QFETCH(bool, isKernel);
        QCOMPARE(KernelGrid::isKernel(Tensor(DType::Float32, Shape(shape.begin(), shape.end()))),
                 isKernel);
    }

    void tensorsAreSaved() {
        QTemporaryDir folder;
        TaskRunner tasks;
        TensorView view(tasks);
        const Tensor tensor = Tensor::of<float>({2, 2}, {1, 2.5F, -3, 4});
        view.setTensor("w", tensor);
        QSignalSpy saved(&view, &TensorView::exported);
        view.exportTo(folder.filePath("w.npy"));
        QTRY_COMPARE(saved.size(), 1);
        const Tensor read = readNpy(folder.filePath("w.npy").toStdString());
        QVERIFY(std::ranges::equal(read.values<float>(), tensor.values<float>()));
        view.exportTo(folder.filePath("w.csv"));
        QTRY_COMPARE(saved.size(), 2);
        QCOMPARE(QByteArray::fromStdString(readFile(folder.filePath("w.csv").toStdString())),
                 QByteArray("1,2.5\n-3,4\n"));
        view.exportTo(folder.filePath("missing/w.npy"));
        QTRY_VERIFY(!view.isBusy());
        QCOMPARE(saved.size(), 2);
    }

    void aHundredMillionValuesNeverBlockTheWindow() {
        QTemporaryDir folder;
        constexpr int64_t kCount = 100'000'000;
        const Tensor tensor = mappedTensor(folder.filePath("large.bin"), kCount);
        TaskRunner tasks;
        TensorView view(tasks);
        view.resize(900, 700);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        TensorTable& table = *view.table();
        const int64_t before = privateMemory();
        GuiMonitor monitor;
        QElapsedTimer timer;
        timer.start();
        view.setTensor("large", tensor);
        QTRY_VERIFY_WITH_TIMEOUT(view.statistics() != nullptr, kPatienceMs);
        const qint64 measured = timer.restart();
        view.showPage(TensorView::Values);
        table.scrollTo(kCount / 2);
        QTRY_VERIFY(table.model().positionAt(0) >= kCount / 2 - 10);
        table.table()->sortByColumn(TensorValueModel::Value, Qt::DescendingOrder);
        QTRY_VERIFY_WITH_TIMEOUT(!table.model().isSorting() && table.model().positionAt(0) >= 0 &&
                                     table.model().first() == 0,
                                 kPatienceMs);
        const qint64 sorted = timer.restart();
        const auto value = [&](int row) {
            return static_cast<double>(numberAt(tensor, table.model().positionAt(row)));
        };
        QCOMPARE(value(0), view.statistics()->maximum);
        for (int row = 1; row < table.model().rowCount(); ++row)
            QVERIFY(value(row) <= value(row - 1));
        // The median of numbers spread evenly over [-1, 1).
        table.scrollTo(kCount / 2);
        QTRY_VERIFY_WITH_TIMEOUT(table.model().positionAt(0) >= 0, kPatienceMs);
        const qint64 scrolled = timer.restart();
        QVERIFY(std::abs(value(0)) < 0.001);
        view.showPage(TensorView::HeatMap);
        QTRY_VERIFY_WITH_TIMEOUT(view.heatMap()->grid() != nullptr, kPatienceMs);
        qInfo("statistics %lld ms, sorted %lld ms, scrolled to the middle %lld ms", measured,
              sorted, scrolled);
        qInfo("longest block %.1f ms, on the clock %.1f ms, %.0f MB more memory",
              monitor.longestBlockMs(), monitor.longestWallMs(),
              static_cast<double>(privateMemory() - before) / 1e6);
        QVERIFY2(monitor.longestBlockMs() < noticeableMs(),
                 qPrintable(QString::number(monitor.longestBlockMs())));
        // The tensor stays in its file: 400 MB would be a copy, 800 MB a list of indices.
        QVERIFY(privateMemory() - before < 200'000'000);
    }

    void workIsCancelled() {
        QTemporaryDir folder;
        TaskRunner tasks;
        TensorView view(tasks);
        view.setTensor("large", mappedTensor(folder.filePath("large.bin"), 20'000'000));
        QVERIFY(view.isBusy());
        view.cancel();
        QVERIFY(!view.isBusy());
        view.exportTo(folder.filePath("large.csv"));
        QTest::qWait(30);
        view.cancel();
        QTRY_VERIFY(!tasks.isBusy());
        QTest::qWait(300);
        QVERIFY(!QFile::exists(folder.filePath("large.csv")));
    }
};

QTEST_MAIN(TensorViewTest)
#include "tensor_view_test.moc"
