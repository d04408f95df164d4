// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/trainer.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "engine/core/caught_error.h"
#include "engine/core/counted.h"
#include "engine/core/interruption.h"
#include "engine/training/binding/target_input.h"
#include "engine/training/evaluation/norm_statistics.h"
#include "engine/training/monitors/unit_layout.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/parallel/rank_facts.h"
#include "engine/training/session/input_normalization.h"
#include "engine/training/session/model_fingerprint.h"
#include "engine/training/session/module.h"
#include "engine/training/session/run_properties.h"
#include "engine/training/spec/run_settings.h"
#include "engine/training/spec/training_spec.h"
#include "engine/training/trainer/epoch_tally.h"
#include "engine/training/trainer/gradient_source.h"
#include "engine/training/trainer/optimizer_step.h"
#include "engine/training/trainer/request_server.h"
#include "engine/training/trainer/run_batches.h"
#include "engine/training/trainer/run_checkpoints.h"
#include "engine/training/trainer/run_evaluation.h"
#include "engine/training/trainer/run_rate.h"
#include "engine/training/trainer/run_reporter.h"
#include "engine/training/trainer/run_watch.h"
#include "engine/training/trainer/stop_rule.h"

namespace temper {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Of a run with ranks whose specification has no number of slices: fewer make faster kernels, more
/// serve more ranks.
constexpr int64_t kDefaultSlices = 4;

/// Rank 0 alone writes checkpoints.
RunSpec ofRank(RunSpec spec, const Group* group) {
    if (group == nullptr) return spec;
    if (spec.slices == 0) spec.slices = kDefaultSlices;
    if (!group->isLeader()) spec.saveFolder.clear();
    return spec;
}

BatchShare shareOf(const RunSpec& spec, const Group* group) {
    if (group == nullptr) return {};
    return {spec.slices, SumTree(spec.slices, group->size()).partsOf(group->rank())};
}

std::unique_ptr<GradientSource> gradientsOf(TrainingSession& session, const RunSpec& spec,
                                            Group* group) {
    if (group == nullptr) return std::make_unique<WholeBatchGradients>(session);
    return std::make_unique<RankedGradients>(session, *group, spec.slices, spec.session.zeroStage,
                                             spec.synchronizeBatchNorms);
}

/// A warning for each setting that the others leave without effect.
std::vector<WarningEvent> idleSettings(const RunSpec& spec, int64_t step) {
    std::vector<WarningEvent> warnings;
    if (spec.evaluateAverage && spec.averageDecay == 0) {
        warnings.push_back({step,
                            "The run keeps no average of the weights: evaluations use the weights.",
                            "Set the decay of the average, such as 0.999."});
    }
    if (spec.schedule.key == "multi-step" &&
        spec.schedule.list(scheduleChoices(), "milestones").empty()) {
        warnings.push_back({step,
                            "The schedule 'multi-step' has no milestones: the learning rate stays "
                            "as it is.",
                            "Set the steps at which it drops."});
    }
    return warnings;
}

/// Why the loop ended without an error.
enum class End { StepsDone, Stopped, StoppedEarly };

}  // namespace

/// The loop of a run. Its members do the work at step boundaries.
struct Trainer::Implementation {
    Implementation(TrainingSession& theSession, TrainerData theData, RunSpec theSpec,
                   RunControl& theControl, TrainerCallback theCallback, Group* theGroup)
        : alone(theGroup == nullptr && theSpec.slices > 0 ? std::make_unique<Group>() : nullptr),
          group(alone ? alone.get() : theGroup),
          session(theSession),
          data(std::move(theData)),
          spec(ofRank(std::move(theSpec), group)),
          control(theControl),
          reporter(std::move(theCallback), session.state()),
          rate(spec, session.state()),
          facts(group != nullptr ? factsOf(session) : RankFacts{}),
          gradients(gradientsOf(session, spec, group)),
          checkpoints(session.state(), spec, reporter, gradients->sharedState()),
          requests(control, session, rate, checkpoints, reporter, group),
          evaluation(session, data, spec, checkpoints.rule().metric, group),
          stopRule(spec),
          optimizerStep(session, *gradients, spec.clipNorm, spec.clipValue),
          watch(session, reporter, spec.divergenceGuard, spec.session.zeroStage < 2) {}

    RunOutcome run();
    RunOutcome runGuarded(EndEvent& end);

    void prepare();
    void requireSameRun() const;
    void warnAtStart() const;
    End loop();

    void trainOneStep();
    StepEvent computeStep();

    bool finishStep();
    bool isDue(int64_t every) const;
    bool evaluate();
    bool endsBy(const std::optional<WarningEvent>& reason) const;

    int64_t step() const { return reporter.step(); }

