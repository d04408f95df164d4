// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/window_docks.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QSettings>
#include <QTableView>
#include <ranges>

#include "ui/commands/activity.h"
#include "ui/explain/explain.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/window/page_scroll.h"

namespace temper::ui {
namespace {

constexpr auto kStateKey = "windowState";
constexpr auto kWantedKey = "docks";
/// Counts up when docks are renamed: an older state does not fit then.
constexpr int kStateVersion = 1;

/// A dock that reports when the user closes it.
class ClosableDock : public QDockWidget {
public:
    ClosableDock(const QString& title, QAction* action, QWidget* parent)
        : QDockWidget(title, parent), action_(action) {}

protected:
    void closeEvent(QCloseEvent* event) override {
        QDockWidget::closeEvent(event);
        action_->setChecked(false);
    }

private:
    QAction* action_;
};

}  // namespace

WindowDocks::WindowDocks(QMainWindow& window, QSettings& settings, const PanelContext& context,
                         const std::vector<DockInfo>& tools)
    : QObject(&window), window_(window), settings_(settings) {
    window_.setDockOptions(QMainWindow::AnimatedDocks | QMainWindow::AllowTabbedDocks);
    window_.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window_.setDocumentMode(true);
    for (const DockInfo& info : docks()) add(info, context);
    for (const DockInfo& info : tools) add(info, context);
    restore();
}

void WindowDocks::add(const DockInfo& info, const PanelContext& context) {
    auto* action = new QAction(themedIcon(info.icon), info.title, this);
    action->setCheckable(true);
    action->setShortcut(info.shortcut);
    action->setData(info.id);
    auto* dock = new ClosableDock(info.title, action, &window_);
    dock->setObjectName(QStringLiteral("dock-") + info.id);
    dock->setAccessibleName(info.title);
    // A small window scrolls what is below the pages; beside them, docks are as narrow as they can.
    PageScroll* scroll = info.area == Qt::BottomDockWidgetArea ? new PageScroll(dock) : nullptr;
    QWidget* content = info.create(context, scroll != nullptr ? scroll->viewport() : dock);
    if (!info.term.isEmpty()) explain(content, info.term);
    for (auto* table : content->findChildren<QTableView*>())
        if (table->accessibleName().isEmpty()) table->setAccessibleName(info.title);
    if (scroll != nullptr) scroll->setPage(content);
    dock->setWidget(scroll != nullptr ? scroll : content);
    window_.addDockWidget(info.area, dock);
    Activity* activity = &Activity::of(context.navigator);
    connect(dock, &QDockWidget::visibilityChanged, activity,
            [activity, id = info.id](bool isShown) { emit activity->placeShown(id, isShown); });
    const auto showTitle = [dock, action, title = info.title](const QString& own) {
        dock->setWindowTitle(own.isEmpty() ? title : own);
        action->setText(dock->windowTitle());
    };
    connect(content, &QWidget::windowTitleChanged, this, showTitle);
    showTitle(content->windowTitle());
    QDockWidget* neighbour = nullptr;
    for (const Entry& entry : entries_)
        if (entry.info.area == info.area) neighbour = entry.dock;
    if (neighbour != nullptr) window_.tabifyDockWidget(neighbour, dock);
    const size_t index = entries_.size();
    entries_.push_back({info, dock, action});
    connect(action, &QAction::toggled, this,
            [this, index](bool on) { setWanted(entries_[index], on); });
}

void WindowDocks::setWanted(Entry& entry, bool wanted) {
    entry.isWanted = wanted;
    arrange();
    if (wanted && belongsToPage(entry)) entry.dock->raise();
}

bool WindowDocks::belongsToPage(const Entry& entry) const {
    if (isPresenting_ && !entry.info.teaches) return false;
    return entry.info.pages.isEmpty() || entry.info.pages.contains(page_);
}

void WindowDocks::arrange() {
    for (const Entry& entry : entries_) {
        const bool visible = entry.isWanted && belongsToPage(entry);
        entry.action->setVisible(belongsToPage(entry));
        entry.action->setToolTip(belongsToPage(entry) ? QString()
                                 : entry.isWanted     ? tr("Open, but not on this page")
                                                      : tr("Not on this page"));
        if (entry.dock->isHidden() == visible) entry.dock->setVisible(visible);
    }
}

void WindowDocks::show(const QString& id) {
    for (Entry& entry : entries_) {
        if (entry.info.id != id) continue;
        entry.action->setChecked(true);
        entry.dock->raise();
    }
}

void WindowDocks::raise(const QString& id) {
    for (const Entry& entry : entries_)
        if (entry.info.id == id && entry.dock->isVisible()) entry.dock->raise();
}

void WindowDocks::setWanted(const QString& id, bool wanted) {
    if (wanted) return show(id);
    action(id)->setChecked(false);
}

void WindowDocks::setPage(const QString& page) {
    page_ = page;
    arrange();
}

void WindowDocks::setPresenting(bool presenting) {
    isPresenting_ = presenting;
    arrange();
}

void WindowDocks::apply(LayoutPreset preset) {
    for (Entry& entry : entries_) {
        entry.dock->setFloating(false);
        entry.action->setChecked(entry.info.layouts.contains(preset));
    }
    for (const bool isForSomePages : {false, true}) {
        for (const Entry& entry : entries_ | std::views::reverse) {
            if (entry.info.layouts.contains(preset) && entry.info.pages.isEmpty() != isForSomePages)
                show(entry.info.id);
        }
    }
}

std::vector<QAction*> WindowDocks::actions() const {
    std::vector<QAction*> actions;
    for (const Entry& entry : entries_) actions.push_back(entry.action);
    return actions;
}

QAction* WindowDocks::action(const QString& id) const {
    for (const Entry& entry : entries_)
        if (entry.info.id == id) return entry.action;
    return nullptr;
}

void WindowDocks::restore() {
    if (restore(settings_.value(kStateKey).toByteArray(),
                settings_.value(kWantedKey).toStringList()))
        return;
    open({QStringLiteral("inspector")});
    QList<QDockWidget*> bottom, right;
    for (const Entry& entry : entries_)
        (entry.info.area == Qt::BottomDockWidgetArea ? bottom : right) << entry.dock;
    window_.resizeDocks(right, QList<int>(right.size(), em(&window_, 20)), Qt::Horizontal);
    window_.resizeDocks(bottom, QList<int>(bottom.size(), em(&window_, 13)), Qt::Vertical);
}

bool WindowDocks::restore(const QByteArray& layout, const QStringList& wanted) {
    const bool fits = window_.restoreState(layout, kStateVersion);
    if (fits) open(wanted);
    return fits;
}

/// Opens just these, if the page has them.
void WindowDocks::open(const QStringList& wanted) {
    for (const Entry& entry : entries_) entry.dock->hide();
    for (Entry& entry : entries_) entry.action->setChecked(wanted.contains(entry.info.id));
    arrange();
}

QByteArray WindowDocks::layout() const { return window_.saveState(kStateVersion); }

QStringList WindowDocks::wanted() const {
    QStringList wanted;
    for (const Entry& entry : entries_)
        if (entry.isWanted) wanted << entry.info.id;
    return wanted;
}

void WindowDocks::save() const {
    settings_.setValue(kStateKey, layout());
    settings_.setValue(kWantedKey, wanted());
}

void WindowDocks::setAnimated(bool animated) { window_.setAnimated(animated); }

}  // namespace temper::ui
