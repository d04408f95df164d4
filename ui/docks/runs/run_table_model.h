// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "ui/docks/runs/run_table.h"

namespace temper::ui {

/// A RunTable, sorted and filtered. Pinned runs stay on top. Names, folders, tags and notes are
/// edited in place: the model emits requests, others write.
class RunTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// The run's MetricSummary::spark of a metric cell, as a QVariant of QList<float>.
    static constexpr int kSparkRole = Qt::UserRole + 1;

    explicit RunTableModel(QObject* parent = nullptr);

    void setTable(std::shared_ptr<const RunTable> table);
    const std::shared_ptr<const RunTable>& table() const { return table_; }
    /// Shows rows with this text in any column; empty: all.
    void setFilter(const QString& text);
    /// Shows rows of this folder and its subfolders; no value: all. Empty: those in no folder.
    void setFolder(const std::optional<QString>& folder);
    /// Like sort(), but by the key of a column; empty: in the original order.
    void sortBy(const QString& key, Qt::SortOrder order);
    const QString& sortKey() const { return sortKey_; }
    Qt::SortOrder sortOrder() const { return sortOrder_; }
    const StoredRun& run(int row) const { return table_->run(order_[static_cast<size_t>(row)]); }
    const RunColumn& column(int index) const { return table_->columns[static_cast<size_t>(index)]; }
    int rowOf(int64_t id) const;
    /// The row of table() shown in a row.
    size_t tableRow(int row) const { return order_[static_cast<size_t>(row)]; }
    /// Index of the column with this key; -1 if there is none.
    int columnOf(const QString& key) const;
    /// Kind of the column with this key, which must exist.
    RunColumn::Kind kindOf(const QString& key) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
    /// Runs being dragged into a folder, as RunFolderModel accepts them.
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    Qt::DropActions supportedDragActions() const override { return Qt::CopyAction; }

signals:
    void renamed(qlonglong id, const QString& name);
    void regrouped(qlonglong id, const QString& group);
    void tagged(qlonglong id, const QString& tags);
    void noted(qlonglong id, const QString& notes);

private:
    void rebuild();
    void putInOrder();
    bool matches(size_t row) const;
    /// By row of the table: whether it is in the chosen folder.
    std::vector<bool> inFolder() const;
    QString cellText(const RunColumn& column, size_t row) const;

    std::shared_ptr<const RunTable> table_;
    std::vector<size_t> order_;  ///< rows of the table, as shown
    QString filter_;
    std::optional<QString> folder_;
    QString sortKey_;
    Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
};

}  // namespace temper::ui
