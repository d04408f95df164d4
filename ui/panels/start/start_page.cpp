// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/start/start_page.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMouseEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "engine/training/lesson.h"
#include "ui/project/problem.h"
#include "ui/project/recent_files.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/translation/engine_texts.h"
#include "ui/widgets/page.h"

namespace temper::ui {

LessonCard::LessonCard(const QString& name, const QString& title, const QString& summary,
                       QWidget* parent)
    : QFrame(parent), name_(name) {
    setProperty("card", true);
    setCursor(Qt::PointingHandCursor);
    setObjectName(QStringLiteral("lesson-") + name);
    setAccessibleName(title);
    auto* layout = new QVBoxLayout(this);
    const int margin = em(this, 0.9);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->addWidget(makeLabel(title, "heading", this));
    auto* body = makeLabel(summary, "muted", this);
    body->setWordWrap(true);
    body->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    layout->addWidget(body, 1);
    auto* button = new QPushButton(themedIcon(QStringLiteral("play")), tr("Open lesson"), this);
    button->setObjectName(QStringLiteral("open-") + name);
    button->setAccessibleName(tr("Open lesson %1").arg(title));
    layout->addWidget(button, 0, Qt::AlignLeft);
    connect(button, &QPushButton::clicked, this, [this] { emit opened(name_); });
}

void LessonCard::mouseReleaseEvent(QMouseEvent* event) {
    if (rect().contains(event->position().toPoint())) emit opened(name_);
}

StartPage::StartPage(RecentFiles& recent, QWidget* parent) : QWidget(parent), recent_(recent) {
    auto* layout = makePageLayout(this);
    auto* header = makePageHeader(
        tr("Welcome to Temper"),
        tr("Open an ONNX model, choose what trains, watch it learn, take the result away."), this);
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
    column->addWidget(makeLabel(tr("Lessons"), "heading", content));
    column->addWidget(buildLessons());
    column->addSpacing(em(this, 0.6));
    column->addWidget(makeLabel(tr("Recent files"), "heading", content));
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
    auto* grid = new QWidget(this);
    auto* layout = new QGridLayout(grid);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(em(this, 0.8));
    int index = 0;
    constexpr int kColumns = 2;
    for (const Lesson& lesson : bundledLessons()) {
        auto* card = new LessonCard(text(lesson.name), engineText(lesson.title),
                                    engineText(lesson.summary), grid);
        connect(card, &LessonCard::opened, this, &StartPage::lessonRequested);
        layout->addWidget(card, index / kColumns, index % kColumns);
        layout->setColumnStretch(index % kColumns, 1);
        ++index;
    }
    return grid;
}

QWidget* StartPage::buildRecent() {
    auto* pane = new QWidget(this);
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    files_ = new QListWidget(pane);
    files_->setObjectName(QStringLiteral("recentFiles"));
    files_->setAccessibleName(tr("Recent files"));
    files_->setMinimumHeight(em(this, 6));
    connect(files_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        emit fileRequested(item->data(Qt::UserRole).toString());
    });
    noFiles_ = makeLabel(tr("Models that you open appear here. You can also drop a model, a"
                            " checkpoint or data anywhere on this window."),
                         "muted", pane);
    static_cast<QLabel*>(noFiles_)->setWordWrap(true);
    layout->addWidget(noFiles_);
    layout->addWidget(files_, 1);
    layout->addStretch(0);
    return pane;
}

void StartPage::refreshRecent() {
    files_->clear();
    for (const QString& path : recent_.paths()) {
        const QFileInfo info(path);
        auto* item =
            new QListWidgetItem(themedIcon(QStringLiteral("model")),
                                info.fileName() + QStringLiteral("   –   ") + info.path(), files_);
        item->setData(Qt::UserRole, path);
        item->setToolTip(path);
        if (!info.exists()) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
    }
    files_->setVisible(files_->count() > 0);
    noFiles_->setVisible(files_->count() == 0);
}

}  // namespace temper::ui
