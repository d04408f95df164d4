// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/trainer.h"
#include "engine/training/spec/run_settings.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "engine/core/counted.h"
#include "engine/core/interruption.h"
#include "engine/data/batch_loader.h"
#include "engine/runs/run_record.h"
#include "engine/training/binding/target_input.h"
#include "engine/training/evaluation/metrics.h"
#include "engine/training/evaluation/norm_statistics.h"
#include "engine/training/monitors/divergence_watch.h"
#include "engine/training/monitors/layer_monitor.h"
#include "engine/training/monitors/unit_layout.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/session/run_properties.h"
#include "engine/training/trainer/checkpoint_keeper.h"
#include "engine/training/trainer/epoch_tally.h"
#include "engine/training/trainer/optimizer_step.h"
#include "engine/training/trainer/run_evaluation.h"
#include "engine/training/trainer/step_plan.h"
#include "engine/training/trainer/stop_rule.h"

namespace temper {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Why the loop ended without an error.
enum class End { StepsDone, Stopped, StoppedEarly };

}  // namespace

struct Trainer::Implementation {
    Implementation(TrainingSession& theSession, TrainerData theData, RunSpec theSpec,
                   RunControl& theControl, TrainerCallback theCallback)
        : session(theSession),
          data(std::move(theData)),
          spec(std::move(theSpec)),
          control(theControl),
          callback(std::move(theCallback)),
          keeper(session.state(), spec.saveFolder,
                 {spec.bestMetric, isHigherBetter(spec.bestMetric), spec.earlyStopMinDelta,
                  spec.keepBest}),
          evaluation(session, data, spec, keeper.rule().metric),
          stopRule(spec),
          optimizerStep(session, spec.clipNorm, spec.clipValue) {}

    RunOutcome run();
    RunOutcome runGuarded(EndEvent& end);

    void prepare();
    void prepareSchedule();
    double learningRate() const;
    LoaderOptions loaderOptions() const;
    void warnAtStart(int64_t batchSize) const;
    End loop();
    bool serveRequests();
    void apply(const RunControl::Requests& requests);
    void applyLearningRate(const RunControl::Requests& requests);
    void announcePause(bool paused);

    void trainOneStep();
    StepEvent computeStep();
    void watchOver(const StepEvent& event);

    bool finishStep();
    void finishEpoch();
    bool isDue(int64_t every) const;
    bool evaluate();
    bool endsBy(const std::optional<WarningEvent>& reason) const;
    void restoreBest();
    void saveBest(const Progress& progress, double value);
    void removeSurplus();
    void saveRegularly();
    void savePause();
    void saveLast();
    void report(const char* kind, const std::filesystem::path& path) const;
    template <typename F>
    void warnOfErrors(F&& action) const;

    int64_t step() const { return session.state().optimizerState().step; }
    void emit(RunFact fact) const { callback({secondsSince(begin), std::move(fact)}); }

    TrainingSession& session;
    TrainerData data;
    RunSpec spec;
    RunControl& control;
    TrainerCallback callback;
    CheckpointKeeper keeper;
    RunEvaluation evaluation;
    StopRule stopRule;
    OptimizerStep optimizerStep;
    std::optional<LayerMonitor> monitor;
    RollbackGuard* guard = nullptr;
    StepProfiler* profiler = nullptr;
    DivergenceWatch divergence;

    Clock::time_point begin = Clock::now();
    StepPlan plan;
    std::unique_ptr<LrSchedule> schedule;
    std::unique_ptr<BatchLoader> loader;
    bool pauseAnnounced = false;
    double secondsPaused = 0;
    bool saveOnStop = true;

    EpochTally epoch;
    int64_t evaluatedAt = -1;
    int64_t savedAt = -1;
};

// ---- beginning and end -------------------------------------------------------------------------

RunOutcome Trainer::Implementation::run() {
    begin = Clock::now();
    EndEvent end;
    end.outcome = runGuarded(end);
    keeper.release();
    apply(control.take());  // nobody waits for an answer in vain
    end.step = step();
    end.seconds = secondsSince(begin);
    if (guard != nullptr) end.goodStep = guard->goodStep();
    emit(end);
    return end.outcome;
}

