// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/runs_dock.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/commands/activity.h"
#include "ui/commands/command_registry.h"
#include "ui/commands/navigator.h"
#include "ui/docks/runs/current_cell.h"
#include "ui/docks/runs/parallel_page.h"
#include "ui/docks/runs/parallel_view.h"
#include "ui/docks/runs/queue_commands.h"
#include "ui/docks/runs/run_compare_model.h"
#include "ui/docks/runs/run_files.h"
#include "ui/docks/runs/run_folder_model.h"
#include "ui/docks/runs/run_folders.h"
#include "ui/docks/runs/run_overlay.h"
#include "ui/docks/runs/run_scope.h"
#include "ui/docks/runs/run_table_feed.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/docks/runs/run_tag_commands.h"
#include "ui/docks/runs/spark_delegate.h"
#include "ui/docks/runs/tag_delegate.h"
#include "ui/document/studio_project.h"
#include "ui/run/run_history.h"
#include "ui/run/run_model.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/translation/tr.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/flow_row.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {
namespace {

/// The order of the views.
enum RunView { kAsRows, kAsColumns, kOverAxes };

const QString kViewKey = QStringLiteral("runs");

/// Adjacent rows as one range: thousands of single rows would block the window.
QItemSelection selectionOf(const RunTableModel& model, std::vector<int> rows) {
    std::ranges::sort(rows);
    QItemSelection selection;
    for (size_t first = 0, last = 0; first < rows.size(); first = ++last) {
        while (last + 1 < rows.size() && rows[last + 1] == rows[last] + 1) ++last;
        selection.select(model.index(rows[first], 0), model.index(rows[last], 0));
    }
    return selection;
}

}  // namespace

DockInfo runsDock() {
    return {.id = "runs",
            .title = tr("Runs"),
            .icon = "chart",
            .area = Qt::BottomDockWidgetArea,
            .shortcut = QKeySequence("Ctrl+Shift+U"),
            .create = createDock<RunsDock>,
            .term = "run",
            .layouts = {LayoutPreset::Train}};
}

