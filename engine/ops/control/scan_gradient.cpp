// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>

#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/reachability.h"
#include "engine/ir/inlining.h"
#include "engine/ir/type_inference.h"
#include "engine/ops/control/backward_body.h"
#include "engine/ops/control/control.h"
#include "engine/ops/shape/known_shape.h"

namespace temper {
namespace {

void requireNewScan(const Node& node, int64_t opset) {
    if (opset >= 9) return;
    throw Error(ErrorCode::Unsupported,
                "Scan of opset 8 has no gradient at " + node.describe() + ".",
                "Export the model with opset 9 or later.");
}

void extendBy(Node* node, const char* attribute, size_t count) {
    if (!node->hasAttribute(attribute)) return;
    auto values = node->attribute<std::vector<int64_t>>(attribute, {});
    values.resize(values.size() + count, 0);
    node->setAttribute(attribute, std::move(values));
}

/// Saves the states that each iteration began with, for the backward pass: outputs after the
/// others.
void saveStates(Graph& graph, Node* node) {
    requireNewScan(*node, graph.info().onnxOpset());
    const ScanForm form = scanForm(*node, graph.info().onnxOpset());
    std::unique_ptr<Graph> body = bodyOf(*node, "body").clone();
    const size_t outputs = body->outputs().size();
    for (size_t i = 0; i < form.states; ++i) {
        Value* state = body->inputs()[i];
        const std::string name = body->uniqueName(state->name() + "_saved");
        body->addOutput(body->addNode({"Identity", {state}, {name}, {}, "", name})->output(0));
    }
    node->setAttribute("body", std::shared_ptr<const Graph>(std::move(body)));
    extendBy(node, "scan_output_axes", form.states);
    extendBy(node, "scan_output_directions", form.states);
    const std::string stem = node->name().empty() ? "Scan" : node->name();
    for (size_t i = 0; i < form.states; ++i) {
        graph.addOutputTo(node, outputs + i, graph.uniqueName(stem + "_saved"));
    }
}

ValueType sliceOf(ValueType type, int64_t axis) {
    if (!type.shape) return type;
    const int64_t place = normalizeAxis(axis, type.rank(), "The scan axis");
    type.shape->erase(type.shape->begin() + place);
    return type;
}

/// A Scan that runs in the opposite direction. Its states are the gradients of the states and, of
/// each value that the body captures, the gradient so far; it is scanned over what each iteration
/// began with and over the gradients of its outputs; its outputs are the gradients of the scanned
/// inputs. Its body is the gradient graph of the forward body, for the loss
///     sum of state_i * dstate_i + sum of output_k * doutput_k.
class BackwardScan {
public:
    explicit BackwardScan(const GradientContext& context)
        : context_(context),
          emitter_(context.emitter()),
          form_(scanForm(context.node(), context.opset())),
          body_(bodyOf(context.node(), "body").clone()) {
        requireRepeatable(*body_, context.rules(), "the body of a Scan",
                          "Freeze the parameters before it, or export the model with the loop "
                          "written out.");
        body_->info() = emitter_.graph().info();
    }

    Gradients build() {
        typeBody();
        addTerms();
        differentiate();
        addStates();
        addScans();
        finishBody();
        return emit();
    }

private:
    /// An input of the backward Scan, outside and inside.
    struct Port {
        Var outside;
        Value* inside = nullptr;
        ScanAxis axis = {};
    };
    /// An output of its body, and which input of the forward node it is the gradient of.
    struct Result {
        Value* inside = nullptr;
        size_t source = 0;
        ScanAxis axis = {};
    };

    size_t states() const { return form_.states; }
    /// Outputs of the forward body without the saved states.
    size_t scanOutputs() const { return form_.outputs.size() - states(); }
    Var outside(size_t source) const { return {&emitter_, context_.source(source)}; }

    std::string unique(const std::string& stem) const { return body_->uniqueName(stem); }

