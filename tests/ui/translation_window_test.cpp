// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAccessible>
#include <QAction>
#include <QDialog>
#include <QDockWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <set>

#include "tests/ui/pseudo_translator.h"
#include "tests/ui/shown_texts.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/dock.h"
#include "ui/docks/jobs/connect_dialog.h"
#include "ui/translation/languages.h"
#include "ui/window/actions/quit_actions.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;
constexpr auto kCheckpoint = "checkpoint-1";

/// Names from models and data: not texts of the program.
std::set<QString> namesOf(const StudioProject& project) {
    std::set<QString> names = {text(project.spec().model), project.store().folder(),
                               project.name()};
    if (project.model()) {
        const Graph& graph = *project.model()->graph;
        for (const Node* node : graph.nodes()) {
            names.insert({text(node->name()), text(node->qualifiedOp()), text(node->describe())});
            for (const Value* value : node->outputs())
                if (value != nullptr) names.insert(text(value->name()));
            for (const Value* value : node->inputs())
                if (value != nullptr) names.insert(text(value->name()));
            for (const auto& [name, attribute] : node->attributes()) names.insert(text(name));
        }
    }
    if (project.data())
        for (const Column& column : project.data()->training()->columns()) {
            names.insert(text(column.name));
            for (const std::string& name : column.classes) names.insert(text(name));
        }
    names.insert(kCheckpoint);
    names.erase(QString());
    return names;
}

/// What needs no translation: numbers with their units, types and shapes, paths and file names.
bool isNoWord(const QString& text) {
    static const QRegularExpression kPlain(
        "^("
        "([^A-Za-z]|\\b[A-Za-z]\\b)*"                               // at most single letters
        "|[^A-Za-z]*(ms|min|bytes|[kMG]i?B|nan|inf|NaN)[^A-Za-z]*"  // numbers
        "|\\S+[/.:]\\S+|/\\S+"                                      // names of files and tensors
        "|ssh .+"                                                   // commands
        ")$");
    return kPlain.match(text.trimmed()).hasMatch();
}

/// The same for text beside translated parts, or in a list.
bool needsNoTranslation(QString text, const std::set<QString>& names) {
    static const QRegularExpression kType(
        "\\b(float|u?int|bool|string|bfloat)\\d*(\\[[^\\]]*\\])?");
    text.remove(kType);
    static const QRegularExpression kBorders("\n|, |; | *· *|   +");
    for (const QString& part : text.split(kBorders, Qt::SkipEmptyParts))
        if (!names.contains(part.trimmed()) && !isNoWord(part)) return false;
    return true;
}

/// Every text of the list that was not passed to the translator, without duplicates.
class Untranslated {
public:
    void look(const QWidget& widget, const StudioProject& project, const QString& where) {
        const std::set<QString> names = namesOf(project);
        for (const ShownText& shown : shownTexts(widget)) {
            if (isExempt(shown.place)) continue;
            QString rest = untranslatedPart(shown.text).trimmed();
            if (names.contains(rest) || needsNoTranslation(rest, names)) continue;
            if (seen_.insert(rest).second) found_ << where + ", " + shown.place + ": " + shown.text;
        }
    }
    QStringList found() const { return found_; }

private:
    /// Findings, paths, names of runs and their dates are sentences of the engine, the user's own
    /// texts and QLocale's.
    static bool isExempt(const QString& place) {
        for (const char* name :
             {"healthTable cell", "problemTable cell", "problemText", "runTable cell",
              "recentFiles", "trainingSource", "evaluationSource"})
            if (place.contains(QLatin1String(name))) return true;
        return false;
    }

    std::set<QString> seen_;
    QStringList found_;
};

