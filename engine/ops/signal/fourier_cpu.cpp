// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/ops/map_cpu.h"
#include "engine/ops/signal/fourier.h"
#include "engine/ops/signal/signal.h"

namespace temper {
namespace {

using Complex = FourierPlan::Complex;

/// Work is divided into at most this many tasks, each with its own memory.
constexpr int64_t kMaxTasks = 64;
constexpr size_t kAlignment = 64;

/// Memory of the tasks: one line of numbers and the work of the transform.
struct TaskMemory {
    int64_t lines;
    int64_t tasks;
    int64_t numbers;  ///< of one task

    TaskMemory(int64_t lineCount, int64_t length, const FourierPlan& plan)
        : lines(lineCount),
          tasks(std::clamp<int64_t>(lineCount, 1, kMaxTasks)),
          numbers((length + plan.workSize() + kRound - 1) / kRound * kRound) {}

    size_t bytes() const { return static_cast<size_t>(tasks * numbers) * sizeof(Complex); }

    /// Calls f(line, memory) for every line.
    template <typename F>
    void forLines(const RunContext& run, F&& f) const {
        auto* memory = reinterpret_cast<Complex*>(run.scratch());
        run.pool().forEach(tasks, [&](int64_t task) {
            for (int64_t line = lines * task / tasks; line < lines * (task + 1) / tasks; ++line) {
                f(line, memory + task * numbers);
            }
        });
    }

private:
    static constexpr int64_t kRound = kAlignment / sizeof(Complex);
};

/// Real or complex numbers with a stride between them.
template <typename T>
struct Numbers {
    const T* first;
    int64_t stride;  ///< in elements
    bool isComplex;

