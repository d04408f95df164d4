// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/ops/recurrent/recurrent.h"
#include "engine/ops/recurrent/recurrent_cells_cpu.h"
#include "engine/runtime/cpu/gemm.h"
#include "engine/runtime/cpu/panel_product.h"
#include "engine/runtime/cpu/scratch_layout.h"

namespace temper {
namespace {

/// From this many products of a row with W and of a state's with R on, packing both is faster.
constexpr int64_t kRowsWorthPacking = 32;

/// RNN, LSTM, GRU and the training forms of the last two: first the products of the inputs of all
/// time steps, one matrix product per direction; then some batch entries at a time, independent of
/// the others, go through time.
template <typename T>
class RecurrentKernel final : public Kernel {
public:
    RecurrentKernel(const PrepareContext& context, RecurrentAttributes attributes)
        : attributes_(std::move(attributes)),
          sizes_(RecurrentSizes::of(context, attributes_)),
          product_{
              .m = sizes_.rows(), .n = sizes_.gateColumns(), .k = sizes_.input, .transB = true},
          tiles_(withStrides(product_)),
          inputPanels_(product_) {
        const bool isTraining = context.node().domain() == kMicrosoftDomain;
        isLstm_ = attributes_.kind == CellKind::Lstm;
        if (isTraining) gatesOutput_ = isLstm_ ? 4 : 2;
        if (isTraining && isLstm_) cellsOutput_ = 3;
        for (int64_t d = 0; d < sizes_.directions; ++d) {
            cells_.push_back(makeCell<T>(attributes_, d, sizes_.hidden));
        }
        layOutScratch(context);
        const int64_t recurrence = 2 * sizes_.rows() * sizes_.gateColumns() * sizes_.hidden;
        traits_.flops = sizes_.directions * (product_.flops() + recurrence);
    }

    void run(const RunContext& context) const override {
        for (int64_t d = 0; d < sizes_.directions; ++d) {
            multiplyInputs(context, d);
            if (packsWeights_) packWeights(context, d);
        }
        const int64_t perTask = sizes_.rowsPerTask();
        const int64_t tasks = (sizes_.batch + perTask - 1) / perTask;
        context.pool().forEach(sizes_.directions * tasks, [&](int64_t i) {
            const int64_t begin = i % tasks * perTask;
            runRows(context, i / tasks, begin, std::min(perTask, sizes_.batch - begin));
        });
    }

private:
    static MatrixProduct& withStrides(MatrixProduct& product) {
        product.setDenseStrides();
        return product;
    }

    void layOutScratch(const PrepareContext& context) {
        ScratchLayout layout;
        const auto add = [&](int64_t count) {
            return layout.add(static_cast<size_t>(count) * sizeof(T));
        };
        const int64_t states = sizes_.directions * sizes_.batch * sizes_.hidden;
        hidden_ = add(states);
        cell_ = add(isLstm_ ? states : 0);
        spare_ = add(states);
        bias_ = add(sizes_.gateColumns());
        packsWeights_ = StepFactor<T>::kHasPanels && sizes_.rows() >= kRowsWorthPacking;
        inputWeights_ = layout.add(packsWeights_ ? inputPanels_.panelBytes() : 0);
        if (packsWeights_)
            packedBytes_ = StepFactor<T>{sizes_.hidden, weightColumns()}.packedBytes() +
                           StepFactor<T>{sizes_.hidden, candidateColumns()}.packedBytes();
        weights_ = layout.add(static_cast<size_t>(sizes_.directions) * packedBytes_);
        const bool inOutput = gatesOutput_ > 0 && context.hasOutput(gatesOutput_);
        if (!inOutput) gatesOutput_ = 0;
        gates_ = add(inOutput ? 0 : sizes_.directions * sizes_.rows() * sizes_.gateColumns());
        traits_.scratchBytes = layout.bytes();
    }

    T* at(const RunContext& context, size_t offset) const {
        return reinterpret_cast<T*>(context.scratch() + offset);
    }

    T* gatesOf(const RunContext& context, int64_t direction) const {
        if (gatesOutput_ > 0) return context.out<T>(gatesOutput_);
        return at(context, gates_) + direction * sizes_.rows() * sizes_.gateColumns();
    }

    /// The sum of both halves of B; GRU's last gate, linear before reset, gets only the first.
    const T* sumBias(const RunContext& context, int64_t direction) const {
        const int64_t columns = sizes_.gateColumns();
        T* sum = at(context, bias_);
        const T* bias = context.in<T>(kInputB);
        if (bias == nullptr) {
            std::fill(sum, sum + columns, T{0});
            return sum;
        }
        bias += direction * 2 * columns;
        const bool keepsApart = attributes_.kind == CellKind::Gru && attributes_.linearBeforeReset;
        const int64_t summed = keepsApart ? 2 * sizes_.hidden : columns;
        std::transform(bias, bias + summed, bias + columns, sum, std::plus<>());
        std::copy(bias + summed, bias + columns, sum + summed);
        return sum;
    }

