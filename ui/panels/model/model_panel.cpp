// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/model/model_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/autodiff/gradient_path.h"
#include "engine/training/artifacts/stop_gradient.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/parameters/trainable_choice.h"
#include "ui/checks/parameter_counts.h"
#include "ui/checks/problem_list.h"
#include "ui/checks/start_obstacle.h"
#include "ui/commands/command_registry.h"
#include "ui/commands/navigator.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/graph_view/loss_entries.h"
#include "ui/messages/hint_text.h"
#include "ui/panels/model/detail_view.h"
#include "ui/panels/model/interface_edits.h"
#include "ui/panels/model/node_model.h"
#include "ui/run/run_model.h"
#include "ui/tensor_view/tensor_view.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/narrow_combo.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {

namespace {

const QString kGraphKey = QStringLiteral("graph");

QModelIndex sourceIndex(const QModelIndex& index) {
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(index.model());
    return proxy ? proxy->mapToSource(index) : index;
}

}  // namespace

ModelPanel::ModelPanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      project_(context.project),
      pane_(new GraphPane(*context.project.tasks(), context.project.ops(), this)),
      choice_(new NarrowCombo(this)),
      banner_(new Banner(this)),
      tabs_(makeTabs(this)),
      details_(&context.inspector),
      edits_(new InterfaceEdits(context.project, this)),
      nodes_(new NodeModel(this)),
      tensors_(new TensorModel(this)),
      values_(new TensorView(*context.project.tasks(), this)) {
    QVBoxLayout* layout = makePageLayout(this);
    QHBoxLayout* header = makePageHeader(tr("Model"), QString(), this);
    subtitle_ = qobject_cast<QLabel*>(header->itemAt(0)->layout()->itemAt(1)->widget());
    layout->addLayout(header);
    layout->addWidget(banner_);
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(buildGraph(context.commands));
    splitter->addWidget(buildTabs());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setSizes({em(this, 47), em(this, 21)});
    splitter->setHandleWidth(em(this, 0.7));
    content_ = new QStackedWidget(this);
    content_->addWidget(buildEmpty(context.navigator));
    content_->addWidget(splitter);
    layout->addWidget(content_, 1);
    connect(&project_, &StudioProject::modelChanged, this, &ModelPanel::showModel);
    connect(&project_, &StudioProject::modelKept, this, [this] {
        if (shown_) showGraphDetails();  // with the names as they were
    });
    connect(&project_, &StudioProject::aboutToSave, this, &ModelPanel::keepLook);
    connect(&project_, &StudioProject::specChanged, this, &ModelPanel::showTrained);
    connect(&project_, &StudioProject::preparationChanged, this, [this] {
        showFindings();
        if (choice_->currentIndex() > 0) showChosenGraph();
    });
    connectEdits();
    connect(banner_, &Banner::actionTriggered, this, [navigator = &context.navigator] {
        emit navigator->dockRequested(QStringLiteral("problems"));
    });
    connect(&context.navigator, &Navigator::nodeRequested, this, &ModelPanel::showNamedNode);
    connect(&context.run, &RunModel::updated, this, [this, run = &context.run] { showHeat(*run); });
}

QWidget* ModelPanel::buildEmpty(Navigator& navigator) {
    auto* empty = new Placeholder(
        QStringLiteral("model"), tr("The graph of a model, its nodes and its weights appear here."),
        tr("Open a model…"), this);
    connect(empty, &Placeholder::triggered, this,
            [&navigator] { emit navigator.commandRequested(QStringLiteral("file.open")); });
    return empty;
}

void ModelPanel::connectEdits() {
    // Not while the view still edits the row. An invalid name is reverted.
    connect(
        details_, &DetailView::renameRequested, this,
        [this](const QString& from, const QString& to) {
            if (!edits_->rename(from, to)) showGraphDetails();
        },
        Qt::QueuedConnection);
    connect(details_, &DetailView::valueChosen, this,
            [this](const QString& name) { offerTensor(valueNamed(name)); });
    connect(details_, &DetailView::numbersRequested, this, [this](const QString& name) {
        if (const Value* value = valueNamed(name); value != nullptr && value->isInitializer())
            showValues(value);
    });
    connect(details_, &DetailView::fixRequested, edits_, &InterfaceEdits::askForConstant);
    connect(details_, &DetailView::releaseRequested, edits_, &InterfaceEdits::release);
    connect(edits_, &InterfaceEdits::refused, this, &ModelPanel::showProblem);
}

