// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDialog>
#include <QMessageBox>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTimer>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/spec/run_settings.h"
#include "tests/ui/cut_texts.h"
#include "tests/ui/picture_folder.h"
#include "tests/ui/shown_texts.h"
#include "tests/ui/window_driver.h"
#include "ui/checkpoints/compare_files_dialog.h"
#include "ui/docks/dock.h"
#include "ui/docks/jobs/connect_dialog.h"
#include "ui/docks/runs/sweep_dialog.h"
#include "ui/messages/problem.h"
#include "ui/translation/languages.h"
#include "ui/window/page_scroll.h"
#include "ui/window/stage_rail.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;
constexpr int kHeight = 900;

int percent() { return qRound(100 * qEnvironmentVariable("QT_SCALE_FACTOR", "1").toDouble()); }

/// A window of this many pixels of the screen.
QSize windowOf(int width) { return QSize(width, kHeight) * 100 / percent(); }

/// A specification of data or an option of one, the name of a folder that is made of a time, or a
/// flag of the command line.
constexpr auto kForPrograms =
    R"(\b(csv|npz|npy|images|idx|jsonl):[^ ]|\blesson:[a-z]|\?(split|seed|target|normalize)=|)"
    R"(\b(classes|features|invalid|missing|sep|target)=|\b20\d{6}-\d{6}\b|(?<![-\w])--[a-z])";

/// Or the key of a setting, such as clip_norm; "temper.learning_rate" is a name in a checkpoint.
QRegularExpression machineText() {
    QStringList keys;
    for (const SettingInfo& setting : runSettings())
        if (const QString key = text(setting.key); key.contains('_')) keys << key;
    return QRegularExpression(kForPrograms + QString(R"(|(?<![.\w])(%1)\b)").arg(keys.join('|')));
}

void settle() {
    for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
}

/// Opens pages, tabs, docks and dialogs and asks their texts.
class Walk {
public:
    Walk(WindowDriver& driver, const QString& name) : driver_(driver), name_(name) {}

    void everyPage() {
        MainWindow& window = driver_.window();
        visit("start");
        for (const PanelInfo& panel : window.pages().panels()) {
            visit(panel.id);
            for (QTabWidget* tabs : window.pages().page(panel.id)->findChildren<QTabWidget*>())
                for (int i = 1; i <= tabs->count(); ++i) {
                    tabs->setCurrentIndex(i % tabs->count());
                    look(QString("%1, tab %2").arg(panel.id).arg(i));
                }
        }
    }

    void everyDock() {
        driver_.window().pages().show("train");
        for (const DockInfo& dock : docks()) {
            driver_.window().docks().show(dock.id);
            look("dock " + dock.id);
        }
    }

    void dialogs() {
        MainWindow& window = driver_.window();
        const QString checkpoint = driver_.run().checkpoints().front().path;
        driver_.trainPanel().checkpoints()->view(checkpoint);
        driver_.trainPanel().checkpoints()->compareWithState(checkpoint);
        for (const char* id : {"help.shortcuts", "tools.palette"})
            window.work().commands.action(id)->trigger();
        auto* sweep = new SweepDialog(driver_.project().spec(), &window);
        auto* files = new CompareFilesDialog(&window);
        auto* connection = new ConnectDialog(&window);
        for (QDialog* dialog : std::initializer_list<QDialog*>{sweep, files, connection})
            dialog->show();
        // The session gives its weights on a thread of its own, before any task begins.
        const auto isCompared = [&] {
            const auto* table = window.findChild<QTableView*>("checkpointDiffTable");
            return table != nullptr && table->model()->rowCount() > 0;
        };
        QVERIFY(QTest::qWaitFor([&] { return isCompared() && isIdle(); }, kPatienceMs));
        askOpenDialogs();
        askAbout();
        driver_.settings().setValue("keepsUntitledDocuments", false);  // closing has a question
        for (const char* id : {"file.close", "training.fineTune"}) {
            window.work().commands.action(id)->trigger();
            QVERIFY2(QTest::qWaitFor([&] { return isIdle(); }, kPatienceMs), id);
            const int before = asked_;
            askOpenDialogs();
            QVERIFY2(asked_ > before, id);
        }
    }

