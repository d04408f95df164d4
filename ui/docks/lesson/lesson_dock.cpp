// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/lesson/lesson_dock.h"

#include <QJsonArray>
#include <QLabel>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyle>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/docks/lesson/lesson_progress.h"
#include "ui/docks/lesson/lesson_step_card.h"
#include "ui/docks/lesson/lesson_watch.h"
#include "ui/document/studio_project.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/tr.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {
namespace {

constexpr double kMinWidth = 15;  ///< in lines of text
const QString kTicksKey = QStringLiteral("lessonSteps");

/// The target of a step: title and icon of its page or dock.
template <typename Info>
std::pair<QString, QString> titleAndIcon(const std::vector<Info>& infos, const std::string& id) {
    for (const Info& info : infos)
        if (info.id == text(id)) return {info.title, info.icon};
    return {};
}

LessonStepCard::Content contentOf(const LessonStep& step, int number) {
    LessonStepCard::Content content{number, engineText(step.title), engineText(step.text), {}, {}};
    const auto [title, icon] =
        step.page.empty() ? titleAndIcon(docks(), step.dock) : titleAndIcon(panels(), step.page);
    content.icon = icon;
    if (!title.isEmpty())
        content.button = step.page.empty() ? LessonDock::tr("Show %1").arg(title)
                                           : LessonDock::tr("Go to %1").arg(title);
    return content;
}

/// Every page but the start page.
QStringList pagesOfPanels() {
    QStringList pages;
    for (const PanelInfo& panel : panels()) pages << panel.id;
    return pages;
}

}  // namespace

DockInfo lessonDock() {
    return {.id = "lesson",
            .title = tr("Lesson"),
            .icon = "lesson",
            .area = Qt::RightDockWidgetArea,
            .shortcut = QKeySequence("Ctrl+Shift+J"),
            .pages = pagesOfPanels(),
            .create = createDock<LessonDock>,
            .layouts = {LayoutPreset::Teach},
            .teaches = true};
}

