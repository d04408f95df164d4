// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/reachability.h"
#include "engine/ir/captures.h"
#include "engine/ir/inlining.h"
#include "engine/ir/type_inference.h"
#include "engine/ops/control/backward_body.h"
#include "engine/ops/control/control.h"
#include "engine/ops/control/loop_states.h"
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

constexpr const char* kLoopAdvice =
    "Freeze the parameters before it, or export the model so that constants and fixed sizes decide "
    "how often the Loop runs.";

/// Whether the shapes are known to differ.
bool differ(const ValueType& a, const ValueType& b) {
    if (!a.shape || !b.shape) return false;
    return !std::ranges::equal(*a.shape, *b.shape, [](const Dim& x, const Dim& y) {
        return !x.isNumber() || !y.isNumber() || x.value == y.value;
    });
}

/// A Loop that goes through the iterations of the forward one from the last to the first. Its
/// states are the gradients of the states and, of each value that the body captures, the gradient
/// so far. Its body is the forward body, started from what the iteration began with, and its
/// gradient graph.
class BackwardLoop {
public:
    explicit BackwardLoop(const GradientContext& context)
        : context_(context),
          emitter_(context.emitter()),
          states_(LoopStates::of(context.node())),
          saved_(SavedLoopStates::of(context.node())),
          body_(bodyOf(context.node(), "body").clone()) {
        requireRepeatable(*body_, context.rules(), "the body of a Loop", kLoopAdvice);
    }

    Gradients build() {
        typeBody();
        findActive();
        if (wanted_.empty()) return {};
        captureSaved();
        addSeeds();
        differentiate();
        finishBody();
        return emit();
    }

private:
    /// A state of the backward Loop: where it starts outside, its value in the body before and
    /// after an iteration, and the input of the forward node that it is the gradient of.
    struct Carried {
        size_t source = 0;
        Var start;
        Value* before = nullptr;
        Value* after = nullptr;
    };

    /// What an iteration began with: a state of the body, and what was saved of it.
    struct Began {
        Value* input = nullptr;
        Value* saved = nullptr;  ///< a stack of all iterations, or the value itself
        bool isHandedOn = false;
    };

    static size_t inputOf(size_t state) { return LoopStates::kFirstInput + state; }
    Value* before(size_t state) const { return LoopStates::before(*body_, state); }
    Value* after(size_t state) const { return LoopStates::after(*body_, state); }
    Value* scanOutput(size_t k) const { return after(states_.count + k); }
    Var outside(size_t source) const { return {&emitter_, context_.source(source)}; }
    Var scanGradient(size_t k) const { return context_.outputGradient(states_.count + k); }

    /// Each iteration has the types of the first one: the saved states are one tensor.
    void typeBody() {
        body_->info() = emitter_.graph().info();
        body_->inputs()[0]->setType({DType::Int64, SymbolicShape{}, false});
        body_->inputs()[1]->setType({DType::Bool, SymbolicShape{}, false});
        for (size_t i = 0; i < states_.count; ++i) {
            before(i)->setType(outside(inputOf(i)).type());
        }
        typeCaptures(*body_, emitter_.graph());
        inferTypes(*body_, emitter_.catalog());
        for (size_t i = 0; i < states_.count; ++i) requireSteady(*before(i), *after(i));
    }

    static void requireSteady(const Value& before, const Value& after) {
        if (!differ(before.type(), after.type())) return;
        throw Error(ErrorCode::Unsupported,
                    "State '" + before.name() + "' is " + formatType(before.type()) +
                        " before the first iteration and " + formatType(after.type()) +
                        " after it; expected one shape in all iterations.",
                    "Start with the shape that it has later (Expand), or freeze the parameters "
                    "before the Loop.");
    }

    /// Finds the states that carry gradients: those that, over any number of iterations, depend on
    /// something whose gradient is wanted, and that an output with a gradient depends on.
    void findActive() {
        const std::vector<bool> down = statesAfterWanted(), up = statesBeforeGradients();
        for (size_t i = 0; i < states_.count; ++i) isActive_.push_back(down[i] && up[i]);
        ValueSet reaching;
        for (const GradientSeed& end : ends()) {
            reaching.merge(reachingTo(*body_, emitter_.catalog(), end.value));
        }
        for (size_t i = 0; i < states_.count; ++i) {
            if (isActive_[i]) wanted_.push_back({inputOf(i), {}, before(i)});
        }
        for (size_t i = context_.inputCount(); i < sources(); ++i) {
            Value* inside = body_->find(context_.source(i)->name());
            if (context_.needs(i) && reaching.contains(inside)) wanted_.push_back({i, {}, inside});
        }
    }

    size_t sources() const { return context_.inputCount() + context_.captures().size(); }

