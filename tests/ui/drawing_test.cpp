// SPDX-License-Identifier: GPL-3.0-or-later
#include <QMouseEvent>
#include <QSlider>
#include <QTabWidget>
#include <QTest>
#include <QUndoStack>
#include <cmath>

#include "tests/ui/window_driver.h"
#include "ui/panels/evaluate/evaluate_panel.h"
#include "ui/panels/evaluate/prediction_bars.h"
#include "ui/panels/evaluate/strokes.h"
#include "ui/panels/evaluate/try_canvas.h"
#include "ui/panels/evaluate/try_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

using Line = QList<QPointF>;

/// A 7 of two straight lines, without a bar, in the unit square.
const Line kSeven = {{0.2, 0.15}, {0.8, 0.15}, {0.4, 0.85}};

Line moved(const Line& line, double size, QPointF to) {
    Line result;
    for (const QPointF& point : line) result << to + size * (point - QPointF(0.5, 0.5));
    return result;
}

/// As many points as a mouse reports.
Line dense(const Line& line) {
    constexpr int kParts = 12;
    Line result;
    for (qsizetype i = 1; i < line.size(); ++i)
        for (int part = 0; part < kParts; ++part)
            result << line[i - 1] + (line[i] - line[i - 1]) * part / double(kParts);
    return result << line.back();
}

/// Draws a line in shares of the canvas with the mouse.
void draw(TryCanvas* canvas, const Line& line) {
    const int side = std::min(canvas->width(), canvas->height());
    const auto place = [&](QPointF point) {
        return QPoint(qRound((canvas->width() - side) / 2 + side * point.x()),
                      qRound(side * point.y()));
    };
    const Line points = dense(line);
    QTest::mousePress(canvas, Qt::LeftButton, {}, place(points.front()));
    for (const QPointF& point : points) {
        const QPoint at = place(point);
        QMouseEvent move(QEvent::MouseMove, at, canvas->mapToGlobal(at), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(canvas, &move);
    }
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, place(points.back()));
}

Stroke strokeOf(const Line& line, double width) { return {QPolygonF(line), width}; }

double largestDifference(const QImage& a, const QImage& b) {
    int largest = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x)
            largest =
                std::max(largest, std::abs(a.pixelColor(x, y).red() - b.pixelColor(x, y).red()));
    return largest / 255.0;
}

/// Of what is brighter than half.
QRect inkIn(const QImage& image) {
    QRect ink;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y).red() > 127) ink |= QRect(x, y, 1, 1);
    return ink;
}

}  // namespace

class DrawingTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        driver_ = std::make_unique<WindowDriver>();
        QVERIFY(driver_->openLesson("digits"));
        QVERIFY(driver_->goTo("train"));
        QVERIFY(driver_->click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver_->run().state(), RunState::Finished, kPatienceMs);
        QVERIFY(driver_->goTo("evaluate"));
        auto* panel = qobject_cast<EvaluatePanel*>(driver_->window().pages().page("evaluate"));
        panel->tabs()->setCurrentIndex(3);
        view_ = panel->tryView();
        QTRY_VERIFY_WITH_TIMEOUT(!view_->bars()->bars().empty(), kPatienceMs);
    }

    void cleanupTestCase() { driver_.reset(); }

    void aPlainSevenIsRead_data() {
        QTest::addColumn<double>("size");
        QTest::addColumn<QPointF>("place");
        QTest::addColumn<Line>("line");
        const Line serif = {{0.2, 0.3}, {0.2, 0.15}, {0.8, 0.15}, {0.4, 0.85}};
        const Line square = {{0.2, 0.2}, {0.8, 0.2}, {0.45, 0.85}};
        const Line slanted = {{0.2, 0.2}, {0.8, 0.12}, {0.35, 0.9}};
        const std::pair<const char*, Line> shapes[] = {
            {"plain", kSeven}, {"serif", serif}, {"square", square}, {"slanted", slanted}};
        for (const auto& [name, line] : shapes) {
            QTest::addRow("%s, large", name) << 1.0 << QPointF(0.5, 0.5) << line;
            QTest::addRow("%s, half", name) << 0.5 << QPointF(0.5, 0.5) << line;
            QTest::addRow("%s, small, top left", name) << 0.3 << QPointF(0.2, 0.2) << line;
            QTest::addRow("%s, small, bottom right", name) << 0.3 << QPointF(0.8, 0.8) << line;
            QTest::addRow("%s, left", name) << 0.6 << QPointF(0.32, 0.5) << line;
        }
    }
    void aPlainSevenIsRead() {
        QFETCH(double, size);
        QFETCH(QPointF, place);
        QFETCH(Line, line);
        QVERIFY(driver_->click("newDrawing"));
        draw(view_->canvas(), moved(line, size, place));
        QCOMPARE(answer(), QString("7"));
    }

    /// The same strokes as they are on the canvas: the model has not seen such pictures.
    void asItIsItWouldNotBeRead_data() {
        QTest::addColumn<double>("size");
        QTest::addColumn<QPointF>("place");
        QTest::newRow("half") << 0.5 << QPointF(0.5, 0.5);
        QTest::newRow("small, top left") << 0.3 << QPointF(0.2, 0.2);
        QTest::newRow("small, bottom right") << 0.3 << QPointF(0.8, 0.8);
        QTest::newRow("left") << 0.6 << QPointF(0.32, 0.5);
    }
    void asItIsItWouldNotBeRead() {
        QFETCH(double, size);
        QFETCH(QPointF, place);
        const Line line = moved(kSeven, size, place);
        const QImage picture = paintStrokes({strokeOf(line, 0.2)}, 280);
        const QString path = driver_->filePath("seven.png");
        QVERIFY(picture.save(path));
        view_->canvas()->clear();
        view_->bars()->setBars({});
        emit view_->canvas()->pictureDropped(path);
        QVERIFY(answer() != "7");
    }

    void everyDigitIsRead_data() {
        QTest::addColumn<Line>("line");
        Line zero;
        for (int i = 0; i <= 32; ++i)
            zero << QPointF(0.5 + 0.28 * std::cos(i * 0.2), 0.5 + 0.4 * std::sin(i * 0.2));
        QTest::newRow("0") << zero;
        QTest::newRow("1") << Line{{0.5, 0.1}, {0.5, 0.9}};
        QTest::newRow("2") << Line{{0.25, 0.25}, {0.5, 0.1},  {0.72, 0.25},
                                   {0.65, 0.5},  {0.25, 0.9}, {0.8, 0.88}};
        QTest::newRow("3") << Line{{0.3, 0.15}, {0.6, 0.1},   {0.75, 0.25},
                                   {0.6, 0.45}, {0.45, 0.47}, {0.6, 0.5},
                                   {0.78, 0.7}, {0.6, 0.9},   {0.3, 0.85}};
        QTest::newRow("4") << Line{{0.6, 0.1},  {0.2, 0.6},  {0.85, 0.6},
                                   {0.65, 0.6}, {0.65, 0.3}, {0.65, 0.9}};
        QTest::newRow("5") << Line{{0.75, 0.12}, {0.35, 0.12}, {0.3, 0.45}, {0.6, 0.42},
                                   {0.75, 0.6},  {0.7, 0.82},  {0.5, 0.9},  {0.28, 0.82}};
        QTest::newRow("6") << Line{{0.65, 0.1}, {0.4, 0.35}, {0.3, 0.65},  {0.45, 0.9},
                                   {0.68, 0.8}, {0.65, 0.6}, {0.45, 0.58}, {0.32, 0.7}};
        QTest::newRow("7") << kSeven;
        QTest::newRow("8") << Line{{0.5, 0.5},  {0.3, 0.3}, {0.5, 0.1},  {0.7, 0.3}, {0.5, 0.5},
                                   {0.28, 0.7}, {0.5, 0.9}, {0.72, 0.7}, {0.5, 0.5}};
        QTest::newRow("9") << Line{{0.7, 0.3},  {0.55, 0.12}, {0.35, 0.25}, {0.4, 0.45},
                                   {0.6, 0.45}, {0.7, 0.3},   {0.68, 0.6},  {0.5, 0.9}};
    }
    void everyDigitIsRead() {
        QFETCH(Line, line);
        QVERIFY(driver_->click("newDrawing"));
        draw(view_->canvas(), moved(line, 0.5, {0.35, 0.4}));
        QCOMPARE(answer(), QString(QTest::currentDataTag()));
    }

    void sizeAndPlaceOnTheCanvasDoNotMatter_data() {
        QTest::addColumn<double>("size");
        QTest::addColumn<QPointF>("place");
        QTest::newRow("large") << 1.0 << QPointF(0.5, 0.5);
        QTest::newRow("small") << 0.2 << QPointF(0.3, 0.8);
        QTest::newRow("beyond the edge") << 1.0 << QPointF(0.9, 0.2);
    }
    void sizeAndPlaceOnTheCanvasDoNotMatter() {
        QFETCH(double, size);
        QFETCH(QPointF, place);
        StrokeStyle style;
        const auto placed = [&](const Line& line) {
            return paintStrokes(placedLikeData({strokeOf(line, style.thickness)}, style), 280);
        };
        QVERIFY(largestDifference(placed(moved(kSeven, size, place)), placed(kSeven)) < 0.05);
    }

    void drawingsAreWhereThoseOfTheDataAre_data() {
        QTest::addColumn<QSizeF>("size");
        QTest::addColumn<QPointF>("offset");
        QTest::addColumn<bool>("isByMass");
        QTest::newRow("middle of the box") << QSizeF(0.7, 0.7) << QPointF(0, 0) << false;
        QTest::newRow("narrow") << QSizeF(0.4, 0.7) << QPointF(0, 0) << false;
        QTest::newRow("low") << QSizeF(0.7, 0.3) << QPointF(0, 0) << false;
        QTest::newRow("to the right") << QSizeF(0.6, 0.6) << QPointF(0.1, -0.05) << false;
        QTest::newRow("centre of mass") << QSizeF(0.6, 0.6) << QPointF(0, 0.05) << true;
    }
    void drawingsAreWhereThoseOfTheDataAre() {
        QFETCH(QSizeF, size);
        QFETCH(QPointF, offset);
        QFETCH(bool, isByMass);
        constexpr int kSide = 400;
        const StrokeStyle style{.width = size.width(),
                                .height = size.height(),
                                .thickness = 0.08,
                                .right = offset.x(),
                                .down = offset.y(),
                                .isByMass = isByMass};
        const QImage image =
            paintStrokes(placedLikeData({strokeOf(kSeven, style.thickness)}, style), kSide);
        const QRect ink = inkIn(image);
        // It fills one of the two, and does not exceed the other.
        const double wide = ink.width() - size.width() * kSide;
        const double high = ink.height() - size.height() * kSide;
        QVERIFY(wide < 3 && high < 3 && std::max(wide, high) > -3);
        double mass = 0;
        QPointF centre;
        for (int y = 0; y < kSide; ++y)
            for (int x = 0; x < kSide; ++x) {
                mass += image.pixelColor(x, y).red();
                centre += QPointF(x + 0.5, y + 0.5) * image.pixelColor(x, y).red();
            }
        const QPointF place = isByMass ? centre / mass : QRectF(ink).center();
        const QPointF wanted = kSide * (QPointF(0.5, 0.5) + offset);
        QVERIFY2((place - wanted).manhattanLength() < 0.02 * kSide,
                 qPrintable(QString("%1, %2").arg(place.x()).arg(place.y())));
    }

    void aDotStaysADot() {
        const StrokeStyle style{.width = 0.8, .height = 0.8, .thickness = 0.1};
        const QRect ink =
            inkIn(paintStrokes(placedLikeData({strokeOf({{0.1, 0.1}}, 0.1)}, style), 200));
        QVERIFY(std::abs(ink.width() - 20) < 3 && std::abs(ink.height() - 20) < 3);
    }

    void strokesAreUndoneOneByOne() {
        QVERIFY(driver_->click("newDrawing"));
        TryCanvas* canvas = view_->canvas();
        QVERIFY(!driver_->click("undoStroke"));
        draw(canvas, {{0.2, 0.2}, {0.8, 0.2}});
        draw(canvas, {{0.8, 0.2}, {0.4, 0.8}});
        draw(canvas, {{0.4, 0.5}, {0.7, 0.5}});
        QCOMPARE(canvas->strokes().size(), size_t{3});
        QVERIFY(driver_->click("undoStroke"));
        QCOMPARE(canvas->strokes().size(), size_t{2});
        QCOMPARE(answer(), QString("7"));
        // Not the last choice of the project.
        TrainingSpec spec = driver_->project().spec();
        spec.run.session.seed += 1;
        driver_->project().edit("seed", spec);
        driver_->window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver_->window()));
        canvas->setFocus();
        QTest::keySequence(canvas, QKeySequence::Undo);
        QCOMPARE(canvas->strokes().size(), size_t{1});
        QVERIFY(driver_->project().spec() == spec);
        QVERIFY(driver_->click("undoStroke"));
        QVERIFY(canvas->isEmpty());
        QVERIFY(!driver_->click("undoStroke"));
        QVERIFY(view_->bars()->bars().empty());
        driver_->project().undoStack()->undo();
    }

    void theBrushHasSizes() {
        auto* brush = driver_->window().findChild<QSlider*>("brush");
        TryCanvas* canvas = view_->canvas();
        QVERIFY(driver_->click("newDrawing"));
        std::vector<double> widths;
        for (const int step : {brush->minimum(), 0, brush->maximum()}) {
            brush->setValue(step);
            draw(canvas, {{0.3, 0.3}, {0.6, 0.6}});
            widths.push_back(canvas->strokes().back().width);
        }
        brush->setValue(0);
        QVERIFY(std::abs(widths[0] / widths[1] - 0.5) < 1e-9);
        QVERIFY(std::abs(widths[2] / widths[1] - 2) < 1e-9);
    }

private:
    /// What the model says of the drawing, once it has looked.
    QString answer() {
        if (!QTest::qWaitFor([this] { return !view_->bars()->bars().empty(); }, kPatienceMs))
            return {};
        QTest::qWait(200);  // the drawing settles
        if (!QTest::qWaitFor([this] { return !driver_->project().tasks()->isBusy(); }, kPatienceMs))
            return {};
        QString text;
        for (const auto& bar : view_->bars()->bars())
            text += QString("%1: %2  ").arg(bar.name).arg(bar.value, 0, 'f', 3);
        qInfo().noquote() << text;
        return view_->bars()->bars().empty() ? QString() : view_->bars()->bars().front().name;
    }

    std::unique_ptr<WindowDriver> driver_;
    TryView* view_ = nullptr;
};

QTEST_MAIN(DrawingTest)
#include "drawing_test.moc"
