// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "ui/messages/problem.h"

namespace temper::ui {

class GraphView;
class TaskRunner;

/// Writes the contents of a view into a file, in a task.
class PictureSaver : public QObject {
    Q_OBJECT
public:
    PictureSaver(TaskRunner& tasks, GraphView& view, QObject* parent = nullptr);

    /// Asks where to save the picture.
    void ask();
    void save(const QString& path);

signals:
    void problemFound(const temper::ui::Problem& problem);

private:
    TaskRunner& tasks_;
    GraphView& view_;
};

}  // namespace temper::ui
