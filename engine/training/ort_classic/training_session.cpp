// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/training_session.h"

#include <algorithm>
#include <optional>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/onnx/model_file.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/ort_classic/classic_artifacts.h"
#include "engine/training/ort_classic/collectives.h"
#include "engine/training/ort_classic/optimizer_update.h"
#include "engine/training/ort_classic/pipeline_runner.h"
#include "engine/training/ort_classic/rank_agreement.h"
#include "engine/training/ort_classic/rank_grid.h"
#include "engine/training/ort_classic/rank_model.h"

namespace temper::classic {
namespace {

const ValueType kOneFloat{DType::Float32, SymbolicShape{Dim::of(1)}, false};

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void throwMissing(const std::string& name) {
    throw Error(ErrorCode::InvalidInput, "The input '" + name + "' is missing.",
                "Feed an array for it.");
}

float numberOf(const std::string& name, const Tensor& feed) {
    if (feed.dtype() == DType::Float32 && feed.numElements() == 1) {
        return feed.values<float>().front();
    }
    throw Error(ErrorCode::InvalidInput,
                "The input '" + name + "' is " + std::string(dtypeName(feed.dtype())) +
                    formatShape(feed.shape()) + "; expected a float32 number.");
}

/// Those that this rank's part of a model may have.
std::shared_ptr<const OpSet> withCollectives(const std::shared_ptr<const OpSet>& ops,
                                             Group& ranks) {
    if (ranks.size() == 1) return ops;
    auto own = std::make_shared<OpSet>(*ops);
    addCollectives(*own, ranks);
    return own;
}

const TrainingParameters& checked(const TrainingParameters& parameters, const Group& ranks) {
    checkParameters(parameters, ranks);
    return parameters;
}

std::vector<Argument> inputsOf(const Graph& model) {
    std::vector<Argument> inputs;
    for (const Value* input : model.inputs()) inputs.push_back({input->name(), input->type()});
    return inputs;
}

/// Steps return no sequences and optionals.
std::vector<std::string> tensorOutputsOf(const Graph& model) {
    std::vector<std::string> names;
    for (const Value* output : model.outputs())
        if (output->type().isTensor()) names.push_back(output->name());
    return names;
}

/// The others would wait for this rank. Within a handler of what it threw.
void failAll(Group& ranks) {
    try {
        throw;
    } catch (const Error& error) {
        ranks.fail(error);
    } catch (const std::exception& error) {
        ranks.fail(Error(ErrorCode::Internal, error.what()));
    }
}

}  // namespace

struct TrainingSession::Implementation {
    Implementation(const Graph& model, TrainingParameters theParameters,
                   const std::shared_ptr<const OpSet>& theOps, SessionOptions theOptions,
                   Group* theRanks)
        : parameters(std::move(theParameters)),
          ranks(checked(parameters, theRanks != nullptr ? *theRanks : alone).distributed,
                theRanks != nullptr ? *theRanks : alone),
          options(classic::sessionOptionsOf(parameters, std::move(theOptions))),
          ops(withCollectives(theOps, ranks.horizontal())),
          part(rankModelOf(model, parameters, *ops, ranks)),
          modelInputs(inputsOf(model)),
          info(model.info()),
          modelOutputs(tensorOutputsOf(model)),
          state(std::make_shared<CheckpointState>(classic.artifacts.checkpoint)),
          session(classic.artifacts, state, ops, options),
          update(agreed(session), classic, parameters, ranks, part.slices, options.seed) {
        if (ranks.data().isLeader()) saveStages(classic, stagesOfRank());
        if (part.stage) startPipeline();
        if (parameters.optimizerInitialState.empty()) return;
        gatherState();
        view().loadOptimizerStates(part.parameters.optimizerInitialState);
        shareState();
    }

    void startPipeline() {
        pipeline.emplace(*part.stage, session, options, ranks.stages(), parameters);
        pipeline->onWritten([this](const std::string& input) { update.noteWritten(input); });
    }

    temper::TrainingSession& agreed(temper::TrainingSession& own) {
        requireAgreement(ranks, own, classic, parameters, options);
        return own;
    }
    /// The ranks of a model have parts of it, which get files of their own.
    TrainingParameters stagesOfRank() {
        TrainingParameters named = parameters;
        if (ranks.model().size() == 1) return named;
        for (std::filesystem::path* path :
             {&named.modelAfterGraphTransformsPath, &named.modelWithGradientGraphPath,
              &named.modelWithTrainingGraphPath}) {
            if (path->empty()) continue;
            path->replace_filename(path->stem().string() + "_rank" +
                                   std::to_string(ranks.model().rank()) +
                                   path->extension().string());
        }
        return named;
    }

