// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/commands/command_registry.h"
#include "ui/commands/fuzzy_match.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

struct Match {
    Command command;
    int score;
};

/// The words that find a command: title, menu, and its name, which contains words of other programs
/// ("theme.light").
QString wordsOf(const Command& command) {
    const QString menu = menuTitle(command.menu).remove(QLatin1Char('&'));
    return command.title() + QLatin1Char(' ') + menu + QLatin1Char(' ') + command.id;
}

std::vector<Match> matchesOf(const CommandRegistry& registry, const QString& pattern) {
    std::vector<Match> matches;
    for (const Command& command : registry.commands()) {
        if (!command.action->isVisible() || command.title().isEmpty()) continue;
        if (const auto score = fuzzyMatch(pattern, wordsOf(command)))
            matches.push_back({command, *score});
    }
    std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
        const bool left = a.command.action->isEnabled(), right = b.command.action->isEnabled();
        return left != right ? left : a.score > b.score;
    });
    return matches;
}

/// Aligns the titles of commands without an icon with the others.
QIcon noIcon(int size) {
    QPixmap empty(size, size);
    empty.fill(Qt::transparent);
    return empty;
}

QListWidgetItem* itemOf(const Command& command, int iconSize) {
    const QString keys = command.action->shortcut().toString(QKeySequence::NativeText);
    const QString title = keys.isEmpty()
                              ? command.title()
                              : CommandPalette::tr("%1   (%2)").arg(command.title(), keys);
    auto* item = new QListWidgetItem(
        command.action->icon().isNull() ? noIcon(iconSize) : command.action->icon(), title);
    item->setData(Qt::UserRole, command.id);
    if (!command.action->isEnabled()) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
    return item;
}

}  // namespace

CommandPalette::CommandPalette(CommandRegistry& registry, QWidget* parent)
    : QDialog(parent, Qt::Dialog | Qt::FramelessWindowHint),
      registry_(registry),
      input_(new QLineEdit(this)),
      list_(new QListWidget(this)),
      nothing_(makeLabel({}, "muted", this)) {
    setObjectName(QStringLiteral("commandPalette"));
    setWindowTitle(tr("Commands"));
    auto* layout = new QVBoxLayout(this);
    input_->setPlaceholderText(tr("Type a command"));
    input_->setAccessibleName(tr("Type a command"));
    input_->installEventFilter(this);
    list_->setAccessibleName(tr("Commands"));
    list_->setFocusPolicy(Qt::NoFocus);
    const int size = em(this, 1.1);
    list_->setIconSize({size, size});
    list_->setUniformItemSizes(true);
    layout->addWidget(input_);
    nothing_->setObjectName(QStringLiteral("noCommand"));
    nothing_->setWordWrap(true);
    nothing_->setAlignment(Qt::AlignCenter);
    layout->addWidget(list_, 1);
    layout->addWidget(nothing_, 1);
    resize(em(this, 30), em(this, 22));
    connect(input_, &QLineEdit::textChanged, this, &CommandPalette::refresh);
    connect(list_, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
    refresh();
}

void CommandPalette::refresh() {
    list_->clear();
    for (const Match& match : matchesOf(registry_, input_->text()))
        list_->addItem(itemOf(match.command, list_->iconSize().width()));
    list_->setCurrentRow(0);
    nothing_->setVisible(list_->count() == 0);
    list_->setVisible(list_->count() > 0);
    nothing_->setText(tr("No command matches “%1”. Try fewer letters.").arg(input_->text()));
}

void CommandPalette::runCurrent() {
    const QListWidgetItem* item = list_->currentItem();
    if (item == nullptr) return;
    QAction* action = registry_.action(item->data(Qt::UserRole).toString());
    if (action == nullptr || !action->isEnabled()) return;
    close();
    action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusOut && isVisible() && !isActiveWindow()) close();
    if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        runCurrent();
        return true;
    }
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    if (step == 0) return QDialog::eventFilter(watched, event);
    list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, list_->count() - 1));
    return true;
}

}  // namespace temper::ui
