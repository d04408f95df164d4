// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "engine/core/counted.h"
#include "engine/ops/regions/region_forms.h"
#include "engine/ops/regions/regions.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// Regions [R, numbers].
Dim regionCount(const InferenceContext& context, int64_t numbers) {
    requireRank(context, 1, 2);
    if (!context.shape(1)) return Dim::unknown();
    const Dim& width = (*context.shape(1))[1];
    if (width.isNumber() && width.value != numbers) {
        context.fail("The regions have " + counted(width.value, "number") + " each; expected " +
                     std::to_string(numbers) + ".");
    }
    return (*context.shape(1))[0];
}

void setOutput(InferenceContext& context, const Dim& regions, int64_t height, int64_t width) {
    requireRank(context, 0, 4);
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    const Dim channels = context.shape(0) ? (*context.shape(0))[1] : Dim::unknown();
    context.setOutput(0, context.dtype(0),
                      SymbolicShape{regions, channels, Dim::of(height), Dim::of(width)});
}

void inferRoiAlign(InferenceContext& context) {
    const RoiAlignForm form = RoiAlignForm::of(context.node(), context.opset());
    requireDType(context, 2, isIndex, "int64");
    requireRank(context, 2, 1);
    Dim regions = regionCount(context, 4);
    if (context.shape(2))
        regions = mergeDims(context, regions, (*context.shape(2))[0], "Regions and batch indices");
    setOutput(context, regions, form.height, form.width);
}

void inferMaxRoiPool(InferenceContext& context) {
    const MaxRoiPoolForm form = MaxRoiPoolForm::of(context.node());
    setOutput(context, regionCount(context, 5), form.height, form.width);
}

}  // namespace

void addRegionTypes(OpCatalog& catalog) {
    catalog.add({"", "RoiAlign", inferRoiAlign, 3, 3, {1, 2}});
    catalog.add({"", "MaxRoiPool", inferMaxRoiPool, 2, 2, {1}});
}

}  // namespace temper
