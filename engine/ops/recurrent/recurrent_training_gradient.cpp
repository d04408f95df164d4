// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <numeric>

#include "engine/ops/recurrent/recurrent_forms_gradient.h"

namespace temper {
namespace {

using Values = Subgraph::Values;

/// One direction of a node: [1, ...] parts of its weights and states.
struct Direction {
    bool runsForward = true;
    Value* w = nullptr;
    Value* r = nullptr;
    Value* b = nullptr;
    Value* h = nullptr;
    Value* c = nullptr;
};

/// [T, 1, B, H], [1, B, H] and [1, B, H].
struct Results {
    Value* all = nullptr;
    Value* hidden = nullptr;
    Value* cell = nullptr;
};

/// Builds the nodes. ORT's training operators run forward over sequences of one length, with time
/// first: sequences are reversed before and after a reverse direction, outputs past the end of
/// shorter sequences become zero, and final states are taken from there.
class TrainingOperators {
public:
    TrainingOperators(Graph& graph, Node* node)
        : graph_(graph, node),
          attributes_(RecurrentAttributes::of(*node)),
          isLstm_(attributes_.kind == CellKind::Lstm),
          hidden_(hiddenSizeOf(*node, attributes_).value()),
          steps_(fixedTimeSteps(*node, attributes_)) {}

    void build() {
        x_ = timeFirst(graph_, attributes_, graph_.input(kInputX));
        if (Value* lengths = graph_.input(kInputLengths)) {
            lengths_ = graph_.op("Cast", {lengths}, {{"to", static_cast<int64_t>(DType::Int64)}});
        }
        Values all, hidden, cell;
        for (const Direction& direction : directions()) {
            const Results results = run(direction);
            all.push_back(results.all);
            hidden.push_back(results.hidden);
            cell.push_back(results.cell);
        }
        Values outputs = {sequenceInLayout(graph_, attributes_, joined(0, all, 1)),
                          stateInLayout(graph_, attributes_, joined(1, hidden, 0))};
        if (isLstm_) outputs.push_back(stateInLayout(graph_, attributes_, joined(2, cell, 0)));
        graph_.replaceBy(outputs);
    }

private:
    Value* joined(size_t output, const Values& parts, int64_t axis) {
        return graph_.wants(output) ? graph_.concat(parts, axis) : nullptr;
    }

    std::vector<Direction> directions() {
        const auto count = static_cast<size_t>(attributes_.directions);
        const auto parts = [&](Value* value) { return graph_.splitEvenly(value, 0, count, 1); };
        const auto states = [&](size_t input) {
            return parts(directionFirst(graph_, attributes_, graph_.input(input)));
        };
        const Values w = parts(graph_.input(kInputW)), r = parts(graph_.input(kInputR));
        const Values b = parts(graph_.input(kInputB)), h = states(kInputInitialH);
        const Values c = isLstm_ ? states(kInputInitialC) : Values(count, nullptr);
        std::vector<Direction> result;
        for (size_t i = 0; i < count; ++i) {
            const bool forward = attributes_.runsForward(static_cast<int64_t>(i));
            result.push_back({forward, w[i], r[i], b[i], h[i], c[i]});
        }
        return result;
    }

    Results run(const Direction& direction) {
        Value* x = direction.runsForward ? x_ : reversed(x_);
        Results results = runForward(x, direction);
        if (lengths_ == nullptr) {
            if (!direction.runsForward && graph_.wants(0)) results.all = reversed(results.all);
            return results;
        }
        Value* states = graph_.squeeze(results.all, 1);
        if (graph_.wants(1)) results.hidden = stateAtEnd(states);
        if (!graph_.wants(0)) return results;
        Value* inOrder = direction.runsForward ? states : reversed(states);
        results.all = graph_.unsqueeze(
            graph_.op("Where", {isWithinSequence(), inOrder, graph_.number(0)}), 1);
        return results;
    }

    Results runForward(Value* x, const Direction& d) {
        if (isLstm_) {
            const Values made =
                graph_.ops(kMicrosoftDomain, "LSTMTraining", {x, d.w, d.r, d.b, nullptr, d.h, d.c},
                           {{"hidden_size", hidden_}}, 5);
            return {made[0], made[1], made[2]};
        }
        const Values made = graph_.ops(
            kMicrosoftDomain, "GRUTraining", {x, d.w, d.r, d.b, nullptr, d.h},
            {{"hidden_size", hidden_},
             {"linear_before_reset", static_cast<int64_t>(attributes_.linearBeforeReset)}},
            3);
        return {made[0], made[1], nullptr};
    }

