// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/ops/op_set.h"
#include "engine/training/spec/choice.h"
#include "ui/document/loaded_data.h"
#include "ui/document/loaded_model.h"
#include "ui/proposals/proposed_choice.h"

namespace temper::ui {

/// A loss that fits the outputs of a model and the targets of its data.
struct LossProposal {
    Selection loss;
    std::vector<std::string> inputs;  ///< see ArtifactSpec::lossInputs
    int64_t headClasses = 0;          ///< > 0: the head needs this many classes
    ProposedChoice choice;
};

/// Classes along axis 1 or the last axis of an output: cross-entropy; one number for two classes:
/// binary cross-entropy; zeros and ones in the shape of an output: the same; other numbers in that
/// shape: mean squared error; tokens and logits over a vocabulary, without a target: the next
/// token. Where the model applies softmax or sigmoid itself, the loss reads the tensor before it.
/// Absent if no output fits the targets.
std::optional<LossProposal> proposeLoss(const LoadedModel& model, const LoadedData& data,
                                        const OpSet& ops);

}  // namespace temper::ui
