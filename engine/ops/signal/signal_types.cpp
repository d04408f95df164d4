// SPDX-License-Identifier: Apache-2.0
#include "engine/core/counted.h"
#include "engine/ir/dim_arithmetic.h"
#include "engine/ops/signal/signal.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// The single number of an input, if it is known.
std::optional<int64_t> numberOf(const InferenceContext& context, size_t input) {
    if (!context.hasInput(input)) return std::nullopt;
    const auto known = context.integers(input);
    if (!known) return std::nullopt;
    if (known->size() != 1) {
        context.fail("Input " + std::to_string(input) + " has " +
                     counted(known->size(), "element") + "; expected one number.");
    }
    return known->front();
}

Dim positiveDim(const InferenceContext& context, int64_t size, const char* what) {
    if (size >= 0) return Dim::of(size);
    context.fail(std::string(what) + " is " + std::to_string(size) + "; expected 0 or more.");
}

/// The last dimension holds real numbers (1) or pairs of real and imaginary part (2).
void requireComplexDim(const InferenceContext& context, const SymbolicShape& shape) {
    const Dim& last = shape.back();
    if (!last.isNumber() || last.value == 1 || last.value == 2) return;
    context.fail("The last dimension of the signal is " + std::to_string(last.value) +
                     "; expected 1 for real or 2 for complex numbers.",
                 "Append a dimension of 1 to the signal.");
}

std::optional<int64_t> dftAxis(const InferenceContext& context, const DftAttributes& attributes) {
    if (attributes.axis) return attributes.axis;
    return context.hasInput(kDftAxis) ? numberOf(context, kDftAxis) : kDefaultDftAxis;
}

/// [..., n, ..., 1 or 2] -> [..., dft_length or its half, ..., 2], or real numbers [..., 1] from
/// the half of a spectrum.
void inferDft(InferenceContext& context) {
    requireFloating(context, 0);
    const DftAttributes attributes = DftAttributes::of(context.node(), context.opset());
    const auto& input = context.shape(0);
    if (!input) return context.setOutput(0, context.dtype(0), std::nullopt);
    const auto rank = static_cast<int64_t>(input->size());
    if (rank < 2) {
        context.fail("The signal has rank " + std::to_string(rank) + "; expected 2 or more.");
    }
    requireComplexDim(context, *input);
    SymbolicShape shape = *input;
    shape.back() = Dim::of(attributes.isRealInverse() ? 1 : 2);
    const auto given = dftAxis(context, attributes);
    if (!given) return context.setOutput(0, context.dtype(0), unknownDims(shape.size()));
    const int64_t axis = requireAxis(context, *given, rank);
    if (axis == rank - 1) {
        context.fail("Axis " + std::to_string(*given) +
                     " holds the parts of complex numbers; expected another one.");
    }
    Dim& dim = shape[static_cast<size_t>(axis)];
    if (context.hasInput(kDftLength)) {
        const auto length = numberOf(context, kDftLength);
        dim = length ? positiveDim(context, *length, "The DFT length") : Dim::unknown();
    } else if (attributes.isRealInverse()) {
        const bool isKnown = dim.isNumber() && dim.value > 0;
        dim = isKnown ? Dim::of(attributes.defaultLength(dim.value)) : Dim::unknown();
    }
    if (attributes.onesided && !attributes.inverse) {
        if (dim == Dim::of(0)) {
            context.fail(
                "A one-sided spectrum of an empty signal is requested; expected 1 or more along "
                "axis " +
                std::to_string(*given) + ".");
        }
        dim = dim.isNumber() ? Dim::of(spectrumSize(dim.value, true)) : Dim::unknown();
    }
    context.setOutput(0, context.dtype(0), std::move(shape));
}

