// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/layers/layers_dock.h"

#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/docks/layers/layer_model.h"
#include "ui/docks/layers/ridge_delegate.h"
#include "ui/run/run_model.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/translation/tr.h"
#include "ui/widgets/filling_column.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {

DockInfo layersDock() {
    return {.id = "layers",
            .title = tr("Layers"),
            .icon = "layers",
            .area = Qt::BottomDockWidgetArea,
            .shortcut = QKeySequence("Ctrl+Shift+H"),
            .pages = {"model", "parameters", "train"},
            .create = createDock<LayersDock>,
            .term = "update-ratio",
            .layouts = {LayoutPreset::Train}};
}

LayersDock::LayersDock(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      run_(context.run),
      model_(new LayerModel(this)),
      caption_(makeLabel({}, "muted", this)),
      empty_(new Placeholder(QStringLiteral("layers"),
                             tr("Weights and gradients of each layer appear here during training."),
                             tr("Start training"), this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    caption_->setContentsMargins(em(this, 0.4), 0, 0, 0);
    layout->addWidget(caption_);
    buildTable();
    layout->addWidget(table_, 1);
    layout->addWidget(empty_, 1);
    connect(&run_, &RunModel::updated, this, &LayersDock::refresh);
    connect(&run_, &RunModel::stateChanged, this, &LayersDock::refresh);
    connect(empty_, &Placeholder::triggered, this, [navigator = &context.navigator] {
        emit navigator->commandRequested(QStringLiteral("training.start"));
    });
    refresh();
}

void LayersDock::buildTable() {
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(model_);
    proxy->setSortRole(LayerModel::SortRole);
    proxy->setDynamicSortFilter(false);  // rows stay where they are while numbers change
    table_ = makeTable(proxy, this, true);
    table_->setObjectName(QStringLiteral("layerTable"));
    table_->sortByColumn(-1, Qt::AscendingOrder);
    table_->setItemDelegateForColumn(LayerModel::Weights, new RidgeDelegate(0, table_));
    table_->setItemDelegateForColumn(LayerModel::Gradients, new RidgeDelegate(1, table_));
    const std::pair<LayerModel::Column, double> widths[] = {
        {LayerModel::Name, 12},      {LayerModel::Weights, 10},     {LayerModel::Gradients, 10},
        {LayerModel::WeightNorm, 6}, {LayerModel::GradientNorm, 7}, {LayerModel::UpdateRatio, 7},
        {LayerModel::Zeros, 7},      {LayerModel::DeadUnits, 8}};
    for (const auto& [column, width] : widths) table_->setColumnWidth(column, em(this, width));
    fillWithColumn(table_, LayerModel::Remark, OtherColumns::KeepWidth);
}

void LayersDock::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

/// A hidden dock costs nothing.
void LayersDock::refresh() {
    const auto& layers = run_.layers();
    if (isVisible() || !layers) model_->setLayers(layers);
    table_->setVisible(layers != nullptr);
    caption_->setVisible(layers != nullptr);
    empty_->setVisible(!layers);
    empty_->setButtonVisible(!run_.isActive());
    if (!layers) return;
    const QString step = QLocale().toString(static_cast<qlonglong>(layers->step));
    caption_->setText(tr("Step %1; powers of two from 2^%2 (left) to 2^%3 (right); line = first "
                         "sample. Monitoring overhead %4 %.")
                          .arg(step)
                          .arg(MagnitudeHistogram::kLowestExponent)
                          .arg(MagnitudeHistogram::kLowestExponent + MagnitudeHistogram::kBins)
                          .arg(decimalText(100 * layers->costShare, 'f', 1)));
    const int remarks = model_->remarks();
    setWindowTitle(remarks > 0 ? tr("Layers (%1)").arg(remarks) : QString());
}

}  // namespace temper::ui
