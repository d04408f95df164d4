// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "engine/ops/channel_blocks_cpu.h"
#include "engine/ops/conv/conv.h"
#include "engine/ops/conv/conv_direct.h"
#include "engine/ops/conv/conv_passes_cpu.h"
#include "engine/ops/conv/winograd/passes_cpu.h"
#include "engine/ops/simd_cpu.h"
#include "engine/ops/visit_types_cpu.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

using DataDirection = ConvDataPass::Direction;

void requireForm(const PrepareContext& context, const ConvGeometry& geometry) {
    const DType dtype = context.input(0).dtype;
    visitFloating(context, dtype, []<typename T>() {});
    for (size_t i = 1; i < context.inputCount(); ++i) {
        if (context.hasInput(i)) context.requireDType(i, dtype);
    }
    if (geometry.axes.size() <= 3) return;
    context.fail(ErrorCode::Unsupported, "The images have " + std::to_string(geometry.axes.size()) +
                                             " spatial dimensions; expected at most 3.");
}

bool isEmpty(const ConvGeometry& geometry) {
    return numElements(geometry.imageShape()) == 0 || numElements(geometry.featureShape()) == 0 ||
           numElements(geometry.weightShape()) == 0;
}

/// `make()`, or null if the plain definition has to be used: double precision, tensors without
/// elements, forms that oneDNN refuses.
template <typename Make>
auto preparePass(DType dtype, const ConvGeometry& geometry, Make make) -> decltype(make()) {
    if (dtype != DType::Float32 || isEmpty(geometry)) return nullptr;
    try {
        return make();
    } catch (const Error& error) {
        if (error.code() != ErrorCode::Unsupported) throw;
        return nullptr;
    }
}

std::shared_ptr<const ConvDataPass> prepareDataPass(DType dtype, const ConvGeometry& geometry,
                                                    DataDirection direction, bool hasBias,
                                                    ConvForm form) {
    return preparePass(dtype, geometry,
                       [&] { return makeDataPass(geometry, direction, hasBias, form); });
}

std::shared_ptr<const ConvWeightsPass> prepareWeightsPass(DType dtype, const ConvGeometry& geometry,
                                                          ConvForm form) {
    return preparePass(dtype, geometry, [&] { return makeWeightsPass(geometry, form); });
}

/// y[n, c, ...] += bias[c] for some images.
template <typename T>
void addBias(T* y, const T* bias, int64_t planes, int64_t channels, int64_t size) {
    for (int64_t plane = 0; plane < planes; ++plane) {
        const T value = bias[plane % channels];
        for (int64_t i = plane * size; i < (plane + 1) * size; ++i) y[i] += value;
    }
}

/// The same for images in blocks of channels.
void addBlockedBias(float* y, const float* bias, int64_t planes, int64_t channels, int64_t size) {
    for (int64_t plane = 0; plane < planes; plane += kChannelBlock) {
        simd::ChannelValues values;
        std::copy_n(bias + plane % channels, kChannelBlock, values.begin());
        simd::addToPixels(values, y + plane * size, size);
    }
}

template <typename T>
void addBias(ThreadPool& pool, T* y, const T* bias, const Shape& shape) {
    const int64_t planes = shape[0] * shape[1];
    const int64_t size = planes == 0 ? 0 : numElements(shape) / planes;
    pool.forRanges(shape[0], 1, [&](int64_t begin, int64_t end) {
        addBias(y + begin * shape[1] * size, bias, (end - begin) * shape[1], shape[1], size);
    });
}

