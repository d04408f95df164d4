// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "engine/ir/blocks.h"
#include "ui/graph_view/graph_pane.h"
#include "ui/panels/panel.h"

class QLabel;
class QStackedWidget;
class QTabWidget;
class QTableView;

namespace temper {
struct LayersEvent;
}

namespace temper::ui {

class Banner;
class DetailView;
class InterfaceEdits;
class NarrowCombo;
class NodeModel;
class TensorModel;
class TensorView;

/// Inspects the model: graph, nodes, tensors, and what prevents training.
class ModelPanel : public QWidget {
    Q_OBJECT
public:
    ModelPanel(const PanelContext& context, QWidget* parent = nullptr);

    static StageStatus status(const StageContext& context);

    GraphPane* graph() const { return pane_; }
    TensorView* values() const { return values_; }
    void showValues(const Value* value);

private:
    QWidget* buildEmpty(Navigator& navigator);
    QWidget* buildGraph(CommandRegistry& commands);
    QWidget* buildTabs();
    void showModel();
    /// Shows the forward model, or one of the graphs made for training.
    void showChosenGraph();
    void draw(std::shared_ptr<const Graph> graph);
    void keepLook();
    std::optional<GraphLookState> keptLook();
    void showTrained();
    /// Values at which gradients stop by choice.
    std::vector<std::string> stoppedValues() const;
    /// Parameters that have no gradient because of these.
    std::vector<std::string> frozenByStops() const;
    void showFindings();
    void connectEdits();
    void showProblem(const Problem& problem);
    void showNamedNode(const QString& name);
    /// Shows the values once their page is visible.
    void offerTensor(const Value* value);
    /// Looks in the shown graph; null if it has no value with this name.
    const Value* valueNamed(const QString& name) const;
    void showNode(const Node* node);
    void showValue(const Value* value);
    void showGroup(int group);
    void showInTable(const Node* node);
    void train(const QString& what, const std::set<std::string>& names, bool trains);
    /// Makes gradients stop at the node, or no longer.
    void stopAt(const Node* node, bool stops);
    void showGradientWay(const Value* parameter);
    /// Shows the gradient norms from the run's last measurement of its layers.
    void showHeat(const RunModel& run);
    void nodeRowSelected(const QModelIndex& index);
    void tensorRowSelected(const QModelIndex& index);
    /// Block of a node of the forward model; null for other graphs.
    const Block* blockOf(const Node& node) const;
    void showGraphDetails();

    StudioProject& project_;
    GraphPane* pane_;
    NarrowCombo* choice_;
    QLabel* subtitle_ = nullptr;
    Banner* banner_;
    QTabWidget* tabs_;
    DetailView* details_;
    InterfaceEdits* edits_;
    NodeModel* nodes_;
    TensorModel* tensors_;
    TensorView* values_;
    const Value* offered_ = nullptr;
    std::shared_ptr<const LayersEvent> lastLayers_;
    QTableView* nodeTable_ = nullptr;
    QTableView* tensorTable_ = nullptr;
    QStackedWidget* content_ = nullptr;  ///< the graph, or how to get one
    std::shared_ptr<const Graph> shown_;
    int summaryTask_ = 0;
    int generation_ = 0;  ///< of the project, as last drawn
};

}  // namespace temper::ui
