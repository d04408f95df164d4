// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/docks/dock.h"

class QLabel;
class QListWidget;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace temper::ui {

class LessonProgress;
class LessonStepCard;
class LessonWatch;

/// The steps of the open lesson, which tick themselves, and a way back to its choices. Ticks are
/// kept, and saved with the project. If the project is not a lesson: the available lessons.
class LessonDock : public QWidget {
    Q_OBJECT
public:
    explicit LessonDock(const PanelContext& context, QWidget* parent = nullptr);

    LessonProgress* progress() const { return progress_; }
    const std::vector<LessonStepCard*>& steps() const { return steps_; }

    QSize minimumSizeHint() const override;

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* buildLesson();
    QWidget* buildCount();
    QWidget* buildButtons();
    QWidget* buildEmpty();
    void showLesson();
    void buildSteps();
    void addStep(int index);
    void complete(int step);
    void keepTicks();
    void showKeptTicks();
    void refreshSteps();
    void scrollToCurrent();
    void refreshReset();
    void reset();
    void open(int step);
    QString lessonName() const;
    QString followingLesson() const;

    PanelContext context_;
    LessonProgress* progress_;
    LessonWatch* watch_;
    std::vector<LessonStepCard*> steps_;
    QLabel* title_ = nullptr;
    QLabel* count_ = nullptr;
    QLabel* licence_ = nullptr;
    QProgressBar* bar_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    QVBoxLayout* column_ = nullptr;
    QPushButton* reset_ = nullptr;
    QToolButton* clear_ = nullptr;
    QPushButton* next_ = nullptr;
    QWidget* lesson_ = nullptr;
    QWidget* empty_ = nullptr;
    int shownGeneration_ = -1;  ///< of the project whose steps are shown
};

DockInfo lessonDock();

}  // namespace temper::ui