    /// The columns of CellRows::weights, and of CellRows::candidate.
    int64_t weightColumns() const {
        return (attributes_.kind == CellKind::Gru ? 2 : sizes_.gates) * sizes_.hidden;
    }
    int64_t candidateColumns() const { return sizes_.gateColumns() - weightColumns(); }

    /// Both as the node has them.
    StepFactor<T> storedWeights(const T* r) const {
        return {sizes_.hidden, weightColumns(), r, true};
    }
    StepFactor<T> storedCandidate(const T* r) const {
        return {sizes_.hidden, candidateColumns(), r + weightColumns() * sizes_.hidden, true};
    }

    const T* weightsOf(const RunContext& context, int64_t direction) const {
        return context.in<T>(kInputR) + direction * sizes_.gateColumns() * sizes_.hidden;
    }
    std::byte* packedWeights(const RunContext& context, int64_t direction) const {
        return context.scratch() + weights_ + static_cast<size_t>(direction) * packedBytes_;
    }

    void packWeights(const RunContext& context, int64_t direction) const {
        const T* r = weightsOf(context, direction);
        std::byte* to = packedWeights(context, direction);
        storedWeights(r).pack(context.pool(), to);
        storedCandidate(r).pack(context.pool(), to + storedWeights(r).packedBytes());
    }

    void setWeights(const RunContext& context, int64_t direction, CellRows<T>& rows) const {
        const T* r = weightsOf(context, direction);
        rows.weights = storedWeights(r);
        rows.candidate = storedCandidate(r);
        if (!packsWeights_) return;
        const std::byte* packed = packedWeights(context, direction);
        rows.candidate = rows.candidate.packedAt(packed + rows.weights.packedBytes());
        rows.weights = rows.weights.packedAt(packed);
    }

    /// gates = X Wᵀ + b for all time steps.
    void multiplyInputs(const RunContext& context, int64_t direction) const {
        const T* bias = sumBias(context, direction);
        const T *x = context.in<T>(kInputX), *w = context.in<T>(kInputW);
        w += direction * sizes_.gateColumns() * sizes_.input;
        T* gates = gatesOf(context, direction);
        std::byte* panels = context.scratch() + inputWeights_;
        if constexpr (StepFactor<T>::kHasPanels) {
            if (packsWeights_) inputPanels_.pack(context.pool(), w, panels);
        }
        const MatrixTiles& tiles = packsWeights_ ? inputPanels_.tiles() : tiles_;
        context.pool().forEach(tiles.count(), [&](int64_t i) {
            const auto tile = tiles.tile(i);
            T* target = gates + tile.offsetC;
            const T* from = bias + tile.column;
            for (int64_t row = 0; row < tile.product.m; ++row) {
                std::copy(from, from + tile.product.n, target + row * product_.rowStrideC);
            }
            if constexpr (StepFactor<T>::kHasPanels) {
                if (packsWeights_) return inputPanels_.multiply(tile, 1, x, panels, 1, gates);
            }
            gemm(tile.product, T{1}, x + tile.offsetA, w + tile.offsetB, T{1}, target);
        });
    }

    void runRows(const RunContext& context, int64_t direction, int64_t begin, int64_t count) const {
        const CellRows<T> rows = rowsOf(context, direction, begin, count);
        loadState(context.in<T>(kInputInitialH), rows.hidden, direction, begin, count);
        if (isLstm_) {
            loadState(context.in<T>(kInputInitialC), rows.cell, direction, begin, count);
        }
        const int64_t columns = sizes_.gateColumns();
        for (int64_t step = 0; step < sizes_.time; ++step) {
            const int64_t t = attributes_.runsForward(direction) ? step : sizes_.time - 1 - step;
            const GateRows<T> gates{gatesOf(context, direction) + sizes_.row(t, begin) * columns,
                                    sizes_.rowStride() * columns, t};
            cells_[static_cast<size_t>(direction)]->step(rows, gates);
            storeStep(context.out<T>(0), rows, rows.hidden, direction, begin, t);
            if (cellsOutput_ > 0) {
                storeStep(context.out<T>(cellsOutput_), rows, rows.cell, direction, begin, t);
            }
        }
        storeState(context.out<T>(1), rows, rows.hidden, direction, begin);
        if (isLstm_) storeState(context.out<T>(2), rows, rows.cell, direction, begin);
    }

