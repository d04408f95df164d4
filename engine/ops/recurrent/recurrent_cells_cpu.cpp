// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/recurrent/recurrent_cells_cpu.h"

#include <algorithm>

#include "engine/ops/recurrent/recurrent_activation_cpu.h"

namespace temper {
namespace {

/// H = f(X Wᵀ + H Rᵀ + b)
template <typename T>
class RnnCell final : public Cell<T> {
public:
    RnnCell(const RecurrentAttributes& attributes, int64_t direction, int64_t hidden)
        : hidden_(hidden), f_(attributes.activation(direction, 0), attributes.clip) {}

    void step(const CellRows<T>& rows, const GateRows<T>& gates) const override {
        rows.weights.multiply(rows.count, rows.hidden, hidden_, T{1}, gates.data, gates.stride);
        for (int64_t i = 0; i < rows.count; ++i) {
            T* gate = gates.row(i);
            f_(gate, hidden_);
            if (rows.isActive(i, gates.time)) {
                std::copy(gate, gate + hidden_, rows.hidden + i * hidden_);
            }
        }
    }

private:
    int64_t hidden_;
    ActivationLoop<T> f_;
};

/// i = f(.. + Pi C), f = f(.. + Pf C), c = g(..), C = f C + i c, o = f(.. + Po C), H = o h(C);
/// a row holds i, o, f, c. As in ORT, `clip` bounds what goes into the gates, not C.
template <typename T>
class LstmCell final : public Cell<T> {
public:
    LstmCell(const RecurrentAttributes& attributes, int64_t direction, int64_t hidden)
        : hidden_(hidden),
          couples_(attributes.couplesInputForget),
          f_(attributes.activation(direction, 0), attributes.clip),
          g_(attributes.activation(direction, 1), attributes.clip),
          h_(attributes.activation(direction, 2), std::nullopt) {}

    void step(const CellRows<T>& rows, const GateRows<T>& gates) const override {
        rows.weights.multiply(rows.count, rows.hidden, hidden_, T{1}, gates.data, gates.stride);
        for (int64_t i = 0; i < rows.count; ++i) {
            if (!rows.isActive(i, gates.time)) continue;
            T* cell = rows.cell + i * hidden_;
            if (rows.peepholes == nullptr) {
                f_(gates.row(i), 3 * hidden_);
                updateCell(gates.row(i), cell);
            } else {
                stepWithPeepholes(rows.peepholes, gates.row(i), cell);
            }
            updateHidden(gates.row(i), cell, rows.spare + i * hidden_, rows.hidden + i * hidden_);
        }
    }

private:
    void stepWithPeepholes(const T* peepholes, T* gate, T* cell) const {
        T *input = gate, *output = gate + hidden_, *forget = gate + 2 * hidden_;
        for (int64_t j = 0; j < hidden_; ++j) {
            input[j] += peepholes[j] * cell[j];
            forget[j] += peepholes[2 * hidden_ + j] * cell[j];
        }
        f_(input, hidden_);
        f_(forget, hidden_);
        updateCell(gate, cell);
        for (int64_t j = 0; j < hidden_; ++j) output[j] += peepholes[hidden_ + j] * cell[j];
        f_(output, hidden_);
    }

    void updateCell(T* gate, T* cell) const {
        const T* input = gate;
        T *forget = gate + 2 * hidden_, *candidate = gate + 3 * hidden_;
        g_(candidate, hidden_);
        if (couples_) std::transform(input, input + hidden_, forget, [](T v) { return 1 - v; });
        for (int64_t j = 0; j < hidden_; ++j) {
            cell[j] = forget[j] * cell[j] + input[j] * candidate[j];
        }
    }

    void updateHidden(const T* gate, const T* cell, T* activated, T* hidden) const {
        std::copy(cell, cell + hidden_, activated);
        h_(activated, hidden_);
        const T* output = gate + hidden_;
        for (int64_t j = 0; j < hidden_; ++j) hidden[j] = output[j] * activated[j];
    }

    int64_t hidden_;
    bool couples_;
    ActivationLoop<T> f_, g_, h_;
};

/// z = f(..), r = f(..), h = g(X Whᵀ + (r H) Rhᵀ + b) or, linear before reset,
/// g(X Whᵀ + bw + r (H Rhᵀ + br)); H = (1 - z) h + z H; a row holds z, r, h.
template <typename T>
class GruCell final : public Cell<T> {
public:
    GruCell(const RecurrentAttributes& attributes, int64_t direction, int64_t hidden)
        : hidden_(hidden),
          linearBeforeReset_(attributes.linearBeforeReset),
          f_(attributes.activation(direction, 0), attributes.clip),
          g_(attributes.activation(direction, 1), attributes.clip) {}