    int asked() const { return asked_; }
    QStringList cut() const { return once(cut_); }
    /// Texts that are for programs.
    QStringList machine() const { return once(machine_); }

private:
    static QStringList once(QStringList texts) {
        texts.removeDuplicates();
        return texts;
    }

    bool isIdle() const {
        return !driver_.project().tasks()->isBusy() && !driver_.project().isPreparing();
    }

    void visit(const QString& page) {
        driver_.window().pages().show(page);
        look(page);
    }

    void look(const QString& place) {
        QVERIFY2(QTest::qWaitFor([&] { return isIdle(); }, kPatienceMs), qPrintable(place));
        settle();
        ask(driver_.window(), place);
    }

    void ask(QWidget& root, const QString& place) {
        for (const ShownText& shown : shownTexts(root))
            if (machineText_.match(shown.text).hasMatch())
                machine_ << QString("%1: %2 \"%3\"").arg(place, shown.place, shown.text);
        TextFit fit = fitOfTexts(root);
        // A text that came from another thread is laid out in the next turns of the event loop.
        (void)QTest::qWaitFor([&] { return (fit = fitOfTexts(root)).cut.isEmpty(); }, kPatienceMs);
        asked_ += fit.asked;
        for (const QString& each : fit.cut) cut_ << place + ": " + each;
        if (fit.cut.isEmpty()) return;
        root.grab().save(pictureFile(QString("fit-%1-%2").arg(name_, place)));
    }

    /// Closes them, too.
    void askOpenDialogs() {
        settle();
        for (QDialog* dialog : driver_.window().findChildren<QDialog*>()) {
            if (!dialog->isVisible()) continue;
            ask(*dialog, dialog->metaObject()->className());
            dialog->close();
        }
    }

    /// It waits for its answer.
    void askAbout() {
        QTimer::singleShot(0, qApp, [this] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (box == nullptr) return;
            ask(*box, "about");
            box->accept();
        });
        driver_.window().work().commands.action("help.about")->trigger();
    }

    WindowDriver& driver_;
    QString name_;
    const QRegularExpression machineText_ = machineText();
    int asked_ = 0;
    QStringList cut_, machine_;
};

void open(WindowDriver& driver, const QString& path) {
    driver.window().files().open(path);
    QVERIFY2(QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs),
             qPrintable(path));
}

void train(WindowDriver& driver, int epochs) {
    TrainingSpec spec = driver.project().spec();
    spec.run.epochs = epochs;
    driver.project().edit("epochs", spec);
    QTRY_VERIFY2_WITH_TIMEOUT(driver.project().isReadyToTrain(), qPrintable(driver.message()),
                              kPatienceMs);
    QVERIFY(driver.goTo("train"));
    QVERIFY(driver.click("startButton"));
    QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
    QVERIFY(driver.goTo("evaluate"));
    QVERIFY(driver.click("evaluateButton"));
    driver.exportPanel().exportTo(driver.filePath("a trained model.onnx"));
    QTRY_VERIFY_WITH_TIMEOUT(!driver.exportPanel().result().path.empty(), kPatienceMs);
}

/// Four numbers of which the sign of the sum is to be found, as arrays in one file.
void openArrays(WindowDriver& driver) {
    const QString model = driver.filePath("wake-word-detector-second-attempt.onnx");
    const QString data = driver.filePath("wake-word-recordings.npz");
    saveModel(*parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
        wake (float[N, 4] features) => (float[N, 2] logits)
        <float[4, 2] weight = {0.1, -0.1, 0.2, -0.2, 0.1, 0.1, -0.3, 0.3}, float[2] bias = {0, 0}>
        { product = MatMul(features, weight)
          logits = Add(product, bias) })"),
              model.toStdString());
    constexpr int kSamples = 80;
    std::vector<float> features;
    std::vector<int64_t> labels;
    for (int i = 0; i < kSamples; ++i) {
        float sum = 0;
        for (int j = 0; j < 4; ++j) {
            features.push_back(static_cast<float>((i * 7 + j * 13) % 11 - 5));
            sum += features.back();
        }
        labels.push_back(sum > 0 ? 1 : 0);
    }
    writeNpz(data.toStdString(), {{"features", Tensor::of<float>({kSamples, 4}, features)},
                                  {"labels", Tensor::of<int64_t>({kSamples}, labels)}});
    open(driver, model);
    open(driver, data);
}

