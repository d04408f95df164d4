// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/pipeline_runner.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/autodiff/reachability.h"
#include "engine/core/error.h"
#include "engine/core/random.h"
#include "engine/ir/graph_set.h"
#include "engine/training/ort_classic/gradient_graph_builder.h"
#include "engine/training/ort_classic/pipeline_schedule.h"
#include "engine/training/session/plan_options.h"

namespace temper::classic {
namespace {

/// Two stages exchange one message after the other.
constexpr int kStageChannel = 0;
/// More micro-batches than this are never accumulated into one optimizer step.
constexpr int kMicroBatchBits = 32;

std::string gradientOf(const std::string& value) { return value + "_grad"; }

/// The values that gradients from the outputs arrive at.
ValueSet arrivalsFrom(const Graph& graph, const OpSet& ops,
                      const std::vector<std::string>& outputs) {
    ValueSet arrivals;
    std::vector<const Value*> open;
    const auto arrive = [&](const Value* value) {
        if (arrivals.insert(value)) open.push_back(value);
    };
    for (const std::string& name : outputs) arrive(graph.at(name));
    while (!open.empty()) {
        const Node* node = open.back()->producer();
        open.pop_back();
        if (node == nullptr || ops.gradients.whyNot(*node)) continue;
        for (const Value* value : differentiableReads(graph, ops.catalog, *node)) arrive(value);
    }
    return arrivals;
}

/// Of these names; empty tensors for those that are not there.
std::vector<Tensor> ordered(const std::vector<std::string>& names,
                            const PipelineRunner::Feeds& feeds) {
    std::vector<Tensor> tensors;
    for (const std::string& name : names) {
        const auto fed = feeds.find(name);
        tensors.push_back(fed == feeds.end() ? Tensor() : fed->second);
    }
    return tensors;
}

PipelineRunner::Feeds copiesOf(const std::vector<std::string>& names,
                               std::span<const Tensor> tensors) {
    PipelineRunner::Feeds copies;
    for (size_t i = 0; i < names.size(); ++i) copies[names[i]] = tensors[i].clone();
    return copies;
}

void addShare(Tensor& to, const Tensor& from, float share) {
    const auto source = from.values<float>();
    auto target = to.mutableValues<float>();
    for (size_t i = 0; i < target.size(); ++i) target[i] += share * source[i];
}

void requireFloat32(const Parameter& weight) {
    if (weight.gradient.dtype() == DType::Float32) return;
    throw Error(ErrorCode::Unsupported,
                "The gradient of '" + weight.name + "' is " +
                    std::string(dtypeName(weight.gradient.dtype())) +
                    "; stages of a pipeline compute float32 only.",
                "Train this model without a pipeline.");
}

}  // namespace

std::shared_ptr<const Graph> lossModelOf(const PipelineStage& stage) {
    if (stage.sent.empty()) return stage.model;
    std::shared_ptr<Graph> model = stage.model->clone();
    const auto add = [&](const std::string& name, const char* op, std::vector<Value*> inputs,
                         Attributes attributes) {
        return model
            ->addNode({.opType = op,
                       .inputs = std::move(inputs),
                       .outputs = {name},
                       .attributes = std::move(attributes),
                       .name = name})
            ->output(0);
    };
    std::vector<Value*> terms, integers;
    const std::vector<Value*> made = model->outputs();
    for (Value* value : made) {
        if (!isFloating(value->type().dtype)) {
            integers.push_back(value);
            continue;
        }
        // Names that end with "_grad" are reserved.
        Value* gradient =
            model->addInput(model->uniqueName("gradient_of_" + value->name()), value->type());
        Value* product =
            add(model->uniqueName(value->name() + "_product"), "Mul", {value, gradient}, {});
        terms.push_back(add(model->uniqueName(value->name() + "_term"), "ReduceSum", {product},
                            {{"keepdims", int64_t{0}}}));
    }
    std::vector<Value*> outputs{add(kStageLoss, "Sum", terms, {})};
    outputs.insert(outputs.end(), integers.begin(), integers.end());
    model->setOutputs(std::move(outputs));
    return model;
}

PipelineRunner::PipelineRunner(PipelineStage stage, temper::TrainingSession& session,
                               const SessionOptions& options, Group& stages,
                               const TrainingParameters& parameters)
    : stage_(std::move(stage)),
      session_(session),
      stages_(stages),
      loss_(parameters.lossOutputName),
      seed_(options.seed),
      microBatches_(parameters.distributed.pipelineMicroBatches),
      slicedAxes_(parameters.distributed.slicedAxes),
      slicedNames_(parameters.distributed.slicedTensorNames.begin(),
                   parameters.distributed.slicedTensorNames.end()) {
    for (const Parameter& parameter : session.state().parameters()) {
        if (!parameter.requiresGrad) continue;
        requireFloat32(parameter);
        weights_.push_back(parameter.name);
    }
    prepare(options);
}

/// Until nothing reads the messages any more.
PipelineRunner::~PipelineRunner() {
    for (const Sent& message : sent_) {
        for (const std::shared_ptr<Exchange>& exchange : message.exchanges) {
            try {
                exchange->wait();
            } catch (...) {  // whoever needed the message has been told
            }
        }
    }
}

void PipelineRunner::prepare(const SessionOptions& options) {
    const Graph& model = *stage_.model;
    std::vector<std::string> floats;
    for (const Value* output : model.outputs()) {
        made_.push_back(output->name());
        if (isFloating(output->type().dtype)) floats.push_back(output->name());
    }
    const ValueSet arrivals = arrivalsFrom(model, *session_.context().ops, floats);
    for (const std::string& name : stage_.received) {
        if (arrivals.contains(model.find(name))) differentiated_.insert(name);
    }
    bind(backwardModel(floats), options);
}

/// From the values that the stage sends, or the loss, to its weights and what it receives.
std::shared_ptr<Graph> PipelineRunner::backwardModel(const std::vector<std::string>& floats) const {
    // Parameters are inputs: nothing that is computed from them is known before a run.
    const std::unique_ptr<Graph> model = stage_.model->clone();
    std::vector<Value*> parameters;
    for (Value* value : model->initializers()) {
        if (session_.state().hasParameter(value->name())) parameters.push_back(value);
    }
    model->initializersToInputs(parameters);
    GradientGraphRequest request{floats, weights_, isLast() ? loss_ : std::string()};
    request.inputs.insert(request.inputs.end(), differentiated_.begin(), differentiated_.end());
    GradientGraphBuilder builder(*model, request, session_.context().ops);
    builder.build();
    std::shared_ptr<Graph> graph = builder.model().clone();
    std::vector<Value*> outputs;
    if (isLast()) outputs.push_back(graph->at(loss_));
    for (const std::string& name : request.inputs) outputs.push_back(graph->at(gradientOf(name)));
    graph->setOutputs(std::move(outputs));
    graph->removeUnused();
    return graph;
}

/// To the parameters of the session.
void PipelineRunner::bind(std::shared_ptr<Graph> model, const SessionOptions& options) {
    const ExecutionContext& context = session_.context();
    std::map<std::string, std::vector<Tensor>> fixed;
    for (const Value* input : model->inputs()) {
        const std::string& name = input->name();
        if (session_.state().hasParameter(name))
            fixed[name] = {session_.state().parameter(name).data};
    }
    backward_ = std::make_unique<GraphRunner>(
        std::move(model), context.ops->catalog, context.device->kernels(), context.arena,
        context.device->pool(), trainingPlanOptions(options, context));
    backward_->bindAllFixed(std::move(fixed));
}

// ---- a batch -----------------------------------------------------------------------------------

float PipelineRunner::train(const Feeds& feeds, bool isFirst, int64_t number) {
    std::vector<Feeds> parts = cut(feeds, microBatches_);
    if (isFirst) {
        for (const std::string& weight : weights_)
            std::ranges::fill(session_.state().parameter(weight).gradient.mutableValues<float>(),
                              0.0F);
    }
    const auto share = 1 / static_cast<float>(microBatches_);
    const auto steps = static_cast<uint64_t>(session_.state().optimizerState().step);
    double loss = 0;
    for (const PipelineTurn& turn : turnsOf(stages_.rank(), stages_.size(), microBatches_)) {
        Feeds& part = parts[static_cast<size_t>(turn.batch)];
        if (turn.isBackward) {
            const auto batch = static_cast<uint64_t>(number * microBatches_ + turn.batch);
            const uint64_t seed = Random::at(seed_, (steps << kMicroBatchBits) + batch);
            loss += backward(std::exchange(part, {}), share, seed);
            continue;
        }
        receiveValues(part);
        // The last stage computes both passes at once.
        if (!isLast()) sendValues(part, forward(part));
    }
    waitForMessages();
    return fromLastStage(static_cast<float>(loss / static_cast<double>(microBatches_)));
}

float PipelineRunner::evaluate(const Feeds& feeds) {
    Feeds whole = cut(feeds, 1).front();
    receiveValues(whole);
    const Feeds results = forward(whole);
    if (!isLast()) sendValues(whole, results);
    waitForMessages();
    return fromLastStage(isLast() ? static_cast<float>(results.at(loss_).toDouble()) : 0);
}

float PipelineRunner::fromLastStage(float loss) {
    stages_.broadcast(std::as_writable_bytes(std::span(&loss, 1)), stages_.size() - 1);
    return loss;
}

/// What the stage reads of the feeds, by micro-batch.
std::vector<PipelineRunner::Feeds> PipelineRunner::cut(const Feeds& feeds, int64_t parts) const {
    std::vector<Feeds> result(static_cast<size_t>(parts));
    for (const Value* input : stage_.model->inputs()) {
        const std::string& name = input->name();
        if (std::ranges::find(stage_.received, name) != stage_.received.end()) continue;
        const auto fed = feeds.find(name);
        if (fed == feeds.end()) {
            throw Error(ErrorCode::InvalidInput, "The input '" + name + "' is missing.",
                        "Feed an array for it.");
        }
        for (int64_t i = 0; i < parts; ++i)
            result[static_cast<size_t>(i)][name] = partOf(name, fed->second, i, parts);
    }
    return result;
}

Tensor PipelineRunner::partOf(const std::string& name, const Tensor& feed, int64_t part,
                              int64_t parts) const {
    const bool isCut = slicedNames_.empty() ? feed.rank() > 0 : slicedNames_.contains(name);
    if (!isCut || parts == 1) return feed;
    const auto given = slicedAxes_.find(name);
    const int64_t axis = given == slicedAxes_.end() ? 0 : given->second;
    if (axis < 0 || axis >= feed.rank() || feed.shape()[static_cast<size_t>(axis)] % parts != 0) {
        throw Error(ErrorCode::InvalidInput,
                    "The input '" + name + "' is " + std::string(dtypeName(feed.dtype())) +
                        formatShape(feed.shape()) + "; " + std::to_string(parts) +
                        " micro-batches can't be cut along axis " + std::to_string(axis) + ".",
                    "Feed batches that the number of micro-batches divides, or set "
                    "'sliced_axes' and 'sliced_tensor_names'.");
    }
    Shape shape = feed.shape();
    const auto at = static_cast<size_t>(axis);
    const int64_t size = shape[at], count = size / parts;
    int64_t outer = 1, inner = static_cast<int64_t>(dtypeSize(feed.dtype()));
    for (size_t i = 0; i < at; ++i) outer *= shape[i];
    for (size_t i = at + 1; i < shape.size(); ++i) inner *= shape[i];
    shape[at] = count;
    Tensor slice(feed.dtype(), shape);
    for (int64_t i = 0; i < outer; ++i) {
        std::copy_n(feed.data() + (i * size + part * count) * inner, count * inner,
                    slice.mutableData() + i * count * inner);
    }
    return slice;
}

// ---- a micro-batch -----------------------------------------------------------------------------

/// Stages whose operators compute something else in training are refused, but for the last one,
/// which is only evaluated this way.
PipelineRunner::Feeds PipelineRunner::forward(const Feeds& feeds) {
    const std::vector<Tensor> inputs = ordered(session_.inputNames(false), feeds);
    return copiesOf(made_, session_.evaluate(inputs, made_));
}

void PipelineRunner::receiveValues(Feeds& feeds) {
    for (const std::string& name : stage_.received) feeds[name] = receive(stages_.rank() - 1);
}

/// Also those that are only passed on.
void PipelineRunner::sendValues(const Feeds& feeds, const Feeds& results) {
    for (const std::string& name : stage_.sent) {
        const auto made = results.find(name);
        send(stages_.rank() + 1, made != results.end() ? made->second : feeds.at(name));
    }
}

/// Returns: the loss of the micro-batch, in the last stage.
double PipelineRunner::backward(Feeds feeds, float share, uint64_t seed) {
    const Feeds gradients = receiveGradients(feeds);
    Feeds inputs = feeds;
    for (const auto& [name, gradient] : gradients) inputs[gradientOf(name)] = gradient;
    const Feeds results = copiesOf(namesOf(backward_->graph().outputs()),
                                   backward_->run(ordered(backward_->fedInputs(), inputs), seed));
    addGradients(results, share);
    sendGradients(feeds, results, gradients);
    return isLast() ? results.at(loss_).toDouble() : 0;
}

/// Of what was sent; integers have none.
PipelineRunner::Feeds PipelineRunner::receiveGradients(const Feeds& feeds) {
    Feeds gradients;
    for (const std::string& name : stage_.sent) {
        const auto passedOn = feeds.find(name);
        const DType dtype = passedOn != feeds.end() ? passedOn->second.dtype()
                                                    : stage_.model->at(name)->type().dtype;
        if (isFloating(dtype)) gradients[name] = receive(stages_.rank() + 1);
    }
    return gradients;
}

void PipelineRunner::addGradients(const Feeds& results, float share) {
    for (const std::string& weight : weights_)
        addShare(session_.state().parameter(weight).gradient, results.at(gradientOf(weight)),
                 share);
}

/// To the stage before: of what it sent. What was passed on has the gradient of later stages, too.
void PipelineRunner::sendGradients(const Feeds& feeds, const Feeds& results,
                                   const Feeds& gradients) {
    for (const std::string& name : stage_.received) {
        const Tensor& value = feeds.at(name);
        if (!isFloating(value.dtype())) continue;
        Tensor gradient = differentiated_.contains(name) ? results.at(gradientOf(name))
                                                         : Tensor(value.dtype(), value.shape());
        if (const auto later = gradients.find(name); later != gradients.end())
            addShare(gradient, later->second, 1);
        send(stages_.rank() - 1, gradient);
    }
}

// ---- messages ----------------------------------------------------------------------------------

void PipelineRunner::send(int to, const Tensor& tensor) {
    if (tensor.shape().size() > kMaxDimensions) {
        throw Error(ErrorCode::Unsupported,
                    "A value between two stages has " + std::to_string(tensor.shape().size()) +
                        " dimensions; at most " + std::to_string(kMaxDimensions) + " are possible.",
                    "Change 'pipeline_cut_info_string'.");
    }
    forgetSent();
    Sent& message = sent_.emplace_back();
    message.header.dtype = static_cast<int64_t>(tensor.dtype());
    message.header.rank = tensor.rank();
    std::ranges::copy(tensor.shape(), message.header.shape.begin());
    message.tensor = tensor;
    for (const std::span<const std::byte> bytes :
         {std::as_bytes(std::span(&message.header, 1)),
          std::span(message.tensor.data(), message.tensor.byteSize())})
        message.exchanges.push_back(stages_.beginSend(kStageChannel, to, bytes));
}

Tensor PipelineRunner::receive(int from) {
    Header header;
    stages_.beginReceive(kStageChannel, from, std::as_writable_bytes(std::span(&header, 1)))
        ->wait();
    Tensor tensor(static_cast<DType>(header.dtype),
                  Shape(header.shape.begin(), header.shape.begin() + header.rank));
    stages_.beginReceive(kStageChannel, from, {tensor.mutableData(), tensor.byteSize()})->wait();
    return tensor;
}

/// Those that have arrived.
void PipelineRunner::forgetSent() {
    const auto isDone = [](const std::shared_ptr<Exchange>& exchange) {
        return exchange->isDone();
    };
    while (!sent_.empty() && std::ranges::all_of(sent_.front().exchanges, isDone))
        sent_.pop_front();
}

void PipelineRunner::waitForMessages() {
    for (const Sent& message : sent_) {
        for (const std::shared_ptr<Exchange>& exchange : message.exchanges) exchange->wait();
    }
    sent_.clear();
}

}  // namespace temper::classic
