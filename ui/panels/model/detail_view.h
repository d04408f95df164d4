// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>
#include <string>

#include "engine/ir/graph.h"
#include "ui/document/loaded_model.h"
#include "ui/graph_view/graph_drawing.h"
#include "ui/tensor_view/tensor_summary.h"

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace temper::ui {

class HistogramView;

/// Details of the selection: a model, a node or a tensor.
class DetailView : public QWidget {
    Q_OBJECT
public:
    explicit DetailView(QWidget* parent = nullptr);

    void showGraph(const QString& title, const Graph& graph, const std::vector<Block>& blocks = {});
    /// The forward model, whose inputs and outputs can be renamed in their rows; the menu of an
    /// input's row fixes it. `fixed` are inputs that are constants.
    void showModel(const QString& title, const Graph& graph, const std::vector<Block>& blocks,
                   const std::map<std::string, double>& fixed);
    void showNode(const Node& node, const Block* block = nullptr);
    void showValue(const Value& value);
    void showGroup(const GraphDocument& document, int group);
    /// Adds the statistics of the shown value.
    void addSummary(const TensorSummary& summary);

signals:
    /// Requests another name for an input or output of the model.
    void renameRequested(const QString& from, const QString& to);
    /// Requests that an input of the model becomes a constant, or another value for a constant
    /// input.
    void fixRequested(const QString& input);
    /// Requests that a constant input becomes an input again.
    void releaseRequested(const QString& input);
    /// The row of a value was chosen: an input or output of a node, or a parameter of a group.
    void valueChosen(const QString& name);
    /// The same, to show its numbers now.
    void numbersRequested(const QString& name);
    /// A node, a value or a group is shown.
    void selectionShown();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void begin(const QString& title, const QString& subtitle);
    QTreeWidgetItem* addGroup(const QString& title);
    QTreeWidgetItem* addRow(QTreeWidgetItem* group, const QString& key, const QString& value);
    void addValues(const QString& title, const std::vector<Value*>& values);
    void fitColumns();
    void noteEdit(const QTreeWidgetItem* row, int column);
    void addProgram(const Node& node);
    void addFixedInputs(const std::map<std::string, double>& fixed);
    void showMenu(const QPoint& position);

    QLabel* title_;
    QLabel* subtitle_;
    QTreeWidget* tree_;
    HistogramView* histogram_;
    bool renames_ = false;  ///< added values can be renamed
};

}  // namespace temper::ui
