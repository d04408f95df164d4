// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "engine/data/image/image_decoder.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/ui/gui_monitor.h"
#include "tests/ui/window_driver.h"
#include "ui/panels/evaluate/class_report_model.h"
#include "ui/panels/evaluate/curves_view.h"
#include "ui/panels/evaluate/evaluate_panel.h"
#include "ui/panels/evaluate/prediction_bars.h"
#include "ui/panels/evaluate/row_model.h"
#include "ui/panels/evaluate/sample_model.h"
#include "ui/panels/evaluate/sample_view.h"
#include "ui/panels/evaluate/try_canvas.h"
#include "ui/panels/evaluate/try_view.h"
#include "ui/plots/xy_plot.h"
#include "ui/widgets/confusion_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

EvaluatePanel& panelOf(WindowDriver& driver) {
    return *qobject_cast<EvaluatePanel*>(driver.window().pages().page("evaluate"));
}

bool isIdle(WindowDriver& driver) {
    return QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs);
}

/// Evaluates by the button and waits for the figures.
bool evaluates(WindowDriver& driver) {
    EvaluatePanel& panel = panelOf(driver);
    const auto before = panel.result();
    if (!driver.click("evaluateButton")) return false;
    return QTest::qWaitFor([&] { return panel.result() != before && !panel.isEvaluating(); },
                           kPatienceMs) &&
           isIdle(driver);
}

QList<QByteArray> linesOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return file.readAll().trimmed().split('\n');
}

void drag(QWidget* widget, const QList<QPoint>& points) {
    QTest::mousePress(widget, Qt::LeftButton, {}, points.front());
    for (const QPoint& point : points) {
        QMouseEvent move(QEvent::MouseMove, point, widget->mapToGlobal(point), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(widget, &move);
    }
    QTest::mouseRelease(widget, Qt::LeftButton, {}, points.back());
}

/// Trains the digits lesson to its end.
bool train(WindowDriver& driver) {
    if (!driver.goTo("train") || !driver.click("startButton")) return false;
    return QTest::qWaitFor([&] { return driver.run().state() == RunState::Finished; }, kPatienceMs);
}

}  // namespace

class EvaluatePageTest : public QObject {
    Q_OBJECT

private slots:
    void figuresCellsAndSamplesBelongTogether() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(train(driver));
        QVERIFY(driver.goTo("evaluate"));
        QVERIFY(evaluates(driver));
        EvaluatePanel& panel = panelOf(driver);
        const EvaluationResult& result = *panel.result();
        // The trainer's own evaluation of the same weights and samples.
        const EvalEvent& event = *driver.run().lastEval();
        QCOMPARE(result.set.entries(), event.samples);
        QCOMPARE(result.report.accuracy, event.metrics.at("accuracy"));
        QVERIFY(std::abs(result.meanLoss - event.loss) < 1e-4);
        QCOMPARE(result.confusion->counts, event.confusion->counts);
        QCOMPARE(result.step, driver.run().step());
        auto* report = panel.findChild<ClassReportModel*>();
        QCOMPARE(report->rowCount(), 12);
        // The names of the classes and means are readable, however narrow the table is.
        auto* figures = panel.findChild<QTableView*>("classReport");
        const auto* summary = panel.findChild<QLabel*>("evaluationSummary");
        driver.window().docks().show("lesson");
        for (const int width : {1400, 900}) {
            driver.window().resize(width, 900);
            QCoreApplication::processEvents();
            QVERIFY(summary->isVisible());
            QTRY_VERIFY(summary->height() <= 3 * summary->fontMetrics().lineSpacing());
            if (width == 1400) QTRY_COMPARE(figures->horizontalScrollBar()->maximum(), 0);
            QCOMPARE_GE(figures->columnWidth(ClassReportModel::Name),
                        figures->fontMetrics().horizontalAdvance("Weighted average"));
        }
        driver.window().resize(1400, 900);

