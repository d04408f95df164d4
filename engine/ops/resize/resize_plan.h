// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/core/shape.h"
#include "engine/ir/graph.h"
#include "engine/ir/type.h"

namespace temper {

/// How Resize finds the values between the elements.
enum class ResizeMode { Nearest, Linear, Cubic };

/// Which position of the input an output position stands for. Source: ONNX, Resize,
/// coordinate_transformation_mode.
enum class ResizeCoordinates {
    HalfPixel,
    HalfPixelSymmetric,
    PytorchHalfPixel,
    AlignCorners,
    Asymmetric,
    TfHalfPixelForNearest,
    TfCropAndResize,
};

/// How a position becomes an element in ResizeMode::Nearest. `Simple` is the rounding before opset
/// 11: towards the preceding element; towards the following one if the image shrinks (as in ORT).
enum class ResizeRounding { PreferFloor, PreferCeil, Floor, Ceil, Simple };

enum class AspectRatio { Stretch, NotLarger, NotSmaller };

/// The attributes of Resize (opset 10 to 19) and Upsample (7 to 10).
struct ResizeForm {
    ResizeMode mode = ResizeMode::Nearest;
    ResizeCoordinates coordinates = ResizeCoordinates::HalfPixel;
    ResizeRounding rounding = ResizeRounding::PreferFloor;
    AspectRatio aspectRatio = AspectRatio::Stretch;
    float cubicA = -0.75F;
    bool excludesOutside = false;
    bool antialiases = false;
    float extrapolation = 0;
    std::vector<int64_t> axes = {};  ///< empty: all

    // Input positions; nullopt if the version has no such input.
    std::optional<size_t> roiInput = std::nullopt;
    std::optional<size_t> scalesInput = std::nullopt;
    std::optional<size_t> sizesInput = std::nullopt;

    /// Throws: Error(InvalidInput) if an attribute is not one of ONNX's values.
    static ResizeForm of(const Node& node, int64_t opset);
    /// The attribute or all axes, each in [0, rank).
    std::vector<int64_t> axesOf(size_t rank) const;
};

/// What the inputs and the attribute `scales` specify, as far as it is known; empty if not given.
struct ResizeRequest {
    std::optional<std::vector<float>> scales;  ///< by the form's axes
    std::optional<std::vector<Dim>> sizes;     ///< by the form's axes
    std::optional<std::vector<float>> roi;     ///< starts, then ends, by the form's axes
    bool isKnown = true;                       ///< false: an input is present but unknown

    /// Data of an input, if it is known; only called for inputs that are present.
    using ReadTensor = std::function<const Tensor*(size_t input)>;
    /// Elements of the sizes, some of which may be symbols.
    using ReadSizes = std::function<std::optional<std::vector<Dim>>(size_t input)>;
    static ResizeRequest of(const Node& node, const ResizeForm& form, const ReadTensor& read,
                            const ReadSizes& readSizes);
    /// For a form with this many axes. Throws: Error(InvalidInput) if there is not one number for
    /// each, or if both scales and sizes are given.
    void requireFit(size_t axes) const;
};

/// One dimension of a resize.
struct ResizeAxis {
    int64_t input = 1;
    int64_t output = 1;
    float scale = 1;
    float roiStart = 0;  ///< ResizeCoordinates::TfCropAndResize only
    float roiEnd = 1;
    /// Given scales: the size before it was rounded down, which aligned corners use.
    std::optional<float> brokenOutput = std::nullopt;
};

/// Every dimension of an input of this shape.
/// Throws: Error(InvalidInput) if lengths or numbers make no sense.
std::vector<ResizeAxis> resizeAxes(const ResizeForm& form, const ResizeRequest& request,
                                   const Shape& input);

/// The same if some dimensions are unknown: output dimensions as far as they can be determined.
SymbolicShape resizedShape(const ResizeForm& form, const ResizeRequest& request,
                           const SymbolicShape& input);

/// Output position o along an axis is the sum over k < count of weight * input[index].
struct ResizeTaps {
    int64_t count = 1;
    std::vector<int64_t> index;   ///< [output, count]
    std::vector<double> weight;   ///< [output, count]
    std::vector<bool> isOutside;  ///< [output]: gets the extrapolation value

    /// Output o is input o, for all of them.
    bool isIdentity(int64_t input) const;
};

ResizeTaps resizeTaps(const ResizeForm& form, const ResizeAxis& axis);

}  // namespace temper
