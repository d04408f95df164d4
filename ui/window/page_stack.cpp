// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/page_stack.h"

#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/commands/activity.h"
#include "ui/explain/explain.h"
#include "ui/panels/start/start_page.h"
#include "ui/window/page_scroll.h"
#include "ui/window/stage_rail.h"
#include "ui/window/workspace.h"

namespace temper::ui {
namespace {

constexpr auto kStartPage = "start";

}  // namespace

PageStack::PageStack(Workspace& work, DetailView& inspector, StageRail& rail, QVBoxLayout& column)
    : work_(work),
      rail_(rail),
      stack_(new QStackedWidget(column.parentWidget())),
      panels_(ui::panels()) {
    rail_.addStage(kStartPage, QStringLiteral("home"), tr("Start"));
    rail_.addGap();
    for (const PanelInfo& panel : panels_) rail_.addStage(panel.id, panel.icon, panel.title);
    rail_.finish();
    column.addWidget(stack_, 1);
    addStart();
    const PanelContext context = work_.panelContext(inspector);
    for (const PanelInfo& panel : panels_)
        fill(panel.id, explain(panel.create(context, addScroll(panel.id)->viewport()), panel.term));
    connect(&rail_, &StageRail::stageRequested, this, &PageStack::show);
    for (const auto signal : {&StudioProject::modelChanged, &StudioProject::specChanged,
                              &StudioProject::dataChanged, &StudioProject::preparationChanged})
        connect(&work_.project, signal, this, &PageStack::refreshStatus);
    connect(&work_.controller, &RunController::sessionChanged, this, &PageStack::refreshStatus);
    connect(&work_.run, &RunModel::stateChanged, this, &PageStack::refreshStatus);
    connect(&work_.run, &RunModel::updated, this, &PageStack::refreshStatus);
    refreshStatus();
}

void PageStack::addStart() {
    auto* start = new StartPage(work_.recent, work_.documents, addScroll(kStartPage)->viewport());
    connect(start, &StartPage::lessonRequested, &work_.navigator, &Navigator::lessonRequested);
    connect(start, &StartPage::fileRequested, this, &PageStack::fileRequested);
    connect(start, &StartPage::openRequested, this, &PageStack::openRequested);
    connect(start, &StartPage::currentRequested, this, [this] { show(QStringLiteral("model")); });
    fill(kStartPage, explain(start, QStringLiteral("graph")));
}

PageScroll* PageStack::addScroll(const QString& id) {
    auto* scroll = new PageScroll(stack_);
    scrolls_[id] = scroll;
    return scroll;
}

void PageStack::fill(const QString& id, QWidget* page) {
    pages_[id] = page;
    scrolls_.at(id)->setPage(page);
    stack_->addWidget(scrolls_.at(id));
}

void PageStack::show(const QString& id) {
    const auto found = scrolls_.find(id);
    if (found == scrolls_.end()) return;
    if (current_ != id) emit Activity::of(work_.navigator).placeShown(current_, false);
    current_ = id;
    // Only the shown page requests room: docks may have the rest.
    for (const auto& [other, scroll] : scrolls_) {
        const auto policy = other == id ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        scroll->setSizePolicy(policy, policy);
    }
    stack_->setCurrentWidget(found->second);
    rail_.setCurrent(id);
    emit shown(id);
    emit Activity::of(work_.navigator).placeShown(id, true);
}

void PageStack::showStart() { show(QString::fromLatin1(kStartPage)); }

void PageStack::refreshStatus() {
    const StageContext context{work_.project, work_.run, work_.controller};
    for (const PanelInfo& panel : panels_) rail_.setStatus(panel.id, panel.status(context));
}

}  // namespace temper::ui
