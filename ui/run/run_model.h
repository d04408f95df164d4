// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/runs/run_event.h"
#include "ui/messages/problem.h"
#include "ui/run/curve.h"
#include "ui/run/layer_history.h"

namespace temper::ui {

enum class RunState { Idle, Preparing, Running, Paused, Stopping, Finished, Stopped, Failed };

/// A range for the remaining time.
struct RemainingTime {
    double minimumSeconds = 0;
    double maximumSeconds = 0;
};

/// An event at a step, shown on the curves.
struct RunMark {
    enum class Kind { LearningRate, Checkpoint, RolledBack, Paused, Best };

    Kind kind = Kind::Paused;
    double step = 0;
    QString text;
};

/// A checkpoint written by the run or opened by the user.
struct CheckpointEntry {
    int64_t step = 0;
    QString kind;  ///< CheckpointEvent::kind, or the user's action
    QString path;
    bool isOfRun = true;  ///< it is on the current curve of the run
};

/// Everything that the window knows about a run, built from its events only.
class RunModel : public QObject {
    Q_OBJECT
public:
    explicit RunModel(QObject* parent = nullptr);

    RunState state() const { return state_; }
    /// Preparing, Running, Paused or Stopping.
    bool isActive() const;
    /// Set by RunController for states without an event; events set the others.
    void setState(RunState state);
    /// Whether the run was requested to stop after the epoch.
    bool stopsAfterEpoch() const { return stopsAfterEpoch_; }
    void setStopsAfterEpoch(bool stops);

    /// Clears the curves; checkpoints stay.
    void reset();
    /// Applies all events of one drain; emits updated() once.
    void apply(std::span<const RunEvent> events);
    /// Shows an earlier run: its events replace everything, without a message in the log.
    void restore(std::span<const RunEvent> events, RunState state);
    void clearCheckpoints();
    void addCheckpoint(const CheckpointEntry& entry);

    const StartedEvent& started() const { return started_; }
    const std::optional<StepEvent>& lastStep() const { return lastStep_; }
    const std::optional<EvalEvent>& lastEval() const { return lastEval_; }
    const std::optional<EndEvent>& end() const { return end_; }
    /// Why the run failed; empty otherwise.
    Problem problem() const;
    const std::vector<WarningEvent>& warnings() const { return warnings_; }
    const std::vector<CheckpointEntry>& checkpoints() const { return checkpoints_; }

    const Curve& loss() const { return loss_; }
    const Curve& smoothedLoss() const { return smoothedLoss_; }
    const Curve& validationLoss() const { return validationLoss_; }
    const Curve& learningRate() const { return learningRate_; }
    const Curve& gradientNorm() const { return gradientNorm_; }
    const std::map<std::string, Curve>& metrics() const { return metrics_; }
    const Curve& smoothedGradientNorm() const { return smoothedNorm_; }
    /// Computing time, without waiting for data.
    const Curve& stepSeconds() const { return stepSeconds_; }
    /// In the order of the steps.
    const std::vector<RunMark>& marks() const { return marks_; }
    /// The latest measurement of the layers; null before the first.
    const std::shared_ptr<const LayersEvent>& layers() const { return layers_; }
    const LayerHistory& layerHistory() const { return layerHistory_; }

    double smoothing() const { return smoothing_; }
    /// Weight of the past in the smoothed curves, in [0, 1); they are recomputed from all points.
    void setSmoothing(double weight);
    double currentSmoothedLoss() const;
    /// The lowest validation loss so far.
    std::optional<double> bestValidationLoss() const;
    /// Step of the best evaluation so far, by the metric that the run uses.
    std::optional<int64_t> bestStep() const;
    /// Whether the learning rate was set manually.
    bool hasRateByHand() const { return rateByHand_; }

    int64_t step() const;
    int64_t totalSteps() const { return started_.totalSteps; }
    double samplesPerSecond() const;
    /// Share of the time of the last steps spent waiting for data.
    double dataWaitShare() const;
    /// Median of the last steps and its deviation; no value before ten steps or after the end.
    std::optional<RemainingTime> remaining() const;

signals:
    void stateChanged(temper::ui::RunState state);
    void updated();
    /// Each event of an active run, after updated().
    void received(const temper::RunEvent& event);
    void checkpointsChanged();
    /// A fact for the log.
    void happened(const temper::ui::Problem& fact, bool isBad);

private:
    QString failureDetails() const;
    /// Removes everything after a step if the run continues from there.
    void rewind(int64_t step);
    void leaveCheckpoints(int64_t step);
    void putCheckpoint(const CheckpointEntry& entry);
    void removeCheckpoint(const QString& path);
    void take(const StartedEvent& event);
    void take(const StepEvent& event);
    void take(const EpochEvent& event);
    void take(const EvalEvent& event);
    void take(const CheckpointEvent& event);
    void take(const CheckpointRemovedEvent& event);
    void take(const WarningEvent& event);
    void take(const PausedEvent& event);
    void take(const ResumedEvent& event);
    void take(const LearningRateEvent& event);
    void take(const RolledBackEvent& event);
    void take(const LayersEvent& event);
    void take(const EndEvent& event);
    void mark(RunMark::Kind kind, int64_t step, const QString& text);
    void markBest();
    void markCheckpoint(const CheckpointEvent& event);
    void forgetRecent();

    RunState state_ = RunState::Idle;
    StartedEvent started_;
    std::optional<StepEvent> lastStep_;
    std::optional<EvalEvent> lastEval_;
    std::optional<EndEvent> end_;
    std::vector<WarningEvent> warnings_;
    std::vector<CheckpointEntry> checkpoints_;  ///< each path once
    bool hasOtherCheckpoints_ = false;          ///< not announced yet
    Curve loss_, smoothedLoss_, validationLoss_, learningRate_, gradientNorm_, smoothedNorm_;
    Curve stepSeconds_;
    std::map<std::string, Curve> metrics_;
    std::vector<RunMark> marks_;
    std::shared_ptr<const LayersEvent> layers_;
    LayerHistory layerHistory_;
    bool stopsAfterEpoch_ = false;
    bool rateByHand_ = false;
    /// Step and loss of each evaluation better than all before.
    std::vector<std::pair<int64_t, double>> bests_;
    double smoothing_ = Smoother::kWeight;
    Smoother smoother_, normSmoother_;
    std::vector<double> recentSeconds_;  ///< of the last steps, oldest first
    std::vector<double> recentSamples_;
    std::vector<double> recentWaits_;
};

/// "Accuracy", "MAE", ... for a metric's key.
QString metricLabel(const std::string& key);
/// Percent for shares, else four digits.
QString metricText(const std::string& key, double value);
/// "12 s", "3 min 05 s", "2 h 10 min".
QString durationText(double seconds);

}  // namespace temper::ui
