// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/loss_function.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/joined.h"
#include "engine/ir/tensor_sources.h"
#include "engine/training/loss/language_model.h"

namespace temper {
namespace {

using Arguments = LossArguments;

/// In labels of sequences, whose classes are along the last axis, this marks positions without a
/// label.
constexpr int64_t kIgnoredBeside = -100;

/// Maximum number of tensors that a hint proposes.
constexpr size_t kMaxProposed = 3;

float real(const Arguments& arguments, const char* key) {
    return static_cast<float>(arguments.number(key));
}

int64_t wholeNumber(const Arguments& arguments, const char* key) {
    const double number = arguments.number(key);
    if (number == std::floor(number)) return static_cast<int64_t>(number);
    throw Error(ErrorCode::InvalidInput, "'" + std::string(key) + "' is " + std::to_string(number) +
                                             "; expected a whole number.");
}

blocks::ClassOptions classOptions(const Arguments& arguments) {
    blocks::ClassOptions options;
    options.weight = arguments.list("weight");
    if (arguments.options.values.contains("ignore_index")) {
        options.ignoreIndex = static_cast<int64_t>(arguments.number("ignore_index"));
    }
    options.axis = wholeNumber(arguments, "axis");
    if (options.axis == -1 && !options.ignoreIndex) options.ignoreIndex = kIgnoredBeside;
    options.reduction = arguments.reduction;
    return options;
}

HyperParameter classAxis() {
    return {"axis",
            "Class axis",
            "",
            1,
            -8,
            8,
            "Axis of the logits with the classes; -1: the last one."};
}

HyperParameter ignoreIndex() {
    return {"ignore_index",
            "Ignored label",
            "",
            -100,
            -1e9,
            1e9,
            "Labels with this value do not count, if set; with axis -1 it is -100 by default."};
}

HyperParameter labelSmoothing() {
    return {"label_smoothing",
            "Label smoothing",
            "",
            0,
            0,
            0.999,
            "Share of the target that is spread evenly over all classes.",
            HyperParameter::Kind::Number,
            "off"};
}

HyperParameter list(const char* key, const char* label, const char* help) {
    return {key, label, "", 1, 0, 1e9, help, HyperParameter::Kind::List};
}

HyperParameter weights() {
    return list("weight", "Weights", "Factors of the loss, one per class or element.");
}

HyperParameter gamma() {
    return {"gamma", "Gamma", "", 2, 0, 10, "The higher it is, the less the easy samples count."};
}

HyperParameter margin(double defaultValue, double minimum) {
    return {"margin", "Margin", "", defaultValue, minimum, 1e6, "How clear a decision has to be."};
}

bool isShare(double value) { return value >= 0 && value <= 1; }
bool isSign(double value) { return value == -1 || value == 1; }

// The targets that losses accept.

std::optional<TargetRange> answers(const Selection&) {
    return TargetRange{"values between 0 and 1", isShare,
                       "Use 0 for no and 1 for yes. For labels of several classes, choose cross "
                       "entropy; for numbers, a regression loss."};
}
std::optional<TargetRange> signs(const Selection&) {
    return TargetRange{"-1 and 1", isSign, "Use -1 for no and 1 for yes."};
}
std::optional<TargetRange> probabilities(const Selection& options) {
    const auto isLog = options.values.find("log_target");
    if (isLog == options.values.end() || isLog->second == 0)
        return TargetRange{"probabilities between 0 and 1", isShare,
                           "Divide the targets of each sample by their sum."};
    return TargetRange{"log-probabilities, which are at most 0",
                       [](double value) { return value <= 0; },
                       "Take the logarithm of the targets, or turn off 'Target is logarithmic' "
                       "(log_target)."};
}

std::vector<LossFunction> classLosses() {
    return {
        {.choice = {"cross-entropy",
                    "Cross entropy",
                    "Classification: one of several classes.",
                    {labelSmoothing(), weights(), ignoreIndex(), classAxis()},
                    "-w[t] log softmax(x)[t]"},
         .target = "labels",
         .readsClasses = true,
         .dividesByWeights = true,
         .build =
             [](BlockModel& model, const Arguments& a) {
                 blocks::ClassOptions options = classOptions(a);
                 options.labelSmoothing = a.number("label_smoothing");
                 return blocks::crossEntropy(model, a.predictions[0], a.target, options);
             }},
        {.choice = {"focal",
                    "Focal",
                    "Classification with rare classes: easy samples count less.",
                    {gamma(), weights(), ignoreIndex(), classAxis()},
                    "w[t] (1 - p)^gamma (-log p), p = softmax(x)[t]"},
         .target = "labels",
         .readsClasses = true,
         .build =
             [](BlockModel& model, const Arguments& a) {
                 blocks::ClassOptions options = classOptions(a);
                 options.gamma = real(a, "gamma");
                 return blocks::focal(model, a.predictions[0], a.target, options);
             }},
        {.choice = {"nll",
                    "Negative log-likelihood",
                    "Classification: the model outputs log-probabilities.",
                    {weights(), ignoreIndex(), classAxis()},
                    "-w[t] x[t]"},
         .target = "labels",
         .readsClasses = true,
         .dividesByWeights = true,
         .build =
             [](BlockModel& model, const Arguments& a) {
                 return blocks::negativeLogLikelihood(model, a.predictions[0], a.target,
                                                      classOptions(a));
             }},
        {.choice = {"ctc",
                    "CTC",
                    "Reading and listening: labels in order, without their positions.",
                    {{"blank", "Blank", "", 0, 0, 1e9, "The class that stands for no label."},
                     {"time_axis", "Time axis", "", 1, 0, 1,
                      "Axis of the logits that holds the steps: 1 for [N, T, classes], 0 for "
                      "[T, N, classes]."},
                     {"zero_infinity", "Skip what does not fit", "", 0, 0, 1,
                      "Samples with more labels than steps count 0; otherwise their loss is "
                      "infinite.",
                      HyperParameter::Kind::Switch}},
                    "-log of the probability of all alignments of the labels with the steps"},
         .target = "labels",
         .readsLabelLists = true,
         .build =
             [](BlockModel& model, const Arguments& a) {
                 return blocks::ctc(model, a.predictions[0], a.target,
                                    {wholeNumber(a, "blank"), wholeNumber(a, "time_axis"),
                                     a.number("zero_infinity") != 0, a.reduction});
             }},
        {.choice = {"next-token",
                    "Next token",
                    "Language models: each position predicts the next token.",
                    {labelSmoothing(),
                     {"pad_id", "Padding token", "", -1, -1, 1e9,
                      "Tokens with this id are not used as labels; -1: none."}},
                    "-log softmax(x[t])[id[t + 1]]"},
         .target = "input_ids",
         .readsTokens = true,
         .build =
             [](BlockModel& model, const Arguments& a) {
                 blocks::TokenOptions options;
                 if (const int64_t pad = wholeNumber(a, "pad_id"); pad >= 0) options.padId = pad;
                 options.mask = tokenMask(model.graph(), a.target);
                 options.labelSmoothing = a.number("label_smoothing");
                 options.reduction = a.reduction;
                 return blocks::nextToken(model, a.predictions[0], a.target, options);
             }},
    };
}

std::vector<LossFunction> numberLosses() {
    return {
        {.choice = {"mse",
                    "Mean squared error",
                    "Regression: numbers, large errors count more.",
                    {},
                    "(x - t)^2"},
         .build =
             [](BlockModel& model, const Arguments& a) {
                 return blocks::mse(model, a.predictions[0], a.target, a.reduction);
             }},
        {.choice = {"l1",
                    "Mean absolute error",
                    "Regression: numbers, robust against outliers.",
                    {},
                    "|x - t|"},
         .build =
             [](BlockModel& model, const Arguments& a) {
                 return blocks::l1(model, a.predictions[0], a.target, a.reduction);
             }},
        {.choice = {"huber",
                    "Huber",
                    "Regression: squared for small errors, absolute for large ones.",
                    {{"delta", "Delta", "", 1, 1e-6, 1e6, "Errors beyond it are large."}},
                    "d^2 / 2 up to delta, delta (d - delta / 2) beyond; d = |x - t|"},
         .build =
             [](BlockModel& model, const Arguments& a) {
                 return blocks::huber(model, a.predictions[0], a.target, real(a, "delta"),
                                      a.reduction);
             }},
        {.choice = {"smooth-l1",
                    "Smooth L1",
                    "Regression: absolute errors, but squared close to zero.",
                    {{"beta", "Beta", "", 1, 0, 1e6, "Errors below it are squared."}},
                    "huber(delta = beta) / beta"},
         .build =
             [](BlockModel& model, const Arguments& a) {
                 return blocks::smoothL1(model, a.predictions[0], a.target, real(a, "beta"),
                                         a.reduction);
             }},
    };
}

std::vector<LossFunction> otherLosses() {
    return {
        {.choice = {"bce-with-logits",
                    "Binary cross entropy with logits",
                    "Yes or no for each output; targets between 0 and 1.",
                    {list("pos_weight", "Positive-class weight",
                          "Factor of the loss if the target is 1; one, or one per output."),
                     weights()},
                    "softplus(x) - x t"},
         .build =
             [](BlockModel& model, const Arguments& a) {
                 return blocks::binaryCrossEntropy(
                     model, a.predictions[0], a.target,
                     {a.list("weight"), a.list("pos_weight"), a.reduction});
             },
         .targets = answers},
        {.choice = {"binary-focal",
                    "Binary focal",
                    "Yes or no if one of them is rare: easy samples count less.",
                    {{"focal_alpha", "Alpha", "", 0.25, -1, 1,
                      "Weight of the positive class against the negative; below 0: no weights."},
                     gamma()},
                    "a (1 - p)^gamma bce; a = focal_alpha for t = 1, 1 - focal_alpha for 0"},
         .build =
             [](BlockModel& model, const Arguments& a) {
                 return blocks::binaryFocal(
                     model, a.predictions[0], a.target,
                     {real(a, "focal_alpha"), real(a, "gamma"), a.reduction});
             },
         .targets = answers},
        {.choice = {"hinge",
                    "Hinge",
                    "Yes or no as 1 and -1, as support vectors do.",
                    {margin(1, 0)},
                    "max(0, margin - x t)"},
         .build =
             [](BlockModel& model, const Arguments& a) {
                 return blocks::hinge(model, a.predictions[0], a.target, real(a, "margin"),
                                      a.reduction);
             },
         .targets = signs},
        {.choice = {"kl-div",
                    "Kullback-Leibler divergence",
                    "Probabilities; the model outputs log-probabilities.",
                    {{"log_target", "Target is logarithmic", "", 0, 0, 1,
                      "The target is also a log-probability.", HyperParameter::Kind::Switch}},
                    "t (log t - x)"},
         .hasBatchMean = true,
         .build =
             [](BlockModel& model, const Arguments& a) {
                 return blocks::klDivergence(model, a.predictions[0], a.target,
                                             a.number("log_target") != 0, a.reduction);
             },
         .targets = probabilities},
        {.choice = {"cosine-embedding",
                    "Cosine embedding",
                    "Pairs of outputs that should be similar (1) or not (-1).",
                    {margin(0, -1)},
                    "1 - cos(a, b) for t = 1, max(0, cos(a, b) - margin) for -1"},
         .predictions = 2,
         .build =
             [](BlockModel& model, const Arguments& a) {
                 return blocks::cosineEmbedding(model, a.predictions[0], a.predictions[1], a.target,
                                                real(a, "margin"), a.reduction);
             },
         .targets = signs},
    };
}

std::vector<LossFunction>& allLosses() {
    static std::vector<LossFunction> losses = [] {
        std::vector<LossFunction> all;
        for (auto group : {classLosses(), numberLosses(), otherLosses()}) {
            std::move(group.begin(), group.end(), std::back_inserter(all));
        }
        return all;
    }();
    return losses;
}

}  // namespace

double LossArguments::number(const std::string& key) const {
    return Selection{loss->choice.key, options.values}.value({loss->choice}, key);
}

std::vector<float> LossArguments::list(const std::string& key) const {
    const auto found = options.lists.find(key);
    if (found == options.lists.end()) return {};
    return {found->second.begin(), found->second.end()};
}

const std::vector<LossFunction>& lossFunctions() { return allLosses(); }

void addLossFunction(LossFunction loss) {
    if (findLossFunction(loss.choice.key) != nullptr)
        throw Error(ErrorCode::InvalidInput, "Loss '" + loss.choice.key + "' already exists.");
    allLosses().push_back(std::move(loss));
}

const LossFunction* findLossFunction(std::string_view name) {
    std::string key(name);
    std::replace(key.begin(), key.end(), '_', '-');
    const auto& all = lossFunctions();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const LossFunction& loss) { return loss.choice.key == key; });
    return found == all.end() ? nullptr : &*found;
}

