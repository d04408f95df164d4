// SPDX-License-Identifier: GPL-3.0-or-later
#include <qcustomplot.h>

#include "ui/plots/plot_view.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QDialog>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QXmlStreamReader>
#include <cmath>
#include <limits>

#include "engine/core/random.h"
#include "ui/plots/plot_cursor.h"
#include "ui/plots/series_table.h"
#include "ui/plots/xy_plot.h"
#include "ui/run/curve_csv.h"
#include "ui/theme/theme.h"
#include "ui/widgets/copy_table.h"
#include "ui/widgets/drag_handle.h"
#include "ui/widgets/figure_tools.h"
#include "ui/widgets/file_drag.h"
#include "ui/widgets/histogram_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

Curve curveOf(const std::vector<double>& values) {
    Curve curve;
    double x = 0;
    for (const double value : values) curve.append(++x, value);
    return curve;
}

/// Falls, with noise.
Curve longCurve(int points) {
    Random random(3);
    Curve curve;
    for (int i = 1; i <= points; ++i)
        curve.append(i, 2.3 / (1 + i / 1e4) + 0.1 * std::abs(double{random.normal()}));
    return curve;
}

bool labelsOverlap(const QCPAxis& axis) {
    const QFontMetricsF metrics(axis.tickLabelFont());
    double end = -1e9;
    for (qsizetype i = 0; i < axis.tickVector().size(); ++i) {
        const double half = metrics.horizontalAdvance(axis.tickVectorLabels()[i]) / 2;
        const double place = axis.coordToPixel(axis.tickVector()[i]);
        if (place - half <= end) return true;
        end = place + half;
    }
    return false;
}

/// PNG, SVG and CSV of a figure, and dragging them.
void checkFiles(FigureTools& figure, const QTemporaryDir& folder, const QByteArray& csv) {
    QVERIFY(figure.savePng(folder.filePath("figure.png")));
    QVERIFY(QImage(folder.filePath("figure.png")).width() >= 400);
    QVERIFY(figure.saveSvg(folder.filePath("figure.svg")));
    QFile svg(folder.filePath("figure.svg"));
    QVERIFY(svg.open(QIODevice::ReadOnly) && svg.readAll().contains("</svg>"));
    QVERIFY(figure.saveCsv(folder.filePath("figure.csv")));
    QFile data(folder.filePath("figure.csv"));
    QVERIFY(data.open(QIODevice::ReadOnly));
    QCOMPARE(data.readAll(), csv);
    QVERIFY(!figure.savePng("/nowhere/figure.png") && !figure.saveCsv("/nowhere/figure.csv"));
    QCOMPARE(figure.dragData()->urls().size(), 2);
}

}  // namespace

class PlotTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light, QApplication::palette()); }

    void aConstantLineStaysOne() {
        // 0.1 is not a binary fraction: sums of it are not exact.
        Smoother smoother(0.97);
        for (int i = 0; i < 10'000; ++i) QCOMPARE(smoother.add(0.1) == 0.1, true);
        PlotView plot("Constant");
        plot.addSeries("line", SeriesStyle::Line, 0);
        plot.setCurve(0, curveOf({0.1, 0.1 + 1e-16, 0.1, 0.1 - 2e-17}));
        plot.refresh();
        QVERIFY(plot.yRange().upper - plot.yRange().lower > 0.05);
    }

    void smoothingIsOverAllPointsAndThenThinnedOut() {
        const Curve raw = longCurve(100'000);
        Curve smooth;
        smooth.smooth(raw, 0.99);
        // The definition, with sums of weights.
        double sum = 0, weights = 0;
        for (size_t i = 0; i < raw.points().size(); ++i) {
            sum = 0.99 * sum + raw.points()[i].y;
            weights = 0.99 * weights + 1;
            if (i % 9973 != 0) continue;
            QVERIFY(std::abs(smooth.points()[i].y - sum / weights) < 1e-9);
        }
        QCOMPARE(smooth.points().size(), raw.points().size());
        QVERIFY(smooth.buckets().size() <= Curve::kMaxBuckets);
    }

    void zoomingShowsEachPoint() {
        PlotView plot("Loss");
        plot.addSeries("line", SeriesStyle::Line, 0);
        const Curve curve = longCurve(200'000);
        QSignalSpy changed(&plot, &PlotView::viewChanged);
        plot.setCurve(0, curve);
        plot.refresh();
        QVERIFY(plot.pointCount(0) <= int(Curve::kMaxBuckets));
        QVERIFY(changed.isEmpty());
        plot.zoom(1000, 1500);
        QVERIFY(!changed.isEmpty());
        plot.setCurve(0, curve);
        QCOMPARE(plot.pointCount(0), 503);  // and one on either side
        plot.showEverything();
        QCOMPARE(changed.size(), 2);
        plot.setCurve(0, curve);
        QVERIFY(plot.pointCount(0) > 503);
    }

    void logarithmicAxesLeaveOutWhatTheyCannotShow() {
        PlotView plot("Loss");
        plot.addSeries("line", SeriesStyle::Line, 0);
        plot.setCurve(0, curveOf({-1, 0, 0.01, 10, 1000}));
        for (const Qt::Orientation axis : {Qt::Vertical, Qt::Horizontal})
            plot.setLogarithmic(axis, true);
        QVERIFY(plot.yRange().lower > 0.005 && plot.yRange().lower < 0.01);
        QVERIFY(plot.yRange().upper > 1000);
        QCOMPARE(plot.xRange().lower, 1.0);
        plot.draw();
    }

    void numbersThatAreNotFiniteDoNotStretchTheAxes() {
        PlotView plot("Loss");
        plot.addSeries("raw", SeriesStyle::Envelope, 0);
        const double infinite = std::numeric_limits<double>::infinity();
        plot.setCurve(0, curveOf({1, 2, infinite, std::nan(""), 3}));
        plot.refresh();
        QVERIFY(plot.yRange().lower < 1 && plot.yRange().lower > 0);
        QVERIFY(plot.yRange().upper > 3 && plot.yRange().upper < 4);
    }

    void plotsShareACrossHairAndKeysMoveIt() {
        PlotCursor cursor;
        PlotView one("One"), two("Two");
        for (PlotView* plot : {&one, &two}) {
            plot->addSeries("line", SeriesStyle::Line, 0);
            plot->setCurve(0, longCurve(1000));
            plot->setCursor(&cursor);
            plot->refresh();
            plot->resize(600, 300);
            plot->show();
        }
        QVERIFY(QTest::qWaitForWindowExposed(&one));
        const QImage before = two.grab().toImage();
        QTest::keyClick(&one, Qt::Key_Home);
        QCOMPARE(*cursor.x(), 0.0);
        for (int i = 0; i < 3; ++i) QTest::keyClick(&one, Qt::Key_Right);
        QCOMPARE(*cursor.x(), 30.0);
        QTRY_VERIFY(two.grab().toImage() != before);
        QTest::keyClick(&one, Qt::Key_Escape);
        QVERIFY(!cursor.x());
        QTRY_COMPARE(two.grab().toImage(), before);
    }

    /// In a plot with the height of three lines, a legend would hide the curves.
    void aPlotThatGetsLowLosesItsLegend() {
        PlotView plot("Loss");
        for (int i = 0; i < 3; ++i) {
            plot.addSeries(QString::number(i), SeriesStyle::Line, i);
            plot.setCurve(i, longCurve(100));
        }
        plot.resize(600, 400);
        plot.show();
        plot.refresh();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        auto* canvas = plot.findChild<QCustomPlot*>("canvas");
        QVERIFY(canvas->legend->visible());
        plot.resize(600, 140);
        QTRY_VERIFY(!canvas->legend->visible());
        plot.resize(600, 400);
        QTRY_VERIFY(canvas->legend->visible());
    }

    void numbersOfANarrowAxisDoNotOverlap() {
        PlotView plot("Learning rate");
        plot.addSeries("line", SeriesStyle::Line, 0);
        plot.setCurve(0, curveOf({1, 2, 3}));
        plot.setExpectedEnd(300'000, 300'000);
        plot.resize(240, 200);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        const QCPAxis& steps = *plot.findChild<QCustomPlot*>("canvas")->xAxis;
        const auto check = [&] {
            plot.draw();
            QVERIFY(!steps.tickVector().isEmpty());
            QVERIFY(!labelsOverlap(steps));
        };
        plot.draw();
        check();
        QVERIFY(steps.tickVector().size() < 6);  // one every 50,000
        plot.zoom(1'000'000, 1'000'300);
        plot.draw();
        check();
        plot.setLogarithmic(Qt::Horizontal, true);
        plot.draw();
        check();
        // With room, there are as many as before.
        plot.setLogarithmic(Qt::Horizontal, false);
        plot.resize(800, 200);
        plot.draw();
        QTRY_VERIFY(steps.tickVector().size() >= 6);
    }

    void aLongRunBeginsOnAPartOfItsAxis_data() {
        QTest::addColumn<double>("planned");
        QTest::addColumn<double>("reached");
        QTest::addColumn<double>("end");
        QTest::newRow("short") << 900.0 << 3.0 << 900.0;
        QTest::newRow("just begun") << 5e6 << 3.0 << 1000.0;
        QTest::newRow("begun") << 5e6 << 320.0 << 2000.0;
        QTest::newRow("later") << 5e6 << 60'000.0 << 500'000.0;
        QTest::newRow("a fifth") << 5e6 << 1e6 << 5e6;
        QTest::newRow("done") << 5e6 << 5e6 << 5e6;
    }
    void aLongRunBeginsOnAPartOfItsAxis() {
        QFETCH(double, planned);
        QFETCH(double, reached);
        QFETCH(double, end);
        PlotView plot("Loss");
        plot.addSeries("line", SeriesStyle::Line, 0);
        plot.setCurve(0, curveOf({3, 2, 1}));
        plot.setExpectedEnd(planned, reached);
        plot.draw();
        QCOMPARE(plot.xRange().upper, end);
    }

    void numbersOfANarrowXyPlotDoNotOverlap() {
        XyPlot plot("Loss while the rate grows", "Learning rate", "Loss");
        plot.setLogarithmicX();
        plot.addSeries("Batch", XyStyle::Points, 0, {{1e-7, 2}, {10, 1}});
        plot.resize(200, 200);
        plot.show();
        plot.refresh();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        const QCPAxis& rates = *plot.findChild<QCustomPlot*>()->xAxis;
        QTRY_VERIFY(!rates.tickVector().isEmpty());
        QTRY_VERIFY(!labelsOverlap(rates));
    }

    void theMouseMovesTheCrossHair() {
        PlotCursor cursor;
        PlotView plot("Loss");
        plot.addSeries("line", SeriesStyle::Line, 0);
        plot.setCurve(0, longCurve(100));
        plot.setCursor(&cursor);
        plot.resize(600, 300);
        plot.show();
        plot.refresh();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        auto* canvas = plot.findChild<QWidget*>("canvas");
        QVERIFY(canvas != nullptr);
        QTest::mouseMove(canvas, QPoint(canvas->width() / 2, canvas->height() / 2));
        QTRY_VERIFY(cursor.x().has_value());
        QVERIFY(*cursor.x() > 20 && *cursor.x() < 80);
    }

    void theTableHasTheNumbersOfThePlot() {
        PlotView plot("Loss");
        plot.addSeries("Training", SeriesStyle::Line, 0);
        plot.addSeries("Validation", SeriesStyle::Marked, 1);
        QAbstractItemModelTester tester(plot.table(),
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
        plot.setCurve(0, curveOf({4, 1, 2}));
        plot.refresh();
        plot.showTable();
        const SeriesTableModel& table = *plot.table();
        QCOMPARE(table.rowCount(), 2);
        const auto cell = [&](int row, SeriesTableModel::Column column) {
            return table.index(row, column).data().toString();
        };
        QCOMPARE(cell(0, SeriesTableModel::Minimum), QString("1"));
        QCOMPARE(cell(0, SeriesTableModel::MinimumAt), QString("2"));
        QCOMPARE(cell(0, SeriesTableModel::Last), QString("2"));
        QCOMPARE(cell(0, SeriesTableModel::MaximumAt), QString("1"));
        QCOMPARE(cell(1, SeriesTableModel::Points), QString("0"));
        QCOMPARE(cell(1, SeriesTableModel::Last), QString());
        QVERIFY(plot.findChild<QDialog*>("plotTable")->isVisible());
        QVERIFY(plot.description().contains("falling"));
        QCOMPARE(plot.accessibleDescription(), plot.description());
    }

    void theTableIsWrittenAsTheLanguageDoes_data() {
        QTest::addColumn<QLocale>("language");
        QTest::addColumn<QString>("least");
        QTest::newRow("English") << QLocale(QLocale::English) << "0.125";
        QTest::newRow("German") << QLocale(QLocale::German) << "0,125";
    }

    void theTableIsWrittenAsTheLanguageDoes() {
        QFETCH(QLocale, language);
        QFETCH(QString, least);
        const QLocale before;
        QLocale::setDefault(language);
        PlotView plot("Loss");
        plot.addSeries("Training", SeriesStyle::Line, 0);
        plot.setCurve(0, curveOf({4, 0.125, 2}));
        plot.refresh();
        const SeriesTableModel& table = *plot.table();
        const QString shown = table.index(0, SeriesTableModel::Minimum).data().toString();
        QLocale::setDefault(before);
        QCOMPARE(shown, least);
    }

    void curvesDifferWithoutColour_data() {
        QTest::addColumn<int>("style");
        QTest::newRow("lines") << int(SeriesStyle::Line);
        QTest::newRow("few values") << int(SeriesStyle::Marked);
    }

    /// All in one colour, as for a colour-blind person.
    void curvesDifferWithoutColour() {
        QFETCH(int, style);
        constexpr int kCurves = 12;
        PlotView plot("Loss");
        QList<QImage> samples;
        for (int i = 0; i < kCurves; ++i) {
            plot.addSeries(QString::number(i), SeriesStyle(style), 0, i);
            plot.setCurve(i, longCurve(100));
            const QImage sample = plot.sampleOf(i).toImage();
            QVERIFY(!sample.isNull());
            QVERIFY2(!samples.contains(sample), qPrintable(QString::number(i)));
            samples << sample;
        }
        plot.resize(600, 300);
        plot.show();
        plot.refresh();
        plot.draw();
    }

    void anEmptyPlotSaysSo() {
        PlotView plot("Loss");
        plot.addSeries("Training", SeriesStyle::Line, 0);
        plot.refresh();
        QVERIFY(plot.description().contains("nothing"));
    }

    void picturesAreWrittenAsPngAndSvg() {
        QTemporaryDir folder;
        PlotView plot("Loss");
        plot.addSeries("Training", SeriesStyle::Envelope, 0);
        plot.setCurve(0, longCurve(5000));
        plot.resize(600, 300);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        plot.refresh();
        QVERIFY(plot.savePng(folder.filePath("plot.png")));
        const QImage image(folder.filePath("plot.png"));
        QVERIFY(image.width() > 600);
        QVERIFY(plot.saveSvg(folder.filePath("plot.svg")));
        QFile file(folder.filePath("plot.svg"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&file);
        bool title = false;
        while (!xml.atEnd())
            if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == u"title")
                title = xml.readElementText() == "Loss";
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(title);
        QVERIFY(!plot.savePng("/nowhere/plot.png"));
        QVERIFY(!plot.saveSvg("/nowhere/plot.svg"));
    }

    void numbersOfXyPlotsAreATableAndFiles() {
        QTemporaryDir folder;
        XyPlot plot("ROC", "False", "True");
        plot.addSeries("Cat, AUC 0.5", XyStyle::Line, 0, {{0, 0}, {0.25, 0.75}});
        plot.addSeries({}, XyStyle::Reference, 0, {{0, 0}, {1, 1}});
        plot.refresh();
        plot.resize(400, 300);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        plot.files()->showTable();
        auto* dialog = plot.findChild<QDialog*>("plotTable");
        QVERIFY(dialog != nullptr && dialog->isVisible());
        QAbstractItemModel* table = dialog->findChild<QTableView*>()->model();
        QAbstractItemModelTester tester(table);
        QCOMPARE(tableText(*table),
                 QString("Curve\tFalse\tTrue\nCat, AUC 0.5\t0\t0\nCat, AUC 0.5\t0.25\t0.75\n"));
        checkFiles(*plot.files(), folder,
                   "Curve,False,True\n\"Cat, AUC 0.5\",0,0\n\"Cat, AUC 0.5\",0.25,0.75\n");
        QVERIFY(plot.findChild<QToolButton*>("xyPlotMore")->isVisible());
        QVERIFY(plot.findChild<DragHandle*>("plotDragHandle")->isVisible());
    }

    void numbersOfHistogramsAreATableAndFiles() {
        QTemporaryDir folder;
        HistogramView view;
        view.resize(400, 100);
        view.setHistogram({1200, 3, 0, 5}, -1, 1);
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.accessibleDescription(),
                 QString("1,208 values from -1 to 1; most of them, 1,200, between -1 and -0.5."));
        view.files()->showTable();
        auto* dialog = view.findChild<QDialog*>("plotTable");
        QVERIFY(dialog != nullptr && dialog->isVisible());
        const QString text = tableText(*dialog->findChild<QTableView*>()->model());
        QCOMPARE(text.section('\n', 0, 1), QString("From\tTo\tValues\n-1\t-0.5\t1,200"));
        checkFiles(*view.files(), folder,
                   "From,To,Values\n-1,-0.5,1200\n-0.5,0,3\n0,0.5,0\n0.5,1,5\n");
        QVERIFY(view.findChild<QToolButton*>("histogramMore")->isVisible());
    }

    void aPlotIsDraggedOutAsImageAndData() {
        PlotView plot("Loss / step");
        plot.addSeries("Training", SeriesStyle::Line, 0);
        const Curve curve = curveOf({4, 1, 2});
        plot.setCurve(0, curve);
        plot.resize(600, 300);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        plot.refresh();
        auto* handle = plot.findChild<DragHandle*>("plotDragHandle");
        QVERIFY(handle != nullptr && handle->isVisible() && !handle->accessibleName().isEmpty());
        QCOMPARE(plot.files()->dragData()->urls().size(), 1);  // without data only the image
        plot.setCsvSource([&curve] { return curvesToCsv("step", {{"loss", &curve}}); });
        const auto data = plot.files()->dragData();
        QVERIFY(data->hasUrls());
        const QList<QUrl> urls = data->urls();
        QCOMPARE(urls.size(), 2);
        QVERIFY(urls[0].toLocalFile().endsWith("/Loss _ step.png"));
        const QImage image(urls[0].toLocalFile());
        QVERIFY(image.width() > 600);
        QFile csv(urls[1].toLocalFile());
        QVERIFY(csv.open(QIODevice::ReadOnly));
        QCOMPARE(csv.readAll(), QByteArray("step,loss\n1,4\n2,1\n3,2\n"));
    }

    /// Nothing is written for a drag without a target, and files that can't be written are omitted.
    void filesAreWrittenOnRequest() {
        int written = 0;
        const auto write = [&written](const QString&) { return ++written == 1; };
        FilesMimeData data({{"/a.png", write}, {"/b.csv", write}});
        QVERIFY(data.hasUrls());
        QCOMPARE(written, 0);
        QCOMPARE(data.urls(), QList<QUrl>{QUrl::fromLocalFile("/a.png")});
        QCOMPARE(data.urls().size(), 1);
        QCOMPARE(written, 2);
        QCOMPARE(data.failed(), QStringList{"/b.csv"});
    }
};

QTEST_MAIN(PlotTest)
#include "plot_test.moc"
