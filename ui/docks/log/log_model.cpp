// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/log/log_model.h"

#include "ui/widgets/severity.h"

namespace temper::ui {

LogModel::LogModel(QObject* parent) : QAbstractTableModel(parent) {}

void LogModel::add(Severity severity, const QString& text) {
    if (rowCount() == kMaxRows) {
        beginRemoveRows({}, 0, 0);
        lines_.pop_front();
        endRemoveRows();
    }
    beginInsertRows({}, rowCount(), rowCount());
    lines_.push_back({QDateTime::currentDateTime(), severity, text});
    endInsertRows();
}

void LogModel::clear() {
    beginResetModel();
    lines_.clear();
    endResetModel();
}

QString LogModel::plainText() const {
    QStringList lines;
    for (const Line& line : lines_)
        lines << line.time.toString(Qt::ISODate) + QLatin1Char(' ') + line.text;
    return lines.join(QLatin1Char('\n'));
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Line& line = lines_[static_cast<size_t>(index.row())];
    if (role == Qt::DecorationRole && index.column() == Text && line.severity != Severity::Info)
        return severityIcon(line.severity);
    if (role == Qt::ToolTipRole) return line.text;
    if (role != Qt::DisplayRole) return {};
    return index.column() == Time ? line.time.time().toString(QStringLiteral("HH:mm:ss"))
                                  : line.text;
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == Time ? tr("Time") : tr("Event");
}

}  // namespace temper::ui