    /// [T, ...] with the last time step first; for each sequence, if there are lengths.
    Value* reversed(Value* x) {
        if (lengths_ != nullptr) {
            return graph_.op("ReverseSequence", {x, lengths_},
                             {{"batch_axis", int64_t{1}}, {"time_axis", int64_t{0}}});
        }
        const Values range = {graph_.integers({-1}),
                              graph_.integers({std::numeric_limits<int64_t>::min() + 1}),
                              graph_.integers({0}), graph_.integers({-1})};
        if (graph_.opset() >= 10) {
            return graph_.op("Slice", {x, range[0], range[1], range[2], range[3]});
        }
        return reversedBySliceGrad(x, range);
    }

    /// Before opset 10 no ONNX operator goes backwards through a dimension that is not fixed; the
    /// gradient of a reversal, which is one itself, does.
    Value* reversedBySliceGrad(Value* x, const Values& range) {
        Value* shape = graph_.op("Shape", {x});
        return graph_
            .ops(kMicrosoftDomain, "SliceGrad", {x, shape, range[0], range[1], range[2], range[3]},
                 {}, 1)
            .front();
    }

    /// Booleans [T, B, 1].
    Value* isWithinSequence() {
        if (mask_ == nullptr) {
            Value* times = graph_.unsqueeze(timeIndices(), 1);
            mask_ = graph_.unsqueeze(graph_.op("Less", {times, lengths_}), 2);
        }
        return mask_;
    }

    /// 0, 1, ... T - 1
    Value* timeIndices() {
        if (steps_) {
            std::vector<int64_t> indices(static_cast<size_t>(*steps_));
            std::iota(indices.begin(), indices.end(), int64_t{0});
            return graph_.integers(indices);
        }
        Value* zero = graph_.literal(Tensor::scalar<int64_t>(0));
        Value* steps = graph_.op("Gather", {graph_.op("Shape", {x_}), zero});
        return graph_.op("Range", {zero, steps, graph_.literal(Tensor::scalar<int64_t>(1))});
    }

    /// [1, B, H]: the state of each sequence after its last step; as in ORT, zeros if it has no
    /// step. Element `length` of zeros followed by all states.
    Value* stateAtEnd(Value* states) {
        Value* table = graph_.concat({zeroState(), states}, 0);
        Value* ends = graph_.op("Reshape", {lengths_, graph_.integers({1, -1, 1})});
        Value* zeros = graph_.literal(Tensor(DType::Int64, {1, 1, hidden_}));
        return graph_.op("GatherElements", {table, graph_.op("Add", {ends, zeros})},
                         {{"axis", int64_t{0}}});
    }

    /// Zeros [1, B, H].
    Value* zeroState() {
        Value* batch = graph_.op("Gather", {graph_.op("Shape", {x_}), graph_.integers({1})});
        Value* shape = graph_.concat({graph_.integers({1}), batch, graph_.integers({hidden_})}, 0);
        return graph_.op("ConstantOfShape", {shape}, {{"value", Tensor(graph_.dtype(), Shape{1})}});
    }

    Subgraph graph_;
    RecurrentAttributes attributes_;
    bool isLstm_;
    int64_t hidden_;
    std::optional<int64_t> steps_;
    Value* x_ = nullptr;
    Value* lengths_ = nullptr;  ///< int64 [B]
    Value* mask_ = nullptr;
};

}  // namespace

bool fitsTrainingOperator(const Node& node, const RecurrentAttributes& attributes,
                          bool readsCells) {
    if (attributes.kind == CellKind::Rnn) return false;
    if (!attributes.hasDefaultActivations() || attributes.clip) return false;
    if (attributes.couplesInputForget || node.input(kInputPeepholes) != nullptr) return false;
    // LSTMGrad takes no gradient of the cell's states except the last one.
    return !readsCells || node.input(kInputLengths) == nullptr;
}

void toTrainingOperators(Graph& graph, Node* node) { TrainingOperators(graph, node).build(); }

}  // namespace temper
