// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/commands/command_registry.h"

namespace temper::ui {

/// The commands with menu and keys.
class ShortcutModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Title, Menu, Keys, kColumns };

    explicit ShortcutModel(CommandRegistry& registry, QObject* parent = nullptr);

    const Command& command(int row) const { return commands_[static_cast<size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    CommandRegistry& registry_;
    std::vector<Command> commands_;
};

}  // namespace temper::ui