RunOutcome Trainer::Implementation::runGuarded(EndEvent& end) {
    const auto fail = [&](const std::string& message, const std::string& hint) {
        end.message = message;
        end.hint = hint;
        return RunOutcome::Failed;
    };
    const InterruptionScope interruption([this] { return control.isStopping(); });
    try {
        prepare();
        const End reason = loop();
        if (reason != End::Stopped || saveOnStop) saveLast();
        return reason == End::Stopped ? RunOutcome::Stopped : RunOutcome::Finished;
    } catch (const Interrupted&) {
        return RunOutcome::Stopped;  // before the first step, or by who called
    } catch (const StepError& error) {
        end.node = error.node();
        end.code = error.messageCode();
        return fail(error.what(), error.hint());
    } catch (const Error& error) {
        return fail(error.what(), error.hint());
    } catch (const std::exception& error) {
        return fail(error.what(), {});
    }
}

void Trainer::Implementation::prepare() {
    requireInRange(spec);
    evaluation.check();
    const std::vector<BatchField> fields = batchFields(session, *data.training, data.binding, true);
    LoaderOptions options = loaderOptions();
    plan = StepPlan::of(spec, batchesPerEpoch(data.training->size(), options));
    options.firstBatch = plan.firstBatchOf(step());
    loader = std::make_unique<BatchLoader>(data.training, fields, options);
    if (step() == 0) {
        keeper.forget();
        forgetSchedule(session.state());
        measureNormStatistics(session, *data.training, data.binding, spec.batchSize,
                              spec.session.seed);
    }
    keepClassNames(session, *data.training, data.binding);
    prepareSchedule();
    keeper.claim({.evaluates = data.evaluation != nullptr, .averages = spec.averageDecay != 0});
    session.state().optimizerState().initialLearningRate = static_cast<float>(spec.learningRate);
    session.setWeightAverage(spec.averageDecay);
    session.setSeed(spec.session.seed);
    session.lazyResetGrad();
    if (guard != nullptr) guard->begin(session.state());
    if (profiler != nullptr) profiler->begin(plan.totalSteps - step());
    emit(StartedEvent{data.training->size(), data.evaluation ? data.evaluation->size() : 0,
                      plan.totalSteps, plan.stepsPerEpoch, step(), session.parametersSize(true),
                      session.parametersSize(false)});
    warnAtStart(options.batchSize);
    restoreBest();
}

void Trainer::Implementation::prepareSchedule() {
    if (!schedule) schedule = makeLrSchedule(spec.schedule, spec.learningRate, plan.totalSteps);
    if (schedule->needsEvaluations() && !data.evaluation) {
        throw Error(ErrorCode::InvalidInput,
                    "The schedule '" + spec.schedule.key +
                        "' follows the evaluations, but there are no evaluation samples.",
                    "Name evaluation data, or choose another schedule.");
    }
    restoreSchedule(*schedule, session.state());
}

double Trainer::Implementation::learningRate() const {
    const std::optional<double> fixed = fixedLearningRate(session.state());
    return fixed ? *fixed : schedule->rateAt(step());
}

LoaderOptions Trainer::Implementation::loaderOptions() const {
    LoaderOptions options;
    options.batchSize = spec.batchSize;
    options.seed = spec.session.seed;
    options.epochs = 0;
    if (const std::optional<int64_t> fixed = fixedBatchSize(session, true)) {
        options.batchSize = *fixed;
        options.dropLast = true;
    }
    return options;
}

void Trainer::Implementation::warnAtStart(int64_t batchSize) const {
    if (batchSize != spec.batchSize) {
        emit(WarningEvent{step(),
                          "The model takes batches of " + counted(batchSize, "sample") + " only; " +
                              std::to_string(spec.batchSize) + " were asked for.",
                          "Export the model with a free batch dimension."});
    }
    if (!data.evaluation) endsBy(stopRule.withoutEvaluations(step()));
    if (step() >= plan.totalSteps) {
        emit(WarningEvent{step(),
                          "The state has already done " + std::to_string(step()) + " of " +
                              counted(plan.totalSteps, "step") + ": there is nothing to train.",
                          "Ask for more epochs or steps."});
    }
}

// ---- the loop ----------------------------------------------------------------------------------

End Trainer::Implementation::loop() {
    epoch.begin();
    while (step() < plan.totalSteps) {
        if (!serveRequests()) return End::Stopped;
        try {
            trainOneStep();
        } catch (const Interrupted&) {
            if (!control.isStopping()) throw;
            continue;  // parameters are as before; the request to stop is served now
        }
        if (plan.endsEpoch(step())) finishEpoch();
        if (!finishStep()) return End::StoppedEarly;
        if (plan.endsEpoch(step()) && control.stopsAfterEpoch()) return End::Stopped;
    }
    return End::StepsDone;
}

