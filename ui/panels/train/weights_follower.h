// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>

#include "ui/panels/evaluate/weight_source.h"
#include "ui/panels/panel.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {

/// Evaluates a model's weights repeatedly: before training, during it, and after every change of
/// the weights. Weights are copied between two steps; everything else happens in a thread that gets
/// only idle processor time during a run. Copying takes at most a hundredth of the time of a run.
/// Without a viewer, nothing happens.
/// Thread: the GUI thread.
class WeightsFollower : public QObject {
    Q_OBJECT
public:
    void setWatched(bool watched);

    /// Total time that the run waited while its weights were copied.
    double copySeconds() const { return copySeconds_; }
    int looks() const { return looks_; }

signals:
    void failed(const temper::ui::Problem& problem);

protected:
    /// Takes the result of an evaluation, on the GUI thread.
    using Take = std::function<void()>;
    /// Evaluates weights, in a thread of its own. Throws: Error.
    using Evaluation = std::function<Take(const Weights& weights, const std::stop_token& stop)>;

    /// `title` is shown while an evaluation runs, `failure` if it fails.
    WeightsFollower(const PanelContext& context, QString title, QString failure, QObject* parent);

    const PanelContext& context() const { return context_; }
    /// The evaluation for the model as it is now; null if it can't be evaluated.
    virtual Evaluation evaluation() = 0;
    /// Evaluates once more.
    void markStale();
    /// Model or data are others: the results of running evaluations are dropped.
    void forgetRunning() { ++generation_; }

private:
    using Clock = std::chrono::steady_clock;
    struct Done {
        Take take;
        double seconds = 0;
    };

    void lookSoon();
    void fetch();
    void look(Weights weights);
    void finish(const Done& done);
    bool usesSession() const;

    PanelContext context_;
    QString title_;
    QString failure_;
    TaskRunner tasks_;  ///< its own: the status bar need not show each evaluation
    QTimer timer_;
    Clock::time_point begun_;
    double pause_ = 0;  ///< minimum seconds between two evaluations
    double copySeconds_ = 0;
    int looks_ = 0;
    int generation_ = 0;  ///< of model and data
    int failed_ = -1;     ///< generation whose failure was reported
    bool isWatched_ = false;
    bool isBusy_ = false;
    bool isStale_ = true;
};

}  // namespace temper::ui
