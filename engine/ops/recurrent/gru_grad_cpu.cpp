// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>

#include "engine/ops/recurrent/recurrent.h"
#include "engine/ops/recurrent/recurrent_grad_cpu.h"
#include "engine/runtime/cpu/scratch_layout.h"

namespace temper {
namespace {

enum Input : size_t {
    InputX,
    InputW,
    InputR,
    InputB,
    InputLengths,
    InputInitialH,
    InputAllH,
    InputGates,
    InputGradAllH,
    InputGradFinalH,
};

enum Output : size_t { OutputGradX, OutputGradW, OutputGradR, OutputGradB, OutputGradH };

/// Back through time, some batch entries at a time; then the products over all time steps.
///
/// Besides the gradients of the gates before their activations, `factor` keeps a row per time step
/// and batch entry: r H(t - 1), by which the last block of R was multiplied, or, linear before
/// reset, da_h r, the gradient of H(t - 1) Rhᵀ + b.
/// Source: spec training_ops 11.4.
template <typename T>
class GruGradKernel final : public Kernel {
public:
    explicit GruGradKernel(const PrepareContext& context)
        : sizes_(sizesOf(context)),
          isLinear_(context.node().attribute<int64_t>("linear_before_reset", 0) != 0) {
        ScratchLayout layout;
        const auto add = [&](int64_t count) {
            return layout.add(static_cast<size_t>(count) * sizeof(T));
        };
        gates_ = add(sizes_.rows() * sizes_.gateColumns());
        factor_ = add(sizes_.rows() * sizes_.hidden);
        linear_ = add(sizes_.batch * sizes_.hidden);
        hidden_ = add(sizes_.batch * sizes_.hidden);
        zeros_ = add(sizes_.hidden);
        for (const Factor factor : kFactors)
            factors_[factor] = layout.add(unbound(factor).packedBytes());
        traits_.scratchBytes = layout.bytes();
        traits_.flops = 4 * sizes_.rows() * sizes_.gateColumns() * (sizes_.input + sizes_.hidden);
    }

    void run(const RunContext& context) const override {
        std::fill_n(at(context, zeros_), sizes_.hidden, T{0});
        for (const Factor factor : kFactors)
            stored(context, factor).pack(context.pool(), context.scratch() + factors_[factor]);
        const int64_t perTask = sizes_.rowsPerTask();
        context.pool().forRanges(sizes_.batch, perTask, [&](int64_t begin, int64_t end) {
            for (int64_t from = begin; from < end; from += perTask) {
                runRows(context, from, std::min(perTask, end - from));
            }
        });
        multiplyWeights(context);
        if (context.out<T>(OutputGradB) != nullptr) sumBias(context);
    }

private:
    /// What each step multiplies by: R of the first two gates, Rh and, linear before reset, Rhᵀ.
    enum Factor : size_t { Gates, Candidate, Linear };
    static constexpr std::array kFactors = {Gates, Candidate, Linear};

    StepFactor<T> unbound(Factor factor) const {
        const int64_t hidden = sizes_.hidden;
        if (factor == Linear && !isLinear_) return {};
        return {factor == Gates ? 2 * hidden : hidden, hidden, nullptr, factor == Linear};
    }
    StepFactor<T> stored(const RunContext& context, Factor factor) const {
        StepFactor<T> result = unbound(factor);
        result.data = context.in<T>(InputR);
        if (factor != Gates) result.data += 2 * sizes_.hidden * sizes_.hidden;
        return result;
    }
    StepFactor<T> packed(const RunContext& context, Factor factor) const {
        return stored(context, factor).packedAt(context.scratch() + factors_[factor]);
    }

    /// The data of one backward step of some batch entries.
    struct Rows {
        int64_t t = 0;
        int64_t begin = 0;
        int64_t count = 0;
    };

    static RecurrentSizes sizesOf(const PrepareContext& context) {
        const Shape &x = context.input(InputX).shape, &r = context.input(InputR).shape;
        return {.time = x.at(0), .batch = x.at(1), .input = x.at(2), .hidden = r.at(2), .gates = 3};
    }