LessonDock::LessonDock(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      progress_(new LessonProgress(context.settings, this)),
      watch_(new LessonWatch(context, this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    lesson_ = buildLesson();
    empty_ = buildEmpty();
    layout->addWidget(lesson_);
    layout->addWidget(empty_);
    connect(&context_.project, &StudioProject::modelChanged, this, &LessonDock::showLesson);
    connect(&context_.project, &StudioProject::specChanged, this, &LessonDock::refreshReset);
    connect(&context_.project, &StudioProject::aboutToSave, this, &LessonDock::keepTicks);
    connect(progress_, &LessonProgress::changed, this, &LessonDock::refreshSteps);
    connect(watch_, &LessonWatch::completed, this, &LessonDock::complete);
    showLesson();
}

QSize LessonDock::minimumSizeHint() const {
    int width = std::max(em(this, kMinWidth), lesson_->minimumSizeHint().width());
    if (scroll_->widget() != nullptr) {
        const QMargins margins = lesson_->layout()->contentsMargins();
        width =
            std::max(width, scroll_->widget()->minimumSizeHint().width() + margins.left() +
                                margins.right() + style()->pixelMetric(QStyle::PM_ScrollBarExtent));
    }
    return {width, QWidget::minimumSizeHint().height()};
}

QWidget* LessonDock::buildLesson() {
    auto* pane = new QWidget(this);
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(em(this, 0.5), em(this, 0.4), em(this, 0.5), em(this, 0.5));
    layout->setSpacing(em(this, 0.4));
    title_ = makeLabel({}, "heading", pane);
    title_->setObjectName(QStringLiteral("lessonTitle"));
    title_->setWordWrap(true);
    bar_ = new QProgressBar(pane);
    bar_->setTextVisible(false);
    bar_->setAccessibleName(tr("Progress of the lesson"));
    scroll_ = new QScrollArea(pane);
    scroll_->setAccessibleName(tr("Steps of the lesson"));
    scroll_->setWidgetResizable(true);
    scroll_->setMinimumHeight(em(this, 1.2));  // for a small screen with large type
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    layout->addWidget(title_);
    layout->addWidget(buildCount());
    layout->addWidget(bar_);
    layout->addWidget(scroll_, 1);
    layout->addWidget(buildButtons());
    return pane;
}

QWidget* LessonDock::buildCount() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    count_ = makeLabel({}, "muted", bar);
    count_->setObjectName(QStringLiteral("lessonCount"));
    clear_ = new QToolButton(bar);
    clear_->setObjectName(QStringLiteral("clearTicks"));
    clear_->setText(tr("Start again"));
    clear_->setToolTip(tr("Clears the ticks, e.g. for another person"));
    clear_->setFocusPolicy(Qt::StrongFocus);
    connect(clear_, &QToolButton::clicked, this,
            [this] { progress_->setDoneSteps(lessonName(), {}); });
    row->addWidget(count_, 1);
    row->addWidget(clear_);
    return bar;
}

QWidget* LessonDock::buildButtons() {
    auto* bar = new QWidget(this);
    auto* row = new QVBoxLayout(bar);  // they would not fit side by side in every language
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(em(this, 0.3));
    reset_ = new QPushButton(themedIcon(QStringLiteral("undo")), tr("Reset"), bar);
    reset_->setObjectName(QStringLiteral("resetLesson"));
    reset_->setAccessibleName(tr("Reset the choices of the lesson"));
    reset_->setToolTip(tr("Restores the lesson's original choices. Undo brings yours back."));
    connect(reset_, &QPushButton::clicked, this, &LessonDock::reset);
    next_ = new QPushButton(tr("Next lesson"), bar);
    next_->setObjectName(QStringLiteral("nextLesson"));
    connect(next_, &QPushButton::clicked, this,
            [this] { emit context_.navigator.lessonRequested(followingLesson()); });
    row->addWidget(next_);
    row->addWidget(reset_);
    return bar;
}

QWidget* LessonDock::buildEmpty() {
    auto* pane = new QWidget(this);
    auto* layout = new QVBoxLayout(pane);
    auto* placeholder =
        new Placeholder(QStringLiteral("lesson"),
                        tr("This project is not a lesson. Choose one to learn with."), {}, pane);
    auto* list = new QListWidget(pane);
    list->setObjectName(QStringLiteral("lessonList"));
    list->setAccessibleName(tr("Lessons"));
    list->setWordWrap(true);
    for (const Lesson& lesson : bundledLessons()) {
        auto* item = new QListWidgetItem(themedIcon(QStringLiteral("lesson-") + text(lesson.name)),
                                         engineText(lesson.title), list);
        item->setData(Qt::UserRole, text(lesson.name));
    }
    connect(list, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        emit context_.navigator.lessonRequested(item->data(Qt::UserRole).toString());
    });
    layout->addWidget(placeholder);
    layout->addWidget(list, 1);
    return pane;
}

QString LessonDock::lessonName() const {
    const auto& lesson = context_.project.lesson();
    return lesson ? text(lesson->name) : QString();
}

QString LessonDock::followingLesson() const {
    bool isNext = false;
    for (const Lesson& lesson : bundledLessons()) {
        if (isNext) return text(lesson.name);
        isNext = text(lesson.name) == lessonName();
    }
    return {};
}

void LessonDock::showLesson() {
    // The model also changes with its head: the steps stay in place then.
    if (context_.project.generation() != shownGeneration_) buildSteps();
    shownGeneration_ = context_.project.generation();
    const bool isLesson = context_.project.lesson().has_value();
    lesson_->setVisible(isLesson);
    empty_->setVisible(!isLesson);
    refreshSteps();
    refreshReset();
}

