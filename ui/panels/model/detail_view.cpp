// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/model/detail_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QStringList>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <map>

#include "engine/ir/module_scope.h"
#include "ui/graph_view/box_content.h"
#include "ui/messages/problem.h"
#include "ui/panels/model/node_model.h"
#include "ui/tensor_view/attribute_text.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/histogram_view.h"
#include "ui/widgets/name_elision.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

QString describe(const Value& value) {
    return value.type().isKnown() ? text(formatType(value.type())) : DetailView::tr("unknown type");
}

constexpr double kMinNameWidth = 7;  ///< in line heights

constexpr int kNameRole = Qt::UserRole;       ///< name of the value in a row that can be renamed
constexpr int kInputRole = Qt::UserRole + 1;  ///< name of the input in a row that can be fixed
constexpr int kFixedRole = Qt::UserRole + 2;  ///< name of the input in a fixed row
constexpr int kValueRole = Qt::UserRole + 3;  ///< name of the value in a row

/// Data has a batch dimension first; a choice or a state has not.
bool hasNoBatchInFront(const ValueType& type) {
    return type.shape && (type.shape->empty() || type.shape->front().isNumber());
}

/// Names are in the first column; the other columns can't be edited.
class NameDelegate : public ElidingDelegate {
public:
    using ElidingDelegate::ElidingDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override {
        if (index.column() != 0) return nullptr;
        QWidget* editor = ElidingDelegate::createEditor(parent, option, index);
        editor->setAccessibleName(DetailView::tr("Name"));
        return editor;
    }
};

}  // namespace

DetailView::DetailView(QWidget* parent)
    : QWidget(parent),
      title_(makeLabel({}, "heading", this)),
      subtitle_(makeLabel({}, "muted", this)),
      tree_(new QTreeWidget(this)),
      histogram_(new HistogramView(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, em(this, 0.5), 0, 0);
    for (QLabel* label : {title_, subtitle_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(label);
    }
    tree_->setColumnCount(2);
    tree_->setHeaderHidden(true);
    tree_->setRootIsDecorated(false);
    tree_->setIndentation(em(this, 0.7));
    tree_->setAlternatingRowColors(true);
    tree_->setAccessibleName(tr("Details"));
    tree_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    tree_->setItemDelegate(new NameDelegate(tree_));
    connect(tree_, &QTreeWidget::itemChanged, this, &DetailView::noteEdit);
    connect(tree_, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* row) {
        const QString name = row == nullptr ? QString() : row->data(0, kValueRole).toString();
        if (!name.isEmpty()) emit valueChosen(name);
    });
    connect(tree_, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* row) {
        const QString name = row->data(0, kValueRole).toString();
        if (!name.isEmpty()) emit numbersRequested(name);
    });
    tree_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(tree_, &QWidget::customContextMenuRequested, this, &DetailView::showMenu);
    layout->addWidget(tree_, 1);
    layout->addWidget(histogram_);
    histogram_->hide();
}

void DetailView::begin(const QString& title, const QString& subtitle) {
    title_->setText(title);
    subtitle_->setText(subtitle);
    subtitle_->setVisible(!subtitle.isEmpty());
    tree_->clear();
    histogram_->hide();
}

QTreeWidgetItem* DetailView::addGroup(const QString& title) {
    auto* group = new QTreeWidgetItem(tree_, {title});
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    group->setFont(0, bold);
    group->setFirstColumnSpanned(true);
    group->setExpanded(true);
    group->setFlags(Qt::ItemIsEnabled);
    return group;
}

QTreeWidgetItem* DetailView::addRow(QTreeWidgetItem* group, const QString& key,
                                    const QString& value) {
    auto* row = new QTreeWidgetItem(group, {key, value});
    row->setToolTip(0, key);
    row->setToolTip(1, value);
    fitColumns();
    return row;
}

/// With too little room for both, a name ends with an ellipsis before a shape does.
void DetailView::fitColumns() {
    const QAbstractItemView& view = *tree_;
    const int name = view.sizeHintForColumn(0), room = tree_->viewport()->width();
    const int left = room - view.sizeHintForColumn(1);
    const int least = std::min(name, em(this, kMinNameWidth));
    tree_->setColumnWidth(0, std::clamp(left, least, std::max(least, std::min(name, room))));
}