/// Visits everything that can be reached cheaply and calls `look` with its name.
template <typename Look>
void tour(WindowDriver& driver, Look look) {
    MainWindow& window = driver.window();
    const auto lookAtTabs = [&](const QString& page) {
        const auto all = window.pages().page(page)->findChildren<QTabWidget*>();
        for (QTabWidget* tabs : all)
            for (int i = 0; i < tabs->count(); ++i) {
                tabs->setCurrentIndex(i);
                look(window, page + " " + tabs->tabText(i));
            }
        for (QTabWidget* tabs : all) tabs->setCurrentIndex(0);
    };
    const auto lookAtPages = [&](const QString& when) {
        for (const PanelInfo& panel : panels()) {
            window.pages().show(panel.id);
            QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
            QCoreApplication::processEvents();
            look(window, when + panel.id);
            lookAtTabs(panel.id);
        }
    };
    look(window, QString("start"));
    lookAtPages("without a model, ");
    QVERIFY(driver.openLesson("digits"));
    lookAtPages("before training, ");
    for (const DockInfo& dock : docks()) {
        window.docks().show(dock.id);
        QCoreApplication::processEvents();
        look(window, "dock " + dock.id);
    }
    TrainingSpec spec = driver.project().spec();
    spec.run.epochs = 2;
    driver.project().edit({}, spec);
    QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
    QVERIFY(driver.goTo("train"));
    QVERIFY(driver.click("startButton"));
    QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
    driver.trainPanel().checkpoints()->save(driver.filePath(kCheckpoint));
    QTRY_VERIFY_WITH_TIMEOUT(!driver.run().checkpoints().empty(), kPatienceMs);
    QVERIFY(driver.goTo("evaluate"));
    QVERIFY(driver.click("evaluateButton"));
    QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
    driver.exportPanel().exportTo(driver.filePath("digits.onnx"));
    QTRY_VERIFY_WITH_TIMEOUT(!driver.exportPanel().result().path.empty(), kPatienceMs);
    lookAtPages("after training, ");
    for (const DockInfo& dock : docks()) {
        window.docks().show(dock.id);
        QCoreApplication::processEvents();
        look(window, "dock after training " + dock.id);
    }
    const auto lookAtDialog = [&](const QString& name) {
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        QCoreApplication::processEvents();
        int seen = 0;
        for (QDialog* dialog :
             window.findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (!dialog->isVisible()) continue;
            look(*dialog, name);
            dialog->close();
            ++seen;
        }
        QVERIFY2(seen == 1, qPrintable(name));
    };
    driver.settings().setValue("keepsUntitledDocuments", false);  // closing has a question
    for (const char* id : {"help.shortcuts", "tools.palette", "file.close", "training.fineTune"}) {
        window.work().commands.action(id)->trigger();
        lookAtDialog(id);
    }
    (new ConnectDialog(&window))->show();
    lookAtDialog("connect");
    driver.trainPanel().checkpoints()->view(driver.filePath(kCheckpoint));
    lookAtDialog("checkpoint");
    look(*window.menuBar(), QString("menu bar"));
}

}  // namespace

/// Every text of the window is translated, and everything is named and reachable.
class TranslationWindowTest : public QObject {
    Q_OBJECT

private slots:
    void everythingThatIsShownIsTranslated() {
        PseudoTranslator translator;
        QVERIFY(QCoreApplication::installTranslator(&translator));
        {
            WindowDriver driver;
            Untranslated untranslated;
            tour(driver, [&](const QWidget& widget, const QString& where) {
                untranslated.look(widget, driver.project(), where);
            });
            for (const Command& command : driver.window().work().commands.commands())
                if (!untranslatedPart(command.action->text()).trimmed().isEmpty())
                    QFAIL(qPrintable("command " + command.id + ": " + command.action->text()));
            for (const QString& each : untranslated.found()) qWarning().noquote() << each;
            QCOMPARE(untranslated.found().size(), 0);
        }
        QCoreApplication::removeTranslator(&translator);
    }

    void everythingHasANameForScreenReaders() {
        WindowDriver driver;
        std::set<QString> nameless;
        tour(driver, [&](const QWidget& root, const QString& where) {
            for (QWidget* widget : interactiveWidgets(root)) {
                const auto* accessible = QAccessible::queryAccessibleInterface(widget);
                QVERIFY(accessible != nullptr);
                if (accessible->text(QAccessible::Name).trimmed().isEmpty())
                    nameless.insert(nameForMessages(*widget) + " (" + where + ")");
            }
        });
        QVERIFY2(nameless.empty(),
                 qPrintable('\n' + QStringList(nameless.begin(), nameless.end()).join('\n')));
    }