const std::vector<Choice>& lossChoices() {
    static const std::vector<Choice> kChoices = [] {
        std::vector<Choice> choices;
        for (const LossFunction& loss : lossFunctions()) {
            if (loss.predictions == 1) choices.push_back(loss.choice);
        }
        choices.push_back({"none",
                           "None: the model's output is its loss",
                           "For models that already compute a scalar loss.",
                           {}});
        return choices;
    }();
    return kChoices;
}

bool meansOverLabels(const LossArguments& arguments) {
    const LossFunction& loss = *arguments.loss;
    if (!loss.readsClasses || arguments.reduction != blocks::Reduction::Mean) return false;
    const std::map<std::string, double>& values = arguments.options.values;
    const auto axis = values.find("axis");
    return values.contains("ignore_index") || (axis != values.end() && axis->second == -1) ||
           (loss.dividesByWeights && !arguments.list("weight").empty());
}

ValueType targetType(const LossFunction& loss, const ValueType& prediction) {
    if (loss.readsLabelLists)
        return {DType::Int64, SymbolicShape{Dim::unknown(), blocks::labelsAxis()}, false};
    if (!loss.readsTokens) return loss.readsClasses ? blocks::labelType(prediction) : prediction;
    SymbolicShape shape = prediction.shape.value_or(SymbolicShape{});
    if (shape.size() > 2) shape.resize(2);
    return {DType::Int64, std::move(shape), false};
}

