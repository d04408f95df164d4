// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QCheckBox;

namespace temper::ui {

/// A step of a lesson: a tick, what to do, and a button that leads there.
class LessonStepCard : public QFrame {
    Q_OBJECT
public:
    struct Content {
        int number = 0;  ///< from 1
        QString title;
        QString text;
        QString button;  ///< empty: the step has no place
        QString icon;
    };

    explicit LessonStepCard(const Content& content, QWidget* parent = nullptr);

    void setDone(bool done);
    bool isDone() const;
    /// Highlights the next step.
    void setCurrent(bool current);
    bool isCurrent() const { return current_; }

signals:
    void doneChanged(bool done);
    void opened();

private:
    QCheckBox* done_;
    bool current_ = false;
};

}  // namespace temper::ui
