// SPDX-License-Identifier: Apache-2.0
#include "engine/training/model_edits.h"

#include "engine/training/head.h"
#include "engine/training/renaming.h"
#include "engine/training/replacements/replacement.h"

namespace temper {

void editModel(Graph& model, const OpCatalog& catalog, const TrainingSpec& spec,
               uint64_t headSeed) {
    if (spec.headClasses > 0) replaceHead(model, catalog, spec.headClasses, headSeed);
    replaceNodes(model, catalog, spec.replace);
    renameInputsAndOutputs(model, spec.rename);
}

bool haveOtherEdits(const TrainingSpec& a, const TrainingSpec& b) {
    return a.headClasses != b.headClasses || a.replace != b.replace || a.rename != b.rename;
}

}  // namespace temper
