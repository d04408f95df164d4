// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "engine/core/checked.h"
#include "engine/core/process_memory.h"
#include "engine/ops/einsum/einsum.h"
#include "engine/ops/einsum/equation.h"
#include "engine/ops/einsum/strided_sum.h"
#include "engine/ops/map_cpu.h"
#include "engine/runtime/cpu/gemm.h"

namespace temper {
namespace {

constexpr int64_t kFlopsPerTask = 1 << 20;
constexpr size_t kAlignment = 64;

using Sizes = std::map<char, int64_t>;

int64_t product(const std::string& letters, const Sizes& sizes) {
    int64_t count = 1;
    for (const char letter : letters) count = checkedProduct(count, sizes.at(letter));
    return count;
}

/// The location of a tensor: an input, the scratch memory, or the output.
struct Place {
    enum class Kind { Input, Scratch, Output } kind = Kind::Input;
    size_t at = 0;  ///< number of the input, or byte of the scratch memory

    template <typename T>
    const T* read(const RunContext& run) const {
        if (kind == Kind::Input) return run.in<T>(at);
        return write<T>(run);
    }
    template <typename T>
    T* write(const RunContext& run) const {
        if (kind == Kind::Output) return run.out<T>(0);
        return reinterpret_cast<T*>(run.scratch() + at);
    }
};

/// A tensor with a letter for each of its axes; strides may be 0 (broadcast) or those of a
/// diagonal.
struct LabelledView {
    Place place;
    std::string letters;
    std::vector<int64_t> strides;

    int64_t strideOf(char letter) const {
        const size_t axis = letters.find(letter);
        return axis == std::string::npos ? 0 : strides[axis];
    }
    /// Whether its elements are stored in the order of `order`, without gaps, and it has no other
    /// letters.
    bool isDense(const std::string& order, const Sizes& sizes) const {
        if (order.size() != letters.size()) return false;
        int64_t stride = 1;
        for (size_t i = order.size(); i-- > 0;) {
            const int64_t size = sizes.at(order[i]);
            if (!contains(letters, order[i])) return false;
            if (size != 1 && strideOf(order[i]) != stride) return false;
            stride *= size;
        }
        return true;
    }
};

LabelledView denseView(Place place, const std::string& letters, const Sizes& sizes) {
    LabelledView view{place, letters, std::vector<int64_t>(letters.size(), 1)};
    for (size_t i = letters.size(); i-- > 1;) {
        view.strides[i - 1] = checkedProduct(view.strides[i], sizes.at(letters[i]));
    }
    return view;
}

/// An input; repeated letters walk along the diagonal.
LabelledView inputView(size_t input, const std::string& letters, const Shape& shape) {
    LabelledView view{{Place::Kind::Input, input}, {}, {}};
    const Shape dense = stridesOf(shape);
    for (size_t axis = 0; axis < letters.size(); ++axis) {
        const int64_t stride = shape[axis] == 1 ? 0 : dense[axis];
        const size_t known = view.letters.find(letters[axis]);
        if (known == std::string::npos) {
            view.letters += letters[axis];
            view.strides.push_back(stride);
        } else {
            view.strides[known] += stride;
        }
    }
    return view;
}

/// Copies a view into dense memory, summing over the letters that are not wanted.
struct Pack {
    StridedSum sum;
    Place from;
    Place to;
};

/// [batch, m, k] times [batch, k, n].
struct Product {
    MatrixProduct matrix;
    int64_t batch = 1;
    Place a;
    Place b;
    Place c;
};

struct Step {
    std::optional<Pack> packA;
    std::optional<Pack> packB;
    std::optional<Product> product;
};

/// The order of work: operands are multiplied from left to right, each product as a batch of
/// matrix products.
class EinsumPlan {
public:
    EinsumPlan(const PrepareContext& context, size_t elementSize) : elementSize_(elementSize) {
        std::vector<size_t> ranks;
        for (size_t i = 0; i < context.inputCount(); ++i) {
            ranks.push_back(context.input(i).shape.size());
        }
        equation_ = EinsumEquation::parse(context.node(), ranks);
        collectSizes(context);
        LabelledView current = viewOf(context, 0);
        for (size_t i = 1; i < context.inputCount(); ++i) {
            current = multiply(current, viewOf(context, i), i);
        }
        finish(current);
    }

    const std::vector<Step>& steps() const { return steps_; }
    size_t scratchBytes() const { return scratchBytes_; }

private:
    void collectSizes(const PrepareContext& context) {
        for (size_t i = 0; i < equation_.operands.size(); ++i) {
            const std::string& letters = equation_.operands[i];
            for (size_t axis = 0; axis < letters.size(); ++axis) {
                int64_t& size = sizes_.emplace(letters[axis], 1).first->second;
                const int64_t given = context.input(i).shape[axis];
                if (given != 1) size = given;
            }
        }
    }

    LabelledView viewOf(const PrepareContext& context, size_t input) const {
        return inputView(input, equation_.operands[input], context.input(input).shape);
    }

    bool isNeededAfter(char letter, size_t operand) const {
        if (contains(equation_.output, letter)) return true;
        for (size_t i = operand + 1; i < equation_.operands.size(); ++i) {
            if (contains(equation_.operands[i], letter)) return true;
        }
        return false;
    }

