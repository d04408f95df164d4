// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_table_model.h"

#include <QDateTime>
#include <QGuiApplication>
#include <QLocale>
#include <QMimeData>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "ui/docks/runs/run_folder_model.h"
#include "ui/docks/runs/run_sign.h"
#include "ui/messages/problem.h"
#include "ui/run/run_model.h"
#include "ui/theme/colors.h"
#include "ui/theme/icons.h"

namespace temper::ui {
namespace {

/// The colour of the run's curves; of a pinned run, a lock in it.
QVariant signOf(const StoredRun& run) {
    const QColor color = seriesColor(currentColors(), runSign(run.id));
    return run.isPinned ? QVariant(themedIcon(QStringLiteral("lock"), color)) : QVariant(color);
}

bool isEditable(RunColumn::Kind kind) {
    return kind == RunColumn::Kind::Name || kind == RunColumn::Kind::Group ||
           kind == RunColumn::Kind::Tags || kind == RunColumn::Kind::Notes;
}

QString numberText(const RunColumn& column, double value) {
    if (std::isnan(value)) return QStringLiteral("–");
    switch (column.kind) {
        case RunColumn::Kind::Metric: return metricText(column.key.toStdString(), value);
        case RunColumn::Kind::Duration: return durationText(value);
        case RunColumn::Kind::Started:
            return QLocale().toString(
                QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(value * 1000)),
                QLocale::ShortFormat);
        default: return QLocale().toString(value, 'f', 0);
    }
}

}  // namespace

RunTableModel::RunTableModel(QObject* parent)
    : QAbstractTableModel(parent), table_(std::make_shared<RunTable>()) {}

void RunTableModel::setTable(std::shared_ptr<const RunTable> table) {
    beginResetModel();
    table_ = std::move(table);
    rebuild();
    endResetModel();
}

void RunTableModel::setFilter(const QString& text) {
    beginResetModel();
    filter_ = text;
    rebuild();
    endResetModel();
}

void RunTableModel::setFolder(const std::optional<QString>& folder) {
    beginResetModel();
    folder_ = folder;
    rebuild();
    endResetModel();
}

void RunTableModel::rebuild() {
    order_.clear();
    const std::vector<bool> isInside = inFolder();
    for (size_t row = 0; row < table_->rows.size(); ++row)
        if (isInside[row] && (filter_.isEmpty() || matches(row))) order_.push_back(row);
    putInOrder();
}

std::vector<bool> RunTableModel::inFolder() const {
    std::vector<bool> inside(table_->rows.size(), true);
    if (!folder_) return inside;
    std::unordered_map<std::string, bool> known;  // thousands of runs share a few
    for (size_t row = 0; row < inside.size(); ++row) {
        const std::string& group = table_->run(row).group;
        const auto [place, isNew] = known.try_emplace(group);
        if (isNew) place->second = isInFolder(text(group), *folder_);
        inside[row] = place->second;
    }
    return inside;
}

bool RunTableModel::matches(size_t row) const {
    return std::any_of(table_->columns.begin(), table_->columns.end(),
                       [&](const RunColumn& column) {
                           return !column.texts.empty() &&
                                  column.texts[row].contains(filter_, Qt::CaseInsensitive);
                       });
}

int RunTableModel::rowOf(int64_t id) const {
    for (int row = 0; row < rowCount(); ++row)
        if (run(row).id == id) return row;
    return -1;
}

int RunTableModel::columnOf(const QString& key) const {
    const auto found = std::ranges::find(table_->columns, key, &RunColumn::key);
    return found == table_->columns.end() ? -1 : static_cast<int>(found - table_->columns.begin());
}

RunColumn::Kind RunTableModel::kindOf(const QString& key) const {
    return std::ranges::find(table_->columns, key, &RunColumn::key)->kind;
}

void RunTableModel::sort(int column, Qt::SortOrder order) {
    sortBy(column >= 0 && column < columnCount() ? this->column(column).key : QString(), order);
}

