// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/onednn_passes_cpu.h"

#include <algorithm>
#include <bit>

#include "engine/ops/simd_cpu.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

constexpr int64_t kMaxLanes = 16;
constexpr int64_t kCacheBytes = 1 << 20;          // a chunk of activations that stays in the cache
constexpr int64_t kWeightCopiesBytes = 40 << 20;  // sums of weight gradients, one per lane
constexpr int64_t kSumGrain = 1 << 14;
constexpr int64_t kMaxWeightParts = 8;
constexpr int64_t kWorthParts = 1 << 18;  ///< bytes of weights

int64_t largestDivisorUpTo(int64_t number, int64_t limit) {
    int64_t divisor = std::clamp<int64_t>(limit, 1, number);
    while (number % divisor != 0) --divisor;
    return divisor;
}

int64_t bytesOf(const Shape& shape) { return numElements(shape) * int64_t{sizeof(float)}; }

/// Few images per chunk keep them in the cache; more amortise reading the weights.
BatchCut cutBatch(const ConvGeometry& g, int64_t chunkBytes, int64_t mostLanes) {
    const int64_t imageBytes =
        std::max<int64_t>((bytesOf(g.imageShape()) + bytesOf(g.featureShape())) / g.batch, 1);
    const int64_t fair = std::max<int64_t>(g.batch / mostLanes, 1);
    const int64_t wanted = std::clamp<int64_t>(chunkBytes / imageBytes, 1, fair);
    BatchCut cut;
    cut.images = largestDivisorUpTo(g.batch, wanted);
    cut.chunks = g.batch / cut.images;
    cut.lanes = std::min(cut.chunks, mostLanes);
    return cut;
}

/// Each chunk reads all the weights: fewer lanes if the cache does not hold them.
BatchCut cutForData(const ConvGeometry& geometry) {
    const int64_t weightBytes = bytesOf(geometry.weightShape());
    const int64_t lanes = weightBytes > kCacheBytes ? kMaxLanes / 2 : kMaxLanes;
    return cutBatch(geometry, std::max(kCacheBytes, weightBytes), lanes);
}

ConvGeometry withBatch(ConvGeometry geometry, int64_t batch) {
    geometry.batch = batch;
    return geometry;
}

Shape weightDims(const ConvGeometry& g) {
    Shape shape = g.weightShape();
    if (g.group == 1) return shape;
    shape[0] /= g.group;
    shape.insert(shape.begin(), g.group);
    return shape;
}

/// A convolution of `geometry` in oneDNN's terms.
OneDnnConvolution describedToOneDnn(const ConvGeometry& g, OneDnnType factors) {
    OneDnnConvolution convolution{g.imageShape(), weightDims(g), g.featureShape(), factors};
    for (const WindowAxis& axis : g.axes) {
        convolution.strides.push_back(axis.stride);
        convolution.dilations.push_back(axis.dilation - 1);
        convolution.padBegin.push_back(axis.padBegin);
        convolution.padEnd.push_back(axis.padEnd);
    }
    return convolution;
}

dnnl::engine cpuEngine() { return {dnnl::engine::kind::cpu, 0}; }

OneDnnType factorsOf(const ConvForm& form) {
    return form.isNarrow ? OneDnnType::bf16 : OneDnnType::f32;
}

dnnl::memory::desc givenDesc(const Shape& shape, bool isBlocked, OneDnnType type) {
    static_assert(kChannelBlock == 16);
    if (!isBlocked) return plainDesc(shape, type);
    return {shape, type, dnnl::memory::format_tag::nChw16c};
}

const void* at(const void* array, size_t bytes) {
    return static_cast<const std::byte*>(array) + bytes;
}

std::string describe(const ConvGeometry& g) {
    return "a convolution of " + formatShape(g.imageShape()) + " with " +
           formatShape(g.weightShape());
}

}  // namespace

// ConvOperand