    /// If the ranks share out the optimizer's state, each has it whole until shareState().
    void gatherState() {
        if (update.sharded() != nullptr) update.sharded()->gatherEverywhere();
    }
    void shareState() {
        if (update.sharded() != nullptr) update.sharded()->takeMoments();
    }

    /// Other ranks would wait for one that fails.
    template <typename F>
    auto collective(F&& work) -> decltype(work()) {
        try {
            return work();
        } catch (...) {
            failAll(ranks.all());
            throw;
        }
    }

    /// SGD keeps nothing that the classic session would show.
    StateView view() {
        std::vector<std::string> updated;
        if (parameters.optimizerName == "SGDOptimizer") return {*state, {}, false};
        for (const WeightGroup& group : classic.groups) {
            updated.insert(updated.end(), group.weights.begin(), group.weights.end());
        }
        return {*state, std::move(updated), parameters.optimizerName == "LambOptimizer"};
    }

    /// Arguments without the gradients, which only training produces.
    std::vector<Argument> computed() const {
        std::vector<Argument> result;
        const Graph& graph = *classic.artifacts.evalModel;
        const auto add = [&](const std::string& name) {
            result.push_back({name, graph.at(name)->type()});
        };
        for (const std::string& name : modelOutputs) {
            if (contains(session.outputNames(), name)) add(name);
        }
        for (const std::string& name : session.outputNames()) {
            if (!contains(modelOutputs, name)) add(name);
        }
        return result;
    }

    std::vector<Argument> gradients() const {
        std::vector<Argument> result;
        if (!parameters.setGradientsAsGraphOutputs) return result;
        for (const NamedTensor& weight : classic.artifacts.checkpoint.trainable) {
            const Value* value = classic.artifacts.trainingModel->at(weight.name);
            result.push_back({weight.name + "_grad", value->type()});
        }
        return result;
    }

    void requireKnown(const Feeds& feeds) const {
        for (const auto& [name, data] : feeds) {
            if (name == parameters.learningRateName || name == kTrainingMode) continue;
            if (pipeline ? isModelInput(name) : contains(session.inputNames(true), name)) continue;
            throw Error(ErrorCode::InvalidInput, "The session has no input '" + name + "'.",
                        "Feed the inputs that inputs() lists.");
        }
    }

    void requireOutputs(const std::vector<std::string>& names,
                        const std::vector<Argument>& known) const {
        for (const std::string& name : names) {
            if (std::any_of(known.begin(), known.end(),
                            [&](const Argument& argument) { return argument.name == name; })) {
                continue;
            }
            throw Error(ErrorCode::NotFound, "The session has no output '" + name + "'.",
                        "It has: " + joined(known, &Argument::name) + ".");
        }
    }

    /// Loss scale of this run: the fed one, or the scaler's.
    float scaleOf(const Feeds& feeds) {
        const auto fed = feeds.find(classic.lossScaleInput);
        if (!update.scalesLoss() || fed == feeds.end()) return update.lossScale();
        return numberOf(classic.lossScaleInput, fed->second);
    }

    std::vector<Tensor> inputsFrom(const Feeds& feeds, bool training, float scale) const {
        std::vector<Tensor> result;
        for (const std::string& name : session.inputNames(training)) {
            const auto fed = feeds.find(name);
            if (fed != feeds.end()) {
                result.push_back(fed->second);
            } else if (name == classic.lossScaleInput) {
                result.push_back(Tensor::of<float>({1}, {scale}));
            } else if (training) {
                throwMissing(name);
            } else {
                result.emplace_back();
            }
        }
        return result;
    }

    bool isModelInput(const std::string& name) const {
        return std::ranges::find(modelInputs, name, &Argument::name) != modelInputs.end();
    }

