// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_flags.h"

#include "app/cli/data_options.h"
#include "app/cli/number_checks.h"
#include "app/cli/setting_options.h"
#include "engine/training/evaluation/metrics.h"

namespace temper::cli {
namespace {

void addNormOptions(CLI::App& command, ArtifactsFlags& flags) {
    auto* norms = command.add_option(
        "--restore-norm", flags.restoreNorms,
        "Batch normalizations merged into layers by the exporter, to be restored: names in the "
        "module, or of nodes or outputs of layers, or patterns, '*' for all; needs --data");
    auto* data = command
                     .add_option("--data", flags.data,
                                 "Training samples whose first batches give the statistics for "
                                 "--restore-norm: kind:path?key=value&...")
                     ->type_name("DATA")
                     ->needs(norms);
    command
        .add_option("--bind", flags.binding,
                    "INPUT=COLUMN: the column of --data that feeds an input")
        ->needs(data);
}

}  // namespace

void ArtifactsFlags::addTo(CLI::App& command) {
    command.add_option("MODEL", model, "Forward model (ONNX)")->required();
    command.add_option("--out", out, "Folder for the artifacts")->type_name("DIR");
    artifacts.addTo(command);
    artifacts.addGradientChoicesTo(command);
    artifacts.addSharingChoicesTo(command);
    command.add_option("--prefix", prefix, "Prefix of the file names");
    command.add_flag("--ort-format", ortFormat, "Also write the models in ORT format (.ort)");
    command.add_flag("--nominal-checkpoint", nominalCheckpoint,
                     "Also write a checkpoint of names and types only");
    addFixInputOption(command, fixedInputs);
    command.add_flag("--free-batch", freeBatch,
                     "Let a model with a fixed batch size take any number of samples");
    command
        .add_option("--head-classes", headClasses,
                    "Replace the last layer with a new one for this number of classes")
        ->check(between(1, 1000000));
    command.add_option("--hidden-units", hiddenUnits,
                       "Units of the fully connected layers before the last one: 8,4; or none");
    addNormOptions(command, *this);
    addRenameOption(command, renames);
}

TrainingSpec ArtifactsFlags::spec() const {
    TrainingSpec spec;
    spec.model = model;
    spec.artifacts = artifacts.spec();
    spec.artifacts.prefix = prefix;
    spec.artifacts.nominalCheckpoint = nominalCheckpoint;
    spec.artifacts.ortFormat = ortFormat;
    spec.fixedInputs = parseFixedInputs(fixedInputs);
    spec.freeBatch = freeBatch;
    spec.headClasses = headClasses;
    spec.hiddenUnits = parseHiddenUnits(hiddenUnits);
    spec.replace = artifacts.replace;
    spec.sharing = artifacts.sharing;
    spec.restoreNorms = restoreNorms;
    spec.rename = parseRenames(renames);
    return spec;
}

void RunFlags::addTo(CLI::App& command) {
    addSettings(command, runSettings(), run);
    command.get_option("--steps")->excludes("--epochs");
    schedule.addTo(command, "Learning-rate schedule");
    command.add_option("--bind", binding, "INPUT=COLUMN: the column that feeds an input");
}

RunSpec RunFlags::spec() const {
    RunSpec spec = run;
    spec.binding = parseBinding(binding);
    spec.schedule = schedule.selection();
    requireValid(spec.schedule, scheduleChoices());
    for (const std::string& key : spec.metrics) requireKnownMetric(key);
    requireKnownMetric(spec.bestMetric);
    return spec;
}

}  // namespace temper::cli
