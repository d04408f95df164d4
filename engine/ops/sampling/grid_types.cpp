// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "engine/core/counted.h"
#include "engine/ops/sampling/grid_form.h"
#include "engine/ops/sampling/sampling.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

void inferGridSample(InferenceContext& context) {
    static_cast<void>(GridForm::of(context.node()));
    requireFloating(context, 1);
    const auto& image = context.shape(0);
    const auto& grid = context.shape(1);
    if (!image || !grid) return context.setOutput(0, context.dtype(0), std::nullopt);
    const size_t rank = image->size();
    if (rank < 3 || grid->size() != rank) {
        context.fail("The images have the shape " + formatShape(*image) + " and the grid " +
                         formatShape(*grid) + "; expected [N, C, spatial...] and [N, places..., " +
                         "spatial dimensions], of the same rank.",
                     "Give the grid one position per output element.");
    }
    const Dim& coordinates = grid->back();
    if (coordinates.isNumber() && coordinates.value != static_cast<int64_t>(rank) - 2) {
        context.fail("The grid has " + counted(coordinates.value, "coordinate") +
                     " for each place; expected " + std::to_string(rank - 2) + ".");
    }
    SymbolicShape output = {mergeDims(context, (*image)[0], (*grid)[0], "Images and grid"),
                            (*image)[1]};
    output.insert(output.end(), grid->begin() + 1, grid->end() - 1);
    context.setOutput(0, context.dtype(0), std::move(output));
}

void checkTheta(const InferenceContext& context, int64_t spatial) {
    const auto& theta = context.shape(0);
    if (!theta || spatial < 0) return;
    const bool fits = theta->size() == 3 &&
                      (!(*theta)[1].isNumber() || (*theta)[1].value == spatial) &&
                      (!(*theta)[2].isNumber() || (*theta)[2].value == spatial + 1);
    if (fits) return;
    context.fail("Input 0 has the shape " + formatShape(*theta) + "; expected [N, " +
                     std::to_string(spatial) + ", " + std::to_string(spatial + 1) + "].",
                 "Give one matrix of a rotation and a translation for each image.");
}

void inferAffineGrid(InferenceContext& context) {
    requireFloating(context, 0);
    requireRank(context, 0, 3);
    const auto size = shapeFromInput(context, 1);
    if (!size) return context.setOutput(0, context.dtype(0), std::nullopt);
    if (size->size() != 4 && size->size() != 5) {
        context.fail("Input 1 has " + counted(size->size(), "element") +
                     "; expected 4 (N, C, H, W) or 5 (N, C, D, H, W).");
    }
    const auto spatial = static_cast<int64_t>(size->size()) - 2;
    checkTheta(context, spatial);
    SymbolicShape output = {(*size)[0]};
    if (context.shape(0)) {
        output[0] =
            mergeDims(context, (*context.shape(0))[0], (*size)[0], "The matrices and the size");
    }
    output.insert(output.end(), size->begin() + 2, size->end());
    output.push_back(Dim::of(spatial));
    context.setOutput(0, context.dtype(0), std::move(output));
}

}  // namespace

void addGridTypes(OpCatalog& catalog) {
    catalog.add({"", "GridSample", inferGridSample, 2, 2, {}});
    catalog.add({"", "AffineGrid", inferAffineGrid, 2, 2, {1}});
}

}  // namespace temper