/// At a step border. Returns false where the run is to end.
bool Trainer::Implementation::serveRequests() {
    for (;;) {
        const RunControl::Requests requests = control.take();
        apply(requests);
        if (requests.stop) {
            saveOnStop = requests.saveOnStop;
            return false;
        }
        if (requests.mayStep) {
            if (!requests.paused) announcePause(false);
            return true;
        }
        announcePause(true);
        const Clock::time_point waitBegin = Clock::now();
        control.waitForRequest();
        secondsPaused += secondsSince(waitBegin);
    }
}

void Trainer::Implementation::apply(const RunControl::Requests& requests) {
    CheckpointState& state = session.state();
    applyLearningRate(requests);
    for (const std::filesystem::path& path : requests.checkpoints) {
        warnOfErrors([&] {
            state.save(path, true);
            report("requested", path);
        });
    }
    for (const auto& task : requests.tasks) warnOfErrors([&] { task(session); });
}

/// Says so where it changes anything.
void Trainer::Implementation::applyLearningRate(const RunControl::Requests& requests) {
    if (!requests.learningRate && !requests.followSchedule) return;
    CheckpointState& state = session.state();
    const std::optional<double> before = fixedLearningRate(state);
    keepFixedLearningRate(state, requests.learningRate);
    if (before == requests.learningRate || !schedule) return;
    emit(LearningRateEvent{step(), learningRate(), !requests.learningRate});
}

void Trainer::Implementation::announcePause(bool paused) {
    if (std::exchange(pauseAnnounced, paused) == paused) return;
    if (paused) {
        emit(PausedEvent{step()});
        savePause();
    } else {
        emit(ResumedEvent{step()});
    }
}

// ---- a step ------------------------------------------------------------------------------------

void Trainer::Implementation::trainOneStep() {
    const StepEvent event = computeStep();
    epoch.note(event);
    emit(event);
    if (monitor) {
        const double seconds = event.stepSeconds + event.dataWaitSeconds;
        if (auto layers = monitor->finishStep(event.step, seconds)) emit(std::move(*layers));
    }
    watchOver(event);
}

StepEvent Trainer::Implementation::computeStep() {
    const StepProfiler::Scope profiled(profiler, session, step() + 1);
    StepEvent event;
    const int64_t batches = plan.batchesOf(step());
    for (int64_t i = 0; i < batches; ++i) {
        const std::optional<Batch> batch = loader->next();
        TEMPER_ASSERT(batch.has_value(), "the loader has no end");
        event.dataWaitSeconds += loader->waitSeconds();
        const Clock::time_point batchBegin = Clock::now();
        optimizerStep.add(*batch);
        event.stepSeconds += secondsSince(batchBegin);
    }
    event.learningRate = learningRate();
    const Clock::time_point updateBegin = Clock::now();
    const StepResult result = optimizerStep.finish(event.learningRate);
    event.stepSeconds += secondsSince(updateBegin);
    event.step = step();
    event.epoch = plan.epochAt(step());
    event.loss = result.loss;
    event.gradientNorm = result.gradientNorm;
    event.samples = result.samples;
    event.arenaBytes = session.arenaBytes();
    return event;
}

/// Throws: DivergedError where the loss has run away.
void Trainer::Implementation::watchOver(const StepEvent& event) {
    std::optional<Divergence> found;
    if (spec.divergenceGuard) found = divergence.note(event);
    const bool isCalm = !spec.divergenceGuard || divergence.isCalm();
    if (guard != nullptr) guard->note(event, session.state(), isCalm);
    if (found) throw DivergedError(*found, session);
}

// ---- behind a step -----------------------------------------------------------------------------

/// Evaluates and saves where it is time. Returns false where the run has stopped improving or its
/// time is over.
bool Trainer::Implementation::finishStep() {
    const double seconds = secondsSince(begin) - secondsPaused;
    const bool isOver = endsBy(stopRule.behindStep(step(), plan.totalSteps, seconds));
    const bool isLast = step() == plan.totalSteps || isOver;
    const bool improves = !(isDue(spec.evaluateEvery) || isLast) || evaluate();
    if (isDue(spec.saveEvery)) saveRegularly();
    return improves && !isOver;
}

