// SPDX-License-Identifier: Apache-2.0
#include "engine/training/model_edits.h"

#include "engine/training/fixed_inputs.h"
#include "engine/training/half_precision.h"
#include "engine/training/head.h"
#include "engine/training/renaming.h"
#include "engine/training/replacements/replacement.h"

namespace temper {

std::vector<Finding> editModel(Graph& model, const OpSet& ops, const TrainingSpec& spec,
                               uint64_t headSeed) {
    std::vector<Finding> remarks = restoreSharing(model, spec.sharing);
    widenHalfPrecision(model, ops.catalog);
    fixInputs(model, ops, spec.fixedInputs);
    if (spec.headClasses > 0) replaceHead(model, ops.catalog, spec.headClasses, headSeed);
    replaceNodes(model, ops.catalog, spec.replace);
    renameInputsAndOutputs(model, spec.rename);
    return remarks;
}

bool haveOtherEdits(const TrainingSpec& a, const TrainingSpec& b) {
    return a.fixedInputs != b.fixedInputs || a.headClasses != b.headClasses ||
           a.replace != b.replace || a.sharing != b.sharing || a.rename != b.rename;
}

}  // namespace temper