/// db[c] = sum of dy[n, c, ...] over n and the spatial dimensions.
template <typename T>
void sumChannels(ThreadPool& pool, const T* dy, T* db, const Shape& shape) {
    const int64_t batch = shape[0], channels = shape[1];
    const int64_t size = batch * channels == 0 ? 0 : numElements(shape) / (batch * channels);
    pool.forRanges(channels, 1 + (1 << 14) / (batch * size + 1), [&](int64_t begin, int64_t end) {
        for (int64_t channel = begin; channel < end; ++channel) {
            double total = 0;
            for (int64_t n = 0; n < batch; ++n) {
                total += simd::sumInLanes(dy + (n * channels + channel) * size, size);
            }
            db[channel] = static_cast<T>(total);
        }
    });
}

/// The same for images in blocks of channels.
void sumBlockedChannels(ThreadPool& pool, const float* dy, float* db, const Shape& shape) {
    const int64_t batch = shape[0], channels = shape[1];
    const int64_t size = numElements(shape) / (batch * channels);
    pool.forEach(channels / kChannelBlock, [&](int64_t block) {
        simd::ChannelSums totals{};
        for (int64_t n = 0; n < batch; ++n) {
            const int64_t plane = (n * channels + block * kChannelBlock) * size;
            simd::addTo(totals, simd::sumsOfPixels(dy + plane, size));
        }
        for (size_t c = 0; c < totals.size(); ++c)
            db[block * kChannelBlock + static_cast<int64_t>(c)] = static_cast<float>(totals[c]);
    });
}

std::unique_ptr<Kernel> convKernel(const ConvGeometry& geometry, bool hasBias,
                                   std::shared_ptr<const ConvDataPass> pass) {
    return makeKernel(
        [pass, hasBias](const RunContext& c) {
            const float* bias = hasBias ? c.in<float>(2) : nullptr;
            const auto finished = [&](int64_t begin, int64_t end) { c.finished(begin, end); };
            pass->run(c.pool(), c.in<float>(0), c.in<float>(1), bias, c.out<float>(0), c.scratch(),
                      RangeFunction(finished));
        },
        {.scratchBytes = pass->scratchBytes(), .flops = geometry.flops()}, {.finishesParts = true});
}

template <typename T>
std::unique_ptr<Kernel> directConvKernel(const ConvGeometry& geometry, bool hasBias) {
    return makeKernel(
        [conv = DirectConv(geometry), hasBias,
         features = geometry.featureShape()](const RunContext& c) {
            convForwardDirect(conv, c.pool(), c.in<T>(0), c.in<T>(1), c.out<T>(0));
            if (hasBias) addBias(c.pool(), c.out<T>(0), c.in<T>(2), features);
        },
        {.flops = geometry.flops()});
}

/// `make(algorithm)` for Winograd's, empty if that gains nothing.
template <typename Make>
BlockableKernel::Maker winogradMaker(const ConvGeometry& geometry, Make make) {
    if (!suitsWinograd(geometry)) return {};
    return make(ConvAlgorithm::Winograd);
}

std::unique_ptr<Kernel> prepareConv(const PrepareContext& context) {
    const auto geometry =
        ConvGeometry::of(context.node(), context.input(0).shape, context.input(1).shape);
    requireForm(context, geometry);
    const DType dtype = context.input(0).dtype;
    const bool hasBias = context.hasInput(2);
    const bool weightsAreConstant = context.constant(1) != nullptr;
    if (prepareDataPass(dtype, geometry, DataDirection::Forward, hasBias, {})) {
        const auto make = [=](ConvAlgorithm algorithm) {
            return [=](BlockedOperands blocked) {
                const ConvForm form{blocked.hasInput(0), blocked.hasOutput(0), algorithm,
                                    weightsAreConstant};
                return convKernel(geometry, hasBias,
                                  makeDataPass(geometry, DataDirection::Forward, hasBias, form));
            };
        };
        return makeBlockable(context, blockableOf(context, {0b1, 0b1}), false,
                             make(ConvAlgorithm::Direct), winogradMaker(geometry, make));
    }
    return visitFloating(context, dtype,
                         [&]<typename T>() { return directConvKernel<T>(geometry, hasBias); });
}

