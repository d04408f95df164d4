// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace temper::ui {

/// A run of neighbouring points of a curve, drawn as one.
struct CurveBucket {
    double x = 0;  ///< of its last point
    double minimum = 0;
    double maximum = 0;
    double last = 0;
};

/// Points in order of x. All of them are kept for files; for drawing at most kMaxBuckets buckets,
/// each with its minimum and maximum, so that a million points draw as fast as a thousand.
class Curve {
public:
    static constexpr size_t kMaxBuckets = 2048;

    struct Point {
        double x = 0;
        double y = 0;
    };

    void append(double x, double y);
    void clear();

    bool isEmpty() const { return points_.empty(); }
    const std::vector<Point>& points() const { return points_; }
    const std::vector<CurveBucket>& buckets() const { return buckets_; }

private:
    void halve();

    std::vector<Point> points_;
    std::vector<CurveBucket> buckets_;
    size_t bucketSize_ = 1;
    size_t inLast_ = 0;
};

/// Exponential moving average whose start is not drawn to zero: over all points, in order.
class Smoother {
public:
    /// `weight` of the past, in [0, 1).
    explicit Smoother(double weight = 0.9) : weight_(weight) {}
    double add(double value);

private:
    double weight_;
    double sum_ = 0;
    double norm_ = 0;
};

}  // namespace temper::ui