void LessonDock::buildSteps() {
    steps_.clear();
    auto* content = new QWidget;
    content->setProperty("scrolled", true);
    column_ = new QVBoxLayout(content);
    column_->setContentsMargins(0, 0, em(this, 0.2), 0);
    column_->setSpacing(em(this, 0.5));
    const auto& lesson = context_.project.lesson();
    const int count = lesson ? static_cast<int>(lesson->steps.size()) : 0;
    showKeptTicks();
    for (int i = 0; i < count; ++i) addStep(i);
    licence_ =
        makeLabel(lesson ? tr("Data: %1").arg(text(lesson->licence)) : QString(), "muted", content);
    licence_->setObjectName(QStringLiteral("lessonLicence"));
    licence_->setWordWrap(true);
    licence_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    column_->addWidget(licence_);
    column_->addStretch(1);
    scroll_->setWidget(content);  // deletes the previous one
    title_->setText(lesson ? engineText(lesson->title) : QString());
    next_->setVisible(lesson && !followingLesson().isEmpty());
    watch_->begin();
}

void LessonDock::addStep(int index) {
    const LessonStep& step = context_.project.lesson()->steps[static_cast<size_t>(index)];
    auto* card = new LessonStepCard(contentOf(step, index + 1), column_->parentWidget());
    column_->addWidget(card);
    steps_.push_back(card);
    card->setDone(progress_->isDone(lessonName(), index));
    connect(card, &LessonStepCard::doneChanged, this,
            [this, index](bool done) { progress_->setDone(lessonName(), index, done); });
    connect(card, &LessonStepCard::opened, this, [this, index] { open(index); });
}

void LessonDock::complete(int step) { progress_->setDone(lessonName(), step, true); }

void LessonDock::keepTicks() {
    if (lessonName().isEmpty()) return;
    QJsonArray steps;
    for (const int step : progress_->doneSteps(lessonName())) steps.append(step);
    context_.project.setView(kTicksKey, steps);
}

/// Those of the project, if it was saved with any.
void LessonDock::showKeptTicks() {
    const QJsonValue kept = context_.project.view(kTicksKey);
    if (!kept.isArray() || lessonName().isEmpty()) return;
    std::set<int> steps;
    for (const QJsonValue step : kept.toArray()) steps.insert(step.toInt());
    progress_->setDoneSteps(lessonName(), steps);
}

void LessonDock::open(int index) {
    const LessonStep& step = context_.project.lesson()->steps[static_cast<size_t>(index)];
    if (!step.page.empty()) emit context_.navigator.pageRequested(text(step.page));
    if (!step.dock.empty()) emit context_.navigator.dockRequested(text(step.dock));
    watch_->visit(index);
}

void LessonDock::refreshSteps() {
    const int count = static_cast<int>(steps_.size());
    const int current = progress_->currentStep(lessonName(), count);
    const int done = progress_->doneCount(lessonName(), count);
    for (int i = 0; i < count; ++i) {
        LessonStepCard* card = steps_[static_cast<size_t>(i)];
        card->setDone(progress_->isDone(lessonName(), i));
        card->setCurrent(i == current);
    }
    clear_->setVisible(done > 0);
    bar_->setRange(0, std::max(count, 1));
    bar_->setValue(done);
    count_->setText(done == count ? tr("All steps are done.")
                                  : tr("%1 of %Ln steps done", nullptr, count).arg(done));
    // Cards have no position until the event loop has run.
    QTimer::singleShot(0, this, &LessonDock::scrollToCurrent);
}

/// Puts the next step at the top, as far as there is content below it.
void LessonDock::scrollToCurrent() {
    const auto found = std::find_if(steps_.begin(), steps_.end(),
                                    [](const LessonStepCard* card) { return card->isCurrent(); });
    if (found != steps_.end()) scroll_->verticalScrollBar()->setValue((*found)->y());
}

void LessonDock::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    QTimer::singleShot(0, this, &LessonDock::scrollToCurrent);
}

void LessonDock::refreshReset() {
    const auto& lesson = context_.project.lesson();
    reset_->setEnabled(lesson && context_.project.spec() != lesson->spec);
}

void LessonDock::reset() {
    const auto& lesson = context_.project.lesson();
    if (lesson) context_.project.edit(tr("Reset the lesson"), lesson->spec);
}

}  // namespace temper::ui
