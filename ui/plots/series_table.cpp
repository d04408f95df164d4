// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/series_table.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <cmath>

#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

/// Changes below this share of a curve's span count as none.
constexpr double kLevel = 0.05;

QString valueText(const std::optional<Curve::Point>& point) {
    return point ? decimalText(point->y, 'g', 5) : QString();
}

QString stepText(const std::optional<Curve::Point>& point) {
    return point ? QLocale().toString(static_cast<qlonglong>(point->x)) : QString();
}

QString trendOf(const SeriesSummary& series) {
    const double change = series.last->y - series.first->y;
    const double span = series.maximum->y - series.minimum->y;
    if (!(std::abs(change) > kLevel * span)) return SeriesTableModel::tr("level");
    return change < 0 ? SeriesTableModel::tr("falling") : SeriesTableModel::tr("rising");
}

}  // namespace

void SeriesTableModel::setSeries(std::vector<SeriesSummary> series) {
    const bool sameRows = series.size() == series_.size();
    if (!sameRows) beginResetModel();
    series_ = std::move(series);
    if (!sameRows) return endResetModel();
    if (!series_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int SeriesTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(series_.size());
}

int SeriesTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant SeriesTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole && index.column() != Name)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const SeriesSummary& series = series_[static_cast<size_t>(index.row())];
    switch (index.column()) {
        case Name: return series.name;
        case Points: return QLocale().toString(static_cast<qlonglong>(series.points));
        case First: return valueText(series.first);
        case Last: return valueText(series.last);
        case Minimum: return valueText(series.minimum);
        case MinimumAt: return stepText(series.minimum);
        case Maximum: return valueText(series.maximum);
        case MaximumAt: return stepText(series.maximum);
        default: return {};
    }
}

QVariant SeriesTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Name: return tr("Curve");
        case Points: return tr("Points");
        case First: return tr("First");
        case Last: return tr("Last");
        case Minimum: return tr("Minimum");
        case MinimumAt: return tr("at step");
        case Maximum: return tr("Maximum");
        case MaximumAt: return tr("at step");
        default: return {};
    }
}

QString describeChart(const QString& title, const std::vector<SeriesSummary>& series) {
    QStringList sentences;
    for (const SeriesSummary& each : series) {
        if (!each.first || !each.minimum) continue;
        sentences << SeriesTableModel::tr(
                         "%1 goes from %2 to %3 between steps %4 and %5 and is %6; its lowest "
                         "value is %7 at step %8, its highest %9.")
                         .arg(each.name, valueText(each.first), valueText(each.last),
                              stepText(each.first), stepText(each.last), trendOf(each),
                              valueText(each.minimum), stepText(each.minimum),
                              valueText(each.maximum));
    }
    if (sentences.isEmpty()) return SeriesTableModel::tr("%1: nothing is drawn yet.").arg(title);
    return SeriesTableModel::tr("%1. %2").arg(title, sentences.join(QLatin1Char(' ')));
}

}  // namespace temper::ui
