// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

#include "engine/core/counted.h"
#include "engine/core/interruption.h"
#include "engine/core/random.h"
#include "engine/ir/inlining.h"
#include "engine/ir/type_inference.h"
#include "engine/ops/control/control.h"
#include "engine/ops/control/loop_states.h"
#include "engine/runtime/graph_runner.h"
#include "engine/runtime/known_data.h"

namespace temper {
namespace {

/// A Loop that runs longer is a mistake.
constexpr int64_t kMaxTrips = 10'000'000;

/// The body as a separate graph: its captures are data by now. Its states may begin as sequences
/// without saying so.
std::shared_ptr<const Graph> bodyGraph(const EvaluationContext& context) {
    std::shared_ptr<Graph> graph = bodyOf(context.node, "body").clone();
    graph->info() = context.tools.info;
    for (Value* capture : std::vector<Value*>(graph->captures()))
        makeKnown(*graph, capture, context.captured.at(capture->name()));
    for (size_t i = 0; i < graph->inputs().size(); ++i) {
        ValueType type = graph->inputs()[i]->type().withoutShape();
        if (i >= LoopStates::kFirstInput && i < context.inputs.size()) {
            type.isSequence = type.isSequence || context.inputs[i].isSequence;
            type.isOptional = type.isOptional || context.inputs[i].isNothing();
        }
        graph->inputs()[i]->setType(std::move(type));
    }
    return graph;
}

/// What the next run would overwrite is copied; tensors of a sequence that it already had are
/// shared.
ValueData keptData(const ValueData& made, const ValueData& before) {
    ValueData data = made;
    for (size_t i = 0; i < data.tensors.size(); ++i) {
        Tensor& tensor = data.tensors[i];
        const bool isHandedOn = i < before.tensors.size() && tensor.byteSize() > 0 &&
                                tensor.address() == before.tensors[i].address() &&
                                tensor.shape() == before.tensors[i].shape();
        tensor = isHandedOn ? before.tensors[i] : tensor.clone();
    }
    return data;
}

Shape withLeading(int64_t count, const Shape& shape) {
    Shape result(shape.size() + 1, count);
    std::ranges::copy(shape, result.begin() + 1);
    return result;
}

/// Values of a scan output, one per iteration, as one tensor. `like` gives the type if there were
/// none.
Tensor stack(const std::vector<Tensor>& parts, const ValueType& like) {
    if (parts.empty()) {
        if (!like.isKnown()) {
            throw Error(ErrorCode::Unsupported,
                        "The type of a scan output of a Loop without iterations is unknown.",
                        "Declare types for the outputs of the Loop's body.");
        }
        Shape shape{0};
        if (like.shape) {
            for (const Dim& dim : *like.shape) shape.push_back(dim.isNumber() ? dim.value : 0);
        }
        return Tensor(like.dtype, shape);
    }
    Tensor result(parts.front().dtype(),
                  withLeading(static_cast<int64_t>(parts.size()), parts.front().shape()));
    std::byte* to = result.mutableData();
    for (const Tensor& part : parts) {
        if (part.shape() != parts.front().shape()) {
            throw Error(ErrorCode::InvalidInput, "Iterations of a Loop collect tensors of shapes " +
                                                     formatShape(parts.front().shape()) + " and " +
                                                     formatShape(part.shape()) +
                                                     "; expected one shape.");
        }
        if (part.byteSize() > 0) std::memcpy(to, part.data(), part.byteSize());
        to += part.byteSize();
    }
    return result;
}

/// Runs a Loop. Source: ONNX, docs/Operators.md, Loop.
class LoopRun {
public:
    explicit LoopRun(const EvaluationContext& context)
        : context_(context),
          body_(bodyGraph(context)),
          runner_(body_, context.tools.catalog, context.tools.kernels, std::make_shared<Arena>(),
                  context.pool),
          states_(context.inputs.begin() + std::min<std::ptrdiff_t>(2, ssize(context.inputs)),
                  context.inputs.end()) {
        requireForm();
        collected_.resize(body_->outputs().size() - 1 - states_.size());
    }

