// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/shortcut_model.h"

#include <QAction>
#include <QFont>

namespace temper::ui {

ShortcutModel::ShortcutModel(CommandRegistry& registry, QObject* parent)
    : QAbstractTableModel(parent), registry_(registry), commands_(registry.commands()) {
    connect(&registry_, &CommandRegistry::shortcutsChanged, this, [this] {
        if (!commands_.empty()) emit dataChanged(index(0, Keys), index(rowCount() - 1, Keys));
    });
}

int ShortcutModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(commands_.size());
}

int ShortcutModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant ShortcutModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Command& entry = command(index.row());
    if (role == Qt::FontRole && index.column() == Keys) {
        QFont font;
        font.setBold(registry_.isChanged(entry.id));
        return font;
    }
    if ((role != Qt::DisplayRole && role != Qt::UserRole) || !entry.action) return {};
    switch (index.column()) {
        case Title: return entry.title();
        case Menu: return menuTitle(entry.menu).remove(QLatin1Char('&'));
        case Keys:
            return QKeySequence::listToString(entry.action->shortcuts(), QKeySequence::NativeText);
        default: return {};
    }
}

QVariant ShortcutModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Title: return tr("Command");
        case Menu: return tr("Menu");
        case Keys: return tr("Keys");
        default: return {};
    }
}

}  // namespace temper::ui
