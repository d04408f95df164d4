// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/dim_arithmetic.h"

#include "engine/core/checked.h"
#include "engine/core/error.h"

namespace temper {
namespace {

Dim sizeOf(int64_t number) { return number >= 0 ? Dim::of(number) : Dim::unknown(); }

}  // namespace

Dim sumOf(const Dim& a, const Dim& b) { return b.isNumber() ? sumOf(a, b.value) : Dim::unknown(); }

Dim sumOf(const Dim& dim, int64_t number) {
    return dim.isNumber() ? sizeOf(checkedSum(dim.value, number)) : Dim::unknown();
}

Dim productOf(const Dim& a, const Dim& b) {
    if (!a.isNumber() || !b.isNumber()) return Dim::unknown();
    return Dim::of(checkedProduct(a.value, b.value));
}

Dim productOf(const Dim& dim, int64_t factor) {
    if (factor == 1) return dim;
    return dim.isNumber() ? sizeOf(checkedProduct(dim.value, factor)) : Dim::unknown();
}

Dim quotientOf(const Dim& dim, int64_t divisor) {
    TEMPER_ASSERT(divisor >= 1, "sizes are divided by counts");
    return dim.isNumber() ? Dim::of(dim.value / divisor) : Dim::unknown();
}

bool mayDivide(int64_t divisor, const Dim& dim) {
    return divisor >= 1 && (!dim.isNumber() || dim.value % divisor == 0);
}

}  // namespace temper
