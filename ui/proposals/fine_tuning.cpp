// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/proposals/fine_tuning.h"

#include <algorithm>
#include <cmath>

#include "engine/training/artifacts/frozen_statistics.h"
#include "engine/training/parameters/name_patterns.h"
#include "engine/training/parameters/trainable_choice.h"
#include "ui/document/planned_steps.h"
#include "ui/proposals/data_proposal.h"
#include "ui/proposals/loss_proposal.h"
#include "ui/translation/number_text.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

/// Fewer samples than this share of the parameters are too few to train them all.
constexpr double kSamplesPerParameter = 1e-3;
constexpr int64_t kUsualBatch = 32;
constexpr int64_t kBatchesOfAnEpoch = 8;  ///< at least, if the samples suffice
constexpr int64_t kUsualSteps = 600;
constexpr int64_t kMinEpochs = 3, kMaxEpochs = 50;
/// Below it, the statistics of a batch say little about those of the data.
constexpr int64_t kBatchForStatistics = 16;
constexpr double kHeadShare = 1.0 / 3;  ///< of the steps, in which only the last layer trains
constexpr double kLaterRate = 0.1;      ///< times the rate, once everything trains

int64_t roundedDownToPowerOfTwo(int64_t number) {
    int64_t power = 1;
    while (2 * power <= number) power *= 2;
    return power;
}

double rateOf(FineTuneScope scope) {
    switch (scope) {
        case FineTuneScope::LastLayer: return 1e-3;
        case FineTuneScope::LastLayers: return 3e-4;
        case FineTuneScope::BiasesAndNorms:
        case FineTuneScope::LastLayerFirst: return 1e-3;
        case FineTuneScope::Everything: break;
    }
    return 1e-4;
}

QString whyBatch(const FineTuneRequest& request, int64_t batch) {
    if (request.fixedBatch) return tr("The model accepts no other number of samples.");
    if (batch < kUsualBatch)
        return tr("Small, as there are few samples: an epoch should have several steps.");
    return tr("The usual one: enough samples for a steady gradient, and little memory.");
}

void proposeRun(const FineTuneRequest& request, FineTuneScope scope, FineTuning& tuning) {
    RunSpec& run = tuning.spec.run;
    const int64_t samples = request.data.training()->size();
    run.learningRate = rateOf(scope);
    run.batchSize = request.fixedBatch.value_or(
        std::clamp(roundedDownToPowerOfTwo(samples / kBatchesOfAnEpoch), int64_t{1}, kUsualBatch));
    const int64_t steps = std::max<int64_t>(1, (samples + run.batchSize - 1) / run.batchSize);
    run.steps = 0;
    run.epochs = std::clamp((kUsualSteps + steps - 1) / steps, kMinEpochs, kMaxEpochs);
    tuning.whyEpochs = tr("%1 samples are %2 steps an epoch; most fine-tuning is done after a few "
                          "hundred steps.")
                           .arg(integerText(samples), integerText(steps));
    tuning.whyRate = tr("The usual one for what trains.");
    tuning.whyBatch = whyBatch(request, run.batchSize);
}

void proposeStatistics(const FineTuneRequest& request, FineTuneScope scope, FineTuning& tuning) {
    if (resolveFrozenStatistics(*request.model.graph, {"*"}).outputs.empty()) return;
    ProposedChoice choice{
        QStringLiteral("norms"), tr("Batch norms"), {}, {}, QStringLiteral("parameters")};
    const bool isSmall = tuning.spec.run.batchSize < kBatchForStatistics;
    if (isSmall || scope != FineTuneScope::Everything) {
        tuning.spec.artifacts.frozenStatistics = {"*"};
        choice.value = tr("Freeze statistics");
        choice.why = isSmall ? tr("A batch is too small to measure its own.")
                     : scope == FineTuneScope::LastLayerFirst
                         ? tr("While the last layer learns, the layers that they normalize do not "
                              "change.")
                         : tr("The layers that they normalize do not change.");
    } else {
        tuning.spec.artifacts.frozenStatistics.clear();
        choice.value = tr("Update statistics");
        choice.why = tr("All layers change, and the batches are large enough to measure them.");
    }
    tuning.choices.push_back(choice);
}

void proposeObjective(const FineTuneRequest& request, FineTuning& tuning) {
    std::optional<LossProposal> loss = proposeLoss(request.model, request.data, request.ops);
    if (!loss) return;
    tuning.spec.artifacts.loss = loss->loss;
    tuning.spec.artifacts.lossInputs = loss->inputs;
    tuning.choices.push_back(loss->choice);
    if (loss->headClasses == 0) return;
    tuning.spec.headClasses = loss->headClasses;
    tuning.choices.push_back(
        {QStringLiteral("head"), tr("Last layer"),
         tr("New, with %Ln classes", nullptr, static_cast<int>(loss->headClasses)),
         tr("The model was made for other classes than the data has."), QStringLiteral("model")});
}