    /// Stages have the loss in common, nothing else.
    std::vector<Argument> lossOnly() const {
        return {{parameters.lossOutputName, {DType::Float32, SymbolicShape{}, false}}};
    }
    std::vector<Tensor> evaluateInStages(const std::vector<std::string>& names,
                                         const Feeds& feeds) {
        requireOutputs(names, lossOnly());
        return lossFor(names, pipeline->evaluate(feeds));
    }
    std::vector<Tensor> trainInStages(const std::vector<std::string>& names, const Feeds& feeds) {
        requireOutputs(names, lossOnly());
        const std::optional<float> rate = rateFrom(feeds);
        update.beginBatch();
        const float loss = pipeline->train(feeds, update.isFirstBatch(), update.batchNumber());
        update.noteBatch(1);
        update.finish(rate);
        return lossFor(names, loss);
    }
    static std::vector<Tensor> lossFor(const std::vector<std::string>& names, float loss) {
        return std::vector<Tensor>(std::max<size_t>(names.size(), 1),
                                   Tensor::of<float>({}, {loss}));
    }

    std::vector<Tensor> evaluate(std::vector<std::string> names, const Feeds& feeds) {
        if (pipeline) return evaluateInStages(names, feeds);
        requireOutputs(names, computed());
        if (names.empty()) names = modelOutputs;
        const std::vector<Tensor> inputs = inputsFrom(feeds, false, scaleOf(feeds));
        std::vector<Tensor> result;
        for (const Tensor& value : session.evaluate(inputs, names)) result.push_back(value.clone());
        return result;
    }

    std::vector<Tensor> train(std::vector<std::string> names, const Feeds& feeds) {
        if (pipeline) return trainInStages(names, feeds);
        std::vector<Argument> known = computed();
        for (Argument& gradient : gradients()) known.push_back(std::move(gradient));
        requireOutputs(names, known);
        if (names.empty()) {
            for (const Argument& argument : known) names.push_back(argument.name);
        }
        const std::optional<float> rate = rateFrom(feeds);
        const float scale = scaleOf(feeds);
        update.requireScale(scale);
        update.beginBatch();
        const auto values = session.trainStep(inputsFrom(feeds, true, scale));
        std::map<std::string, Tensor> results;
        for (size_t i = 0; i < values.size(); ++i) {
            results[session.outputNames()[i]] = values[i].clone();
        }
        update.noteBatch(scale);
        addGradients(results);
        update.finish(rate);
        return pick(names, results);
    }

    static std::vector<Tensor> pick(const std::vector<std::string>& names,
                                    const std::map<std::string, Tensor>& results) {
        std::vector<Tensor> picked;
        for (const std::string& name : names) picked.push_back(results.at(name));
        return picked;
    }

    std::optional<float> rateFrom(const Feeds& feeds) const {
        if (!update.hasOptimizer()) return std::nullopt;
        const auto fed = feeds.find(parameters.learningRateName);
        if (fed == feeds.end()) throwMissing(parameters.learningRateName);
        return numberOf(parameters.learningRateName, fed->second);
    }

    void addGradients(std::map<std::string, Tensor>& results) const {
        for (const Argument& gradient : gradients()) {
            const std::string weight =
                gradient.name.substr(0, gradient.name.size() - std::string_view("_grad").size());
            results[gradient.name] = state->parameter(weight).gradient.clone();
        }
    }

