// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <set>

class QSettings;

namespace temper::ui {

/// The ticked steps of each lesson; kept in the settings, and by projects in their views.
class LessonProgress : public QObject {
    Q_OBJECT
public:
    explicit LessonProgress(QSettings& settings, QObject* parent = nullptr);

    bool isDone(const QString& lesson, int step) const;
    void setDone(const QString& lesson, int step, bool done);
    std::set<int> doneSteps(const QString& lesson) const;
    void setDoneSteps(const QString& lesson, const std::set<int>& steps);
    /// Number of done steps of a lesson with `steps` steps.
    int doneCount(const QString& lesson, int steps) const;
    /// The first step not done; `steps` if all are.
    int currentStep(const QString& lesson, int steps) const;

signals:
    void changed(const QString& lesson);

private:
    QSettings& settings_;
};

}  // namespace temper::ui
