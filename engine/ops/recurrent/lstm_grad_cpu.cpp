// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include "engine/ops/recurrent/recurrent.h"
#include "engine/ops/recurrent/recurrent_activation_cpu.h"
#include "engine/ops/recurrent/recurrent_grad_cpu.h"
#include "engine/runtime/cpu/scratch_layout.h"

namespace temper {
namespace {

enum Input : size_t {
    InputX,
    InputW,
    InputR,
    InputLengths,
    InputInitialH,
    InputInitialC,
    InputAllH,
    InputAllC,
    InputGates,
    InputGradAllH,
    InputGradFinalH,
    InputGradFinalC,
};

enum Output : size_t {
    OutputGradX,
    OutputGradW,
    OutputGradR,
    OutputGradB,
    OutputGradH,
    OutputGradC,
    OutputGradP
};

/// Back through time, some batch entries at a time; then the products over all time steps. The
/// operator has no input for peepholes: their own gradient is correct if they are zero.
/// Source: spec training_ops 11.2.
template <typename T>
class LstmGradKernel final : public Kernel {
public:
    explicit LstmGradKernel(const PrepareContext& context)
        : sizes_(sizesOf(context)), tanh_({ActivationKind::Tanh}, std::nullopt) {
        ScratchLayout layout;
        const auto add = [&](int64_t count) {
            return layout.add(static_cast<size_t>(count) * sizeof(T));
        };
        const int64_t states = sizes_.batch * sizes_.hidden;
        gates_ = add(sizes_.rows() * sizes_.gateColumns());
        hidden_ = add(states);
        cell_ = add(states);
        spare_ = add(states);
        zeros_ = add(sizes_.hidden);
        weights_ = layout.add(StepFactor<T>{sizes_.gateColumns(), sizes_.hidden}.packedBytes());
        traits_.scratchBytes = layout.bytes();
        traits_.flops = 4 * sizes_.rows() * sizes_.gateColumns() * (sizes_.input + sizes_.hidden);
    }

    void run(const RunContext& context) const override {
        std::fill_n(at(context, zeros_), sizes_.hidden, T{0});
        storedWeights(context).pack(context.pool(), context.scratch() + weights_);
        const int64_t perTask = sizes_.rowsPerTask();
        context.pool().forRanges(sizes_.batch, perTask, [&](int64_t begin, int64_t end) {
            for (int64_t from = begin; from < end; from += perTask) {
                runRows(context, from, std::min(perTask, end - from));
            }
        });
        multiplyWeights(context);
        sumBias(context);
        if (context.out<T>(OutputGradP) != nullptr) sumPeepholes(context);
    }

private:
    static RecurrentSizes sizesOf(const PrepareContext& context) {
        const Shape &x = context.input(InputX).shape, &r = context.input(InputR).shape;
        return {.time = x.at(0), .batch = x.at(1), .input = x.at(2), .hidden = r.at(2), .gates = 4};
    }

    /// R
    StepFactor<T> storedWeights(const RunContext& context) const {
        return {sizes_.gateColumns(), sizes_.hidden, context.in<T>(InputR)};
    }

    T* at(const RunContext& context, size_t offset) const {
        return reinterpret_cast<T*>(context.scratch() + offset);
    }

    PreviousStates<T> previousStates(const RunContext& context, Input all, Input initial) const {
        return {context.in<T>(all), context.in<T>(initial), at(context, zeros_), sizes_.batch,
                sizes_.hidden};
    }

    void runRows(const RunContext& context, int64_t begin, int64_t count) const {
        const int64_t hidden = sizes_.hidden, columns = sizes_.gateColumns();
        T* dh = at(context, hidden_) + begin * hidden;
        T* dc = at(context, cell_) + begin * hidden;
        loadFinalGradient(context.in<T>(InputGradFinalH), begin, count, hidden, dh);
        loadFinalGradient(context.in<T>(InputGradFinalC), begin, count, hidden, dc);
        const StepFactor<T> weights = storedWeights(context).packedAt(context.scratch() + weights_);
        for (int64_t t = sizes_.time - 1; t >= 0; --t) {
            for (int64_t i = 0; i < count; ++i) {
                stepBack(context, t, begin + i, dh + i * hidden, dc + i * hidden);
            }
            const T* gates = at(context, gates_) + (t * sizes_.batch + begin) * columns;
            weights.multiply(count, gates, columns, T{0}, dh, hidden);
        }
        store(dh, begin, count, context.out<T>(OutputGradH));
        store(dc, begin, count, context.out<T>(OutputGradC));
    }

    void store(const T* state, int64_t begin, int64_t count, T* to) const {
        if (to != nullptr) std::copy_n(state, count * sizes_.hidden, to + begin * sizes_.hidden);
    }

