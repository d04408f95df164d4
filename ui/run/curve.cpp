// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/curve.h"

#include <algorithm>

namespace temper::ui {

void Curve::append(double x, double y) {
    points_.push_back({x, y});
    if (buckets_.empty() || inLast_ == bucketSize_) {
        if (buckets_.size() == kMaxBuckets) halve();
        buckets_.push_back({x, y, y, y});
        inLast_ = 1;
        return;
    }
    CurveBucket& bucket = buckets_.back();
    bucket.x = x;
    bucket.minimum = std::min(bucket.minimum, y);
    bucket.maximum = std::max(bucket.maximum, y);
    bucket.last = y;
    ++inLast_;
}

void Curve::clear() { *this = Curve(); }

void Curve::halve() {
    for (size_t i = 0; i < buckets_.size() / 2; ++i) {
        const CurveBucket& a = buckets_[2 * i];
        const CurveBucket& b = buckets_[2 * i + 1];
        buckets_[i] = {b.x, std::min(a.minimum, b.minimum), std::max(a.maximum, b.maximum), b.last};
    }
    buckets_.resize(buckets_.size() / 2);
    bucketSize_ *= 2;
}

double Smoother::add(double value) {
    sum_ = weight_ * sum_ + (1 - weight_) * value;
    norm_ = weight_ * norm_ + (1 - weight_);
    return sum_ / norm_;
}

}  // namespace temper::ui