ConvOperand::ConvOperand(const dnnl::engine& engine, Flow flow, const dnnl::memory::desc& given,
                         const dnnl::memory::desc& wanted, ScratchLayout& scratch)
    : flow_(flow) {
    if (given == wanted) return;
    reorder_ =
        flow == Flow::In ? makeReorder(engine, given, wanted) : makeReorder(engine, wanted, given);
    buffer_ = scratch.add(wanted.get_size());
    scratchpad_ = scratch.add(reorder_->scratchpadBytes());
}

const void* ConvOperand::address(const void* plain, const std::byte* scratch) const {
    return reorder_ ? scratch + buffer_ : plain;
}

void ConvOperand::convert(const void* plain, const std::byte* scratch) const {
    if (!reorder_) return;
    const void* buffer = scratch + buffer_;
    const bool isIn = flow_ == Flow::In;
    reorder_->execute({isIn ? plain : buffer, isIn ? buffer : plain, scratch + scratchpad_});
}

// ConvWeights

namespace {

/// The extent of the parts of the outermost dimension: whole blocks of it, or all.
int64_t partExtent(const dnnl::memory::desc& weights) {
    const int64_t extent = dimsOf(weights)[0];
    if (static_cast<int64_t>(weights.get_size()) < kWorthParts) return extent;
    for (int64_t parts = kMaxWeightParts; parts > 1; --parts) {
        if (extent % (parts * kChannelBlock) == 0) return extent / parts;
    }
    return extent;
}

}  // namespace

ConvWeights::ConvWeights(const dnnl::engine& engine, Flow flow, const dnnl::memory::desc& given,
                         const dnnl::memory::desc& wanted, ScratchLayout& scratch)
    : flow_(flow), bytes_(wanted.get_size()) {
    if (given == wanted) return;
    buffer_ = scratch.add(bytes_);
    try {
        dnnl::memory::dims part = dimsOf(given), offset(part.size(), 0);
        const int64_t extent = part[0];
        for (part[0] = partExtent(wanted); offset[0] < extent; offset[0] += part[0]) {
            addPart(engine, given.submemory_desc(part, offset), wanted.submemory_desc(part, offset),
                    scratch);
        }
    } catch (const dnnl::error&) {  // a layout that cannot be split
        parts_.clear();
        addPart(engine, given, wanted, scratch);
    }
}

void ConvWeights::addPart(const dnnl::engine& engine, const dnnl::memory::desc& plain,
                          const dnnl::memory::desc& converted, ScratchLayout& scratch) {
    const bool isIn = flow_ == Flow::In;
    Part part{makeReorder(engine, isIn ? plain : converted, isIn ? converted : plain)};
    part.scratchpad = scratch.add(part.reorder.scratchpadBytes());
    parts_.push_back(std::move(part));
}

void ConvWeights::convert(ThreadPool& pool, const void* plain, const void* converted,
                          const std::byte* scratch) const {
    const bool isIn = flow_ == Flow::In;
    pool.forEach(static_cast<int64_t>(parts_.size()), [&](int64_t i) {
        const Part& part = parts_[static_cast<size_t>(i)];
        part.reorder.execute(
            {isIn ? plain : converted, isIn ? converted : plain, scratch + part.scratchpad});
    });
}

// OneDnnDataPass

namespace {

/// The number of parts into which features are cut, so that a few images occupy several threads.
/// Groups of channels are not cut, nor blocks of them.
int64_t partsOfFeatures(const ConvGeometry& g, int64_t most) {
    constexpr int64_t kWorthFlops = 1 << 22, kMinFeatures = 2 * kChannelBlock;
    const auto canCut = [&](int64_t parts) {
        const bool keepsGroups =
            g.group == 1 || (g.group % parts == 0 && g.channels % (parts * kChannelBlock) == 0);
        return keepsGroups && g.features % (parts * kMinFeatures) == 0;
    };
    int64_t parts = 1;
    while (2 * parts * g.batch <= most && canCut(2 * parts) &&
           g.flops() >= 2 * parts * g.batch * kWorthFlops)
        parts *= 2;
    return parts;
}

ConvGeometry partOf(ConvGeometry g, int64_t parts) {
    g.features /= parts;
    if (g.group == 1) return g;
    g.group /= parts;
    g.channels /= parts;
    return g;
}

}  // namespace

