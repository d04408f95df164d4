// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/runs/run_event.h"
#include "engine/training/analysis/prediction_set.h"

namespace temper {

/// How well one class is told from the others. A ratio with denominator 0 is 0, as in scikit-learn.
struct ClassFigures {
    std::string name;
    double precision = 0;  ///< share of the samples predicted as the class that are right
    double recall = 0;     ///< share of the class's samples that were found
    double f1 = 0;         ///< harmonic mean of the two
    int64_t support = 0;   ///< number of its samples
};

struct ClassReport {
    std::vector<ClassFigures> classes;
    ClassFigures macro;     ///< means over the classes
    ClassFigures weighted;  ///< means by support
    double accuracy = 0;
};
ConfusionMatrix confusionOf(const PredictionSet& set);
ClassReport reportOf(const ConfusionMatrix& matrix);

/// ROC curve of classes that are recognized by a probability above a threshold: the share of other
/// samples that are taken for the class, and the share of its own that are found, as the threshold
/// falls.
struct RocCurve {
    std::vector<double> falsePositives;  ///< from 0 to 1
    std::vector<double> truePositives;
    std::vector<double> thresholds;  ///< the first is infinite
    double area = 0;                 ///< under the curve; NaN if all samples or none are positive
};
/// One class against all others. Source: Fawcett, "An introduction to ROC analysis" (2006).
RocCurve rocOf(const PredictionSet& set, int64_t classIndex);
RocCurve rocOf(const std::vector<double>& scores, const std::vector<bool>& isPositive);

/// Whether predicted probabilities are accurate: samples in bins by the probability of the
/// likeliest class. Source: Guo et al., "On Calibration of Modern Neural Networks" (2017).
struct Calibration {
    struct Bin {
        int64_t count = 0;
        double confidence = 0;  ///< mean probability
        double accuracy = 0;    ///< share of right predictions
    };
    std::vector<Bin> bins;     ///< equal parts of 0..1, each excluding its lower end
    double expectedError = 0;  ///< mean of |accuracy - confidence| by count
};
Calibration calibrationOf(const PredictionSet& set, int bins = 10);

}  // namespace temper