    void step(const CellRows<T>& rows, const GateRows<T>& gates) const override {
        rows.weights.multiply(rows.count, rows.hidden, hidden_, T{1}, gates.data, gates.stride);
        for (int64_t i = 0; i < rows.count; ++i) f_(gates.row(i), 2 * hidden_);
        if (linearBeforeReset_) {
            addLinearBeforeReset(rows, gates);
        } else {
            addReset(rows, gates);
        }
        for (int64_t i = 0; i < rows.count; ++i) {
            T *gate = gates.row(i), *hidden = rows.hidden + i * hidden_;
            g_(gate + 2 * hidden_, hidden_);
            if (rows.isActive(i, gates.time)) blend(gate, gate + 2 * hidden_, hidden);
        }
    }

private:
    void addReset(const CellRows<T>& rows, const GateRows<T>& gates) const {
        for (int64_t i = 0; i < rows.count; ++i) {
            const T *reset = gates.row(i) + hidden_, *hidden = rows.hidden + i * hidden_;
            T* product = rows.spare + i * hidden_;
            for (int64_t j = 0; j < hidden_; ++j) product[j] = reset[j] * hidden[j];
        }
        rows.candidate.multiply(rows.count, rows.spare, hidden_, T{1}, gates.data + 2 * hidden_,
                                gates.stride);
    }

    void addLinearBeforeReset(const CellRows<T>& rows, const GateRows<T>& gates) const {
        for (int64_t i = 0; i < rows.count; ++i) {
            T* linear = rows.spare + i * hidden_;
            if (rows.bias == nullptr) {
                std::fill(linear, linear + hidden_, T{0});
            } else {
                std::copy(rows.bias + 2 * hidden_, rows.bias + 3 * hidden_, linear);
            }
        }
        rows.candidate.multiply(rows.count, rows.hidden, hidden_, T{1}, rows.spare, hidden_);
        for (int64_t i = 0; i < rows.count; ++i) {
            const T *reset = gates.row(i) + hidden_, *linear = rows.spare + i * hidden_;
            T* candidate = gates.row(i) + 2 * hidden_;
            for (int64_t j = 0; j < hidden_; ++j) candidate[j] += reset[j] * linear[j];
        }
    }

    void blend(const T* update, const T* candidate, T* hidden) const {
        for (int64_t j = 0; j < hidden_; ++j) {
            hidden[j] = (1 - update[j]) * candidate[j] + update[j] * hidden[j];
        }
    }

    int64_t hidden_;
    bool linearBeforeReset_;
    ActivationLoop<T> f_, g_;
};

}  // namespace

RecurrentSizes RecurrentSizes::of(const PrepareContext& context,
                                  const RecurrentAttributes& attributes) {
    const Shape &x = context.input(kInputX).shape, &r = context.input(kInputR).shape;
    return {.time = x.at(attributes.batchFirst ? 1 : 0),
            .batch = x.at(attributes.batchFirst ? 0 : 1),
            .input = x.at(2),
            .hidden = r.at(2),
            .gates = attributes.gates(),
            .directions = attributes.directions,
            .batchFirst = attributes.batchFirst};
}

int64_t RecurrentSizes::rowsPerTask() const {
    constexpr int64_t kFlopsPerStep = 1 << 18, kMinRows = 16;
    const int64_t flopsPerRow = std::max<int64_t>(1, 2 * gateColumns() * hidden);
    return std::max(kMinRows, (kFlopsPerStep + flopsPerRow - 1) / flopsPerRow);
}

template <typename T>
std::unique_ptr<const Cell<T>> makeCell(const RecurrentAttributes& attributes, int64_t direction,
                                        int64_t hidden) {
    switch (attributes.kind) {
        case CellKind::Lstm: return std::make_unique<LstmCell<T>>(attributes, direction, hidden);
        case CellKind::Gru: return std::make_unique<GruCell<T>>(attributes, direction, hidden);
        case CellKind::Rnn: break;
    }
    return std::make_unique<RnnCell<T>>(attributes, direction, hidden);
}

template std::unique_ptr<const Cell<float>> makeCell(const RecurrentAttributes&, int64_t, int64_t);
template std::unique_ptr<const Cell<double>> makeCell(const RecurrentAttributes&, int64_t, int64_t);

}  // namespace temper
