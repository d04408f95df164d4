// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/text/ngram_pool.h"
#include "engine/ops/text/text.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// One row of counts for each row of words.
void inferTfIdf(InferenceContext& context) {
    requireDType(context, 0, isIndex, "int32 or int64");
    const NgramPool pool(context.node());
    const auto& shape = context.shape(0);
    std::optional<SymbolicShape> counts;
    if (shape) {
        if (shape->empty() || shape->size() > 2) {
            context.fail("Input 0 has rank " + std::to_string(shape->size()) +
                         "; expected one row of words, or a batch of rows.");
        }
        counts = *shape;
        counts->back() = Dim::of(pool.columns());
    }
    context.setOutput(0, DType::Float32, counts);
}

}  // namespace

void addTextTypes(OpCatalog& catalog) {
    catalog.add({"", "TfIdfVectorizer", inferTfIdf, 1, 1, {0}});
}

}  // namespace temper
