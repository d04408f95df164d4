// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "engine/training/parameters/group_membership.h"
#include "tests/ui/ui_fixture.h"
#include "tests/ui/window_driver.h"
#include "ui/panels/objective/group_model.h"
#include "ui/panels/parameters/parameter_drag.h"
#include "ui/panels/parameters/parameter_filter.h"
#include "ui/panels/parameters/parameter_model.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;
constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

std::vector<GroupMember> members() {
    return {{"fc1.weight", 12, true}, {"fc1.bias", 3, true}, {"fc2.weight", 6, false}};
}

QStringList patternsOf(const StudioProject& project) {
    QStringList patterns;
    for (const ParameterGroup& group : project.spec().artifacts.parameterGroups)
        patterns << QString::fromStdString(group.pattern);
    return patterns;
}

}  // namespace

/// Parameters are moved into groups: by mouse, by keyboard, and as one undo step.
class ParameterGroupsTest : public QObject {
    Q_OBJECT

private:
    /// The page with the parameters of the digits lesson, and groups with these patterns.
    struct Page {
        explicit Page(const QStringList& patterns) {
            opened = driver.openLesson("digits") && driver.goTo("parameters");
            if (!opened) return;
            widget = driver.window().pages().page("parameters");
            table = widget->findChild<QTableView*>("parameterTable");
            groups = widget->findChild<QTableView*>("groupTable");
            area = widget->findChild<QLabel*>("newGroupArea");
            TrainingSpec spec = driver.project().spec();
            for (const QString& pattern : patterns)
                spec.artifacts.parameterGroups.push_back({pattern.toStdString(), 0.5});
            if (!patterns.isEmpty()) driver.project().edit("groups", spec);
        }

        StudioProject& project() { return driver.project(); }

        QModelIndex rowOf(const QString& name) const {
            const QAbstractItemModel& model = *table->model();
            for (int row = 0; row < model.rowCount(); ++row)
                if (model.index(row, ParameterModel::Name).data().toString() == name)
                    return model.index(row, ParameterModel::Name);
            return {};
        }

        bool select(const QStringList& names) {
            table->clearSelection();
            for (const QString& name : names) {
                const QModelIndex row = rowOf(name);
                if (!row.isValid()) return false;
                table->selectionModel()->setCurrentIndex(row, QItemSelectionModel::NoUpdate);
                table->selectionModel()->select(
                    row, QItemSelectionModel::Select | QItemSelectionModel::Rows);
            }
            return true;
        }

        /// What a drag of the selected rows carries, as the view makes it.
        std::unique_ptr<QMimeData> dragged() const {
            QModelIndexList indexes;
            for (const QModelIndex& index : table->selectionModel()->selectedIndexes())
                if (index.flags() & Qt::ItemIsDragEnabled) indexes << index;
            return std::unique_ptr<QMimeData>(table->model()->mimeData(indexes));
        }

