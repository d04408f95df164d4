// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>

#include "ui/document/preparation.h"

namespace temper::ui {

class TaskRunner;

/// Prepares training in a task, again after each change: consecutive changes are prepared once.
/// Thread: the GUI thread.
class PreparationTask : public QObject {
    Q_OBJECT
public:
    explicit PreparationTask(TaskRunner& tasks, QObject* parent = nullptr);

    /// Something has changed: due() follows soon.
    void schedule();
    /// Earlier results for the same model may be reused: `request.previous` is set here.
    void start(PreparationRequest request);
    /// The model is about to change: nothing is prepared until start() comes with the new one.
    void awaitModel();
    /// Forgets everything without a signal.
    void close();

    /// Null until computed for this model; may belong to older choices while isPreparing().
    const std::shared_ptr<const Preparation>& result() const { return result_; }
    bool isPreparing() const { return isPreparing_; }
    /// Why there is no result although nothing is prepared: it failed or was cancelled.
    const Problem& problem() const { return problem_; }

signals:
    /// The changes have settled: call start() with the current state.
    void due();
    void changed();
    void problemFound(const temper::ui::Problem& problem);

private:
    void end(std::shared_ptr<const Preparation> result, const Problem& problem);

    TaskRunner& tasks_;
    QTimer timer_;
    std::shared_ptr<const Preparation> result_;
    Problem problem_;
    int task_ = 0;
    bool isPreparing_ = false;
};

}  // namespace temper::ui
