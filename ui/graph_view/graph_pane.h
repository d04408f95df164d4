// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QWidget>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/blocks.h"
#include "engine/ops/op_set.h"
#include "ui/graph_view/graph_view.h"
#include "ui/messages/problem.h"

class QAction;
class QHBoxLayout;
class QMenu;

namespace temper::ui {

class Breadcrumb;
class FreezeActions;
class LossEntries;
class NarrowCombo;
class PictureSaver;
class SearchBar;
class TaskRunner;
class WayBar;
class WeightNorms;

/// A graph with everything to view it: canvas, overview, breadcrumb, search, overlays with their
/// legend, toggles, paths. It folds documents and lays them out in tasks.
class GraphPane : public QWidget {
    Q_OBJECT
public:
    /// `ops`: the operators known in its graphs.
    GraphPane(TaskRunner& tasks, std::shared_ptr<const OpSet> ops, QWidget* parent = nullptr);
    ~GraphPane() override;

    /// Null empties the canvas. `look`: the previous view state of the same graph.
    void setGraph(std::shared_ptr<const Graph> graph, const std::vector<Block>& blocks = {},
                  const std::optional<GraphLookState>& look = {});
    /// The current view state, or the one to apply once it is drawn; no value without a graph.
    std::optional<GraphLookState> look() const;
    const std::shared_ptr<const GraphDocument>& document() const { return document_; }
    GraphView* view() const { return view_; }
    SearchBar* search() const { return search_; }
    Breadcrumb* breadcrumb() const { return breadcrumb_; }
    /// The boxes' menu entries for the loss.
    LossEntries* lossEntries() const { return loss_; }
    /// Adds a widget before the tools.
    void addHeader(QWidget* widget);
    /// Actions for keyboard and menus while the pane is shown, each with its id as object name.
    const QList<QAction*>& graphActions() const { return actions_; }

    const GraphFold& fold() const { return fold_; }
    void setFold(const GraphFold& fold, int anchor = -1);
    /// Opens the groups around the node, selects it and brings it into view.
    void showNode(int node);
    void showNode(const std::string& name);
    void toggleGroup(int group);
    void openAllGroups();

    void setOverlay(OverlayKind kind);
    /// Names of parameters: those that could train, those that do, those no gradient reaches.
    void setTraining(std::set<std::string> trainable, std::set<std::string> trained,
                     std::set<std::string> blocked);
    /// Values at which gradients stop by choice.
    void setStopped(std::set<std::string> values);
    /// Numbers by parameter for the overlay "Heat", e.g. norms of gradients while training runs.
    void setHeat(std::map<std::string, double> heat);
    /// Shows a path with a sentence about it; empty nodes show the sentence only.
    void showWay(std::set<int> nodes, const QString& sentence);
    void clearWay();
    /// Writes the drawing as currently shown.
    void savePicture(const QString& path);

signals:
    void nodeSelected(const temper::Node* node);
    void valueSelected(const temper::Value* value);
    void groupSelected(int group);
    void nothingSelected();
    /// Requests to freeze or train parameters, by their place in the graph; `what` names the change
    /// for the undo list.
    void freezeRequested(const QString& what, const std::set<std::string>& parameters);
    void trainRequested(const QString& what, const std::set<std::string>& parameters);
    /// Requests that gradients stop at the node, or no longer do.
    void stopRequested(const temper::Node* node, bool stops);
    void gradientWayRequested(const temper::Value* parameter);
    void tableRequested(const temper::Node* node);
    void drawn();
    void problemFound(const temper::ui::Problem& problem);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void keep(QAction* action);
    QAction* makeAction(const QString& id, const QString& text, const QList<QKeySequence>& keys,
                        std::function<void()> run);
    QAction* addToggle(const QString& id, const QString& text, const QString& key,
                       bool GraphFold::*flag);
    void buildViewActions();
    void buildActions();
    void buildTools(QHBoxLayout* row);
    QWidget* buildOverlays();
    void adopt(std::shared_ptr<const GraphDocument> document,
               std::shared_ptr<const GraphDrawing> drawing);
    void redraw(int anchor, int select);
    void redrawInFont();
    /// Applies the pending view state to the current drawing and clears it.
    void showComing();
    void boxSelected(int box);
    void showCrumbs(int box);
    void goToGroup(int group);
    void connectParts();
    void showMenu(int box, const QPoint& global);
    void addBoxEntries(QMenu& menu, const GraphBox& box);
    void revealShapeNodes(int node);
    void placeSearch();

    TaskRunner& tasks_;
    const std::shared_ptr<const OpSet> ops_;
    std::shared_ptr<const GraphDocument> document_;
    GraphFold fold_;
    OverlayData overlay_;
    GraphView* view_;
    Breadcrumb* breadcrumb_;
    SearchBar* search_;
    WayBar* way_ = nullptr;
    FreezeActions* freeze_;
    LossEntries* loss_;
    WeightNorms* norms_;
    PictureSaver* picture_;
    NarrowCombo* overlays_ = nullptr;
    QHBoxLayout* tools_ = nullptr;
    QList<QAction*> actions_;
    QList<QAction*> toggles_;
    std::map<QAction*, bool GraphFold::*> flags_;
    int drawTask_ = 0;
    QFont laidOutFor_;
    std::optional<GraphLookState> coming_;     ///< for the pending drawing
    std::map<QString, GraphLookState> looks_;  ///< by font, for when the font returns
};

}  // namespace temper::ui
