// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>

#include "ui/document/preparation.h"

namespace temper::ui {

class TaskRunner;

/// Prepares training in a task, anew after each change: changes in a row are prepared once.
/// Thread: the GUI thread.
class PreparationTask : public QObject {
    Q_OBJECT
public:
    explicit PreparationTask(TaskRunner& tasks, QObject* parent = nullptr);

    /// Something has changed: due() comes soon.
    void schedule();
    /// What was found before for the same model may be used again: `request.previous` is set here.
    void start(PreparationRequest request);
    /// The model is about to change: nothing is prepared until start() comes with the new one.
    void awaitModel();
    /// Forgets all of it and tells nobody.
    void close();

    /// Null until it was found for this model; may be of older choices while isPreparing().
    const std::shared_ptr<const Preparation>& result() const { return result_; }
    bool isPreparing() const { return isPreparing_; }

signals:
    /// The changes have come to rest: start() is to be called with what there is now.
    void due();
    void changed();
    void problemFound(const temper::ui::Problem& problem);

private:
    void end(std::shared_ptr<const Preparation> result);

    TaskRunner& tasks_;
    QTimer timer_;
    std::shared_ptr<const Preparation> result_;
    int task_ = 0;
    bool isPreparing_ = false;
};

}  // namespace temper::ui