    std::vector<ValueData> run() {
        const int64_t trips = limit();
        if (trips > kMaxTrips && handsConditionOn()) throwEndless(0, trips);
        bool isRunning = context_.tensor(1).empty() || context_.tensor(1).toDouble() != 0;
        for (int64_t i = 0; i < trips && isRunning; ++i) {
            if (i == kMaxTrips) throwEndless(i, trips);
            InterruptionScope::check();
            isRunning = iterate(i);
        }
        std::vector<ValueType> types(collected_.size());
        if (!collected_.empty() && collected_.front().empty()) types = collectedTypes();
        std::vector<ValueData> results = std::move(states_);
        for (size_t k = 0; k < collected_.size(); ++k) {
            results.emplace_back(stack(collected_[k], types[k]));
        }
        return results;
    }

private:
    static std::ptrdiff_t ssize(const std::vector<ValueData>& inputs) {
        return static_cast<std::ptrdiff_t>(inputs.size());
    }

    void requireForm() const {
        const size_t inputs = body_->inputs().size();
        if (inputs == states_.size() + 2 && body_->outputs().size() >= states_.size() + 1) return;
        throw Error(ErrorCode::InvalidInput,
                    "The body of the Loop has " + counted(inputs, "input") + " and " +
                        counted(body_->outputs().size(), "output") + " for " +
                        counted(states_.size(), "state") +
                        "; expected the iteration, the condition and the states, and the "
                        "condition and the states.");
    }

    /// Whether only the trip count ends the Loop.
    bool handsConditionOn() const {
        const Value* condition = body_->outputs().front();
        while (condition->producer() != nullptr && condition->producer()->opType() == "Identity")
            condition = condition->producer()->input(0);
        return condition == body_->inputs().at(1) ||
               (condition->isInitializer() && condition->constant().toDouble() != 0);
    }

    [[noreturn]] static void throwEndless(int64_t done, int64_t trips) {
        const bool isOpen = trips == std::numeric_limits<int64_t>::max();
        const std::string all = isOpen ? "forever" : counted(trips, "time");
        throw Error(ErrorCode::InvalidInput,
                    (done == 0 ? "The Loop would run " + all
                               : "The Loop has run " + counted(done, "time") + " and continues") +
                        "; expected at most " + std::to_string(kMaxTrips) + " times.",
                    "Check the trip count and the condition of the Loop.");
    }

    int64_t limit() const {
        const Tensor& trips = context_.tensor(0);
        return trips.empty() ? std::numeric_limits<int64_t>::max() : trips.toInt64();
    }

    /// Types of what an iteration would give to the scan outputs, if there were one.
    std::vector<ValueType> collectedTypes() const {
        const std::unique_ptr<Graph> body = body_->clone();
        for (size_t i = 0; i < states_.size(); ++i) {
            if (!states_[i].isTensor()) continue;
            const Tensor& state = states_[i].tensor();
            body->inputs()[2 + i]->setType({state.dtype(), symbolicShape(state.shape())});
        }
        body->inputs()[0]->setType({DType::Int64, SymbolicShape{}, false});
        inferTypes(*body, context_.tools.catalog);
        std::vector<ValueType> types;
        for (size_t k = 0; k < collected_.size(); ++k) {
            types.push_back(body->outputs()[1 + states_.size() + k]->type());
        }
        return types;
    }

    /// Returns: the condition that the body computed.
    bool iterate(int64_t number) {
        std::vector<ValueData> feeds{Tensor::scalar<int64_t>(number), Tensor::scalar<bool>(true)};
        feeds.insert(feeds.end(), states_.begin(), states_.end());
        const std::vector<ValueData> outputs =
            runner_.runOn(feeds, Random::at(context_.seed, static_cast<uint64_t>(number)));
        for (size_t i = 0; i < states_.size(); ++i)
            states_[i] = keptData(outputs[1 + i], states_[i]);
        for (size_t k = 0; k < collected_.size(); ++k) {
            collected_[k].push_back(tensorOf(outputs, 1 + states_.size() + k).clone());
        }
        return tensorOf(outputs, 0).toDouble() != 0;
    }

    /// The condition and what is collected are tensors.
    const Tensor& tensorOf(const std::vector<ValueData>& outputs, size_t i) const {
        if (outputs[i].isTensor()) return outputs[i].tensor();
        throw Error(ErrorCode::InvalidInput,
                    "The body of the Loop makes a sequence or an optional as '" +
                        body_->outputs()[i]->name() + "'; expected a tensor.",
                    "Pass it from iteration to iteration as a state.");
    }

    const EvaluationContext& context_;
    std::shared_ptr<const Graph> body_;
    GraphRunner runner_;
    std::vector<ValueData> states_;
    std::vector<std::vector<Tensor>> collected_;
};

}  // namespace

void registerLoopEvaluator(KernelRegistry& kernels) {
    kernels.addEvaluator(kOnnxDomain, "Loop",
                         [](const EvaluationContext& context) { return LoopRun(context).run(); });
}

}  // namespace temper
