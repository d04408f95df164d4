// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/plot_presenter.h"

#include <QHBoxLayout>
#include <QShortcut>
#include <QSignalBlocker>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>

namespace temper::ui {

PlotPresenter::PlotPresenter(QTabWidget* tabs, QWidget* parent)
    : QWidget(parent), tabs_(tabs), bar_(new QTabBar(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    bar_->setObjectName(QStringLiteral("presentedPlots"));
    bar_->setAccessibleName(tr("Plot to show"));
    bar_->setDrawBase(false);
    bar_->setExpanding(false);
    bar_->setElideMode(Qt::ElideNone);
    bar_->setUsesScrollButtons(true);
    row->addWidget(bar_, 1);
    connect(bar_, &QTabBar::currentChanged, this, &PlotPresenter::choose);
    connect(tabs_, &QTabWidget::currentChanged, this, &PlotPresenter::followTab);
    // Shortcuts of a hidden widget are off.
    for (int i = 0; i < 9; ++i)
        connect(new QShortcut(QKeySequence(Qt::Key_1 + i), this), &QShortcut::activated, this,
                [this, i] { bar_->setCurrentIndex(i); });
    connect(new QShortcut(QKeySequence(Qt::Key_PageDown), this), &QShortcut::activated, this,
            [this] { advance(1); });
    connect(new QShortcut(QKeySequence(Qt::Key_PageUp), this), &QShortcut::activated, this,
            [this] { advance(-1); });
    hide();
}

void PlotPresenter::setPlots(const std::vector<Plot>& plots) {
    all_ = plots;
    refresh();
}

void PlotPresenter::refresh() {
    plots_.clear();
    std::ranges::copy_if(all_, std::back_inserter(plots_),
                         [this](const Plot& each) { return tabs_->indexOf(each.tab) >= 0; });
    const QSignalBlocker blocker(bar_);
    while (bar_->count() > 0) bar_->removeTab(0);
    for (const Plot& each : plots_)
        bar_->addTab(tr("%1 %2", "number and title").arg(bar_->count() + 1).arg(each.title));
    if (!isOn_) return;
    tabs_->tabBar()->hide();
    bar_->setCurrentIndex(firstIndex());
    choose(bar_->currentIndex());
}

void PlotPresenter::setOn(bool on) {
    if (on == isOn_) return;
    isOn_ = on;
    setVisible(on);
    if (on) return refresh();
    light_.end();
    tabs_->tabBar()->setVisible(tabs_->count() > 1);
}

int PlotPresenter::firstIndex() const {
    int first = 0;
    for (size_t i = plots_.size(); i-- > 0;) {
        if (plots_[i].tab != tabs_->currentWidget()) continue;
        first = static_cast<int>(i);
        if (plots_[i].plot == last_) return first;
    }
    return first;
}

void PlotPresenter::choose(int index) {
    if (!isOn_ || index < 0) return;
    const Plot& chosen = plots_[static_cast<size_t>(index)];
    light_.end();
    tabs_->setCurrentWidget(chosen.tab);
    light_.show(chosen.tab, chosen.plot);
    last_ = chosen.plot;
}

/// The tab can also be chosen elsewhere.
void PlotPresenter::followTab() {
    const int index = bar_->currentIndex();
    if (!isOn_ || index < 0) return;
    if (plots_[static_cast<size_t>(index)].tab != tabs_->currentWidget())
        bar_->setCurrentIndex(firstIndex());
}

void PlotPresenter::advance(int by) {
    bar_->setCurrentIndex(std::clamp(bar_->currentIndex() + by, 0, bar_->count() - 1));
}

}  // namespace temper::ui
