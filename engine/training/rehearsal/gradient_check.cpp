// SPDX-License-Identifier: Apache-2.0
#include "engine/training/rehearsal/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "engine/core/random.h"
#include "engine/training/rehearsal/double_loss.h"

namespace temper {
namespace {

using Direction = std::vector<double>;

constexpr size_t kSingleElements = 8;  ///< of each kind: the largest gradients, any elements
/// Step of the differences, for a direction of norm 1.
constexpr double kStep = 1e-6;
/// Errors are relative to at least this share of the model's typical gradient: before a batch
/// normalization, gradients are zero except for the rounding of float32 sums.
constexpr double kSmallestShare = 1e-2;

double norm(std::span<const double> values) {
    return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

Direction single(size_t size, size_t element) {
    Direction direction(size, 0.0);
    direction[element] = 1;
    return direction;
}

/// The model whose differences the gradients are compared with.
std::shared_ptr<const Graph> judged(const TrainingSession& session, CheckpointState& state,
                                    std::span<const Tensor> inputs, const OpSet& ops,
                                    const GradientChoices& choices, uint64_t seed) {
    const std::shared_ptr<const Graph>& model = session.artifacts().trainingModel;
    if (choices.empty()) return model;
    return withChosenGradients(*model, state, session.inputNames(true), inputs, ops, choices, seed);
}

class Checker {
public:
    Checker(TrainingSession& session, const std::shared_ptr<const OpSet>& ops,
            std::span<const Tensor> inputs, uint64_t seed, const GradientChoices& choices)
        : session_(session),
          inputs_(inputs),
          lossSeed_(Random::at(seed, 0)),
          random_(seed, 1),
          loss_(*judged(session, session.state(), inputs, *ops, choices, lossSeed_),
                session.state(), session.inputNames(true), ops) {
        session_.setSeed(seed);
        session_.lazyResetGrad();
        session_.trainStep(inputs_);
        middle_ = loss_(inputs_, lossSeed_);
        if (!std::isfinite(middle_)) {
            throw Error(ErrorCode::Numeric,
                        "The loss is not a finite number with these inputs, so gradients can't be "
                        "compared with its differences.",
                        "Check that the inputs have no NaN, and what the model does with them.");
        }
        computeGradients();
        const auto count = static_cast<double>(session_.parametersSize(true));
        smallest_ = kSmallestShare * session_.gradientNorm() / std::sqrt(count);
    }

    std::vector<GradientCheck> run(const std::function<bool(size_t, size_t)>& shouldContinue) {
        std::vector<GradientCheck> checks;
        const auto& parameters = session_.state().parameters();
        const auto all =
            static_cast<size_t>(std::ranges::count_if(parameters, &Parameter::requiresGrad));
        for (const Parameter& parameter : parameters) {
            if (!parameter.requiresGrad) continue;
            if (shouldContinue && !shouldContinue(checks.size(), all)) break;
            const Direction& gradient = gradients_.at(parameter.name);
            checks.push_back(checkOf(parameter, gradient));
        }
        std::ranges::stable_sort(checks, std::greater<>(), &GradientCheck::maxRelativeError);
        return checks;
    }

private:
    GradientCheck checkOf(const Parameter& parameter, const Direction& gradient) {
        constexpr double kWrong = std::numeric_limits<double>::infinity();
        if (!std::isfinite(norm(gradient))) return {parameter.name, kWrong, kWrong};
        return {parameter.name, worstError(parameter.name, gradient),
                orWrong(roundingError(parameter.gradient, gradient))};
    }

    /// NaN compares false with everything, so that it would pass.
    static double orWrong(double error) {
        return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    }

    void computeGradients() {
        try {
            gradients_ = loss_.gradients(inputs_, lossSeed_);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::Unsupported) throw;
            for (const Parameter& parameter : session_.state().parameters()) {
                if (!parameter.requiresGrad) continue;
                const Tensor gradient = parameter.gradient.onHost();
                const auto values = gradient.values<float>();
                gradients_[parameter.name] = {values.begin(), values.end()};
            }
        }
    }

    double roundingError(const Tensor& rounded, const Direction& gradient) const {
        const Tensor onHost = rounded.onHost();
        const auto values = onHost.values<float>();
        Direction difference(gradient);
        for (size_t i = 0; i < difference.size(); ++i) difference[i] -= values[i];
        const double least = smallest_ * std::sqrt(static_cast<double>(gradient.size()));
        const double length = std::max(norm(gradient), least);
        return length > 0 ? norm(difference) / length : 0;
    }

    double worstError(const std::string& name, const Direction& gradient) {
        double worst = 0;
        for (const Direction& direction : directionsFor(gradient)) {
            worst = std::max(worst, orWrong(errorAlong(name, gradient, direction)));
        }
        return worst;
    }

    std::vector<Direction> directionsFor(const Direction& gradient) {
        const size_t size = gradient.size();
        std::vector<Direction> directions{gradient, Direction(size)};
        for (double& sign : directions.back()) sign = random_.below(2) == 0 ? -1 : 1;
        std::vector<size_t> order(size);
        std::iota(order.begin(), order.end(), size_t{0});
        const size_t largest = std::min(size, kSingleElements);
        std::partial_sort(
            order.begin(), order.begin() + static_cast<std::ptrdiff_t>(largest), order.end(),
            [&](size_t a, size_t b) { return std::abs(gradient[a]) > std::abs(gradient[b]); });
        for (size_t i = 0; i < largest; ++i) {
            directions.push_back(single(size, order[i]));
            const auto any = random_.below(static_cast<int64_t>(size));
            directions.push_back(single(size, static_cast<size_t>(any)));
        }
        return directions;
    }

    double errorAlong(const std::string& name, const Direction& gradient, Direction direction) {
        const double length = norm(direction);
        if (!(length > 0)) return 0;
        for (double& value : direction) value /= length;
        const double analytic =
            std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0);
        const double above = (lossAt(name, direction, kStep) - middle_) / kStep;
        const double below = (middle_ - lossAt(name, direction, -kStep)) / kStep;
        const double outside =
            std::max(std::min(above, below) - analytic, analytic - std::max(above, below));
        const double typical = norm(gradient) / std::sqrt(static_cast<double>(gradient.size()));
        return std::max(0.0, outside) / std::max({std::abs(above), std::abs(analytic), typical,
                                                  smallest_, std::numeric_limits<double>::min()});
    }

    double lossAt(const std::string& name, const Direction& direction, double step) {
        const std::span<double> values = loss_.parameter(name);
        const Direction before(values.begin(), values.end());
        for (size_t i = 0; i < values.size(); ++i) values[i] += step * direction[i];
        const double loss = loss_(inputs_, lossSeed_);
        std::ranges::copy(before, values.begin());
        return loss;
    }

    TrainingSession& session_;
    std::span<const Tensor> inputs_;
    uint64_t lossSeed_;
    Random random_;
    DoubleLoss loss_;
    std::map<std::string, Direction> gradients_;
    double middle_ = 0;
    double smallest_ = 0;
};

}  // namespace

std::vector<GradientCheck> checkGradients(
    TrainingSession& session, const std::shared_ptr<const OpSet>& ops,
    std::span<const Tensor> inputs, uint64_t seed, const GradientChoices& choices,
    const std::function<bool(size_t, size_t)>& shouldContinue) {
    return Checker(session, ops, inputs, seed, choices).run(shouldContinue);
}

}  // namespace temper
