// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QApplication>
#include <QCompleter>
#include <QInputDialog>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <QTimer>

#include "engine/runs/run_store.h"
#include "engine/training/projects/project_run.h"
#include "tests/ui/window_driver.h"
#include "ui/commands/command_registry.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/docks/runs/run_tag_commands.h"
#include "ui/docks/runs/runs_dock.h"
#include "ui/docks/runs/tag_delegate.h"
#include "ui/run/run_history.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;
using Tags = std::vector<std::string>;

/// A project with three runs in its history, none of them trained, the first with tags.
class ThreeRuns {
public:
    bool open() {
        if (!driver.openLesson("iris")) return false;
        RunStore store(path());
        for (int i = 0; i < 3; ++i) {
            StoredRun run;
            run.name = "Run " + std::to_string(i + 1);
            run.status = RunStatus::Finished;
            if (i == 0) run.tags = {"baseline", "lr"};
            store.add(run);
        }
        driver.window().docks().show("runs");
        dock = driver.window().findChild<RunsDock*>();
        driver.window().work().history.reload();
        return QTest::qWaitFor([this] { return model().rowCount() == 3; }, kPatienceMs);
    }
    std::filesystem::path path() {
        return runStorePath(driver.project().ensureFolder().toStdString());
    }
    RunTableModel& model() { return *dock->model(); }
    QTableView* table() { return dock->findChild<QTableView*>("runTable"); }
    QModelIndex cell(int64_t id) {
        return model().index(model().rowOf(id), model().columnOf("tags"));
    }
    /// In the file, once nothing is being written.
    Tags written(int64_t id) {
        const bool isQuiet =
            QTest::qWaitFor([this] { return !driver.project().tasks()->isBusy(); }, kPatienceMs);
        return isQuiet ? RunStore(path()).run(id).tags : Tags{"busy"};
    }

    WindowDriver driver;
    RunsDock* dock = nullptr;
};

}  // namespace

/// Tags of runs: typed, completed, shown, found, undone.
class RunTagsTest : public QObject {
    Q_OBJECT

private slots:
    void theLastTagIsCompleted_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("completed");
        QTest::newRow("the first") << "ba"
                                   << "baseline";
        QTest::newRow("the second") << "lr, ba"
                                    << "lr, baseline";
        QTest::newRow("without a blank") << "lr,small n"
                                         << "lr, small net";
        QTest::newRow("in capitals") << "lr, BASE"
                                     << "lr, baseline";
        QTest::newRow("none") << "lr, x"
                              << "";
    }
    void theLastTagIsCompleted() {
        QFETCH(QString, typed);
        QFETCH(QString, completed);
        QLineEdit edit;
        QCompleter* completer = makeTagCompleter({"baseline", "lr", "small net"}, &edit);
        edit.setCompleter(completer);
        edit.setText(typed);
        completer->setCompletionPrefix(typed);
        const QString found =
            completer->completionCount() > 0 ? completer->currentCompletion() : QString();
        QCOMPARE(found, completed);
    }

    void tagsInUseAreOffered() {
        StoredRun first, second;
        first.tags = {"lr", "Baseline"};
        second.tags = {"small net", "lr"};
        QCOMPARE(RunTagCommands::tagsOf({first, second}),
                 (QStringList{"Baseline", "lr", "small net"}));
    }

    void tagsAreTypedIntoTheirCell() {
        ThreeRuns runs;
        QVERIFY(runs.open());
        QCOMPARE(runs.cell(1).data().toString(), QString("baseline, lr"));
        QCOMPARE(runs.cell(2).data().toString(), QString());
        runs.table()->scrollTo(runs.cell(2));
        runs.table()->setCurrentIndex(runs.cell(2));
        runs.table()->edit(runs.cell(2));
        auto* edit = runs.table()->findChild<QLineEdit*>();
        QVERIFY(edit != nullptr && edit->completer() != nullptr);
        QCOMPARE(edit->completer()->model()->rowCount(), 2);
        QTest::keyClicks(edit, " lr,best , lr");
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_COMPARE(runs.cell(2).data().toString(), QString("lr, best"));
        QCOMPARE(runs.written(2), (Tags{"lr", "best"}));
        QCOMPARE(runs.driver.project().undoStack()->undoText(), QString("Change tags of run"));
        // The search finds them.
        auto* filter = runs.dock->findChild<QLineEdit*>("runFilter");
        filter->setText("best");
        QCOMPARE(runs.model().rowCount(), 1);
        QCOMPARE(runs.model().run(0).id, int64_t{2});
        filter->clear();
        runs.driver.project().undoStack()->undo();
        QTRY_COMPARE(runs.cell(2).data().toString(), QString());
        QCOMPARE(runs.written(2), Tags());
    }

    void tagsAreAddedToSeveralRuns() {
        ThreeRuns runs;
        QVERIFY(runs.open());
        QAction* add = runs.driver.window().work().commands.action("runs.tags");
        QVERIFY(!add->isEnabled());
        runs.table()->selectAll();
        QVERIFY(add->isEnabled());
        bool isAsked = false;
        QTimer::singleShot(0, &runs.driver.window(), [&isAsked] {
            auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
            if (dialog == nullptr) return;
            isAsked = dialog->findChild<QLineEdit*>()->completer() != nullptr;
            dialog->setTextValue("lr, small net");
            dialog->accept();
        });
        add->trigger();  // returns once the dialog is closed
        QVERIFY(isAsked);
        QCOMPARE(runs.written(1), (Tags{"baseline", "lr", "small net"}));
        QCOMPARE(runs.written(2), (Tags{"lr", "small net"}));
        QCOMPARE(runs.written(3), (Tags{"lr", "small net"}));
        runs.driver.project().undoStack()->undo();
        QCOMPARE(runs.written(1), (Tags{"baseline", "lr"}));
        QCOMPARE(runs.written(3), Tags());
    }
};

QTEST_MAIN(RunTagsTest)
#include "run_tags_test.moc"