    std::vector<bool> statesAfterWanted() const {
        std::vector<Value*> from;
        for (size_t i = 0; i < states_.count; ++i) {
            if (context_.needs(inputOf(i))) from.push_back(before(i));
        }
        for (size_t i = context_.inputCount(); i < sources(); ++i) {
            if (context_.needs(i)) from.push_back(body_->at(context_.source(i)->name()));
        }
        std::vector<bool> isReached(states_.count, false);
        for (bool isMore = true; isMore;) {
            isMore = false;
            const ValueSet reached = reachedFrom(*body_, emitter_.catalog(), from);
            for (size_t i = 0; i < states_.count; ++i) {
                if (isReached[i] || !carriesGradient(*before(i))) continue;
                if (!reached.contains(after(i)) && !context_.needs(inputOf(i))) continue;
                isReached[i] = isMore = true;
                from.push_back(before(i));
            }
        }
        return isReached;
    }

    std::vector<bool> statesBeforeGradients() const {
        std::vector<const Value*> ends;
        for (size_t i = 0; i < states_.count; ++i) {
            if (context_.outputGradient(i)) ends.push_back(after(i));
        }
        for (size_t k = 0; k < saved_.scanOutputs; ++k) {
            if (scanGradient(k)) ends.push_back(scanOutput(k));
        }
        std::vector<bool> isReached(states_.count, false);
        for (size_t i = 0; i < states_.count; ++i) isReached[i] = bool(context_.outputGradient(i));
        while (!ends.empty()) {
            const ValueSet reaching = reachingTo(*body_, emitter_.catalog(), ends.back());
            ends.pop_back();
            for (size_t i = 0; i < states_.count; ++i) {
                if (isReached[i] || !reaching.contains(before(i))) continue;
                isReached[i] = true;
                ends.push_back(after(i));
            }
        }
        return isReached;
    }

    /// The body's outputs that gradients start from; their gradients are added later.
    std::vector<GradientSeed> ends() const {
        std::vector<GradientSeed> seeds;
        for (size_t i = 0; i < states_.count; ++i) {
            if (isActive_[i]) seeds.push_back({after(i), nullptr});
        }
        for (size_t k = 0; k < saved_.scanOutputs; ++k) {
            if (scanGradient(k)) seeds.push_back({scanOutput(k), nullptr});
        }
        return seeds;
    }

    Value* capture(Var outside) { return captureOf(*body_, *outside.value(), outside.type()); }

    /// Called before anything is added to the body: what is added then gets other names.
    void captureSaved() {
        const Var numbers = context_.output(saved_.numbers);
        count_ = sizeOf(numbers);
        const Var one = emitter_.constant(Tensor::scalar<int64_t>(1), "one");
        last_ = capture(emitter_.op("Sub", {count_, one}));
        for (size_t i = 0, next = saved_.first; i < states_.count; ++i) {
            const bool isHandedOn = LoopStates::isHandedOn(*body_, i);
            began_.push_back({before(i),
                              capture(isHandedOn ? outside(inputOf(i)) : context_.output(next++)),
                              isHandedOn});
        }
    }

    Value* addInput(const std::string& name, const ValueType& type) {
        return body_->addInput(body_->uniqueName(name), type);
    }

    void addSeeds() {
        for (Carried& state : wanted_) {
            if (state.source >= context_.inputCount()) continue;
            const size_t i = state.source - LoopStates::kFirstInput;
            Value* gradient = addInput(before(i)->name() + "_seed", before(i)->type());
            seeds_.push_back({after(i), gradient});
        }
        stateSeeds_ = seeds_.size();
        for (size_t k = 0; k < saved_.scanOutputs; ++k) {
            if (!scanGradient(k)) continue;
            Value* gradient = addInput(scanOutput(k)->name() + "_seed", scanOutput(k)->type());
            seeds_.push_back({scanOutput(k), gradient});
            stacks_.emplace_back(gradient, capture(scanGradient(k)));
        }
    }

    void differentiate() {
        std::vector<Value*> ends, targets;
        for (const GradientSeed& seed : seeds_) ends.push_back(seed.value);
        for (const Carried& each : wanted_) targets.push_back(each.before);
        applyTrainingForms(*body_, emitter_.catalog(), context_.rules(), ends, targets);
        const std::vector<Value*> gradients =
            buildArrivingGradients(*body_, emitter_.catalog(), context_.rules(), seeds_, targets);
        for (size_t i = 0; i < wanted_.size(); ++i) carry(wanted_[i], gradients[i], i);
    }

    /// A gradient becomes a state of the backward Loop.
    void carry(Carried& each, Value* gradient, size_t position) {
        if (gradient == nullptr) gradient = zerosOf(*body_, each.before);
        if (position < stateSeeds_) {
            each.start = startOf(each.source - LoopStates::kFirstInput);
            each.before = seeds_[position].gradient;
            each.after = gradient;
            return;
        }
        each.start = zerosLike(outside(each.source));
        each.before = addInput(gradient->name() + "_before", outside(each.source).type());
        const std::string name = body_->uniqueName(gradient->name() + "_sum");
        each.after = body_->addNode({"Add", {each.before, gradient}, {name}})->output(0);
    }

    /// A scalar stands for any shape; a state has one.
    Var startOf(size_t state) const {
        const Var gradient = context_.outputGradient(state);
        if (!gradient) return zerosLike(outside(inputOf(state)));
        const auto& shape = gradient.type().shape;
        const auto& full = context_.output(state).type().shape;
        if (shape && shape->empty() && !(full && full->empty()))
            return expandLike(gradient, context_.output(state));
        return gradient;
    }