    std::unique_ptr<Group> alone;  ///< of a run with slices and without ranks
    Group* group;                  ///< null: batches are not cut
    TrainingSession& session;
    TrainerData data;
    RunSpec spec;
    RunControl& control;
    RunReporter reporter;
    RunRate rate;
    RankFacts facts;  ///< of the session, before ranks share out its moments
    std::unique_ptr<GradientSource> gradients;
    RunCheckpoints checkpoints;
    RequestServer requests;
    RunEvaluation evaluation;
    StopRule stopRule;
    OptimizerStep optimizerStep;
    RunWatch watch;
    StepProfiler* profiler = nullptr;

    std::unique_ptr<RunBatches> batches;
    EpochTally epoch;
    int64_t evaluatedAt = -1;
    std::optional<ErrorCode> failure;
};

// ---- beginning and end -------------------------------------------------------------------------

RunOutcome Trainer::Implementation::run() {
    reporter.begin();
    EndEvent end;
    end.outcome = runGuarded(end);
    checkpoints.keeper().release();
    requests.serveLast();
    end.step = step();
    end.seconds = reporter.seconds();
    end.goodStep = watch.goodStep();
    reporter.emit(end);
    return end.outcome;
}

RunOutcome Trainer::Implementation::runGuarded(EndEvent& end) {
    const auto fail = [&](ErrorCode code, const std::string& message, const std::string& hint) {
        if (group != nullptr) group->fail({code, message, hint});
        failure = code;
        end.message = message;
        end.hint = hint;
        return RunOutcome::Failed;
    };
    const InterruptionScope interruption([this] { return requests.interrupts(); });
    try {
        prepare();
        const End reason = loop();
        if (reason != End::Stopped || requests.savesOnStop()) checkpoints.saveLast();
        return reason == End::Stopped ? RunOutcome::Stopped : RunOutcome::Finished;
    } catch (const Interrupted&) {
        return RunOutcome::Stopped;  // before the first step, or by the caller
    } catch (const StepError& error) {
        end.node = error.node();
        end.code = error.messageCode();
        return fail(error.code(), error.what(), error.hint());
    } catch (const std::exception&) {
        const Error error = caughtError();
        return fail(error.code(), error.what(), error.hint());
    }
}

void Trainer::Implementation::prepare() {
    requireInRange(spec);
    evaluation.check();
    batches = batchesOfRun(session, data, spec, step(), shareOf(spec, group));
    if (group != nullptr) requireSameRun();
    if (step() == 0) {
        checkpoints.keeper().forget();
        forgetSchedule(session.state());
        measureNormStatistics(session, *data.training, data.binding, spec.batchSize,
                              spec.session.seed);
    }
    keepClassNames(session, *data.training, data.binding);
    keepModelFingerprint(session);
    keepNormalizations(session.state(), normalizationsOf(*data.training, data.binding));
    rate.begin(batches->totalSteps(), data.evaluation != nullptr);
    checkpoints.keeper().claim(
        {.evaluates = data.evaluation != nullptr, .averages = spec.averageDecay != 0});
    session.setWeightAverage(spec.averageDecay);
    session.setSeed(spec.session.seed);
    session.lazyResetGrad();
    watch.begin();
    if (profiler != nullptr) profiler->begin(batches->totalSteps() - step());
    reporter.emit(StartedEvent{batches->samples(), data.evaluation ? data.evaluation->size() : 0,
                               batches->totalSteps(), batches->stepsPerEpoch(), step(),
                               session.parametersSize(true), session.parametersSize(false)});
    warnAtStart();
    checkpoints.restoreBest();
}

/// Throws: Error(InvalidInput) on all ranks if one of them would train something else.
void Trainer::Implementation::requireSameRun() const {
    TrainingSpec common;
    common.run = spec;
    common.run.saveFolder.clear();
    common.run.session.threads = 0;
    RankFacts all = facts;
    all.emplace_back("training data", digestOf(*data.training));
    all.emplace_back("evaluation data", data.evaluation ? digestOf(*data.evaluation) : "none");
    all.emplace_back("settings of the run", toJson(common));
    requireSame(*group, all);
}

void Trainer::Implementation::warnAtStart() const {
    const int64_t batchSize = batches->batchSize();
    if (batchSize > 0 && batchSize != spec.batchSize) {
        reporter.emit(WarningEvent{step(),
                                   "The model accepts only batches of " +
                                       counted(batchSize, "sample") + "; " +
                                       std::to_string(spec.batchSize) + " were requested.",
                                   "Export the model with a free batch dimension."});
    }
    if (!data.evaluation) endsBy(stopRule.withoutEvaluations(step()));
    if (step() == 0) checkpoints.warnOfReplaced();
    for (const WarningEvent& warning : idleSettings(spec, step())) reporter.emit(warning);
    if (batches->isDone(step())) {
        reporter.emit(WarningEvent{step(),
                                   "The state has already done " + std::to_string(step()) + " of " +
                                       counted(batches->totalSteps(), "step") +
                                       ": nothing to train.",
                                   "Set more epochs or steps."});
    }
}

// ---- the loop ----------------------------------------------------------------------------------

