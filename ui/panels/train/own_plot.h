// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QSplitter>
#include <QStringList>
#include <string>
#include <vector>

class QSortFilterProxyModel;
class QStandardItem;
class QStandardItemModel;
class QTreeView;

namespace temper::ui {

class PlotView;
class RunModel;

/// A plot of curves ticked beside it: all curves of the run, including those of single parameters.
class OwnPlot : public QSplitter {
    Q_OBJECT
public:
    explicit OwnPlot(RunModel& run, QWidget* parent = nullptr);

    PlotView* plot() const { return plot_; }
    /// Keys of CurveEntry, in the order in which they were ticked. Keys missing in the run are
    /// kept: another run may have them.
    const QStringList& chosen() const { return chosen_; }
    void setChosen(const QStringList& keys);

    /// The state to save.
    QJsonObject view() const;
    void setView(const QJsonObject& view);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* buildChooser();
    void refresh();
    void listCurves();
    void showTicks();
    void showTickedParameters();
    void tick(const QStandardItem& item);
    void drawSeries();
    std::string csv() const;
    QString titleOf(const QString& key) const;

    RunModel& run_;
    PlotView* plot_;
    QStandardItemModel* curves_;
    QSortFilterProxyModel* found_;
    QTreeView* tree_ = nullptr;
    QStringList chosen_;
    QStringList listed_;              ///< keys of the rows
    std::vector<std::string> names_;  ///< of the listed parameters and metrics
    QStringList drawn_;               ///< keys of the plot's series
    bool isListing_ = false;
};

}  // namespace temper::ui
