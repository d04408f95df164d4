// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/start/start_page.h"

#include <QAction>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/training/projects/lesson.h"
#include "ui/document/recent_files.h"
#include "ui/messages/problem.h"
#include "ui/panels/start/lesson_card.h"
#include "ui/panels/start/untitled_list.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/translation/engine_texts.h"
#include "ui/widgets/card_grid.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr double kCardWidth = 14;  ///< in lines of text, at least
constexpr int kMinColumns = 2;
constexpr int kMaxColumns = 5;
constexpr int kMissingRole = Qt::UserRole + 1;

}  // namespace

StartPage::StartPage(RecentFiles& recent, UntitledDocuments& documents, QWidget* parent)
    : QWidget(parent), recent_(recent) {
    auto* layout = makePageLayout(this);
    auto* header = makePageHeader(
        tr("Welcome to Temper"),
        tr("Open an ONNX model, choose what to train, watch it learn, export the result."), this);
    auto* open = makePrimaryButton(tr("Open model…"), QStringLiteral("open"), this);
    open->setObjectName(QStringLiteral("openModel"));
    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
    header->addWidget(open);
    layout->addLayout(header);
    auto* content = new QWidget;
    content->setProperty("scrolled", true);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(em(this, 0.7));
    auto* untitled = new UntitledList(documents, content);
    connect(untitled, &UntitledList::openRequested, this, &StartPage::fileRequested);
    connect(untitled, &UntitledList::currentRequested, this, &StartPage::currentRequested);
    column->addWidget(untitled);
    column->addWidget(makeLabel(tr("Lessons"), "heading", content));
    column->addWidget(buildLessons());
    column->addSpacing(em(this, 0.6));
    column->addWidget(buildRecentHeader());
    column->addWidget(buildRecent(), 1);
    auto* scroll = new QScrollArea(this);
    scroll->setAccessibleName(tr("Lessons and recent files"));
    scroll->setWidgetResizable(true);
    scroll->setWidget(content);
    layout->addWidget(scroll, 1);
    connect(&recent_, &RecentFiles::changed, this, &StartPage::refreshRecent);
    refreshRecent();
}

QWidget* StartPage::buildLessons() {
    auto* grid = new CardGrid(em(this, kCardWidth), kMinColumns, kMaxColumns, this);
    for (const Lesson& lesson : bundledLessons()) {
        auto* card = new LessonCard(text(lesson.name), engineText(lesson.title),
                                    engineText(lesson.summary), grid);
        connect(card, &LessonCard::opened, this, &StartPage::lessonRequested);
        grid->add(card);
    }
    return grid;
}

/// The actions for the chosen file, shown above the list and in its menu.
QWidget* StartPage::buildRecentHeader() {
    auto* header = new QWidget(this);
    auto* row = new QHBoxLayout(header);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(makeLabel(tr("Recent files"), "heading", header), 1);
    pin_ = new QAction(themedIcon(QStringLiteral("pin")), tr("Pin"), this);
    pin_->setCheckable(true);
    forget_ = new QAction(themedIcon(QStringLiteral("close")), tr("Remove from list"), this);
    connect(pin_, &QAction::triggered, this, &StartPage::pinFile);
    connect(forget_, &QAction::triggered, this, &StartPage::forgetFile);
    addFileTool(pin_, header)->setObjectName(QStringLiteral("pinFile"));
    addFileTool(forget_, header)->setObjectName(QStringLiteral("forgetFile"));
    return header;
}

QToolButton* StartPage::addFileTool(QAction* action, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    parent->layout()->addWidget(button);
    return button;
}

QWidget* StartPage::buildRecent() {
    auto* pane = new QWidget(this);
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    files_ = new QListWidget(pane);
    files_->setTextElideMode(Qt::ElideMiddle);
    files_->setObjectName(QStringLiteral("recentFiles"));
    files_->setAccessibleName(tr("Recent files"));
    files_->setMinimumHeight(em(this, 6));
    connect(files_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        if (item->data(kMissingRole).toBool()) return;
        emit fileRequested(item->data(Qt::UserRole).toString());
    });
    files_->addActions({pin_, forget_});
    files_->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(files_, &QListWidget::currentRowChanged, this, &StartPage::refreshFileActions);
    noFiles_ = makeLabel(tr("Models that you open appear here. You can also drop a model, a"
                            " checkpoint or data anywhere on this window."),
                         "muted", pane);
    static_cast<QLabel*>(noFiles_)->setWordWrap(true);
    layout->addWidget(noFiles_);
    layout->addWidget(files_, 1);
    layout->addStretch(0);
    return pane;
}

QString StartPage::chosenFile() const {
    const QListWidgetItem* item = files_->currentItem();
    return item ? item->data(Qt::UserRole).toString() : QString();
}

void StartPage::pinFile() { recent_.setPinned(chosenFile(), pin_->isChecked()); }

void StartPage::forgetFile() { recent_.remove(chosenFile()); }

void StartPage::refreshFileActions() {
    const QString file = chosenFile();
    pin_->setEnabled(!file.isEmpty());
    pin_->setChecked(recent_.isPinned(file));
    forget_->setEnabled(!file.isEmpty());
    for (QAction* action : {pin_, forget_}) action->setVisible(files_->count() > 0);
}

void StartPage::refreshRecent() {
    const QString chosen = chosenFile();
    files_->clear();
    for (const QString& path : recent_.paths()) {
        const QFileInfo info(path);
        auto* item = new QListWidgetItem(
            themedIcon(recent_.isPinned(path) ? QStringLiteral("pin") : QStringLiteral("model")),
            info.fileName() + QStringLiteral("   –   ") + info.path(), files_);
        item->setData(Qt::UserRole, path);
        item->setToolTip(path);
        if (!info.exists()) {
            // It can be chosen, to be removed; opening it would only fail.
            item->setForeground(palette().brush(QPalette::Disabled, QPalette::Text));
            item->setData(kMissingRole, true);
        }
        if (path == chosen) files_->setCurrentItem(item);
    }
    refreshFileActions();
    files_->setVisible(files_->count() > 0);
    noFiles_->setVisible(files_->count() == 0);
}

}  // namespace temper::ui