bool Trainer::Implementation::endsBy(const std::optional<WarningEvent>& reason) const {
    if (reason) emit(*reason);
    return reason.has_value();
}

void Trainer::Implementation::finishEpoch() {
    emit(epoch.finish(step() / plan.stepsPerEpoch, step()));
}

/// Every so many steps, or at the end of each epoch.
bool Trainer::Implementation::isDue(int64_t every) const {
    return every > 0 ? step() % every == 0 : plan.endsEpoch(step());
}

/// Returns false where it has not improved for too long.
bool Trainer::Implementation::evaluate() {
    if (!data.evaluation || evaluatedAt == step()) return true;
    const std::optional<Evaluation> result = evaluation.evaluate(control);
    if (!result) return true;
    evaluatedAt = step();
    const double value = evaluation.valueOf(*result);
    const Progress progress = keeper.noteEvaluation(value);
    emit(EvalEvent{step(), plan.epochAt(step()), result->loss, result->metrics, result->samples,
                   result->confusion, progress.isBest, progress.withoutImprovement});
    if (isDue(spec.evaluateEvery)) {  // not for an evaluation because the run ends here
        schedule->noteEvaluation(result->loss);
        keepSchedule(*schedule, session.state());
    }
    saveBest(progress, value);
    return !endsBy(stopRule.behindEvaluation(step(), progress.withoutImprovement));
}

/// best.ckpt is what the first of those that are kept is.
void Trainer::Implementation::saveBest(const Progress& progress, double value) {
    if (!keeper.writes()) return;
    if (keeper.best().isAmongBest(value)) {
        warnOfErrors([&] { report("kept", keeper.best().save(value)); });
    }
    if (progress.isBest) warnOfErrors([&] { report("best", keeper.saveBest()); });
    removeSurplus();
}

void Trainer::Implementation::restoreBest() {
    for (const std::filesystem::path& gone : keeper.best().restore())
        emit(CheckpointRemovedEvent{step(), gone.string()});
    removeSurplus();
}

void Trainer::Implementation::removeSurplus() {
    warnOfErrors([&] {
        while (const auto removed = keeper.best().removeSurplus())
            emit(CheckpointRemovedEvent{step(), removed->string()});
    });
}

void Trainer::Implementation::saveRegularly() {
    if (!keeper.writes()) return;
    if (spec.saveEvery > 0) warnOfErrors([&] { report("every", keeper.saveStep(step())); });
    warnOfErrors([&] { saveLast(); });
}

void Trainer::Implementation::savePause() {
    if (!spec.saveOnPause || !keeper.writes()) return;
    warnOfErrors([&] { report("pause", keeper.savePause(step())); });
}

void Trainer::Implementation::saveLast() {
    if (!keeper.writes() || savedAt == step()) return;
    report("last", keeper.saveLast());
    savedAt = step();
}

void Trainer::Implementation::report(const char* kind, const std::filesystem::path& path) const {
    emit(CheckpointEvent{step(), kind, path.string()});
}

/// A checkpoint that can't be written does not end the run; only the last one of all does.
template <typename F>
void Trainer::Implementation::warnOfErrors(F&& action) const {
    try {
        action();
    } catch (const Error& error) {
        emit(WarningEvent{step(), error.what(), error.hint()});
    }
}

// ---- the class ---------------------------------------------------------------------------------

Trainer::Trainer(TrainingSession& session, TrainerData data, RunSpec spec, RunControl& control,
                 TrainerCallback callback)
    : implementation_(std::make_unique<Implementation>(session, std::move(data), std::move(spec),
                                                       control, std::move(callback))) {}

Trainer::~Trainer() = default;

void Trainer::setSchedule(std::unique_ptr<LrSchedule> schedule) {
    implementation_->schedule = std::move(schedule);
}

void Trainer::watchLayers(double maximalShare) {
    TrainingSession& session = implementation_->session;
    const Artifacts& artifacts = session.artifacts();
    const Graph& model = artifacts.evalModel ? *artifacts.evalModel : *artifacts.trainingModel;
    implementation_->monitor.emplace(session.state(), maximalShare, mortalUnits(model));
    implementation_->optimizerStep.setMonitor(&*implementation_->monitor);
}

void Trainer::keepGoodState(RollbackGuard& guard) { implementation_->guard = &guard; }

void Trainer::profileSteps(StepProfiler& profiler) { implementation_->profiler = &profiler; }

RunOutcome Trainer::run() { return implementation_->run(); }

}  // namespace temper
