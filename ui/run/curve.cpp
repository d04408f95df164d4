// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/curve.h"

#include <algorithm>
#include <cmath>

namespace temper::ui {

void Curve::append(double x, double y) {
    points_.push_back({x, y});
    if (std::isfinite(y)) {
        if (!minimum_ || y < minimum_->y) minimum_ = Point{x, y};
        if (!maximum_ || y > maximum_->y) maximum_ = Point{x, y};
    }
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

void Curve::cutAfter(double x) {
    if (points_.empty() || points_.back().x <= x) return;
    std::vector<Point> kept = std::move(points_);
    clear();
    for (const Point& point : kept)
        if (point.x <= x) append(point.x, point.y);
}

Smoother Curve::smooth(const Curve& raw, double weight) {
    clear();
    Smoother smoother(weight);
    points_.reserve(raw.points().size());
    for (const Point& point : raw.points()) append(point.x, smoother.add(point.y));
    return smoother;
}

std::vector<CurveBucket> Curve::bucketsBetween(double from, double to) const {
    const auto before = [](const Point& point, double x) { return point.x < x; };
    auto begin = std::lower_bound(points_.begin(), points_.end(), from, before);
    auto end = std::upper_bound(begin, points_.end(), to,
                                [](double x, const Point& point) { return x < point.x; });
    if (begin != points_.begin()) --begin;
    if (end != points_.end()) ++end;
    const auto count = static_cast<size_t>(end - begin);
    const size_t size = count / kMaxBuckets + 1;
    std::vector<CurveBucket> result;
    result.reserve(count / size + 1);
    for (size_t i = 0; i < count; ++i) {
        const auto& [x, y] = begin[static_cast<std::ptrdiff_t>(i)];
        if (i % size == 0) {
            result.push_back({x, y, y, y});
            continue;
        }
        CurveBucket& bucket = result.back();
        bucket = {x, std::min(bucket.minimum, y), std::max(bucket.maximum, y), y};
    }
    return result;
}

const Curve::Point* Curve::nearest(double x) const {
    if (points_.empty()) return nullptr;
    const auto next =
        std::lower_bound(points_.begin(), points_.end(), x,
                         [](const Point& point, double value) { return point.x < value; });
    if (next == points_.begin()) return &*next;
    if (next == points_.end()) return &points_.back();
    const auto previous = next - 1;
    return x - previous->x <= next->x - x ? &*previous : &*next;
}

void Curve::halve() {
    for (size_t i = 0; i < buckets_.size() / 2; ++i) {
        const CurveBucket& a = buckets_[2 * i];
        const CurveBucket& b = buckets_[2 * i + 1];
        buckets_[i] = {b.x, std::min(a.minimum, b.minimum), std::max(a.maximum, b.maximum), b.last};
    }
    buckets_.resize(buckets_.size() / 2);
    bucketSize_ *= 2;
}

/// The average of n values weighs the new one by (1 - weight) / (1 - weight^n), which is initially
/// 1.
double Smoother::add(double value) {
    if (!std::isfinite(value)) return average_;
    past_ *= weight_;
    average_ += (1 - weight_) / (1 - past_) * (value - average_);
    return average_;
}

}  // namespace temper::ui