RunsDock::RunsDock(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      model_(new RunTableModel(this)),
      feed_(new RunTableFeed(context.project, context.history, this)),
      comparison_(new RunCompareModel(*model_, this)),
      folders_(new RunFolders(context.history, this)),
      parallel_(new ParallelPage(*model_, this)),
      overlay_(new RunOverlay(context, this)),
      files_(new RunFiles(context, this)),
      tags_(new RunTagCommands(context.history, this)),
      banner_(new Banner(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    views_ = new QStackedWidget(this);
    buildCommands();
    layout->addWidget(banner_);
    layout->addWidget(buildTools());
    layout->addWidget((new QueueCommands(context_, this))->makeBar(this));
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    views_->addWidget(buildList());
    views_->addWidget(buildComparison());
    views_->addWidget(parallel_);
    connect(parallel_, &ParallelPage::rowsChosen, this, &RunsDock::selectRows);
    connect(parallel_->view(), &ParallelView::activated, table_, &QTableView::selectRow);
    splitter->addWidget(folders_);
    splitter->addWidget(views_);
    splitter->addWidget(overlay_);
    splitter->setStretchFactor(1, 3);
    splitter->setStretchFactor(2, 2);
    list_ = splitter;
    empty_ = new Placeholder(QStringLiteral("chart"),
                             tr("No runs yet. Every training run of this project is kept here. "
                                "Runs of other projects and of untitled documents are under "
                                "“All projects”."),
                             tr("Import a log…"), this);
    layout->addWidget(list_, 1);
    layout->addWidget(empty_, 1);
    connect(empty_, &Placeholder::triggered, this, &RunsDock::importLog);
    connect(&context_.history, &RunHistory::changed, this, &RunsDock::rebuild);
    connect(&context_.navigator, &Navigator::comparisonRequested, this, &RunsDock::compare);
    connect(banner_, &Banner::actionTriggered, this, [this] {
        context_.history.label(trashed_, [](StoredRun& run) { run.isTrashed = false; });
        banner_->hide();
    });
    connect(folders_, &RunFolders::chosenChanged, this, [this] {
        model_->setFolder(folders_->chosen());
        selectionChanged();
    });
    connect(&context_.project, &StudioProject::aboutToSave, this, &RunsDock::keepView);
    connect(&context_.project, &StudioProject::opened, this, &RunsDock::showKeptView);
    connectEdits();
    feed_->setViews({table_, folders_});
    connect(feed_, &RunTableFeed::ready, this, &RunsDock::adopt);
    rebuild();
}

void RunsDock::keepView() {
    const auto& folder = folders_->wanted();
    QStringList hidden;
    for (const QString& key : hidden_) hidden << key;
    context_.project.setView(
        kViewKey, QJsonObject{{"view", views_->currentIndex()},
                              {"allProjects", scope_->currentIndex() == 1},
                              {"values", values_->currentIndex()},
                              {"differencesOnly", choice_.differencesOnly},
                              {"folder", folder ? QJsonValue(*folder) : QJsonValue()},
                              {"hidden", QJsonArray::fromStringList(hidden)},
                              {"sortedBy", model_->sortKey()},
                              {"descending", model_->sortOrder() == Qt::DescendingOrder}});
}

void RunsDock::showKeptView() {
    const QJsonValue kept = context_.project.view(kViewKey);
    if (!kept.isObject()) return folders_->choose(std::nullopt);
    view_->setCurrentIndex(qBound(0, kept["view"].toInt(), view_->count() - 1));
    if (kept["allProjects"].toBool()) scope_->setCurrentIndex(1);
    values_->setCurrentIndex(qBound(0, kept["values"].toInt(), values_->count() - 1));
    differences_->setChecked(kept["differencesOnly"].toBool());
    hidden_.clear();
    for (const QJsonValue key : kept["hidden"].toArray()) hidden_.insert(key.toString());
    model_->sortBy(kept["sortedBy"].toString(),
                   kept["descending"].toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
    folders_->choose(kept["folder"].isString() ? std::optional(kept["folder"].toString())
                                               : std::nullopt);
    hideColumns();
}

QAction* RunsDock::addCommand(const QString& id, const QString& title, const QString& icon,
                              void (RunsDock::*slot)()) {
    auto* action = new QAction(icon.isEmpty() ? QIcon() : themedIcon(icon), title, this);
    action->setData(icon);
    connect(action, &QAction::triggered, this, slot);
    context_.commands.add(QStringLiteral("runs.") + id, MenuId::Runs, action);
    return action;
}

void RunsDock::buildCommands() {
    needOne_ = {addCommand(QStringLiteral("use"), tr("Use its settings"), QStringLiteral("undo"),
                           &RunsDock::useSettings),
                addCommand(QStringLiteral("resume"), tr("Continue run"), QStringLiteral("play"),
                           &RunsDock::resume),
                addCommand(QStringLiteral("report"), tr("Report…"), QStringLiteral("export"),
                           &RunsDock::saveReport),
                addCommand(QStringLiteral("tensorboard"), tr("TensorBoard file…"),
                           QStringLiteral("export"), &RunsDock::saveTensorBoard)};
    needSome_ = {
        addCommand(QStringLiteral("pin"), tr("Pin"), QStringLiteral("lock"), &RunsDock::togglePin),
        addCommand(QStringLiteral("trash"), tr("Move to trash"), QStringLiteral("close"),
                   &RunsDock::moveToTrash),
        addCommand(QStringLiteral("folder"), tr("Put into a new folder"), QStringLiteral("open"),
                   &RunsDock::putIntoNewFolder),
        addCommand(QStringLiteral("tags"), tr("Add tags…"), {}, &RunsDock::addTags)};
    addCommand(QStringLiteral("import"), tr("Import a log…"), QStringLiteral("open"),
               &RunsDock::importLog);
}

QWidget* RunsDock::buildTools() {
    auto* tools = new FlowRow(this);
    auto* filter = new QLineEdit(tools);
    filter->setObjectName(QStringLiteral("runFilter"));
    filter->setPlaceholderText(tr("Search runs"));
    filter->setAccessibleName(tr("Search runs"));
    filter->setClearButtonEnabled(true);
    filter->setFixedWidth(em(this, 13));
    values_ = new QComboBox(tools);
    values_->addItems({tr("Best values"), tr("Last values"), tr("Lowest values")});
    values_->setAccessibleName(tr("Which value of a metric"));
    view_ = new QComboBox(tools);
    view_->setObjectName(QStringLiteral("runView"));
    view_->addItems({tr("Runs as rows"), tr("Runs as columns"), tr("Parallel axes")});
    view_->setAccessibleName(tr("How runs are shown"));
    scope_ = new RunScope(context_.history, context_.project, tools);
    folders_->limitTo([this](int64_t run) { return scope_->shows(run); });
    differences_ = new QCheckBox(tr("Differences only"), tools);
    differences_->setChecked(choice_.differencesOnly);
    auto* trash = new QCheckBox(tr("Trash"), tools);
    for (QWidget* tool :
         std::initializer_list<QWidget*>{scope_, view_, filter, values_, differences_, trash})
        tools->add(tool);
    for (QAction* action : {needOne_[0], needOne_[1], needSome_[0], needSome_[1]})
        tools->add(new ActionButton(action, false, tools));
    connect(scope_, &QComboBox::currentIndexChanged, this, &RunsDock::rebuild);
    connect(filter, &QLineEdit::textChanged, model_, &RunTableModel::setFilter);
    connect(view_, &QComboBox::currentIndexChanged, this, [this](int index) {
        views_->setCurrentIndex(index);
        refreshView();
    });
    connect(model_, &QAbstractItemModel::modelReset, this, &RunsDock::refreshView);
    connect(model_, &QAbstractItemModel::layoutChanged, this, &RunsDock::refreshView);
    connect(values_, &QComboBox::currentIndexChanged, this, [this](int index) {
        choice_.metricValue = static_cast<MetricValue>(index);
        rebuild();
    });
    connect(differences_, &QCheckBox::toggled, this, [this](bool on) {
        choice_.differencesOnly = on;
        rebuild();
    });
    connect(trash, &QCheckBox::toggled, this, [this](bool on) {
        choice_.showsTrash = on;
        needSome_[1]->setText(on ? tr("Restore from trash") : tr("Move to trash"));
        rebuild();
    });
    return tools;
}

QWidget* RunsDock::buildList() {
    table_ = makeTable(model_, this);
    sparks_ = new SparkDelegate(table_);
    table_->setObjectName(QStringLiteral("runTable"));
    table_->setSortingEnabled(true);
    table_->horizontalHeader()->setSortIndicatorClearable(true);
    table_->sortByColumn(-1, Qt::AscendingOrder);
    table_->horizontalHeader()->setSectionsMovable(true);
    table_->horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(table_->horizontalHeader(), &QWidget::customContextMenuRequested, this,
            &RunsDock::chooseColumns);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsDock::selectionChanged);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    table_->setDragDropMode(QAbstractItemView::DragOnly);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
    for (const auto& actions : {needOne_, needSome_})
        for (QAction* action : actions) table_->addAction(action);
    return table_;
}

QWidget* RunsDock::buildComparison() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    compareTable_ = makeTable(comparison_, page);
    compareTable_->setObjectName(QStringLiteral("runComparison"));
    compareTable_->setAccessibleName(tr("Runs as columns"));
    compareTable_->setSelectionBehavior(QAbstractItemView::SelectItems);
    compareTable_->verticalHeader()->show();
    compareTable_->horizontalHeader()->setStretchLastSection(false);
    leftOut_ = makeLabel({}, "muted", page);
    leftOut_->setWordWrap(true);
    layout->addWidget(compareTable_, 1);
    layout->addWidget(leftOut_);
    return page;
}

ParallelView* RunsDock::parallel() const { return parallel_->view(); }

std::vector<int> RunsDock::selectedRows() const {
    std::vector<int> rows;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows())
        rows.push_back(index.row());
    return rows;
}

