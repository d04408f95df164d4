// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/restored_formulas.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "engine/core/name_pattern.h"
#include "engine/ir/module_scope.h"
#include "engine/provenance/evidence.h"
#include "engine/provenance/module_paths.h"
#include "engine/provenance/replacing.h"
#include "engine/provenance/tensor_names.h"

namespace temper {
namespace {

using Operations = std::multiset<std::string>;

/// What the module computes from each number of a parameter.
struct Formula {
    std::vector<std::string> operators;  ///< of ONNX, in their order
    std::function<double(double)> apply;
    std::function<double(double)> invert;
    std::optional<int> addend = {};  ///< the second operand
};

bool changesShape(const std::string& operation) {
    static const std::set<std::string_view> kChanging = {
        "unsqueeze", "squeeze", "view", "_unsafe_view", "reshape", "transpose", "permute"};
    return kChanging.contains(operation);
}

bool movesNumbers(const std::string& operation) {
    return changesShape(operation) || operation == "clone" || operation == "alias" ||
           operation == "_to_copy";
}

/// The operations of PyTorch that computed a tensor, and the names of everything else that was
/// involved but its parameter and numbers that operations take.
Operations operationsOn(const Value& tensor, const std::string& parameter) {
    std::vector<std::string> names = foldedFrom(tensor);
    names.push_back(tensor.name());
    Operations operations;
    for (const std::string& name : names) {
        if (name != parameter && !isNamedAsResult(name)) operations.insert(operationIn(name));
    }
    return operations;
}

Operations withoutMoves(Operations operations) {
    std::erase_if(operations, movesNumbers);
    return operations;
}

/// The shape of the parameter; nothing if its numbers may be in another order. The exporter gives
/// what it transposes on its own a name without an operation.
std::optional<Shape> ownShape(const Value& tensor, const std::string& parameter) {
    Shape shape = tensor.constant().shape();
    if (isNamedAsResult(tensor.name()) && shape.size() > 1) return std::nullopt;
    Operations operations = operationsOn(tensor, parameter);
    const auto added = static_cast<std::ptrdiff_t>(operations.erase("unsqueeze"));
    if (std::ranges::any_of(operations, changesShape)) return std::nullopt;
    if (added == 0) return shape;
    if (std::ranges::count(shape, int64_t{1}) != added) return std::nullopt;
    std::erase(shape, int64_t{1});
    return shape;
}

std::optional<int> wholeNumber(std::string_view text) {
    if (text.ends_with(".0")) text.remove_suffix(2);
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

/// 1 for "x * (1.0 + self.weight.float())" and "f(x, self.weight + 1)".
std::optional<int> addendIn(std::string code, const std::string& attribute) {
    constexpr std::string_view kCast = ".float()";
    if (const size_t cast = code.find(kCast); cast != std::string::npos)
        code.erase(cast, kCast.size());
    std::erase(code, ' ');
    const auto separates = [](char c) { return c == '(' || c == ')' || c == ',' || c == '='; };
    std::ranges::replace_if(code, separates, '\n');
    std::istringstream terms(code);
    for (std::string term; std::getline(terms, term);) {
        const size_t plus = term.find('+');
        if (plus == std::string::npos) continue;
        const std::string left = term.substr(0, plus), right = term.substr(plus + 1);
        if (left == attribute) return wholeNumber(right);
        if (right == attribute) return wholeNumber(left);
    }
    return std::nullopt;
}

/// What the parameter's module adds to it, by the lines of its nodes that read the tensor.
std::optional<int> addendOf(const Value& tensor, const std::string& parameter) {
    const std::string attribute = "self." + std::string(lastPart(parameter));
    for (const Value::Use& use : tensor.uses()) {
        const auto line = sourceLineOf(*use.node);
        if (!line || modulePath(*use.node) != moduleIn(parameter)) continue;
        if (const auto addend = addendIn(line->code, attribute)) return addend;
    }
    return std::nullopt;
}

double exponential(double x) { return std::exp(x); }
double logarithm(double y) { return std::log(y); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double logit(double y) { return std::log(y / (1 - y)); }
double tangent(double x) { return std::tanh(x); }
double areaTangent(double y) { return std::atanh(y); }

std::optional<Formula> formulaOf(const Value& tensor, const std::string& parameter) {
    const Operations operations = withoutMoves(operationsOn(tensor, parameter));
    if (operations == Operations{"exp"}) return Formula{{"Exp"}, exponential, logarithm};
    if (operations == Operations{"sigmoid"}) return Formula{{"Sigmoid"}, sigmoid, logit};
    if (operations == Operations{"tanh"}) return Formula{{"Tanh"}, tangent, areaTangent};
    if (operations == Operations{"exp", "neg"}) {  // the sign tells the order
        if (tensor.constant().values<float>()[0] > 0)
            return Formula{{"Neg", "Exp"},
                           [](double x) { return std::exp(-x); },
                           [](double y) { return -std::log(y); }};
        return Formula{{"Exp", "Neg"},
                       [](double x) { return -std::exp(x); },
                       [](double y) { return std::log(-y); }};
    }
    const auto addend =
        operations == Operations{"add"} ? addendOf(tensor, parameter) : std::nullopt;
    if (!addend) return std::nullopt;
    return Formula{{"Add"},
                   [by = *addend](double x) { return x + by; },
                   [by = *addend](double y) { return y - by; },
                   addend};
}

/// The numbers of the parameter; nothing if the formula does not lead back to those of the tensor.
std::optional<Tensor> parameterBehind(const Tensor& tensor, const Formula& formula) {
    Tensor result(DType::Float32, tensor.shape());
    const auto from = tensor.values<float>();
    const auto to = result.mutableValues<float>();
    for (size_t i = 0; i < from.size(); ++i) {
        to[i] = static_cast<float>(formula.invert(from[i]));
        const double error = std::abs(formula.apply(to[i]) - from[i]);
        const bool isSame = std::isfinite(to[i]) && error <= 1e-6 + 1e-5 * std::abs(from[i]);
        if (!isSame) return std::nullopt;
    }
    return result;
}

/// Programs exchange weights with PyTorch by name: it is the parameter's only if the shape is, too.
Value* addSource(Graph& model, const Value& tensor, const std::string& parameter,
                 const Tensor& numbers) {
    const auto shape = ownShape(tensor, parameter);
    const std::string name = shape ? parameter : tensor.name() + "_source";
    Value* source =
        model.addInitializer(model.uniqueName(name), shape ? numbers.reshaped(*shape) : numbers);
    markRestored(*source, parameter);
    return source;
}

void compute(Graph& model, Value* tensor, Value* source, const Formula& formula) {
    Value* value = source;
    Replacing replacing(model, tensor);
    for (const std::string& op : formula.operators) {
        std::vector<Value*> inputs{value};
        if (formula.addend) {
            inputs.push_back(model.addLiteral(model.uniqueName(tensor->name() + "_addend"),
                                              Tensor::scalar(static_cast<float>(*formula.addend))));
        }
        value = replacing.add(op, std::move(inputs));
    }
    const Shape& shape = tensor->constant().shape();
    if (source->constant().shape() != shape) value = replacing.reshape(value, shape);
    replacing.finish(value);
}

/// Initializers that hold one parameter that no other holds.
std::map<std::string, Value*> onlyTensors(const Graph& model) {
    const Evidence evidence(model);
    std::map<std::string, std::vector<Value*>> tensors;
    for (Value* value : model.initializers())
        for (const std::string& name : evidence.parametersIn(*value))
            tensors[name].push_back(value);
    std::map<std::string, Value*> result;
    for (const auto& [name, values] : tensors) {
        if (values.size() == 1 && evidence.parametersIn(*values[0]).size() == 1)
            result[name] = values[0];
    }
    return result;
}

}  // namespace

std::vector<RestoredFormula> restoreFormulas(Graph& model, const SharingChoices& choices) {
    std::vector<RestoredFormula> restored;
    for (const auto& [parameter, tensor] : onlyTensors(model)) {
        if (matchesAny(choices.keepMerged, tensor->name()) ||
            matchesAny(choices.keepMerged, parameter))
            continue;
        const Tensor& data = tensor->constant();
        if (data.dtype() != DType::Float32 || data.numElements() == 0) continue;
        const auto formula = formulaOf(*tensor, parameter);
        if (!formula) continue;
        const auto numbers = parameterBehind(data, *formula);
        if (!numbers) continue;
        Value* source = addSource(model, *tensor, parameter, *numbers);
        restored.push_back({tensor->name(), parameter, source->name()});
        compute(model, tensor, source, *formula);
    }
    return restored;
}

}  // namespace temper
