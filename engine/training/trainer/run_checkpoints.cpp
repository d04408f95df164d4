// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/run_checkpoints.h"

#include "engine/core/joined.h"
#include "engine/runs/run_record.h"

namespace temper {

RunCheckpoints::RunCheckpoints(CheckpointState& state, const RunSpec& spec,
                               const RunReporter& reporter, SharedState* shared)
    : state_(state),
      spec_(spec),
      reporter_(reporter),
      shared_(shared),
      keeper_(state, spec.saveFolder,
              {spec.bestMetric, isHigherBetter(spec.bestMetric), spec.earlyStopMinDelta,
               spec.keepBest}) {}

void RunCheckpoints::restoreBest() {
    for (const std::filesystem::path& gone : keeper_.best().restore())
        reporter_.emit(CheckpointRemovedEvent{reporter_.step(), gone.string()});
    removeSurplus();
}

void RunCheckpoints::warnOfReplaced() const {
    if (keeper_.replaced().empty()) return;
    reporter_.emit(WarningEvent{reporter_.step(),
                                "Folder '" + spec_.saveFolder +
                                    "' has checkpoints of an earlier run, which this run "
                                    "replaces: " +
                                    joined(keeper_.replaced()) + ".",
                                "To keep them, save into another folder."});
}

/// best.ckpt has the same content as the first of those that are kept.
void RunCheckpoints::saveBest(const Progress& progress, double value) {
    const bool saves = keeper_.writes() && (progress.isBest || keeper_.best().isAmongBest(value));
    const GatheredState gathered(shared_, saves);
    if (!keeper_.writes()) return;
    if (keeper_.best().isAmongBest(value)) {
        reporter_.warnOfErrors(
            [&] { reporter_.emitCheckpoint("kept", keeper_.best().save(value)); });
    }
    if (progress.isBest)
        reporter_.warnOfErrors([&] { reporter_.emitCheckpoint("best", keeper_.saveBest()); });
    removeSurplus();
}

void RunCheckpoints::removeSurplus() {
    reporter_.warnOfErrors([&] {
        while (const auto removed = keeper_.best().removeSurplus())
            reporter_.emit(CheckpointRemovedEvent{reporter_.step(), removed->string()});
    });
}

void RunCheckpoints::saveRegularly() {
    const GatheredState gathered(shared_, keeper_.writes());
    if (!keeper_.writes()) return;
    if (spec_.saveEvery > 0) {
        reporter_.warnOfErrors(
            [&] { reporter_.emitCheckpoint("every", keeper_.saveStep(reporter_.step())); });
    }
    reporter_.warnOfErrors([&] { writeLast(); });
}

void RunCheckpoints::savePause() {
    const bool saves = spec_.saveOnPause && keeper_.writes();
    const GatheredState gathered(shared_, saves);
    if (!saves) return;
    reporter_.warnOfErrors(
        [&] { reporter_.emitCheckpoint("pause", keeper_.savePause(reporter_.step())); });
}

void RunCheckpoints::saveTo(const std::filesystem::path& path) {
    const GatheredState gathered(shared_, true);
    reporter_.warnOfErrors([&] {
        state_.save(path, true);
        reporter_.emitCheckpoint("requested", path);
    });
}

void RunCheckpoints::saveLast() {
    const GatheredState gathered(shared_, keeper_.writes() && savedAt_ != reporter_.step());
    writeLast();
}

void RunCheckpoints::writeLast() {
    if (!keeper_.writes() || savedAt_ == reporter_.step()) return;
    reporter_.emitCheckpoint("last", keeper_.saveLast());
    savedAt_ = reporter_.step();
}

}  // namespace temper