    CellRows<T> rowsOf(const RunContext& context, int64_t direction, int64_t begin,
                       int64_t count) const {
        const int64_t hidden = sizes_.hidden, columns = sizes_.gateColumns();
        const int64_t state = (direction * sizes_.batch + begin) * hidden;
        CellRows<T> rows;
        rows.count = count;
        setWeights(context, direction, rows);
        if (const T* bias = context.in<T>(kInputB))
            rows.bias = bias + (2 * direction + 1) * columns;
        rows.hidden = at(context, hidden_) + state;
        rows.spare = at(context, spare_) + state;
        if (const auto* lengths = context.in<int32_t>(kInputLengths))
            rows.lengths = lengths + begin;
        if (!isLstm_) return rows;
        rows.cell = at(context, cell_) + state;
        if (const T* peepholes = context.in<T>(kInputPeepholes)) {
            rows.peepholes = peepholes + direction * 3 * hidden;
        }
        return rows;
    }

    void loadState(const T* initial, T* state, int64_t direction, int64_t begin,
                   int64_t count) const {
        const int64_t hidden = sizes_.hidden;
        if (initial == nullptr) {
            std::fill(state, state + count * hidden, T{0});
            return;
        }
        for (int64_t i = 0; i < count; ++i) {
            const T* from = initial + sizes_.stateRow(direction, begin + i) * hidden;
            std::copy(from, from + hidden, state + i * hidden);
        }
    }

    /// As in ORT, a sequence without steps ends with zeros, whatever its initial state is.
    void storeState(T* final, const CellRows<T>& rows, const T* state, int64_t direction,
                    int64_t begin) const {
        if (final == nullptr) return;
        const int64_t hidden = sizes_.hidden;
        for (int64_t i = 0; i < rows.count; ++i) {
            T* to = final + sizes_.stateRow(direction, begin + i) * hidden;
            if (rows.isActive(i, 0)) {
                std::copy_n(state + i * hidden, hidden, to);
            } else {
                std::fill_n(to, hidden, T{0});
            }
        }
    }

    /// The states after step t; zeros past the end of a sequence.
    void storeStep(T* all, const CellRows<T>& rows, const T* state, int64_t direction,
                   int64_t begin, int64_t t) const {
        if (all == nullptr) return;
        const int64_t hidden = sizes_.hidden;
        for (int64_t i = 0; i < rows.count; ++i) {
            T* to = all + sizes_.outputRow(t, direction, begin + i) * hidden;
            if (rows.isActive(i, t)) {
                std::copy(state + i * hidden, state + (i + 1) * hidden, to);
            } else {
                std::fill(to, to + hidden, T{0});
            }
        }
    }

    RecurrentAttributes attributes_;
    RecurrentSizes sizes_;
    MatrixProduct product_;
    MatrixTiles tiles_;
    PanelProduct inputPanels_;  ///< instead of the tiles, if weights are packed
    std::vector<std::unique_ptr<const Cell<T>>> cells_;
    bool isLstm_ = false;
    size_t gatesOutput_ = 0;  ///< of the training forms; else 0
    size_t cellsOutput_ = 0;  ///< of LSTMTraining; else 0
    bool packsWeights_ = false;
    size_t packedBytes_ = 0;  ///< of a direction's weights
    /// Offsets in the scratch memory.
    size_t hidden_ = 0, cell_ = 0, spare_ = 0, bias_ = 0, gates_ = 0;
    size_t weights_ = 0, inputWeights_ = 0;
};

void requireOneType(const PrepareContext& context) {
    for (size_t i = 1; i < context.inputCount(); ++i) {
        if (context.hasInput(i) && i != kInputLengths) {
            context.requireDType(i, context.input(kInputX).dtype);
        }
    }
    if (context.hasInput(kInputLengths)) context.requireDType(kInputLengths, DType::Int32);
}

std::unique_ptr<Kernel> prepareRecurrent(const PrepareContext& context) {
    auto attributes = RecurrentAttributes::of(context.node());
    requireOneType(context);
    if (context.input(kInputX).dtype == DType::Float64) {
        return std::make_unique<RecurrentKernel<double>>(context, std::move(attributes));
    }
    context.requireDType(kInputX, DType::Float32);
    return std::make_unique<RecurrentKernel<float>>(context, std::move(attributes));
}

std::unique_ptr<Kernel> prepareTraining(const PrepareContext& context) {
    const auto attributes = RecurrentAttributes::of(context.node());
    if (attributes.directions != 1 || !attributes.startsForward) {
        context.fail(ErrorCode::Unsupported,
                     "Attribute 'direction' is '" +
                         context.node().attribute<std::string>("direction", "forward") + "'; " +
                         context.node().opType() + " runs forward only.");
    }
    return prepareRecurrent(context);
}

}  // namespace

void addRecurrentCpuKernels(KernelRegistry& kernels) {
    for (const char* op : {"RNN", "LSTM", "GRU"}) kernels.add(kOnnxDomain, op, prepareRecurrent);
    for (const char* op : {"LSTMTraining", "GRUTraining"}) {
        kernels.add(kMicrosoftDomain, op, prepareTraining);
    }
}

}  // namespace temper
