// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/ops/op_set.h"
#include "engine/ops/window.h"

namespace temper {

/// Conv, ConvTranspose and com.microsoft ConvGrad.
void registerConv(OpSet& ops);

void addConvTypes(OpCatalog& catalog);
void addConvGradients(GradientRules& gradients);
void addConvCpuKernels(KernelRegistry& kernels);

/// The sizes of a convolution of images [batch, channels, spatial...] with weights
/// [features, channels / group, kernel...] into [batch, features, spatial...]; a transposed
/// convolution is the same in reverse.
struct ConvGeometry {
    int64_t batch = 0;
    int64_t channels = 0;
    int64_t features = 0;
    int64_t group = 1;
    std::vector<WindowAxis> axes;

    Shape imageShape() const;
    Shape weightShape() const;
    Shape featureShape() const;
    /// Multiplications and additions of one pass.
    int64_t flops() const;

    /// For Conv and ConvGrad: `image` is X.
    static ConvGeometry of(const Node& node, const Shape& image, const Shape& weights);
    /// For ConvTranspose: `features` is X, the image is Y.
    static ConvGeometry ofTransposed(const Node& node, const Shape& features, const Shape& weights);
};

/// Of Conv, ConvTranspose and ConvGrad: OperatorFacts::narrowGain. Few channels of a group give
/// products too little to do. Where it suits Winograd's algorithm, the fewer products of float32
/// take no more time than all of them at twice the speed.
NarrowGain convNarrowGain(const Node& node);

/// The attributes, with the kernel size of the weights if they state none.
/// `weights` are those of an input [features, channels / group, kernel...].
WindowAttributes convWindow(const Node& node, const SymbolicShape& weights);

/// One spatial dimension of ConvTranspose: `output` is the size of X, `input` that of Y.
/// Source: ONNX, ConvTranspose.
WindowAxis transposedAxis(const Node& node, const WindowAttributes& window, size_t axis,
                          int64_t featureSize);

}  // namespace temper
