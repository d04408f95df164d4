// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/parameters/parameter_filter.h"

#include <QRegularExpression>

#include "ui/panels/parameters/parameter_model.h"

namespace temper::ui {

ParameterFilter::ParameterFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setFilterKeyColumn(ParameterModel::Name);
    setSortRole(Qt::UserRole);
}

std::optional<ExpressionFault> ParameterFilter::setPattern(const QString& pattern,
                                                           bool isExpression) {
    if (isExpression) {
        const std::string text = pattern.toStdString();
        if (const auto fault = NameExpression::findFault(text)) return fault;
        expression_.emplace(text);
        setFilterRegularExpression(QRegularExpression());
        return std::nullopt;
    }
    expression_.reset();
    QString expression = QRegularExpression::escape(pattern);
    expression.replace(QLatin1String("\\*"), QLatin1String(".*"));
    expression.replace(QLatin1String("\\?"), QLatin1String("."));
    setFilterRegularExpression(
        QRegularExpression(expression, QRegularExpression::CaseInsensitiveOption));
    return std::nullopt;
}

void ParameterFilter::setOperator(const QString& op) {
    operator_ = op;
    invalidateFilter();
}

bool ParameterFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (!operator_.isEmpty()) {
        const QModelIndex op = sourceModel()->index(row, ParameterModel::ReadBy, parent);
        if (op.data().toString() != operator_) return false;
    }
    return hasName(row, parent);
}

bool ParameterFilter::hasName(int row, const QModelIndex& parent) const {
    if (!expression_) return QSortFilterProxyModel::filterAcceptsRow(row, parent);
    const QModelIndex name = sourceModel()->index(row, ParameterModel::Name, parent);
    return expression_->matches(name.data().toString().toStdString());
}

}  // namespace temper::ui
