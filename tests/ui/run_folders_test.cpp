// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMimeData>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "engine/runs/run_store.h"
#include "engine/training/projects/project_run.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/runs/run_folder_model.h"
#include "ui/docks/runs/run_folders.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/docks/runs/runs_dock.h"
#include "ui/run/run_history.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

std::shared_ptr<const RunTable> tableOf(const QStringList& groups) {
    std::vector<StoredRun> runs;
    for (const QString& group : groups) {
        StoredRun run;
        run.id = static_cast<int64_t>(runs.size()) + 1;
        run.group = group.toStdString();
        runs.push_back(run);
    }
    return makeRunTable(std::make_shared<const std::vector<StoredRun>>(std::move(runs)), {});
}

/// "nets 3, nets/small 1": as displayed.
QString listed(const std::vector<RunFolder>& folders) {
    QStringList parts;
    for (const RunFolder& folder : folders)
        parts << QString("%1 %2").arg(folder.path).arg(folder.count);
    return parts.join(", ");
}

/// A project with four runs in its history, none of them trained.
class FourRuns {
public:
    bool open() {
        if (!driver.openLesson("iris")) return false;
        RunStore store(runStorePath(driver.project().ensureFolder().toStdString()));
        for (int i = 0; i < 4; ++i) {
            StoredRun run;
            run.name = "Run " + std::to_string(i + 1);
            run.status = RunStatus::Finished;
            run.group = i < 2 ? "nets/small" : "";
            store.add(run);
        }
        driver.window().docks().show("runs");
        dock = driver.window().findChild<RunsDock*>();
        driver.window().work().history.reload();
        return QTest::qWaitFor([this] { return dock->model()->rowCount() == 4; }, kPatienceMs);
    }
    std::string groupOf(int64_t id) { return driver.window().work().history.find(id)->group; }
    bool isQuiet() {
        return QTest::qWaitFor([this] { return !driver.project().tasks()->isBusy(); }, kPatienceMs);
    }
    QTableView* table() { return dock->findChild<QTableView*>("runTable"); }
    RunFolderModel* folders() { return dock->folders()->folders(); }
    QStringList tree() {
        QStringList names;
        const auto add = [&](const auto& self, const QModelIndex& parent, int depth) -> void {
            for (int row = 0; row < folders()->rowCount(parent); ++row) {
                const QModelIndex index = folders()->index(row, 0, parent);
                names << QString(depth, '-') + index.data().toString() + ' ' +
                             index.siblingAtColumn(1).data().toString();
                self(self, index, depth + 1);
            }
        };
        add(add, {}, 0);
        return names;
    }

    WindowDriver driver;
    RunsDock* dock = nullptr;
};

}  // namespace

/// Folders of runs, and the saved state of the dock.
class RunFoldersTest : public QObject {
    Q_OBJECT

private slots:
    void foldersAreCounted_data() {
        QTest::addColumn<QStringList>("groups");
        QTest::addColumn<QString>("expected");
        QTest::newRow("none") << QStringList{"", ""} << "";
        QTest::newRow("nested") << QStringList{"nets/small", "nets", "nets/small/x", ""}
                                << "nets 3, nets/small 2, nets/small/x 1";
        QTest::newRow("a neighbour that begins alike")
            << QStringList{"nets b", "nets/small", "nets"} << "nets 2, nets/small 1, nets b 1";
        QTest::newRow("careless") << QStringList{" nets // small/ ", "/", "nets/small"}
                                  << "nets 2, nets/small 2";
    }

    void foldersAreCounted() {
        QFETCH(QStringList, groups);
        QFETCH(QString, expected);
        QCOMPARE(listed(foldersOf(*tableOf(groups))), expected);
        RunFolderModel model;
        const QAbstractItemModelTester tester(&model);
        model.show(*tableOf(groups));
        for (const RunFolder& folder : model.folders())
            QCOMPARE(RunFolderModel::pathOf(model.indexOf(folder.path)), folder.path);
        QVERIFY(!model.indexOf(QString("nets/none")).isValid());
        QVERIFY(!model.show(*tableOf(groups)));  // the rows stay the same
    }