void ModelPanel::showProblem(const Problem& problem) { banner_->show(Banner::Kind::Bad, problem); }

QWidget* ModelPanel::buildGraph(CommandRegistry& commands) {
    choice_->addItems(
        {tr("Forward model"), tr("Training model"), tr("Evaluation model"), tr("Optimizer model")});
    choice_->limitWidth();
    choice_->setAccessibleName(tr("Graph to show"));
    explain(choice_, "artifact");
    explain(pane_, "operator");
    connect(choice_, &QComboBox::currentIndexChanged, this, &ModelPanel::showChosenGraph);
    pane_->addHeader(choice_);
    for (QAction* action : pane_->graphActions())
        commands.add(action->objectName(), MenuId::Model, action);
    connect(pane_, &GraphPane::nodeSelected, this, &ModelPanel::showNode);
    connect(pane_, &GraphPane::valueSelected, this, &ModelPanel::showValue);
    connect(pane_, &GraphPane::groupSelected, this, &ModelPanel::showGroup);
    connect(pane_, &GraphPane::nothingSelected, this, &ModelPanel::showGraphDetails);
    connect(pane_, &GraphPane::freezeRequested, this,
            [this](const QString& what, const auto& names) { train(what, names, false); });
    connect(pane_, &GraphPane::trainRequested, this,
            [this](const QString& what, const auto& names) { train(what, names, true); });
    connect(pane_, &GraphPane::stopRequested, this, &ModelPanel::stopAt);
    connect(pane_->lossEntries(), &LossEntries::lossInputRequested, this,
            [this](const Value* value) { letLossRead(project_, value->name()); });
    connect(pane_, &GraphPane::gradientWayRequested, this, &ModelPanel::showGradientWay);
    connect(pane_, &GraphPane::tableRequested, this, &ModelPanel::showInTable);
    connect(pane_, &GraphPane::problemFound, this, &ModelPanel::showProblem);
    return pane_;
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
    connect(tensorTable_, &QTableView::activated, this, [this](const QModelIndex& index) {
        showValues(tensors_->value(sourceIndex(index).row()));
    });
    explain(nodeTable_, "operator");
    explain(tensorTable_, "shape");
    tabs_->addTab(nodeTable_, tr("Nodes"));
    tabs_->addTab(tensorTable_, tr("Tensors"));
    tabs_->addTab(values_, tr("Values"));
    tabs_->setMinimumWidth(em(this, 15));  // in a small window, the graph needs the room more
    connect(tabs_, &QTabWidget::currentChanged, this, [this] { offerTensor(offered_); });
    return tabs_;
}