    void typeBody() {
        for (size_t i = 0; i < body_->inputs().size(); ++i) {
            const ValueType& type = context_.node().input(i)->type();
            body_->inputs()[i]->setType(
                i < states() ? type : sliceOf(type, form_.inputs[i - states()].axis));
        }
        typeCaptures(*body_, emitter_.graph());
        inferTypes(*body_, emitter_.catalog());
    }

    /// output * gradient, summed; the gradient becomes an input of the body.
    Value* addTerm(Value* output) {
        ValueType type = output->type();
        Value* gradient = body_->addInput(unique(output->name() + "_seed"), std::move(type));
        Value* product =
            body_->addNode({"Mul", {output, gradient}, {unique(output->name() + "_weighted")}})
                ->output(0);
        terms_.push_back(body_
                             ->addNode({"ReduceSum",
                                        {product},
                                        {unique(output->name() + "_total")},
                                        {{"keepdims", int64_t{0}}}})
                             ->output(0));
        return gradient;
    }

    void addTerms() {
        for (size_t i = 0; i < states(); ++i) {
            Value* output = body_->outputs()[i];
            stateSeeds_.push_back(isFloating(output->type().dtype) ? addTerm(output) : nullptr);
        }
        for (size_t k = 0; k < scanOutputs(); ++k) {
            const Var gradient = context_.outputGradient(states() + k);
            if (!gradient) continue;
            outputSeeds_.push_back(
                {gradient, addTerm(body_->outputs()[states() + k]), form_.outputs[k]});
        }
    }

    bool wants(size_t source) const {
        if (source < states()) return stateSeeds_[source] != nullptr;
        return context_.needs(source);
    }

    Value* insideOf(size_t source) const {
        const size_t inputs = context_.inputCount();
        return source < inputs ? body_->inputs()[source]
                               : body_->find(context_.captures()[source - inputs]->name());
    }

    void differentiate() {
        Value* loss = body_->addNode({"Sum", terms_, {unique("seeded_loss")}})->output(0);
        body_->setOutputs({loss});
        inferTypes(*body_, emitter_.catalog());
        const auto before = reachingTo(*body_, emitter_.catalog(), loss);
        std::vector<Value*> targets;
        for (size_t i = 0; i < context_.inputCount() + context_.captures().size(); ++i) {
            if (!wants(i) || !before.contains(insideOf(i))) continue;
            sources_.push_back(i);
            targets.push_back(insideOf(i));
        }
        loss = applyTrainingForms(*body_, emitter_.catalog(), context_.rules(), loss, targets);
        gradients_ = buildGradients(*body_, emitter_.catalog(), context_.rules(), loss, targets);
        body_->setOutputs({});
    }

    /// Null if the loss does not depend on it within one iteration.
    Value* gradientOf(size_t source) const {
        const auto found = std::find(sources_.begin(), sources_.end(), source);
        return found == sources_.end() ? nullptr
                                       : gradients_[static_cast<size_t>(found - sources_.begin())];
    }

    void addStates() {
        for (size_t i = 0; i < states(); ++i) {
            if (stateSeeds_[i] == nullptr) continue;
            const Var gradient = context_.outputGradient(i);
            statePorts_.push_back({gradient ? gradient : zerosLike(outside(i)), stateSeeds_[i]});
            Value* made = gradientOf(i);
            stateResults_.push_back(
                {made != nullptr ? made : zerosOf(*body_, body_->inputs()[i]), i});
        }
        for (const size_t i : sources_) {
            if (i < context_.inputCount()) continue;
            Value* gradient = gradientOf(i);
            ValueType type = outside(i).type();
            Value* before = body_->addInput(unique(gradient->name() + "_before"), std::move(type));
            statePorts_.push_back({zerosLike(outside(i)), before});
            Value* sum =
                body_->addNode({"Add", {before, gradient}, {unique(gradient->name() + "_sum")}})
                    ->output(0);
            stateResults_.push_back({sum, i});
        }
    }

