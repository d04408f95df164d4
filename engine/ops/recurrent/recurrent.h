// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/ops/op_set.h"

namespace temper {

/// RNN, LSTM, GRU and ORT's LSTMTraining, LSTMGrad, GRUTraining, GRUGrad.
void registerRecurrent(OpSet& ops);

void addRecurrentTypes(OpCatalog& catalog);
void addRecurrentGradients(GradientRules& rules);
void addRecurrentCpuKernels(KernelRegistry& kernels);
void addLstmGradCpuKernel(KernelRegistry& kernels);
void addGruGradCpuKernel(KernelRegistry& kernels);

enum class CellKind { Rnn, Lstm, Gru };

/// Blocks of rows in W and R: 1, 4 (i, o, f, c) or 3 (z, r, h).
int64_t gateCount(CellKind kind);
/// RNN, LSTM and GRU, LSTMTraining and GRUTraining.
CellKind cellKindOf(const Node& node);

/// The activations that a recurrent node can name.
enum class ActivationKind {
    Relu,
    Tanh,
    Sigmoid,
    Affine,           ///< alpha x + beta
    LeakyRelu,        ///< x, below 0: alpha x
    ThresholdedRelu,  ///< x, from alpha downwards: 0
    ScaledTanh,       ///< alpha tanh(beta x)
    HardSigmoid,      ///< alpha x + beta within [0, 1]
    Elu,              ///< x, below 0: alpha (exp(x) - 1)
    Softsign,         ///< x / (1 + |x|)
    Softplus,         ///< log(1 + exp(x))
};

struct RecurrentActivation {
    ActivationKind kind = ActivationKind::Tanh;
    float alpha = 0;
    float beta = 0;
    bool operator==(const RecurrentActivation&) const = default;
};

/// The attributes of a recurrent node.
/// Source: ONNX operators RNN, LSTM, GRU, versions 7, 14 and 21 (which differ only in `layout` and
/// element types).
struct RecurrentAttributes {
    CellKind kind = CellKind::Rnn;
    bool startsForward = true;  ///< the first direction; a second one runs the other way
    int64_t directions = 1;
    std::optional<int64_t> hiddenSize;
    /// RNN: f. GRU: f, g. LSTM: f, g, h. The same again for the second direction.
    std::vector<RecurrentActivation> activations;
    std::optional<float> clip;
    bool couplesInputForget = false;  ///< LSTM: f = 1 - i
    bool linearBeforeReset = false;   ///< GRU
    bool batchFirst = false;          ///< layout 1

    /// Throws: Error(InvalidInput) naming node, attribute and its value.
    static RecurrentAttributes of(const Node& node);

    int64_t gates() const { return gateCount(kind); }
    bool runsForward(int64_t direction) const { return (direction == 0) == startsForward; }
    /// f, g or h of a direction.
    const RecurrentActivation& activation(int64_t direction, size_t place) const;
    /// Whether the activations are the defaults that ONNX gives a node that names none.
    bool hasDefaultActivations() const;
};

// Positions of the inputs. Only LSTM has the last two.
inline constexpr size_t kInputX = 0;
inline constexpr size_t kInputW = 1;
inline constexpr size_t kInputR = 2;
inline constexpr size_t kInputB = 3;
inline constexpr size_t kInputLengths = 4;
inline constexpr size_t kInputInitialH = 5;
inline constexpr size_t kInputInitialC = 6;
inline constexpr size_t kInputPeepholes = 7;

}  // namespace temper
