// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/model/finding_model.h"

#include <QGuiApplication>
#include <algorithm>

#include "ui/project/problem.h"
#include "ui/theme/colors.h"
#include "ui/theme/icons.h"

namespace temper::ui {
namespace {

QIcon severityIcon(Severity severity) {
    const Colors& colors = colorsOf(QGuiApplication::palette());
    switch (severity) {
        case Severity::Error: return themedIcon(QStringLiteral("error"), colors.bad);
        case Severity::Warning: return themedIcon(QStringLiteral("warning"), colors.attention);
        case Severity::Info: break;
    }
    return themedIcon(QStringLiteral("info"), colors.accent);
}

}  // namespace

FindingModel::FindingModel(QObject* parent) : QAbstractTableModel(parent) {}

void FindingModel::setFindings(std::vector<Finding> findings) {
    beginResetModel();
    findings_ = std::move(findings);
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
    endResetModel();
}

int FindingModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(findings_.size());
}

int FindingModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant FindingModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Finding& finding = findings_[static_cast<size_t>(index.row())];
    if (role == Qt::DecorationRole && index.column() == Code) return severityIcon(finding.severity);
    if (role == Qt::AccessibleTextRole && index.column() == Code)
        return text(severityName(finding.severity)) + QLatin1Char(' ') + text(finding.code);
    if (role == Qt::ToolTipRole) return text(finding.message);
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Code: return text(finding.code);
        case Where: return text(finding.op.empty() ? finding.node : finding.op);
        case What: return text(finding.message);
        default: return {};
    }
}

QVariant FindingModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Code: return tr("Code");
        case Where: return tr("Where");
        case What: return tr("What");
        default: return {};
    }
}

}  // namespace temper::ui