/// Whether setPhases() chose the groups and the schedule for an earlier proposal.
bool hasPhases(const TrainingSpec& spec) {
    const std::vector<ParameterGroup>& groups = spec.artifacts.parameterGroups;
    const Selection& schedule = spec.run.schedule;
    const auto milestones = schedule.lists.find("milestones");
    return groups.size() == 1 && groups.front().startStep > 0 && schedule.key == "multi-step" &&
           milestones != schedule.lists.end() &&
           milestones->second == std::vector<double>{double(groups.front().startStep)};
}

}  // namespace

std::set<std::string> scopeParameters(FineTuneScope scope, const LoadedModel& model,
                                      const OpSet& ops) {
    const auto preset = [&](TrainablePreset which) {
        return presetParameters(*model.graph, ops.catalog, model.parameters, model.blocks, which);
    };
    switch (scope) {
        case FineTuneScope::LastLayer: return preset(TrainablePreset::LastLayer);
        case FineTuneScope::LastLayers: return preset(TrainablePreset::LastLayers);
        case FineTuneScope::BiasesAndNorms: {
            std::set<std::string> chosen = preset(TrainablePreset::Biases);
            chosen.merge(preset(TrainablePreset::Norms));
            return chosen;
        }
        case FineTuneScope::LastLayerFirst:
        case FineTuneScope::Everything: break;
    }
    return preset(TrainablePreset::All);
}

QString whyScope(FineTuneScope scope, const LoadedModel& model, const OpSet& ops, int64_t samples) {
    const ParameterCounts counts =
        countParameters(model.parameters, scopeParameters(scope, model, ops));
    const QString count = tr("%1 of %2 numbers train.")
                              .arg(integerText(counts.trainedElements),
                                   integerText(counts.trainedElements + counts.frozenElements));
    switch (scope) {
        case FineTuneScope::LastLayer:
            return tr("What the model has learned stays; only the decision is new. Fast, and "
                      "enough "
                      "for few samples (%1).")
                       .arg(integerText(samples)) +
                   QLatin1Char(' ') + count;
        case FineTuneScope::LastLayers:
            return tr("The last layers adapt, the general ones before them stay.") +
                   QLatin1Char(' ') + count;
        case FineTuneScope::BiasesAndNorms:
            return tr("Few numbers, but in all layers: little memory, little risk.") +
                   QLatin1Char(' ') + count;
        case FineTuneScope::LastLayerFirst:
            return tr("The last layer learns first, so that its first mistakes do not disturb what "
                      "the others have learned; then everything adapts slowly.") +
                   QLatin1Char(' ') + count;
        case FineTuneScope::Everything: break;
    }
    return tr("Everything adapts: the best result with enough samples (%1).")
               .arg(integerText(samples)) +
           QLatin1Char(' ') + count;
}

void setPhases(const FineTuneRequest& request, FineTuneScope scope, TrainingSpec& spec) {
    if (scope != FineTuneScope::LastLayerFirst) {
        if (!hasPhases(spec)) return;
        spec.artifacts.parameterGroups.clear();
        spec.run.schedule = RunSpec().schedule;
        return;
    }
    const auto steps = static_cast<double>(
        plannedSteps(spec.run, request.data.training()->size(), request.fixedBatch));
    const auto start = std::max(int64_t{1}, static_cast<int64_t>(kHeadShare * steps));
    NamePatterns others("*");
    others.remove(scopeParameters(FineTuneScope::LastLayer, request.model, request.ops),
                  moduleNamesOf(request.model.parameters));
    spec.artifacts.parameterGroups = {{others.text(), 1, std::nullopt, start}};
    spec.run.schedule = {"multi-step", {{"gamma", kLaterRate}}};
    spec.run.schedule.lists["milestones"] = {double(start)};
}

FineTuneScope proposeScope(const FineTuneRequest& request) {
    const ParameterCounts counts =
        countParameters(request.model.parameters,
                        scopeParameters(FineTuneScope::Everything, request.model, request.ops));
    const auto samples = static_cast<double>(request.data.training()->size());
    const bool areFew =
        samples < kSamplesPerParameter * static_cast<double>(counts.trainedElements);
    const auto loss = proposeLoss(request.model, request.data, request.ops);
    return areFew || (loss && loss->headClasses > 0) ? FineTuneScope::LastLayer
                                                     : FineTuneScope::Everything;
}

FineTuning proposeFineTuning(const FineTuneRequest& request, FineTuneScope scope) {
    FineTuning tuning{scope, request.spec, {}, {}, {}, {}};
    const std::set<std::string> trained = scopeParameters(scope, request.model, request.ops);
    tuning.spec.artifacts =
        withTrainedParameters(tuning.spec.artifacts, request.model.parameters, trained);
    proposeObjective(request, tuning);
    DataProposal data = proposeData(request.model, request.data, request.ops.catalog,
                                    !request.spec.run.evalData.empty());
    tuning.spec.run.data = data.source;
    std::ranges::move(data.choices, std::back_inserter(tuning.choices));
    proposeRun(request, scope, tuning);
    setPhases(request, scope, tuning.spec);
    proposeStatistics(request, scope, tuning);
    return tuning;
}

}  // namespace temper::ui
