// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <string>
#include <vector>

namespace temper::ui {

/// Texts and numbers in columns: the data of a plot.
class ValueTable : public QAbstractTableModel {
    Q_OBJECT
public:
    using Row = QList<QVariant>;  ///< QString, double or qlonglong, one per heading

    using QAbstractTableModel::QAbstractTableModel;

    void setContent(const QStringList& headings, std::vector<Row> rows);
    /// Numbers are written for lossless reading, in any language.
    std::string csv() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QStringList headings_;
    std::vector<Row> rows_;
};

}  // namespace temper::ui
