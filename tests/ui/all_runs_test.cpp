// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "engine/core/file.h"
#include "engine/runs/run_journal.h"
#include "engine/runs/run_store.h"
#include "engine/training/projects/project_run.h"
#include "tests/ui/window_driver.h"
#include "ui/commands/command_registry.h"
#include "ui/docks/runs/run_compare_model.h"
#include "ui/docks/runs/run_folders.h"
#include "ui/docks/runs/run_overlay.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/docks/runs/runs_dock.h"
#include "ui/plots/plot_view.h"
#include "ui/run/run_history.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

/// Three saved projects with runs that nobody trained; the last one is open.
class ThreeProjects {
public:
    bool open() {
        // openLesson() does not wait for a lesson that is open.
        if (!make("first", "iris") || !make("second", "spirals") || !make("third", "iris"))
            return false;
        driver.window().docks().show("runs");
        dock = driver.window().findChild<RunsDock*>();
        driver.window().work().history.reload();
        return waitFor({"third 1", "third 2"});
    }
    RunTableModel& model() { return *dock->model(); }
    RunHistory& history() { return driver.window().work().history; }
    void choose(int scope) {
        auto* box = dock->findChild<QComboBox*>("runScope");
        box->setCurrentIndex(scope);
    }
    QStringList names() {
        QStringList names;
        for (int row = 0; row < model().rowCount(); ++row)
            names << QString::fromStdString(model().run(row).name);
        names.sort();
        return names;
    }
    bool waitFor(const QStringList& expected) {
        return QTest::qWaitFor([&] { return names() == expected; }, kPatienceMs);
    }
    QString projectOf(const char* run) {
        for (int row = 0; row < model().rowCount(); ++row)
            if (model().run(row).name == run)
                return model().index(row, model().columnOf("document")).data().toString();
        return "no such run";
    }
    QColor colorOf(const char* run) {
        for (int row = 0; row < model().rowCount(); ++row)
            if (model().run(row).name == run)
                return model().index(row, 0).data(Qt::DecorationRole).value<QColor>();
        return {};
    }
    /// Selects the row of a run.
    bool select(const char* run) {
        for (int row = 0; row < model().rowCount(); ++row) {
            if (model().run(row).name != run) continue;
            dock->findChild<QTableView*>("runTable")->selectRow(row);
            return true;
        }
        return false;
    }
    QAction* action(const char* id) { return driver.window().work().commands.action(id); }
    std::filesystem::path folder(const char* name) { return driver.filePath(name).toStdString(); }
    bool isQuiet() {
        return QTest::qWaitFor([this] { return !driver.project().tasks()->isBusy(); }, kPatienceMs);
    }

    WindowDriver driver;
    RunsDock* dock = nullptr;

private:
    bool make(const char* name, const char* lesson) {
        if (!driver.openLesson(lesson)) return false;
        const QString path = driver.filePath(name);
        driver.project().saveAs(path);
        const auto isSaved = [&] { return driver.project().store().folder() == path; };
        if (!QTest::qWaitFor(isSaved, kPatienceMs)) return false;
        RunStore store(runStorePath(folder(name)));
        for (int i = 1; i <= 2; ++i) {
            StoredRun run = newRunOf(driver.project().spec(), folder(name));
            run.name = std::string(name) + " " + std::to_string(i);
            run.group = "nets";
            run.status = RunStatus::Finished;
            run = store.add(run);
            // The window reads the newest one, perhaps only now.
            const std::filesystem::path runFolder = runFolderOf(folder(name), run);
            ensureFolder(runFolder);
            RunLog log(runLogPath(runFolder));
            log.write(RunEvent{0, StartedEvent{}});
            log.write(RunEvent{1, EndEvent{}});
        }
        return isQuiet();
    }
};

QStringList knownFolders(WindowDriver& driver) {
    return driver.settings().value("projectFolders").toStringList();
}

const QStringList kAll{"first 1", "first 2", "second 1", "second 2", "third 1", "third 2"};

}  // namespace

/// One history for the runs of all projects.
class AllRunsTest : public QObject {
    Q_OBJECT

private slots:
    void allProjectsAreShownOnRequest() {
        ThreeProjects projects;
        QVERIFY(projects.open());
        QCOMPARE(projects.model().columnOf("document"), -1);
        projects.choose(1);
        QVERIFY2(projects.waitFor(kAll), qPrintable(projects.names().join(", ")));
        QCOMPARE(projects.projectOf("first 2"), QString("first"));
        QCOMPARE(projects.projectOf("second 1"), QString("second"));
        QCOMPARE(projects.projectOf("third 1"), QString("this one"));
        // Searched by project, and compared.
        auto* filter = projects.dock->findChild<QLineEdit*>("runFilter");
        filter->setText("second");
        QCOMPARE(projects.names(), (QStringList{"second 1", "second 2"}));
        projects.dock->findChild<QComboBox*>("runView")->setCurrentIndex(1);
        QCOMPARE(projects.dock->comparison()->columnCount(), 2);
        projects.dock->findChild<QComboBox*>("runView")->setCurrentIndex(0);
        filter->clear();
        projects.choose(0);
        QVERIFY(projects.waitFor({"third 1", "third 2"}));
        QCOMPARE(projects.model().columnOf("document"), -1);
    }

