// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>
#include <memory>
#include <optional>

#include "ui/panels/panel.h"
#include "ui/panels/train/plane/plane_task.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {

/// Evaluates the plane of a model repeatedly: before training, during it, and after every change of
/// the weights. Weights are copied between two steps; everything else happens in a thread that gets
/// only idle processor time. Copying takes at most a hundredth of the time of a run. Without a
/// viewer, nothing happens.
/// Thread: the GUI thread.
class PlaneFollower : public QObject {
    Q_OBJECT
public:
    explicit PlaneFollower(const PanelContext& context, QObject* parent = nullptr);

    /// Whether the model can be shown this way.
    bool isAvailable() const { return columns_.has_value(); }
    /// Null before the first evaluation.
    const std::shared_ptr<const PlaneLook>& latest() const { return latest_; }
    void setWatched(bool watched);
    /// Sets the range to show; no value: all samples.
    void setRange(const std::optional<PlaneRange>& range);

    /// Total time that the run waited while its weights were copied.
    double copySeconds() const { return copySeconds_; }
    int looks() const { return looks_; }

signals:
    void availabilityChanged();
    void looked();
    void failed(const temper::ui::Problem& problem);

private:
    using Clock = std::chrono::steady_clock;

    void refreshAvailability();
    void forget();
    void markStale();
    void lookSoon();
    void fetch();
    void look(Weights weights);
    void take(std::shared_ptr<const PlaneLook> look);
    std::shared_ptr<const Artifacts> artifacts() const;

    PanelContext context_;
    TaskRunner tasks_;  ///< its own: the status bar need not show each evaluation
    QTimer timer_;
    std::optional<PlaneColumns> columns_;
    std::shared_ptr<const LoadedData> source_;
    std::shared_ptr<const PlaneData> data_;
    std::shared_ptr<const PlaneLook> latest_;
    std::optional<PlaneRange> range_;
    Clock::time_point begun_;
    double pause_ = 0;  ///< minimum seconds between two evaluations
    double copySeconds_ = 0;
    int looks_ = 0;
    int generation_ = 0;  ///< of model and data; results for older ones are dropped
    bool isWatched_ = false;
    bool isBusy_ = false;
    bool isStale_ = true;
};

}  // namespace temper::ui
