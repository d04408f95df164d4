// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "engine/ops/recurrent/recurrent.h"
#include "engine/ops/recurrent/step_factor_cpu.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// The sizes of a prepared recurrent node, and the positions of its tensors' rows.
struct RecurrentSizes {
    int64_t time = 0;
    int64_t batch = 0;
    int64_t input = 0;
    int64_t hidden = 0;
    int64_t gates = 1;
    int64_t directions = 1;
    bool batchFirst = false;

    static RecurrentSizes of(const PrepareContext& context, const RecurrentAttributes& attributes);

    int64_t gateColumns() const { return gates * hidden; }
    /// Rows of X and of the gates: one per time step and batch entry.
    int64_t rows() const { return time * batch; }
    int64_t row(int64_t t, int64_t b) const { return batchFirst ? b * time + t : t * batch + b; }
    /// Rows from one batch entry to the next.
    int64_t rowStride() const { return batchFirst ? time : 1; }
    /// Row of Y.
    int64_t outputRow(int64_t t, int64_t direction, int64_t b) const {
        return batchFirst ? (b * time + t) * directions + direction
                          : (t * directions + direction) * batch + b;
    }
    /// Row of the initial and final states.
    int64_t stateRow(int64_t direction, int64_t b) const {
        return batchFirst ? b * directions + direction : direction * batch + b;
    }
    /// Batch entries that one task takes through all time steps: enough that their products are
    /// worth a task, and the same for any number of threads.
    int64_t rowsPerTask() const;
};

/// Some batch entries on their way through time, in one direction. States are [count, H].
template <typename T>
struct CellRows {
    int64_t count = 0;
    StepFactor<T> weights;         ///< Rᵀ of the direction; GRU: of its first two gates
    StepFactor<T> candidate;       ///< GRU: of the last one
    const T* bias = nullptr;       ///< second half of B, [gates H], if there is one
    const T* peepholes = nullptr;  ///< P of the direction, [3 H], if there is one
    T* hidden = nullptr;
    T* cell = nullptr;
    T* spare = nullptr;                ///< room for [count, H]
    const int32_t* lengths = nullptr;  ///< of these entries, if there are any

    bool isActive(int64_t row, int64_t t) const { return lengths == nullptr || t < lengths[row]; }
};

/// The gates of some batch entries at one time step. Before the step: X Wᵀ and the biases that are
/// added to it. After it: the results of the activations.
template <typename T>
struct GateRows {
    T* data = nullptr;
    int64_t stride = 0;
    int64_t time = 0;

    T* row(int64_t i) const { return data + i * stride; }
};

/// One time step of one direction. Entries whose sequence has ended keep their states.
template <typename T>
class Cell {
public:
    Cell() = default;
    virtual ~Cell() = default;
    Cell(const Cell&) = delete;
    Cell& operator=(const Cell&) = delete;
    virtual void step(const CellRows<T>& rows, const GateRows<T>& gates) const = 0;
};

/// Source: the formulas of ONNX's RNN, LSTM and GRU.
template <typename T>
std::unique_ptr<const Cell<T>> makeCell(const RecurrentAttributes& attributes, int64_t direction,
                                        int64_t hidden);

}  // namespace temper
