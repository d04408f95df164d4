// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "engine/ops/attention/attention_form.h"

namespace temper {
namespace {

using namespace attention_input;

Var both(Var a, Var b) { return a ? logicalAnd(a, b) : b; }

Var atMost(Var a, Var b) { return a.emitter().op("LessOrEqual", {a, b}); }

/// A mask may be shorter than the keys; those past its end are not seen.
Var upToAllKeys(Var mask, Var keys) {
    if (mask.shape().back().sameAs(keys.shape()[2])) return mask;
    GradientEmitter& emitter = mask.emitter();
    const std::vector<int64_t> before(static_cast<size_t>(2 * mask.rank() - 1), 0);
    const Var missing = sizeAlong(keys, 2) - sizeAlong(mask, mask.rank() - 1);
    const Var pads = concat({emitter.integers(before), missing}, 0);
    if (mask.dtype() == DType::Bool) return emitter.op("Pad", {mask, pads});
    return emitter.op("Pad", {mask, pads, minusInfinity(mask.dtype(), emitter)});
}

/// Whether a mask of numbers is known and as long as the keys, and hides none of them.
bool hidesNothing(const LoweringContext& node, Var keys) {
    const Value* mask = node.node().input(kMask);
    if (!mask->isInitializer() || !node.dim(kMask, -1).sameAs(keys.shape()[2])) return false;
    const Tensor data = mask->constant().cast(DType::Float64);
    return std::ranges::none_of(data.values<double>(), [](double number) {
        return number == -std::numeric_limits<double>::infinity();
    });
}

/// The positions of the queries among the keys: [queries, 1], or [batch, 1, queries, 1] if the
/// sequences of a batch have different lengths.
Var ownPositions(const LoweringContext& node, const AttentionHeads& heads) {
    const Var count = sizeAlong(heads.q, 2);
    const Var rows = unsqueeze(countingTo(count), {1});
    if (node.hasInput(kPastKey)) return rows + sizeAlong(node.input(kPastKey), 2);
    if (!node.hasInput(kLengths)) return rows;
    return rows + unsqueeze(node.input(kLengths) - count, {1, 2, 3});
}

/// The same for the keys: [keys].
Var keyPositions(const AttentionHeads& heads) { return countingTo(sizeAlong(heads.k, 2)); }

/// What is in the window around each query, by the numbers of the positions.
Var seenByPlace(const LoweringContext& node, const AttentionForm& form,
                const AttentionHeads& heads) {
    if (!form.isCausal && !form.hasWindow()) return {};
    GradientEmitter& emitter = node.emitter();
    const Var own = ownPositions(node, heads), keys = keyPositions(heads);
    Var seen;
    if (form.isCausal) seen = both(seen, atMost(keys, own));
    if (form.leftWindow >= 0) {
        seen = both(seen, atMost(own, keys + emitter.integers({form.leftWindow})));
    }
    if (form.rightWindow >= 0) {
        seen = both(seen, atMost(keys, own + emitter.integers({form.rightWindow})));
    }
    return seen;
}

}  // namespace

AttentionVisibility AttentionVisibility::of(const LoweringContext& node, const AttentionForm& form,
                                            const AttentionHeads& heads) {
    AttentionVisibility visibility;
    visibility.seen = seenByPlace(node, form, heads);
    visibility.allSeeSome = form.leftWindow < 0;
    if (node.hasInput(kLengths)) {
        const Var ends = unsqueeze(node.input(kLengths), {1, 2, 3});
        visibility.seen = both(visibility.seen, less(keyPositions(heads), ends));
        visibility.allSeeSome = false;
    }
    if (node.hasInput(kMask)) visibility.addMask(node, heads);
    return visibility;
}

void AttentionVisibility::addMask(const LoweringContext& node, const AttentionHeads& heads) {
    const Var mask = upToAllKeys(node.input(kMask), heads.k);
    if (mask.dtype() == DType::Bool) {
        seen = both(seen, mask);
    } else {
        bias = asType(mask, heads.q.dtype());
        if (hidesNothing(node, heads.k)) return;
        seen = both(seen, logicalNot(equal(mask, minusInfinity(mask.dtype(), node.emitter()))));
    }
    allSeeSome = false;
}

Var AttentionVisibility::seesAny() const {
    const Var counts = sum(cast(seen, DType::Float32), {seen.rank() - 1});
    return greater(counts, counts.emitter().number(0, DType::Float32));
}

}  // namespace temper