        // Both can be saved: one line for each sample, and for each class and mean.
        QSignalSpy saved(&panel, &EvaluatePanel::saved);
        QVERIFY(panel.findChild<QToolButton*>("saveEvaluation")->isVisible());
        panel.savePredictions(driver.filePath("predictions.csv"));
        panel.saveClassReport(driver.filePath("classes.csv"));
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 2, kPatienceMs);
        QCOMPARE(linesOf(driver.filePath("predictions.csv")).size(), result.set.entries() + 1);
        QCOMPARE(linesOf(driver.filePath("classes.csv")).size(), 14);
        panel.saveClassReport("/no/such/folder/classes.csv");
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("/no/such/folder"), kPatienceMs);

        // A click on a cell of the matrix shows its samples.
        panel.tabs()->setCurrentIndex(0);
        auto* confusion = panel.findChild<ConfusionView*>("evaluateConfusion");
        const size_t cell = 3;
        QTest::mouseClick(confusion, Qt::LeftButton, {},
                          confusion->cell(cell, cell).center().toPoint());
        QCOMPARE(panel.tabs()->currentIndex(), 2);
        QVERIFY(isIdle(driver));
        SampleModel* samples = panel.samples()->model();
        QCOMPARE(int64_t(samples->rowCount()),
                 std::min<int64_t>(200, result.confusion->at(cell, cell)));
        for (int row = 0; row < samples->rowCount(); ++row) {
            QCOMPARE(samples->index(row, SampleModel::Truth).data().toString(), QString("3"));
            QVERIFY(!samples->index(row, 0).data(Qt::DecorationRole).isNull());
        }
        // The keyboard does the same.
        panel.tabs()->setCurrentIndex(0);
        confusion->setFocus();
        QTest::keyClick(confusion, Qt::Key_Down);
        QTest::keyClick(confusion, Qt::Key_Right);
        QTest::keyClick(confusion, Qt::Key_Return);
        QCOMPARE(panel.tabs()->currentIndex(), 2);
        QVERIFY(isIdle(driver));
        QCOMPARE(samples->index(0, SampleModel::Truth).data().toString(), QString("4"));
        // Enter on a sample tries it: the same prediction, and the correct answer is known.
        auto* table = panel.findChild<QTableView*>("sampleTable");
        table->setCurrentIndex(samples->index(0, 0));
        emit table->activated(samples->index(0, 0));
        QCOMPARE(panel.tabs()->currentIndex(), 3);
        const auto first = [&] {
            const auto& bars = panel.tryView()->bars()->bars();
            return bars.empty() ? PredictionBars::Bar() : bars.front();
        };
        QTRY_COMPARE_WITH_TIMEOUT(first().name, QString("4"), kPatienceMs);
        QVERIFY(first().isRight);
    }

    void theNamesOfTwoClassesAreReadable() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("xor"));
        QVERIFY(train(driver));
        QVERIFY(driver.goTo("evaluate"));
        QVERIFY(evaluates(driver));
        const auto* figures = panelOf(driver).findChild<QTableView*>("classReport");
        QCOMPARE(figures->model()->rowCount(), 4);
        QCOMPARE_GE(figures->columnWidth(ClassReportModel::Name),
                    figures->fontMetrics().horizontalAdvance("Weighted average"));
        QVERIFY(driver.savePicture("fault-13-classes"));
    }

    void trainingContinuesMeanwhile() {
        QVERIFY2(answersInTime([&](double& longest) { evaluateWhileTraining(longest); }),
                 "a block of each window, printed above");
    }

    void aDigitIsDrawnAndExplained() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(train(driver));
        QVERIFY(driver.goTo("evaluate"));
        EvaluatePanel& panel = panelOf(driver);
        panel.tabs()->setCurrentIndex(3);
        TryView* view = panel.tryView();
        QVERIFY(driver.click("newDrawing"));
        TryCanvas* canvas = view->canvas();
        QVERIFY(canvas->isEmpty());
        // An upright stroke, off-centre: a one.
        const int side = std::min(canvas->width(), canvas->height());
        const int x = (canvas->width() - side) / 2 + side / 3;
        drag(canvas, {{x, side / 5}, {x, side / 2}, {x, 4 * side / 5}});
        QTRY_VERIFY_WITH_TIMEOUT(!view->bars()->bars().empty(), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(view->bars()->bars().front().name, QString("1"), kPatienceMs);
        QVERIFY(isIdle(driver));
        QVERIFY(!canvas->hasMap());
        auto* explanation = panel.findChild<QComboBox*>("explanation");
        for (const int choice : {1, 2}) {
            explanation->setCurrentIndex(choice);
            emit explanation->activated(choice);
            QTRY_VERIFY_WITH_TIMEOUT(canvas->hasMap(), kPatienceMs);
            QVERIFY(isIdle(driver));
            explanation->setCurrentIndex(0);
            emit explanation->activated(0);
            QTRY_VERIFY_WITH_TIMEOUT(!canvas->hasMap(), kPatienceMs);
        }
        QTest::keyClick(canvas, Qt::Key_Delete);
        QVERIFY(canvas->isEmpty() && view->bars()->bars().empty());
        // A picture from a file.
        QImage picture(60, 60, QImage::Format_RGB32);
        picture.fill(Qt::black);
        for (int y = 8; y < 52; ++y)
            for (int px = 26; px < 34; ++px) picture.setPixelColor(px, y, Qt::white);
        QVERIFY(picture.save(driver.filePath("one.png")));
        emit canvas->pictureDropped(driver.filePath("one.png"));
        QTRY_VERIFY_WITH_TIMEOUT(!view->bars()->bars().empty(), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(view->bars()->bars().front().name, QString("1"), kPatienceMs);
        QVERIFY(isIdle(driver));
        QVERIFY(!canvas->isDrawing());
        emit canvas->pictureDropped(driver.filePath("nothing.png"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("nothing.png"), kPatienceMs);
    }

    void aRowOfATableIsTyped() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(train(driver));
        QVERIFY(driver.goTo("evaluate"));
        EvaluatePanel& panel = panelOf(driver);
        panel.tabs()->setCurrentIndex(3);
        TryView* view = panel.tryView();
        QTRY_VERIFY_WITH_TIMEOUT(!view->bars()->bars().empty(), kPatienceMs);
        QVERIFY(isIdle(driver));
        RowModel* row = view->row();
        QCOMPARE(row->rowCount(), 4);
        const double before = view->bars()->bars().front().value;
        QVERIFY(row->setData(row->index(2, RowModel::Value), "40", Qt::EditRole));
        QVERIFY(isIdle(driver));
        QTRY_VERIFY(view->bars()->bars().front().value != before);
        auto* explanation = panel.findChild<QComboBox*>("explanation");
        explanation->setCurrentIndex(1);
        emit explanation->activated(1);
        QTRY_VERIFY_WITH_TIMEOUT(!row->index(0, RowModel::Influence).data().toString().isEmpty(),
                                 kPatienceMs);
        QVERIFY(!row->setData(row->index(2, RowModel::Value), "much", Qt::EditRole));
    }

    /// A model that knows which token usually follows which: 0 1 2 0 1 2 ...
    void nextTokensAreEvaluatedAndTried() {
        WindowDriver driver;
        const QString model = driver.filePath("model.onnx"), data = driver.filePath("data.npz");
        saveModel(*parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
                      m (int64[N, 4] input_ids) => (float[N, 4, 3] logits)
                      <float[3, 3] w = {0, 5, 0, 0, 0, 5, 5, 0, 0}> { logits = Gather(w, input_ids) })"),
                  model.toStdString());
        writeNpz(data.toStdString(),
                 {{"input_ids", Tensor::of<int64_t>({2, 4}, {0, 1, 2, 0, 2, 2, 0, 1})}});
        driver.window().files().open(model);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.loss = {"next-token", {}};
        spec.run.data = data.toStdString();
        driver.project().edit("choices", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(isIdle(driver) && driver.goTo("evaluate"));
        QVERIFY(evaluates(driver));
        EvaluatePanel& panel = panelOf(driver);
        QCOMPARE(panel.result()->set.entries(), int64_t{6});
        QCOMPARE(panel.result()->report.accuracy, 5.0 / 6.0);
        panel.tabs()->setCurrentIndex(2);
        QVERIFY(isIdle(driver));
        auto* samples = panel.findChild<SampleModel*>();
        const auto cell = [&](int column) { return samples->index(0, column).data().toString(); };
        QCOMPARE(cell(SampleModel::Sample), QString("1"));  // the worst: 2 after 2
        QCOMPARE(cell(SampleModel::Place), QString("0"));
        QCOMPARE(cell(SampleModel::Truth), QString("2"));
        QCOMPARE(cell(SampleModel::Prediction), QString("0 ✗"));
        auto* table = panel.findChild<QTableView*>("sampleTable");
        QVERIFY(!table->isColumnHidden(SampleModel::Place));

        table->setCurrentIndex(table->model()->index(0, 0));
        emit table->activated(samples->index(0, 0));
        TryView* view = panel.tryView();
        const auto* caption = panel.findChild<QLabel*>("tryCaption");
        QTRY_VERIFY_WITH_TIMEOUT(caption->text().contains("The token after position 0 of 3;"),
                                 kPatienceMs);
        QVERIFY2(caption->text().contains("Correct answer: 2."), qPrintable(caption->text()));
        QCOMPARE(view->bars()->bars().front().name, QString("0"));
        QVERIFY(!view->bars()->bars().front().isRight);
        auto* row = panel.findChild<QTableView*>("tryRow");
        row->setCurrentIndex(row->model()->index(3, RowModel::Value));
        QTRY_VERIFY_WITH_TIMEOUT(caption->text().contains("The token after position 3 of 3;"),
                                 kPatienceMs);
        QVERIFY(!caption->text().contains("Correct answer"));  // nothing follows the last
        QCOMPARE(view->bars()->bars().front().name, QString("2"));
        QVERIFY(view->row()->setData(view->row()->index(3, RowModel::Value), "0", Qt::EditRole));
        QTRY_COMPARE_WITH_TIMEOUT(view->bars()->bars().front().name, QString("1"), kPatienceMs);
        QVERIFY(!panel.findChild<QComboBox*>("explanation")->isEnabled());
    }

    void checkpointsAreEvaluatedToo() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("evaluate"));
        QVERIFY(evaluates(driver));  // before any training
        EvaluatePanel& panel = panelOf(driver);
        const double untrained = panel.result()->report.accuracy;
        QCOMPARE(panel.result()->step, int64_t{0});
        QVERIFY(train(driver));
        driver.trainPanel().checkpoints()->save(driver.filePath("saved"));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.run().checkpoints().empty(), kPatienceMs);
        QVERIFY(driver.goTo("evaluate"));
        auto* weights = panel.findChild<QComboBox*>("weightSource");
        QVERIFY(weights->count() > 1);
        weights->setCurrentIndex(weights->count() - 1);
        QVERIFY(evaluates(driver));
        QVERIFY(panel.result()->report.accuracy > untrained + 0.3);
        QCOMPARE(panel.result()->step, driver.run().checkpoints().back().step);
    }

    void numbersHaveResidualsInsteadOfClasses() {
        auto result = std::make_shared<EvaluationResult>();
        result->set.outputs = Tensor::of<float>({3, 2}, {1, 5, 2, 6, 3, 7});
        result->set.targets = Tensor::of<float>({3, 2}, {1, 4, 2, 8, 4, 7});
        result->set.samples = {0, 1, 2};
        result->set.losses = {0.5, 2, 0.5};
        result->figures = numbersOf(result->set);
        QVERIFY(!result->isOfClasses());
        CurvesView curves;
        curves.setResult(result);
        QCOMPARE(curves.firstPlot()->seriesCount(), 2);
        QVERIFY(curves.firstPlot()->accessibleName().startsWith("Predicted"));
        QVERIFY(!curves.secondPlot()->isHidden());
        auto* choice = curves.findChild<QComboBox*>("curveChoice");
        QCOMPARE(choice->count(), 2);
        SampleModel samples;
        samples.setSamples(result, {1}, {});
        QCOMPARE(samples.index(0, SampleModel::Prediction).data().toString(), QString("2; 6"));
        QCOMPARE(samples.index(0, SampleModel::Truth).data().toString(), QString("2; 8"));
        curves.setResult(nullptr);
        QCOMPARE(curves.firstPlot()->seriesCount(), 0);
    }

    void modelsKeepTheirPromises() {
        auto result = std::make_shared<EvaluationResult>();
        result->set.kind = TaskKind::Classes;
        result->set.classes = {"cat", "dog"};
        result->set.samples = {5, 9};
        result->set.labels = {0, 0};
        result->set.losses = {0.1, 2};
        result->set.outputs = Tensor::of<float>({2, 2}, {0.9F, 0.1F, 0.2F, 0.8F});
        result->confusion = std::make_shared<const ConfusionMatrix>(confusionOf(result->set));
        result->report = reportOf(*result->confusion);
        ClassReportModel report;
        QAbstractItemModelTester reportTester(&report);
        report.setResult(result);
        QCOMPARE(report.rowCount(), 4);
        QCOMPARE(report.index(0, ClassReportModel::Recall).data().toString(), QString("0.500"));
        QCOMPARE(report.index(0, ClassReportModel::Area).data().toString(), QString("–"));
        SampleModel samples;
        QAbstractItemModelTester sampleTester(&samples);
        samples.setSamples(result, {1, 0}, {});
        QCOMPARE(samples.index(0, SampleModel::Prediction).data().toString(), QString("dog ✗"));
        QCOMPARE(samples.index(0, SampleModel::Certainty).data().toString(), QString("80.0 %"));
        QCOMPARE(samples.sampleAt(0), int64_t{9});
        RowModel row;
        QAbstractItemModelTester rowTester(&row);
        row.setRow({"a", "b"}, {1, 2});
        row.setInfluence({0.5, -1});
        QCOMPARE(row.index(1, RowModel::Influence).data().toString(), QString("-1"));
        report.setResult(nullptr);
        QCOMPARE(report.rowCount(), 0);
    }

private:
    /// `longestBlockMs`: the longest time for which the window did not answer.
    void evaluateWhileTraining(double& longestBlockMs) {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 100'000;
        driver.project().edit("Train long", spec);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        QVERIFY(driver.goTo("evaluate"));
        GuiMonitor monitor;
        const int64_t before = driver.run().step();
        QVERIFY(evaluates(driver));
        EvaluatePanel& panel = panelOf(driver);
        QVERIFY(panel.result()->step >= before);
        QVERIFY(driver.run().step() > panel.result()->step);
        QCOMPARE(driver.run().state(), RunState::Running);
        panel.tabs()->setCurrentIndex(3);
        QTRY_VERIFY_WITH_TIMEOUT(!panel.tryView()->bars()->bars().empty(), kPatienceMs);
        // The prediction follows the training.
        auto* caption = panel.findChild<QLabel*>("tryCaption");
        const QString text = caption->text();
        QTRY_VERIFY_WITH_TIMEOUT(caption->text() != text, kPatienceMs);
        longestBlockMs = monitor.longestBlockMs();
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("stopButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
    }
};

QTEST_MAIN(EvaluatePageTest)
#include "evaluate_page_test.moc"
