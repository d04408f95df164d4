// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/training_session.h"

#include <algorithm>
#include <optional>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/onnx/model_file.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/ort_classic/classic_artifacts.h"
#include "engine/training/ort_classic/optimizer_update.h"

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

const TrainingParameters& checked(const TrainingParameters& parameters) {
    checkParameters(parameters);
    return parameters;
}

}  // namespace

struct TrainingSession::Implementation {
    Implementation(const Graph& model, TrainingParameters theParameters,
                   std::shared_ptr<const OpSet> ops, SessionOptions theOptions)
        : parameters(std::move(theParameters)),
          options(classic::sessionOptionsOf(parameters, std::move(theOptions))),
          classic(makeClassicArtifacts(model, checked(parameters), *ops)),
          info(model.info()),
          modelOutputs(namesOf(model.outputs())),
          state(std::make_shared<CheckpointState>(classic.artifacts.checkpoint)),
          session(classic.artifacts, state, ops, options),
          update(session, classic, parameters, options.seed) {
        saveStages(classic, parameters);
        if (!parameters.optimizerInitialState.empty()) {
            view().loadOptimizerStates(parameters.optimizerInitialState);
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
            if (contains(session.inputNames(true), name)) continue;
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

    std::vector<Tensor> evaluate(std::vector<std::string> names, const Feeds& feeds) {
        requireOutputs(names, computed());
        if (names.empty()) names = modelOutputs;
        const std::vector<Tensor> inputs = inputsFrom(feeds, false, scaleOf(feeds));
        std::vector<Tensor> result;
        for (const Tensor& value : session.evaluate(inputs, names)) result.push_back(value.clone());
        return result;
    }

    std::vector<Tensor> train(std::vector<std::string> names, const Feeds& feeds) {
        std::vector<Argument> known = computed();
        for (Argument& gradient : gradients()) known.push_back(std::move(gradient));
        requireOutputs(names, known);
        if (names.empty()) {
            for (const Argument& argument : known) names.push_back(argument.name);
        }
        const std::optional<float> rate = rateFrom(feeds);
        const float scale = scaleOf(feeds);
        update.requireScale(scale);
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

    TrainingParameters parameters;
    SessionOptions options;
    ClassicArtifacts classic;
    ModelInfo info;
    std::vector<std::string> modelOutputs;
    std::shared_ptr<CheckpointState> state;
    temper::TrainingSession session;
    OptimizerUpdate update;
};

TrainingSession::TrainingSession(const Graph& model, TrainingParameters parameters,
                                 std::shared_ptr<const OpSet> ops, SessionOptions options)
    : implementation_(std::make_unique<Implementation>(model, std::move(parameters), std::move(ops),
                                                       options)) {}

TrainingSession::TrainingSession(const std::filesystem::path& model, TrainingParameters parameters,
                                 const std::shared_ptr<const OpSet>& ops, SessionOptions options)
    : TrainingSession(*loadModel(model, {.unifyOpsets = opsetUnifier(ops->catalog)}),
                      std::move(parameters), ops, std::move(options)) {}

TrainingSession::TrainingSession(std::span<const std::byte> model, TrainingParameters parameters,
                                 const std::shared_ptr<const OpSet>& ops, SessionOptions options)
    : TrainingSession(*parseModel(model, "model", {}, {.unifyOpsets = opsetUnifier(ops->catalog)}),
                      std::move(parameters), ops, options) {}

TrainingSession::~TrainingSession() = default;

std::vector<Tensor> TrainingSession::run(const std::vector<std::string>& outputs,
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

const StepReport& TrainingSession::lastStep() const { return implementation_->update.report(); }

std::vector<Argument> TrainingSession::inputs() const {
    std::vector<Argument> result;
    for (const std::string& name : implementation_->session.inputNames()) {
        result.push_back({name, implementation_->session.inputType(name)});
    }
    if (implementation_->update.hasOptimizer())
        result.push_back({parameters().learningRateName, kOneFloat});
    return result;
}

std::vector<Argument> TrainingSession::outputs() const {
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
    const Value* value = implementation_->classic.artifacts.trainingModel->find(output);
    if (value == nullptr || value->producer() == nullptr) {
        throw Error(ErrorCode::NotFound, "Output: " + output + " is not produced by any node.",
                    "Specify an output of the session.");
    }
    return value->type().dtype == DType::Float32;
}

StateDictionary TrainingSession::state() const { return implementation_->view().all(); }

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
    return implementation_->view().optimizerStates();
}

void TrainingSession::loadState(const StateDictionary& dictionary, bool strict) {
    implementation_->view().load(dictionary, strict);
}

temper::TrainingSession& TrainingSession::session() { return implementation_->session; }

}  // namespace temper::classic