OneDnnDataPass::OneDnnDataPass(const ConvGeometry& geometry, Direction direction, bool hasBias,
                               ConvForm form)
    : cut_(cutForData(geometry)),
      partsShareImage_(geometry.group == 1),
      isForward_(direction == Direction::Forward),
      hasBias_(hasBias),
      weightsAreConstant_(form.weightsAreConstant) {
    const SerialOneDnn serial;
    translatingOneDnnErrors(describe(geometry), [&] {
        if (!isForward_) return prepareBackward(withBatch(geometry, cut_.images), form);
        parts_ = partsOfFeatures(geometry, kMaxParts);
        if (!prepareForward(partOf(withBatch(geometry, cut_.images), parts_), form)) {
            parts_ = 1;
            prepareForward(withBatch(geometry, cut_.images), form);
        }
    });
}

bool OneDnnDataPass::prepareForward(const ConvGeometry& chunk, const ConvForm& form) {
    const OneDnnType factors = factorsOf(form);
    const dnnl::engine engine = cpuEngine();
    const auto pd = describedToOneDnn(chunk, factors).forward(engine, hasBias_);
    const auto image = givenDesc(chunk.imageShape(), form.imagesBlocked, factors);
    // Each part would convert the image again.
    if (parts_ > 1 && partsShareImage_ && image != pd.src_desc()) return false;
    cut_.chunks *= parts_;
    if (parts_ > 1) cut_.lanes = cut_.chunks;
    addWeights(engine, chunk, factors, pd.weights_desc());
    const auto features = givenDesc(chunk.featureShape(), form.featuresBlocked, OneDnnType::f32);
    const dnnl::convolution_forward primitive(pd);
    for (int64_t i = 0; i < cut_.lanes; ++i)
        addLane(engine, image, features, pd.src_desc(), pd.weights_desc(), pd.dst_desc(),
                pd.scratchpad_desc(), primitive);
    return true;
}

void OneDnnDataPass::prepareBackward(const ConvGeometry& chunk, const ConvForm& form) {
    const OneDnnType factors = factorsOf(form);
    const dnnl::engine engine = cpuEngine();
    const auto pd = describedToOneDnn(chunk, factors).backwardData(engine);
    addWeights(engine, chunk, factors, pd.weights_desc());
    const auto features = givenDesc(chunk.featureShape(), form.featuresBlocked, factors);
    const auto image = givenDesc(chunk.imageShape(), form.imagesBlocked, OneDnnType::f32);
    const dnnl::convolution_backward_data primitive(pd);
    for (int64_t i = 0; i < cut_.lanes; ++i)
        addLane(engine, features, image, pd.diff_dst_desc(), pd.weights_desc(), pd.diff_src_desc(),
                pd.scratchpad_desc(), primitive);
}

void OneDnnDataPass::addWeights(const dnnl::engine& engine, const ConvGeometry& chunk,
                                OneDnnType factors, const dnnl::memory::desc& wanted) {
    const auto given = plainDesc(weightDims(chunk), factors);
    weightBytes_ = given.get_size();
    for (int64_t part = 0; part < parts_; ++part)
        weights_.emplace_back(engine, ConvWeights::Flow::In, given, wanted, scratch_);
}

void OneDnnDataPass::addLane(const dnnl::engine& engine, const dnnl::memory::desc& givenFrom,
                             const dnnl::memory::desc& givenTo, const dnnl::memory::desc& from,
                             const dnnl::memory::desc& weights, const dnnl::memory::desc& to,
                             const dnnl::memory::desc& scratchpad,
                             const dnnl::primitive& primitive) {
    fromBytes_ = givenFrom.get_size();
    toElements_ = numElements(dimsOf(givenTo));
    toChannels_ = dimsOf(givenTo)[1];
    std::vector<OneDnnCall::Argument> arguments = {
        {isForward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, from},
        {DNNL_ARG_WEIGHTS, weights},
        {isForward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, to},
        {DNNL_ARG_SCRATCHPAD, scratchpad}};
    if (hasBias_) {
        arguments.push_back({DNNL_ARG_BIAS, plainDesc({toChannels_})});
    }
    using Flow = ConvOperand::Flow;
    Lane lane{{engine, Flow::In, givenFrom, from, scratch_},
              {engine, Flow::Out, givenTo, to, scratch_},
              scratch_.add(scratchpad.get_size()),
              {engine, primitive, arguments}};
    lanes_.push_back(std::move(lane));
}

