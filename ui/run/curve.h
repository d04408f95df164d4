// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace temper::ui {

/// A sequence of adjacent points of a curve, drawn as one.
struct CurveBucket {
    double x = 0;  ///< of its last point
    double minimum = 0;
    double maximum = 0;
    double last = 0;
};

class Smoother;

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
    /// Removes the points after x.
    void cutAfter(double x);
    /// Becomes the moving average of all points of `raw`. Returns: the smoother for further points.
    Smoother smooth(const Curve& raw, double weight);

    bool isEmpty() const { return points_.empty(); }
    const std::vector<Point>& points() const { return points_; }
    const std::vector<CurveBucket>& buckets() const { return buckets_; }
    /// The buckets of the points in [from, to] and of one more on either side.
    std::vector<CurveBucket> bucketsBetween(double from, double to) const;
    /// Whether each bucket holds one point.
    bool isExact() const { return bucketSize_ == 1; }

    /// The lowest finite point, the first among equals; no value if there is none.
    const std::optional<Point>& minimum() const { return minimum_; }
    const std::optional<Point>& maximum() const { return maximum_; }
    /// The point with the nearest x. Null if there is none.
    const Point* nearest(double x) const;

private:
    void halve();

    std::vector<Point> points_;
    std::vector<CurveBucket> buckets_;
    size_t bucketSize_ = 1;
    size_t inLast_ = 0;
    std::optional<Point> minimum_;
    std::optional<Point> maximum_;
};

/// Exponential moving average without bias towards zero at the start: over all points, in order.
/// For a constant it is exactly that constant. Skips non-finite numbers.
class Smoother {
public:
    static constexpr double kWeight = 0.9;

    /// `weight` of the past, in [0, 1).
    explicit Smoother(double weight = kWeight) : weight_(weight) {}
    double add(double value);

private:
    double weight_;
    double past_ = 1;  ///< weight_ to the power of the number of values
    double average_ = 0;
};

}  // namespace temper::ui