void ModelPanel::showModel() {
    const auto& model = project_.model();
    content_->setCurrentIndex(model ? 1 : 0);
    if (!model) return subtitle_->clear();
    const QLocale locale;
    int64_t values = 0;
    for (const ParameterInfo& parameter : model->parameters)
        if (parameter.parameterClass == ParameterClass::Trainable) values += elementsOf(parameter);
    subtitle_->setText(
        tr("%1 · %2 · %3 parameter values · opset %4")
            .arg(model->title,
                 tr("%Ln nodes", nullptr, static_cast<int>(model->graph->nodeCount())),
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
    offerTensor(nullptr);
    shown_ = graph;
    nodes_->setGraph(graph);
    tensors_->setGraph(graph);
    const bool isForward = choice_->currentIndex() == 0;
    if (isForward)
        pane_->setGraph(graph, project_.model()->blocks, keptLook());
    else
        pane_->setGraph(graph);
    if (graph) showGraphDetails();
    showTrained();
}

void ModelPanel::keepLook() {
    const auto look = pane_->look();
    if (look && choice_->currentIndex() == 0) project_.setView(kGraphKey, toJson(*look));
}

/// The saved view state of the opened project; a graph with another head is a different one.
std::optional<GraphLookState> ModelPanel::keptLook() {
    if (std::exchange(generation_, project_.generation()) == project_.generation()) return {};
    const QJsonValue kept = project_.view(kGraphKey);
    return kept.isObject() ? std::optional(graphLookFromJson(kept.toObject())) : std::nullopt;
}

void ModelPanel::showTrained() {
    if (!project_.model()) return;
    const auto& parameters = project_.model()->parameters;
    const auto chosen = trainedParameters(parameters, project_.spec().artifacts);
    auto trained = parametersThatTrain(project_);
    std::set<std::string> trainable, blocked;
    for (const ParameterInfo& parameter : parameters)
        if (parameter.parameterClass == ParameterClass::Trainable) trainable.insert(parameter.name);
    if (const auto& preparation = project_.preparation())
        for (const Finding& finding : preparation->plan.findings)
            if (isGradientError(finding))
                for (const std::string& name : finding.parameters)
                    if (chosen.contains(name)) blocked.insert(name);
    for (const std::string& name : frozenByStops()) trained.erase(name);
    pane_->setTraining(std::move(trainable), std::move(trained), std::move(blocked));
    // A formula names its inputs.
    const bool isBuiltIn = findLossFunction(project_.spec().artifacts.loss.key) != nullptr;
    pane_->lossEntries()->setOn(isBuiltIn && choice_->currentIndex() == 0);
    const auto stopped = stoppedValues();
    pane_->setStopped({stopped.begin(), stopped.end()});
}

std::vector<std::string> ModelPanel::stoppedValues() const {
    return resolveStopGradient(*project_.model()->graph, project_.spec().artifacts.stopGradient)
        .names;
}

std::vector<std::string> ModelPanel::frozenByStops() const {
    std::vector<std::string> names;
    if (const auto& preparation = project_.preparation())
        for (const Finding& finding : preparation->plan.findings)
            if (finding.code == "G007")
                names.insert(names.end(), finding.parameters.begin(), finding.parameters.end());
    return names;
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
    pane_->view()->setFindings(marks);
    showTrained();
    if (errors.empty()) return banner_->hide();
    std::vector<BannerAction> actions{{QStringLiteral("bannerAction"), tr("Show problems"),
                                       [this] { emit banner_->actionTriggered(); }}};
    if (const QString input = edits_->fixableInput(errors.front()); !input.isEmpty())
        actions.insert(actions.begin(),
                       {QStringLiteral("fixInput"), tr("Set %1 to a constant…").arg(input),
                        [this, input] { edits_->askForConstant(input); }});
    banner_->show(
        Banner::Kind::Bad,
        {tr("%n problems keep this model from training", nullptr, static_cast<int>(errors.size())),
         text(errors.front().message), hintText(errors.front().hint)},
        actions);
}

void ModelPanel::showNamedNode(const QString& name) {
    if (!project_.model()) return;
    choice_->setCurrentIndex(0);
    pane_->showNode(name.toStdString());
    const int row = nodes_->rowOf(name.toStdString());
    if (row >= 0) details_->showNode(*nodes_->node(row), blockOf(*nodes_->node(row)));
}

void ModelPanel::showHeat(const RunModel& run) {
    if (run.layers() == lastLayers_) return;
    lastLayers_ = run.layers();
    std::map<std::string, double> heat;
    if (lastLayers_)
        for (const LayerStatistics& layer : *lastLayers_->layers)
            heat[layer.name] = layer.gradientNorm;
    pane_->setHeat(std::move(heat));
}

void ModelPanel::showValues(const Value* value) {
    tabs_->setCurrentWidget(values_);
    offerTensor(value);
}

void ModelPanel::offerTensor(const Value* value) {
    offered_ = value;
    if (tabs_->currentWidget() != values_) return;
    if (value == nullptr || !value->isInitializer()) return values_->clear();
    if (values_->tensor().data() == value->constant().data()) return;
    values_->setTensor(text(value->name()), value->constant());
}

const Value* ModelPanel::valueNamed(const QString& name) const {
    return shown_ ? shown_->find(name.toStdString()) : nullptr;
}

void ModelPanel::showNode(const Node* node) {
    const auto& document = *pane_->document();
    const auto& parameters = document.parametersOf(document.outline().indexOf(node));
    // The weight rather than the bias.
    const auto largest =
        std::max_element(parameters.begin(), parameters.end(), [](const Value* a, const Value* b) {
            return a->constant().numElements() < b->constant().numElements();
        });
    if (largest != parameters.end()) offerTensor(*largest);
    details_->showNode(*node, blockOf(*node));
}

void ModelPanel::showValue(const Value* value) { details_->showValue(*value); }

void ModelPanel::showGroup(int group) { details_->showGroup(*pane_->document(), group); }

void ModelPanel::showInTable(const Node* node) {
    const int row = nodes_->rowOf(node);
    if (row < 0) return;
    tabs_->setCurrentWidget(nodeTable_);
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(nodeTable_->model());
    const QModelIndex index = proxy->mapFromSource(nodes_->index(row, 0));
    nodeTable_->setCurrentIndex(index);
    nodeTable_->scrollTo(index, QAbstractItemView::PositionAtCenter);
    nodeTable_->setFocus();
}

void ModelPanel::train(const QString& what, const std::set<std::string>& names, bool trains) {
    TrainingSpec spec = project_.spec();
    auto trained = trainedParameters(project_.model()->parameters, spec.artifacts);
    for (const std::string& name : names) {
        if (trains) {
            trained.insert(name);
        } else {
            trained.erase(name);
        }
    }
    spec.artifacts = withTrainedParameters(spec.artifacts, project_.model()->parameters, trained);
    project_.edit(what, spec);
}

void ModelPanel::stopAt(const Node* node, bool stops) {
    const Graph& graph = *project_.model()->graph;
    TrainingSpec spec = project_.spec();
    auto& choices = spec.artifacts.stopGradient;
    choices = stops ? withStopAt(graph, choices, *node) : withoutStopAt(graph, choices, *node);
    const QString name = text(node->name().empty() ? node->opType() : node->name());
    project_.edit(
        stops ? tr("Stop gradients at %1").arg(name) : tr("Let gradients through %1").arg(name),
        spec);
}

void ModelPanel::showGradientWay(const Value* parameter) {
    const std::unique_ptr<Graph> graph = shown_->clone();  // with the chosen gradient stops
    for (const std::string& name : stoppedValues())
        if (Value* value = graph->find(name)) value->setStopsGradients(true);
    std::vector<Value*> outputs;
    if (const auto& preparation = project_.preparation())
        for (const std::string& read : preparation->plan.loss.reads.predictions)
            if (Value* output = graph->find(read)) outputs.push_back(output);
    if (outputs.empty()) outputs = graph->outputs();
    const GradientPath way =
        gradientPath(*graph, project_.ops()->catalog, outputs, graph->at(parameter->name()));
    const GraphOutline& outline = pane_->document()->outline();
    std::set<int> nodes;
    for (const Node* node : way.nodes.empty() ? way.ends : way.nodes)
        for (const Value* output : node->outputs())
            if (output != nullptr)
                nodes.insert(outline.indexOf(shown_->at(output->name())->producer()));
    const QString name = text(parameter->name());
    pane_->showWay(
        nodes,
        way.nodes.empty()
            ? tr("The gradient of the loss does not reach %1. It stops at the mark.").arg(name)
            : tr("The gradient of the loss reaches %1 through %n nodes.", nullptr,
                 static_cast<int>(nodes.size()))
                  .arg(name));
}

void ModelPanel::nodeRowSelected(const QModelIndex& index) {
    if (!index.isValid()) return;
    const Node* node = nodes_->node(sourceIndex(index).row());
    const QSignalBlocker blocker(pane_);
    pane_->showNode(pane_->document() ? pane_->document()->outline().indexOf(node) : -1);
    details_->showNode(*node, blockOf(*node));
}

void ModelPanel::tensorRowSelected(const QModelIndex& index) {
    if (!index.isValid()) return;
    const Value* value = tensors_->value(sourceIndex(index).row());
    details_->showValue(*value);
    offerTensor(value);
    project_.tasks()->cancel(summaryTask_);
    if (!value->isInitializer()) return;
    summaryTask_ = project_.tasks()->run(
        tr("Reading %1").arg(text(value->name())), tr("The tensor could not be read"),
        [name = text(value->name()), tensor = value->constant()](std::stop_token stop) {
            return summarize(name, tensor, stop);
        },
        [this](const TensorSummary& summary) { details_->addSummary(summary); },
        [this](const Problem& problem) { showProblem(problem); });
}

const Block* ModelPanel::blockOf(const Node& node) const {
    const auto& blocks = project_.model()->blockByNode;
    const auto found = blocks.find(&node);
    return found == blocks.end() ? nullptr : found->second;
}

void ModelPanel::showGraphDetails() {
    if (choice_->currentIndex() == 0)
        return details_->showModel(project_.model()->title, *shown_, project_.model()->blocks,
                                   project_.spec().fixedInputs);
    details_->showGraph(choice_->currentText(), *shown_);
}

StageStatus ModelPanel::status(const StageContext& context) {
    const auto& model = context.project.model();
    if (!model) return {StageState::Attention, tr("Open a model")};
    const int64_t errors = errorCount(model->faults) + errorCount(model->typeFindings) +
                           gradientErrors(context.project);
    if (errors > 0) return problemsFound(errors);
    return {StageState::Done,
            tr("%Ln nodes", nullptr, static_cast<int>(model->graph->nodeCount()))};
}

}  // namespace temper::ui
