// SPDX-License-Identifier: Apache-2.0
#include "engine/training/analysis/class_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace temper {
namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

void addWeighted(ClassFigures& sum, const ClassFigures& figures, double weight) {
    sum.precision += weight * figures.precision;
    sum.recall += weight * figures.recall;
    sum.f1 += weight * figures.f1;
}

}  // namespace

ConfusionMatrix confusionOf(const PredictionSet& set) {
    ConfusionMatrix matrix{set.classes, {}};
    matrix.counts.assign(set.classes.size() * set.classes.size(), 0);
    for (int64_t i = 0; i < set.entries(); ++i) {
        const auto truth = static_cast<size_t>(set.labels[static_cast<size_t>(i)]);
        ++matrix.counts[truth * set.classes.size() + static_cast<size_t>(set.predictedClass(i))];
    }
    return matrix;
}

ClassReport reportOf(const ConfusionMatrix& matrix) {
    ClassReport report;
    const size_t classes = matrix.classes.size();
    int64_t right = 0;
    int64_t total = 0;
    for (size_t c = 0; c < classes; ++c) {
        int64_t taken = 0;
        ClassFigures figures;
        figures.name = matrix.classes[c];
        for (size_t other = 0; other < classes; ++other) {
            figures.support += matrix.at(c, other);
            taken += matrix.at(other, c);
        }
        const auto found = static_cast<double>(matrix.at(c, c));
        figures.precision = ratio(found, static_cast<double>(taken));
        figures.recall = ratio(found, static_cast<double>(figures.support));
        figures.f1 = ratio(2 * found, static_cast<double>(figures.support + taken));
        right += matrix.at(c, c);
        total += figures.support;
        report.classes.push_back(std::move(figures));
    }
    for (const ClassFigures& figures : report.classes) {
        addWeighted(report.macro, figures, 1 / static_cast<double>(classes));
        addWeighted(report.weighted, figures,
                    ratio(static_cast<double>(figures.support), static_cast<double>(total)));
    }
    report.macro.support = report.weighted.support = total;
    report.accuracy = ratio(static_cast<double>(right), static_cast<double>(total));
    return report;
}

RocCurve rocOf(const PredictionSet& set, int64_t classIndex) {
    std::vector<double> scores;
    std::vector<bool> isPositive;
    for (int64_t i = 0; i < set.entries(); ++i) {
        scores.push_back(set.output(i, classIndex));
        isPositive.push_back(set.labels[static_cast<size_t>(i)] == classIndex);
    }
    return rocOf(scores, isPositive);
}

RocCurve rocOf(const std::vector<double>& scores, const std::vector<bool>& isPositive) {
    std::vector<size_t> order(scores.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return scores[a] > scores[b]; });
    const auto positives =
        static_cast<double>(std::count(isPositive.begin(), isPositive.end(), true));
    const double negatives = static_cast<double>(scores.size()) - positives;
    RocCurve curve;
    double found = 0;
    double wrong = 0;
    const auto addPoint = [&](double threshold) {
        curve.falsePositives.push_back(ratio(wrong, negatives));
        curve.truePositives.push_back(ratio(found, positives));
        curve.thresholds.push_back(threshold);
    };
    addPoint(std::numeric_limits<double>::infinity());
    for (size_t i = 0; i < order.size(); ++i) {
        ++(isPositive[order[i]] ? found : wrong);
        const bool isLastOfEqual =
            i + 1 == order.size() || scores[order[i + 1]] != scores[order[i]];
        if (isLastOfEqual) addPoint(scores[order[i]]);
    }
    for (size_t i = 1; i < curve.thresholds.size(); ++i) {
        curve.area += (curve.falsePositives[i] - curve.falsePositives[i - 1]) *
                      (curve.truePositives[i] + curve.truePositives[i - 1]) / 2;
    }
    if (positives == 0 || negatives == 0) curve.area = std::numeric_limits<double>::quiet_NaN();
    return curve;
}

Calibration calibrationOf(const PredictionSet& set, int bins) {
    Calibration result;
    result.bins.resize(static_cast<size_t>(bins));
    for (int64_t i = 0; i < set.entries(); ++i) {
        const int64_t predicted = set.predictedClass(i);
        const double confidence = set.output(i, predicted);
        const auto place = static_cast<int64_t>(std::ceil(confidence * bins)) - 1;
        auto& bin = result.bins[static_cast<size_t>(std::clamp<int64_t>(place, 0, bins - 1))];
        ++bin.count;
        bin.confidence += confidence;
        bin.accuracy += predicted == set.labels[static_cast<size_t>(i)] ? 1 : 0;
    }
    for (Calibration::Bin& bin : result.bins) {
        const auto count = static_cast<double>(bin.count);
        bin.confidence = ratio(bin.confidence, count);
        bin.accuracy = ratio(bin.accuracy, count);
        result.expectedError += ratio(count * std::abs(bin.accuracy - bin.confidence),
                                      static_cast<double>(set.entries()));
    }
    return result;
}

}  // namespace temper
