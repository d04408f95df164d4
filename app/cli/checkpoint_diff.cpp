// SPDX-License-Identifier: Apache-2.0
#include "app/cli/checkpoint_diff.h"

#include <cmath>
#include <map>
#include <ostream>

namespace temper::cli {
namespace {

std::map<std::string, const Tensor*> parametersOf(const CheckpointFile& checkpoint) {
    std::map<std::string, const Tensor*> parameters;
    for (const auto* list : {&checkpoint.trainable, &checkpoint.frozen}) {
        for (const NamedTensor& tensor : *list) parameters.emplace(tensor.name, &tensor.data);
    }
    return parameters;
}

std::vector<const NamedTensor*> inFileOrder(const CheckpointFile& checkpoint) {
    std::vector<const NamedTensor*> order;
    for (const auto* list : {&checkpoint.trainable, &checkpoint.frozen}) {
        for (const NamedTensor& tensor : *list) order.push_back(&tensor);
    }
    return order;
}

std::string describe(const Tensor& tensor) {
    return std::string(dtypeName(tensor.dtype())) + formatShape(tensor.shape());
}

ParameterDiff compare(const std::string& name, const Tensor& first, const Tensor& second) {
    ParameterDiff diff;
    diff.name = name;
    if (first.dtype() != second.dtype() || first.shape() != second.shape()) {
        diff.mismatch = describe(first) + " against " + describe(second);
        return diff;
    }
    const Tensor a = first.cast(DType::Float64);
    const Tensor b = second.cast(DType::Float64);
    const auto left = a.values<double>();
    const auto right = b.values<double>();
    for (size_t i = 0; i < left.size(); ++i) {
        const double change = right[i] - left[i];
        diff.firstNorm += left[i] * left[i];
        diff.secondNorm += right[i] * right[i];
        diff.changeNorm += change * change;
        // A NaN stays: it is the largest change there can be.
        if (!(std::abs(change) <= diff.maxChange)) diff.maxChange = std::abs(change);
    }
    diff.firstNorm = std::sqrt(diff.firstNorm);
    diff.secondNorm = std::sqrt(diff.secondNorm);
    diff.changeNorm = std::sqrt(diff.changeNorm);
    return diff;
}

Json toJson(const ParameterDiff& diff) {
    if (!diff.mismatch.empty()) return {{"name", diff.name}, {"mismatch", diff.mismatch}};
    return {{"name", diff.name},
            {"first_norm", diff.firstNorm},
            {"second_norm", diff.secondNorm},
            {"change_norm", diff.changeNorm},
            {"max_change", diff.maxChange}};
}

}  // namespace

CheckpointDiff compareCheckpoints(const CheckpointFile& first, const CheckpointFile& second) {
    const auto ofFirst = parametersOf(first);
    const auto ofSecond = parametersOf(second);
    CheckpointDiff diff;
    for (const NamedTensor* tensor : inFileOrder(first)) {
        const auto other = ofSecond.find(tensor->name);
        if (other == ofSecond.end()) {
            diff.onlyInFirst.push_back(tensor->name);
        } else {
            diff.parameters.push_back(compare(tensor->name, tensor->data, *other->second));
        }
    }
    for (const NamedTensor* tensor : inFileOrder(second)) {
        if (!ofFirst.contains(tensor->name)) diff.onlyInSecond.push_back(tensor->name);
    }
    return diff;
}

Json toJson(const CheckpointDiff& diff) {
    Json parameters = Json::array();
    for (const ParameterDiff& parameter : diff.parameters) parameters.push_back(toJson(parameter));
    return {{"parameters", std::move(parameters)},
            {"only_in_first", diff.onlyInFirst},
            {"only_in_second", diff.onlyInSecond}};
}

void print(std::ostream& stream, const CheckpointDiff& diff) {
    std::vector<std::vector<std::string>> rows{
        {"parameter", "first norm", "second norm", "change norm", "max change"}};
    for (const ParameterDiff& parameter : diff.parameters) {
        if (!parameter.mismatch.empty()) {
            rows.push_back({parameter.name, parameter.mismatch});
            continue;
        }
        rows.push_back({parameter.name, formatNumber(parameter.firstNorm),
                        formatNumber(parameter.secondNorm), formatNumber(parameter.changeNorm),
                        formatNumber(parameter.maxChange)});
    }
    printTable(stream, rows, {1, 2, 3, 4});
    if (!diff.onlyInFirst.empty()) {
        stream << "only in the first: " << quotedList(diff.onlyInFirst) << '\n';
    }
    if (!diff.onlyInSecond.empty()) {
        stream << "only in the second: " << quotedList(diff.onlyInSecond) << '\n';
    }
}

}  // namespace temper::cli