    void aFolderIsChosenRenamedAndFilledByDropping() {
        FourRuns runs;
        QVERIFY(runs.open());
        QVERIFY(runs.dock->folders()->isVisible());
        QCOMPARE(runs.tree(), (QStringList{"All runs 4", "nets 2", "-small 2", "No folder 2"}));
        runs.dock->folders()->setCurrentIndex(runs.folders()->indexOf(QString("nets")));
        QCOMPARE(runs.dock->model()->rowCount(), 2);
        runs.dock->folders()->setCurrentIndex(runs.folders()->indexOf(QString()));
        QCOMPARE(runs.dock->model()->rowCount(), 2);
        QCOMPARE(runs.dock->model()->run(0).group, std::string());

        // Both of them, as the table provides them for dragging.
        const std::unique_ptr<QMimeData> data(runs.dock->model()->mimeData(
            {runs.dock->model()->index(0, 0), runs.dock->model()->index(1, 0),
             runs.dock->model()->index(1, 1)}));
        const QModelIndex nets = runs.folders()->indexOf(QString("nets"));
        const QModelIndex all = runs.folders()->indexOf(std::nullopt);
        QVERIFY(!runs.folders()->canDropMimeData(data.get(), Qt::CopyAction, -1, -1, all));
        QVERIFY(runs.folders()->dropMimeData(data.get(), Qt::CopyAction, -1, -1, nets));
        QTRY_COMPARE_WITH_TIMEOUT(runs.tree(), (QStringList{"All runs 4", "nets 4", "-small 2"}),
                                  kPatienceMs);
        QCOMPARE(runs.dock->folders()->chosen(), std::nullopt);  // "No folder" is gone
        QCOMPARE(runs.dock->model()->rowCount(), 4);

        // Renaming applies to all contents, in one undo step.
        runs.dock->folders()->setCurrentIndex(runs.folders()->indexOf(QString("nets/small")));
        const int undos = runs.driver.project().undoStack()->count();
        QVERIFY(
            !runs.folders()->setData(runs.folders()->indexOf(QString("nets")), "  ", Qt::EditRole));
        QVERIFY(runs.folders()->setData(runs.folders()->indexOf(QString("nets")), "models / old",
                                        Qt::EditRole));
        QTRY_COMPARE_WITH_TIMEOUT(runs.tree(),
                                  (QStringList{"All runs 4", "models 4", "-old 4", "--small 2"}),
                                  kPatienceMs);
        QCOMPARE(runs.dock->folders()->chosen(), QString("models/old/small"));  // as before
        QCOMPARE(runs.driver.project().undoStack()->count(), undos + 1);
        QVERIFY(runs.isQuiet());
        runs.driver.project().undoStack()->undo();
        runs.driver.project().undoStack()->undo();
        QTRY_COMPARE_WITH_TIMEOUT(runs.tree(),
                                  (QStringList{"All runs 4", "nets 2", "-small 2", "No folder 2"}),
                                  kPatienceMs);
    }

    void aNewFolderIsNamedAtOnce() {
        FourRuns runs;
        QVERIFY(runs.open());
        runs.table()->selectAll();
        runs.driver.window().work().commands.action("runs.folder")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(runs.tree(), (QStringList{"All runs 4", "Folder 1 4"}),
                                  kPatienceMs);
        auto* editor = runs.dock->folders()->viewport()->findChild<QLineEdit*>();
        QVERIFY(editor != nullptr);
        QTest::keyClicks(editor, "Monday");
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(runs.tree(), (QStringList{"All runs 4", "Monday 4"}),
                                  kPatienceMs);
        QCOMPARE(runs.groupOf(1), std::string("Monday"));
        QCOMPARE(runs.table()->selectionModel()->selectedRows().size(), 4);
        QVERIFY(runs.isQuiet());
        // Moving the last run out of the last folder hides the tree.
        for (int i = 0; i < 2; ++i) runs.driver.project().undoStack()->undo();
        runs.driver.window().work().history.edit("Out", {1, 2},
                                                 [](StoredRun& run) { run.group.clear(); });
        QTRY_VERIFY_WITH_TIMEOUT(!runs.dock->folders()->isVisible(), kPatienceMs);
        QVERIFY(runs.isQuiet());
    }

    void theNameOfAFolderInTheTrashIsTaken() {
        FourRuns runs;
        QVERIFY(runs.open());
        runs.driver.window().work().history.label({4}, [](StoredRun& run) {
            run.group = "Folder 1/deep";
            run.isTrashed = true;
        });
        QTRY_COMPARE_WITH_TIMEOUT(runs.dock->model()->rowCount(), 3, kPatienceMs);
        runs.table()->selectRow(0);
        runs.driver.window().work().commands.action("runs.folder")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(runs.tree().contains("Folder 2 1"), kPatienceMs);
        QVERIFY(runs.isQuiet());
    }

    void theDockOpensAsItWasLeft() {
        const QTemporaryDir place;
        const QString folder = place.filePath("kept");
        {
            FourRuns runs;
            QVERIFY(runs.open());
            runs.driver.project().saveAs(folder);
            QTRY_COMPARE_WITH_TIMEOUT(runs.driver.project().store().folder(), folder, kPatienceMs);
            QTRY_COMPARE_WITH_TIMEOUT(runs.dock->model()->rowCount(), 4, kPatienceMs);
            QVERIFY(runs.isQuiet());
            RunTableModel& model = *runs.dock->model();
            runs.dock->folders()->setCurrentIndex(runs.folders()->indexOf(QString("nets/small")));
            runs.table()->sortByColumn(model.columnOf("name"), Qt::DescendingOrder);
            runs.dock->findChild<QComboBox*>("runView")->setCurrentIndex(1);
            QCOMPARE(model.run(0).name, std::string("Run 2"));
            runs.driver.project().saveNow();
        }
        WindowDriver driver;
        driver.window().files().open(folder);
        driver.window().docks().show("runs");
        auto* dock = driver.window().findChild<RunsDock*>();
        QTRY_COMPARE_WITH_TIMEOUT(dock->folders()->chosen(), QString("nets/small"), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(dock->model()->rowCount(), 2, kPatienceMs);
        QCOMPARE(dock->findChild<QComboBox*>("runView")->currentIndex(), 1);
        QCOMPARE(dock->model()->run(0).name, std::string("Run 2"));
        const QHeaderView* header = dock->findChild<QTableView*>("runTable")->horizontalHeader();
        QCOMPARE(header->sortIndicatorSection(), dock->model()->columnOf("name"));
        QCOMPARE(header->sortIndicatorOrder(), Qt::DescendingOrder);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        // While reading again, the runs are absent for a moment.
        driver.project().reload();
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(dock->model()->rowCount(), 2, kPatienceMs);
        QCOMPARE(dock->folders()->chosen(), QString("nets/small"));
    }
};

QTEST_MAIN(RunFoldersTest)
#include "run_folders_test.moc"