void RunTableModel::sortBy(const QString& key, Qt::SortOrder order) {
    sortKey_ = key;
    sortOrder_ = order;
    emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<size_t> rows;
    for (const QModelIndex& index : before)
        rows.push_back(order_[static_cast<size_t>(index.row())]);
    putInOrder();
    std::vector<int> places(table_->rows.size(), -1);
    for (size_t row = 0; row < order_.size(); ++row) places[order_[row]] = static_cast<int>(row);
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after << index(places[rows[static_cast<size_t>(i)]], before[i].column());
    changePersistentIndexList(before, after);
    emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

void RunTableModel::putInOrder() {
    const auto found = std::find_if(
        table_->columns.begin(), table_->columns.end(),
        [this](const RunColumn& column) { return !sortKey_.isEmpty() && column.key == sortKey_; });
    const RunColumn* column = found == table_->columns.end() ? nullptr : &*found;
    const bool descending = sortOrder_ == Qt::DescendingOrder;
    const auto isBefore = [&](size_t a, size_t b) {
        if (column == nullptr) return a < b;
        if (column->numbers.empty()) {
            const int order =
                QString::compare(column->texts[a], column->texts[b], Qt::CaseInsensitive);
            return descending ? order > 0 : order < 0;
        }
        const double left = column->numbers[a], right = column->numbers[b];
        // Missing values come last in either order.
        if (std::isnan(left) || std::isnan(right)) return !std::isnan(left);
        return descending ? left > right : left < right;
    };
    const auto pinned = std::stable_partition(
        order_.begin(), order_.end(), [this](size_t row) { return table_->run(row).isPinned; });
    const auto less = [&](size_t a, size_t b) {
        if (isBefore(a, b)) return !isBefore(b, a);
        return !isBefore(b, a) && a < b;
    };
    std::sort(order_.begin(), pinned, less);
    std::sort(pinned, order_.end(), less);
}

int RunTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

int RunTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(table_->columns.size());
}

QString RunTableModel::cellText(const RunColumn& column, size_t row) const {
    return column.texts.empty() ? numberText(column, column.numbers[row]) : column.texts[row];
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const RunColumn& entry = column(index.column());
    const size_t row = order_[static_cast<size_t>(index.row())];
    const MetricSummary* metric =
        entry.kind == RunColumn::Kind::Metric ? table_->metric(row, entry) : nullptr;
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole: return cellText(entry, row);
        case kSparkRole:
            return metric == nullptr ? QVariant()
                                     : QVariant::fromValue(QList<float>(metric->spark.begin(),
                                                                        metric->spark.end()));
        case Qt::ToolTipRole:
            if (metric == nullptr) return cellText(entry, row);
            if (isOfBatches(*metric))
                return tr("lowest mean of a part of the run %1, last batch %2 at step %3")
                    .arg(metricText(metric->name, bestOf(*metric)),
                         metricText(metric->name, metric->last))
                    .arg(metric->lastStep);
            return tr("best %1 at step %2, last %3 at step %4")
                .arg(metricText(metric->name, metric->best()))
                .arg(metric->bestStep())
                .arg(metricText(metric->name, metric->last))
                .arg(metric->lastStep);
        case Qt::DecorationRole:
            if (entry.kind == RunColumn::Kind::Name) return signOf(table_->run(row));
            return {};
        default: return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const bool isTitle = role == Qt::DisplayRole || role == Qt::ToolTipRole;  // it may be elided
    return isTitle ? column(section).title : QVariant();
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid()) return flags;
    flags |= Qt::ItemIsDragEnabled;
    if (isEditable(column(index.column()).kind)) flags |= Qt::ItemIsEditable;
    return flags;
}

QStringList RunTableModel::mimeTypes() const { return {QLatin1String(RunFolderModel::kMimeType)}; }

QMimeData* RunTableModel::mimeData(const QModelIndexList& indexes) const {
    std::set<int> rows;
    for (const QModelIndex& index : indexes) rows.insert(index.row());
    QByteArrayList ids;
    for (const int row : rows) ids << QByteArray::number(qlonglong{run(row).id});
    auto* data = new QMimeData;
    data->setData(QLatin1String(RunFolderModel::kMimeType), ids.join(' '));
    return data;
}

bool RunTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::EditRole) return false;
    const int64_t id = run(index.row()).id;
    switch (column(index.column()).kind) {
        case RunColumn::Kind::Name: emit renamed(id, value.toString()); return true;
        case RunColumn::Kind::Group: emit regrouped(id, value.toString()); return true;
        case RunColumn::Kind::Tags: emit tagged(id, value.toString()); return true;
        case RunColumn::Kind::Notes: emit noted(id, value.toString()); return true;
        default: return false;
    }
}

}  // namespace temper::ui