void RunsDock::refreshView() {
    if (views_->currentIndex() == kAsColumns) compareColumns();
    if (views_->currentIndex() == kOverAxes) parallel_->refresh(selectedRows());
}

/// Compares the selected rows, if there are at least two.
void RunsDock::compareColumns() {
    comparison_->show(selectedRows(), hidden_, choice_.differencesOnly);
    compareTable_->resizeColumnsToContents();
    leftOut_->setVisible(comparison_->leftOut() > 0);
    leftOut_->setText(
        tr("%Ln more runs: search, or select some of the rows.", nullptr, comparison_->leftOut()));
}

void RunsDock::selectRows(const std::vector<int>& rows) {
    table_->selectionModel()->select(
        selectionOf(*model_, rows),
        QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void RunsDock::select(const std::vector<int64_t>& ids) {
    const std::set<int64_t> wanted(ids.begin(), ids.end());
    std::vector<int> rows;
    for (int row = 0; row < model_->rowCount(); ++row)
        if (wanted.contains(model_->run(row).id)) rows.push_back(row);
    selectRows(rows);
}

/// Runs of one folder are variations of a setting: over axes, one sees what it does.
void RunsDock::compare(const std::vector<int64_t>& ids) {
    std::set<QString> folders;
    for (const int64_t id : ids)
        if (const StoredRun* run = context_.history.find(id))
            folders.insert(cleanFolder(text(run->group)));
    const bool areVariations = folders.size() == 1 && !folders.begin()->isEmpty();
    folders_->choose(areVariations ? std::optional(*folders.begin()) : std::nullopt);
    if (areVariations) view_->setCurrentIndex(kOverAxes);
    select(ids);
}

void RunsDock::connectEdits() {
    RunHistory& history = context_.history;
    connect(model_, &RunTableModel::renamed, this, [&history](qlonglong id, const QString& name) {
        history.edit(tr("Rename run"), {id},
                     [&](StoredRun& run) { run.name = name.toStdString(); });
    });
    connect(model_, &RunTableModel::regrouped, this,
            [&history](qlonglong id, const QString& group) {
                history.edit(tr("Move run to another folder"), {id},
                             [&](StoredRun& run) { run.group = group.toStdString(); });
            });
    connect(model_, &RunTableModel::tagged, tags_, &RunTagCommands::set);
    connect(model_, &RunTableModel::noted, this, [&history](qlonglong id, const QString& notes) {
        history.edit(tr("Change notes of run"), {id},
                     [&](StoredRun& run) { run.notes = notes.toStdString(); });
    });
}

void RunsDock::rebuild() {
    choice_.documents = scope_->projectNames();
    choice_.ownOnly = scope_->showsOnlyOwn();
    feed_->request(choice_);
}

void RunsDock::adopt(std::shared_ptr<const RunTable> table) {
    const CurrentCell current(*table_, *model_);
    const std::vector<int64_t> before = selected();
    const bool other = table->columns.size() != model_->table()->columns.size();
    {
        const QSignalBlocker blocker(table_->selectionModel());
        folders_->show(*table);
        model_->setTable(std::move(table));
        // Unseen by the view, which would scroll there.
        table_->selectionModel()->setCurrentIndex(current.in(*model_),
                                                  QItemSelectionModel::NoUpdate);
    }
    setDelegates();
    if (other || std::exchange(isFresh_, false)) table_->resizeColumnsToContents();
    hideColumns();
    select(before);
    const bool any = std::ranges::any_of(
        *context_.history.runs(), [this](const StoredRun& run) { return scope_->shows(run.id); });
    list_->setVisible(any);
    empty_->setVisible(!any);
    setWindowTitle(any ? tr("Runs (%1)").arg(model_->rowCount()) : QString());
    selectionChanged();
}

void RunsDock::setDelegates() {
    for (int column = 0; column < model_->columnCount(); ++column) {
        const RunColumn::Kind kind = model_->column(column).kind;
        QAbstractItemDelegate* delegate = table_->itemDelegate();
        if (kind == RunColumn::Kind::Metric) delegate = sparks_;
        if (kind == RunColumn::Kind::Tags) delegate = tags_->delegate();
        table_->setItemDelegateForColumn(column, delegate);
    }
}

std::vector<int64_t> RunsDock::selected() const {
    std::vector<int64_t> ids;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows())
        ids.push_back(model_->run(index.row()).id);
    return ids;
}

void RunsDock::selectionChanged() {
    const std::vector<int64_t> ids = selected();
    for (QAction* action : needOne_) action->setEnabled(ids.size() == 1);
    for (QAction* action : needSome_) action->setEnabled(!ids.empty());
    needOne_[1]->setEnabled(ids.size() == 1 && !context_.run.isActive());
    const bool isElsewhere = ids.size() == 1 && !context_.history.documentOf(ids.front()).isEmpty();
    needOne_[1]->setText(isElsewhere ? tr("Open its project") : tr("Continue run"));
    needOne_[0]->setEnabled(ids.size() == 1 && context_.history.canUseSettingsOf(ids.front()));
    overlay_->showRuns(ids);
    if (ids != compared_ && ids.size() > 1)
        emit Activity::of(context_.navigator).acted(QStringLiteral("compare runs"));
    compared_ = ids;
    if (views_->currentIndex() == kAsColumns) compareColumns();
    parallel()->setSelected(selectedRows());
}

void RunsDock::useSettings() {
    if (const auto ids = selected(); ids.size() == 1) context_.history.useSettingsOf(ids.front());
}

void RunsDock::resume() {
    if (const auto ids = selected(); ids.size() == 1) context_.history.resume(ids.front());
}

void RunsDock::importLog() { files_->importLog(); }

void RunsDock::saveReport() {
    if (const auto ids = selected(); ids.size() == 1) files_->saveReport(ids.front());
}

void RunsDock::saveTensorBoard() {
    if (const auto ids = selected(); ids.size() == 1) files_->saveTensorBoard(ids.front());
}

void RunsDock::togglePin() {
    const std::vector<int64_t> ids = selected();
    if (ids.empty()) return;
    const bool pin = !context_.history.find(ids.front())->isPinned;
    context_.history.edit(pin ? tr("Pin runs") : tr("Unpin runs"), ids,
                          [pin](StoredRun& run) { run.isPinned = pin; });
}

void RunsDock::putIntoNewFolder() { folders_->putIntoNew(selected()); }

void RunsDock::addTags() { tags_->askAdd(selected()); }

void RunsDock::moveToTrash() {
    trashed_ = selected();
    std::erase(trashed_, context_.run.isActive() ? context_.history.current() : 0);
    const bool intoTrash = !choice_.showsTrash;
    context_.history.label(trashed_, [intoTrash](StoredRun& run) { run.isTrashed = intoTrash; });
    if (!intoTrash || trashed_.empty()) return;
    banner_->show(
        Banner::Kind::Info,
        {tr("%n runs are in the trash", nullptr, static_cast<int>(trashed_.size())), {}, {}},
        tr("Undo"));
}

void RunsDock::chooseColumns(const QPoint& place) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const RunColumn& column : model_->table()->columns) {
        if (column.kind == RunColumn::Kind::Name) continue;
        QAction* action = menu->addAction(column.title);
        action->setCheckable(true);
        action->setChecked(!hidden_.contains(column.key));
        connect(action, &QAction::toggled, this, [this, key = column.key](bool shown) {
            shown ? (void)hidden_.erase(key) : (void)hidden_.insert(key);
            hideColumns();
        });
    }
    menu->popup(table_->horizontalHeader()->mapToGlobal(place));
}

/// The header's arrow also follows the columns.
void RunsDock::hideColumns() {
    {
        QHeaderView* header = table_->horizontalHeader();
        const QSignalBlocker blocker(header);  // already sorted
        header->setSortIndicator(model_->columnOf(model_->sortKey()), model_->sortOrder());
    }
    for (int column = 0; column < model_->columnCount(); ++column)
        table_->setColumnHidden(column, hidden_.contains(model_->column(column).key));
    refreshView();
}

}  // namespace temper::ui
