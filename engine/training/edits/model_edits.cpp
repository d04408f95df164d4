// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/model_edits.h"

#include <algorithm>
#include <iterator>

#include "engine/training/edits/fixed_inputs.h"
#include "engine/training/edits/free_batch.h"
#include "engine/training/edits/half_precision.h"
#include "engine/training/edits/head.h"
#include "engine/training/edits/hidden_layers.h"
#include "engine/training/edits/renaming.h"
#include "engine/training/edits/replacements/replacement.h"
#include "engine/training/edits/restored_norms.h"

namespace temper {

std::vector<Finding> editModel(Graph& model, const OpSet& ops, const TrainingSpec& spec,
                               uint64_t headSeed) {
    std::vector<Finding> remarks = restoreSharing(model, ops.catalog, spec.sharing);
    widenHalfPrecision(model, ops.catalog);
    fixInputs(model, ops, spec.fixedInputs);
    if (spec.freeBatch) freeBatch(model, ops.catalog);
    std::ranges::move(restoreNorms(model, ops.catalog, spec.restoreNorms),
                      std::back_inserter(remarks));
    if (spec.hiddenUnits) setHiddenUnits(model, ops.catalog, *spec.hiddenUnits, headSeed);
    if (spec.headClasses > 0) replaceHead(model, ops.catalog, spec.headClasses, headSeed);
    replaceNodes(model, ops.catalog, spec.replace);
    renameInputsAndOutputs(model, spec.rename);
    return remarks;
}

std::vector<Finding> editModelAndChoices(Graph& model, const OpSet& ops, TrainingSpec& spec,
                                         uint64_t headSeed) {
    if (spec.freeBatch) requireFreeableBatch(model, ops, spec.fixedInputs);
    std::vector<Finding> remarks = editModel(model, ops, spec, headSeed);
    Renames renames = spec.rename;
    std::erase_if(renames,
                  [&](const auto& renamed) { return model.find(renamed.first) != nullptr; });
    followRenames(spec.artifacts, renames);
    return remarks;
}

bool haveOtherEdits(const TrainingSpec& a, const TrainingSpec& b) {
    return a.fixedInputs != b.fixedInputs || a.freeBatch != b.freeBatch ||
           a.headClasses != b.headClasses || a.hiddenUnits != b.hiddenUnits ||
           a.replace != b.replace || a.sharing != b.sharing || a.restoreNorms != b.restoreNorms ||
           a.rename != b.rename;
}

}  // namespace temper