void DetailView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitColumns();
}

void DetailView::noteEdit(const QTreeWidgetItem* row, int column) {
    const QString name = row->data(0, kNameRole).toString();
    if (column != 0 || name.isEmpty() || row->text(0) == name) return;
    emit renameRequested(name, row->text(0));
}

void DetailView::addValues(const QString& title, const std::vector<Value*>& values) {
    if (values.empty()) return;
    QTreeWidgetItem* group = addGroup(title);
    for (const Value* value : values) {
        if (value == nullptr) continue;
        QTreeWidgetItem* row = addRow(group, text(value->name()), describe(*value));
        row->setData(0, kValueRole, text(value->name()));
        if (!renames_) continue;
        row->setFlags(row->flags() | Qt::ItemIsEditable);
        row->setToolTip(0, tr("%1 (F2 renames it)").arg(text(value->name())));
        row->setData(0, kNameRole, text(value->name()));
        if (value->isGraphInput() && hasNoBatchInFront(value->type()))
            row->setData(0, kInputRole, text(value->name()));
    }
}

void DetailView::addFixedInputs(const std::map<std::string, double>& fixed) {
    if (fixed.empty()) return;
    QTreeWidgetItem* group = addGroup(tr("Constant inputs"));
    for (const auto& [name, value] : fixed)
        addRow(group, text(name), fieldText(value))->setData(0, kFixedRole, text(name));
}

