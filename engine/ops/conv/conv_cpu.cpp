// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "engine/ops/channel_blocks_cpu.h"
#include "engine/ops/conv/conv.h"
#include "engine/ops/conv/conv_direct.h"
#include "engine/ops/conv/conv_passes_cpu.h"
#include "engine/ops/conv/winograd/passes_cpu.h"
#include "engine/ops/narrow_product_cpu.h"
#include "engine/ops/simd_cpu.h"
#include "engine/ops/visit_types_cpu.h"
#include "engine/runtime/cpu/bfloat16_conversion.h"
#include "engine/runtime/cpu/sums.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

using DataDirection = ConvDataPass::Direction;

/// The passes of these inputs; algorithm and layouts are left to choose.
ConvForm requireForm(const PrepareContext& context, const ConvGeometry& geometry) {
    const DType dtype = context.input(0).dtype;
    const ConvForm form{.isNarrow = multipliesNarrow(context)};
    if (!form.isNarrow) visitFloating(context, dtype, []<typename T>() {});
    const bool isGradient = context.node().opType() == "ConvGrad";
    for (size_t i = 1; i < context.inputCount(); ++i) {
        const bool isBias = i == 2 && !isGradient;
        if (context.hasInput(i)) context.requireDType(i, isBias ? context.output(0).dtype : dtype);
    }
    if (geometry.axes.size() <= 3) return form;
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
    if (dtype == DType::Float64 || isEmpty(geometry)) return nullptr;
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

/// y[n, c, ...] += bias[c] for the elements [begin, end); a channel has `size` of an image.
template <typename T>
void addBias(T* y, const T* bias, int64_t channels, int64_t size, int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end;) {
        const int64_t plane = at / size, stop = std::min((plane + 1) * size, end);
        for (const T value = bias[plane % channels]; at < stop; ++at) y[at] += value;
    }
}

/// The same for images in blocks of channels; whole pixels.
void addBlockedBias(float* y, const float* bias, int64_t channels, int64_t size, int64_t begin,
                    int64_t end) {
    const int64_t blockSize = size * kChannelBlock;
    for (int64_t at = begin; at < end;) {
        const int64_t block = at / blockSize, stop = std::min((block + 1) * blockSize, end);
        simd::ChannelValues values;
        std::copy_n(bias + block * kChannelBlock % channels, kChannelBlock, values.begin());
        simd::addToPixels(values, y + at, (stop - at) / kChannelBlock);
        at = stop;
    }
}

template <typename T>
void addBias(ThreadPool& pool, T* y, const T* bias, const Shape& shape) {
    const int64_t planes = shape[0] * shape[1];
    const int64_t size = planes == 0 ? 0 : numElements(shape) / planes;
    pool.forRanges(shape[0], 1, [&](int64_t begin, int64_t end) {
        addBias(y, bias, shape[1], size, begin * shape[1] * size, end * shape[1] * size);
    });
}

template <typename T>
double sumOfPlane(const T* plane, int64_t size) {
    return simd::sumInLanes(plane, size);
}
double sumOfPlane(const BFloat16* plane, int64_t size) {
    return sumOver<float>(size, [&](int64_t i) { return floatFromBFloat16(plane[i].bits); });
}

/// db[c] = sum of dy[n, c, ...] over n and the spatial dimensions. oneDNN's gradient of the weights
/// could add it, but reads dy a second time as well, and sums in single precision.
template <typename T, typename Sum>
void sumChannels(ThreadPool& pool, const T* dy, Sum* db, const Shape& shape) {
    const int64_t batch = shape[0], channels = shape[1];
    const int64_t size = batch * channels == 0 ? 0 : numElements(shape) / (batch * channels);
    pool.forRanges(channels, 1 + (1 << 14) / (batch * size + 1), [&](int64_t begin, int64_t end) {
        for (int64_t channel = begin; channel < end; ++channel) {
            double total = 0;
            for (int64_t n = 0; n < batch; ++n) {
                total += sumOfPlane(dy + (n * channels + channel) * size, size);
            }
            db[channel] = static_cast<Sum>(total);
        }
    });
}