void OneDnnDataPass::runChunk(const Lane& lane, const void* from, const void* weights,
                              const float* bias, float* to, std::byte* scratch) const {
    lane.from.convert(from, scratch);
    const void *source = lane.from.address(from, scratch), *target = lane.to.address(to, scratch);
    const void* scratchpad = scratch + lane.scratchpad;
    if (hasBias_) {
        lane.call.execute({source, weights, target, scratchpad, bias});
    } else {
        lane.call.execute({source, weights, target, scratchpad});
    }
    lane.to.convert(to, scratch);
}

OneDnnDataPass::PreparedWeights OneDnnDataPass::preparedWeights(ThreadPool& pool,
                                                                const void* weights,
                                                                std::byte* scratch) const {
    PreparedWeights prepared{};
    const auto convert = [&](std::byte* constants) {
        for (size_t part = 0; part < weights_.size(); ++part) {
            const ConvWeights& own = weights_[part];
            const void* given = at(weights, part * weightBytes_);
            prepared[part] =
                constants == nullptr ? own.address(given, scratch) : constants + part * own.bytes();
            own.convert(pool, given, prepared[part], scratch);
        }
    };
    if (!weightsAreConstant_ || !weights_.front().isConverted()) {
        convert(nullptr);
        return prepared;
    }
    const size_t bytes = weights_.front().bytes();
    const std::byte* constants = constantWeights_.get(weights_.size() * bytes, convert);
    for (size_t part = 0; part < weights_.size(); ++part) prepared[part] = constants + part * bytes;
    return prepared;
}

void OneDnnDataPass::run(ThreadPool& pool, const void* from, const void* weights, const float* bias,
                         float* to, std::byte* scratch, const RangeFunction& finished) const {
    const PreparedWeights prepared = preparedWeights(pool, weights, scratch);
    pool.forEach(cut_.lanes, [&](int64_t lane) {
        for (int64_t chunk = lane; chunk < cut_.chunks; chunk += cut_.lanes) {
            const int64_t part = chunk % parts_, source = partsShareImage_ ? chunk / parts_ : chunk;
            runChunk(lanes_[static_cast<size_t>(lane)],
                     at(from, static_cast<size_t>(source) * fromBytes_),
                     prepared[static_cast<size_t>(part)],
                     bias == nullptr ? nullptr : bias + part * toChannels_,
                     to + chunk * toElements_, scratch);
            finished(chunk * toElements_, (chunk + 1) * toElements_);
        }
    });
}

// OneDnnWeightsPass

namespace {

BatchCut cutForWeights(const ConvGeometry& geometry) {
    const int64_t weightBytes = std::max<int64_t>(bytesOf(geometry.weightShape()), 1);
    // Powers of two divide batches evenly, so that no lane has a chunk more than another.
    const auto copies =
        static_cast<uint64_t>(std::clamp<int64_t>(kWeightCopiesBytes / weightBytes, 2, kMaxLanes));
    const auto lanes = static_cast<int64_t>(std::bit_floor(copies));
    return cutBatch(geometry, std::max(8 * kCacheBytes, 4 * weightBytes), lanes);
}

void addTo(float* sum, const float* part, int64_t count) { simd::add({sum}, {part}, sum, count); }

}  // namespace

