// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "engine/core/counted.h"
#include "engine/ops/map_cpu.h"
#include "engine/ops/rearranging/rearranging.h"
#include "engine/ops/rearranging/rearranging_forms.h"
#include "engine/ops/shape/strided_copy.h"

namespace temper {
namespace {

// MaxUnpool: each value goes to its place in the output, everything else is 0.

/// Maps the elements of a tensor to a larger one of which it is the corner.
class Corner {
public:
    Corner(const Shape& inner, const Shape& outer)
        : inner_(inner), strides_(stridesOf(outer)), isAll_(inner == outer) {}

    int64_t size() const { return numElements(inner_); }
    int64_t place(int64_t element) const {
        if (isAll_) return element;
        int64_t place = 0;
        for (size_t axis = inner_.size(); axis-- > 0; element /= inner_[axis])
            place += element % inner_[axis] * strides_[axis];
        return place;
    }

private:
    Shape inner_;
    Shape strides_;
    bool isAll_;
};

/// The indices count in the shape that the attributes give, even if an input requests a larger one.
/// Source: ONNX, MaxUnpool.
Corner cornerOf(const PrepareContext& context) {
    const Shape& input = context.input(0).shape;
    const Shape& output = context.output(0).shape;
    Shape inner(input.begin(), input.begin() + 2);
    const SymbolicShape spatial = symbolicShape(Shape(input.begin() + 2, input.end()));
    for (const Dim& dim : unpooledSpatial(context.node(), spatial)) inner.push_back(dim.value);
    bool fits = inner.size() == output.size();
    for (size_t axis = 0; fits && axis < inner.size(); ++axis) fits = inner[axis] <= output[axis];
    if (fits) return {inner, output};
    context.fail(ErrorCode::InvalidInput,
                 "The output is declared with the shape " + formatShape(symbolicShape(output)) +
                     "; expected at least " + formatShape(symbolicShape(inner)) + ".",
                 "Correct kernel_shape, strides and pads, or the output's shape.");
}

template <typename T, typename Index>
std::unique_ptr<Kernel> makeTypedMaxUnpool(const PrepareContext& context) {
    const int64_t count = context.input(0).numElements();
    const int64_t total = context.output(0).numElements();
    if (context.input(1).numElements() != count) {
        context.fail(ErrorCode::InvalidInput, "The node has " + counted(count, "value") + " and " +
                                                  std::to_string(context.input(1).numElements()) +
                                                  " indices; expected equal numbers.");
    }
    return makeKernel([=, corner = cornerOf(context)](const RunContext& run) {
        const T* values = run.in<T>(0);
        const Index* places = run.in<Index>(1);
        T* output = run.out<T>(0);
        std::fill_n(output, total, T{});
        for (int64_t i = 0; i < count; ++i) {
            const auto place = static_cast<int64_t>(places[i]);
            if (place < 0 || place >= corner.size()) {
                throw Error(ErrorCode::InvalidInput, "Index " + std::to_string(place) +
                                                         " is outside " +
                                                         counted(corner.size(), "element") + ".");
            }
            output[corner.place(place)] = values[i];
        }
    });
}

std::unique_ptr<Kernel> makeMaxUnpool(const PrepareContext& context) {
    return visitNumeric(context, context.input(0).dtype, [&]<typename T>() {
        return visitIndex(context, context.input(1).dtype,
                          [&]<typename Index>() { return makeTypedMaxUnpool<T, Index>(context); });
    });
}

// Col2Im: blocks are summed where they overlap.

template <typename T>
std::unique_ptr<Kernel> makeTypedCol2Im(const PrepareContext& context) {
    const auto axes = columnBlocks(context.node(), context.integers(1), context.integers(2));
    const int64_t planes = context.output(0).shape[0] * context.output(0).shape[1];
    const int64_t size = planes == 0 ? 0 : context.output(0).numElements() / planes;
    return makeKernel([=, sources = columnSources(axes)](const RunContext& run) {
        const auto count = static_cast<int64_t>(sources.size());
        run.pool().forRanges(planes, 1 + kMapGrain / (count + 1), [&](int64_t begin, int64_t end) {
            for (int64_t plane = begin; plane < end; ++plane) {
                const T* columns = run.in<T>(0) + plane * count;
                T* image = run.out<T>(0) + plane * size;
                std::fill_n(image, size, T{});
                for (int64_t i = 0; i < count; ++i) {
                    const int64_t source = sources[static_cast<size_t>(i)];
                    if (source >= 0) image[source] = static_cast<T>(image[source] + columns[i]);
                }
            }
        });
    });
}

std::unique_ptr<Kernel> makeCol2Im(const PrepareContext& context) {
    return visitNumeric(context, context.input(0).dtype,
                        [&]<typename T>() { return makeTypedCol2Im<T>(context); });
}

// CenterCropPad

std::unique_ptr<Kernel> makeCenterCropPad(const PrepareContext& context) {
    const Shape& input = context.input(0).shape;
    const Shape& output = context.output(0).shape;
    if (input == output) return makeViewKernel();
    const size_t size = elementSize(context, 0);
    StridedView from{0, stridesOf(input)}, to{0, stridesOf(output)};
    Shape counts;
    for (size_t axis = 0; axis < input.size(); ++axis) {
        const CenterMargins margins = CenterMargins::of(input[axis], output[axis]);
        counts.push_back(std::min(input[axis], output[axis]));
        from.offset += from.strides[axis] * std::max<int64_t>(0, -margins.begin);
        to.offset += to.strides[axis] * std::max<int64_t>(0, margins.begin);
    }
    const StridedCopy copy(size, counts, from, to);
    const int64_t count = numElements(output);
    return makeKernel([=](const RunContext& run) {
        const std::array<std::byte, 16> zero{};
        fillElements(run.out<std::byte>(0), count, zero.data(), size, run.pool());
        copy.run(run.in<std::byte>(0), run.out<std::byte>(0), run.pool());
    });
}

}  // namespace

void addRearrangingKernels(KernelRegistry& kernels) {
    kernels.add("", "MaxUnpool", makeMaxUnpool);
    kernels.add("", "Col2Im", makeCol2Im);
    kernels.add("", "CenterCropPad", makeCenterCropPad);
}

}  // namespace temper