    LabelledView multiply(const LabelledView& a, const LabelledView& b, size_t operand) {
        std::string batch, rows, inner, columns;
        for (const char letter : a.letters) {
            const bool isKept = isNeededAfter(letter, operand);
            if (contains(b.letters, letter)) {
                (isKept ? batch : inner) += letter;
            } else if (isKept) {
                rows += letter;
            }
        }
        for (const char letter : b.letters) {
            if (!contains(a.letters, letter) && isNeededAfter(letter, operand)) columns += letter;
        }
        const std::string letters = batch + rows + columns;
        const bool isResult =
            operand + 1 == equation_.operands.size() && letters == equation_.output;
        Step step;
        Product p;
        p.batch = product(batch, sizes_);
        p.matrix = {
            .m = product(rows, sizes_), .n = product(columns, sizes_), .k = product(inner, sizes_)};
        p.matrix.transA =
            a.isDense(batch + inner + rows, sizes_) && !a.isDense(batch + rows + inner, sizes_);
        p.matrix.transB = b.isDense(batch + columns + inner, sizes_) &&
                          !b.isDense(batch + inner + columns, sizes_);
        p.matrix.setDenseStrides();
        p.a = pack(a, p.matrix.transA ? batch + inner + rows : batch + rows + inner, step.packA);
        p.b = pack(b, p.matrix.transB ? batch + columns + inner : batch + inner + columns,
                   step.packB);
        p.c = isResult ? Place{Place::Kind::Output} : reserve(product(letters, sizes_));
        step.product = p;
        steps_.push_back(std::move(step));
        return denseView(p.c, letters, sizes_);
    }

    /// Brings a view into the order `letters`; if it has that order already, it stays.
    Place pack(const LabelledView& view, const std::string& letters, std::optional<Pack>& step) {
        if (view.isDense(letters, sizes_)) return view.place;
        const Place target = reserve(product(letters, sizes_));
        step = Pack{sumOnto(view, letters), view.place, target};
        return target;
    }

    StridedSum sumOnto(const LabelledView& view, const std::string& letters) const {
        std::vector<StridedSum::Axis> kept, summed;
        for (const char letter : letters) {
            kept.push_back({sizes_.at(letter), view.strideOf(letter)});
        }
        for (const char letter : view.letters) {
            if (!contains(letters, letter)) {
                summed.push_back({sizes_.at(letter), view.strideOf(letter)});
            }
        }
        return {std::move(kept), std::move(summed)};
    }

    void finish(const LabelledView& view) {
        if (view.place.kind == Place::Kind::Output) return;
        Step step;
        step.packA = Pack{sumOnto(view, equation_.output), view.place, Place{Place::Kind::Output}};
        steps_.push_back(std::move(step));
    }

    Place reserve(int64_t count) {
        const Place place{Place::Kind::Scratch, scratchBytes_};
        const auto bytes =
            static_cast<size_t>(checkedProduct(count, static_cast<int64_t>(elementSize_)));
        requireMemory("An intermediate result", static_cast<double>(bytes));
        scratchBytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
        return place;
    }

    size_t elementSize_;
    EinsumEquation equation_;
    Sizes sizes_;
    std::vector<Step> steps_;
    size_t scratchBytes_ = 0;
};

template <typename T>
void runProduct(const Product& p, const RunContext& run) {
    const T* a = p.a.read<T>(run);
    const T* b = p.b.read<T>(run);
    T* c = p.c.write<T>(run);
    const MatrixProduct& m = p.matrix;
    if (m.k == 0) {
        std::fill(c, c + p.batch * m.m * m.n, T{});
        return;
    }
    const MatrixTiles tiles(m);
    const int64_t taskFlops = m.flops() / std::max<int64_t>(tiles.count(), 1) + 1;
    const int64_t grain = std::max<int64_t>(kFlopsPerTask / taskFlops, 1);
    run.pool().forRanges(p.batch * tiles.count(), grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const int64_t matrix = i / tiles.count();
            const auto tile = tiles.tile(i % tiles.count());
            gemm(tile.product, T{1}, a + matrix * m.m * m.k + tile.offsetA,
                 b + matrix * m.k * m.n + tile.offsetB, T{}, c + matrix * m.m * m.n + tile.offsetC);
        }
    });
}

template <typename T>
void runPack(const std::optional<Pack>& pack, const RunContext& run) {
    if (pack) pack->sum.run(pack->from.read<T>(run), pack->to.write<T>(run), run.pool());
}

std::unique_ptr<Kernel> prepareEinsum(const PrepareContext& context) {
    for (size_t i = 1; i < context.inputCount(); ++i) {
        context.requireDType(i, context.input(0).dtype);
    }
    return visitNumeric(context, context.input(0).dtype, [&]<typename T>() {
        EinsumPlan plan(context, sizeof(T));
        KernelTraits traits;
        traits.scratchBytes = plan.scratchBytes();
        for (const Step& step : plan.steps()) {
            if (step.product) traits.flops += step.product->matrix.flops() * step.product->batch;
        }
        return makeKernel(
            [steps = plan.steps()](const RunContext& run) {
                for (const Step& step : steps) {
                    runPack<T>(step.packA, run);
                    runPack<T>(step.packB, run);
                    if (step.product) runProduct<T>(*step.product, run);
                }
            },
            std::move(traits));
    });
}

}  // namespace

void addEinsumCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "Einsum", prepareEinsum);
}

}  // namespace temper
