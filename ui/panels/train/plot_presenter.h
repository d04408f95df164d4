// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/widgets/spotlight.h"

class QTabBar;
class QTabWidget;

namespace temper::ui {

/// For presenting to a room: a bar with the plots of some tabs, one of which fills its tab. Keys: 1
/// to 9, Page Up and Page Down (those of a remote control), and the arrows in the bar.
class PlotPresenter : public QWidget {
    Q_OBJECT
public:
    /// A plot and the tab in which it is.
    struct Plot {
        QString title;
        QWidget* plot;
        QWidget* tab;
    };

    /// `tabs` outlives it.
    explicit PlotPresenter(QTabWidget* tabs, QWidget* parent = nullptr);

    /// The plots to choose from; those whose tab is not there are left out.
    void setPlots(const std::vector<Plot>& plots);
    /// Off: everything is as it was, but the tab of the last plot is shown.
    void setOn(bool on);
    bool isOn() const { return isOn_; }
    /// The plot that fills the page; null if it is off.
    QWidget* shown() const { return light_.widget(); }
    QTabBar* bar() const { return bar_; }

private:
    void refresh();
    void choose(int index);
    void followTab();
    void advance(int by);
    /// The index of the plot to begin with: the last one, if its tab is shown.
    int firstIndex() const;

    QTabWidget* tabs_;
    QTabBar* bar_;
    std::vector<Plot> all_;
    std::vector<Plot> plots_;  ///< those whose tab is there
    QWidget* last_ = nullptr;
    Spotlight light_;
    bool isOn_ = false;
};

}  // namespace temper::ui