        /// Like the pointer: enter, move over the place, drop. Returns whether the drop was
        /// accepted.
        static bool drop(QWidget* target, const QPoint& at, const QMimeData& data) {
            QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(target, &enter);
            if (!enter.isAccepted()) return false;
            QDragMoveEvent over(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(target, &over);
            if (!over.isAccepted()) {
                QDragLeaveEvent leave;
                QApplication::sendEvent(target, &leave);
                return false;
            }
            QDropEvent down(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(target, &down);
            return down.isAccepted();
        }

        QString groupOf(const QString& name) const {
            return rowOf(name).siblingAtColumn(ParameterModel::Group).data().toString();
        }

        WindowDriver driver;
        bool opened = false;
        QWidget* widget = nullptr;
        QTableView* table = nullptr;
        QTableView* groups = nullptr;
        QLabel* area = nullptr;
    };

private slots:
    void groupsCountTensorsAndValues() {
        GroupModel model;
        const QAbstractItemModelTester tester(&model, kFatal);
        model.setGroups({{"fc1.*"}, {"*"}}, members());
        const auto cell = [&](int row, int column) {
            return model.index(row, column).data().toString();
        };
        QCOMPARE(cell(0, GroupModel::Count), QString("2"));
        QCOMPARE(cell(0, GroupModel::Values), QString("15"));
        QCOMPARE(cell(1, GroupModel::Count), QString("0 of 1"));
        QCOMPARE(cell(1, GroupModel::Values), QString("0 of 6"));
        QCOMPARE(model.frozenMembers(), int64_t{1});
        // A pattern counts a tensor that has a matching name in the module.
        model.setGroups({{"fc1.*"}}, {{"val_2", 12, true, {"fc1.weight"}}, {"fc1.bias", 3, true}});
        QCOMPARE(cell(0, GroupModel::Values), QString("15"));
        model.setGroups({{"fc1.*"}, {"*"}}, members());
        const auto words = model.index(1, GroupModel::Count).data(Qt::AccessibleDescriptionRole);
        QVERIFY2(words.toString().contains("1") && words.toString().contains("frozen"),
                 qPrintable(words.toString()));
        QCOMPARE(model.headerData(1, Qt::Vertical, Qt::DisplayRole).toString(), QString("2"));
        model.setGroups({{"fc1.*, !fc1.bias"}, {"*"}}, members());
        QCOMPARE(cell(0, GroupModel::Values), QString("12"));
        QCOMPARE(cell(1, GroupModel::Values), QString("3 of 9"));
    }

    void groupsTakeParametersAndNothingElse() {
        GroupModel model;
        const QAbstractItemModelTester tester(&model, kFatal);
        model.setGroups({{"fc1.*"}, {"*"}}, members());
        QSignalSpy dropped(&model, &GroupModel::parametersDropped);
        const auto drop = [&](const QMimeData& data, const QModelIndex& on) {
            return model.dropMimeData(&data, Qt::CopyAction, -1, -1, on);
        };
        const auto names = parameterMimeData({"fc2.weight", "a,\nb"});
        QVERIFY(drop(*names, model.index(1, GroupModel::Rate)));
        QVERIFY(drop(*names, {}));
        QCOMPARE(dropped.size(), 2);
        QCOMPARE(dropped[0][0].value<std::set<std::string>>(),
                 (std::set<std::string>{"a,\nb", "fc2.weight"}));
        QCOMPARE(dropped[0][1].value<size_t>(), size_t{1});
        QCOMPARE(dropped[1][1].value<size_t>(), size_t{2});  // a new group
        QCOMPARE(names->text(), QString("fc2.weight\na,\nb"));
        QMimeData other;
        other.setText("fc2.weight");
        QVERIFY(!drop(other, {}));
        for (const char* wrong : {"", "[]", "{\"a\": 1}", "[1, null]", "fc2.weight"}) {
            QMimeData data;
            data.setData(kParametersMimeType, wrong);
            QVERIFY2(!drop(data, {}), wrong);
        }
        QCOMPARE(dropped.size(), 2);
        QVERIFY(model.flags({}) & Qt::ItemIsDropEnabled);
    }

    void whatCanTrainIsDraggedAndShowsItsGroup() {
        ParameterModel model;
        const QAbstractItemModelTester tester(&model, kFatal);
        model.setModel(smallModel());
        model.setTrained({"fc1.weight", "fc1.bias"});
        model.setGroups({{"fc2.*"}, {"*.bias, bn.running_mean"}});
        QStringList groups;
        for (int row = 0; row < model.rowCount(); ++row)
            groups << model.index(row, ParameterModel::Group).data().toString();
        const QString first = "1 · fc2.*", second = "2 · *.bias, bn.running_mean";
        QCOMPARE(groups, (QStringList{"", second, "", second, "", "", first, first}));
        const QModelIndex frozen = model.index(7, ParameterModel::Group);
        QVERIFY2(frozen.data(Qt::ToolTipRole).toString().contains("Frozen"),
                 qPrintable(frozen.data(Qt::ToolTipRole).toString()));
        QVERIFY(!model.index(1, ParameterModel::Group)
                     .data(Qt::ToolTipRole)
                     .toString()
                     .contains("Frozen"));
        // Statistics (rows 4 and 5) can't train.
        QVERIFY(!(model.flags(model.index(4, 0)) & Qt::ItemIsDragEnabled));
        QVERIFY(model.flags(model.index(7, 0)) & Qt::ItemIsDragEnabled);
        QModelIndexList all;
        for (int row = 0; row < model.rowCount(); ++row) all << model.index(row, 0);
        const std::unique_ptr<QMimeData> data(model.mimeData(all));
        QCOMPARE(draggedParameters(*data),
                 (std::set<std::string>{"fc1.weight", "fc1.bias", "bn.weight", "bn.bias",
                                        "fc2.weight", "fc2.bias"}));
        QVERIFY(model.mimeData({model.index(4, 0)}) == nullptr);
        // Groups in their order, then parameters without a group.
        ParameterFilter filter;
        filter.setSourceModel(&model);
        filter.sort(ParameterModel::Group);
        QCOMPARE(filter.index(0, ParameterModel::Group).data().toString(), first);
        QCOMPARE(filter.index(2, ParameterModel::Group).data().toString(), second);
        QCOMPARE(filter.index(7, ParameterModel::Group).data().toString(), QString());
        model.setGroups({});
        QCOMPARE(model.index(7, ParameterModel::Group).data().toString(), QString());
    }

    void parametersAreDroppedOnAGroup() {
        Page page({"conv*", "head.weight"});
        QVERIFY(page.opened);
        QVERIFY(page.table->dragEnabled());
        QVERIFY(!page.table->isColumnHidden(ParameterModel::Group));
        QVERIFY(page.select({"conv1.bias", "conv1.weight"}));
        const int steps = page.project().undoStack()->count();
        const QRect second = page.groups->visualRect(page.groups->model()->index(1, 0));
        QVERIFY(page.drop(page.groups->viewport(), second.center(), *page.dragged()));
        QCOMPARE(patternsOf(page.project()),
                 (QStringList{"conv*, !conv1.bias, !conv1.weight",
                              "head.weight, conv1.bias, conv1.weight"}));
        QCOMPARE(page.project().undoStack()->count(), steps + 1);
        QCOMPARE(page.project().undoStack()->undoText(),
                 QString("Move 2 parameters to group 2 · head.weight"));
        QCOMPARE(page.groups->currentIndex().row(), 1);
        QVERIFY(page.groupOf("conv1.bias").startsWith("2 · "));
        QVERIFY(page.groupOf("conv2.bias").startsWith("1 · "));
        QCOMPARE(page.groups->model()->index(1, GroupModel::Count).data().toString(), QString("3"));
        // The rates in effect, as the engine hands them to the optimizer.
        QTRY_VERIFY_WITH_TIMEOUT(page.project().isReadyToTrain(), kPatienceMs);
        const auto& spec = page.project().spec().artifacts;
        QCOMPARE(GroupMembership(spec.parameterGroups).groupOf("conv1.bias"),
                 std::optional<size_t>(1));
        page.project().undoStack()->undo();
        QCOMPARE(patternsOf(page.project()), (QStringList{"conv*", "head.weight"}));
        QVERIFY(page.groupOf("conv1.bias").startsWith("1 · "));
        // Files are ignored.
        QMimeData text;
        text.setText("conv1.bias");
        QVERIFY(!page.drop(page.groups->viewport(), second.center(), text));
        QVERIFY(!page.drop(page.area, page.area->rect().center(), text));
        QCOMPARE(patternsOf(page.project()), (QStringList{"conv*", "head.weight"}));
    }

    void parametersDroppedBelowBecomeANewGroup_data() {
        QTest::addColumn<bool>("onTheTable");
        QTest::newRow("below the rows of the table") << true;
        QTest::newRow("on the area below") << false;
    }
    void parametersDroppedBelowBecomeANewGroup() {
        QFETCH(bool, onTheTable);
        Page page({"conv*"});
        QVERIFY(page.opened);
        QVERIFY(page.select({"conv1.bias"}));
        QWidget* target = onTheTable ? page.groups->viewport() : page.area;
        const QPoint at = onTheTable ? QPoint(9, target->height() - 3) : target->rect().center();
        QVERIFY(!onTheTable || !page.groups->indexAt(at).isValid());
        QVERIFY(target->isVisible());
        QVERIFY(page.drop(target, at, *page.dragged()));
        QCOMPARE(patternsOf(page.project()), (QStringList{"conv*, !conv1.bias", "conv1.bias"}));
        QCOMPARE(page.project().undoStack()->undoText(), QString("New group with conv1.bias"));
        QCOMPARE(page.groups->currentIndex().row(), 1);
        page.project().undoStack()->undo();
        QCOMPARE(patternsOf(page.project()), QStringList{"conv*"});
    }

    void frozenParametersAreAcceptedAndThisIsReported() {
        Page page({});
        QVERIFY(page.opened);
        QVERIFY(page.table->isColumnHidden(ParameterModel::Group));  // there are no groups
        QVERIFY(!page.groups->isVisible() && page.area->isVisible());
        auto* said = page.widget->findChild<QLabel*>("frozenInGroups");
        QVERIFY(!said->isVisible());
        page.driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&page.driver.window()));
        QVERIFY(page.select({"conv1.bias"}));
        page.table->setFocus();
        QTest::keyClick(page.table, Qt::Key_Space);
        QCOMPARE(page.rowOf("conv1.bias").siblingAtColumn(ParameterModel::Train).data().toString(),
                 QString("Frozen"));
        QVERIFY(page.drop(page.area, page.area->rect().center(), *page.dragged()));
        QCOMPARE(patternsOf(page.project()), QStringList{"conv1.bias"});
        QVERIFY(page.groups->isVisible() && said->isVisible());
        QVERIFY2(said->text().startsWith("1 ") && said->text().contains("frozen") &&
                     said->text().contains("unfreeze"),
                 qPrintable(said->text()));
        QCOMPARE(page.groups->model()->index(0, GroupModel::Count).data().toString(),
                 QString("0 of 1"));
        QTRY_VERIFY_WITH_TIMEOUT(page.project().isReadyToTrain(), kPatienceMs);  // nothing is wrong
        QTest::keyClick(page.table, Qt::Key_Space);
        QVERIFY(!said->isVisible());
        QCOMPARE(page.groups->model()->index(0, GroupModel::Count).data().toString(), QString("1"));
    }

