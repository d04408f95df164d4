// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/recurrent/recurrent_forms_gradient.h"

namespace temper {
namespace {

using Values = Subgraph::Values;

/// States [1, B, H]; null is zero.
struct State {
    Value* hidden = nullptr;
    Value* cell = nullptr;
};

/// One direction of a node, its weights as the steps read them.
struct UnrolledDirection {
    int64_t index = 0;
    Value* input = nullptr;      ///< [I, gates H]
    Value* recurrent = nullptr;  ///< [H, gates H]
    Value* candidate = nullptr;  ///< GRU: the last [H, H] of `recurrent`, which has only the others
    Value* inputBias = nullptr;  ///< [gates H], with all of the other half that is just added
    Value* candidateBias = nullptr;  ///< GRU, linear before reset: [H]
    Values peepholes;                ///< i, o, f: [H]
    State initial;
};

/// Writes the formulas of ONNX's RNN, LSTM and GRU for each time step.
class Unrolling {
public:
    Unrolling(Graph& graph, Node* node)
        : graph_(graph, node),
          attributes_(RecurrentAttributes::of(*node)),
          hidden_(hiddenSizeOf(*node, attributes_).value()),
          steps_(fixedTimeSteps(*node, attributes_).value()) {}

    void build() {
        x_ = timeFirst(graph_, attributes_, graph_.input(kInputX));
        if (Value* lengths = graph_.input(kInputLengths)) {
            lengths_ = graph_.op("Reshape", {lengths, graph_.integers({1, -1, 1})});
        }
        Values all, hidden, cell;
        for (const UnrolledDirection& direction : directions()) {
            const auto [sequence, last] = run(direction);
            if (graph_.wants(0)) all.push_back(graph_.unsqueeze(graph_.concat(sequence, 0), 1));
            hidden.push_back(last.hidden);
            cell.push_back(last.cell);
        }
        Values outputs = {sequenceInLayout(graph_, attributes_, joined(0, all, 1)),
                          stateInLayout(graph_, attributes_, joined(1, hidden, 0)),
                          stateInLayout(graph_, attributes_, joined(2, cell, 0))};
        graph_.replaceBy(outputs);
    }

private:
    struct Run {
        Values sequence;  ///< [1, B, H] for each time step
        State last;
    };

    bool isGru() const { return attributes_.kind == CellKind::Gru; }
    bool isLstm() const { return attributes_.kind == CellKind::Lstm; }

    Value* joined(size_t output, const Values& parts, int64_t axis) {
        return graph_.wants(output) ? graph_.concat(parts, axis) : nullptr;
    }

    Value* add(Value* a, Value* b) {
        if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
        return graph_.op("Add", {a, b});
    }
    /// Null if a factor is.
    Value* multiply(Value* a, Value* b) {
        return a == nullptr || b == nullptr ? nullptr : graph_.op("Mul", {a, b});
    }
    Value* matMul(Value* a, Value* b) {
        return a == nullptr ? nullptr : graph_.op("MatMul", {a, b});
    }
    Value* oneMinus(Value* x) { return graph_.op("Sub", {graph_.number(1), x}); }
    Value* orZero(Value* state) {
        return state != nullptr ? state : graph_.literal(Tensor(graph_.dtype(), {1, 1, hidden_}));
    }

    Value* clipped(Value* x) {
        if (!attributes_.clip) return x;
        const float bound = *attributes_.clip;
        if (graph_.opset() < 11) return graph_.op("Clip", {x}, {{"min", -bound}, {"max", bound}});
        return graph_.op("Clip", {x, graph_.number(-bound), graph_.number(bound)});
    }

    /// f or g of a gate.
    Value* gate(Value* x, const UnrolledDirection& direction, size_t place) {
        return activated(clipped(x), direction, place);
    }

