// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QDirIterator>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>
#include <algorithm>
#include <set>

#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/spec/training_spec.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/dock.h"
#include "ui/docks/explain/explain_dock.h"
#include "ui/docks/explain/term_model.h"
#include "ui/explain/explain.h"
#include "ui/explain/terms.h"
#include "ui/widgets/fold.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

std::set<QString> termIds() {
    std::set<QString> ids;
    for (const Term& term : terms()) ids.insert(term.id);
    return ids;
}

ExplainDock& dockOf(WindowDriver& driver) { return *driver.window().findChild<ExplainDock*>(); }

}  // namespace

/// The terms of training, and where they are explained.
class ExplainTest : public QObject {
    Q_OBJECT

private slots:
    void termsAreWholeAndDifferent() {
        const std::vector<Term> all = terms();
        QVERIFY(all.size() >= 40);
        QCOMPARE(termIds().size(), all.size());
        for (const Term& term : all) {
            QVERIFY2(!term.title.isEmpty() && term.text.endsWith('.'), qPrintable(term.id));
            QVERIFY2(!term.see.isEmpty(), qPrintable(term.id));
            const auto sentences = term.text.count(". ") + 1;
            QVERIFY2(term.text.size() < 400 && sentences <= 4, qPrintable(term.id));
        }
    }

    void everySeeAlsoExists() {
        const std::set<QString> ids = termIds();
        for (const Term& term : terms())
            for (const QString& other : term.see)
                QVERIFY2(ids.contains(other) && other != term.id,
                         qPrintable(term.id + " -> " + other));
    }

