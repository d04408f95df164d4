// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_profile.h"

#include <ostream>

#include "app/cli/profile_table.h"
#include "engine/core/counted.h"
#include "engine/training/session/module.h"

namespace temper::cli {

RunProfile::RunProfile(const std::string& file) : file_(file) {
    if (!file.empty()) trace_.emplace(file);
}

void RunProfile::watch(Trainer& trainer) {
    if (trace_) trainer.profileSteps(profiler_);
}

void RunProfile::finish(const TrainingSession& session, CliContext& context) {
    if (!trace_) return;
    trace_->write(profiler_.profile());
    context.err << "profile of " << counted(profiler_.steps(), "step") << ": " << file_ << '\n';
    if (profiler_.steps() == 0) return;
    const MachinePeaks peaks = measurePeaks(session.context().device->pool());
    printCosts(context.err, costRows(profiler_.profile(), peaks, CostGrouping::ByOperator),
               profiler_.steps());
}

}  // namespace temper::cli
