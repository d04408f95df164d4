// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <map>

#include "engine/onnx/model_file.h"
#include "tests/ui/window_driver.h"
#include "ui/commands/command_palette.h"
#include "ui/commands/fuzzy_match.h"
#include "ui/commands/shortcut_dialog.h"
#include "ui/commands/shortcut_model.h"
#include "ui/docks/problems/problem_model.h"
#include "ui/widgets/banner.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

QString keysOf(MainWindow& window, const QString& id) {
    const QAction* action = window.work().commands.action(id);
    return action == nullptr ? QStringLiteral("(none)")
                             : QKeySequence::listToString(action->shortcuts());
}

/// x -> Gemm -> `last` -> y.
std::unique_ptr<Graph> modelEndingIn(const std::string& last) {
    auto graph = std::make_unique<Graph>();
    graph->setName("rounded");
    graph->info().opsetImports[""] = 15;
    graph->info().irVersion = 8;
    Value* x = graph->addInput(
        "x", {DType::Float32, SymbolicShape{Dim::named("batch"), Dim::of(4)}, false});
    Value* weight = graph->addInitializer("w", Tensor(DType::Float32, {4, 2}));
    Value* bias = graph->addInitializer("b", Tensor(DType::Float32, {2}));
    graph->addNode(
        {.opType = "Gemm", .inputs = {x, weight, bias}, .outputs = {"h"}, .name = "/Gemm"});
    graph->addNode(
        {.opType = last, .inputs = {graph->at("h")}, .outputs = {"y"}, .name = "/" + last});
    graph->at("y")->setType(
        {DType::Float32, SymbolicShape{Dim::named("batch"), Dim::of(2)}, false});
    graph->addOutput(graph->at("y"));
    return graph;
}

QDockWidget* dock(MainWindow& window, const QString& id) {
    return window.findChild<QDockWidget*>(QStringLiteral("dock-") + id);
}

}  // namespace

/// What is around the pages: menus, shortcuts, palette, docks.
class ShellTest : public QObject {
    Q_OBJECT

private slots:
    /// Beside a long text, many buttons would leave it a narrow column.
    void buttonsOfALongMessageAreBelowIt() {
        Banner banner;
        banner.resize(640, 200);
        const Problem shortOne{"Saved", "All is well.", {}};
        Problem longOne{"Training stopped", QString("many words ").repeated(40), {}};
        const std::vector<BannerAction> remedies{{"one", "Lower the rate", [] {}},
                                                 {"two", "Roll back", [] {}},
                                                 {"three", "Open the node", [] {}}};
        const auto areBelow = [&] {
            banner.layout()->activate();
            const auto* button = banner.findChild<QPushButton*>("one");
            const auto* text = banner.findChildren<QLabel*>().last();
            return button->geometry().top() >= text->geometry().bottom();
        };
        banner.show(Banner::Kind::Bad, shortOne, remedies);
        QVERIFY(!areBelow());
        banner.show(Banner::Kind::Bad, longOne, remedies);
        QVERIFY(areBelow());
        banner.resize(640, 400);
        banner.show(Banner::Kind::Bad, longOne, std::vector<BannerAction>{});
        banner.show(Banner::Kind::Bad, shortOne, remedies);
        QVERIFY(!areBelow());
    }

    void everyCommandHasATextAndIsInItsMenu() {
        WindowDriver driver;
        MainWindow& window = driver.window();
        for (const Command& command : window.work().commands.commands()) {
            QVERIFY2(!command.title().isEmpty(), qPrintable(command.id));
            bool listed = false;
            for (const QAction* menu : window.menuBar()->actions())
                if (menu->text() == menuTitle(command.menu))
                    listed = menu->menu()->actions().contains(command.action.data());
            QVERIFY2(listed, qPrintable(command.id));
        }
    }