    void everyChoiceOfTheEngineIsExplained_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("key");
        const auto add = [](const char* kind, const std::vector<Choice>& choices) {
            for (const Choice& choice : choices)
                QTest::newRow(qPrintable(kind + (" " + text(choice.key))))
                    << kind << text(choice.key);
        };
        add("loss", lossChoices());
        add("optimizer", optimizerChoices());
        add("schedule", scheduleChoices());
    }
    void everyChoiceOfTheEngineIsExplained() {
        QFETCH(QString, kind);
        QFETCH(QString, key);
        QVERIFY2(termIds().contains(termOfChoice(kind, key)), qPrintable(termOfChoice(kind, key)));
    }

    void aChoiceWithoutAnEntryIsExplainedByTheEngine() {
        addLrSchedule({"sawtooth", "Sawtooth", "Falls again and again.", {}},
                      [](int64_t, int64_t, double rate, const Selection&) { return rate; });
        const std::vector<Term> all = terms();
        const auto term = std::ranges::find(all, termOfChoice("schedule", "sawtooth"), &Term::id);
        QVERIFY(term != all.end());
        QCOMPARE(term->title, QString("Sawtooth"));
        QCOMPARE(term->text, QString("Falls again and again."));
        QCOMPARE(term->see, QStringList("schedule"));
    }

    /// The codes in the sources: a new one must be explained.
    void everyCodeOfAMessageIsExplained() {
        const std::set<QString> ids = termIds();
        std::set<QString> used;
        const QRegularExpression code("\"([A-Z]\\d{3})\"");
        for (const char* folder : {"/engine", "/ui/checks", "/ui/document"}) {
            QDirIterator files(TEMPER_SOURCE_DIR + QString(folder), {"*.cpp"}, QDir::Files,
                               QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile file(files.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                auto found = code.globalMatch(QString::fromUtf8(file.readAll()));
                while (found.hasNext()) used.insert(found.next().captured(1));
            }
        }
        QVERIFY2(used.size() > 30, qPrintable(QString::number(used.size())));
        for (const QString& each : used) QVERIFY2(ids.contains(each), qPrintable(each));
        const QRegularExpression whole("^" + code.pattern().mid(1).chopped(1) + "$");
        for (const QString& id : ids)
            QVERIFY2(!whole.match(id).hasMatch() || used.contains(id), qPrintable(id));
    }

    void aProblemLeadsToWhatItsCodeMeans() {
        WindowDriver driver;
        driver.window().files().openLesson("broken");
        driver.window().docks().show("problems");
        auto* table = driver.window().findChild<QTableView*>("problemTable");
        QTRY_VERIFY(table->model()->rowCount() > 1);
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            table->selectRow(row);
            const QString code = table->model()->index(row, 0).data().toString();
            auto* button = driver.window().findChild<QPushButton*>("problemExplain");
            QVERIFY2(button->text().contains(code), qPrintable(button->text()));
            button->click();
            QVERIFY(dockOf(driver).isVisible());
            QCOMPARE(dockOf(driver).term(), code);
            QVERIFY(dockOf(driver).text()->toPlainText().startsWith(code));
        }
    }

    void pagesAndDocksNameTermsThatExist() {
        const std::set<QString> ids = termIds();
        for (const PanelInfo& panel : panels())
            QVERIFY2(ids.contains(panel.term), qPrintable(panel.id));
        for (const DockInfo& dock : docks())
            QVERIFY2(dock.term.isEmpty() || ids.contains(dock.term), qPrintable(dock.id));
        WindowDriver driver;
        QVERIFY(ids.contains(explainedTerm(driver.window().pages().page("start"))));
    }

    void everyTermOfAWidgetExists() {
        const std::set<QString> ids = termIds();
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 2;
        driver.project().edit("Two epochs", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        driver.window().docks().show("layers");
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        int found = 0;
        for (const QWidget* widget : driver.window().findChildren<QWidget*>()) {
            const QString term = widget->property("explain").toString();
            if (term.isEmpty()) continue;
            ++found;
            QVERIFY2(ids.contains(term),
                     qPrintable(QString(widget->metaObject()->className()) + ": " + term));
        }
        QVERIFY2(found > 50, qPrintable(QString::number(found)));
        for (const auto* view : driver.window().findChildren<QAbstractItemView*>()) {
            if (view->model() == nullptr) continue;
            for (int row = 0; row < std::min(20, view->model()->rowCount()); ++row)
                for (int column = 0; column < view->model()->columnCount(); ++column) {
                    const QString term =
                        view->model()->index(row, column).data(kExplainRole).toString();
                    QVERIFY2(term.isEmpty() || ids.contains(term), qPrintable(term));
                }
        }
    }

    void itFollowsTheFocus_data() {
        QTest::addColumn<QString>("page");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("term");
        QTest::newRow("rate") << "train"
                              << "liveRate"
                              << "learning-rate";
        QTest::newRow("smoothing") << "train"
                                   << "smoothingSlider"
                                   << "smoothing";
        QTest::newRow("momentum's decay") << "objective"
                                          << "beta1"
                                          << "moment";
        QTest::newRow("precision") << "objective"
                                   << "precision"
                                   << "bf16";
        QTest::newRow("split") << "data"
                               << "data-stratify"
                               << "stratified-split";
        QTest::newRow("explanation") << "evaluate"
                                     << "explanation"
                                     << "saliency";
        QTest::newRow("a page's default") << "parameters"
                                          << "filterIsExpression"
                                          << "parameter";
    }
    void itFollowsTheFocus() {
        QFETCH(QString, page);
        QFETCH(QString, field);
        QFETCH(QString, term);
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo(page));
        driver.window().docks().show("explain");
        driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver.window()));
        auto* widget = driver.window().findChild<QWidget*>(field);
        QVERIFY(widget != nullptr);
        reveal(widget);
        widget->setFocus();
        QCOMPARE(dockOf(driver).term(), term);
    }

    void choicesExplainWhatIsChosen() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("objective"));
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.optimizer = {"lion", {}};
        spec.artifacts.loss = {"focal", {}};
        spec.run.schedule = {"cosine", {}};
        driver.project().edit("Others", spec);
        const auto termOf = [&](const QString& name) {
            for (const auto* box :
                 driver.window().pages().page("objective")->findChildren<QComboBox*>())
                if (box->accessibleName() == name) return explainedTerm(box);
            return QString();
        };
        QCOMPARE(termOf("Optimizer"), QString("lion"));
        QCOMPARE(termOf("Loss"), QString("focal"));
        QCOMPARE(termOf("Schedule"), QString("cosine"));
    }

    void cellsOfTablesAreExplained() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("parameters"));
        driver.window().docks().show("explain");
        driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver.window()));
        QAbstractItemView* table = nullptr;
        for (auto* view :
             driver.window().pages().page("parameters")->findChildren<QAbstractItemView*>())
            if (view->accessibleName() == "Parameters of the model") table = view;
        QVERIFY(table != nullptr);
        table->setFocus();
        std::set<QString> seen;
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            table->setCurrentIndex(table->model()->index(row, 1));
            seen.insert(dockOf(driver).term());
        }
        QVERIFY(seen.contains("parameter") || seen.contains("frozen"));
        QVERIFY(seen.contains("batch-norm") || seen.size() == 1);
    }

    void aBarOfTabsIsAboutItsTab() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("spirals"));
        auto* tabs = driver.window().findChild<QTabWidget*>("trainTabs");
        driver.trainPanel().showPlane();
        QCOMPARE(explainedTerm(tabs->tabBar()), QString("plane"));
    }

    void f1OpensItAtWhatHasTheFocus() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("train"));
        driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver.window()));
        driver.window().findChild<QWidget*>("smoothingSlider")->setFocus();
        QVERIFY(!dockOf(driver).isVisible());
        QTest::keyClick(driver.window().focusWidget(), Qt::Key_F1);
        QVERIFY(dockOf(driver).isVisible());
        QCOMPARE(dockOf(driver).term(), QString("smoothing"));
        QVERIFY(driver.window().work().commands.action("help.explain")->shortcuts().size() > 1);
        QVERIFY(driver.goTo("export"));
        QCOMPARE(dockOf(driver).term(), QString("export"));
    }

    void aWordIsFoundAndLinksLeadOn() {
        WindowDriver driver;
        driver.window().docks().show("explain");
        ExplainDock& dock = dockOf(driver);
        QAbstractItemModelTester tester(dock.model(),
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
        auto* search = dock.findChild<QLineEdit*>("explainSearch");
        QTest::keyClicks(search, "overfit");
        QCOMPARE(dock.term(), QString("overfitting"));
        QVERIFY(dock.model()->rowCount() > 1);  // others mention it
        QVERIFY(dock.text()->toPlainText().contains("by heart"));
        emit dock.text()->anchorClicked(QUrl("early-stopping"));
        QCOMPARE(dock.term(), QString("early-stopping"));
        emit dock.text()->anchorClicked(QUrl("plane"));  // the search would hide it
        QCOMPARE(dock.term(), QString("plane"));
        search->clear();
        auto* list = dock.findChild<QListView*>("explainList");
        QCOMPARE(list->model()->rowCount(), int(terms().size()));
        list->setCurrentIndex(list->model()->index(3, 0));
        QCOMPARE(dock.term(), dock.model()->termAt(3).id);
    }

private:
    /// Its page may be behind others.
    static void reveal(QWidget* widget) {
        for (QWidget* each = widget; each != nullptr; each = each->parentWidget()) {
            if (auto* fold = qobject_cast<Fold*>(each)) fold->setOpen(true);
            if (each->parentWidget() == nullptr) return;
            auto* tabs = qobject_cast<QTabWidget*>(each->parentWidget()->parentWidget());
            if (tabs != nullptr && tabs->indexOf(each) >= 0) tabs->setCurrentWidget(each);
        }
    }
};

QTEST_MAIN(ExplainTest)
#include "explain_test.moc"