    Value* activated(Value* x, const UnrolledDirection& direction, size_t place) {
        const RecurrentActivation& f = attributes_.activation(direction.index, place);
        switch (f.kind) {
            case ActivationKind::Relu: return graph_.op("Relu", {x});
            case ActivationKind::Tanh: return graph_.op("Tanh", {x});
            case ActivationKind::Sigmoid: return graph_.op("Sigmoid", {x});
            case ActivationKind::Softsign: return graph_.op("Softsign", {x});
            case ActivationKind::Softplus: return graph_.op("Softplus", {x});
            case ActivationKind::LeakyRelu:
                return graph_.op("LeakyRelu", {x}, {{"alpha", f.alpha}});
            case ActivationKind::Elu: return graph_.op("Elu", {x}, {{"alpha", f.alpha}});
            case ActivationKind::HardSigmoid:
                return graph_.op("HardSigmoid", {x}, {{"alpha", f.alpha}, {"beta", f.beta}});
            case ActivationKind::Affine:
                return add(multiply(x, graph_.number(f.alpha)), graph_.number(f.beta));
            case ActivationKind::ScaledTanh:
                return multiply(graph_.op("Tanh", {multiply(x, graph_.number(f.beta))}),
                                graph_.number(f.alpha));
            case ActivationKind::ThresholdedRelu: break;
        }
        Value* isAbove = graph_.op("Greater", {x, graph_.number(f.alpha)});
        return graph_.op("Where", {isAbove, x, graph_.number(0)});
    }

    std::vector<UnrolledDirection> directions() {
        const auto count = static_cast<size_t>(attributes_.directions);
        const auto parts = [&](Value* value) { return graph_.splitEvenly(value, 0, count, 1); };
        const auto states = [&](size_t input) {
            return parts(directionFirst(graph_, attributes_, graph_.input(input)));
        };
        const Values w = parts(graph_.input(kInputW)), r = parts(graph_.input(kInputR));
        const Values b = parts(graph_.input(kInputB)), h = states(kInputInitialH);
        const Values c = isLstm() ? states(kInputInitialC) : Values(count, nullptr);
        const Values p = isLstm() ? parts(graph_.input(kInputPeepholes)) : Values(count, nullptr);
        std::vector<UnrolledDirection> result(count);
        for (size_t i = 0; i < count; ++i) {
            result[i].index = static_cast<int64_t>(i);
            // A single step without an initial state still reads R: its gradient is zero.
            result[i].initial = {steps_ == 1 ? orZero(h[i]) : h[i], c[i]};
            result[i].input = graph_.transpose(graph_.squeeze(w[i], 0), {1, 0});
            takeRecurrentWeights(result[i], graph_.squeeze(r[i], 0));
            if (b[i] != nullptr) takeBias(result[i], graph_.squeeze(b[i], 0));
            if (p[i] == nullptr) continue;
            result[i].peepholes = graph_.splitEvenly(graph_.squeeze(p[i], 0), 0, 3, hidden_);
        }
        return result;
    }

    void takeRecurrentWeights(UnrolledDirection& direction, Value* weights) {
        if (!isGru()) {
            direction.recurrent = graph_.transpose(weights, {1, 0});
            return;
        }
        const Values parts = graph_.split(weights, 0, {2 * hidden_, hidden_});
        direction.recurrent = graph_.transpose(parts[0], {1, 0});
        direction.candidate = graph_.transpose(parts[1], {1, 0});
    }

    void takeBias(UnrolledDirection& direction, Value* bias) {
        const int64_t columns = attributes_.gates() * hidden_;
        if (!isGru() || !attributes_.linearBeforeReset) {
            const Values halves = graph_.split(bias, 0, {columns, columns});
            direction.inputBias = add(halves[0], halves[1]);
            return;
        }
        const Values parts = graph_.split(bias, 0, {2 * hidden_, hidden_, 2 * hidden_, hidden_});
        direction.inputBias = graph_.concat({add(parts[0], parts[2]), parts[1]}, 0);
        direction.candidateBias = parts[3];
    }