    void addScans() {
        const size_t saved = states() + scanOutputs();
        for (size_t i = 0; i < states(); ++i) {
            scanPorts_.push_back({context_.output(saved + i), body_->inputs()[i], {0, true}});
        }
        for (size_t i = states(); i < context_.inputCount(); ++i) {
            ScanAxis axis = form_.inputs[i - states()];
            axis.isReversed = !axis.isReversed;
            scanPorts_.push_back({context_.input(i), body_->inputs()[i], axis});
            Value* gradient = gradientOf(i);
            if (gradient != nullptr) scanResults_.push_back({gradient, i, axis});
        }
        for (Port port : outputSeeds_) {
            port.axis.isReversed = !port.axis.isReversed;
            scanPorts_.push_back(port);
        }
    }

    void finishBody() {
        std::vector<Value*> inputs, outputs;
        for (const auto* ports : {&statePorts_, &scanPorts_}) {
            for (const Port& port : *ports) inputs.push_back(port.inside);
        }
        for (const auto* results : {&stateResults_, &scanResults_}) {
            for (const Result& result : *results) outputs.push_back(result.inside);
        }
        body_->setInputs(inputs);
        body_->setOutputs(outputs);
        body_->removeUnused();
        nameApart(*body_, stem() + "_back/");
    }

    /// The name of the first saved state; that of an output if there are no states.
    std::string stem() const {
        const auto& outputs = context_.node().outputs();
        if (states() > 0) return outputs.at(states() + scanOutputs())->name();
        const auto named =
            std::ranges::find_if(outputs, [](const Value* output) { return output != nullptr; });
        return named == outputs.end() ? unique("scan") : (*named)->name();
    }

    static void addAxis(const ScanAxis& axis, std::vector<int64_t>& axes,
                        std::vector<int64_t>& directions) {
        axes.push_back(axis.axis);
        directions.push_back(axis.isReversed ? 1 : 0);
    }

    Gradients emit() {
        std::vector<Var> inputs;
        std::vector<int64_t> inputAxes, inputDirections, outputAxes, outputDirections;
        for (const Port& port : statePorts_) inputs.push_back(port.outside);
        for (const Port& port : scanPorts_) {
            inputs.push_back(port.outside);
            addAxis(port.axis, inputAxes, inputDirections);
        }
        for (const Result& result : scanResults_) {
            addAxis(result.axis, outputAxes, outputDirections);
        }
        Attributes attributes = {{"body", std::shared_ptr<const Graph>(std::move(body_))},
                                 {"num_scan_inputs", static_cast<int64_t>(scanPorts_.size())},
                                 {"scan_input_axes", inputAxes},
                                 {"scan_input_directions", inputDirections}};
        if (!scanResults_.empty()) {
            attributes["scan_output_axes"] = outputAxes;
            attributes["scan_output_directions"] = outputDirections;
        }
        std::vector<Result> results = stateResults_;
        results.insert(results.end(), scanResults_.begin(), scanResults_.end());
        const std::vector<Var> made =
            emitter_.add(kOnnxDomain, "Scan", inputs, std::move(attributes),
                         std::vector<bool>(results.size(), true));
        Gradients gradients(context_.inputCount() + context_.captures().size());
        for (size_t i = 0; i < results.size(); ++i) gradients[results[i].source] = made[i];
        return gradients;
    }

    const GradientContext& context_;
    GradientEmitter& emitter_;
    ScanForm form_;
    std::unique_ptr<Graph> body_;
    std::vector<Value*> terms_;
    std::vector<Value*> stateSeeds_;  ///< per state; null if it is not a floating-point number
    std::vector<Port> outputSeeds_;   ///< of the scanned outputs that have a gradient
    std::vector<size_t> sources_;     ///< what the body is differentiated with respect to
    std::vector<Value*> gradients_;   ///< the same
    std::vector<Port> statePorts_, scanPorts_;
    std::vector<Result> stateResults_, scanResults_;
};

Gradients scanGradient(const GradientContext& context) { return BackwardScan(context).build(); }

}  // namespace

void registerControlGradients(GradientRules& rules) {
    rules.addTrainingForm(kOnnxDomain, "Scan", saveStates);
    rules.add(kOnnxDomain, "Scan", scanGradient);
    registerIfGradient(rules);
    registerLoopGradient(rules);
}

}  // namespace temper