    void aRunOpensItsProject() {
        ThreeProjects projects;
        QVERIFY(projects.open());
        projects.choose(1);
        QVERIFY(projects.waitFor(kAll));
        QVERIFY(projects.select("first 1"));
        QCOMPARE(projects.action("runs.resume")->text(), QString("Open its project"));
        projects.action("runs.resume")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(projects.driver.project().name(), QString("first"), kPatienceMs);
        // What was open before is one of the others now.
        QTRY_COMPARE_WITH_TIMEOUT(projects.projectOf("third 1"), QString("third"), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(projects.projectOf("first 1"), QString("this one"), kPatienceMs);
        QVERIFY(projects.waitFor(kAll));
    }

    /// Whichever project is open. Next to a run of the same colour, its curve has another pattern.
    void aRunKeepsItsColourInOtherProjects() {
        ThreeProjects projects;
        QVERIFY(projects.open());
        const QColor third = projects.colorOf("third 1");
        QVERIFY(third.isValid());
        projects.choose(1);
        QVERIFY(projects.waitFor(kAll));
        QCOMPARE(projects.colorOf("third 1"), third);
        const QColor second = projects.colorOf("second 2");
        QVERIFY(projects.select("second 2"));
        projects.action("runs.resume")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(projects.projectOf("second 2"), QString("this one"), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(projects.projectOf("third 1"), QString("third"), kPatienceMs);
        QVERIFY(projects.waitFor(kAll));
        QCOMPARE(projects.colorOf("second 2"), second);
        QCOMPARE(projects.colorOf("third 1"), third);
        QVERIFY(projects.isQuiet());
        auto* chosen = projects.dock->findChild<QTableView*>("runTable")->selectionModel();
        chosen->clearSelection();
        for (int row = 0; row < projects.model().rowCount(); ++row)
            if (projects.model().run(row).name.ends_with(" 1"))
                chosen->select(projects.model().index(row, 0),
                               QItemSelectionModel::Select | QItemSelectionModel::Rows);
        const RunOverlay& overlay = *projects.dock->overlay();
        QTRY_COMPARE_WITH_TIMEOUT(overlay.runCount(), size_t{3}, kPatienceMs);
        QCOMPARE(overlay.plot()->seriesCount(), 3);
        const auto look = [&](int run) { return overlay.plot()->sampleOf(run).toImage(); };
        QVERIFY(look(0) != look(1) && look(0) != look(2) && look(1) != look(2));
    }

    void labelsAreWrittenIntoTheProjectOfTheRun() {
        ThreeProjects projects;
        QVERIFY(projects.open());
        projects.choose(1);
        QVERIFY(projects.waitFor(kAll));
        RunTableModel& model = projects.model();
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.run(row).name == "second 2")
                QVERIFY(model.setData(model.index(row, model.columnOf("notes")), "the good one",
                                      Qt::EditRole));
        QVERIFY(projects.isQuiet());
        QCOMPARE(RunStore(runStorePath(projects.folder("second"))).run(2).notes,
                 std::string("the good one"));
        QVERIFY(RunStore(runStorePath(projects.folder("third"))).run(2).notes.empty());
        // A change is undone where it was made, even if these runs are no longer shown.
        projects.choose(0);
        QVERIFY(projects.waitFor({"third 1", "third 2"}));
        projects.driver.project().undoStack()->undo();
        QVERIFY(projects.isQuiet());
        QVERIFY(RunStore(runStorePath(projects.folder("second"))).run(2).notes.empty());
    }

    /// A folder of this project does not reach into another one that is not shown.
    void foldersAreThoseOfTheShownRuns() {
        ThreeProjects projects;
        QVERIFY(projects.open());
        projects.choose(1);
        QVERIFY(projects.waitFor(kAll));
        projects.choose(0);
        QVERIFY(projects.waitFor({"third 1", "third 2"}));
        auto* folders = projects.dock->folders();
        const QModelIndex nets = folders->model()->index(1, 0);
        QCOMPARE(nets.data().toString(), QString("nets"));
        QVERIFY(folders->model()->setData(nets, "trees", Qt::EditRole));
        QVERIFY(projects.isQuiet());
        QCOMPARE(RunStore(runStorePath(projects.folder("third"))).run(1).group,
                 std::string("trees"));
        QCOMPARE(RunStore(runStorePath(projects.folder("first"))).run(1).group,
                 std::string("nets"));
    }

    void projectsThatAreGoneOrDamagedAreLeftOut() {
        ThreeProjects projects;
        QVERIFY(projects.open());
        QVERIFY(QDir(projects.driver.filePath("first")).removeRecursively());
        QFile damaged(QString::fromStdString(runStorePath(projects.folder("second")).string()));
        QVERIFY(damaged.open(QIODevice::WriteOnly));
        damaged.write(QByteArray(5000, 'x'));
        damaged.close();
        projects.choose(1);
        QVERIFY(projects.isQuiet());
        QCOMPARE(projects.names(), (QStringList{"third 1", "third 2"}));
        QVERIFY2(projects.driver.message().isEmpty(), qPrintable(projects.driver.message()));
        QVERIFY(!QDir(projects.driver.filePath("first")).exists());
    }

    /// As when a drive is unmounted; its mount point may stay behind, empty.
    void aProjectThatIsAwayForAWhileIsKept_data() {
        QTest::addColumn<bool>("leavesFolder");
        QTest::newRow("the folder is gone") << false;
        QTest::newRow("the folder is empty") << true;
    }
    void aProjectThatIsAwayForAWhileIsKept() {
        QFETCH(bool, leavesFolder);
        ThreeProjects projects;
        QVERIFY(projects.open());
        WindowDriver& driver = projects.driver;
        const QString first = driver.filePath("first"), away = driver.filePath("away");
        QVERIFY(QDir().rename(first, away));
        if (leavesFolder) QVERIFY(QDir().mkdir(first));
        projects.choose(1);
        QVERIFY(projects.waitFor({"second 1", "second 2", "third 1", "third 2"}));
        QCOMPARE(knownFolders(driver),
                 (QStringList{driver.filePath("third"), driver.filePath("second"), first}));
        if (leavesFolder) QVERIFY(QDir().rmdir(first));
        QVERIFY(QDir().rename(away, first));
        projects.choose(0);
        projects.choose(1);
        QVERIFY2(projects.waitFor(kAll), qPrintable(projects.names().join(", ")));
    }

    /// That list is short, and people tidy it.
    void runsOutliveTheListOfRecentFiles_data() {
        QTest::addColumn<QString>("how");
        for (const char* how : {"other files", "removed", "cleared"}) QTest::newRow(how) << how;
    }
    void runsOutliveTheListOfRecentFiles() {
        QFETCH(QString, how);
        ThreeProjects projects;
        QVERIFY(projects.open());
        WindowDriver& driver = projects.driver;
        RecentFiles& recent = driver.window().work().recent;
        const QString first = driver.filePath("first");
        QVERIFY(recent.paths().contains(first));
        if (how == "removed") recent.remove(first);
        if (how == "cleared") recent.clear();
        for (int i = 0; how == "other files" && i < 25; ++i)
            recent.add(driver.filePath(QString("model-%1.onnx").arg(i)));
        QVERIFY(!recent.paths().contains(first));
        projects.choose(1);
        QVERIFY2(projects.waitFor(kAll), qPrintable(projects.names().join(", ")));
        driver.reopen();
        projects.history().setReadsOtherProjects(true);
        QTRY_COMPARE_WITH_TIMEOUT(projects.history().runs()->size(),
                                  static_cast<size_t>(kAll.size()), kPatienceMs);
    }

    /// It may get some while it is open.
    void aProjectWithoutRunsIsKnownWhileItIsOpen() {
        WindowDriver driver;
        const QString folder = driver.filePath("empty");
        QVERIFY(driver.openLesson("iris"));
        driver.project().saveAs(folder);
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), folder, kPatienceMs);
        QSignalSpy read(&driver.window().work().projects, &KnownProjects::changed);
        driver.window().work().history.setReadsOtherProjects(true);
        QTRY_VERIFY_WITH_TIMEOUT(!read.isEmpty(), kPatienceMs);
        QCOMPARE(knownFolders(driver), QStringList{folder});
        QVERIFY(driver.openLesson("spirals"));
        QTRY_VERIFY_WITH_TIMEOUT(knownFolders(driver).isEmpty(), kPatienceMs);
    }

    /// Settings name tensors of their model.
    void settingsOfAnotherModelAreNotOffered() {
        ThreeProjects projects;
        QVERIFY(projects.open());
        projects.choose(1);
        QVERIFY(projects.waitFor(kAll));
        QVERIFY(projects.select("first 1"));
        QVERIFY(projects.action("runs.use")->isEnabled());  // the same lesson
        QVERIFY(projects.driver.openLesson("spirals"));
        QVERIFY(projects.waitFor(kAll));
        QVERIFY(projects.select("first 1"));
        QVERIFY(!projects.action("runs.use")->isEnabled());
        QVERIFY(projects.action("runs.resume")->isEnabled());
    }
};

QTEST_MAIN(AllRunsTest)
#include "all_runs_test.moc"
