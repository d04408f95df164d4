// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/gradient_layout.h"

#include <algorithm>

#include "engine/training/artifacts/training_graphs.h"
#include "engine/training/session/training_session.h"

namespace temper {
namespace {

void requireExchangeable(const Parameter& parameter) {
    const Tensor& gradient = parameter.gradient;
    if (gradient.dtype() != DType::Float32) {
        throw Error(ErrorCode::Unsupported,
                    "The gradient of '" + parameter.name + "' is " +
                        std::string(dtypeName(gradient.dtype())) + "; ranks exchange float32 only.",
                    "Train this model without ranks.");
    }
    if (!gradient.isOnHost()) {
        throw Error(ErrorCode::Unsupported,
                    "The gradient of '" + parameter.name +
                        "' is in the memory of a device; ranks exchange the host's only.",
                    "Choose the device cpu.");
    }
}

}  // namespace

GradientLayout::GradientLayout(TrainingSession& session, int64_t bucketNumbers) {
    const std::vector<std::string>& names = session.trainableParameters();
    if (names.empty()) {
        throw Error(ErrorCode::InvalidInput, "No parameter of the artifacts trains.",
                    "Choose parameters to train, and make the artifacts again.");
    }
    for (const std::string& name : names) requireExchangeable(session.state().parameter(name));
    const auto addressOf = [&](const std::string& name) {
        return reinterpret_cast<float*>(session.state().parameter(name).gradient.address());
    };
    const auto sizeOf = [&](const std::string& name) {
        return session.state().parameter(name).gradient.numElements();
    };
    numbers_ = addressOf(names.front());
    for (const std::string& name : names) {
        const int64_t begin = addressOf(name) - numbers_;
        gradients_.push_back({name, {begin, begin + sizeOf(name)}});
    }
    count_ = gradients_.back().numbers.end;
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
