// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/command_registry.h"

#include <QAction>
#include <QSettings>

namespace temper::ui {
namespace {

QString settingsKey(const QString& id) { return QStringLiteral("shortcuts/") + id; }

}  // namespace

QString Command::title() const {
    QString title = action ? action->text() : QString();
    title.remove(QLatin1Char('&'));
    return title.remove(QStringLiteral("…"));
}

CommandRegistry::CommandRegistry(QSettings& settings, QObject* parent)
    : QObject(parent), settings_(settings) {}

void CommandRegistry::add(const QString& id, MenuId menu, QAction* action) {
    action->setObjectName(id);
    commands_.push_back({id, menu, action, action->shortcuts()});
    apply(commands_.back());
    emit added(commands_.back());
}

std::vector<Command> CommandRegistry::commands() const {
    std::vector<Command> living;
    for (const Command& command : commands_)
        if (command.action) living.push_back(command);
    return living;
}

const Command* CommandRegistry::find(const QString& id) const {
    for (const Command& command : commands_)
        if (command.id == id && command.action) return &command;
    return nullptr;
}

QAction* CommandRegistry::action(const QString& id) const {
    const Command* command = find(id);
    return command == nullptr ? nullptr : command->action.data();
}

void CommandRegistry::apply(const Command& command) const {
    const QVariant chosen = settings_.value(settingsKey(command.id));
    if (!chosen.isValid()) return command.action->setShortcuts(command.defaults);
    command.action->setShortcut(
        QKeySequence::fromString(chosen.toString(), QKeySequence::PortableText));
}

void CommandRegistry::setShortcut(const QString& id, const QKeySequence& keys) {
    const Command* command = find(id);
    if (command == nullptr) return;
    if (const QString owner = ownerOf(keys, id); !owner.isEmpty()) {
        settings_.setValue(settingsKey(owner), QString());
        apply(*find(owner));
    }
    settings_.setValue(settingsKey(id), keys.toString(QKeySequence::PortableText));
    apply(*command);
    emit shortcutsChanged();
}

void CommandRegistry::resetShortcut(const QString& id) {
    const Command* command = find(id);
    if (command == nullptr) return;
    settings_.remove(settingsKey(id));
    apply(*command);
    emit shortcutsChanged();
}

void CommandRegistry::resetAll() {
    settings_.remove(QStringLiteral("shortcuts"));
    for (const Command& command : commands()) apply(command);
    emit shortcutsChanged();
}

bool CommandRegistry::isChanged(const QString& id) const {
    return settings_.contains(settingsKey(id));
}

QString CommandRegistry::ownerOf(const QKeySequence& keys, const QString& except) const {
    if (keys.isEmpty()) return {};
    for (const Command& command : commands_)
        if (command.action && command.id != except && command.action->shortcuts().contains(keys))
            return command.id;
    return {};
}

QString menuTitle(MenuId menu) {
    switch (menu) {
        case MenuId::File: return CommandRegistry::tr("&File");
        case MenuId::Edit: return CommandRegistry::tr("&Edit");
        case MenuId::View: return CommandRegistry::tr("&View");
        case MenuId::Model: return CommandRegistry::tr("&Model");
        case MenuId::Training: return CommandRegistry::tr("&Training");
        case MenuId::Runs: return CommandRegistry::tr("&Runs");
        case MenuId::Tools: return CommandRegistry::tr("T&ools");
        case MenuId::Help: return CommandRegistry::tr("&Help");
    }
    return {};
}

}  // namespace temper::ui
