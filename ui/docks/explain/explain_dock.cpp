// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/explain/explain_dock.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QEvent>
#include <QLineEdit>
#include <QListView>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/docks/explain/term_model.h"
#include "ui/explain/explain.h"
#include "ui/theme/colors.h"
#include "ui/theme/theme.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

constexpr auto kFirstTerm = "graph";

}  // namespace

DockInfo explainDock() {
    return {.id = "explain",
            .title = tr("Explain"),
            .icon = "help",
            .area = Qt::RightDockWidgetArea,
            .shortcut = QKeySequence("Ctrl+Shift+Y"),
            .create = createDock<ExplainDock>,
            .teaches = true};
}

ExplainDock::ExplainDock(const PanelContext&, QWidget* parent)
    : QWidget(parent), model_(new TermModel(this)) {
    build();
    connect(qApp, &QApplication::focusChanged, this,
            [this](QWidget*, QWidget* now) { followFocus(now); });
    showTerm(QLatin1String(kFirstTerm));
}

void ExplainDock::build() {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(em(this, 0.4), em(this, 0.2), em(this, 0.4), em(this, 0.4));
    layout->setSpacing(em(this, 0.3));
    search_ = new QLineEdit(this);
    search_->setObjectName(QStringLiteral("explainSearch"));
    search_->setPlaceholderText(tr("Find a term"));
    search_->setAccessibleName(tr("Find a term"));
    search_->setClearButtonEnabled(true);
    connect(search_, &QLineEdit::textChanged, this, &ExplainDock::search);
    layout->addWidget(search_);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(em(this, 0.4));
    text_ = new QTextBrowser(splitter);
    text_->setObjectName(QStringLiteral("explainText"));
    text_->setAccessibleName(tr("Explanation"));
    text_->setOpenLinks(false);
    text_->setFrameShape(QFrame::NoFrame);
    connect(text_, &QTextBrowser::anchorClicked, this, &ExplainDock::openLink);
    list_ = new QListView(splitter);
    list_->setObjectName(QStringLiteral("explainList"));
    list_->setAccessibleName(tr("All terms"));
    list_->setModel(model_);
    list_->setUniformItemSizes(true);
    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& now) { chooseRow(now.row()); });
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    layout->addWidget(splitter, 1);
    follows_ = new QCheckBox(tr("Follow focus"), this);
    follows_->setObjectName(QStringLiteral("explainFollows"));
    follows_->setChecked(true);
    layout->addWidget(follows_);
    setMinimumWidth(em(this, 14));
}

// ---- following -------------------------------------------------------------------------------

/// Ignores widgets of this dock, which explains others, and of menus and dialogs.
void ExplainDock::followFocus(QWidget* now) {
    if (now == nullptr || now->window() != window() || isAncestorOf(now)) return;
    focus_ = now;
    disconnect(cell_);
    if (const auto* view = qobject_cast<const QAbstractItemView*>(now);
        view != nullptr && view->selectionModel() != nullptr)
        cell_ = connect(view->selectionModel(), &QItemSelectionModel::currentChanged, this,
                        &ExplainDock::follow);
    follow();
}

void ExplainDock::follow() {
    if (focus_) followTo(focus_);
}

void ExplainDock::followTo(const QWidget* widget) {
    if (isVisible() && follows_->isChecked()) showTermOf(widget);
}

void ExplainDock::showTermOf(const QWidget* widget) {
    const QString term = explainedTerm(widget);
    if (!term.isEmpty()) showTerm(term);
}

// ---- showing ---------------------------------------------------------------------------------

void ExplainDock::showTerm(const QString& id) {
    if (model_->find(id) == nullptr) return;
    term_ = id;
    text_->setHtml(html());
    if (model_->rowOf(id) < 0) search_->clear();
    const QSignalBlocker blocker(list_->selectionModel());
    const QModelIndex index = model_->index(model_->rowOf(id));
    list_->setCurrentIndex(index);
    list_->scrollTo(index);
    list_->viewport()->update();
}

void ExplainDock::search(const QString& wanted) {
    model_->setFilter(wanted);
    if (model_->rowCount() > 0 && !wanted.isEmpty()) showTerm(model_->termAt(0).id);
}

void ExplainDock::chooseRow(int row) {
    if (row >= 0) showTerm(model_->termAt(row).id);
}

void ExplainDock::openLink(const QUrl& link) { showTerm(link.path()); }

QString ExplainDock::html() const {
    const Term* term = model_->find(term_);
    if (term == nullptr) return {};
    const Colors& colors = colorsOf(palette());
    QString page = QStringLiteral("<h3>%1</h3><p>%2</p>")
                       .arg(term->title.toHtmlEscaped(), term->text.toHtmlEscaped());
    if (!term->formula.isEmpty())
        page += QStringLiteral("<p align=\"center\" style=\"color:%1\"><i>%2</i></p>")
                    .arg(colors.muted.name(), term->formula.toHtmlEscaped());
    QStringList links;
    for (const QString& id : term->see)
        if (const Term* other = model_->find(id))
            links << QStringLiteral("<a href=\"%1\" style=\"color:%2\">%3</a>")
                         .arg(id, colors.accent.name(), other->title.toHtmlEscaped());
    if (!links.isEmpty())
        page += QStringLiteral("<p>%1 %2</p>").arg(tr("See also:"), links.join(", "));
    return page;
}

void ExplainDock::changeEvent(QEvent* event) {
    const bool isLook =
        event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange;
    if (isLook && text_ != nullptr) text_->setHtml(html());
    QWidget::changeEvent(event);
}

}  // namespace temper::ui