simd::ChannelSums sumsOfPixels(const float* x, int64_t pixels) {
    return simd::sumsOfPixels(x, pixels);
}

simd::ChannelSums sumsOfPixels(const BFloat16* x, int64_t pixels) {
    constexpr int64_t kPart = SumOrder::kBlock;  // as in planes
    std::array<float, kPart * kChannelBlock> numbers;
    simd::ChannelSums totals{};
    for (int64_t begin = 0; begin < pixels; begin += kPart) {
        const int64_t count = std::min(kPart, pixels - begin);
        simd::fromBFloat16(x + begin * kChannelBlock, numbers.data(), count * kChannelBlock);
        simd::addTo(totals, simd::sumsOfPixels(numbers.data(), count));
    }
    return totals;
}

/// The same for images in blocks of channels.
template <typename T>
void sumBlockedChannels(ThreadPool& pool, const T* dy, float* db, const Shape& shape) {
    const int64_t batch = shape[0], channels = shape[1];
    const int64_t size = numElements(shape) / (batch * channels);
    pool.forEach(channels / kChannelBlock, [&](int64_t block) {
        simd::ChannelSums totals{};
        for (int64_t n = 0; n < batch; ++n) {
            const int64_t plane = (n * channels + block * kChannelBlock) * size;
            simd::addTo(totals, sumsOfPixels(dy + plane, size));
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
            pass->run(c.pool(), c.in<void>(0), c.in<void>(1), bias, c.out<float>(0), c.scratch(),
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
BlockableKernel::Maker winogradMaker(const ConvGeometry& geometry, const ConvForm& form,
                                     Make make) {
    if (form.isNarrow || !suitsWinograd(geometry)) return {};
    return make(ConvAlgorithm::Winograd);
}

std::unique_ptr<Kernel> prepareConv(const PrepareContext& context) {
    const auto geometry =
        ConvGeometry::of(context.node(), context.input(0).shape, context.input(1).shape);
    ConvForm form = requireForm(context, geometry);
    form.weightsAreConstant = context.constant(1) != nullptr;
    const DType dtype = context.input(0).dtype;
    const bool hasBias = context.hasInput(2);
    if (prepareDataPass(dtype, geometry, DataDirection::Forward, hasBias, form)) {
        const auto make = [=](ConvAlgorithm algorithm) {
            return [=](BlockedOperands blocked) {
                return convKernel(
                    geometry, hasBias,
                    makeDataPass(geometry, DataDirection::Forward, hasBias,
                                 form.with(blocked.hasInput(0), blocked.hasOutput(0), algorithm)));
            };
        };
        return makeBlockable(context, blockableOf(context, {0b1, 0b1}), false,
                             make(ConvAlgorithm::Direct), winogradMaker(geometry, form, make));
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
                if (hasBias && imagesBlocked)
                    addBlockedBias(y, c.in<float>(2), channels, size, begin, end);
                if (hasBias && !imagesBlocked)
                    addBias(y, c.in<float>(2), channels, size, begin, end);
                c.finished(begin, end);
            };
            pass->run(c.pool(), c.in<void>(0), c.in<void>(1), nullptr, y, c.scratch(),
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
    ConvForm form = requireForm(context, geometry);
    form.weightsAreConstant = context.constant(1) != nullptr;
    const DType dtype = context.input(0).dtype;
    const bool hasBias = context.hasInput(2);
    const auto passOf = [=](const ConvForm& wanted) {
        return prepareDataPass(dtype, geometry, DataDirection::Backward, false, wanted);
    };
    if (!passOf(form)) {
        return visitFloating(context, dtype, [&]<typename T>() {
            return directTransposeKernel<T>(geometry, hasBias);
        });
    }
    const auto make = [=](ConvAlgorithm algorithm) {
        return [=](BlockedOperands blocked) {
            const bool imagesBlocked = blocked.hasOutput(0);
            return transposeKernel(geometry, hasBias,
                                   passOf(form.with(imagesBlocked, blocked.hasInput(0), algorithm)),
                                   imagesBlocked);
        };
    };
    return makeBlockable(context, blockableOf(context, {0b1, 0b1}), false,
                         make(ConvAlgorithm::Direct), winogradMaker(geometry, form, make));
}

/// The gradients of a convolution that are wanted; null passes use the plain definition.
struct ConvGradParts {
    ConvGeometry geometry;
    bool wantsImage = false;
    bool wantsWeights = false;
    bool wantsBias = false;
    ConvForm form;
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

/// T: of the factors.
template <typename T>
std::unique_ptr<Kernel> convGradKernel(ConvGradParts parts) {
    using Result = std::conditional_t<std::is_same_v<T, BFloat16>, float, T>;
    KernelTraits traits{.scratchBytes = parts.scratchBytes(), .flops = parts.flops()};
    const KernelCapabilities can{.finishesParts = parts.imagePass != nullptr};
    Shape features = parts.geometry.featureShape();
    const DirectConv conv(parts.geometry);
    auto run = [parts = std::move(parts), features = std::move(features),
                conv](const RunContext& c) {
        const T *dy = c.in<T>(0), *x = c.in<T>(1), *w = c.in<T>(2);
        if constexpr (std::is_same_v<Result, float>) {
            const auto finished = [&](int64_t begin, int64_t end) { c.finished(begin, end); };
            if (parts.imagePass)
                parts.imagePass->run(c.pool(), dy, w, nullptr, c.out<float>(0), c.scratch(),
                                     RangeFunction(finished));
            if (parts.weightsPass)
                parts.weightsPass->run(c.pool(), x, dy, c.out<float>(1), c.scratch());
            if (parts.wantsBias && parts.form.featuresBlocked)
                sumBlockedChannels(c.pool(), dy, c.out<float>(2), features);
        }
        if constexpr (std::is_same_v<Result, T>) {
            if (parts.wantsImage && !parts.imagePass)
                convBackwardDataDirect(conv, dy, w, c.out<T>(0));
            if (parts.wantsWeights && !parts.weightsPass)
                convBackwardWeightsDirect(conv, x, dy, c.out<T>(1));
        }
        if (parts.wantsBias && !parts.form.featuresBlocked)
            sumChannels(c.pool(), dy, c.out<Result>(2), features);
    };
    return makeKernel(std::move(run), std::move(traits), can);
}

std::unique_ptr<Kernel> convGradKernel(ConvGradParts parts, DType dtype, BlockedOperands blocked,
                                       ConvAlgorithm algorithm) {
    const auto formOf = [&](bool imagesBlocked) {
        return parts.form.with(imagesBlocked, blocked.hasInput(0), algorithm);
    };
    if (parts.wantsImage) {
        parts.imagePass = prepareDataPass(dtype, parts.geometry, DataDirection::Backward, false,
                                          formOf(blocked.hasOutput(0)));
    }
    if (parts.wantsWeights)
        parts.weightsPass = prepareWeightsPass(dtype, parts.geometry, formOf(blocked.hasInput(1)));
    parts.form.featuresBlocked = blocked.hasInput(0);
    if (parts.form.isNarrow) return convGradKernel<BFloat16>(std::move(parts));
    return dtype == DType::Float64 ? convGradKernel<double>(std::move(parts))
                                   : convGradKernel<float>(std::move(parts));
}

std::unique_ptr<Kernel> prepareConvGrad(const PrepareContext& context) {
    ConvGradParts parts;
    parts.geometry =
        ConvGeometry::of(context.node(), context.input(1).shape, context.input(2).shape);
    parts.form = requireForm(context, parts.geometry);
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
        prepareWeightsPass(dtype, parts.geometry, parts.form) &&
        prepareDataPass(dtype, parts.geometry, DataDirection::Backward, false, parts.form);
    // If one of oneDNN's passes is missing, the plain definition reads plain images.
    if (!hasPasses && parts.form.isNarrow) failDType(context, dtype, "float32");
    if (!hasPasses) return direct({});
    return makeBlockable(context, blockableOf(context, {0b11, 0b1}), false, direct,
                         winogradMaker(parts.geometry, parts.form, make));
}

}  // namespace

void addConvCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "Conv", prepareConv);
    kernels.add(kOnnxDomain, "ConvTranspose", prepareConvTranspose);
    kernels.add(kMicrosoftDomain, "ConvGrad", prepareConvGrad);
}

}  // namespace temper
