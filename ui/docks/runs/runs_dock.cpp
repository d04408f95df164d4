// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/runs_dock.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/runs/run_journal.h"
#include "engine/runs/tensorboard.h"
#include "ui/commands/command_registry.h"
#include "ui/docks/log/log_model.h"
#include "ui/docks/runs/parallel_view.h"
#include "ui/docks/runs/run_compare_model.h"
#include "ui/docks/runs/run_overlay.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/docks/runs/spark_delegate.h"
#include "ui/project/studio_project.h"
#include "ui/run/pdf_report.h"
#include "ui/run/run_history.h"
#include "ui/run/run_model.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {
namespace {

/// By ranges on the parallel axes.
constexpr size_t kMostSelected = 200;

}  // namespace

RunsDock::RunsDock(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      model_(new RunTableModel(this)),
      comparison_(new RunCompareModel(*model_, this)),
      parallel_(new ParallelView(*model_, this)),
      overlay_(new RunOverlay(context, this)),
      banner_(new Banner(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    views_ = new QStackedWidget(this);
    buildCommands();
    layout->addWidget(banner_);
    layout->addWidget(buildTools());
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    views_->addWidget(buildList());
    views_->addWidget(buildComparison());
    views_->addWidget(buildParallel());
    splitter->addWidget(views_);
    splitter->addWidget(overlay_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    list_ = splitter;
    empty_ = new Placeholder(QStringLiteral("chart"),
                             tr("No runs yet. Every training of this project is kept here."),
                             tr("Import a log…"), this);
    layout->addWidget(list_, 1);
    layout->addWidget(empty_, 1);
    connect(empty_, &Placeholder::triggered, this, &RunsDock::importLog);
    connect(&context_.history, &RunHistory::changed, this, &RunsDock::rebuild);
    connect(banner_, &Banner::actionTriggered, this, [this] {
        context_.history.label(trashed_, [](StoredRun& run) { run.isTrashed = false; });
        banner_->hide();
    });
    connectEdits();
    rebuild();
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
                addCommand(QStringLiteral("resume"), tr("Go on with it"), QStringLiteral("play"),
                           &RunsDock::resume),
                addCommand(QStringLiteral("report"), tr("Report…"), QStringLiteral("export"),
                           &RunsDock::saveReport),
                addCommand(QStringLiteral("tensorboard"), tr("TensorBoard file…"),
                           QStringLiteral("export"), &RunsDock::saveTensorBoard)};
    needSome_ = {
        addCommand(QStringLiteral("pin"), tr("Pin"), QStringLiteral("lock"), &RunsDock::togglePin),
        addCommand(QStringLiteral("trash"), tr("Move to trash"), QStringLiteral("close"),
                   &RunsDock::moveToTrash)};
    addCommand(QStringLiteral("import"), tr("Import a log…"), QStringLiteral("open"),
               &RunsDock::importLog);
}

QWidget* RunsDock::buildTools() {
    auto* tools = new QWidget(this);
    auto* row = new QHBoxLayout(tools);
    row->setContentsMargins(0, 0, 0, 0);
    auto* filter = new QLineEdit(tools);
    filter->setObjectName(QStringLiteral("runFilter"));
    filter->setPlaceholderText(tr("Search runs"));
    filter->setAccessibleName(tr("Search runs"));
    filter->setClearButtonEnabled(true);
    filter->setMaximumWidth(em(this, 14));
    auto* value = new QComboBox(tools);
    value->addItems({tr("Best values"), tr("Last values"), tr("Least values")});
    value->setAccessibleName(tr("Which value of a metric"));
    auto* view = new QComboBox(tools);
    view->setObjectName(QStringLiteral("runView"));
    view->addItems({tr("Runs as rows"), tr("Runs as columns"), tr("Parallel axes")});
    view->setAccessibleName(tr("How runs are shown"));
    auto* differences = new QCheckBox(tr("Differences only"), tools);
    differences->setChecked(choice_.differencesOnly);
    auto* trash = new QCheckBox(tr("Trash"), tools);
    row->addWidget(view);
    row->addWidget(filter);
    row->addWidget(value);
    row->addWidget(differences);
    row->addWidget(trash);
    row->addStretch(1);
    for (QAction* action : {needOne_[0], needOne_[1], needSome_[0], needSome_[1]})
        row->addWidget(new ActionButton(action, false, tools));
    connect(filter, &QLineEdit::textChanged, model_, &RunTableModel::setFilter);
    connect(view, &QComboBox::currentIndexChanged, this, [this](int index) {
        views_->setCurrentIndex(index);
        refreshView();
    });
    connect(model_, &QAbstractItemModel::modelReset, this, &RunsDock::refreshView);
    connect(model_, &QAbstractItemModel::layoutChanged, this, &RunsDock::refreshView);
    connect(value, &QComboBox::currentIndexChanged, this, [this](int index) {
        choice_.metricValue = static_cast<MetricValue>(index);
        rebuild();
    });
    connect(differences, &QCheckBox::toggled, this, [this](bool on) {
        choice_.differencesOnly = on;
        rebuild();
    });
    connect(trash, &QCheckBox::toggled, this, [this](bool on) {
        choice_.showsTrash = on;
        needSome_[1]->setText(on ? tr("Take out of trash") : tr("Move to trash"));
        rebuild();
    });
    return tools;
}

QWidget* RunsDock::buildList() {
    table_ = makeTable(model_, this);
    table_->setObjectName(QStringLiteral("runTable"));
    table_->setAccessibleName(tr("Runs"));
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

QWidget* RunsDock::buildParallel() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    within_ = makeLabel({}, "muted", page);
    within_->setWordWrap(true);
    layout->addWidget(parallel_, 1);
    layout->addWidget(within_);
    connect(parallel_, &ParallelView::rangesChanged, this, &RunsDock::selectWithin);
    connect(parallel_, &ParallelView::activated, table_, &QTableView::selectRow);
    return page;
}

std::vector<int> RunsDock::selectedRows() const {
    std::vector<int> rows;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows())
        rows.push_back(index.row());
    return rows;
}

void RunsDock::refreshView() {
    if (views_->currentIndex() == 1) compareColumns();
    if (views_->currentIndex() != 2) return;
    parallel_->refresh();
    parallel_->setSelected(selectedRows());
    sayWithin();
}

/// Those that are selected among the rows, where there are at least two.
void RunsDock::compareColumns() {
    comparison_->show(selectedRows(), hidden_, choice_.differencesOnly);
    compareTable_->resizeColumnsToContents();
    leftOut_->setVisible(comparison_->leftOut() > 0);
    leftOut_->setText(tr("%Ln more runs: search, or select some among the rows.", nullptr,
                         comparison_->leftOut()));
}

/// The runs within the ranges are the selected ones, where they are few enough to look at: with
/// thousands of rows in pieces a selection would keep the window waiting.
void RunsDock::selectWithin() {
    const std::vector<int> within = parallel_->within();
    QItemSelection selection;
    if (parallel_->hasRanges() && within.size() <= kMostSelected)
        for (const int row : within) selection.select(model_->index(row, 0), model_->index(row, 0));
    table_->selectionModel()->select(
        selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    sayWithin();
}

void RunsDock::sayWithin() {
    const QLocale locale;
    const size_t count = parallel_->within().size();
    QString sentence =
        tr("Drag along an axis to keep the runs of a range; drag a title to move its axis, click "
           "it to colour by it.");
    if (parallel_->hasRanges())
        sentence = (count <= kMostSelected
                        ? tr("%1 of %2 runs are within the ranges and selected. Escape takes the "
                             "ranges away.")
                        : tr("%1 of %2 runs are within the ranges. Narrower ones select them; "
                             "Escape takes the ranges away."))
                       .arg(locale.toString(count), locale.toString(model_->rowCount()));
    within_->setText(sentence);
    within_->setVisible(!parallel_->axes().empty());
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
    connect(model_, &RunTableModel::noted, this, [&history](qlonglong id, const QString& notes) {
        history.edit(tr("Change notes of run"), {id},
                     [&](StoredRun& run) { run.notes = notes.toStdString(); });
    });
}

void RunsDock::rebuild() {
    context_.project.tasks()->cancel(task_);
    task_ = context_.project.tasks()->run(
        tr("Preparing the table of runs"), tr("The runs can't be shown"),
        [runs = context_.history.runs(), choice = choice_](std::stop_token) {
            return makeRunTable(runs, choice);
        },
        [this](std::shared_ptr<const RunTable> table) { adopt(std::move(table)); },
        [this](const Problem& problem) { emit context_.history.failed(problem); });
}

void RunsDock::adopt(std::shared_ptr<const RunTable> table) {
    task_ = 0;
    const std::vector<int64_t> before = selected();
    const bool other = table->columns.size() != model_->table()->columns.size();
    {
        const QSignalBlocker blocker(table_->selectionModel());
        model_->setTable(std::move(table));
    }
    for (int column = 0; column < model_->columnCount(); ++column)
        table_->setItemDelegateForColumn(column,
                                         model_->column(column).kind == RunColumn::Kind::Metric
                                             ? new SparkDelegate(table_)
                                             : table_->itemDelegate());
    if (other || std::exchange(isFresh_, false)) table_->resizeColumnsToContents();
    hideColumns();
    QItemSelection selection;
    for (const int64_t id : before)
        if (const int row = model_->rowOf(id); row >= 0)
            selection.select(model_->index(row, 0), model_->index(row, 0));
    table_->selectionModel()->select(
        selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    const bool any = !context_.history.runs()->empty();
    list_->setVisible(any);
    empty_->setVisible(!any);
    setWindowTitle(any ? tr("Runs (%1)").arg(model_->rowCount()) : tr("Runs"));
    selectionChanged();
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
    overlay_->showRuns(ids);
    if (views_->currentIndex() == 1) compareColumns();
    parallel_->setSelected(selectedRows());
}

void RunsDock::useSettings() {
    if (const auto ids = selected(); ids.size() == 1) context_.history.useSettingsOf(ids.front());
}

void RunsDock::resume() {
    if (const auto ids = selected(); ids.size() == 1) context_.history.resume(ids.front());
}

void RunsDock::togglePin() {
    const std::vector<int64_t> ids = selected();
    if (ids.empty()) return;
    const bool pin = !context_.history.find(ids.front())->isPinned;
    context_.history.edit(pin ? tr("Pin runs") : tr("Unpin runs"), ids,
                          [pin](StoredRun& run) { run.isPinned = pin; });
}

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

void RunsDock::importLog() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Import the log of a run"), {},
                                                      tr("Logs of runs (*.jsonl);;All files (*)"));
    if (!path.isEmpty()) context_.history.importLog(path);
}

template <typename F>
void RunsDock::writeFrom(const QString& title, F write) {
    const auto ids = selected();
    const StoredRun* run = ids.size() == 1 ? context_.history.find(ids.front()) : nullptr;
    if (run == nullptr) return;
    context_.project.tasks()->run(
        title, tr("The file could not be written"),
        [write, run = *run, log = runLogPath(context_.history.folderOf(*run).toStdString())](
            std::stop_token) { return write(readRunLog(log), run); },
        [this](const std::filesystem::path& path) {
            context_.log.add(Severity::Info, tr("Written: %1").arg(text(path.string())));
        },
        [this](const Problem& problem) { emit context_.history.failed(problem); });
}

void RunsDock::saveReport() {
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save a page about the run"), QStringLiteral("run.html"),
        tr("Pages for a browser (*.html);;Pages to print (*.pdf)"));
    if (path.isEmpty()) return;
    writeFrom(tr("Writing the report"), [path = std::filesystem::path(path.toStdString())](
                                            const RunRecord& record, const StoredRun&) {
        writeReport(record, path);
        return path;
    });
}

void RunsDock::saveTensorBoard() {
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Folder that TensorBoard reads"));
    if (folder.isEmpty()) return;
    writeFrom(tr("Writing the event file"), [path = std::filesystem::path(folder.toStdString())](
                                                const RunRecord& record, const StoredRun& run) {
        return writeTensorBoard(record, run.startedAt, path);
    });
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

void RunsDock::hideColumns() {
    for (int column = 0; column < model_->columnCount(); ++column)
        table_->setColumnHidden(column, hidden_.contains(model_->column(column).key));
    refreshView();
}

}  // namespace temper::ui
