// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/gradient_layout.h"

#include <algorithm>

#include "engine/training/artifacts/training_graphs.h"
#include "engine/training/session/training_session.h"

namespace temper {
namespace {

void requireExchangeable(const Parameter& parameter) {
    const Tensor& gradient = parameter.gradient;
    if (gradient.dtype() == DType::Float32) return;
    throw Error(ErrorCode::Unsupported,
                "The gradient of '" + parameter.name + "' is " +
                    std::string(dtypeName(gradient.dtype())) + "; ranks exchange float32 only.",
                "Train this model without ranks.");
}

}  // namespace

GradientLayout::GradientLayout(TrainingSession& session, int64_t bucketNumbers) {
    const std::vector<std::string>& names = session.trainableParameters();
    if (names.empty()) {
        throw Error(ErrorCode::InvalidInput, "No parameter of the artifacts trains.",
                    "Choose parameters to train, and make the artifacts again.");
    }
    for (const std::string& name : names) requireExchangeable(session.state().parameter(name));
    const auto gradientOf = [&](const std::string& name) -> const Tensor& {
        return session.state().parameter(name).gradient;
    };
    const Tensor& first = gradientOf(names.front());
    for (const std::string& name : names) {
        const Tensor& gradient = gradientOf(name);
        const int64_t begin =
            (gradient.address() - first.address()) / static_cast<int64_t>(sizeof(float));
        gradients_.push_back({name, {begin, begin + gradient.numElements()}});
    }
    count_ = gradients_.back().numbers.end;
    numbers_ = HostNumbers(first, count_);
    int64_t end = count_;
    GradientBucket bucket;
    for (size_t i = names.size(); i-- > 0;) {
        const int64_t begin = gradients_[i].numbers.begin;
        TEMPER_ASSERT(0 <= begin && begin <= end, "gradients are in the order of the parameters");
        ++bucket.parameters;
        bucketOf_[gradientBufferOf(names[i])] = std::ssize(buckets_);
        if (i > 0 && end - begin < bucketNumbers) continue;
        bucket.numbers = {begin, end};
        buckets_.push_back(bucket);
        bucket = {};
        end = begin;
    }
}

int64_t GradientLayout::bucketOf(const std::string& input) const {
    const auto found = bucketOf_.find(input);
    return found == bucketOf_.end() ? -1 : found->second;
}

}  // namespace temper
