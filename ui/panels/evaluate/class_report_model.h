// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "ui/panels/evaluate/evaluation_result.h"

namespace temper::ui {

/// Figures of each class, and their means in the last two rows.
class ClassReportModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Precision, Recall, F1, Area, Support, kColumns };

    explicit ClassReportModel(QObject* parent = nullptr);

    void setResult(std::shared_ptr<const EvaluationResult> result);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const ClassFigures& figures(int row) const;
    QString nameOf(int row) const;
    /// The term that explains a column.
    static QString termOf(int column);
    QVariant valueOf(int row, int column) const;

    std::shared_ptr<const EvaluationResult> result_;
};

}  // namespace temper::ui
