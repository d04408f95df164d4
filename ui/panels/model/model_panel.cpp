// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/model/model_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/panels/model/detail_view.h"
#include "ui/panels/model/node_model.h"
#include "ui/project/problem_list.h"
#include "ui/project/studio_project.h"
#include "ui/project/trainable_choice.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

QModelIndex sourceIndex(const QModelIndex& index) {
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(index.model());
    return proxy ? proxy->mapToSource(index) : index;
}

}  // namespace

ModelPanel::ModelPanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      project_(context.project),
      view_(new GraphView(this)),
      choice_(new QComboBox(this)),
      banner_(new Banner(this)),
      tabs_(makeTabs(this)),
      details_(&context.inspector),
      nodes_(new NodeModel(this)),
      tensors_(new TensorModel(this)) {
    QVBoxLayout* layout = makePageLayout(this);
    QHBoxLayout* header = makePageHeader(tr("Model"), QString(), this);
    subtitle_ = qobject_cast<QLabel*>(header->itemAt(0)->layout()->itemAt(1)->widget());
    layout->addLayout(header);
    layout->addWidget(banner_);
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(buildGraph());
    splitter->addWidget(buildTabs());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setHandleWidth(em(this, 0.7));
    layout->addWidget(splitter, 1);
    connect(&project_, &StudioProject::modelChanged, this, &ModelPanel::showModel);
    connect(&project_, &StudioProject::specChanged, this, &ModelPanel::showTrained);
    connect(&project_, &StudioProject::preparationChanged, this, [this] {
        showFindings();
        if (choice_->currentIndex() > 0) showChosenGraph();
    });
    connect(view_, &GraphView::boxSelected, this, &ModelPanel::boxSelected);
    connect(banner_, &Banner::actionTriggered, this, [navigator = &context.navigator] {
        emit navigator->dockRequested(QStringLiteral("problems"));
    });
    connect(&context.navigator, &Navigator::nodeRequested, this, &ModelPanel::showNode);
}

QWidget* ModelPanel::buildGraph() {
    auto* pane = new QWidget(this);
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* row = new QHBoxLayout;
    choice_->addItems(
        {tr("Forward model"), tr("Training model"), tr("Evaluation model"), tr("Optimizer model")});
    choice_->setAccessibleName(tr("Graph to show"));
    connect(choice_, &QComboBox::currentIndexChanged, this, &ModelPanel::showChosenGraph);
    row->addWidget(choice_);
    row->addStretch(1);
    const auto addTool = [&](const char* icon, const QString& tip, auto slot) {
        auto* tool = new QToolButton(pane);
        tool->setIcon(themedIcon(QLatin1String(icon)));
        tool->setToolTip(tip);
        tool->setAccessibleName(tip);
        tool->setAutoRaise(true);
        connect(tool, &QToolButton::clicked, view_, slot);
        row->addWidget(tool);
    };
    addTool("zoom-in", tr("Zoom in (+)"), &GraphView::zoomIn);
    addTool("zoom-out", tr("Zoom out (-)"), &GraphView::zoomOut);
    addTool("zoom-fit", tr("Show everything (0)"), &GraphView::fit);
    layout->addLayout(row);
    layout->addWidget(view_, 1);
    return pane;
}

QWidget* ModelPanel::buildTabs() {
    nodeTable_ = makeTable(nodes_, this, true);
    tensorTable_ = makeTable(tensors_, this, true);
    for (QTableView* table : {nodeTable_, tensorTable_})
        table->horizontalHeader()->setStretchLastSection(true);
    nodeTable_->setAccessibleName(tr("Nodes"));
    tensorTable_->setAccessibleName(tr("Tensors"));
    connect(nodeTable_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ModelPanel::nodeRowSelected);
    connect(tensorTable_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ModelPanel::tensorRowSelected);
    tabs_->addTab(nodeTable_, tr("Nodes"));
    tabs_->addTab(tensorTable_, tr("Tensors"));
    return tabs_;
}

void ModelPanel::showModel() {
    const auto& model = project_.model();
    if (!model) return;
    const QLocale locale;
    int64_t values = 0;
    for (const ParameterInfo& parameter : model->parameters)
        if (parameter.parameterClass == ParameterClass::Trainable) values += elementsOf(parameter);
    subtitle_->setText(tr("%1 · %2 nodes · %3 parameter values · opset %4")
                           .arg(model->title,
                                locale.toString(static_cast<qlonglong>(model->graph->nodeCount())),
                                locale.toString(static_cast<qlonglong>(values)))
                           .arg(model->graph->info().onnxOpset()));
    const QSignalBlocker blocker(choice_);
    choice_->setCurrentIndex(0);
    showChosenGraph();
    showFindings();
}

