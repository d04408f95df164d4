// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "engine/ir/op_catalog.h"
#include "ui/document/loaded_data.h"
#include "ui/document/loaded_model.h"
#include "ui/proposals/proposed_choice.h"

namespace temper::ui {

/// How to read the samples: what is set apart, and the scale of the inputs.
struct DataProposal {
    std::string source;  ///< data specification
    std::vector<ProposedChoice> choices;
};

/// Without evaluation samples, a fifth is set apart. Pictures whose scale is not chosen get that of
/// the model's kind: mean and deviation of ImageNet for colours, -1 to 1 for the models of
/// Transformers that were trained so, 0 to 1 for grey ones; columns of a table on very different
/// scales are standardized. Inputs of a model that scales them itself stay as they
/// are.
/// `isEvaluatedElsewhere`: another specification names the evaluation samples.
DataProposal proposeData(const LoadedModel& model, const LoadedData& data, const OpCatalog& catalog,
                         bool isEvaluatedElsewhere);

}  // namespace temper::ui