/// Elements of a frame: frame_length, or the size of the window.
Dim frameLength(const InferenceContext& context) {
    Dim window = Dim::unknown();
    if (context.hasInput(kWindow)) {
        requireRank(context, kWindow, 1);
        if (context.shape(kWindow)) window = context.shape(kWindow)->front();
    }
    if (!context.hasInput(kFrameLength)) {
        if (context.hasInput(kWindow)) return window;
        context.fail("Neither a window nor a frame length is given; expected one of them.");
    }
    const auto length = numberOf(context, kFrameLength);
    if (!length) return window;
    return mergeDims(context, window, positiveDim(context, *length, "The frame length"),
                     "the window and the frame");
}

Dim frameCount(const InferenceContext& context, const Dim& signal, const Dim& frame,
               std::optional<int64_t> step) {
    if (step && *step < 1) {
        context.fail("The frame step is " + std::to_string(*step) + "; expected 1 or more.");
    }
    if (!signal.isNumber() || !frame.isNumber() || !step) return Dim::unknown();
    if (frame.value > signal.value) {
        context.fail("A frame has " + counted(frame.value, "element") + ", the signal " +
                     std::to_string(signal.value) + "; expected a frame that fits into it.");
    }
    return sumOf(quotientOf(sumOf(signal, -frame.value), *step), 1);
}

/// [batch, n, 1 or 2] -> [batch, frames, spectrum, 2]
void inferStft(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, kWindow);
    requireRank(context, 0, 3);
    const Dim frame = frameLength(context);
    if (frame == Dim::of(0)) context.fail("A frame has no elements; expected 1 or more.");
    SymbolicShape shape = {Dim::unknown(), Dim::unknown(), frame, Dim::of(2)};
    const bool onesided = context.node().attribute<int64_t>("onesided", 1) != 0;
    if (onesided) {
        shape[2] = frame.isNumber() ? Dim::of(spectrumSize(frame.value, true)) : Dim::unknown();
    }
    if (const auto& signal = context.shape(0)) {
        requireComplexDim(context, *signal);
        shape[0] = (*signal)[0];
        shape[1] = frameCount(context, (*signal)[1], frame, numberOf(context, kFrameStep));
    }
    context.setOutput(0, context.dtype(0), std::move(shape));
}

DType outputType(const InferenceContext& context) {
    const auto number = context.node().attribute<int64_t>("output_datatype", 1);
    const auto dtype = static_cast<DType>(number);
    if (isNumeric(dtype)) return dtype;
    context.fail("Attribute 'output_datatype' is " + std::to_string(number) +
                 "; expected the number of a numeric element type.");
}

void inferWindow(InferenceContext& context) {
    requireDType(context, 0, isIndex, "int32 or int64");
    const auto size = numberOf(context, 0);
    const Dim dim = size ? positiveDim(context, *size, "The size") : Dim::unknown();
    context.setOutput(0, outputType(context), SymbolicShape{dim});
}

/// [dft_length / 2 + 1, num_mel_bins]
void inferMelWeights(InferenceContext& context) {
    for (const size_t input : {0, 1, 2}) requireDType(context, input, isIndex, "int32 or int64");
    for (const size_t input : {3, 4}) requireFloating(context, input);
    const auto bins = numberOf(context, 0);
    const auto length = numberOf(context, 1);
    context.setOutput(
        0, outputType(context),
        SymbolicShape{
            length ? positiveDim(context, spectrumSize(*length, true), "The spectrum's size")
                   : Dim::unknown(),
            bins ? positiveDim(context, *bins, "The number of mel bins") : Dim::unknown()});
}

}  // namespace

void addSignalTypes(OpCatalog& catalog) {
    catalog.add({"", "DFT", inferDft, 1, 3, {kDftLength, kDftAxis}});
    catalog.add({"", "STFT", inferStft, 2, 4, {kFrameStep, kFrameLength}});
    for (const char* op : {"HannWindow", "HammingWindow", "BlackmanWindow"}) {
        catalog.add({"", op, inferWindow, 1, 1, {0}});
    }
    catalog.add({"", "MelWeightMatrix", inferMelWeights, 5, 5, {0, 1, 2, 3, 4}});
}

}  // namespace temper