void openPictures(WindowDriver& driver) {
    QVERIFY(driver.openLesson("digits"));
    writePictureFolder(driver.filePath("photographs"), 4, 12);
    open(driver, driver.filePath("photographs"));
}

}  // namespace

/// Every text of the window has room: in two languages, on a small and on a usual screen, at the
/// scale of QT_SCALE_FACTOR.
class FitTest : public QObject {
    Q_OBJECT

private slots:
    void cleanupTestCase() { qInfo("%d texts asked in all", asked_); }

    void everyTextFits_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<int>("width");
        QTest::addColumn<QString>("what");
        for (const char* language : {"en", "de"})
            for (const int width : {1150, 1400})
                for (const char* what : {"lesson", "arrays", "pictures", "sounds"})
                    QTest::newRow(
                        qPrintable(QString("%1-%2-%3").arg(language).arg(width).arg(what)))
                        << language << width << what;
    }
    void everyTextFits() {
        QFETCH(QString, language);
        QFETCH(int, width);
        QFETCH(QString, what);
        installLanguage(*qApp, language);
        {
            WindowDriver driver;
            driver.window().resize(windowOf(width));
            if (what == "lesson") QVERIFY(driver.openLesson("digits"));
            if (what == "sounds") QVERIFY(driver.openLesson("tones"));
            if (what == "arrays") openArrays(driver);
            if (what == "pictures") openPictures(driver);
            Walk walk(driver, QTest::currentDataTag());
            if (what == "arrays") walk.everyPage();  // before training, too
            if (what != "pictures") train(driver, 2);
            walk.everyPage();
            walk.everyDock();
            if (what == "lesson") walk.dialogs();
            if (QTest::currentTestFailed()) return installLanguage(*qApp, QString());
            const QStringList cut = walk.cut();
            for (const QString& each : cut) qWarning().noquote() << each;
            qInfo("%d texts asked, %lld cut", walk.asked(), static_cast<long long>(cut.size()));
            asked_ += walk.asked();
            QCOMPARE(driver.window().size(), windowOf(width));
            QCOMPARE(cut.size(), 0);
            for (const QString& each : walk.machine()) qWarning().noquote() << each;
            QCOMPARE(walk.machine().size(), 0);
            QVERIFY(walk.asked() > 500);
        }
        installLanguage(*qApp, QString());
    }

    /// Pages and docks come and go, the rail does not flicker.
    void theRailKeepsItsForm_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("hasWords");
        QTest::newRow("1000") << 1000 << false;
        QTest::newRow("1400") << 1400 << true;
    }
    void theRailKeepsItsForm() {
        QFETCH(int, width);
        QFETCH(bool, hasWords);
        WindowDriver driver;
        driver.window().resize(width, kHeight);
        QVERIFY(driver.openLesson("digits"));
        const auto* row = driver.window().findChild<StageButton*>("stage-train");
        for (const bool docked : {false, true}) {
            for (const char* dock : {"explain", "runs", "layers"})
                driver.window().docks().setWanted(dock, docked);
            for (const PanelInfo& panel : driver.window().pages().panels()) {
                QVERIFY(driver.goTo(panel.id));
                settle();
                QVERIFY2((row->textWidth() > 0) == hasWords, qPrintable(panel.id));
            }
        }
        driver.window().resize(2400 - width, kHeight);
        settle();
        QCOMPARE(row->textWidth() > 0, !hasWords);
    }

    /// What is too high for the window scrolls.
    void plotsKeepTheirHeight() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("train"));
        driver.window().resize(1000, 400);
        settle();
        const QList<PlotView*> plots = driver.trainPanel().findChildren<PlotView*>();
        QVERIFY(!plots.isEmpty());
        for (const PlotView* plot : plots) {
            const auto* canvas = plot->findChild<QWidget*>("canvas");
            if (canvas->isVisible()) QCOMPARE_GE(canvas->height(), 120);
        }
        const PageScroll* scroll = nullptr;
        for (const auto* each : driver.window().findChildren<PageScroll*>())
            if (each->isAncestorOf(&driver.trainPanel())) scroll = each;
        QVERIFY(scroll != nullptr && scroll->verticalScrollBar()->maximum() > 0);
    }

private:
    int asked_ = 0;
};

QTEST_MAIN(FitTest)
#include "fit_test.moc"