std::unique_ptr<Kernel> transposeKernel(const ConvGeometry& geometry, bool hasBias,
                                        std::shared_ptr<const ConvDataPass> pass,
                                        bool imagesBlocked) {
    const int64_t channels = geometry.channels;
    const int64_t size = numElements(geometry.imageShape()) / (geometry.batch * channels);
    const size_t scratchBytes = pass->scratchBytes();
    return makeKernel(
        [=](const RunContext& c) {
            float* y = c.out<float>(0);
            const auto finished = [&](int64_t begin, int64_t end) {
                const int64_t planes = (end - begin) / size;
                if (hasBias && imagesBlocked)
                    addBlockedBias(y + begin, c.in<float>(2), planes, channels, size);
                if (hasBias && !imagesBlocked)
                    addBias(y + begin, c.in<float>(2), planes, channels, size);
                c.finished(begin, end);
            };
            pass->run(c.pool(), c.in<float>(0), c.in<float>(1), nullptr, y, c.scratch(),
                      RangeFunction(finished));
        },
        {.scratchBytes = scratchBytes, .flops = geometry.flops()}, {.finishesParts = true});
}

template <typename T>
std::unique_ptr<Kernel> directTransposeKernel(const ConvGeometry& geometry, bool hasBias) {
    return makeKernel(
        [=, conv = DirectConv(geometry), image = geometry.imageShape()](const RunContext& c) {
            convBackwardDataDirect(conv, c.in<T>(0), c.in<T>(1), c.out<T>(0));
            if (hasBias) addBias(c.pool(), c.out<T>(0), c.in<T>(2), image);
        },
        {.flops = geometry.flops()});
}

std::unique_ptr<Kernel> prepareConvTranspose(const PrepareContext& context) {
    const auto geometry =
        ConvGeometry::ofTransposed(context.node(), context.input(0).shape, context.input(1).shape);
    requireForm(context, geometry);
    const DType dtype = context.input(0).dtype;
    const bool hasBias = context.hasInput(2);
    const auto passOf = [=](ConvForm form) {
        return prepareDataPass(dtype, geometry, DataDirection::Backward, false, form);
    };
    if (!passOf({})) {
        return visitFloating(context, dtype, [&]<typename T>() {
            return directTransposeKernel<T>(geometry, hasBias);
        });
    }
    const auto make = [=](ConvAlgorithm algorithm) {
        return [=](BlockedOperands blocked) {
            const bool imagesBlocked = blocked.hasOutput(0);
            return transposeKernel(geometry, hasBias,
                                   passOf({imagesBlocked, blocked.hasInput(0), algorithm}),
                                   imagesBlocked);
        };
    };
    return makeBlockable(context, blockableOf(context, {0b1, 0b1}), false,
                         make(ConvAlgorithm::Direct), winogradMaker(geometry, make));
}

/// The gradients of a convolution that are wanted; null passes use the plain definition.
struct ConvGradParts {
    ConvGeometry geometry;
    bool wantsImage = false;
    bool wantsWeights = false;
    bool wantsBias = false;
    bool featuresBlocked = false;
    std::shared_ptr<const ConvDataPass> imagePass;
    std::shared_ptr<const ConvWeightsPass> weightsPass;

    size_t scratchBytes() const {
        return std::max(imagePass ? imagePass->scratchBytes() : 0,
                        weightsPass ? weightsPass->scratchBytes() : 0);
    }
    int64_t flops() const {
        return (int64_t{wantsImage} + int64_t{wantsWeights}) * geometry.flops();
    }
};

