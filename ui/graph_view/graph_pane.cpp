// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/graph_pane.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/graph_view/breadcrumb.h"
#include "ui/graph_view/freeze_actions.h"
#include "ui/graph_view/legend_view.h"
#include "ui/graph_view/loss_entries.h"
#include "ui/graph_view/minimap.h"
#include "ui/graph_view/picture_saver.h"
#include "ui/graph_view/search_bar.h"
#include "ui/graph_view/way_bar.h"
#include "ui/graph_view/weight_norms.h"
#include "ui/tasks/task_runner.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/narrow_combo.h"

namespace temper::ui {

GraphPane::GraphPane(TaskRunner& tasks, std::shared_ptr<const OpSet> ops, QWidget* parent)
    : QWidget(parent),
      tasks_(tasks),
      ops_(std::move(ops)),
      view_(new GraphView(this)),
      breadcrumb_(new Breadcrumb(this)),
      search_(new SearchBar(tasks, view_)),
      freeze_(new FreezeActions(*view_, this)),
      loss_(new LossEntries(this)),
      norms_(new WeightNorms(tasks, this)),
      picture_(new PictureSaver(tasks, *view_, this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(em(this, 0.3));
    buildActions();
    tools_ = new QHBoxLayout;
    buildTools(tools_);
    layout->addLayout(tools_);
    layout->addWidget(breadcrumb_);
    way_ = new WayBar(*view_, this);
    layout->addWidget(way_);
    layout->addWidget(view_, 1);
    new LegendView(view_);
    new Minimap(view_);
    search_->raise();
    view_->installEventFilter(this);
    connectParts();
}

void GraphPane::connectParts() {
    connect(view_, &GraphView::boxSelected, this, &GraphPane::boxSelected);
    connect(view_, &GraphView::toggleRequested, this, &GraphPane::toggleGroup);
    connect(view_, &GraphView::shapeNodesRequested, this, &GraphPane::revealShapeNodes);
    connect(view_, &GraphView::menuRequested, this, &GraphPane::showMenu);
    connect(breadcrumb_, &Breadcrumb::groupRequested, this, &GraphPane::goToGroup);
    connect(search_, &SearchBar::nodeChosen, this, qOverload<int>(&GraphPane::showNode));
    connect(search_, &SearchBar::closed, view_, qOverload<>(&QWidget::setFocus));
    connect(search_, &SearchBar::hitsChanged, this, [this] {
        std::set<int> hits;
        for (const NodeHit& hit : search_->hits().hits()) hits.insert(static_cast<int>(hit.node));
        view_->setHits(std::move(hits));
    });
    connect(way_, &WayBar::gradientWayRequested, this, &GraphPane::gradientWayRequested);
    connect(freeze_, &FreezeActions::freezeRequested, this, &GraphPane::freezeRequested);
    connect(freeze_, &FreezeActions::trainRequested, this, &GraphPane::trainRequested);
    connect(freeze_, &FreezeActions::stopRequested, this, &GraphPane::stopRequested);
    connect(norms_, &WeightNorms::measured, this, [this](const auto& norms) {
        overlay_.norms = norms;
        view_->setOverlayData(overlay_);
    });
    connect(norms_, &WeightNorms::problemFound, this, &GraphPane::problemFound);
    connect(picture_, &PictureSaver::problemFound, this, &GraphPane::problemFound);
    connect(freeze_, &FreezeActions::refused, this,
            [this](const QString& why) { showWay({}, why); });
}

GraphPane::~GraphPane() { tasks_.cancel(drawTask_); }

void GraphPane::keep(QAction* action) {
    action->setEnabled(false);
    actions_ << action;
    addAction(action);
}

QAction* GraphPane::makeAction(const QString& id, const QString& text,
                               const QList<QKeySequence>& keys, std::function<void()> run) {
    auto* action = new QAction(text, this);
    action->setObjectName(QStringLiteral("graph.") + id);
    action->setShortcuts(keys);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    keep(action);
    return action;
}

QAction* GraphPane::addToggle(const QString& id, const QString& text, const QString& key,
                              bool GraphFold::*flag) {
    QAction* action = makeAction(id, text, {QKeySequence(key)}, [this, flag] {
        GraphFold fold = fold_;
        fold.*flag = !(fold.*flag);
        setFold(fold);
    });
    action->setCheckable(true);
    toggles_ << action;
    flags_[action] = flag;
    return action;
}

void GraphPane::buildActions() {
    makeAction(QStringLiteral("find"), tr("Find in the graph…"), {QKeySequence::Find}, [this] {
        search_->open(SearchBar::Mode::Find);
    })->setIcon(themedIcon(QStringLiteral("search")));
    makeAction(QStringLiteral("goTo"), tr("Go to node…"), {QKeySequence("Ctrl+G")},
               [this] { search_->open(SearchBar::Mode::GoTo); });
    makeAction(QStringLiteral("next"), tr("Next found node"), {QKeySequence("F3")},
               [this] { search_->step(1); });
    makeAction(QStringLiteral("previous"), tr("Previous found node"), {QKeySequence("Shift+F3")},
               [this] { search_->step(-1); });
    addToggle(QStringLiteral("attributes"), tr("Attributes"), QStringLiteral("Ctrl+D"),
              &GraphFold::attributes);
    addToggle(QStringLiteral("weights"), tr("Weights"), QStringLiteral("Ctrl+I"),
              &GraphFold::weights);
    addToggle(QStringLiteral("names"), tr("Names"), QStringLiteral("Ctrl+U"), &GraphFold::names);
    addToggle(QStringLiteral("direction"), tr("Left to right"), QStringLiteral("Ctrl+K"),
              &GraphFold::horizontal);
    addToggle(QStringLiteral("shapes"), tr("Shape operations"), QStringLiteral("Ctrl+Shift+K"),
              &GraphFold::shapeNodes);
    buildViewActions();
    for (QAction* action : freeze_->actions()) keep(action);
}

void GraphPane::buildViewActions() {
    makeAction(QStringLiteral("openAll"), tr("Open all groups"), {QKeySequence("Ctrl+Shift+Right")},
               [this] { openAllGroups(); });
    makeAction(QStringLiteral("closeAll"), tr("Close all groups"),
               {QKeySequence("Ctrl+Shift+Left")}, [this] {
                   GraphFold fold = fold_;
                   fold.open = {0};
                   setFold(fold);
               });
    makeAction(QStringLiteral("fit"), tr("Show everything"), {QKeySequence("Ctrl+0")}, [this] {
        view_->fit();
    })->setIcon(themedIcon(QStringLiteral("zoom-fit")));
    makeAction(QStringLiteral("full"), tr("Actual size"), {QKeySequence("Ctrl+1")},
               [this] { view_->zoomToFull(); });
    makeAction(QStringLiteral("zoomIn"), tr("Zoom in"),
               {QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")}, [this] { view_->zoomIn(); })
        ->setIcon(themedIcon(QStringLiteral("zoom-in")));
    makeAction(QStringLiteral("zoomOut"), tr("Zoom out"), {QKeySequence("Ctrl+-")}, [this] {
        view_->zoomOut();
    })->setIcon(themedIcon(QStringLiteral("zoom-out")));
    makeAction(QStringLiteral("picture"), tr("Save picture…"), {QKeySequence("Ctrl+Shift+E")},
               [this] { picture_->ask(); });
}

void GraphPane::openAllGroups() {
    if (!document_) return;
    GraphFold fold = fold_;
    for (size_t g = 0; g < document_->outline().groups().size(); ++g)
        fold.open.insert(static_cast<int>(g));
    setFold(fold);
}

/// Shortcuts of a hidden page would be surprising.
void GraphPane::showEvent(QShowEvent*) {
    for (QAction* action : actions_) action->setEnabled(true);
}

void GraphPane::hideEvent(QHideEvent*) {
    for (QAction* action : actions_) action->setEnabled(false);
}

void GraphPane::buildTools(QHBoxLayout* row) {
    row->setSpacing(em(this, 0.25));
    row->addWidget(buildOverlays(), 1);
    auto* show = new QToolButton(this);
    show->setText(tr("Show"));
    show->setAutoRaise(true);
    show->setPopupMode(QToolButton::InstantPopup);
    show->setAccessibleName(tr("What the graph shows"));
    auto* menu = new QMenu(show);
    for (QAction* action : actions_) {
        if (action == toggles_.front()) menu->addSeparator();
        menu->addAction(action);
        if (action == toggles_.back()) menu->addSeparator();
    }
    show->setMenu(menu);
    row->addWidget(show);
    row->addStretch();  // the space left by the boxes
    for (QAction* action : actions_) {
        if (action->icon().isNull()) continue;
        auto* tool = new QToolButton(this);
        tool->setDefaultAction(action);
        tool->setToolButtonStyle(Qt::ToolButtonIconOnly);
        tool->setAccessibleName(action->text());
        tool->setToolTip(tr("%1 (%2)").arg(action->text(),
                                           action->shortcut().toString(QKeySequence::NativeText)));
        tool->setAutoRaise(true);
        row->addWidget(tool);
    }
}

QWidget* GraphPane::buildOverlays() {
    overlays_ = new NarrowCombo(this);
    overlays_->setObjectName(QStringLiteral("graphOverlay"));
    overlays_->setAccessibleName(tr("What the colours show"));
    overlays_->setToolTip(tr("What the colours show"));
    const std::pair<OverlayKind, QString> kinds[] = {
        {OverlayKind::Operators, tr("Colours: operators")},
        {OverlayKind::Training, tr("Colours: training")},
        {OverlayKind::WeightNorm, tr("Colours: weight norm")},
        {OverlayKind::Heat, tr("Colours: gradient norm")},
        {OverlayKind::None, tr("Colours: none")},
    };
    for (const auto& [kind, name] : kinds) overlays_->addItem(name, static_cast<int>(kind));
    overlays_->limitWidth();
    connect(overlays_, &QComboBox::currentIndexChanged, this,
            [this] { setOverlay(static_cast<OverlayKind>(overlays_->currentData().toInt())); });
    return overlays_;
}

void GraphPane::addHeader(QWidget* widget) { tools_->insertWidget(0, widget, 1); }

void GraphPane::setGraph(std::shared_ptr<const Graph> graph, const std::vector<Block>& blocks,
                         const std::optional<GraphLookState>& look) {
    looks_.clear();
    coming_ = look;
    tasks_.cancel(drawTask_);
    norms_->setGraph(graph);
    document_ = nullptr;
    overlay_.norms.clear();
    overlay_.heat.clear();
    way_->forget();
    search_->setDocument(nullptr);
    view_->setDrawing(nullptr);
    breadcrumb_->setPath({});
    if (!graph) return;
    struct First {
        std::shared_ptr<const GraphDocument> document;
        std::shared_ptr<const GraphDrawing> drawing;
    };
    const GraphFold flags = look ? look->fold : fold_;
    laidOutFor_ = view_->font();
    drawTask_ = tasks_.run(
        tr("Laying out the graph"), tr("The graph could not be drawn"),
        [graph, blocks, flags, ops = ops_, isKnown = look.has_value(),
         metrics = view_->metrics()](std::stop_token stop) {
            First first;
            first.document = std::make_shared<const GraphDocument>(graph, ops->catalog, blocks);
            GraphFold fold = flags;
            if (!isKnown) {
                fold.revealed.clear();
                fold.open = firstFold(*first.document).open;
            }
            leaveWhatExists(fold, *first.document);
            first.drawing = drawGraph(first.document, fold, metrics, nullptr, std::move(stop));
            return first;
        },
        [this](First first) { adopt(std::move(first.document), std::move(first.drawing)); },
        [this](const Problem& problem) { emit problemFound(problem); });
}

void GraphPane::adopt(std::shared_ptr<const GraphDocument> document,
                      std::shared_ptr<const GraphDrawing> drawing) {
    drawTask_ = 0;
    document_ = std::move(document);
    fold_ = drawing->fold;
    search_->setDocument(document_);
    view_->setOverlayData(overlay_);
    for (QAction* toggle : toggles_) toggle->setChecked(fold_.*flags_.at(toggle));
    view_->setDrawing(std::move(drawing));
    showCrumbs(-1);
    showComing();
    if (view_->overlay() == OverlayKind::WeightNorm) norms_->want();
    emit drawn();
}

void GraphPane::setFold(const GraphFold& fold, int anchor) {
    fold_ = fold;
    for (QAction* toggle : toggles_) toggle->setChecked(fold_.*flags_.at(toggle));
    if (document_) redraw(anchor, -1);
}

void GraphPane::redraw(int anchor, int select) {
    tasks_.cancel(drawTask_);
    laidOutFor_ = view_->font();
    drawTask_ = tasks_.run(
        tr("Laying out the graph"), tr("The graph could not be drawn"),
        [document = document_, fold = fold_, metrics = view_->metrics(),
         previous = view_->drawing()](std::stop_token stop) {
            return drawGraph(document, fold, metrics, previous.get(), std::move(stop));
        },
        [this, anchor, select](std::shared_ptr<const GraphDrawing> drawing) {
            drawTask_ = 0;
            view_->setDrawing(std::move(drawing), anchor);
            showComing();
            if (select >= 0) view_->selectNode(select);
            emit drawn();
        },
        [this](const Problem& problem) { emit problemFound(problem); });
}

void GraphPane::showNode(int node) {
    if (!document_ || node < 0) return;
    GraphFold fold = fold_;
    reveal(*document_, node, fold);
    if (fold == fold_) return view_->selectNode(node);
    fold_ = fold;
    redraw(-1, node);
}

void GraphPane::showNode(const std::string& name) {
    if (document_) showNode(document_->nodeNamed(name));
}

void GraphPane::toggleGroup(int group) {
    GraphFold fold = fold_;
    if (!fold.open.erase(group)) fold.open.insert(group);
    setFold(fold, group);
}

void GraphPane::revealShapeNodes(int node) {
    if (!document_ || node < 0) return;
    GraphFold fold = fold_;
    for (const int before : document_->shapeNodesBefore(node)) fold.revealed.insert(before);
    setFold(fold);
}

void GraphPane::setOverlay(OverlayKind kind) {
    const int index = overlays_->findData(static_cast<int>(kind));
    if (index != overlays_->currentIndex()) return overlays_->setCurrentIndex(index);
    view_->setOverlay(kind);
    if (kind == OverlayKind::WeightNorm) norms_->want();
}

void GraphPane::setTraining(std::set<std::string> trainable, std::set<std::string> trained,
                            std::set<std::string> blocked) {
    overlay_.trainable = std::move(trainable);
    overlay_.trained = std::move(trained);
    overlay_.blocked = std::move(blocked);
    view_->setOverlayData(overlay_);
}

void GraphPane::setStopped(std::set<std::string> values) {
    if (values == overlay_.stopped) return;
    overlay_.stopped = std::move(values);
    view_->setOverlayData(overlay_);
}

void GraphPane::setHeat(std::map<std::string, double> heat) {
    overlay_.heat = std::move(heat);
    if (view_->overlay() == OverlayKind::Heat) view_->setOverlayData(overlay_);
}

void GraphPane::boxSelected(int box) {
    showCrumbs(box);
    const GraphBox* selected = view_->selected();
    if (selected == nullptr) {
        emit nothingSelected();
    } else if (selected->node >= 0) {
        emit nodeSelected(&document_->node(selected->node));
    } else if (selected->value != nullptr) {
        emit valueSelected(selected->value);
    } else {
        emit groupSelected(selected->group);
    }
}

void GraphPane::showMenu(int box, const QPoint& global) {
    QMenu menu(this);
    if (box >= 0) addBoxEntries(menu, view_->drawing()->boxes[static_cast<size_t>(box)]);
    if (!fold_.revealed.empty())
        menu.addAction(tr("Hide shape operations"), [this] {
            GraphFold fold = fold_;
            fold.revealed.clear();
            setFold(fold);
        });
    for (QAction* action : toggles_) menu.addAction(action);
    menu.exec(global);
}

void GraphPane::addBoxEntries(QMenu& menu, const GraphBox& box) {
    if (box.group >= 0)
        menu.addAction(box.open ? tr("Close group") : tr("Open group"),
                       [this, group = box.group] { toggleGroup(group); });
    if (box.shapeNodes > 0)
        menu.addAction(tr("Show %n shape operations", nullptr, box.shapeNodes),
                       [this, node = box.node] { revealShapeNodes(node); });
    freeze_->addEntries(menu, box);
    loss_->addEntries(menu, box, *view_->drawing());
    way_->addEntries(menu, box);
    if (box.node >= 0)
        menu.addAction(tr("Show in table"),
                       [this, node = box.node] { emit tableRequested(&document_->node(node)); });
    const QString name = box.node >= 0 ? text(document_->node(box.node).name()) : box.title;
    menu.addAction(tr("Copy name"), [name] { QGuiApplication::clipboard()->setText(name); });
    menu.addSeparator();
}

void GraphPane::showCrumbs(int box) {
    QList<Breadcrumb::Crumb> crumbs;
    const auto& drawing = view_->drawing();
    for (int around = drawing ? box : -1; around >= 0;
         around = drawing->boxes[static_cast<size_t>(around)].parent) {
        const GraphBox& of = drawing->boxes[static_cast<size_t>(around)];
        if (of.group >= 0) crumbs.prepend({of.title, of.group});
    }
    if (drawing) crumbs.prepend({tr("Model"), 0});
    breadcrumb_->setPath(crumbs);
}

void GraphPane::goToGroup(int group) {
    if (group == 0) {
        view_->selectBox(-1);
        return view_->fit();
    }
    const int box = view_->drawing() ? view_->drawing()->boxOfGroup(group) : -1;
    if (box < 0) return;
    view_->selectBox(box);
    view_->bringIntoView(box);
}

void GraphPane::showWay(std::set<int> nodes, const QString& sentence) {
    way_->showWay(std::move(nodes), sentence);
}

void GraphPane::clearWay() { way_->clear(); }

void GraphPane::savePicture(const QString& path) { picture_->save(path); }

void GraphPane::placeSearch() {
    const int margin = em(this, 0.6);
    search_->move(margin, margin);
}

std::optional<GraphLookState> GraphPane::look() const {
    if (coming_ || !view_->drawing()) return coming_;
    const GraphBox* selected = view_->selected();
    return GraphLookState{fold_, view_->place(), selected ? selected->node : -1,
                          selected ? selected->group : -1};
}

void GraphPane::showComing() {
    if (!coming_) return;
    const GraphLookState look = *std::exchange(coming_, {});
    const GraphDrawing& drawing = *view_->drawing();
    const bool isNode = look.node >= 0 && look.node < document_->nodeCount();
    const auto groups = static_cast<int>(document_->outline().groups().size());
    const bool isGroup = look.group >= 0 && look.group < groups;
    const int box = isNode    ? drawing.boxOfNode(look.node)
                    : isGroup ? drawing.boxOfGroup(look.group)
                              : -1;
    if (box >= 0) view_->selectBox(box);
    view_->setPlace(look.place);
}

/// Boxes are as large as their texts: all of them are laid out again. A temporary font, as in
/// presenter mode, leaves no trace.
void GraphPane::redrawInFont() {
    std::optional<GraphLookState> next = look();
    if (next && !coming_) looks_[laidOutFor_.toString()] = *next;
    const auto known = looks_.find(view_->font().toString());
    if (next && known != looks_.end() && known->second.fold == fold_) {
        next->place = known->second.place;
    } else if (next) {
        next->place.center *=
            QFontMetricsF(view_->font()).height() / QFontMetricsF(laidOutFor_, view_).height();
    }
    coming_ = next;
    view_->setDrawing(nullptr);
    redraw(-1, -1);
}

bool GraphPane::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_ && event->type() == QEvent::Resize) placeSearch();
    const bool hasOtherFont = event->type() == QEvent::FontChange && view_->font() != laidOutFor_;
    if (watched == view_ && hasOtherFont && document_) {
        // Boxes are as large as their texts: all of them are laid out again.
        redrawInFont();
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace temper::ui
