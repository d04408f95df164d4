// SPDX-License-Identifier: Apache-2.0
#include "app/cli/gradient_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/core/random.h"

namespace temper::cli {
namespace {

using Direction = std::vector<double>;

constexpr int kRandomParts = 3;
constexpr int64_t kSingleElements = 12;
/// Of the parameter's size.
constexpr std::array<double, 5> kStepWidths{1e-1, 3e-2, 1e-2, 3e-3, 1e-3};
/// Rounding of a float32 loss, in units of its last place.
constexpr double kNoiseUlps = 4;
/// Slopes to both sides that are so near to each other, relative to their size, tell something.
constexpr double kClearSpread = 0.3;

double norm(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) sum += value * value;
    return std::sqrt(sum);
}

/// Scaled to norm 1; empty where it is zero.
Direction unit(Direction direction) {
    const double length = norm(direction);
    if (!(length > 0)) return {};
    for (double& value : direction) value /= length;
    return direction;
}

class Checker {
public:
    Checker(TrainingSession& session, std::span<const Tensor> inputs, uint64_t seed)
        : session_(session), inputs_(inputs), seed_(seed), random_(seed, 1) {}

    std::vector<GradientCheck> run() {
        loss_ = lossNow();
        rememberGradients();
        std::vector<GradientCheck> checks;
        for (Parameter& parameter : session_.state().parameters()) {
            if (!parameter.requiresGrad) continue;
            checks.push_back({parameter.name, checkParameter(parameter)});
        }
        std::ranges::stable_sort(checks, std::greater<>(), &GradientCheck::maxRelativeError);
        return checks;
    }

private:
    double lossNow() {
        session_.setSeed(seed_);
        session_.lazyResetGrad();
        return session_.trainStep(inputs_).front().toDouble();
    }

    void rememberGradients() {
        for (const Parameter& parameter : session_.state().parameters()) {
            if (!parameter.requiresGrad) continue;
            const auto values = parameter.gradient.values<float>();
            gradients_[parameter.name] = Direction(values.begin(), values.end());
        }
    }

    double checkParameter(Parameter& parameter) {
        const Tensor original = parameter.data.clone();
        const Direction& gradient = gradients_.at(parameter.name);
        double worst = 0;
        for (const Direction& direction : directionsFor(gradient)) {
            worst = std::max(worst, errorAlong(parameter.data, original, gradient, direction));
        }
        restore(parameter.data, original);
        return worst;
    }

    std::vector<Direction> directionsFor(const Direction& gradient) {
        std::vector<Direction> directions{gradient};
        for (int i = 0; i < kRandomParts; ++i) directions.push_back(randomPart(gradient));
        directions.push_back(randomSigns(gradient.size()));
        const auto count = static_cast<int64_t>(gradient.size());
        for (int64_t i = 0; i < std::min(count, kSingleElements); ++i) {
            Direction single(gradient.size(), 0.0);
            single[static_cast<size_t>(count <= kSingleElements ? i : random_.below(count))] = 1;
            directions.push_back(std::move(single));
        }
        for (Direction& direction : directions) direction = unit(std::move(direction));
        std::erase_if(directions, [](const Direction& direction) { return direction.empty(); });
        return directions;
    }

    Direction randomPart(Direction gradient) {
        for (double& value : gradient) value = random_.below(2) == 0 ? 0 : value;
        return gradient;
    }

    Direction randomSigns(size_t count) {
        Direction direction(count);
        for (double& value : direction) value = random_.below(2) == 0 ? -1 : 1;
        return direction;
    }

    double errorAlong(Tensor& data, const Tensor& original, const Direction& gradient,
                      const Direction& direction) {
        double analytic = 0;
        for (size_t i = 0; i < direction.size(); ++i) analytic += gradient[i] * direction[i];
        // What a direction that has nothing to do with the gradient would give.
        const double typical = norm(gradient) / std::sqrt(static_cast<double>(gradient.size()));
        const double size = sizeAlong(original, direction);
        double clear = std::numeric_limits<double>::infinity();
        double unclear = std::numeric_limits<double>::infinity();
        for (const double width : kStepWidths) {
            const Slopes slopes = slopesAt(data, original, direction, width * size);
            const double scale = std::max(
                {std::abs(slopes.low), std::abs(slopes.high), std::abs(analytic), typical});
            const double spread = (slopes.high - slopes.low + slopes.noise) / scale;
            const double outside = std::max(slopes.low - analytic, analytic - slopes.high);
            const double error = std::max(0.0, outside - slopes.noise) / scale;
            double& best = spread <= kClearSpread ? clear : unclear;
            best = std::min(best, error);
        }
        return std::isfinite(clear) ? clear : unclear;
    }

    /// Differences of the loss to both sides. At a kink the gradient is one of the two, elsewhere
    /// it lies between them.
    struct Slopes {
        double low;
        double high;
        double noise;  ///< by which rounding may have changed them
    };

    Slopes slopesAt(Tensor& data, const Tensor& original, const Direction& direction, double step) {
        const double above = (lossAt(data, original, direction, step) - loss_) / step;
        const double below = (loss_ - lossAt(data, original, direction, -step)) / step;
        const double ulp = std::numeric_limits<float>::epsilon() * std::abs(loss_);
        return {std::min(above, below), std::max(above, below), kNoiseUlps * ulp / step};
    }

    /// The norm of the elements that the direction changes, at least a little.
    static double sizeAlong(const Tensor& original, const Direction& direction) {
        const auto values = original.values<float>();
        double sum = 0;
        double weight = 0;
        for (size_t i = 0; i < direction.size(); ++i) {
            sum += direction[i] * direction[i] * static_cast<double>(values[i]) *
                   static_cast<double>(values[i]);
            weight = std::max(weight, std::abs(direction[i]));
        }
        constexpr double kTypical = 0.1;
        return std::max(std::sqrt(sum), kTypical) / std::max(weight, kTypical);
    }

    double lossAt(Tensor& data, const Tensor& original, const Direction& direction, double step) {
        const auto from = original.values<float>();
        const auto to = data.mutableValues<float>();
        for (size_t i = 0; i < to.size(); ++i) {
            to[i] = static_cast<float>(static_cast<double>(from[i]) + step * direction[i]);
        }
        return lossNow();
    }

    static void restore(Tensor& data, const Tensor& original) {
        std::ranges::copy(original.values<float>(), data.mutableValues<float>().begin());
    }

    TrainingSession& session_;
    std::span<const Tensor> inputs_;
    uint64_t seed_;
    Random random_;
    double loss_ = 0;
    std::map<std::string, Direction> gradients_;
};

}  // namespace

std::vector<GradientCheck> checkGradients(TrainingSession& session, std::span<const Tensor> inputs,
                                          uint64_t seed) {
    return Checker(session, inputs, seed).run();
}

}  // namespace temper::cli