    void finishBody() {
        Value* condition = body_->inputs()[1];
        const std::string name = body_->uniqueName(condition->name() + "_on");
        std::vector<Value*> outputs{body_->addNode({"Identity", {condition}, {name}})->output(0)};
        for (const Carried& each : wanted_) outputs.push_back(each.after);
        body_->setOutputs(std::move(outputs));
        body_->removeUnused();
        readSaved();
        std::vector<Value*> inputs{trip_, condition};
        for (const Carried& each : wanted_) inputs.push_back(each.before);
        body_->setInputs(std::move(inputs));
        removeUnreadCaptures(*body_);
        for (Node* node : body_->nodes()) node->setBackward(true);
        nameApart(*body_, emitterName() + "/body/");
    }

    std::string emitterName() const {
        return context_.node().output(saved_.numbers)->name() + "_Grad";
    }

    /// Replaces what the forward iteration began with by what was saved of it.
    void readSaved() {
        trip_ = addInput("trip", {DType::Int64, SymbolicShape{}, false});
        position_ =
            body_->addNode({"Sub", {last_, trip_}, {body_->uniqueName("position")}})->output(0);
        position_->setType({DType::Int64, SymbolicShape{}, false});
        takePlace(body_->inputs()[0], position_);
        for (const Began& state : began_) {
            if (!isRead(state.input)) {
                body_->removeInput(state.input);
            } else if (state.isHandedOn) {
                takePlace(state.input, copyOf(state.saved));
            } else {
                takePlace(state.input, elementOf(state.saved, state.input->type()));
            }
        }
        for (const auto& [gradient, stack] : stacks_) {
            takePlace(gradient, elementOf(stack, gradient->type()));
        }
    }

    bool isRead(const Value* value) const {
        return !value->uses().empty() || capturingNodes(*body_).contains(value);
    }

    Value* copyOf(Value* saved) {
        Value* copy =
            body_->addNode({"Identity", {saved}, {body_->uniqueName("handed_on")}})->output(0);
        copy->setType(saved->type());
        return copy;
    }

    Value* elementOf(Value* stack, const ValueType& type) {
        Value* element =
            body_->addNode({"Gather", {stack, position_}, {body_->uniqueName("element")}})
                ->output(0);
        element->setType(type);
        return element;
    }

    /// Bodies within the body read the input by name.
    void takePlace(Value* input, Value* value) {
        const std::string name = input->name();
        body_->renameValue(input, body_->uniqueName(name + "_input"));
        body_->replaceUses(input, value);
        body_->renameValue(value, name);
        body_->removeInput(input);
    }

    Gradients emit() {
        std::vector<Var> inputs{count_, Var()};
        for (const Carried& each : wanted_) inputs.push_back(each.start);
        const std::vector<Var> made = emitter_.add(
            kOnnxDomain, "Loop", inputs, {{"body", std::shared_ptr<const Graph>(std::move(body_))}},
            std::vector<bool>(wanted_.size(), true));
        Gradients gradients(sources());
        for (size_t i = 0; i < made.size(); ++i) {
            made[i].value()->setType(outside(wanted_[i].source).type());
            gradients[wanted_[i].source] = made[i];
        }
        return gradients;
    }

    const GradientContext& context_;
    GradientEmitter& emitter_;
    LoopStates states_;
    SavedLoopStates saved_;
    std::shared_ptr<Graph> body_;
    std::vector<bool> isActive_;       ///< per state
    std::vector<Carried> wanted_;      ///< states, then captures
    std::vector<GradientSeed> seeds_;  ///< of the states among wanted_, then of scan outputs
    size_t stateSeeds_ = 0;
    std::vector<Began> began_;                       ///< per state
    std::vector<std::pair<Value*, Value*>> stacks_;  ///< seeds of scan outputs, all iterations'
    Var count_;
    Value* last_ = nullptr;
    Value* trip_ = nullptr;
    Value* position_ = nullptr;
};

Gradients loopGradient(const GradientContext& context) { return BackwardLoop(context).build(); }

/// Sequences have no gradients.
std::optional<NonDifferentiable> whyNotLoop(const Node& loop) {
    for (size_t i = LoopStates::kFirstInput; i < loop.inputs().size(); ++i) {
        const Value* state = loop.input(i);
        if (state == nullptr || state->type().isTensor()) continue;
        return NonDifferentiable{std::string("it carries the ") +
                                     (state->type().isSequence ? "sequence" : "optional") + " '" +
                                     state->name() + "' from iteration to iteration",
                                 "Collect tensors of one shape with scan outputs, or freeze the "
                                 "parameters before it."};
    }
    return std::nullopt;
}

}  // namespace

void registerLoopGradient(GradientRules& rules) {
    rules.addTrainingForm(kOnnxDomain, "Loop", saveLoopStates);
    rules.add(kOnnxDomain, "Loop", loopGradient);
    rules.addCheck(kOnnxDomain, "Loop", whyNotLoop);
}

}  // namespace temper
