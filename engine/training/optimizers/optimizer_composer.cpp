// SPDX-License-Identifier: Apache-2.0
#include "engine/training/optimizers/optimizer_composer.h"

#include <algorithm>
#include <utility>

#include "engine/ops/update/update.h"

namespace temper {
namespace {

constexpr int64_t kIrVersion = 8;
/// Loops can have sequences as state since this opset.
constexpr int64_t kOldestLoops = 13;

const ValueType kSequence{DType::Float32, std::nullopt, true};
const ValueType kOneNumber{DType::Float32, SymbolicShape{Dim::of(1)}, false};
const ValueType kOneFlag{DType::Bool, SymbolicShape{Dim::of(1)}, false};
const ValueType kScalarFlag{DType::Bool, SymbolicShape{}, false};

Value* captureIn(Graph& body, const Value* value) {
    Value* known = body.find(value->name());
    return known != nullptr ? known : body.addCapture(value->name(), value->type());
}

Value* add(Graph& graph, const std::string& op, std::vector<Value*> inputs, const std::string& name,
           const ValueType& type, Attributes attributes = {}) {
    Node* node =
        graph.addNode({op, std::move(inputs), {name}, std::move(attributes), {}, name, ""});
    node->output(0)->setType(type);
    return node->output(0);
}

}  // namespace

Var OptimizerComposer::Element::at(const Value* sequence) const {
    const Var tensors(&emitter_, captureIn(emitter_.graph(), composer_.visible(sequence)));
    return emitter_.op("SequenceAt", {tensors, {&emitter_, index_}});
}

Var OptimizerComposer::Element::outer(const Value* value) const {
    return {&emitter_, captureIn(emitter_.graph(), composer_.visible(value))};
}

OptimizerComposer::OptimizerComposer(const OpCatalog& catalog, int64_t opset, NameCounter& names,
                                     size_t moments)
    : catalog_(catalog), names_(names), scope_(graph_.get()) {
    graph_->setName("graph");
    graph_->info().irVersion = kIrVersion;
    graph_->info().producerName = "temper";
    graph_->info().opsetImports = {{std::string(kMicrosoftDomain), 1}, {"", opset}};
    top_ = std::make_unique<GradientEmitter>(*graph_, catalog_, "optimizer", false);
    learningRate_ = graph_->addInput("learning_rate", kOneNumber);
    step_ = graph_->addInput("step", {DType::Int64, SymbolicShape{Dim::of(1)}, false});
    parameters_ = sequence("params");
    gradients_ = sequence("gradients");
    first_ = sequence("first_order_moments");
    if (moments > 1) second_ = sequence("second_order_moments");
}

Value* OptimizerComposer::sequence(const std::string& name) {
    return graph_->addInput(name, kSequence);
}

std::string OptimizerComposer::unique(const std::string& stem) {
    return "optimizer/" + stem + "_" + std::to_string(++bodies_);
}

Value* OptimizerComposer::constant(float value) {
    return graph_->addInitializer(unique("number"), Tensor::of<float>({1}, {value}));
}

Var OptimizerComposer::step() { return cast(variable(step_), DType::Float32); }

void OptimizerComposer::clipNorm(double norm) {
    if (norm <= 0) return;
    const std::string output = names_.next("clip_grad_norm_output");
    gradients_ = graph_
                     ->addNode({"InplaceClipGradNorm",
                                {gradients_},
                                {output},
                                {{"max_norm", static_cast<float>(norm)}},
                                std::string(kMicrosoftDomain),
                                names_.next("InplaceClipGradNorm"),
                                ""})
                     ->output(0);
    gradients_->setType(kSequence);
}

void OptimizerComposer::replaceGradients(const Formula& formula) { gradients_ = map(formula); }

/// The value that nodes of the scope read.
Value* OptimizerComposer::visible(const Value* value) {
    if (scope_->find(value->name()) == value) return scope_->find(value->name());
    return captureIn(*scope_, value);
}

Value* OptimizerComposer::map(const Formula& formula) {
    isComposed_ = true;
    int64_t& opset = graph_->info().opsetImports[""];
    opset = std::max(opset, kOldestLoops);
    const std::string prefix = unique("each");
    auto body = std::make_shared<Graph>();
    body->setName(prefix);
    body->info() = graph_->info();
    Value* index = body->addInput(prefix + "/index", {DType::Int64, SymbolicShape{}, false});
    Value* continues = body->addInput(prefix + "/condition", kScalarFlag);
    Value* list = body->addInput(prefix + "/list", kSequence);
    GradientEmitter emitter(*body, catalog_, prefix, false);
    const Element element(*this, emitter, index);
    // Numbers are [1]: their result with a scalar gets the scalar's shape again.
    const Var value = reshapeLike(formula(element), element.weight());
    body->addOutput(add(*body, "Identity", {continues}, prefix + "/goes_on", kScalarFlag));
    body->addOutput(
        add(*body, "SequenceInsert", {list, value.value()}, prefix + "/longer_list", kSequence));

    Value* count = add(*scope_, "SequenceLength", {visible(parameters_)}, prefix + "/count",
                       {DType::Int64, SymbolicShape{}, false});
    Value* start = scope_->addInitializer(prefix + "/start", Tensor::of<bool>({}, {true}));
    Value* empty = add(*scope_, "SequenceEmpty", {}, prefix + "/empty", kSequence,
                       {{"dtype", static_cast<int64_t>(DType::Float32)}});
    return add(*scope_, "Loop", {count, start, empty}, prefix + "/all", kSequence,
               {{"body", std::shared_ptr<const Graph>(std::move(body))}});
}

/// Its flag has the shape that ORT's operator infers: all builds of ORT load that.
Value* OptimizerComposer::updateNode(const std::string& op, const std::string& flag,
                                     std::vector<Value*> inputs, Attributes attributes,
                                     SymbolicShape shape) {
    for (Value*& input : inputs) input = visible(input);
    const std::string output = names_.next(flag);
    const Node* node = scope_->addNode({op,
                                        std::move(inputs),
                                        {output},
                                        std::move(attributes),
                                        std::string(kMicrosoftDomain),
                                        names_.next(op),
                                        ""});
    node->output(0)->setType({DType::Bool, std::move(shape), false});
    return node->output(0);
}

Value* OptimizerComposer::sgd(Value* rate, Value* changes) {
    return updateNode("SGDOptimizerV2", "update_completed", {rate, parameters_, changes}, {}, {});
}

Value* OptimizerComposer::adam(Value* rate, Attributes attributes) {
    return updateNode(
        "AdamWOptimizer", "adamw.updated_flag",
        {rate != nullptr ? rate : learningRate_, step_, parameters_, gradients_, first_, second_},
        std::move(attributes), {Dim::of(1)});
}

Value* OptimizerComposer::fused(Attributes attributes) {
    graph_->info().opsetImports[std::string(kTemperDomain)] = 1;
    std::vector<Value*> inputs{learningRate_, step_, parameters_, gradients_, first_};
    if (second_ != nullptr) inputs.push_back(second_);
    const Node* node = graph_->addNode({"OptimizerStep",
                                        std::move(inputs),
                                        {"updated"},
                                        std::move(attributes),
                                        std::string(kTemperDomain),
                                        "OptimizerStep",
                                        ""});
    node->output(0)->setType(kOneFlag);
    return node->output(0);
}

Value* OptimizerComposer::after(Value* flag, const std::function<void()>& build) {
    isComposed_ = true;
    auto body = std::make_shared<Graph>();
    body->setName(unique("then"));
    body->info() = graph_->info();
    scope_ = body.get();
    changed_.clear();
    build();
    Value* done = flat(*body, changed_.at(0), unique("done"));
    for (size_t i = 1; i < changed_.size(); ++i) {
        Value* other = flat(*body, changed_[i], unique("done"));
        done = add(*body, "And", {done, other}, unique("all_done"), kOneFlag);
    }
    body->addOutput(done);
    scope_ = graph_.get();
    return add(*graph_, "If", {flag}, unique("updated"), kOneFlag,
               {{"then_branch", std::shared_ptr<const Graph>(std::move(body))},
                {"else_branch", elseBranch(flag)}});
}

std::shared_ptr<const Graph> OptimizerComposer::elseBranch(Value* flag) {
    auto body = std::make_shared<Graph>();
    body->setName(unique("else"));
    body->info() = graph_->info();
    body->addOutput(flat(*body, captureIn(*body, flag), unique("not_done")));
    return body;
}

/// As [1]: SGDOptimizerV2 outputs that although it declares a scalar, and the If relies on the
/// declaration.
Value* OptimizerComposer::flat(Graph& graph, Value* flag, const std::string& name) {
    Value* shape = graph.addInitializer(name + "/shape", Tensor::of<int64_t>({1}, {1}));
    return add(graph, "Reshape", {flag, shape}, name, kOneFlag);
}

void OptimizerComposer::changeParameters(Value* changes) {
    changed_.push_back(sgd(learningRate_, changes));
}

/// m <- m - 1 (m - value)
void OptimizerComposer::assignFirst(const Formula& values) {
    Value* change = map([&](const Element& e) { return e.first() - values(e); });
    changed_.push_back(
        updateNode("SGDOptimizerV2", "moments_updated", {constant(1), first_, change}, {}, {}));
}

std::unique_ptr<Graph> OptimizerComposer::finish(Value* flag) {
    graph_->addOutput(flag);
    return std::move(graph_);
}

}  // namespace temper
