// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/problems/problem_model.h"

#include <algorithm>

#include "ui/explain/explain.h"
#include "ui/messages/problem.h"
#include "ui/translation/engine_texts.h"
#include "ui/widgets/severity.h"

namespace temper::ui {

ProblemModel::ProblemModel(QObject* parent) : QAbstractTableModel(parent) {}

void ProblemModel::setProblems(std::vector<ListedProblem> problems) {
    beginResetModel();
    problems_ = std::move(problems);
    endResetModel();
}

int ProblemModel::count(Severity severity) const {
    return static_cast<int>(std::count_if(
        problems_.begin(), problems_.end(),
        [severity](const ListedProblem& entry) { return entry.finding.severity == severity; }));
}

int ProblemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(problems_.size());
}

int ProblemModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Finding& finding = problem(index.row()).finding;
    if (index.column() == Code) {
        if (role == Qt::DecorationRole) return severityIcon(finding.severity);
        if (role == Qt::AccessibleTextRole)
            return tr("%1 %2").arg(engineText(severityName(finding.severity)), text(finding.code));
    }
    if (role == Qt::ToolTipRole) return text(finding.message);
    if (role == kExplainRole) return text(finding.code);
    if (role != Qt::DisplayRole && role != Qt::UserRole) return {};
    switch (index.column()) {
        case Code: return text(finding.code);
        case Node: return text(finding.node);
        case Op: return text(finding.op);
        case What: return text(finding.message).section(QLatin1Char('\n'), 0, 0);
        default: return {};
    }
}

QVariant ProblemModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Code: return tr("Code");
        case Node: return tr("Node");
        case Op: return tr("Operator");
        case What: return tr("Problem");
        default: return {};
    }
}

}  // namespace temper::ui
