// SPDX-License-Identifier: Apache-2.0
#include "engine/ort/checkpoint_diff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "engine/core/error.h"

namespace temper {
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

/// Equal infinities, as masks have them, do not differ.
double changeOf(double a, double b) { return a == b ? 0 : b - a; }

void measure(ParameterDiff& diff, std::span<const double> a, std::span<const double> b) {
    double product = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double change = changeOf(a[i], b[i]);
        diff.firstNorm += a[i] * a[i];
        diff.secondNorm += b[i] * b[i];
        diff.changeNorm += change * change;
        product += a[i] * b[i];
        // A NaN stays: it counts as the largest change.
        if (!std::isnan(diff.maxChange) && !(std::abs(change) <= diff.maxChange)) {
            diff.maxChange = std::abs(change);
        }
    }
    diff.firstNorm = std::sqrt(diff.firstNorm);
    diff.secondNorm = std::sqrt(diff.secondNorm);
    diff.changeNorm = std::sqrt(diff.changeNorm);
    const double scale = diff.firstNorm * diff.secondNorm;
    diff.cosine = diff.changeNorm == 0 ? 1 : scale == 0 ? 0 : product / scale;
    diff.relative = diff.changeNorm == 0  ? 0
                    : diff.firstNorm == 0 ? std::numeric_limits<double>::infinity()
                                          : diff.changeNorm / diff.firstNorm;
}

void fillHistogram(ParameterDiff& diff, std::span<const double> a, std::span<const double> b) {
    if (!(diff.maxChange > 0) || !std::isfinite(diff.maxChange)) return;
    constexpr size_t kBins = ParameterDiff::kBins;
    diff.histogram.assign(kBins, 0);
    for (size_t i = 0; i < a.size(); ++i) {
        const double place = (changeOf(a[i], b[i]) + diff.maxChange) / (2 * diff.maxChange) * kBins;
        ++diff.histogram[std::min(kBins - 1, static_cast<size_t>(place))];
    }
}

ParameterDiff compare(const std::string& name, const Tensor& first, const Tensor& second) {
    ParameterDiff diff;
    diff.name = name;
    diff.type = describe(first);
    if (first.dtype() != second.dtype() || first.shape() != second.shape()) {
        diff.mismatch = describe(first) + " against " + describe(second);
        return diff;
    }
    const Tensor a = first.cast(DType::Float64);
    const Tensor b = second.cast(DType::Float64);
    measure(diff, a.values<double>(), b.values<double>());
    fillHistogram(diff, a.values<double>(), b.values<double>());
    return diff;
}

bool isFloatingPoint(DType dtype) { return dtype == DType::Float32 || dtype == DType::Float64; }

Tensor blend(const Tensor& first, const Tensor& second, double weight) {
    Tensor a = first.cast(DType::Float64);
    const Tensor b = second.cast(DType::Float64);
    const auto left = a.values<double>();
    const auto right = b.values<double>();
    Tensor result(DType::Float64, first.shape());
    const auto out = result.mutableValues<double>();
    for (size_t i = 0; i < left.size(); ++i) out[i] = (1 - weight) * left[i] + weight * right[i];
    return result.cast(first.dtype());
}

void requireSameStructure(const CheckpointDiff& diff) {
    std::string reason;
    for (const ParameterDiff& parameter : diff.parameters) {
        if (!parameter.mismatch.empty()) {
            reason = "'" + parameter.name + "' is " + parameter.mismatch;
        }
    }
    if (!diff.onlyInFirst.empty())
        reason = "'" + diff.onlyInFirst.front() + "' is in only one of them";
    if (!diff.onlyInSecond.empty())
        reason = "'" + diff.onlyInSecond.front() + "' is in only one of them";
    if (reason.empty()) return;
    throw Error(ErrorCode::InvalidInput, "The checkpoints do not match: " + reason + ".",
                "Only checkpoints of the same model can be averaged.");
}

}  // namespace

bool CheckpointDiff::sameStructure() const {
    return onlyInFirst.empty() && onlyInSecond.empty() &&
           std::ranges::all_of(parameters,
                               [](const ParameterDiff& p) { return p.mismatch.empty(); });
}

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

CheckpointFile interpolateCheckpoints(const CheckpointFile& first, const CheckpointFile& second,
                                      double weight) {
    requireSameStructure(compareCheckpoints(first, second));
    const auto others = parametersOf(second);
    CheckpointFile result = first;
    for (auto* list : {&result.trainable, &result.frozen}) {
        for (NamedTensor& tensor : *list) {
            if (!isFloatingPoint(tensor.data.dtype())) continue;
            tensor.data = blend(tensor.data, *others.at(tensor.name), weight);
        }
    }
    return result;
}

}  // namespace temper