    void shortcutsAreThoseOfTheTable_data() {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("keys");
        // Section 3.5 of the design.
        QTest::newRow("open") << "file.open"
                              << "Ctrl+O";
        QTest::newRow("save") << "file.save"
                              << "Ctrl+S";
        QTest::newRow("save as") << "file.saveAs"
                                 << "Ctrl+Shift+S";
        QTest::newRow("close") << "file.close"
                               << "Ctrl+W";
        QTest::newRow("quit") << "window.quit"
                              << "Ctrl+Q";
        QTest::newRow("undo") << "edit.undo"
                              << "Ctrl+Z";
        QTest::newRow("redo") << "edit.redo"
                              << "Ctrl+Shift+Z; Ctrl+Y";
        QTest::newRow("train") << "training.start"
                               << "Ctrl+R; F5";
        QTest::newRow("pause") << "training.pause"
                               << "Ctrl+P";
        QTest::newRow("palette") << "tools.palette"
                                 << "Ctrl+Shift+P";
        QTest::newRow("step") << "training.step"
                              << "Ctrl+.";
        QTest::newRow("stop") << "training.stop"
                              << "Ctrl+Shift+R";
        QTest::newRow("artifacts") << "artifacts.generate"
                                   << "Ctrl+B";
        QTest::newRow("export") << "artifacts.export"
                                << "Ctrl+E";
        QTest::newRow("first stage") << "page.model"
                                     << "Alt+1";
        QTest::newRow("problems") << "dock.problems"
                                  << "Ctrl+Shift+M";
    }
    void shortcutsAreThoseOfTheTable() {
        QFETCH(QString, command);
        QFETCH(QString, keys);
        WindowDriver driver;
        QCOMPARE(keysOf(driver.window(), command), keys);
    }

    void noTwoCommandsShareKeys() {
        WindowDriver driver;
        const CommandRegistry& commands = driver.window().work().commands;
        for (const Command& command : commands.commands())
            for (const QKeySequence& keys : command.action->shortcuts())
                QVERIFY2(commands.ownerOf(keys, command.id).isEmpty(),
                         qPrintable(command.id + " " + keys.toString()));
    }

    void aChangedShortcutIsKeptAndTakenFromItsOwner() {
        QTemporaryDir folder;
        QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
        settings.setValue("scratchFolder", folder.filePath("unsaved"));
        {
            MainWindow window(settings, QApplication::palette());
            window.work().commands.setShortcut("training.start", QKeySequence("Ctrl+O"));
            QCOMPARE(keysOf(window, "training.start"), QString("Ctrl+O"));
            QCOMPARE(keysOf(window, "file.open"), QString());
        }
        MainWindow window(settings, QApplication::palette());
        QCOMPARE(keysOf(window, "training.start"), QString("Ctrl+O"));
        QCOMPARE(keysOf(window, "file.open"), QString());
        window.work().commands.resetAll();
        QCOMPARE(keysOf(window, "training.start"), QString("Ctrl+R; F5"));
        QCOMPARE(keysOf(window, "file.open"), QString("Ctrl+O"));
    }

    void theDialogChangesAShortcut() {
        WindowDriver driver;
        driver.window().work().commands.action("help.shortcuts")->trigger();
        auto* dialog = driver.window().findChild<ShortcutDialog*>();
        QVERIFY(dialog != nullptr && dialog->isVisible());
        auto* filter = dialog->findChild<QLineEdit*>();
        QTest::keyClicks(filter, "Export model");
        auto* table = dialog->findChild<QTableView*>();
        QCOMPARE(table->model()->rowCount(), 1);
        QAbstractItemModelTester tester(table->model());
        table->selectRow(0);
        auto* keys = dialog->findChild<QKeySequenceEdit*>();
        keys->setKeySequence(QKeySequence("Ctrl+Shift+X"));
        emit keys->editingFinished();
        QCOMPARE(keysOf(driver.window(), "artifacts.export"), QString("Ctrl+Shift+X"));
        QCOMPARE(table->model()->index(0, ShortcutModel::Keys).data().toString(),
                 QString("Ctrl+Shift+X"));
    }