    T* at(const RunContext& context, size_t offset) const {
        return reinterpret_cast<T*>(context.scratch() + offset);
    }
    int64_t row(const Rows& rows, int64_t i) const {
        return rows.t * sizes_.batch + rows.begin + i;
    }
    T* gateRow(const RunContext& context, const Rows& rows, int64_t i) const {
        return at(context, gates_) + row(rows, i) * sizes_.gateColumns();
    }
    T* factorRow(const RunContext& context, const Rows& rows, int64_t i) const {
        return at(context, factor_) + row(rows, i) * sizes_.hidden;
    }
    const T* forwardGates(const RunContext& context, const Rows& rows, int64_t i) const {
        return context.in<T>(InputGates) + row(rows, i) * sizes_.gateColumns();
    }
    T* gradientRow(const RunContext& context, const Rows& rows, int64_t i) const {
        return at(context, hidden_) + (rows.begin + i) * sizes_.hidden;
    }
    T* linearRow(const RunContext& context, const Rows& rows, int64_t i) const {
        return at(context, linear_) + (rows.begin + i) * sizes_.hidden;
    }
    const T* previousRow(const RunContext& context, const Rows& rows, int64_t i) const {
        const PreviousStates<T> previous{context.in<T>(InputAllH), context.in<T>(InputInitialH),
                                         at(context, zeros_), sizes_.batch, sizes_.hidden};
        return previous.row(rows.t, rows.begin + i);
    }

    void runRows(const RunContext& context, int64_t begin, int64_t count) const {
        const int64_t hidden = sizes_.hidden;
        T* dh = at(context, hidden_) + begin * hidden;
        loadFinalGradient(context.in<T>(InputGradFinalH), begin, count, hidden, dh);
        for (int64_t t = sizes_.time - 1; t >= 0; --t) {
            const Rows rows{t, begin, count};
            for (int64_t i = 0; i < count; ++i) startStep(context, rows, i);
            if (isLinear_) {
                stepLinear(context, rows);
            } else {
                stepReset(context, rows);
            }
            // dH += [daz dar] R[z r]
            packed(context, Gates)
                .multiply(rows.count, gateRow(context, rows, 0), sizes_.gateColumns(), T{1}, dh,
                          hidden);
        }
        if (T* initial = context.out<T>(OutputGradH)) {
            std::copy_n(dh, count * hidden, initial + begin * hidden);
        }
    }

    /// daz, dah, and the part of dH that passes the step directly: dH z.
    void startStep(const RunContext& context, const Rows& rows, int64_t i) const {
        const int64_t hidden = sizes_.hidden;
        const T *gate = forwardGates(context, rows, i), *previous = previousRow(context, rows, i);
        T *dh = gradientRow(context, rows, i), *result = gateRow(context, rows, i);
        if (const T* gradient = context.in<T>(InputGradAllH)) {
            gradient += row(rows, i) * hidden;
            for (int64_t j = 0; j < hidden; ++j) dh[j] += gradient[j];
        }
        for (int64_t j = 0; j < hidden; ++j) {
            const T z = gate[j], candidate = gate[2 * hidden + j];
            result[j] = dh[j] * (previous[j] - candidate) * z * (1 - z);
            result[2 * hidden + j] = dh[j] * (1 - z) * (1 - candidate * candidate);
            dh[j] *= z;
        }
    }

    /// h = g(.. + (r H) Rhᵀ): u = dah Rh, dar = u H r (1 - r), dH += u r
    void stepReset(const RunContext& context, const Rows& rows) const {
        const int64_t hidden = sizes_.hidden;
        packed(context, Candidate)
            .multiply(rows.count, gateRow(context, rows, 0) + 2 * hidden, sizes_.gateColumns(),
                      T{0}, linearRow(context, rows, 0), hidden);
        for (int64_t i = 0; i < rows.count; ++i) {
            const T* reset = forwardGates(context, rows, i) + hidden;
            const T *previous = previousRow(context, rows, i), *u = linearRow(context, rows, i);
            T *dh = gradientRow(context, rows, i), *dr = gateRow(context, rows, i) + hidden;
            T* factor = factorRow(context, rows, i);
            for (int64_t j = 0; j < hidden; ++j) {
                const T r = reset[j];
                dr[j] = u[j] * previous[j] * r * (1 - r);
                factor[j] = r * previous[j];
                dh[j] += u[j] * r;
            }
        }
    }

    /// h = g(.. + r q), q = H Rhᵀ + b: dar = dah q r (1 - r), dH += (dah r) Rh
    void stepLinear(const RunContext& context, const Rows& rows) const {
        const int64_t hidden = sizes_.hidden;
        recomputeLinear(context, rows);
        for (int64_t i = 0; i < rows.count; ++i) {
            const T* reset = forwardGates(context, rows, i) + hidden;
            const T* q = linearRow(context, rows, i);
            T *dr = gateRow(context, rows, i) + hidden, *factor = factorRow(context, rows, i);
            const T* da = gateRow(context, rows, i) + 2 * hidden;
            for (int64_t j = 0; j < hidden; ++j) {
                const T r = reset[j];
                dr[j] = da[j] * q[j] * r * (1 - r);
                factor[j] = da[j] * r;
            }
        }
        packed(context, Candidate)
            .multiply(rows.count, factorRow(context, rows, 0), hidden, T{1},
                      gradientRow(context, rows, 0), hidden);
    }