    Complex at(int64_t i) const {
        const T* number = first + i * stride;
        return {static_cast<double>(number[0]), isComplex ? static_cast<double>(number[1]) : 0.0};
    }
};

template <typename T>
void writeComplex(T* to, const Complex& number) {
    to[0] = static_cast<T>(number.real());
    to[1] = static_cast<T>(number.imag());
}

template <typename T>
void writeParts(T* to, const Complex& number, int64_t parts) {
    if (parts == 2) return writeComplex(to, number);
    *to = static_cast<T>(number.real());
}

/// The other half of the spectrum of real numbers: conjugate, from the end.
void mirror(Complex* x, int64_t length) {
    x[0] = x[0].real();
    for (int64_t i = 1; i <= length / 2; ++i) x[length - i] = std::conj(x[i]);
    if (length % 2 == 0) x[length / 2] = x[length / 2].real();
}

struct DftLayout {
    int64_t inner = 1;  ///< numbers after the axis
    int64_t outer = 1;
    int64_t given = 0;   ///< size of the axis
    int64_t length = 0;  ///< of the transform
    int64_t kept = 0;    ///< numbers of the result
    int64_t parts = 1;   ///< 2 for complex input
    bool inverse = false;
    bool isReal = false;  ///< from one half of a spectrum to real numbers
};

int64_t dftAxis(const PrepareContext& context, const DftAttributes& attributes) {
    const auto rank = static_cast<int64_t>(context.input(0).shape.size());
    int64_t axis = kDefaultDftAxis;
    if (attributes.axis) axis = *attributes.axis;
    if (!attributes.axis && context.hasInput(kDftAxis)) axis = context.integers(kDftAxis).at(0);
    return normalizeAxis(axis, rank, "The axis of DFT");
}

DftLayout dftLayout(const PrepareContext& context) {
    const DftAttributes attributes = DftAttributes::of(context.node(), context.opset());
    const Shape& shape = context.input(0).shape;
    const auto axis = static_cast<size_t>(dftAxis(context, attributes));
    DftLayout layout;
    for (size_t i = 0; i < axis; ++i) layout.outer *= shape[i];
    for (size_t i = axis + 1; i + 1 < shape.size(); ++i) layout.inner *= shape[i];
    layout.given = shape[axis];
    layout.length = context.hasInput(kDftLength) ? context.integers(kDftLength).at(0)
                                                 : attributes.defaultLength(layout.given);
    layout.isReal = attributes.isRealInverse();
    layout.kept = spectrumSize(layout.length, attributes.onesided && !layout.isReal);
    layout.parts = shape.back();
    layout.inverse = attributes.inverse;
    return layout;
}

template <typename T>
std::unique_ptr<Kernel> dftKernel(const PrepareContext& context) {
    const DftLayout layout = dftLayout(context);
    FourierPlan plan(layout.length);
    const TaskMemory memory(layout.outer * layout.inner, layout.length, plan);
    const bool isEmpty = context.output(0).numElements() == 0;
    KernelTraits traits;
    traits.scratchBytes = memory.bytes();
    return makeKernel(
        [=, plan = std::move(plan)](const RunContext& run) {
            if (isEmpty) return;
            const double scale = layout.inverse ? 1.0 / static_cast<double>(layout.length) : 1.0;
            const int64_t read = std::min(layout.given, spectrumSize(layout.length, layout.isReal));
            memory.forLines(run, [&](int64_t line, Complex* x) {
                const int64_t outer = line / layout.inner, inner = line % layout.inner;
                const Numbers<T> from{
                    run.in<T>(0) + (outer * layout.given * layout.inner + inner) * layout.parts,
                    layout.inner * layout.parts, layout.parts == 2};
                for (int64_t i = 0; i < read; ++i) x[i] = from.at(i);
                std::fill(x + read, x + layout.length, Complex{});
                if (layout.isReal) mirror(x, layout.length);
                plan.transform(x, x + layout.length, layout.inverse);
                const int64_t parts = layout.isReal ? 1 : 2;
                T* to = run.out<T>(0) + (outer * layout.kept * layout.inner + inner) * parts;
                for (int64_t i = 0; i < layout.kept; ++i) {
                    writeParts(to + i * layout.inner * parts, x[i] * scale, parts);
                }
            });
        },
        std::move(traits));
}

template <typename T>
std::unique_ptr<Kernel> stftKernel(const PrepareContext& context) {
    const Shape& signal = context.input(0).shape;
    const Shape& output = context.output(0).shape;
    const int64_t step = context.integers(kFrameStep).at(0);
    const bool hasWindow = context.hasInput(kWindow);
    const int64_t length =
        hasWindow ? context.input(kWindow).shape[0] : context.integers(kFrameLength).at(0);
    const int64_t frames = output[1], kept = output[2], size = signal[1], parts = signal[2];
    FourierPlan plan(length);
    const TaskMemory memory(output[0] * frames, length, plan);
    KernelTraits traits;
    traits.scratchBytes = memory.bytes();
    return makeKernel(
        [=, plan = std::move(plan)](const RunContext& run) {
            const T* window = hasWindow ? run.in<T>(kWindow) : nullptr;
            memory.forLines(run, [&](int64_t line, Complex* x) {
                const int64_t begin = line / frames * size + line % frames * step;
                const Numbers<T> from{run.in<T>(0) + begin * parts, parts, parts == 2};
                for (int64_t i = 0; i < length; ++i) {
                    const double weight = window == nullptr ? 1.0 : static_cast<double>(window[i]);
                    x[i] = from.at(i) * weight;
                }
                plan.transform(x, x + length, false);
                T* to = run.out<T>(0) + line * kept * 2;
                for (int64_t i = 0; i < kept; ++i) writeComplex(to + i * 2, x[i]);
            });
        },
        std::move(traits));
}

std::unique_ptr<Kernel> prepareDft(const PrepareContext& context) {
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return dftKernel<T>(context); });
}

std::unique_ptr<Kernel> prepareStft(const PrepareContext& context) {
    if (context.hasInput(kWindow)) context.requireDType(kWindow, context.input(0).dtype);
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return stftKernel<T>(context); });
}

}  // namespace

void addFourierKernels(KernelRegistry& kernels) {
    kernels.add("", "DFT", prepareDft);
    kernels.add("", "STFT", prepareStft);
}

}  // namespace temper
