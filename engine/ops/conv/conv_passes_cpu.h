// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/core/thread_pool.h"
#include "engine/ops/conv/conv.h"
#include "engine/runtime/cpu/scratch_layout.h"
#include "engine/runtime/kernel.h"

namespace temper {

// The three passes of a convolution: sums in single precision of products of numbers in single
// precision, or in bfloat16 (ConvForm::isNarrow). How they divide their work follows only from the
// sizes, so results do not depend on the number of threads.

enum class ConvAlgorithm {
    Direct,    ///< by definition
    Winograd,  ///< if suitsWinograd()
};

/// How a convolution is computed.
struct ConvForm {
    // Whether the caller has images and features in blocks of channels; see BlockableKernel.
    bool imagesBlocked = false;
    bool featuresBlocked = false;
    ConvAlgorithm algorithm = ConvAlgorithm::Direct;
    bool weightsAreConstant = false;  ///< the same in each run
    bool isNarrow = false;            ///< factors are bfloat16; only Direct, if bfloat16Units()

    ConvForm with(bool images, bool features, ConvAlgorithm by) const {
        return {images, features, by, weightsAreConstant, isNarrow};
    }
};

/// From images to features (forward) or from features to images (backward data, and the transposed
/// convolution).
class ConvDataPass {
public:
    enum class Direction { Forward, Backward };

    virtual ~ConvDataPass() = default;

    size_t scratchBytes() const { return scratch_.bytes(); }
    /// `bias` is null if there is none. Calls `finished(begin, end)` for the elements of parts of
    /// `to`, which may be parts of a channel, on any thread.
    virtual void run(ThreadPool& pool, const void* from, const void* weights, const float* bias,
                     float* to, std::byte* scratch, const RangeFunction& finished) const = 0;

protected:
    ScratchLayout scratch_;
};

/// Gradient of the weights from images and features.
class ConvWeightsPass {
public:
    virtual ~ConvWeightsPass() = default;

    size_t scratchBytes() const { return scratch_.bytes(); }
    virtual void run(ThreadPool& pool, const void* images, const void* features, float* weights,
                     std::byte* scratch) const = 0;

protected:
    ScratchLayout scratch_;
};

/// `hasBias`: run() receives one.
/// Throws: Error(Unsupported) if the form is unknown.
std::shared_ptr<const ConvDataPass> makeDataPass(const ConvGeometry& geometry,
                                                 ConvDataPass::Direction direction, bool hasBias,
                                                 ConvForm form = {});
std::shared_ptr<const ConvWeightsPass> makeWeightsPass(const ConvGeometry& geometry,
                                                       ConvForm form = {});

}  // namespace temper
