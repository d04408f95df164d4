// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/search_bar.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/tasks/task_runner.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/name_elision.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr int kShownRows = 9;

/// By number ("12", "#12") or by name, whole names first.
std::vector<NodeHit> nodesToGoTo(const GraphDocument& document, const QString& wanted) {
    bool isNumber = false;
    const int number = QString(wanted).remove('#').toInt(&isNumber);
    if (isNumber && number >= 0 && number < document.nodeCount())
        return {{static_cast<size_t>(number), 1}};
    const std::string name = wanted.toStdString();
    std::vector<NodeHit> hits =
        findNodes(document.outline().nodes(), NodeQuery("name:\"" + name + "\""));
    for (NodeHit& hit : hits)
        if (document.node(static_cast<int>(hit.node)).name() == name) hit.score += 1;
    std::stable_sort(hits.begin(), hits.end(),
                     [](const NodeHit& a, const NodeHit& b) { return a.score > b.score; });
    return hits;
}

}  // namespace

SearchBar::SearchBar(TaskRunner& tasks, QWidget* parent)
    : QFrame(parent),
      tasks_(tasks),
      edit_(new QLineEdit(this)),
      hint_(makeLabel({}, "muted", this)),
      list_(new QListView(this)),
      model_(new NodeHitModel(this)) {
    setProperty("card", true);
    setFixedWidth(em(this, 24));
    auto* layout = new QVBoxLayout(this);
    const int margin = em(this, 0.5);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->setSpacing(em(this, 0.3));
    edit_->setObjectName(QStringLiteral("graphSearch"));
    edit_->setClearButtonEnabled(true);
    edit_->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    edit_->installEventFilter(this);
    hint_->setWordWrap(true);
    list_->setModel(model_);
    list_->setItemDelegate(new ElidingDelegate(list_));
    list_->setUniformItemSizes(true);
    list_->setSpacing(em(this, 0.1));
    list_->setAccessibleName(tr("Found nodes"));
    list_->setFocusPolicy(Qt::NoFocus);
    for (QWidget* widget : std::initializer_list<QWidget*>{edit_, hint_, list_})
        layout->addWidget(widget);
    connect(edit_, &QLineEdit::textChanged, this, &SearchBar::search);
    connect(list_, &QListView::clicked, this,
            [this](const QModelIndex& index) { choose(index.row()); });
    hide();
}

void SearchBar::setDocument(std::shared_ptr<const GraphDocument> document) {
    document_ = std::move(document);
    close();
}

void SearchBar::open(Mode mode) {
    if (!document_) return;
    mode_ = mode;
    const bool find = mode == Mode::Find;
    edit_->setPlaceholderText(find ? tr("op:Conv k=3 name:layer1") : tr("Name or number"));
    edit_->setAccessibleName(find ? tr("Find nodes") : tr("Go to node"));
    QFrame::show();
    raise();
    edit_->setFocus();
    edit_->selectAll();
    search();
}

void SearchBar::close() {
    tasks_.cancel(task_);
    const bool wasOpen = isVisible();
    hide();
    edit_->clear();
    show({});
    if (wasOpen) emit closed();
}

void SearchBar::search() {
    tasks_.cancel(task_);
    const QString wanted = edit_->text().trimmed();
    if (!document_ || wanted.isEmpty()) return show({});
    task_ = tasks_.run(
        tr("Searching"), tr("The search failed"),
        [document = document_, wanted, mode = mode_](std::stop_token) {
            return mode == Mode::GoTo
                       ? nodesToGoTo(*document, wanted)
                       : findNodes(document->outline().nodes(), NodeQuery(wanted.toStdString()));
        },
        [this](std::vector<NodeHit> hits) { show(std::move(hits)); }, {});
}

void SearchBar::show(std::vector<NodeHit> hits) {
    model_->setHits(document_, std::move(hits));
    const int count = model_->rowCount();
    if (edit_->text().trimmed().isEmpty()) {
        hint_->setText(mode_ == Mode::Find
                           ? tr("Operators, names, tensors, or op: name: tensor: k=3 stride>1")
                           : tr("The node's name, a part of it, or its number"));
    } else {
        hint_->setText(count == 0 ? tr("No node found.") : tr("%n nodes", nullptr, count));
    }
    if (count > 0) list_->setCurrentIndex(model_->index(0));
    fitList();
    emit hitsChanged();
}

void SearchBar::fitList() {
    const int rows = std::min(model_->rowCount(), kShownRows);
    list_->setVisible(rows > 0);
    if (rows > 0)
        list_->setFixedHeight(rows * (list_->sizeHintForRow(0) + 2 * list_->spacing()) +
                              2 * list_->frameWidth() + 2);
    adjustSize();
}

void SearchBar::choose(int row) {
    if (row < 0 || row >= model_->rowCount()) return;
    list_->setCurrentIndex(model_->index(row));
    emit nodeChosen(model_->node(row));
}

void SearchBar::step(int by) {
    const int count = model_->rowCount();
    if (count == 0) return;
    choose((list_->currentIndex().row() + by + count) % count);
}

bool SearchBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched != edit_ || event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    const int row = list_->currentIndex().row();
    switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            choose(row);
            if (mode_ == Mode::GoTo && model_->rowCount() > 0) close();
            return true;
        case Qt::Key_Escape: close(); return true;
        case Qt::Key_Down:
        case Qt::Key_Up: {
            const int next = row + (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Down ? 1 : -1);
            if (next >= 0 && next < model_->rowCount()) list_->setCurrentIndex(model_->index(next));
            return true;
        }
        default: return QFrame::eventFilter(watched, event);
    }
}

}  // namespace temper::ui
