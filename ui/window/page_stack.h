// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <map>
#include <vector>

#include "ui/panels/panel.h"

class QStackedWidget;
class QVBoxLayout;

namespace temper::ui {

class PageScroll;
class StageRail;
class Workspace;

/// The pages, one of them shown, and the rail that leads to them and shows the state of each. It
/// knows them only by their PanelInfo.
class PageStack : public QObject {
    Q_OBJECT
public:
    /// Creates the pages in `column`. All arguments outlive it.
    PageStack(Workspace& work, DetailView& inspector, StageRail& rail, QVBoxLayout& column);

    /// Nothing happens if there is no such page.
    void show(const QString& id);
    void showStart();
    QString current() const { return current_; }
    QWidget* page(const QString& id) const { return pages_.at(id); }
    const std::map<QString, QWidget*>& pages() const { return pages_; }
    /// In workflow order, without the start page.
    const std::vector<PanelInfo>& panels() const { return panels_; }

signals:
    void shown(const QString& id);
    /// Emitted by the start page.
    void openRequested();
    void fileRequested(const QString& path);

private:
    void addStart();
    PageScroll* addScroll(const QString& id);
    void fill(const QString& id, QWidget* page);
    void refreshStatus();

    Workspace& work_;
    StageRail& rail_;
    QStackedWidget* stack_;
    std::vector<PanelInfo> panels_;
    std::map<QString, QWidget*> pages_;
    std::map<QString, PageScroll*> scrolls_;  ///< around them
    QString current_;
};

}  // namespace temper::ui