OneDnnWeightsPass::OneDnnWeightsPass(const ConvGeometry& geometry, ConvForm form)
    : cut_(cutForWeights(geometry)) {
    const SerialOneDnn serial;
    const ConvGeometry chunk = withBatch(geometry, cut_.images);
    const OneDnnType factors = factorsOf(form);
    const auto image = givenDesc(chunk.imageShape(), form.imagesBlocked, factors);
    const auto features = givenDesc(chunk.featureShape(), form.featuresBlocked, factors);
    imageBytes_ = image.get_size();
    featureBytes_ = features.get_size();
    const dnnl::engine engine = cpuEngine();
    translatingOneDnnErrors(describe(geometry), [&] {
        const auto pd = describedToOneDnn(chunk, factors).backwardWeights(engine);
        const dnnl::convolution_backward_weights primitive(pd);
        const dnnl::memory::desc weights = pd.diff_weights_desc();
        weightElements_ = static_cast<int64_t>(weights.get_size() / sizeof(float));
        const std::vector<OneDnnCall::Argument> arguments = {
            {DNNL_ARG_SRC, pd.src_desc()},
            {DNNL_ARG_DIFF_DST, pd.diff_dst_desc()},
            {DNNL_ARG_DIFF_WEIGHTS, weights},
            {DNNL_ARG_SCRATCHPAD, pd.scratchpad_desc()}};
        using Flow = ConvOperand::Flow;
        weights_ = {engine, Flow::Out, plainDesc(weightDims(geometry)), weights, scratch_};
        for (int64_t i = 0; i < cut_.lanes; ++i) {
            const bool hasSecondChunk = i + cut_.lanes < cut_.chunks;
            Lane lane{{engine, Flow::In, image, pd.src_desc(), scratch_},
                      {engine, Flow::In, features, pd.diff_dst_desc(), scratch_},
                      scratch_.add(weights.get_size()),
                      hasSecondChunk ? scratch_.add(weights.get_size()) : 0,
                      scratch_.add(pd.scratchpad_desc().get_size()),
                      {engine, primitive, arguments}};
            lanes_.push_back(std::move(lane));
        }
    });
}

void OneDnnWeightsPass::runLane(int64_t index, const void* images, const void* features,
                                std::byte* scratch) const {
    const Lane& lane = lanes_[static_cast<size_t>(index)];
    for (int64_t chunk = index; chunk < cut_.chunks; chunk += cut_.lanes) {
        const void* image = at(images, static_cast<size_t>(chunk) * imageBytes_);
        const void* feature = at(features, static_cast<size_t>(chunk) * featureBytes_);
        lane.image.convert(image, scratch);
        lane.features.convert(feature, scratch);
        const bool isFirst = chunk == index;
        std::byte* target = scratch + (isFirst ? lane.sum : lane.part);
        lane.call.execute({lane.image.address(image, scratch),
                           lane.features.address(feature, scratch), target,
                           scratch + lane.scratchpad});
        if (isFirst) continue;
        addTo(reinterpret_cast<float*>(scratch + lane.sum), reinterpret_cast<float*>(target),
              weightElements_);
    }
}

void OneDnnWeightsPass::sumLanes(ThreadPool& pool, float* sum, std::byte* scratch) const {
    pool.forRanges(weightElements_, kSumGrain, [&](int64_t begin, int64_t end) {
        const auto at = [&](const Lane& lane) {
            return reinterpret_cast<const float*>(scratch + lane.sum) + begin;
        };
        std::copy_n(at(lanes_.front()), end - begin, sum + begin);
        for (size_t i = 1; i < lanes_.size(); ++i) addTo(sum + begin, at(lanes_[i]), end - begin);
    });
}

void OneDnnWeightsPass::run(ThreadPool& pool, const void* images, const void* features,
                            float* weights, std::byte* scratch) const {
    pool.forEach(cut_.lanes, [&](int64_t lane) { runLane(lane, images, features, scratch); });
    const void* sum = weights_.address(weights, scratch);
    sumLanes(pool, static_cast<float*>(const_cast<void*>(sum)), scratch);
    weights_.convert(pool, weights, sum, scratch);
}

}  // namespace temper