    void theMenuMovesByKeyboard() {
        Page page({"conv*", "head*"});
        QVERIFY(page.opened);
        page.driver.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&page.driver.window()));
        QAction* action = page.driver.window().work().commands.action("parameters.moveToGroup");
        QVERIFY(action != nullptr);
        page.table->clearSelection();
        QVERIFY(!action->isEnabled());
        QVERIFY(page.select({"conv1.bias", "conv2.bias"}));
        QVERIFY(action->isEnabled());
        page.table->setFocus();
        const auto menu = [&]() -> QMenu* {
            for (auto* each : page.driver.window().findChildren<QMenu*>("groupMenu"))
                if (each->isVisible()) return each;
            return nullptr;
        };
        QTest::keySequence(page.table, action->shortcut());
        QVERIFY(menu() != nullptr);
        QCOMPARE(menu()->accessibleName(), QString("Move to group"));
        QStringList titles, ticked;
        for (const QAction* each : menu()->actions()) {
            if (each->isSeparator()) continue;
            titles << each->text();
            if (each->isChecked()) ticked << each->text();
        }
        QCOMPARE(titles, (QStringList{"1 · conv*", "2 · head*", "New group…", "None"}));
        QCOMPARE(ticked, QStringList{"1 · conv*"});
        QTest::keyClick(menu(), Qt::Key_Down);
        QTest::keyClick(menu(), Qt::Key_Return);
        QCOMPARE(menu(), nullptr);
        QCOMPARE(patternsOf(page.project()),
                 (QStringList{"conv*, !conv1.bias, !conv2.bias", "head*, conv1.bias, conv2.bias"}));
        // No group: the last entry, above the first.
        page.table->setFocus();
        QTest::keySequence(page.table, action->shortcut());
        QVERIFY(menu() != nullptr);
        QTest::keyClick(menu(), Qt::Key_Up);
        QTest::keyClick(menu(), Qt::Key_Return);
        QCOMPARE(patternsOf(page.project()),
                 (QStringList{"conv*, !conv1.bias, !conv2.bias", "head*"}));
        QCOMPARE(page.project().undoStack()->undoText(),
                 QString("Remove 2 parameters from their groups"));
        // A new group, whose rate is typed at once.
        page.table->setFocus();
        QTest::keySequence(page.table, action->shortcut());
        QVERIFY(menu() != nullptr);
        QTest::keyClick(menu(), Qt::Key_Up);
        QTest::keyClick(menu(), Qt::Key_Up);
        QTest::keyClick(menu(), Qt::Key_Return);
        QCOMPARE(patternsOf(page.project()).size(), 3);
        QCOMPARE(page.project().undoStack()->undoText(), QString("New group with 2 parameters"));
        auto* rate = page.groups->findChild<QLineEdit*>();
        QVERIFY(rate != nullptr && rate->hasFocus());
        QTest::keyClicks(rate, "0.125");
        QTest::keyClick(rate, Qt::Key_Return);
        // Editors commit typed text a moment later.
        QTRY_COMPARE(page.project().spec().artifacts.parameterGroups[2].learningRateFactor, 0.125);
        for (int step = 0; step < 4; ++step) page.project().undoStack()->undo();
        QCOMPARE(patternsOf(page.project()), (QStringList{"conv*", "head*"}));
        QVERIFY(page.driver.goTo("objective"));
        QVERIFY(!action->isEnabled());
    }

    void theContextMenuMovesTheSelectedRows() {
        Page page({"conv*"});
        QVERIFY(page.opened);
        QVERIFY(page.select({"head.bias"}));
        const QPoint at = page.table->visualRect(page.rowOf("head.bias")).center();
        QContextMenuEvent asked(QContextMenuEvent::Keyboard, at,
                                page.table->viewport()->mapToGlobal(at));
        QApplication::sendEvent(page.table->viewport(), &asked);
        auto* menu = page.driver.window().findChild<QMenu*>("parameterMenu");
        QVERIFY(menu != nullptr && menu->isVisible());
        auto* groups = menu->findChild<QMenu*>("groupMenu");
        QVERIFY(groups != nullptr);
        QVERIFY(menu->actions().contains(groups->menuAction()));
        QVERIFY(groups->actions().constLast()->isChecked());  // in no group
        groups->actions().constFirst()->trigger();
        QCOMPARE(patternsOf(page.project()), QStringList{"conv*, head.bias"});
        QCOMPARE(page.project().undoStack()->undoText(),
                 QString("Move head.bias to group 1 · conv*"));
        menu->close();
    }

    void allPartsHaveNames() {
        Page page({"conv*"});
        QVERIFY(page.opened);
        QCOMPARE(page.groups->accessibleName(), QString("Parameter groups"));
        QVERIFY(page.groups->focusPolicy() & Qt::TabFocus);
        for (const char* name : {"addGroup", "raiseGroup", "removeGroup"}) {
            auto* button = page.widget->findChild<QPushButton*>(name);
            QVERIFY2(button != nullptr && button->isVisible(), name);
            QVERIFY2(!button->accessibleName().isEmpty() || !button->text().isEmpty(), name);
            QVERIFY2(button->focusPolicy() & Qt::TabFocus, name);
        }
        QVERIFY(page.area->text().contains("drop them here"));
    }
};

QTEST_MAIN(ParameterGroupsTest)
#include "parameter_groups_test.moc"
