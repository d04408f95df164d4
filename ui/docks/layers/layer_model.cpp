// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/layers/layer_model.h"

#include <QIcon>
#include <QLocale>
#include <algorithm>

#include "ui/explain/explain.h"
#include "ui/messages/problem.h"
#include "ui/run/layer_history.h"
#include "ui/theme/icons.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

QString shortNumber(double value) { return decimalText(value, 'g', 3); }

QString remarkOf(LayerHealth health) {
    switch (health) {
        case LayerHealth::NotFinite: return LayerModel::tr("not finite");
        case LayerHealth::Exploding: return LayerModel::tr("exploding: lower the rate");
        case LayerHealth::Dead: return LayerModel::tr("dead: hardly any gradient");
        case LayerHealth::DeadUnits: return LayerModel::tr("many dead units");
        case LayerHealth::Vanishing: return LayerModel::tr("vanishing gradient");
        case LayerHealth::Good: return LayerModel::tr("fine");
    }
    return {};
}

/// The most frequent magnitude, in words.
QString centreOf(const MagnitudeHistogram& histogram) {
    const auto highest = std::max_element(histogram.counts.begin(), histogram.counts.end());
    if (*highest == 0) return LayerModel::tr("all zero");
    const auto exponent =
        static_cast<int>(highest - histogram.counts.begin()) + MagnitudeHistogram::kLowestExponent;
    return LayerModel::tr("mostly about 2^%1").arg(exponent);
}

/// "12 of 64 (18.8 %)"; empty if unknown.
QString deadUnitsOf(const LayerStatistics& layer) {
    if (layer.units == 0) return {};
    return LayerModel::tr("%1 of %2 (%3 %)")
        .arg(integerText(layer.deadUnits), integerText(layer.units),
             decimalText(100 * deadUnitShare(layer), 'f', 1));
}

}  // namespace

bool LayerModel::isSameRun(const LayersEvent& layers) const {
    if (!first_ || layers.step < latest_->step) return false;
    return std::equal(first_->layers->begin(), first_->layers->end(), layers.layers->begin(),
                      layers.layers->end(), [](const LayerStatistics& a, const LayerStatistics& b) {
                          return a.name == b.name;
                      });
}

void LayerModel::setLayers(const std::shared_ptr<const LayersEvent>& layers) {
    if (layers == latest_) return;
    const bool continues = layers && isSameRun(*layers);
    if (!continues) beginResetModel();
    if (!continues) first_ = layers;
    latest_ = layers;
    health_ = layers ? healthOf(*layers->layers) : std::vector<LayerHealth>();
    if (!continues) return endResetModel();
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int LayerModel::remarks() const {
    return static_cast<int>(std::count_if(health_.begin(), health_.end(), [](LayerHealth health) {
        return health != LayerHealth::Good;
    }));
}

int LayerModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !latest_ ? 0 : static_cast<int>(latest_->layers->size());
}

int LayerModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QString LayerModel::textOf(int row, int column) const {
    const LayerStatistics& layer = (*latest_->layers)[static_cast<size_t>(row)];
    switch (column) {
        case Name: return text(layer.name);
        case Weights: return centreOf(layer.weights);
        case Gradients: return centreOf(layer.gradients);
        case WeightNorm: return shortNumber(layer.weightNorm);
        case GradientNorm: return shortNumber(layer.gradientNorm);
        case UpdateRatio: return shortNumber(layer.updateRatio);
        case Zeros: return tr("%1 %").arg(decimalText(100 * layer.zeroGradients, 'f', 1));
        case DeadUnits: return deadUnitsOf(layer);
        case Remark: return remarkOf(health_[static_cast<size_t>(row)]);
        default: return {};
    }
}

/// The term that explains a cell; a remark is about trouble.
QString LayerModel::termOf(int row, int column) const {
    switch (column) {
        case Gradients: return QStringLiteral("gradient");
        case GradientNorm: return QStringLiteral("gradient-norm");
        case UpdateRatio: return QStringLiteral("update-ratio");
        case Zeros: return QStringLiteral("vanishing");
        case DeadUnits: return QStringLiteral("dead-unit");
        case Remark: break;
        default: return QStringLiteral("parameter");
    }
    const LayerHealth health = health_[static_cast<size_t>(row)];
    if (health == LayerHealth::Good) return QStringLiteral("update-ratio");
    if (health == LayerHealth::DeadUnits) return QStringLiteral("dead-unit");
    const bool grows = health == LayerHealth::Exploding || health == LayerHealth::NotFinite;
    return grows ? QStringLiteral("exploding") : QStringLiteral("vanishing");
}

QVariant LayerModel::numberOf(int row, int column) const {
    const LayerStatistics& layer = (*latest_->layers)[static_cast<size_t>(row)];
    switch (column) {
        case WeightNorm: return layer.weightNorm;
        case GradientNorm: return layer.gradientNorm;
        case UpdateRatio: return layer.updateRatio;
        case Zeros: return layer.zeroGradients;
        case DeadUnits: return layer.units > 0 ? deadUnitShare(layer) : -1;
        case Remark: return static_cast<int>(health_[static_cast<size_t>(row)]);
        default: return row;  // the order of the model
    }
}

QVariant LayerModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto row = static_cast<size_t>(index.row());
    const bool isRidge = index.column() == Weights || index.column() == Gradients;
    if (role == SortRole) return numberOf(index.row(), index.column());
    if (role == kExplainRole) return termOf(index.row(), index.column());
    if (role == Qt::AccessibleTextRole || (role == Qt::DisplayRole && !isRidge))
        return textOf(index.row(), index.column());
    if (role == Qt::TextAlignmentRole && index.column() >= WeightNorm &&
        index.column() <= DeadUnits)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::DecorationRole && index.column() == Remark)
        return themedIcon(health_[row] == LayerHealth::Good ? QStringLiteral("check")
                                                            : QStringLiteral("warning"));
    if (role != RidgeRole || !isRidge) return {};
    const LayerStatistics& now = (*latest_->layers)[row];
    const LayerStatistics& first = (*first_->layers)[row];
    return QVariant::fromValue(index.column() == Weights ? Ridge{now.weights, first.weights}
                                                         : Ridge{now.gradients, first.gradients});
}

QVariant LayerModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Name: return tr("Parameter");
        case Weights: return tr("Weight sizes");
        case Gradients: return tr("Gradient sizes");
        case WeightNorm: return layerValueLabel(LayerHistory::WeightNorm);
        case GradientNorm: return layerValueLabel(LayerHistory::GradientNorm);
        case UpdateRatio: return layerValueLabel(LayerHistory::UpdateRatio);
        case Zeros: return layerValueLabel(LayerHistory::ZeroGradients);
        case DeadUnits: return tr("Dead units");
        case Remark: return tr("Note");
        default: return {};
    }
}

}  // namespace temper::ui