    Group alone;
    TrainingParameters parameters;
    RankGrid ranks;
    SessionOptions options;
    std::shared_ptr<const OpSet> ops;
    RankModel part;
    const ClassicArtifacts& classic = part.classic;
    std::vector<Argument> modelInputs;  ///< of all stages
    ModelInfo info;
    std::vector<std::string> modelOutputs;
    std::shared_ptr<CheckpointState> state;
    temper::TrainingSession session;
    OptimizerUpdate update;
    std::optional<PipelineRunner> pipeline;  ///< if the model has several stages
};

// A constructor that fails throws; the other ranks would wait for this one.
TrainingSession::TrainingSession(const Graph& model, TrainingParameters parameters,
                                 std::shared_ptr<const OpSet> ops, SessionOptions options,
                                 Group* ranks) try
    : implementation_(std::make_unique<Implementation>(model, std::move(parameters), ops,
                                                       std::move(options), ranks)) {
} catch (...) {
    if (ranks != nullptr) failAll(*ranks);
}

TrainingSession::TrainingSession(const std::filesystem::path& model, TrainingParameters parameters,
                                 const std::shared_ptr<const OpSet>& ops, SessionOptions options,
                                 Group* ranks) try
    : TrainingSession(*loadModel(model, {.unifyOpsets = opsetUnifier(ops->catalog)}),
                      std::move(parameters), ops, std::move(options), ranks) {
} catch (...) {
    if (ranks != nullptr) failAll(*ranks);
}

TrainingSession::TrainingSession(std::span<const std::byte> model, TrainingParameters parameters,
                                 const std::shared_ptr<const OpSet>& ops, SessionOptions options,
                                 Group* ranks) try
    : TrainingSession(*parseModel(model, "model", {}, {.unifyOpsets = opsetUnifier(ops->catalog)}),
                      std::move(parameters), ops, std::move(options), ranks) {
} catch (...) {
    if (ranks != nullptr) failAll(*ranks);
}

TrainingSession::~TrainingSession() = default;

std::vector<Tensor> TrainingSession::run(const std::vector<std::string>& outputs,
                                         const Feeds& feeds) {
    return implementation_->collective([&] { return runHere(outputs, feeds); });
}

std::vector<Tensor> TrainingSession::runHere(const std::vector<std::string>& outputs,
                                             const Feeds& feeds) {
    Implementation& self = *implementation_;
    self.requireKnown(feeds);
    const auto mode = feeds.find(kTrainingMode);
    if (mode == feeds.end()) return self.train(outputs, feeds);
    if (mode->second.dtype() != DType::Bool || mode->second.numElements() != 1) {
        throw Error(ErrorCode::InvalidInput,
                    "The input 'training_mode' is " + std::string(dtypeName(mode->second.dtype())) +
                        formatShape(mode->second.shape()) + "; expected one bool.");
    }
    const bool trains = mode->second.values<bool>().front();
    return trains ? self.train(outputs, feeds) : self.evaluate(outputs, feeds);
}

const WeightSlices& TrainingSession::partitionInfoMap() const {
    return implementation_->part.slices;
}

const StepReport& TrainingSession::lastStep() const { return implementation_->update.report(); }

std::vector<Argument> TrainingSession::inputs() const {
    std::vector<Argument> result;
    if (implementation_->pipeline) {
        result = implementation_->modelInputs;
    } else {
        for (const std::string& name : implementation_->session.inputNames())
            result.push_back({name, implementation_->session.inputType(name)});
    }
    if (implementation_->update.hasOptimizer())
        result.push_back({parameters().learningRateName, kOneFloat});
    return result;
}

std::vector<Argument> TrainingSession::outputs() const {
    if (implementation_->pipeline) return implementation_->lossOnly();
    std::vector<Argument> result = implementation_->computed();
    for (Argument& gradient : implementation_->gradients()) result.push_back(std::move(gradient));
    return result;
}

const ModelInfo& TrainingSession::modelMeta() const { return implementation_->info; }
const TrainingParameters& TrainingSession::parameters() const {
    return implementation_->parameters;
}
const SessionOptions& TrainingSession::sessionOptions() const { return implementation_->options; }

const std::string& TrainingSession::lossScaleInput() const {
    return implementation_->classic.lossScaleInput;
}

float TrainingSession::lossScale() const { return implementation_->update.lossScale(); }

bool TrainingSession::isOutputFp32Node(const std::string& output) const {
    if (implementation_->pipeline && output == parameters().lossOutputName) return true;
    const Value* value = implementation_->classic.artifacts.trainingModel->find(output);
    if (value == nullptr || value->producer() == nullptr) {
        throw Error(ErrorCode::NotFound, "Output: " + output + " is not produced by any node.",
                    "Specify an output of the session.");
    }
    return value->type().dtype == DType::Float32;
}

StateDictionary TrainingSession::state() const {
    return implementation_->collective([this] {
        implementation_->gatherState();
        StateDictionary all = implementation_->view().all();
        implementation_->shareState();
        return all;
    });
}

std::map<std::string, StateDictionary> TrainingSession::modelState(
    bool includeMixedPrecision) const {
    std::map<std::string, StateDictionary> result{
        {"full_precision", implementation_->view().weights()}};
    if (!includeMixedPrecision || !parameters().useMixedPrecision) return result;
    for (const auto& [name, data] : result["full_precision"]) {
        if (data.dtype() == DType::Float32) {
            result["mixed_precision"][name] = data.cast(DType::BFloat16);
        }
    }
    return result;
}

OptimizerStates TrainingSession::optimizerState() const {
    return implementation_->collective([this] {
        implementation_->gatherState();
        OptimizerStates states = implementation_->view().optimizerStates();
        implementation_->shareState();
        return states;
    });
}

void TrainingSession::loadState(const StateDictionary& dictionary, bool strict) {
    implementation_->collective([&] {
        implementation_->gatherState();
        implementation_->view().load(dictionary, strict);
        implementation_->shareState();
    });
}

temper::TrainingSession& TrainingSession::session() { return implementation_->session; }

}  // namespace temper::classic
