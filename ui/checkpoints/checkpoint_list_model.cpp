// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/checkpoint_list_model.h"

#include <QFileInfo>
#include <QLocale>

#include "ui/messages/path_text.h"
#include "ui/translation/engine_texts.h"

namespace temper::ui {

CheckpointListModel::CheckpointListModel(RunModel& run, QObject* parent)
    : QAbstractTableModel(parent), run_(run) {
    connect(&run_, &RunModel::checkpointsChanged, this, &CheckpointListModel::refresh);
    refresh();
}

void CheckpointListModel::refresh() {
    beginResetModel();
    entries_.assign(run_.checkpoints().rbegin(), run_.checkpoints().rend());
    endResetModel();
}

int CheckpointListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

int CheckpointListModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant CheckpointListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const CheckpointEntry& entry = entries_[static_cast<size_t>(index.row())];
    if (role == Qt::ToolTipRole) return pathText(entry.path);
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Step: return QLocale().toString(static_cast<qlonglong>(entry.step));
        case Kind: return engineText(entry.kind.toStdString());
        case File: return QFileInfo(entry.path).fileName();
        default: return {};
    }
}

QVariant CheckpointListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Step: return tr("Step");
        case Kind: return tr("Kind");
        case File: return tr("File");
        default: return {};
    }
}

}  // namespace temper::ui