    Run run(const UnrolledDirection& direction) {
        Value* products = add(matMul(x_, direction.input), direction.inputBias);
        const Values inputs = graph_.splitEvenly(products, 0, static_cast<size_t>(steps_), 1);
        Run result{Values(inputs.size()), direction.initial};
        const bool forward = attributes_.runsForward(direction.index);
        for (int64_t step = 0; step < steps_; ++step) {
            const int64_t t = forward ? step : steps_ - 1 - step;
            const auto at = static_cast<size_t>(t);
            const State next = this->step(direction, inputs[at], result.last);
            result.sequence[at] = next.hidden;
            if (lengths_ == nullptr) {
                result.last = next;
            } else {
                applyLength(t, next, result.last, result.sequence[at]);
            }
        }
        if (lengths_ != nullptr) forgetEmptySequences(result.last);
        return result;
    }

    /// Past the end of a sequence, its states stay and its outputs are zero.
    void applyLength(int64_t t, const State& next, State& last, Value*& output) {
        Value* time = graph_.literal(Tensor::scalar(static_cast<int32_t>(t)));
        Value* isWithin = graph_.op("Less", {time, lengths_});
        output = graph_.op("Where", {isWithin, next.hidden, graph_.number(0)});
        last.hidden = graph_.op("Where", {isWithin, next.hidden, orZero(last.hidden)});
        if (!isLstm()) return;
        last.cell = graph_.op("Where", {isWithin, next.cell, orZero(last.cell)});
    }

    /// As in ORT, a sequence without steps ends with zeros, whatever its initial state is.
    void forgetEmptySequences(State& last) {
        Value* none = graph_.literal(Tensor::scalar<int32_t>(0));
        Value* hasSteps = graph_.op("Less", {none, lengths_});
        last.hidden = graph_.op("Where", {hasSteps, last.hidden, graph_.number(0)});
        if (isLstm()) last.cell = graph_.op("Where", {hasSteps, last.cell, graph_.number(0)});
    }

    State step(const UnrolledDirection& direction, Value* input, const State& last) {
        switch (attributes_.kind) {
            case CellKind::Lstm: return lstmStep(direction, input, last);
            case CellKind::Gru: return gruStep(direction, input, last);
            case CellKind::Rnn: break;
        }
        Value* sum = add(input, matMul(last.hidden, direction.recurrent));
        return {gate(sum, direction, 0), nullptr};
    }

    State lstmStep(const UnrolledDirection& direction, Value* input, const State& last) {
        Value* sums = add(input, matMul(last.hidden, direction.recurrent));
        const Values gates = graph_.splitEvenly(sums, 2, 4, hidden_);
        const auto peephole = [&](size_t i, Value* cell) {
            return direction.peepholes.empty() ? nullptr : multiply(cell, direction.peepholes[i]);
        };
        Value* i = gate(add(gates[0], peephole(0, last.cell)), direction, 0);
        Value* f = attributes_.couplesInputForget
                       ? oneMinus(i)
                       : gate(add(gates[2], peephole(2, last.cell)), direction, 0);
        Value* candidate = gate(gates[3], direction, 1);
        Value* cell = add(multiply(f, last.cell), multiply(i, candidate));
        Value* o = gate(add(gates[1], peephole(1, cell)), direction, 0);
        return {multiply(o, activated(cell, direction, 2)), cell};
    }

    State gruStep(const UnrolledDirection& direction, Value* input, const State& last) {
        const Values parts = graph_.split(input, 2, {2 * hidden_, hidden_});
        Value* sums = add(parts[0], matMul(last.hidden, direction.recurrent));
        const Values gates = graph_.splitEvenly(gate(sums, direction, 0), 2, 2, hidden_);
        Value *z = gates[0], *r = gates[1];
        Value* linear = attributes_.linearBeforeReset
                            ? multiply(r, add(matMul(last.hidden, direction.candidate),
                                              direction.candidateBias))
                            : matMul(multiply(r, last.hidden), direction.candidate);
        Value* candidate = gate(add(parts[1], linear), direction, 1);
        return {add(multiply(oneMinus(z), candidate), multiply(z, last.hidden)), nullptr};
    }

    Subgraph graph_;
    RecurrentAttributes attributes_;
    int64_t hidden_;
    int64_t steps_;
    Value* x_ = nullptr;
    Value* lengths_ = nullptr;  ///< int32 [1, B, 1]
};

}  // namespace

void unroll(Graph& graph, Node* node) { Unrolling(graph, node).build(); }

}  // namespace temper
