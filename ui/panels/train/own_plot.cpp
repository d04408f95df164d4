// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/own_plot.h"

#include <QHeaderView>
#include <QJsonArray>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <map>
#include <utility>

#include "ui/plots/plot_view.h"
#include "ui/run/curve_catalog.h"
#include "ui/run/curve_csv.h"
#include "ui/run/run_model.h"
#include "ui/theme/theme.h"
#include "ui/widgets/name_elision.h"

namespace temper::ui {
namespace {

constexpr int kKeyRole = Qt::UserRole + 1;
constexpr int kTitleRole = Qt::UserRole + 2;  ///< also without its group

}  // namespace

OwnPlot::OwnPlot(RunModel& run, QWidget* parent)
    : QSplitter(parent),
      run_(run),
      plot_(new PlotView(tr("Custom plot"), this)),
      curves_(new QStandardItemModel(this)),
      found_(new QSortFilterProxyModel(this)) {
    setChildrenCollapsible(false);
    setHandleWidth(em(this, 0.6));
    plot_->setObjectName(QStringLiteral("ownPlot"));
    plot_->setPlaceholder(tr("Tick curves to draw them together."));
    plot_->setCsvSource([this] { return csv(); });
    addWidget(plot_);
    addWidget(buildChooser());
    setStretchFactor(0, 3);
    setStretchFactor(1, 1);
    connect(plot_, &PlotView::viewChanged, this, &OwnPlot::refresh);
    connect(&run_, &RunModel::updated, this, &OwnPlot::refresh);
    connect(curves_, &QStandardItemModel::itemChanged, this, [this](const QStandardItem* item) {
        if (!isListing_) tick(*item);
    });
    refresh();
}

QWidget* OwnPlot::buildChooser() {
    auto* chooser = new QWidget(this);
    auto* layout = new QVBoxLayout(chooser);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(em(this, 0.4));
    auto* search = new QLineEdit(chooser);
    search->setPlaceholderText(tr("Search curves"));
    search->setAccessibleName(tr("Search curves"));
    search->setClearButtonEnabled(true);
    found_->setSourceModel(curves_);
    found_->setRecursiveFilteringEnabled(true);
    found_->setAutoAcceptChildRows(true);
    found_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    tree_ = new QTreeView(chooser);
    tree_->setObjectName(QStringLiteral("curveTree"));
    tree_->setAccessibleName(tr("Curves to draw"));
    tree_->setModel(found_);
    tree_->setItemDelegate(new ElidingDelegate(tree_));
    tree_->setHeaderHidden(true);
    tree_->setUniformRowHeights(true);
    tree_->setIndentation(em(this, 0.9));
    connect(search, &QLineEdit::textChanged, this, [this](const QString& words) {
        found_->setFilterFixedString(words);
        if (!words.isEmpty()) tree_->expandAll();
    });
    layout->addWidget(search);
    layout->addWidget(tree_, 1);
    chooser->setMinimumWidth(em(this, 12));
    return chooser;
}

void OwnPlot::showEvent(QShowEvent* event) {
    QSplitter::showEvent(event);
    refresh();
}

/// Does nothing while hidden.
void OwnPlot::refresh() {
    if (!isVisible()) return;
    listCurves();
    drawSeries();
}

/// Groups with their curves; parameters are in an outer group.
void OwnPlot::listCurves() {
    std::vector<std::string> names = run_.layerHistory().names();
    for (const auto& [key, curve] : run_.metrics()) names.push_back(key);
    if (!listed_.isEmpty() && names == names_) return;
    names_ = std::move(names);
    const std::vector<CurveEntry> entries = curvesOf(run_);
    listed_.clear();
    for (const CurveEntry& entry : entries) listed_ << entry.key;
    isListing_ = true;
    curves_->clear();
    std::map<std::pair<QStandardItem*, QString>, QStandardItem*> groups;
    const auto groupOf = [&](QStandardItem* parent, const QString& title) {
        auto*& group = groups[{parent, title}];
        if (group == nullptr) {
            group = new QStandardItem(title);
            group->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
            parent->appendRow(group);
        }
        return group;
    };
    const QString parameters = tr("Parameters");
    for (const CurveEntry& entry : entries) {
        QStandardItem* parent = curves_->invisibleRootItem();
        if (entry.isOfLayer) parent = groupOf(parent, parameters);
        auto* item = new QStandardItem(entry.title);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        item->setData(entry.key, kKeyRole);
        item->setToolTip(entry.title);
        item->setData(entry.isOfLayer ? entry.group + ", " + entry.title : entry.title, kTitleRole);
        groupOf(parent, entry.group)->appendRow(item);
    }
    isListing_ = false;
    showTicks();
    for (int row = 0; row < found_->rowCount(); ++row)  // there may be many parameters
        if (const QModelIndex group = found_->index(row, 0); group.data() != parameters)
            tree_->expand(group);
    showTickedParameters();
}

/// Drawn curves must not hide in a closed branch.
void OwnPlot::showTickedParameters() {
    const QModelIndexList curves = found_->match(found_->index(0, 0), kKeyRole, QString(), -1,
                                                 Qt::MatchStartsWith | Qt::MatchRecursive);
    for (const QModelIndex& curve : curves) {
        if (!chosen_.contains(curve.data(kKeyRole).toString())) continue;
        for (QModelIndex around = curve.parent(); around.isValid(); around = around.parent())
            tree_->expand(around);
    }
}

void OwnPlot::showTicks() {
    isListing_ = true;
    for (const QModelIndex& index : curves_->match(curves_->index(0, 0), kKeyRole, QString(), -1,
                                                   Qt::MatchStartsWith | Qt::MatchRecursive)) {
        QStandardItem* item = curves_->itemFromIndex(index);
        if (item->isCheckable())
            item->setCheckState(chosen_.contains(item->data(kKeyRole).toString()) ? Qt::Checked
                                                                                  : Qt::Unchecked);
    }
    isListing_ = false;
}

void OwnPlot::tick(const QStandardItem& item) {
    const QString key = item.data(kKeyRole).toString();
    chosen_.removeAll(key);
    if (item.checkState() == Qt::Checked) chosen_ << key;
    drawSeries();
}

void OwnPlot::setChosen(const QStringList& keys) {
    chosen_ = keys;
    showTicks();
    refresh();
    showTickedParameters();
}

QString OwnPlot::titleOf(const QString& key) const {
    const QModelIndexList found =
        curves_->match(curves_->index(0, 0), kKeyRole, key, 1,
                       Qt::MatchExactly | Qt::MatchCaseSensitive | Qt::MatchRecursive);
    return found.isEmpty() ? key : found.first().data(kTitleRole).toString();
}

void OwnPlot::drawSeries() {
    QStringList there;
    for (const QString& key : chosen_)
        if (listed_.contains(key)) there << key;
    const bool isFirst = drawn_.isEmpty() && !there.isEmpty();
    if (there != drawn_) {
        drawn_ = there;
        plot_->clearSeries();
        const std::vector<CurveEntry> entries = curvesOf(run_);
        for (int i = 0; i < drawn_.size(); ++i) {
            const CurveEntry& entry = entries[static_cast<size_t>(listed_.indexOf(drawn_[i]))];
            plot_->addSeries(titleOf(drawn_[i]),
                             entry.hasFewPoints ? SeriesStyle::Marked : SeriesStyle::Line, i, i);
        }
    }
    for (int i = 0; i < drawn_.size(); ++i) plot_->setCurve(i, *curveOf(run_, drawn_[i]));
    plot_->setExpectedEnd(static_cast<double>(run_.totalSteps()), static_cast<double>(run_.step()));
    if (isFirst) return plot_->showEverything();
    plot_->refresh();
}

std::string OwnPlot::csv() const {
    std::vector<std::shared_ptr<const Curve>> curves;  // the columns point into these
    std::vector<std::pair<std::string, const Curve*>> columns;
    for (const QString& key : drawn_) {
        curves.push_back(curveOf(run_, key));
        columns.emplace_back(key.toStdString(), curves.back().get());
    }
    return curvesToCsv("step", columns);
}

QJsonObject OwnPlot::view() const {
    return {{"curves", QJsonArray::fromStringList(chosen_)},
            {"logarithmicSteps", plot_->isLogarithmic(Qt::Horizontal)},
            {"logarithmicValues", plot_->isLogarithmic(Qt::Vertical)}};
}

void OwnPlot::setView(const QJsonObject& view) {
    QStringList keys;
    for (const QJsonValue key : view["curves"].toArray()) keys << key.toString();
    setChosen(keys);
    plot_->setLogarithmic(Qt::Horizontal, view["logarithmicSteps"].toBool());
    plot_->setLogarithmic(Qt::Vertical, view["logarithmicValues"].toBool());
}

}  // namespace temper::ui
