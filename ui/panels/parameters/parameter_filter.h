// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>
#include <optional>

#include "engine/training/parameters/name_expression.h"

namespace temper::ui {

/// Lists the parameters whose names contain a text: "*" and "?" are wildcards, or the text is a
/// regular expression. If an operator is chosen, only those that it reads.
class ParameterFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit ParameterFilter(QObject* parent = nullptr);

    /// An invalid expression changes nothing. Returns: what is wrong with it.
    std::optional<ExpressionFault> setPattern(const QString& pattern, bool isExpression);
    /// As in the column ReadBy; empty: any operator.
    void setOperator(const QString& op);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    bool hasName(int row, const QModelIndex& parent) const;

    QString operator_;
    std::optional<NameExpression> expression_;
};

}  // namespace temper::ui