    /// The gradients of one row of gates before their activations, and dC of the step before.
    void stepBack(const RunContext& context, int64_t t, int64_t b, T* dh, T* dc) const {
        const int64_t hidden = sizes_.hidden, row = t * sizes_.batch + b;
        const T* gate = context.in<T>(InputGates) + row * 4 * hidden;
        const T *input = gate, *output = gate + hidden, *forget = gate + 2 * hidden,
                *candidate = gate + 3 * hidden;
        const T* previous = previousStates(context, InputAllC, InputInitialC).row(t, b);
        T* squashed = at(context, spare_) + b * hidden;
        std::copy_n(context.in<T>(InputAllC) + row * hidden, hidden, squashed);
        tanh_(squashed, hidden);
        if (const T* gradient = context.in<T>(InputGradAllH)) {
            for (int64_t j = 0; j < hidden; ++j) dh[j] += gradient[row * hidden + j];
        }
        T* result = at(context, gates_) + row * 4 * hidden;
        for (int64_t j = 0; j < hidden; ++j) {
            const T i = input[j], o = output[j], f = forget[j], c = candidate[j];
            const T tau = squashed[j];
            const T cell = dc[j] + dh[j] * o * (1 - tau * tau);
            result[j] = cell * c * i * (1 - i);
            result[hidden + j] = dh[j] * tau * o * (1 - o);
            result[2 * hidden + j] = cell * previous[j] * f * (1 - f);
            result[3 * hidden + j] = cell * i * (1 - c * c);
            dc[j] = cell * f;
        }
    }

    void multiplyWeights(const RunContext& context) const {
        ThreadPool& pool = context.pool();
        const int64_t columns = sizes_.gateColumns();
        const T* gates = at(context, gates_);
        if (T* dx = context.out<T>(OutputGradX)) {
            multiplyByInputWeights(pool, sizes_, gates, context.in<T>(InputW), dx);
        }
        const GateColumns<T> all{gates, columns, columns};
        if (T* dw = context.out<T>(OutputGradW)) {
            multiplyByRows(pool, sizes_, all, context.in<T>(InputX), sizes_.input, dw);
        }
        if (T* dr = context.out<T>(OutputGradR)) {
            multiplyByPreviousStates(pool, sizes_, all, context.in<T>(InputAllH),
                                     context.in<T>(InputInitialH), dr);
        }
    }

    void sumBias(const RunContext& context) const {
        T* bias = context.out<T>(OutputGradB);
        if (bias == nullptr) return;
        const int64_t columns = sizes_.gateColumns();
        const T* gates = at(context, gates_);
        sumOverRows(context.pool(), sizes_.rows(), columns, bias,
                    [=](int64_t row, int64_t j) { return gates[row * columns + j]; });
        std::copy_n(bias, columns, bias + columns);
    }

    void sumPeepholes(const RunContext& context) const {
        const int64_t hidden = sizes_.hidden, batch = sizes_.batch;
        const T *gates = at(context, gates_), *cells = context.in<T>(InputAllC);
        const PreviousStates<T> previous = previousStates(context, InputAllC, InputInitialC);
        const auto before = [&](int64_t gate) {
            return [=](int64_t row, int64_t j) {
                return gates[row * 4 * hidden + gate * hidden + j] *
                       previous.row(row / batch, row % batch)[j];
            };
        };
        const auto after = [=](int64_t row, int64_t j) {
            return gates[row * 4 * hidden + hidden + j] * cells[row * hidden + j];
        };
        T* sums = context.out<T>(OutputGradP);
        sumOverRows(context.pool(), sizes_.rows(), hidden, sums, before(0));
        sumOverRows(context.pool(), sizes_.rows(), hidden, sums + hidden, after);
        sumOverRows(context.pool(), sizes_.rows(), hidden, sums + 2 * hidden, before(2));
    }

    RecurrentSizes sizes_;
    ActivationLoop<T> tanh_;
    /// Places in the scratch.
    size_t gates_ = 0, hidden_ = 0, cell_ = 0, spare_ = 0, zeros_ = 0, weights_ = 0;
};

std::unique_ptr<Kernel> prepareLstmGrad(const PrepareContext& context) {
    if (context.hasInput(InputLengths)) {
        context.fail(ErrorCode::Unsupported,
                     "Input 3 (sequence_lens) is given; LSTMGrad takes "
                     "sequences of one length.");
    }
    for (const Input input : {InputW, InputR, InputAllH, InputAllC, InputGates}) {
        context.requireDType(input, context.input(InputX).dtype);
    }
    if (context.input(InputX).dtype == DType::Float64) {
        return std::make_unique<LstmGradKernel<double>>(context);
    }
    context.requireDType(InputX, DType::Float32);
    return std::make_unique<LstmGradKernel<float>>(context);
}

}  // namespace

void addLstmGradCpuKernel(KernelRegistry& kernels) {
    kernels.add(kMicrosoftDomain, "LSTMGrad", prepareLstmGrad);
}

}  // namespace temper