template <typename T>
std::unique_ptr<Kernel> convGradKernel(ConvGradParts parts) {
    KernelTraits traits{.scratchBytes = parts.scratchBytes(), .flops = parts.flops()};
    const KernelCapabilities can{.finishesParts = parts.imagePass != nullptr};
    Shape features = parts.geometry.featureShape();
    const DirectConv conv(parts.geometry);
    auto run = [parts = std::move(parts), features = std::move(features),
                conv](const RunContext& c) {
        const T *dy = c.in<T>(0), *x = c.in<T>(1), *w = c.in<T>(2);
        if constexpr (std::is_same_v<T, float>) {
            const auto finished = [&](int64_t begin, int64_t end) { c.finished(begin, end); };
            if (parts.imagePass)
                parts.imagePass->run(c.pool(), dy, w, nullptr, c.out<T>(0), c.scratch(),
                                     RangeFunction(finished));
            if (parts.weightsPass)
                parts.weightsPass->run(c.pool(), x, dy, c.out<T>(1), c.scratch());
            if (parts.wantsBias && parts.featuresBlocked)
                sumBlockedChannels(c.pool(), dy, c.out<T>(2), features);
        }
        if (parts.wantsImage && !parts.imagePass) convBackwardDataDirect(conv, dy, w, c.out<T>(0));
        if (parts.wantsWeights && !parts.weightsPass)
            convBackwardWeightsDirect(conv, x, dy, c.out<T>(1));
        if (parts.wantsBias && !parts.featuresBlocked)
            sumChannels(c.pool(), dy, c.out<T>(2), features);
    };
    return makeKernel(std::move(run), std::move(traits), can);
}

std::unique_ptr<Kernel> convGradKernel(ConvGradParts parts, DType dtype, BlockedOperands blocked,
                                       ConvAlgorithm algorithm) {
    const bool featuresBlocked = parts.featuresBlocked = blocked.hasInput(0);
    if (parts.wantsImage) {
        const ConvForm form{blocked.hasOutput(0), featuresBlocked, algorithm};
        parts.imagePass =
            prepareDataPass(dtype, parts.geometry, DataDirection::Backward, false, form);
    }
    if (parts.wantsWeights) {
        const ConvForm form{blocked.hasInput(1), featuresBlocked, algorithm};
        parts.weightsPass = prepareWeightsPass(dtype, parts.geometry, form);
    }
    return dtype == DType::Float64 ? convGradKernel<double>(std::move(parts))
                                   : convGradKernel<float>(std::move(parts));
}

std::unique_ptr<Kernel> prepareConvGrad(const PrepareContext& context) {
    ConvGradParts parts;
    parts.geometry =
        ConvGeometry::of(context.node(), context.input(1).shape, context.input(2).shape);
    requireForm(context, parts.geometry);
    if (parts.geometry.featureShape() != context.input(0).shape) {
        context.fail(ErrorCode::InvalidInput,
                     "The gradient has the shape " + formatShape(context.input(0).shape) +
                         "; expected " + formatShape(parts.geometry.featureShape()) +
                         ", that of the convolution's output.");
    }
    const DType dtype = context.input(0).dtype;
    parts.wantsImage = context.hasOutput(0);
    parts.wantsWeights = context.hasOutput(1);
    parts.wantsBias = context.hasOutput(2);
    const auto make = [=](ConvAlgorithm algorithm) {
        return [=](BlockedOperands blocked) {
            return convGradKernel(parts, dtype, blocked, algorithm);
        };
    };
    const auto direct = make(ConvAlgorithm::Direct);
    const bool hasPasses =
        prepareWeightsPass(dtype, parts.geometry, {}) &&
        prepareDataPass(dtype, parts.geometry, DataDirection::Backward, false, {});
    // If one of oneDNN's passes is missing, the plain definition reads plain images.
    if (!hasPasses) return direct({});
    return makeBlockable(context, blockableOf(context, {0b11, 0b1}), false, direct,
                         winogradMaker(parts.geometry, make));
}

}  // namespace

void addConvCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "Conv", prepareConv);
    kernels.add(kOnnxDomain, "ConvTranspose", prepareConvTranspose);
    kernels.add(kMicrosoftDomain, "ConvGrad", prepareConvGrad);
}

}  // namespace temper