std::string defaultTarget(const LossFunction& loss, const Graph& model) {
    if (!loss.readsTokens) return loss.target;
    if (const Value* tokens = findTokens(model)) return tokens->name();
    const std::string inputs = joined(model.inputs(), [](const Value* input) {
        return "'" + input->name() + "' " + formatType(input->type());
    });
    throw Error(ErrorCode::InvalidInput,
                "It is unclear which input of the model holds the tokens; its inputs are: " +
                    inputs + ". Expected 'input_ids' or one integer input [N, T].",
                "Specify it after the output, as in --loss-input logits input_ids.");
}

Value* tokenMask(const Graph& model, const blocks::Target& tokens) {
    const Value* own = tokens.value != nullptr ? tokens.value : model.find(tokens.name);
    const bool isRead = own != nullptr && own->isGraphInput() && !own->uses().empty();
    return isRead ? findAttentionMask(model) : nullptr;
}

std::optional<LossObjection> objectionToKind(const Value& value) {
    const ValueType& type = value.type();
    if (type.isTensor()) return std::nullopt;
    const std::string kind = type.isOptional ? "optional" : "sequence";
    std::vector<Value*> sources = tensorSources(value);
    sources.resize(std::min(sources.size(), kMaxProposed));
    std::string hint = "Let it read a tensor (--loss-input NAME, or its name in a formula)";
    if (!sources.empty()) {
        hint += " such as " + joinedQuoted(sources, &Value::name) + ", from which the " + kind +
                " is made";
    }
    hint += std::string(". To read what the ") + kind + " holds, add " +
            (type.isOptional ? "OptionalGetElement" : "SequenceAt or ConcatFromSequence") +
            " to the model.";
    return LossObjection{
        "The loss reads a tensor; '" + value.name() + "' is " + formatType(type) + ".", hint};
}

std::optional<LossObjection> objectionTo(const LossFunction& loss, const Value& prediction) {
    if (auto objection = objectionToKind(prediction)) return objection;
    const ValueType& type = prediction.type();
    const std::string found = "'" + prediction.name() + "' is " + formatType(type);
    if (type.dtype != DType::Float32) {
        return LossObjection{"The loss reads float32 numbers; " + found + ".",
                             "Choose another output, or export the model in float32."};
    }
    if (!type.shape) {
        return LossObjection{"The rank of '" + prediction.name() + "' is unknown.",
                             "Export the model with shapes."};
    }
    if ((loss.readsTokens || loss.readsLabelLists) && type.shape->size() != 3) {
        return LossObjection{loss.choice.label + " reads logits [N, T, classes]; " + found + ".",
                             "Choose another output or another loss."};
    }
    if (loss.readsClasses && type.shape->size() < 2) {
        return LossObjection{loss.choice.label + " reads logits [N, classes, ...]; " + found + ".",
                             "Choose another output or another loss."};
    }
    return std::nullopt;
}

}  // namespace temper
