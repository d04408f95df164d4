// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/formula_builder.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/autodiff/trainability.h"
#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/core/name_pattern.h"
#include "engine/training/blocks/blocks.h"
#include "engine/training/loss/formula_functions.h"
#include "engine/training/loss/loss_function.h"

namespace temper {
namespace {

using TermKind = LossTerm::Kind;

/// Maximum number of reported mistakes per loss.
constexpr size_t kMaxErrors = 20;
/// Shorter names resemble all others of their length.
constexpr size_t kShortestMisspelt = 3;

/// Everything that can be called, as written in a formula.
std::vector<std::string> callableNames() {
    std::vector<std::string> names;
    for (const LossFunction& loss : lossFunctions()) {
        names.push_back(loss.choice.key);
        std::replace(names.back().begin(), names.back().end(), '-', '_');
    }
    for (const TensorFunction& function : tensorFunctions()) names.emplace_back(function.name);
    names.emplace_back(kSquaresCall);
    names.emplace_back(kAmountsCall);
    return names;
}

std::string listOf(const std::vector<std::string>& names) {
    constexpr size_t kShown = 30;
    return joined(names, std::identity(), kShown);
}

void addOnce(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::string formatted(double number) {
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string inputsText(const LossFunction& loss) {
    const std::string target = loss.target;
    return loss.predictions == 1 ? "(output, " + target + ")"
                                 : "(output1, output2, " + target + ")";
}

}  // namespace

std::vector<std::string> formulaCalls() {
    std::vector<std::string> calls;
    for (const LossFunction& loss : lossFunctions()) {
        std::string call = loss.choice.key + inputsText(loss);
        std::replace(call.begin(), call.end(), '-', '_');
        call.pop_back();
        for (const HyperParameter& option : loss.choice.hyperParameters) {
            const bool isList = option.kind == HyperParameter::Kind::List;
            call += ", " + option.key + "=" + (isList ? "[...]" : formatted(option.defaultValue));
        }
        calls.push_back(call + ")");
    }
    for (const TensorFunction& function : tensorFunctions()) {
        calls.push_back(std::string(function.name) + (function.takesAxis ? "(x, axis=1)" : "(x)"));
    }
    for (const char* name : {kSquaresCall, kAmountsCall}) {
        calls.push_back(std::string(name) + "(parameters)");
    }
    return calls;
}

void LossReads::addPrediction(const std::string& name) { addOnce(predictions, name); }
void LossReads::addTarget(const std::string& name) { addOnce(targets, name); }

FormulaBuilder::FormulaBuilder(BlockModel& model, const LossFormula& formula,
                               std::vector<std::string> defaultInputs)
    : model_(model), formula_(formula), defaultInputs_(std::move(defaultInputs)) {
    for (const Value* output : model.graph().outputs()) modelValues_.push_back(output->name());
    for (const Value* value : model.graph().values()) modelValues_.push_back(value->name());
    modelNames_ = {modelValues_.begin(), modelValues_.end()};
    for (const ParameterInfo& info : classifyParameters(model.graph(), model.catalog())) {
        if (info.parameterClass == ParameterClass::Trainable) parameters_.push_back(info.name);
    }
}

void FormulaBuilder::fail(TextRange range, const std::string& message, const std::string& hint) {
    // A user with this many mistakes fixes the first ones and looks again.
    if (errors_.size() < kMaxErrors) {
        errors_.push_back(lossError(formula_.text, range, message, hint));
    }
}

Value* FormulaBuilder::run() {
    Value* loss = build(formula_.root);
    if (loss != nullptr) requireScalar(*loss);
    if (errors_.empty() && reads_.predictions.empty()) {
        fail(formula_.root.range, "The loss reads no output of the model.",
             "Its outputs are: " + listOf(namesOf(model_.graph().outputs())) + ".");
    }
    return errors_.empty() ? loss : nullptr;
}

void FormulaBuilder::requireScalar(const Value& loss) {
    if (isSingleNumber(loss.type())) return;
    fail(formula_.root.range,
         "The loss is " + formatType(loss.type()) + "; expected a single float32 number.",
         "Put it into mean(...) or sum(...).");
}

/// A term with a faulty part is null; the part reported why.
Value* FormulaBuilder::build(const LossTerm& term, const ValueType* like) {
    if (const std::optional<double> number = numberOf(term)) {
        if (std::isfinite(*number)) return buildNumber(*number);
        fail(term.range, "This is not a finite number.", "");
        return nullptr;
    }
    switch (term.kind) {
        case TermKind::Name: return buildName(term, like);
        case TermKind::Call: return buildCall(term, like);
        case TermKind::Negate: {
            Value* x = build(term.parts.front(), like);
            if (x == nullptr) return nullptr;
            return located(term.range, [&] { return blocks::neg(model_, x); });
        }
        default: return buildOperation(term, like);
    }
}

Value* FormulaBuilder::buildNumber(double number) {
    return blocks::constant(model_, static_cast<float>(number));
}

void FormulaBuilder::noteRead(const Value& value) {
    if (!value.isGraphInput()) reads_.addPrediction(value.name());
}

Value* FormulaBuilder::buildName(const LossTerm& term, const ValueType* like) {
    Value* value = model_.graph().find(term.name);
    if (value != nullptr) {
        if (const auto objection = objectionToKind(*value)) {
            fail(term.range, objection->message, objection->hint);
            return nullptr;
        }
        noteRead(*value);
        return value;
    }
    const bool isMisspelt = term.name.size() >= kShortestMisspelt &&
                            std::ranges::any_of(modelValues_, [&term](const std::string& known) {
                                return isAlmost(term.name, known);
                            });
    if (like != nullptr && !isMisspelt) {
        if (like->rank() == 0) {
            fail(term.range,
                 "'" + term.name +
                     "' would be one number for the whole batch, which no data column can feed.",
                 "Write the number itself, or weight the samples: weight * mse(output, target).");
            return nullptr;
        }
        reads_.addTarget(term.name);
        return model_.target(term.name, *like);
    }
    const std::string input = like == nullptr ? "" : " A new input needs a less similar name.";
    fail(term.range, "The model has no value '" + term.name + "'.",
         didYouMean(term.name, modelValues_) +
             "Its outputs are: " + listOf(namesOf(model_.graph().outputs())) + "." + input);
    return nullptr;
}

FormulaBuilder::Kind FormulaBuilder::kindOf(const LossTerm& term) {
    if (term.kind == TermKind::Number) return Kind::Number;
    if (term.kind == TermKind::Name) {
        return modelNames_.contains(term.name) ? Kind::Values : Kind::New;
    }
    if (const auto known = kinds_.find(&term); known != kinds_.end()) return known->second;
    const Kind kind = term.kind == TermKind::Call ? kindOfCall(term) : kindOfParts(term);
    kinds_.emplace(&term, kind);
    return kind;
}

FormulaBuilder::Kind FormulaBuilder::kindOfParts(const LossTerm& term) {
    Kind kind = Kind::Number;
    for (const LossTerm& part : term.parts) kind = std::max(kind, kindOf(part));
    return kind;
}

FormulaBuilder::Kind FormulaBuilder::kindOfCall(const LossTerm& call) {
    if (const TensorFunction* function = findTensorFunction(call.name)) {
        return function->keepsShape ? kindOfParts(call) : Kind::Loss;
    }
    if (call.name == kSquaresCall || call.name == kAmountsCall) return Kind::Loss;
    if (findLossFunction(call.name) == nullptr) return Kind::Values;
    const bool isReduced = std::ranges::none_of(call.options, [](const LossOption& option) {
        const auto* word = std::get_if<std::string>(&option.value);
        return option.key == "reduction" && word != nullptr && *word == "none";
    });
    return isReduced ? Kind::Loss : Kind::Values;
}

/// Whether the term itself reduces a new input, as sum(w) does, so that another term has to
/// determine its type first.
bool FormulaBuilder::waits(const LossTerm& term) {
    if (kindOf(term) <= Kind::New) return false;
    const TensorFunction* function =
        term.kind == TermKind::Call ? findTensorFunction(term.name) : nullptr;
    if (function != nullptr && !function->keepsShape && kindOfParts(term) == Kind::New)
        return namesMissing(term);
    return std::ranges::any_of(term.parts, [this](const LossTerm& part) { return waits(part); });
}

bool FormulaBuilder::namesMissing(const LossTerm& term) {
    if (term.kind == TermKind::Name) return model_.graph().find(term.name) == nullptr;
    return std::ranges::any_of(term.parts,
                               [this](const LossTerm& part) { return namesMissing(part); });
}

/// The type of one operand determines that of a new input in the other one, whichever comes first.
/// A number determines nothing.
Value* FormulaBuilder::buildOperation(const LossTerm& term, const ValueType* like) {
    const LossTerm& left = term.parts[0];
    const LossTerm& right = term.parts[1];
    const Kind leftKind = kindOf(left), rightKind = kindOf(right);
    if (weighsSamples(term)) return weigh(term, {});
    const bool rightFirst =
        (leftKind == Kind::New && rightKind > Kind::New) || (waits(left) && !waits(right));
    Value* first = build(rightFirst ? right : left, like);
    const bool saysType = first != nullptr && (rightFirst ? rightKind : leftKind) != Kind::Number;
    Value* second = build(rightFirst ? left : right, saysType ? &first->type() : like);
    if (first == nullptr || second == nullptr) return nullptr;
    return rightFirst ? combine(term, second, first) : combine(term, first, second);
}

Value* FormulaBuilder::combine(const LossTerm& term, Value* a, Value* b) {
    return located(term.nameRange, [&] { return model_.op(operatorOf(term.kind), {a, b}); });
}

Value* FormulaBuilder::buildCall(const LossTerm& call, const ValueType* like) {
    if (call.name == kSquaresCall || call.name == kAmountsCall) {
        return buildRegulariser(call.name == kSquaresCall, call);
    }
    if (const TensorFunction* function = findTensorFunction(call.name)) {
        return buildFunction(*function, call, like);
    }
    if (const LossFunction* loss = findLossFunction(call.name)) return buildLoss(*loss, call);
    fail(call.nameRange, "Unknown loss '" + call.name + "'.",
         didYouMean(call.name, callableNames()) + "Available: " + listOf(callableNames()) + ".");
    return nullptr;
}

Value* FormulaBuilder::buildFunction(const TensorFunction& function, const LossTerm& call,
                                     const ValueType* like) {
    int64_t axis = 1;
    for (const LossOption& option : call.options) {
        const double* number = std::get_if<double>(&option.value);
        if (!function.takesAxis || option.key != "axis") {
            fail(option.keyRange, "'" + call.name + "' has no option '" + option.key + "'.",
                 function.takesAxis ? "It has: axis." : "It has no options.");
        } else if (number == nullptr || *number != std::floor(*number)) {
            fail(option.valueRange, "The axis is not a whole number.");
        } else {
            axis = static_cast<int64_t>(*number);
        }
    }
    if (call.parts.size() != 1) {
        fail(call.range, "'" + call.name + "' takes one argument; found " +
                             std::to_string(call.parts.size()) + ".");
        return nullptr;
    }
    Value* x = build(call.parts.front(), function.keepsShape ? like : nullptr);
    if (x == nullptr) return nullptr;
    return located(call.range, [&] { return function.build(model_, x, axis); });
}

Value* FormulaBuilder::buildRegulariser(bool squares, const LossTerm& call) {
    for (const LossOption& option : call.options) {
        fail(option.keyRange, "'" + call.name + "' has no option '" + option.key + "'.",
             "To weight it, multiply it by a number: 0.001*" + call.name + "(...).");
    }
    const size_t before = errors_.size();
    std::vector<Value*> parameters;
    for (const LossTerm& term : call.parts) takeParameters(term, parameters);
    if (call.parts.empty()) {
        fail(call.range, "'" + call.name + "' has no parameters.",
             "Add parameters, or patterns in quotes such as \"*.weight\".");
    }
    if (parameters.empty() || errors_.size() > before) return nullptr;
    return located(call.range, [&] {
        return squares ? blocks::l2Norm(model_, parameters) : blocks::l1Norm(model_, parameters);
    });
}

void FormulaBuilder::takeParameters(const LossTerm& term, std::vector<Value*>& parameters) {
    const size_t before = parameters.size();
    const auto add = [&](const std::string& name) {
        Value* value = model_.graph().at(name);
        if (std::find(parameters.begin(), parameters.end(), value) != parameters.end()) return;
        parameters.push_back(value);
        reads_.addPrediction(name);
    };
    if (term.kind == TermKind::Name) {
        const Value* named = model_.graph().find(term.name);
        const bool isParameter = named != nullptr && named->isInitializer();
        if (isParameter) add(term.name);
        for (const std::string& name : parameters_) {
            if (!isParameter && matchesPattern(term.name, name)) add(name);
        }
    }
    if (parameters.size() > before) return requireNumbers(term.range, parameters);
    const std::string what = term.kind == TermKind::Name ? "'" + term.name + "'" : "This";
    fail(term.range, what + " is not a parameter of the model.",
         didYouMean(term.name, parameters_) +
             "Its parameters are: " + joined(parameters_, std::identity(), 8) + ".");
}

void FormulaBuilder::requireNumbers(TextRange range, const std::vector<Value*>& parameters) {
    for (const Value* parameter : parameters) {
        if (parameter->type().dtype == DType::Float32) continue;
        fail(range, "'" + parameter->name() + "' is " + formatType(parameter->type()) +
                        "; expected float32 numbers.");
    }
}

Value* FormulaBuilder::buildLoss(const LossFunction& loss, const LossTerm& call) {
    LossArguments arguments;
    if (!takeArguments(arguments, loss, call)) return nullptr;
    return located(call.range, [&] { return loss.build(model_, arguments); });
}

bool FormulaBuilder::takeArguments(LossArguments& arguments, const LossFunction& loss,
                                   const LossTerm& call) {
    const size_t before = errors_.size();
    arguments.loss = &loss;
    for (const LossOption& option : call.options) takeOption(arguments, option);
    takeInputs(arguments, call);
    return errors_.size() == before;
}

void FormulaBuilder::takeInputs(LossArguments& arguments, const LossTerm& call) {
    const LossFunction& loss = *arguments.loss;
    std::vector<LossTerm> usual;
    if (call.parts.empty()) {
        for (const std::string& name : defaultInputs_) {
            LossTerm term;
            term.kind = TermKind::Name;
            term.name = name;
            term.range = call.range;
            usual.push_back(std::move(term));
        }
    }
    const std::vector<LossTerm>& terms = call.parts.empty() ? usual : call.parts;
    if (terms.size() < loss.predictions || terms.size() > loss.predictions + 1) {
        return fail(call.range,
                    "'" + call.name + "' has " + counted(terms.size(), "argument") + "; expected " +
                        call.name + inputsText(loss) + ".",
                    "The model's outputs are: " + listOf(namesOf(model_.graph().outputs())) + ".");
    }
    for (size_t i = 0; i < loss.predictions; ++i) {
        Value* prediction = build(terms[i]);
        arguments.predictions.push_back(prediction);
        if (prediction == nullptr) continue;
        if (const auto objection = objectionTo(loss, *prediction)) {
            fail(terms[i].range, objection->message, objection->hint);
        }
    }
    if (terms.size() > loss.predictions) return takeTarget(arguments, terms.back());
    LossTerm target;
    target.kind = TermKind::Name;
    target.range = call.range;
    try {
        target.name = defaultTarget(loss, model_.graph());
    } catch (const Error& error) {
        return fail(call.range, error.message(), error.hint());
    }
    takeTarget(arguments, target);
}

/// A name that the model lacks becomes a new graph input.
void FormulaBuilder::takeTarget(LossArguments& arguments, const LossTerm& term) {
    if (term.kind != TermKind::Name) {
        const Value* prediction = arguments.predictions.front();
        const ValueType type =
            prediction == nullptr ? ValueType{} : targetType(*arguments.loss, prediction->type());
        arguments.target = blocks::Target(build(term, prediction == nullptr ? nullptr : &type));
        return;
    }
    Value* found = model_.graph().find(term.name);
    if (found == nullptr) {
        arguments.target = blocks::Target(term.name);
    } else if (const auto objection = objectionToKind(*found)) {
        fail(term.range, objection->message, objection->hint);
    } else {
        arguments.target = blocks::Target(found);
        noteRead(*found);
    }
    if (found == nullptr || found->isGraphInput()) reads_.addTarget(term.name);
}

void FormulaBuilder::takeOption(LossArguments& arguments, const LossOption& option) {
    if (option.key == "reduction") return takeReduction(arguments, option);
    const auto& parameters = arguments.loss->choice.hyperParameters;
    const auto known = std::ranges::find(parameters, option.key, &HyperParameter::key);
    if (known != parameters.end()) return takeNumbers(arguments, *known, option);
    std::vector<std::string> keys = {"reduction"};
    for (const HyperParameter& parameter : parameters) keys.push_back(parameter.key);
    fail(option.keyRange,
         "'" + arguments.loss->choice.key + "' has no option '" + option.key + "'.",
         didYouMean(option.key, keys) + "It has: " + listOf(keys) + ".");
}

/// A number also stands for a list of one.
void FormulaBuilder::takeNumbers(LossArguments& arguments, const HyperParameter& parameter,
                                 const LossOption& option) {
    const bool wantsList = parameter.kind == HyperParameter::Kind::List;
    const double* number = std::get_if<double>(&option.value);
    const auto* list = std::get_if<std::vector<double>>(&option.value);
    std::vector<double> numbers;
    if (number != nullptr) numbers = {*number};
    if (list != nullptr && wantsList) numbers = *list;
    if (numbers.empty()) {
        return fail(option.valueRange,
                    "'" + option.key + "' must be " +
                        (wantsList ? "a list of numbers such as [1, 2]." : "a number."));
    }
    for (const double value : numbers) {
        if (value >= parameter.minimum && value <= parameter.maximum) continue;
        fail(option.valueRange, "'" + option.key + "' is " + formatted(value) + "; expected " +
                                    formatted(parameter.minimum) + " to " +
                                    formatted(parameter.maximum) + ".");
    }
    if (wantsList) {
        arguments.options.lists[option.key] = numbers;
    } else {
        arguments.options.values[option.key] = numbers.front();
    }
}

void FormulaBuilder::takeReduction(LossArguments& arguments, const LossOption& option) {
    using blocks::Reduction;
    std::vector<std::pair<std::string, Reduction>> known = {
        {"mean", Reduction::Mean}, {"sum", Reduction::Sum}, {"none", Reduction::None}};
    if (arguments.loss->hasBatchMean) known.emplace_back("batchmean", Reduction::BatchMean);
    const auto* word = std::get_if<std::string>(&option.value);
    std::vector<std::string> names;
    for (const auto& [name, reduction] : known) {
        names.push_back(name);
        if (word == nullptr || *word != name) continue;
        arguments.reduction = reduction;
        return;
    }
    fail(option.valueRange,
         "Reduction " + (word == nullptr ? "of this kind" : *word) + " is not supported.",
         didYouMean(word == nullptr ? "" : *word, names) + "Available: " + listOf(names) + ".");
}

}  // namespace temper
