// SPDX-License-Identifier: Apache-2.0
#include "engine/training/analysis/number_report.h"

#include <cmath>
#include <limits>

namespace temper {
namespace {

float targetOf(const PredictionSet& set, int64_t entry, int64_t output) {
    return set.targets.values<float>()[static_cast<size_t>(entry * set.width() + output)];
}

double squaredSpread(const PredictionSet& set, int64_t output) {
    const auto count = static_cast<double>(set.entries());
    double mean = 0;
    for (int64_t i = 0; i < set.entries(); ++i) mean += targetOf(set, i, output) / count;
    double sum = 0;
    for (int64_t i = 0; i < set.entries(); ++i) sum += std::pow(targetOf(set, i, output) - mean, 2);
    return sum;
}

NumberFigures figuresOf(const PredictionSet& set, int64_t output) {
    NumberFigures figures;
    double squares = 0;
    const auto count = static_cast<double>(set.entries());
    for (const double residual : residualsOf(set, output)) {
        figures.meanAbsolute += std::abs(residual) / count;
        figures.bias += residual / count;
        squares += residual * residual;
    }
    figures.rootMeanSquare = count > 0 ? std::sqrt(squares / count) : 0;
    const double spread = squaredSpread(set, output);
    figures.r2 = spread > 0 ? 1 - squares / spread : std::numeric_limits<double>::quiet_NaN();
    return figures;
}

}  // namespace

NumberFigures numbersOf(const PredictionSet& set, int64_t output) {
    if (output >= 0) return figuresOf(set, output);
    NumberFigures sum;
    const auto width = static_cast<double>(set.width());
    double squares = 0;
    for (int64_t k = 0; k < set.width(); ++k) {
        const NumberFigures one = figuresOf(set, k);
        sum.meanAbsolute += one.meanAbsolute / width;
        sum.bias += one.bias / width;
        sum.r2 += one.r2 / width;
        squares += one.rootMeanSquare * one.rootMeanSquare / width;
    }
    sum.rootMeanSquare = std::sqrt(squares);
    return sum;
}

std::vector<double> residualsOf(const PredictionSet& set, int64_t output) {
    std::vector<double> residuals;
    for (int64_t i = 0; i < set.entries(); ++i) {
        residuals.push_back(double{set.output(i, output)} - double{targetOf(set, i, output)});
    }
    return residuals;
}

}  // namespace temper
