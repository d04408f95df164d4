// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/optimizer_state_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/explain/explain.h"
#include "ui/messages/problem.h"
#include "ui/tasks/task_runner.h"
#include "ui/tensor_view/tensor_view.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {
namespace {

/// One line per group.
QString groupsText(const CheckpointFile& file) {
    QStringList lines;
    for (const OptimizerGroupState& group : file.optimizerGroups)
        lines << OptimizerStateView::tr("%1: step %2, initial learning rate %3, %Ln parameters",
                                        nullptr, static_cast<int>(group.parameters.size()))
                     .arg(text(group.name), QLocale().toString(static_cast<qlonglong>(group.step)),
                          decimalText(double{group.initialLearningRate}, 'g', 6));
    return lines.join('\n');
}

}  // namespace

OptimizerStateView::OptimizerStateView(TaskRunner& tasks, QWidget* parent)
    : QStackedWidget(parent),
      model_(new OptimizerStateModel(this)),
      groups_(makeLabel({}, "", this)) {
    explain(this, "moment");
    addWidget(new Placeholder(
        QStringLiteral("table"),
        tr("No optimizer state: training from here starts with moments of zero."), {}, this));
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, em(this, 0.5), 0, 0);
    groups_->setObjectName(QStringLiteral("optimizerGroups"));
    groups_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(groups_);
    auto* splitter = new QSplitter(page);
    splitter->setChildrenCollapsible(false);
    table_ = makeTable(model_, splitter, true);
    table_->setObjectName(QStringLiteral("optimizerMoments"));
    table_->setAccessibleName(tr("Moments of the optimizer"));
    table_->horizontalHeader()->setStretchLastSection(true);
    values_ = new TensorView(tasks, splitter);
    splitter->addWidget(table_);
    splitter->addWidget(values_);
    splitter->setSizes({em(this, 44), em(this, 26)});
    layout->addWidget(splitter, 1);
    addWidget(page);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &OptimizerStateView::showMoment);
}

void OptimizerStateView::setState(const CheckpointFile& file, std::vector<CheckpointMoment> moments,
                                  const ModuleNames& names) {
    groups_->setText(groupsText(file));
    values_->clear();
    model_->setMoments(std::move(moments), names);
    setCurrentIndex(file.optimizerGroups.empty() ? 0 : 1);
}

/// The table may be sorted.
void OptimizerStateView::showMoment(const QModelIndex& row) {
    if (!row.isValid()) return;
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(table_->model());
    const CheckpointMoment& moment = model_->moment(proxy->mapToSource(row).row());
    values_->setTensor(QStringLiteral("%1.%2").arg(moment.parameter, moment.moment), moment.data);
}

}  // namespace temper::ui
