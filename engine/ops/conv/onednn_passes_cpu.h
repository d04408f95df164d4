// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "engine/ops/conv/conv_passes_cpu.h"
#include "engine/runtime/cpu/filled_once.h"
#include "engine/runtime/cpu/onednn.h"

namespace temper {

// The three passes of a convolution by oneDNN's direct algorithms.
//
// The batch is cut into chunks, and the chunks are distributed over lanes: lane l processes the
// chunks l, l + lanes, ... in turn, with its own buffers. Both numbers follow only from the sizes.
// The features of a few images are cut, too: a chunk is then a part of the features of an image.
// Tensors are plain outside; a lane converts each chunk to the layout that oneDNN prefers while it
// is in the cache.

/// How a pass cuts its batch.
struct BatchCut {
    int64_t images = 1;  ///< of a chunk; divides the batch
    int64_t chunks = 1;
    int64_t lanes = 1;
};

/// An array as the caller has it and as oneDNN wants it.
class ConvOperand {
public:
    enum class Flow { In, Out };

    ConvOperand() = default;
    ConvOperand(const dnnl::engine& engine, Flow flow, const dnnl::memory::desc& given,
                const dnnl::memory::desc& wanted, ScratchLayout& scratch);

    /// The address that the primitive uses for the array at `plain`.
    const void* address(const void* plain, const std::byte* scratch) const;
    /// In: copies into oneDNN's layout, before the primitive; Out: back, after it.
    void convert(const void* plain, const std::byte* scratch) const;

private:
    std::optional<OneDnnCall> reorder_;
    Flow flow_ = Flow::In;
    size_t buffer_ = 0;
    size_t scratchpad_ = 0;
};

/// Weights, which all lanes share: converted in parts, on all threads.
class ConvWeights {
public:
    using Flow = ConvOperand::Flow;

    ConvWeights() = default;
    ConvWeights(const dnnl::engine& engine, Flow flow, const dnnl::memory::desc& given,
                const dnnl::memory::desc& wanted, ScratchLayout& scratch);

    bool isConverted() const { return !parts_.empty(); }
    size_t bytes() const { return bytes_; }  ///< in oneDNN's layout
    const void* address(const void* plain, const std::byte* scratch) const {
        return isConverted() ? scratch + buffer_ : plain;
    }
    /// In: from `plain` to `converted`; Out: the other way.
    void convert(ThreadPool& pool, const void* plain, const void* converted,
                 const std::byte* scratch) const;

private:
    struct Part {
        OneDnnCall reorder;
        size_t scratchpad = 0;
    };
    void addPart(const dnnl::engine& engine, const dnnl::memory::desc& plain,
                 const dnnl::memory::desc& converted, ScratchLayout& scratch);

    std::vector<Part> parts_;
    Flow flow_ = Flow::In;
    size_t bytes_ = 0;
    size_t buffer_ = 0;
};

/// From images to features (forward) or from features to images (backward data, and the transposed
/// convolution).
class OneDnnDataPass final : public ConvDataPass {
public:
    /// Throws: Error(Unsupported) if oneDNN does not support the form.
    OneDnnDataPass(const ConvGeometry& geometry, Direction direction, bool hasBias, ConvForm form);

    void run(ThreadPool& pool, const void* from, const void* weights, const float* bias, float* to,
             std::byte* scratch, const RangeFunction& finished) const override;

private:
    struct Lane {
        ConvOperand from;
        ConvOperand to;
        size_t scratchpad = 0;
        OneDnnCall call;
    };
    /// Returns: false if computing the features in parts does not pay.
    bool prepareForward(const ConvGeometry& chunk, const ConvForm& form);
    void prepareBackward(const ConvGeometry& chunk, const ConvForm& form);
    void addWeights(const dnnl::engine& engine, const ConvGeometry& chunk, OneDnnType factors,
                    const dnnl::memory::desc& wanted);
    void addLane(const dnnl::engine& engine, const dnnl::memory::desc& givenFrom,
                 const dnnl::memory::desc& givenTo, const dnnl::memory::desc& from,
                 const dnnl::memory::desc& weights, const dnnl::memory::desc& to,
                 const dnnl::memory::desc& scratchpad, const dnnl::primitive& primitive);
    static constexpr int64_t kMaxParts = 8;  ///< of the features of an image

    /// For each part of the features.
    using PreparedWeights = std::array<const void*, kMaxParts>;
    PreparedWeights preparedWeights(ThreadPool& pool, const void* weights,
                                    std::byte* scratch) const;
    void runChunk(const Lane& lane, const void* from, const void* weights, const float* bias,
                  float* to, std::byte* scratch) const;

    BatchCut cut_;
    int64_t parts_ = 1;            ///< of an image's features, in consecutive chunks
    bool partsShareImage_ = true;  ///< they do not belong to different groups of channels
    size_t fromBytes_ = 0;         ///< of a chunk
    int64_t toElements_ = 0;
    int64_t toChannels_ = 0;
    bool isForward_;
    bool hasBias_;
    bool weightsAreConstant_;
    FilledOnce constantWeights_;        ///< in oneDNN's layout
    size_t weightBytes_ = 0;            ///< of a part, as the caller has them
    std::vector<ConvWeights> weights_;  ///< of each part
    std::vector<Lane> lanes_;
};

/// Gradient of the weights from images and features: each lane sums its chunks, then the lanes are
/// summed in order.
class OneDnnWeightsPass final : public ConvWeightsPass {
public:
    /// Throws: Error(Unsupported) if oneDNN does not support the form.
    OneDnnWeightsPass(const ConvGeometry& geometry, ConvForm form);

    void run(ThreadPool& pool, const void* images, const void* features, float* weights,
             std::byte* scratch) const override;

private:
    struct Lane {
        ConvOperand image;
        ConvOperand features;
        size_t sum = 0;   ///< in scratch: of the chunks so far
        size_t part = 0;  ///< of the current chunk
        size_t scratchpad = 0;
        OneDnnCall call;
    };
    void runLane(int64_t lane, const void* images, const void* features, std::byte* scratch) const;
    void sumLanes(ThreadPool& pool, float* sum, std::byte* scratch) const;

    BatchCut cut_;
    size_t imageBytes_ = 0;  ///< of a chunk
    size_t featureBytes_ = 0;
    int64_t weightElements_ = 0;  ///< in oneDNN's layout, with its padding
    ConvWeights weights_;
    std::vector<Lane> lanes_;
};

}  // namespace temper