End Trainer::Implementation::loop() {
    epoch.begin();
    while (!batches->isDone(step())) {
        if (!requests.serve()) return End::Stopped;
        try {
            trainOneStep();
        } catch (const Interrupted&) {
            if (!requests.interrupts()) throw;
            continue;  // parameters are as before; the request to stop is served now
        }
        if (batches->endsEpoch(step()))
            reporter.emit(epoch.finish(batches->epochsDone(step()), step()));
        if (!finishStep()) return End::StoppedEarly;
        if (batches->endsEpoch(step()) && requests.stopsAfterEpoch()) return End::Stopped;
    }
    return End::StepsDone;
}

void Trainer::Implementation::trainOneStep() {
    const StepEvent event = computeStep();
    epoch.note(event);
    reporter.emit(event);
    watch.note(event);
}

StepEvent Trainer::Implementation::computeStep() {
    const StepProfiler::Scope profiled(profiler, session, step() + 1);
    StepEvent event;
    while (const std::optional<Batch> batch = batches->next(step())) {
        event.dataWaitSeconds += batches->waitSeconds();
        const Clock::time_point batchBegin = Clock::now();
        gradients->add(*batch);
        event.stepSeconds += secondsSince(batchBegin);
    }
    event.learningRate = rate.at(step());
    const Clock::time_point updateBegin = Clock::now();
    const StepResult result = optimizerStep.finish(event.learningRate);
    event.stepSeconds += secondsSince(updateBegin);
    event.step = step();
    event.epoch = batches->epochAt(step());
    event.loss = result.loss;
    event.gradientNorm = result.gradientNorm;
    event.samples = result.samples;
    event.arenaBytes = session.arenaBytes() + gradients->arenaBytes();
    return event;
}

// ---- after a step ------------------------------------------------------------------------------

/// Evaluates and saves when due. Returns: whether the run continues; it ends if it has stopped
/// improving or its time is up.
bool Trainer::Implementation::finishStep() {
    const double seconds = requests.secondsTrained();
    const bool isOver = endsBy(stopRule.afterStep(step(), batches->totalSteps(), seconds));
    const bool isLast = batches->isDone(step()) || isOver;
    const bool improves = !(isDue(spec.evaluateEvery) || isLast) || evaluate();
    if (isDue(spec.saveEvery)) checkpoints.saveRegularly();
    return improves && !isOver;
}

bool Trainer::Implementation::endsBy(const std::optional<WarningEvent>& reason) const {
    if (reason) reporter.emit(*reason);
    return reason.has_value();
}

/// Every `every` steps, or at the end of each epoch.
bool Trainer::Implementation::isDue(int64_t every) const {
    return every > 0 ? step() % every == 0 : batches->endsEpoch(step());
}

/// Returns false if it has not improved for too long.
bool Trainer::Implementation::evaluate() {
    if (!data.evaluation || evaluatedAt == step()) return true;
    const std::optional<Evaluation> result = evaluation.evaluate(control);
    if (!result) return true;
    evaluatedAt = step();
    const double value = evaluation.valueOf(*result);
    const Progress progress = checkpoints.keeper().noteEvaluation(value);
    const EvalEvent measured{
        step(),          batches->epochAt(step()), result->loss,    result->metrics,
        result->samples, result->confusion,        progress.isBest, progress.withoutImprovement};
    reporter.emit(measured);
    // An extra evaluation at the end of the run does not count for the schedule.
    if (isDue(spec.evaluateEvery)) rate.noteEvaluation(result->loss);
    checkpoints.saveBest(progress, value);
    return !endsBy(stopRule.afterEvaluation(measured));
}

// ---- the class ---------------------------------------------------------------------------------

Trainer::Trainer(TrainingSession& session, TrainerData data, RunSpec spec, RunControl& control,
                 TrainerCallback callback, Group* group)
    : implementation_(std::make_unique<Implementation>(session, std::move(data), std::move(spec),
                                                       control, std::move(callback), group)) {}

Trainer::~Trainer() = default;

void Trainer::setSchedule(std::unique_ptr<LrSchedule> schedule) {
    implementation_->rate.setSchedule(std::move(schedule));
}

void Trainer::watchLayers(double maximalShare) {
    const TrainingSession& session = implementation_->session;
    const Artifacts& artifacts = session.artifacts();
    const Graph& model = artifacts.evalModel ? *artifacts.evalModel : *artifacts.trainingModel;
    LayerMonitor& monitor = implementation_->watch.watchLayers(
        maximalShare, unitsThatCanDie(model, session.context().ops->catalog));
    implementation_->optimizerStep.setMonitor(&monitor);
}

void Trainer::keepGoodState(RollbackGuard& guard) { implementation_->watch.keepGoodState(guard); }

void Trainer::profileSteps(StepProfiler& profiler) { implementation_->profiler = &profiler; }

RunOutcome Trainer::run() { return implementation_->run(); }

std::optional<ExchangeCosts> Trainer::exchangeCosts() const {
    return implementation_->gradients->costs();
}

std::optional<ErrorCode> Trainer::failure() const { return implementation_->failure; }

}  // namespace temper
