// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/start/untitled_list.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/training/projects/lesson.h"
#include "ui/document/untitled_documents.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr int kRowsShown = 5;  ///< further rows need scrolling

QString documentLine(const UntitledDocument& document) {
    QStringList parts{document.title, contentText(document),
                      QLocale().toString(document.time, QLocale::ShortFormat)};
    if (document.isOpenHere)
        parts << UntitledList::tr("open");
    else if (document.isOpen)
        parts << UntitledList::tr("open in another window");
    return parts.join(QStringLiteral("   –   "));
}

}  // namespace

QString contentText(const UntitledDocument& document) {
    const int64_t steps = document.trainedSteps();
    if (steps == 0) return UntitledList::tr("choices");
    const QString trained =
        UntitledList::tr("trained weights, %Ln steps", nullptr, static_cast<int>(steps));
    return document.wasInterrupted() ? UntitledList::tr("%1, interrupted").arg(trained) : trained;
}

void askThrowAway(const UntitledDocument& document, UntitledDocuments& documents, QWidget& window) {
    if (document.runs.empty()) return documents.throwAway(document.folder);
    auto* box =
        new QMessageBox(QMessageBox::Question, UntitledList::tr("Discard"),
                        UntitledList::tr("Discard %1 and its trained weights?").arg(document.title),
                        QMessageBox::Cancel, &window);
    box->setObjectName(QStringLiteral("throwAwayDialog"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        UntitledList::tr("Its %Ln runs and their checkpoints are permanently deleted.", nullptr,
                         static_cast<int>(document.runs.size())));
    const QPushButton* away =
        box->addButton(UntitledList::tr("Discard"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    QObject::connect(away, &QPushButton::clicked, &documents,
                     [&documents, folder = document.folder] { documents.throwAway(folder); });
    box->open();
}

UntitledList::UntitledList(UntitledDocuments& documents, QWidget* parent)
    : QWidget(parent), documents_(documents), list_(new QListWidget(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* row = new QHBoxLayout;
    row->addWidget(makeLabel(tr("Untitled documents"), "heading", this));
    row->addWidget(makeLabel(tr("kept here until you save or discard them"), "muted", this), 1);
    row->addWidget(open_ = addTool(QStringLiteral("openUntitled"), QStringLiteral("open"),
                                   tr("Open"), &UntitledList::open));
    row->addWidget(throwAway_ =
                       addTool(QStringLiteral("throwAwayUntitled"), QStringLiteral("close"),
                               tr("Discard"), &UntitledList::throwAway));
    layout->addLayout(row);
    list_->setObjectName(QStringLiteral("untitledDocuments"));
    list_->setAccessibleName(tr("Untitled documents"));
    layout->addWidget(list_);
    connect(list_, &QListWidget::itemActivated, this, &UntitledList::open);
    connect(list_, &QListWidget::currentRowChanged, this, &UntitledList::refreshTools);
    connect(&documents_, &UntitledDocuments::changed, this, &UntitledList::refresh);
    refresh();
}

QToolButton* UntitledList::addTool(const QString& name, const QString& icon, const QString& text,
                                   void (UntitledList::*slot)()) {
    auto* button = new QToolButton(this);
    button->setObjectName(name);
    button->setIcon(themedIcon(icon));
    button->setText(text);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    connect(button, &QToolButton::clicked, this, slot);
    return button;
}

const UntitledDocument* UntitledList::chosen() const {
    const QListWidgetItem* item = list_->currentItem();
    return item ? documents_.find(item->data(Qt::UserRole).toString()) : nullptr;
}

void UntitledList::open() {
    const UntitledDocument* document = chosen();
    if (document == nullptr) return;
    if (document->isOpenHere) return emit currentRequested();
    emit openRequested(document->folder);
}

void UntitledList::throwAway() {
    const UntitledDocument* document = chosen();
    if (document != nullptr && !document->isOpen) askThrowAway(*document, documents_, *window());
}

void UntitledList::refresh() {
    const UntitledDocument* before = chosen();
    const QString folder = before ? before->folder : QString();
    list_->clear();
    for (const UntitledDocument& document : documents_.all()) {
        auto* item =
            new QListWidgetItem(themedIcon(QStringLiteral("model")), documentLine(document), list_);
        item->setData(Qt::UserRole, document.folder);
        item->setToolTip(lessonOf(document.model) ? document.title : text(document.model));
        if (document.folder == folder) list_->setCurrentItem(item);
    }
    setVisible(list_->count() > 0);
    fitHeight();
    refreshTools();
}

void UntitledList::fitHeight() {
    const int rows = std::min(kRowsShown, list_->count());
    const int row = std::max(list_->sizeHintForRow(0), em(this, 1.4));
    list_->setFixedHeight(rows * row + 2 * list_->frameWidth() + em(this, 0.6));
}

void UntitledList::refreshTools() {
    const UntitledDocument* document = chosen();
    open_->setEnabled(document != nullptr);
    throwAway_->setEnabled(document != nullptr && !document->isOpen);
}

}  // namespace temper::ui