void ModelPanel::showChosenGraph() {
    if (!project_.model()) return;
    const auto& preparation = project_.preparation();
    const auto artifacts = preparation ? preparation->artifacts : nullptr;
    std::shared_ptr<const Graph> graph = project_.model()->graph;
    if (choice_->currentIndex() > 0) {
        graph = !artifacts                     ? nullptr
                : choice_->currentIndex() == 1 ? artifacts->trainingModel
                : choice_->currentIndex() == 2 ? artifacts->evalModel
                                               : artifacts->optimizerModel;
    }
    if (graph == shown_ && graph) return;
    draw(std::move(graph));
}

void ModelPanel::draw(std::shared_ptr<const Graph> graph) {
    project_.tasks()->cancel(drawTask_);
    shown_ = graph;
    view_->setDrawing(nullptr);
    nodes_->setGraph(graph);
    tensors_->setGraph(graph);
    if (!graph) return;
    showGraphDetails();
    drawTask_ = project_.tasks()->run(
        tr("Laying out the graph"), tr("The graph could not be drawn"),
        [graph, metrics = view_->metrics()](std::stop_token stop) {
            return drawGraph(*graph, metrics, std::move(stop));
        },
        [this](std::shared_ptr<const GraphDrawing> drawing) {
            drawTask_ = 0;
            view_->setDrawing(std::move(drawing));
            showTrained();
        },
        [this](const Problem& problem) { banner_->show(Banner::Kind::Bad, problem); });
}

void ModelPanel::showTrained() {
    if (!project_.model()) return;
    view_->setTrained(trainedParameters(project_.model()->parameters, project_.spec().artifacts));
}

void ModelPanel::showFindings() {
    if (!project_.model()) return;
    std::map<std::string, Severity> marks;
    std::vector<Finding> errors;
    for (const ListedProblem& problem : problemsOf(project_)) {
        const Finding& finding = problem.finding;
        if (problem.page == QStringLiteral("data")) continue;
        if (finding.severity == Severity::Error) errors.push_back(finding);
        if (!finding.node.empty() && finding.severity != Severity::Info)
            marks[finding.node] = std::max(marks[finding.node], finding.severity);
    }
    view_->setFindings(std::move(marks));
    if (errors.empty()) return banner_->hide();
    banner_->show(
        Banner::Kind::Bad,
        {errors.size() == 1 ? tr("One problem keeps this model from training")
                            : tr("%1 problems keep this model from training").arg(errors.size()),
         text(errors.front().message), text(errors.front().hint)},
        tr("Show problems"));
}

void ModelPanel::showNode(const QString& name) {
    if (!project_.model()) return;
    choice_->setCurrentIndex(0);
    view_->selectNode(name.toStdString());
    const int row = nodes_->rowOf(name.toStdString());
    if (row >= 0) details_->showNode(*nodes_->node(row), blockOf(*nodes_->node(row)));
}

void ModelPanel::boxSelected(int box) {
    if (!shown_) return;
    if (box < 0) return showGraphDetails();
    const GraphBox& selected = view_->drawing()->boxes[static_cast<size_t>(box)];
    if (const int row = nodes_->rowOf(selected.node); !selected.node.empty() && row >= 0) {
        details_->showNode(*nodes_->node(row), blockOf(*nodes_->node(row)));
    } else if (const Value* value = shown_->find(selected.title.toStdString())) {
        details_->showValue(*value);
    }
}

void ModelPanel::nodeRowSelected(const QModelIndex& index) {
    if (!index.isValid()) return;
    const Node* node = nodes_->node(sourceIndex(index).row());
    const QSignalBlocker blocker(view_);
    view_->selectNode(node->name());
    details_->showNode(*node, blockOf(*node));
}

void ModelPanel::tensorRowSelected(const QModelIndex& index) {
    if (!index.isValid()) return;
    const Value* value = tensors_->value(sourceIndex(index).row());
    details_->showValue(*value);
    project_.tasks()->cancel(summaryTask_);
    if (!value->isInitializer()) return;
    summaryTask_ = project_.tasks()->run(
        tr("Reading %1").arg(text(value->name())), tr("The tensor could not be read"),
        [name = text(value->name()), tensor = value->constant()](std::stop_token) {
            return summarize(name, tensor);
        },
        [this](const TensorSummary& summary) { details_->addSummary(summary); },
        [this](const Problem& problem) { banner_->show(Banner::Kind::Bad, problem); });
}

const Block* ModelPanel::blockOf(const Node& node) const {
    const auto& blocks = project_.model()->blockByNode;
    const auto found = blocks.find(&node);
    return found == blocks.end() ? nullptr : found->second;
}

void ModelPanel::showGraphDetails() {
    if (choice_->currentIndex() == 0)
        return details_->showGraph(project_.model()->title, *shown_, project_.model()->blocks);
    details_->showGraph(choice_->currentText(), *shown_);
}

}  // namespace temper::ui
