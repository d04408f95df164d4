// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/shortcut_dialog.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/commands/shortcut_model.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {

ShortcutDialog::ShortcutDialog(CommandRegistry& registry, QWidget* parent)
    : QDialog(parent),
      registry_(registry),
      model_(new ShortcutModel(registry, this)),
      filter_(new QLineEdit(this)),
      table_(makeTable(model_, this, true)) {
    setWindowTitle(tr("Keyboard shortcuts"));
    setObjectName(QStringLiteral("shortcutDialog"));
    resize(em(this, 40), em(this, 34));
    auto* layout = new QVBoxLayout(this);
    filter_->setPlaceholderText(tr("Search commands and keys"));
    filter_->setAccessibleName(tr("Search commands and keys"));
    filter_->setClearButtonEnabled(true);
    layout->addWidget(filter_);
    auto* proxy = qobject_cast<QSortFilterProxyModel*>(table_->model());
    proxy->setFilterKeyColumn(-1);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    connect(filter_, &QLineEdit::textChanged, proxy, &QSortFilterProxyModel::setFilterFixedString);
    table_->setAccessibleName(tr("Keyboard shortcuts"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->horizontalHeader()->setSectionResizeMode(ShortcutModel::Title, QHeaderView::Stretch);
    table_->setColumnWidth(ShortcutModel::Keys, em(this, 10));
    layout->addWidget(table_, 1);
    layout->addWidget(buildEditor());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* all = buttons->addButton(tr("Restore all defaults"), QDialogButtonBox::ResetRole);
    connect(all, &QPushButton::clicked, &registry_, &CommandRegistry::resetAll);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ShortcutDialog::showSelected);
    connect(&registry_, &CommandRegistry::shortcutsChanged, this, &ShortcutDialog::showSelected);
    table_->selectRow(0);
    filter_->setFocus();
}

QWidget* ShortcutDialog::buildEditor() {
    QFrame* card = makeCard(this);
    caption_ = makeLabel({}, "heading", card);
    conflict_ = makeLabel({}, "muted", card);
    conflict_->setWordWrap(true);
    auto* row = new QHBoxLayout;
    keys_ = new QKeySequenceEdit(card);
    keys_->setAccessibleName(tr("New keys"));
    keys_->setObjectName(QStringLiteral("shortcutKeys"));
    auto* none = new QPushButton(tr("No keys"), card);
    reset_ = new QPushButton(tr("Restore default"), card);
    row->addWidget(keys_, 1);
    row->addWidget(none);
    row->addWidget(reset_);
    cardLayout(card)->addWidget(caption_);
    cardLayout(card)->addLayout(row);
    cardLayout(card)->addWidget(conflict_);
    connect(keys_, &QKeySequenceEdit::editingFinished, this, &ShortcutDialog::assign);
    connect(none, &QPushButton::clicked, this, [this] { registry_.setShortcut(selected(), {}); });
    connect(reset_, &QPushButton::clicked, this, [this] { registry_.resetShortcut(selected()); });
    return card;
}

QString ShortcutDialog::selected() const {
    const QModelIndex index = table_->currentIndex();
    if (!index.isValid()) return {};
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(table_->model());
    return model_->command(proxy->mapToSource(index).row()).id;
}

void ShortcutDialog::showSelected() {
    const QString id = selected();
    const QAction* action = registry_.action(id);
    keys_->setEnabled(action != nullptr);
    reset_->setEnabled(action != nullptr && registry_.isChanged(id));
    conflict_->setText(tr("Click into the field and press the new keys."));
    if (action == nullptr) return caption_->setText(tr("Select a command to change its keys."));
    caption_->setText(
        table_->currentIndex().siblingAtColumn(ShortcutModel::Title).data().toString());
    const QSignalBlocker blocker(keys_);
    keys_->setKeySequence(action->shortcut());
}

void ShortcutDialog::assign() {
    const QString id = selected();
    const QAction* action = registry_.action(id);
    if (action == nullptr || keys_->keySequence() == action->shortcut()) return;
    const QString owner = registry_.ownerOf(keys_->keySequence(), id);
    QString loser;
    for (const Command& command : registry_.commands())
        if (command.id == owner) loser = command.title();
    registry_.setShortcut(id, keys_->keySequence());
    if (!loser.isEmpty())
        conflict_->setText(tr("“%1” had these keys and has none now.").arg(loser));
}

}  // namespace temper::ui
