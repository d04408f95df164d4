// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/health_model.h"

#include <algorithm>

#include "ui/messages/hint_text.h"
#include "ui/messages/problem.h"
#include "ui/widgets/severity.h"

namespace temper::ui {

HealthModel::HealthModel(QObject* parent) : QAbstractTableModel(parent) {}

void HealthModel::setFindings(std::vector<Finding> findings) {
    beginResetModel();
    findings_ = std::move(findings);
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
    endResetModel();
}

int HealthModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(findings_.size());
}

int HealthModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant HealthModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Finding& found = finding(index.row());
    if (role == Qt::DecorationRole && index.column() == What) return severityIcon(found.severity);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    switch (index.column()) {
        case What: return text(found.message);
        case Advice: return hintText(found.hint);
        case Code: return text(found.code);
        default: return {};
    }
}

QVariant HealthModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical || role != Qt::DisplayRole) return {};
    switch (section) {
        case What: return tr("Finding");
        case Advice: return tr("What to do");
        case Code: return tr("Code");
        default: return {};
    }
}

}  // namespace temper::ui
