// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

namespace temper::ui {

/// One row of a table, transposed: names, editable values, and how much each one matters.
class RowModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Value, Influence, kColumns };

    explicit RowModel(QObject* parent = nullptr);

    void setRow(QStringList names, std::vector<double> values);
    /// Influence of each value on the prediction; empty: unknown.
    void setInfluence(std::vector<double> influence);
    const std::vector<double>& values() const { return values_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    void edited();

private:
    QStringList names_;
    std::vector<double> values_;
    std::vector<double> influence_;
};

}  // namespace temper::ui