void DetailView::showMenu(const QPoint& position) {
    const QTreeWidgetItem* row = tree_->itemAt(position);
    if (row == nullptr) return;
    const QString input = row->data(0, kInputRole).toString();
    const QString fixed = row->data(0, kFixedRole).toString();
    if (input.isEmpty() && fixed.isEmpty()) return;
    auto* menu = new QMenu(tree_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (fixed.isEmpty()) {
        menu->addAction(tr("Set to a constant…"), this,
                        [this, input] { emit fixRequested(input); });
    } else {
        menu->addAction(tr("Change the constant…"), this,
                        [this, fixed] { emit fixRequested(fixed); });
        menu->addAction(tr("Make it an input again"), this,
                        [this, fixed] { emit releaseRequested(fixed); });
    }
    menu->popup(tree_->viewport()->mapToGlobal(position));
}

void DetailView::showModel(const QString& title, const Graph& graph,
                           const std::vector<Block>& blocks,
                           const std::map<std::string, double>& fixed) {
    renames_ = true;
    showGraph(title, graph, blocks);
    renames_ = false;
    addFixedInputs(fixed);
}

void DetailView::showGraph(const QString& title, const Graph& graph,
                           const std::vector<Block>& blocks) {
    begin(title, text(graph.docString()));
    QTreeWidgetItem* model = addGroup(tr("Model"));
    const ModelInfo& info = graph.info();
    if (!info.producerName.empty())
        addRow(model, tr("Producer"), text(info.producerName + " " + info.producerVersion));
    for (const auto& [domain, version] : info.opsetImports)
        addRow(model, tr("Opset"),
               domain.empty() ? QString::number(version)
                              : text(domain) + ' ' + QString::number(version));
    addRow(model, tr("IR version"), QString::number(info.irVersion));
    addValues(tr("Inputs"), graph.inputs());
    addValues(tr("Outputs"), graph.outputs());
    std::map<std::string, int> histogram;
    for (const Node* node : graph.nodes()) ++histogram[node->qualifiedOp()];
    if (!blocks.empty()) {
        QTreeWidgetItem* group = addGroup(tr("Blocks"));
        for (const auto& [kind, count] : countBlocks(blocks))
            addRow(group, text(kind), QString::number(count));
    }
    QTreeWidgetItem* operators = addGroup(tr("Operators"));
    for (const auto& [op, count] : histogram)
        addRow(operators, operatorName(op), QString::number(count));
}

void DetailView::showNode(const Node& node, const Block* block) {
    QStringList about;
    if (!node.name().empty()) about << text(node.name());
    if (block != nullptr) about << tr("part of %1").arg(text(block->describe()));
    begin(operatorName(node.qualifiedOp()), about.join(QLatin1Char('\n')));
    emit selectionShown();
    addValues(tr("Inputs"), node.inputs());
    addValues(tr("Outputs"), node.outputs());
    addProgram(node);
    if (node.attributes().empty()) return;
    QTreeWidgetItem* attributes = addGroup(tr("Attributes"));
    for (const auto& [name, value] : node.attributes())
        addRow(attributes, text(name), attributeText(value));
}

/// The place of the node in the program from which the model was exported.
void DetailView::addProgram(const Node& node) {
    const std::string path = modulePath(node);
    const std::optional<SourceLine> line = sourceLineOf(node);
    if (path.empty() && !line) return;
    QTreeWidgetItem* program = addGroup(tr("Program"));
    if (!path.empty()) {
        addRow(program, tr("Module"), text(path));
        addRow(program, tr("Class"), text(modulesAround(node).back().className));
    }
    if (line) {
        addRow(program, tr("Line"), text(line->describe()));
        if (!line->code.empty()) addRow(program, tr("Code"), text(line->code));
    }
}

void DetailView::showValue(const Value& value) {
    begin(text(value.name()), describe(value));
    emit selectionShown();
    QTreeWidgetItem* edges = addGroup(tr("Graph"));
    if (value.producer() != nullptr)
        addRow(edges, tr("Made by"), operatorName(value.producer()->describe()));
    for (const Value::Use& use : value.uses())
        addRow(edges, tr("Read by"), operatorName(use.node->describe()));
    if (value.isInitializer()) addRow(edges, tr("Size"), bytesText(value.constant().byteSize()));
}

void DetailView::showGroup(const GraphDocument& document, int index) {
    const OutlineGroup& group = document.outline().group(index);
    QStringList about;
    if (!group.path.empty()) about << text(group.path);
    if (!group.className.empty()) about << text(group.className);
    about << tr("%n nodes", nullptr, group.nodeCount);
    if (group.repeats > 1) about << tr("%1 equal parts").arg(group.repeats);
    if (group.alike > 1) about << tr("%1 groups of this structure in the model").arg(group.alike);
    begin(text(group.name), about.join(QLatin1Char('\n')));
    emit selectionShown();
    const std::vector<const Value*> parameters = document.parametersIn(index);
    if (!parameters.empty()) {
        QTreeWidgetItem* weights = addGroup(tr("Parameters"));
        for (const Value* parameter : parameters)
            addRow(weights, text(parameter->name()), describe(*parameter))
                ->setData(0, kValueRole, text(parameter->name()));
    }
    std::map<std::string, int> histogram;
    for (const int node : document.nodesIn(index)) ++histogram[document.node(node).qualifiedOp()];
    QTreeWidgetItem* operators = addGroup(tr("Operators"));
    for (const auto& [op, count] : histogram)
        addRow(operators, operatorName(op), QString::number(count));
}

void DetailView::addSummary(const TensorSummary& summary) {
    if (summary.name != title_->text() || summary.count == 0) return;
    const auto number = [](double value) { return decimalText(value, 'g', 5); };
    QTreeWidgetItem* values = addGroup(tr("Values"));
    addRow(values, tr("Minimum"), number(summary.minimum));
    addRow(values, tr("Maximum"), number(summary.maximum));
    addRow(values, tr("Mean"), number(summary.mean));
    addRow(values, tr("Deviation"), number(summary.deviation));
    addRow(values, tr("Norm"), number(summary.norm));
    addRow(values, tr("Zeros"), QLocale().toString(static_cast<qlonglong>(summary.zeros)));
    if (summary.notFinite > 0)
        addRow(values, tr("NaN or infinite"), QString::number(summary.notFinite));
    addRow(values, tr("First"), summary.values);
    histogram_->setHistogram(summary.histogram, summary.minimum, summary.maximum);
}

}  // namespace temper::ui