    void everyCommandIsReachedWithoutAMouse() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        std::set<const QAction*> inMenus;
        for (const QMenu* menu : driver.window().menuBar()->findChildren<QMenu*>())
            for (const QAction* action : menu->actions()) inMenus.insert(action);
        for (const Command& command : driver.window().work().commands.commands())
            QVERIFY2(inMenus.contains(command.action), qPrintable(command.id));
        for (const QAction* action : driver.window().findChildren<QAction*>()) {
            if (action->text().isEmpty() || action->menu() != nullptr || inMenus.contains(action))
                continue;
            // Docks have a second action to show them, which is not in any menu.
            if (action->associatedObjects().isEmpty()) continue;
            QVERIFY2(!action->shortcuts().isEmpty() || isOnATabStop(*action),
                     qPrintable(action->text()));
        }
    }

    void menusHaveDifferentMnemonics_data() {
        QTest::addColumn<QString>("code");
        for (const Language& language : languages())
            QTest::newRow(qPrintable(language.code)) << language.code;
    }
    void menusHaveDifferentMnemonics() {
        QFETCH(QString, code);
        installLanguage(*qApp, code);
        WindowDriver driver;
        std::set<QChar> letters;
        for (const QAction* action : driver.window().menuBar()->actions()) {
            const qsizetype at = action->text().indexOf('&');
            QVERIFY2(at >= 0, qPrintable(action->text()));
            QVERIFY2(letters.insert(action->text().at(at + 1).toLower()).second,
                     qPrintable(action->text()));
        }
        installLanguage(*qApp, QString());
    }

    void theMenuChoosesTheLanguageOfTheNextStart() {
        WindowDriver driver;
        QAction* german = driver.window().work().commands.action("language.de");
        QVERIFY(german != nullptr && !german->isChecked());
        QVERIFY(driver.window().work().commands.action("language.system")->isChecked());
        german->trigger();
        QVERIFY(driver.message().contains("next start"));
        QVERIFY(german->isChecked());
    }

    void aNewWindowSpeaksItAtOnce_data() {
        QTest::addColumn<bool>("isSaved");
        QTest::newRow("a project in a folder") << true;
        QTest::newRow("a lesson that was not saved") << false;
    }
    void aNewWindowSpeaksItAtOnce() {
        QFETCH(bool, isSaved);
        WindowDriver driver;
        QVERIFY(!driver.restart());  // the user did not ask for it
        QVERIFY(driver.openLesson("iris"));
        const QString folder = driver.filePath("project");
        if (isSaved) {
            driver.project().saveAs(folder);
            QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), folder, kPatienceMs);
        }
        const std::string model = driver.project().spec().model;
        driver.window().work().commands.action("language.de")->trigger();
        QVERIFY(driver.click("restart"));
        QVERIFY(driver.restart());
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QCOMPARE(driver.project().spec().model, model);
        QCOMPARE(driver.project().store().hasPlace(), isSaved);
        QVERIFY(driver.window().work().commands.action("language.de")->isChecked());
        QCOMPARE(driver.window().work().commands.action("file.open")->text().remove('&'),
                 QString("Öffnen …"));
        installLanguage(*qApp, QString());
    }

    void aRestartDuringTrainingAsks() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 0, kPatienceMs);
        driver.window().quitting().restart();
        auto* box = driver.window().findChild<QMessageBox*>("runningDialog");
        QVERIFY(box != nullptr);
        answer(*box, QMessageBox::RejectRole);
        QVERIFY(!driver.window().quitting().wantsRestart());
        QVERIFY(driver.window().isVisible());
        driver.window().quitting().restart();
        answer(*driver.window().findChildren<QMessageBox*>("runningDialog").back(),
               QMessageBox::AcceptRole);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.window().isVisible(), kPatienceMs);
        QVERIFY(driver.restart());
    }

private:
    static void answer(QMessageBox& box, QMessageBox::ButtonRole role) {
        for (QAbstractButton* button : box.buttons())
            if (box.buttonRole(button) == role) return button->click();
    }

    /// On a button that Tab reaches, or in such a button's menu.
    static bool isOnATabStop(const QAction& action) {
        for (const QObject* object : action.associatedObjects()) {
            const auto* widget = qobject_cast<const QWidget*>(object);
            if (widget == nullptr) continue;
            if ((widget->focusPolicy() & Qt::TabFocus) != 0) return true;
            if (qobject_cast<const QMenu*>(widget) != nullptr) return true;
            for (const QWidget* child : widget->findChildren<QToolButton*>())
                if ((child->focusPolicy() & Qt::TabFocus) != 0) return true;
        }
        return false;
    }
};

QTEST_MAIN(TranslationWindowTest)
#include "translation_window_test.moc"