    void aFewLettersFindACommand_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("better");
        QTest::addColumn<QString>("worse");
        QTest::newRow("words' first letters") << "st"
                                              << "Start training"
                                              << "Quit, at last";
        QTest::newRow("together") << "exp"
                                  << "Export model"
                                  << "Relax the pole";
        QTest::newRow("words in another order") << "model export"
                                                << "Export model"
                                                << "More export paths, later";
        QTest::newRow("case") << "LOG"
                              << "log"
                              << "Laying out graphs";
    }
    void aFewLettersFindACommand() {
        QFETCH(QString, pattern);
        QFETCH(QString, better);
        QFETCH(QString, worse);
        QVERIFY(fuzzyMatch(pattern, better).has_value());
        QVERIFY(fuzzyMatch(pattern, better).value() > fuzzyMatch(pattern, worse).value_or(-1));
        QVERIFY(!fuzzyMatch("zq", better).has_value());
    }

    void thePaletteRunsACommand() {
        WindowDriver driver;
        driver.window().work().commands.action("tools.palette")->trigger();
        auto* palette = driver.window().findChild<CommandPalette*>();
        QVERIFY(palette != nullptr);
        auto* input = palette->findChild<QLineEdit*>();
        // No match is reported; terms of other programs find a command, too.
        auto* list = palette->findChild<QListWidget*>();
        auto* nothing = palette->findChild<QLabel*>("noCommand");
        QVERIFY(!nothing->isVisible());
        QTest::keyClicks(input, "zqzq");
        QVERIFY(nothing->isVisible() && !list->isVisible());
        input->setText("theme dark");
        QVERIFY(!nothing->isVisible() && list->isVisible());
        QCOMPARE(list->item(0)->data(Qt::UserRole).toString(), QString("theme.dark"));
        input->clear();
        QTest::keyClicks(input, "objective");
        QTest::keyClick(input, Qt::Key_Return);
        QCOMPARE(driver.window().pages().current(), QString("objective"));
    }

    /// The page Train has buttons for the run itself.
    void thereIsOneTransportBar() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const auto* transport = driver.window().findChild<QWidget*>("transport");
        QVERIFY(transport != nullptr);
        QStringList commands;
        for (const auto* button : transport->findChildren<QToolButton*>())
            for (const Command& command : driver.window().work().commands.commands())
                if (command.action == button->defaultAction()) commands << command.id;
        QCOMPARE(commands,
                 QString("training.start training.pause training.step training.stop").split(' '));
        QStringList pages{"start"};
        for (const PanelInfo& panel : driver.window().pages().panels()) pages << panel.id;
        for (const QString& page : pages) {
            QVERIFY2(driver.goTo(page), qPrintable(page));
            QTRY_VERIFY2_WITH_TIMEOUT(transport->isVisible() == (page != "train"), qPrintable(page),
                                      kPatienceMs);
            for (const char* name : {"startButton", "pauseButton", "stepButton", "stopButton"})
                QVERIFY2(
                    driver.trainPanel().findChild<QWidget*>(name)->isVisible() == (page == "train"),
                    qPrintable(page + ' ' + name));
        }
    }

    void docksOpenFromTheStatusBarAndStayOpen() {
        QTemporaryDir folder;
        QSettings settings(folder.filePath("s.ini"), QSettings::IniFormat);
        settings.setValue("scratchFolder", folder.filePath("unsaved"));
        {
            MainWindow window(settings, QApplication::palette());
            window.show();
            QVERIFY(!dock(window, "problems")->isVisible());
            window.work().commands.action("dock.problems")->trigger();
            QVERIFY(dock(window, "problems")->isVisible());
            window.close();
        }
        MainWindow window(settings, QApplication::palette());
        window.show();
        QVERIFY(dock(window, "problems")->isVisible());
        QVERIFY(window.work().commands.action("dock.problems")->isChecked());
        dock(window, "problems")->close();
        QVERIFY(!window.work().commands.action("dock.problems")->isChecked());
    }

    void theInspectorBelongsToTheModelPage() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(dock(driver.window(), "inspector")->isVisible());
        QVERIFY(driver.goTo("data"));
        QVERIFY(!dock(driver.window(), "inspector")->isVisible());
        QVERIFY(driver.goTo("model"));
        QVERIFY(dock(driver.window(), "inspector")->isVisible());
    }

    void layoutsOpenTheirDocks() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        driver.window().docks().apply(LayoutPreset::Inspect);
        QVERIFY(dock(driver.window(), "problems")->isVisible());
        driver.window().docks().apply(LayoutPreset::Teach);
        for (const QDockWidget* each : driver.window().findChildren<QDockWidget*>())
            QCOMPARE(each->isVisible(), each->objectName() == "dock-lesson");
        // Of those that share a place, the one that only some pages have is on top, or the first.
        for (const auto& [page, top] :
             {std::pair("train", "layers"), std::pair("evaluate", "runs")}) {
            QVERIFY(driver.goTo(page));
            driver.window().docks().apply(LayoutPreset::Train);
            for (const char* id : {"layers", "runs", "log"})
                QTRY_COMPARE_WITH_TIMEOUT(dock(driver.window(), id)->visibleRegion().isEmpty(),
                                          id != QString(top), kPatienceMs);
        }
    }

    void aProblemIsListedAndItsFixMendsIt() {
        WindowDriver driver;
        const QString path = driver.filePath("rounded.onnx");
        saveModel(*modelEndingIn("Round"), path.toStdString());  // no gradient passes
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().preparation() != nullptr, kPatienceMs);
        driver.window().docks().show("problems");
        auto* table = driver.window().findChild<QTableView*>("problemTable");
        const auto* problems = qobject_cast<const ProblemModel*>(table->model());
        QVERIFY(problems->count(Severity::Error) > 0);
        QCOMPARE(problems->problem(0).finding.node, std::string("/Round"));
        QVERIFY(driver.goTo("data"));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(0, 0)).center());
        QCOMPARE(driver.window().pages().current(), QString("model"));
        const int before = problems->count(Severity::Error);
        for (auto* fix : driver.window().findChildren<QPushButton*>("problemFix"))
            if (fix->text() == "Pass the gradient straight through") fix->click();
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().undoStack()->canUndo(), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(problems->count(Severity::Error) < before, kPatienceMs);
    }

    void aLossAfterASoftmaxIsLedToTheLogits() {
        WindowDriver driver;
        const QString path = driver.filePath("probabilities.onnx");
        saveModel(*modelEndingIn("Softmax"), path.toStdString());
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.loss = {"cross-entropy", {}};
        driver.project().edit("Choose a loss", spec);
        driver.window().docks().show("problems");
        auto* table = driver.window().findChild<QTableView*>("problemTable");
        const auto* problems = qobject_cast<const ProblemModel*>(table->model());
        QTRY_COMPARE_WITH_TIMEOUT(problems->count(Severity::Warning), 1, kPatienceMs);
        QCOMPARE(problems->problem(0).finding.code, std::string("A013"));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(0, 0)).center());
        for (auto* fix : driver.window().findChildren<QPushButton*>("problemFix"))
            if (fix->text() == "Let the loss read h") fix->click();
        const std::vector<std::string> logits{"h"};
        QTRY_COMPARE(driver.project().spec().artifacts.lossInputs, logits);
        QTRY_COMPARE_WITH_TIMEOUT(problems->count(Severity::Warning), 0, kPatienceMs);
        QCOMPARE(driver.window().findChild<QComboBox*>("prediction")->currentText(), QString("h"));
    }

    void docksAndTheirTablesHaveTheTitleOfTheDock() {
        WindowDriver driver;
        const std::map<QString, QString> titles{
            {"problems", "Problems"}, {"layers", "Layers"}, {"log", "Log"}};
        for (const auto& [id, title] : titles) {
            const QDockWidget* each = dock(driver.window(), id);
            QCOMPARE(each->windowTitle(), title);
            QCOMPARE(each->findChild<QTableView*>()->accessibleName(), title);
        }
    }

    void problemsFollowTheProject() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.data = "csv:/nowhere/at/all.csv";
        driver.project().edit("Other data", spec);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().dataProblem().isEmpty(), kPatienceMs);
        driver.window().docks().show("problems");
        auto* table = driver.window().findChild<QTableView*>("problemTable");
        QVERIFY(table->isVisible());
        QCOMPARE(table->model()->rowCount(), 1);
        QCOMPARE(dock(driver.window(), "problems")->windowTitle(), QString("Problems (1)"));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(0, 0)).center());
        QCOMPARE(driver.window().pages().current(), QString("data"));
    }
};

QTEST_MAIN(ShellTest)
#include "shell_test.moc"