    /// q, which the forward pass does not keep.
    void recomputeLinear(const RunContext& context, const Rows& rows) const {
        const int64_t hidden = sizes_.hidden;
        for (int64_t i = 0; i < rows.count; ++i) {
            T* q = linearRow(context, rows, i);
            if (const T* bias = context.in<T>(InputB)) {
                std::copy_n(bias + 5 * hidden, hidden, q);
            } else {
                std::fill_n(q, hidden, T{0});
            }
        }
        if (rows.t == 0 && context.in<T>(InputInitialH) == nullptr) return;
        packed(context, Linear)
            .multiply(rows.count, previousRow(context, rows, 0), hidden, T{1},
                      linearRow(context, rows, 0), hidden);
    }

    void multiplyWeights(const RunContext& context) const {
        ThreadPool& pool = context.pool();
        const int64_t columns = sizes_.gateColumns();
        const T* gates = at(context, gates_);
        if (T* dx = context.out<T>(OutputGradX)) {
            multiplyByInputWeights(pool, sizes_, gates, context.in<T>(InputW), dx);
        }
        if (T* dw = context.out<T>(OutputGradW)) {
            multiplyByRows(pool, sizes_, GateColumns<T>{gates, columns, columns},
                           context.in<T>(InputX), sizes_.input, dw);
        }
        if (T* dr = context.out<T>(OutputGradR)) multiplyRecurrentWeights(context, dr);
    }

    void multiplyRecurrentWeights(const RunContext& context, T* dr) const {
        ThreadPool& pool = context.pool();
        const int64_t hidden = sizes_.hidden, columns = sizes_.gateColumns();
        const T *gates = at(context, gates_), *factor = at(context, factor_);
        const T *states = context.in<T>(InputAllH), *initial = context.in<T>(InputInitialH);
        multiplyByPreviousStates(pool, sizes_, GateColumns<T>{gates, 2 * hidden, columns}, states,
                                 initial, dr);
        T* candidate = dr + 2 * hidden * hidden;
        if (isLinear_) {
            multiplyByPreviousStates(pool, sizes_, GateColumns<T>{factor, hidden, hidden}, states,
                                     initial, candidate);
        } else {
            multiplyByRows(pool, sizes_, GateColumns<T>{gates + 2 * hidden, hidden, columns},
                           factor, hidden, candidate);
        }
    }

    /// Both halves of B are added to the gates; linear before reset, the last block of the second
    /// one within the bracket that r multiplies.
    void sumBias(const RunContext& context) const {
        const int64_t columns = sizes_.gateColumns(), hidden = sizes_.hidden;
        const T *gates = at(context, gates_), *factor = at(context, factor_);
        T* bias = context.out<T>(OutputGradB);
        sumOverRows(context.pool(), sizes_.rows(), columns, bias,
                    [=](int64_t row, int64_t j) { return gates[row * columns + j]; });
        std::copy_n(bias, columns, bias + columns);
        if (!isLinear_) return;
        sumOverRows(context.pool(), sizes_.rows(), hidden, bias + 5 * hidden,
                    [=](int64_t row, int64_t j) { return factor[row * hidden + j]; });
    }

    RecurrentSizes sizes_;
    bool isLinear_;
    /// Places in the scratch.
    size_t gates_ = 0, factor_ = 0, linear_ = 0, hidden_ = 0, zeros_ = 0;
    std::array<size_t, kFactors.size()> factors_{};
};

std::unique_ptr<Kernel> prepareGruGrad(const PrepareContext& context) {
    if (context.hasInput(InputLengths)) {
        context.fail(ErrorCode::Unsupported,
                     "Input 4 (sequence_lens) is given; GRUGrad takes "
                     "sequences of one length.");
    }
    for (const Input input : {InputW, InputR, InputAllH, InputGates}) {
        context.requireDType(input, context.input(InputX).dtype);
    }
    if (context.input(InputX).dtype == DType::Float64) {
        return std::make_unique<GruGradKernel<double>>(context);
    }
    context.requireDType(InputX, DType::Float32);
    return std::make_unique<GruGradKernel<float>>(context);
}

}  // namespace

void addGruGradCpuKernel(KernelRegistry& kernels) {
    kernels.add(kMicrosoftDomain, "GRUGrad", prepareGruGrad);
}

}  // namespace temper
