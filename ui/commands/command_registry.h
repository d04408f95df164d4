// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QObject>
#include <QPointer>
#include <QString>
#include <vector>

class QAction;
class QSettings;

namespace temper::ui {

/// The menu that a command is in, in the order of the menu bar.
enum class MenuId { File, Edit, View, Model, Training, Runs, Tools, Help };

/// An action under a stable name, e.g. "file.open". The part before the dot is its group: lines
/// divide the groups of a menu.
struct Command {
    QString id;
    MenuId menu;
    QPointer<QAction> action;
    QList<QKeySequence> defaults;

    QString group() const { return id.section(QLatin1Char('.'), 0, 0); }
    /// The action's text without mnemonic marks and the ellipsis.
    QString title() const;
};

/// Every action of the window and its pages: the menus, the list of shortcuts and the palette are
/// made from it. The user's shortcuts are kept in the settings. Thread: the GUI thread.
class CommandRegistry : public QObject {
    Q_OBJECT
public:
    explicit CommandRegistry(QSettings& settings, QObject* parent = nullptr);

    /// The action's shortcuts are the defaults; the user's shortcuts replace them.
    void add(const QString& id, MenuId menu, QAction* action);

    /// In the order of registration; deleted actions are left out.
    std::vector<Command> commands() const;
    /// Null if there is none.
    QAction* action(const QString& id) const;

    /// `keys` empty: no shortcut. Removes the keys from the command that had them.
    void setShortcut(const QString& id, const QKeySequence& keys);
    void resetShortcut(const QString& id);
    void resetAll();
    bool isChanged(const QString& id) const;
    /// The other command that has these keys; empty if they are free.
    QString ownerOf(const QKeySequence& keys, const QString& except) const;

signals:
    void added(const temper::ui::Command& command);
    void shortcutsChanged();

private:
    const Command* find(const QString& id) const;
    void apply(const Command& command) const;

    QSettings& settings_;
    std::vector<Command> commands_;
};

/// "File", "Edit", ...
QString menuTitle(MenuId menu);

}  // namespace temper::ui
