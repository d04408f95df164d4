// SPDX-License-Identifier: Apache-2.0
#include "engine/training/spec/run_settings.h"

#include "engine/runtime/device.h"
#include "engine/runtime/passes/plan_pass.h"

namespace temper {
namespace {

using Place = SettingInfo::Place;
using Affects = SettingInfo::Affects;

template <typename T, typename Owner>
std::function<SettingValue(Owner&)> at(T Owner::*member) {
    return [member](Owner& owner) -> SettingValue { return &(owner.*member); };
}

constexpr double kMinMemoryShare = 0.001;
constexpr double kMaxThreads = 4096;
constexpr double kMaxSlices = 4096;

std::vector<Setting<SessionOptions>> makeSessionSettings() {
    return {{{.key = "seed",
              .flag = "--seed",
              .label = "Seed",
              .help = "The same seed gives the same curve.",
              .topic = "seed",
              .place = Place::More,
              .isAlwaysTold = true},
             at(&SessionOptions::seed)},
            {{.key = "threads",
              .flag = "--threads",
              .label = "Threads",
              .help = "Compute threads; 0: one per core. Results do not depend on it.",
              .maximum = kMaxThreads,
              .zero = "one per core",
              .topic = "run",
              .place = Place::More,
              .affects = Affects::Nothing},
             at(&SessionOptions::threads)},
            {{.key = "device",
              .flag = "--device",
              .label = "Device",
              .help = "Device for computations.",
              .names = deviceNames,
              .topic = "run",
              .place = Place::More},
             at(&SessionOptions::device)},
            {{.key = "precision",
              .flag = "--precision",
              .label = "Precision",
              .help = "Precision of products in training: fp32 or bf16. Weights are float32.",
              .names = precisionNames,
              .topic = "bf16",
              .place = Place::More},
             at(&SessionOptions::precision)},
            {{.key = "memory_share",
              .flag = "--memory-share",
              .label = "Activation memory limit",
              .help = "Fraction of the activation memory to use, up to 1. The rest is recomputed: "
                      "slower, with the same results.",
              .minimum = kMinMemoryShare,
              .maximum = 1,
              .topic = "recompute",
              .place = Place::More},
             at(&SessionOptions::memoryShare)},
            {{.key = "recompute",
              .flag = "--recompute",
              .label = "Recomputed blocks",
              .help = "Kinds of blocks (GELU, Attention, ...) whose activations are recomputed.",
              .typeName = "KIND"},
             at(&SessionOptions::recompute)},
            {{.key = "without_passes",
              .flag = "--without-pass",
              .label = "Passes left out",
              .help = "Passes of the plan compiler to skip, for finding faults.",
              .typeName = "PASS",
              .names = planPassNames},
             at(&SessionOptions::withoutPasses)}};
}

void addData(std::vector<Setting<RunSpec>>& settings) {
    settings.insert(settings.end(),
                    {{{.key = "data",
                       .flag = "--data",
                       .label = "Data",
                       .help = "Samples to train with, as kind:path?key=value&...",
                       .typeName = "DATA",
                       .isAlwaysTold = true},
                      at(&RunSpec::data)},
                     {{.key = "eval_data",
                       .flag = "--eval-data",
                       .label = "Evaluation data",
                       .help = "Samples to evaluate with, as kind:path?key=value&...",
                       .typeName = "DATA"},
                      at(&RunSpec::evalData)},
                     {{.key = "binding",
                       .flag = "--bind",
                       .label = "Binding",
                       .help = "The column that feeds an input.",
                       .typeName = "INPUT=COLUMN"},
                      at(&RunSpec::binding)}});
}

void addSteps(std::vector<Setting<RunSpec>>& settings) {
    settings.insert(
        settings.end(),
        {{{.key = "epochs",
           .flag = "--epochs",
           .label = "Epochs",
           .help = "Number of passes over all samples.",
           .minimum = 1,
           .topic = "epoch",
           .replacedBy = "steps",
           .place = Place::Form,
           .isAlwaysTold = true,
           .affects = Affects::End},
          at(&RunSpec::epochs)},
         {{.key = "steps",
           .flag = "--steps",
           .label = "Steps",
           .help =
               "Optimizer steps of the run, instead of the epochs; 0: as many as the epochs have.",
           .zero = "by epochs",
           .topic = "step",
           .place = Place::More},
          at(&RunSpec::steps)},
         {{.key = "batch_size",
           .flag = "--batch-size",
           .label = "Batch size",
           .help = "Samples whose gradients are averaged in one pass.",
           .minimum = 1,
           .topic = "batch",
           .place = Place::Form,
           .isAlwaysTold = true},
          at(&RunSpec::batchSize)},
         {{.key = "learning_rate",
           .flag = "--lr",
           .label = "Learning rate",
           .help = "Size of each step.",
           .topic = "learning-rate",
           .place = Place::Form,
           .isAlwaysTold = true},
          at(&RunSpec::learningRate)},
         {{.key = "schedule",
           .flag = "--schedule",
           .label = "Schedule",
           .help = "How the learning rate changes from step to step.",
           .isAlwaysTold = true},
          at(&RunSpec::schedule)},
         {{.key = "accumulate",
           .flag = "--accumulate",
           .label = "Accumulate batches",
           .help = "Batches whose gradients are averaged before a step is taken.",
           .minimum = 1,
           .topic = "accumulation",
           .place = Place::More},
          at(&RunSpec::accumulate)},
         {{.key = "slices",
           .flag = "--slices",
           .label = "Slices of a batch",
           .help =
               "Slices of each batch, divided among the ranks. Results depend on it, but not on "
               "the number of ranks. 0: 4 if there are ranks, else none.",
           .maximum = kMaxSlices,
           .zero = "as ranks need"},
          at(&RunSpec::slices)},
         {{.key = "sync_batch_norm",
           .flag = "--sync-batch-norm",
           .label = "Batch norms over all slices",
           .help = "Batch normalizations use the statistics of the whole batch, not of a slice. "
                   "Needs memory for activations and gradients of all slices of a rank."},
          at(&RunSpec::synchronizeBatchNorms)},
         {{.key = "zero_stage",
           .flag = "--zero",
           .label = "ZeRO stage",
           .help = "What the ranks divide among themselves: 0 nothing, 1 the optimizer's "
                   "moments, 2 also the gradients. Results do not depend on it.",
           .maximum = 2,
           .zero = "off",
           .affects = Affects::Nothing},
          [](RunSpec& run) -> SettingValue { return &run.session.zeroStage; }},
         {{.key = "clip_norm",
           .flag = "--clip-norm",
           .label = "Clip gradient norm",
           .help = "Larger gradients are scaled down to this norm; 0 is off.",
           .zero = "off",
           .topic = "clipping",
           .place = Place::More},
          at(&RunSpec::clipNorm)},
         {{.key = "clip_value",
           .flag = "--clip-value",
           .label = "Clip gradients",
           .help = "Each number of the gradients is clipped to this size; 0 is off.",
           .zero = "off",
           .topic = "clipping",
           .place = Place::More},
          at(&RunSpec::clipValue)},
         {{.key = "average_decay",
           .flag = "--average-decay",
           .label = "EMA decay",
           .help = "Decay of a moving average of the weights, such as 0.999; 0 is off.",
           .maximum = 1,
           .endIsOpen = true,
           .zero = "off",
           .topic = "ema",
           .place = Place::More},
          at(&RunSpec::averageDecay)},
         {{.key = "evaluate_average",
           .flag = "--evaluate-average",
           .label = "Evaluate the weight average",
           .help = "Evaluations use the average of the weights instead of the weights. Needs "
                   "weight averaging.",
           .topic = "ema",
           .needs = "average_decay",
           .place = Place::More},
          at(&RunSpec::evaluateAverage)}});
}

void addSession(std::vector<Setting<RunSpec>>& settings) {
    for (const Setting<SessionOptions>& each : sessionSettings()) {
        settings.push_back({each, [value = each.value](RunSpec& run) -> SettingValue {
                                return value(run.session);
                            }});
    }
}

void addEvaluation(std::vector<Setting<RunSpec>>& settings) {
    settings.insert(
        settings.end(),
        {{{.key = "metrics",
           .flag = "--metrics",
           .label = "Metrics",
           .help = "What evaluations measure besides the loss; by default the metrics that fit the "
                   "loss.",
           .typeName = "METRIC",
           .topic = "accuracy",
           .place = Place::More,
           .affects = Affects::Nothing},
          at(&RunSpec::metrics)},
         {{.key = "evaluate_every",
           .flag = "--eval-every",
           .label = "Steps between evaluations",
           .help = "Optimizer steps from one evaluation to the next; 0: at the end of each epoch.",
           .zero = "each epoch",
           .topic = "validation",
           .place = Place::More,
           .affects = Affects::Nothing},
          at(&RunSpec::evaluateEvery)},
         {{.key = "save_every",
           .flag = "--save-every",
           .label = "Steps between checkpoints",
           .help = "Optimizer steps from one checkpoint to the next; 0: at the end of each epoch.",
           .zero = "each epoch",
           .topic = "checkpoint",
           .place = Place::More,
           .affects = Affects::Nothing},
          at(&RunSpec::saveEvery)},
         {{.key = "save_folder",
           .flag = "--save",
           .label = "Checkpoints",
           .help = "Folder for checkpoints.",
           .typeName = "DIR",
           .affects = Affects::Nothing},
          at(&RunSpec::saveFolder)},
         {{.key = "save_on_pause",
           .flag = "",
           .label = "Save a checkpoint at each pause",
           .help = "When a run is paused, its state is written to pause-STEP.ckpt.",
           .topic = "checkpoint",
           .place = Place::More,
           .affects = Affects::Nothing},
          at(&RunSpec::saveOnPause)}});
}

void addStop(std::vector<Setting<RunSpec>>& settings) {
    settings.insert(
        settings.end(),
        {{{.key = "best_metric",
           .flag = "--best-metric",
           .label = "Best by",
           .help = "What selects the best checkpoint: loss or a metric.",
           .typeName = "METRIC",
           .topic = "early-stopping",
           .place = Place::More,
           .affects = Affects::Nothing},
          at(&RunSpec::bestMetric)},
         {{.key = "keep_best",
           .flag = "--keep-best",
           .label = "Best checkpoints kept",
           .help = "Number of best checkpoints to keep, as best-STEP.ckpt; 1: only best.ckpt.",
           .minimum = 1,
           .topic = "checkpoint",
           .place = Place::More,
           .affects = Affects::Nothing},
          at(&RunSpec::keepBest)},
         {{.key = "early_stop_patience",
           .flag = "--early-stop",
           .label = "Early stop after",
           .help = "Evaluations without improvement that end the run; 0 is off.",
           .zero = "off",
           .topic = "early-stopping",
           .place = Place::More,
           .affects = Affects::End},
          at(&RunSpec::earlyStopPatience)},
         {{.key = "early_stop_min_delta",
           .flag = "--min-delta",
           .label = "Minimum improvement",
           .help = "Only larger improvements postpone the early stop.",
           .topic = "early-stopping",
           .place = Place::More,
           .affects = Affects::End},
          at(&RunSpec::earlyStopMinDelta)},
         {{.key = "time_limit",
           .flag = "--time-limit",
           .label = "Time limit",
           .help = "The run ends after the step that reaches it; pauses do not count; 0 is off.",
           .unit = "s",
           .zero = "no limit",
           .topic = "run",
           .place = Place::More,
           .affects = Affects::End},
          at(&RunSpec::timeLimit)},
         {{.key = "divergence_guard",
           .flag = "--no-divergence-guard",
           .label = "Stop if the loss diverges",
           .help = "The run ends if the smoothed loss stays far above its start, or all progress "
                   "is lost, and offers to go back. NaN and infinity always end it.",
           .topic = "R002",
           .place = Place::More,
           .affects = Affects::Nothing},
          at(&RunSpec::divergenceGuard)}});
}

}  // namespace

const std::vector<Setting<SessionOptions>>& sessionSettings() {
    static const std::vector<Setting<SessionOptions>> settings = makeSessionSettings();
    return settings;
}

const std::vector<Setting<RunSpec>>& runSettings() {
    static const std::vector<Setting<RunSpec>> settings = [] {
        std::vector<Setting<RunSpec>> all;
        addData(all);
        addSteps(all);
        addSession(all);
        addEvaluation(all);
        addStop(all);
        return all;
    }();
    return settings;
}

}  // namespace temper
