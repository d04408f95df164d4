// SPDX-License-Identifier: Apache-2.0
#include "engine/training/evaluation/metrics.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "engine/core/closest_word.h"
#include "engine/core/joined.h"

namespace temper {
namespace {

constexpr const char* kCrossEntropy = "cross-entropy";
constexpr const char* kBinary = "bce-with-logits";

/// Logits [N, C, inner]: element (n, c, i) is at (n * C + c) * inner + i.
struct LogitShape {
    int64_t rows;
    int64_t classes;
    int64_t inner;

    explicit LogitShape(const Tensor& logits) {
        TEMPER_ASSERT(logits.rank() >= 2, "logits have a batch and a class dimension");
        rows = logits.shape()[0];
        classes = logits.shape()[1];
        inner = rows * classes > 0 ? logits.numElements() / (rows * classes) : 0;
    }
    int64_t count() const { return rows * inner; }
    /// The logits of entry `index`, `inner` elements apart.
    int64_t offset(int64_t index) const { return index / inner * classes * inner + index % inner; }
};

std::vector<int64_t> asIntegers(const Tensor& labels) {
    const Tensor wide = labels.cast(DType::Int64);
    return {wide.values<int64_t>().begin(), wide.values<int64_t>().end()};
}

/// Labels that a loss ignores are not classes; they do not count.
bool isClass(int64_t label, int64_t classes) { return label >= 0 && label < classes; }

/// Sums up values and divides at the end.
class MeanMetric : public Metric {
public:
    double value() const override { return count_ > 0 ? sum_ / count_ : 0; }

protected:
    void addValue(double value) {
        sum_ += value;
        count_ += 1;
    }

private:
    double sum_ = 0;
    double count_ = 0;
};

class ClassAccuracy : public MeanMetric {
public:
    void add(const Tensor& prediction, const Tensor& target) override {
        const std::vector<int64_t> predicted = predictedClasses(prediction);
        const std::vector<int64_t> labels = asIntegers(target);
        TEMPER_ASSERT(predicted.size() == labels.size(), "there is a label for each prediction");
        const int64_t classes = prediction.shape()[1];
        for (size_t i = 0; i < labels.size(); ++i) {
            if (isClass(labels[i], classes)) addValue(predicted[i] == labels[i] ? 1 : 0);
        }
    }
};

/// The right class is among the `count` highest logits.
class TopAccuracy : public MeanMetric {
public:
    explicit TopAccuracy(int64_t count) : count_(count) {}

    void add(const Tensor& prediction, const Tensor& target) override {
        const LogitShape shape(prediction);
        const std::vector<int64_t> labels = asIntegers(target);
        TEMPER_ASSERT(shape.count() == static_cast<int64_t>(labels.size()),
                      "there is a label for each prediction");
        const float* logits = prediction.values<float>().data();
        for (int64_t i = 0; i < shape.count(); ++i) {
            const int64_t label = labels[static_cast<size_t>(i)];
            if (!isClass(label, shape.classes)) continue;
            addValue(isAmongTop(logits + shape.offset(i), shape, label));
        }
    }

private:
    double isAmongTop(const float* logits, const LogitShape& shape, int64_t label) const {
        int64_t higher = 0;
        for (int64_t c = 0; c < shape.classes; ++c) {
            const float other = logits[c * shape.inner];
            const float own = logits[label * shape.inner];
            if (other > own || (other == own && c < label)) ++higher;
        }
        return higher < count_ ? 1 : 0;
    }

    int64_t count_;
};

/// Calls f(predicted, right) for each pair of numbers.
template <typename F>
void forEachPair(const Tensor& prediction, const Tensor& target, F&& f) {
    const Tensor right = target.cast(DType::Float32);
    const std::span<const float> a = prediction.values<float>();
    const std::span<const float> b = right.values<float>();
    TEMPER_ASSERT(a.size() == b.size(), "there is a target for each prediction");
    for (size_t i = 0; i < a.size(); ++i) f(a[i], b[i]);
}

class BinaryAccuracy : public MeanMetric {
public:
    void add(const Tensor& prediction, const Tensor& target) override {
        forEachPair(prediction, target, [&](float logit, float right) {
            addValue((logit > 0) == (right > 0.5F) ? 1 : 0);
        });
    }
};

class MeanAbsoluteError : public MeanMetric {
public:
    void add(const Tensor& prediction, const Tensor& target) override {
        forEachPair(prediction, target,
                    [&](float a, float b) { addValue(std::abs(double{a} - double{b})); });
    }
};

class RootMeanSquaredError : public MeanMetric {
public:
    void add(const Tensor& prediction, const Tensor& target) override {
        forEachPair(prediction, target, [&](float a, float b) {
            const double error = double{a} - double{b};
            addValue(error * error);
        });
    }
    double value() const override { return std::sqrt(MeanMetric::value()); }
};

bool fits(const MetricInfo& info, const std::string& loss) {
    return std::find(info.losses.begin(), info.losses.end(), loss) != info.losses.end();
}

using MetricPointer = std::unique_ptr<Metric>;
using MetricMaker = std::function<MetricPointer(const std::string& loss)>;

template <typename T>
MetricPointer make(const std::string&) {
    return std::make_unique<T>();
}

MetricPointer makeAccuracy(const std::string& loss) {
    if (loss == kBinary) return std::make_unique<BinaryAccuracy>();
    return std::make_unique<ClassAccuracy>();
}

MetricPointer makeTopFive(const std::string&) { return std::make_unique<TopAccuracy>(5); }

/// The factories in the order of their descriptions.
struct Metrics {
    std::vector<MetricInfo> infos = {
        {"accuracy",
         "Accuracy",
         "Share of samples with the right class.",
         true,
         {kCrossEntropy, kBinary}},
        {"top-5-accuracy",
         "Top-5 accuracy",
         "Share of samples with the right class among the five likeliest.",
         true,
         {kCrossEntropy}},
        {"mae",
         "Mean absolute error",
         "Mean distance from the target.",
         false,
         {"mse", "l1", "regression"}},
        {"rmse",
         "Root mean squared error",
         "Like the mean error, but large errors count more.",
         false,
         {"mse", "l1", "regression"}},
    };
    std::vector<MetricMaker> makers = {makeAccuracy, makeTopFive, make<MeanAbsoluteError>,
                                       make<RootMeanSquaredError>};

    static Metrics& all() {
        static Metrics metrics;
        return metrics;
    }
};

}  // namespace

const std::vector<MetricInfo>& metricInfos() { return Metrics::all().infos; }

void addMetric(MetricInfo info, std::function<std::unique_ptr<Metric>()> make) {
    Metrics& all = Metrics::all();
    if (std::ranges::any_of(all.infos, [&](const auto& known) { return known.key == info.key; }))
        throw Error(ErrorCode::InvalidInput, "Metric '" + info.key + "' already exists.");
    all.infos.push_back(std::move(info));
    all.makers.emplace_back([make = std::move(make)](const std::string&) { return make(); });
}

std::vector<std::string> fittingMetrics(const std::string& loss) {
    std::vector<std::string> keys;
    for (const MetricInfo& info : metricInfos()) {
        if (fits(info, loss)) keys.push_back(info.key);
    }
    return keys;
}

std::vector<std::string> defaultMetrics(const std::string& loss) {
    std::vector<std::string> keys = fittingMetrics(loss);
    std::erase(keys, "top-5-accuracy");
    return keys;
}

void requireKnownMetric(const std::string& key) {
    std::vector<std::string> keys = {"loss"};
    for (const MetricInfo& info : metricInfos()) keys.push_back(info.key);
    if (std::ranges::find(keys, key) != keys.end()) return;
    throw Error(ErrorCode::InvalidInput, "Unknown metric '" + key + "'.",
                didYouMean(key, keys) + "The metrics are " + joined(keys) + ".");
}

std::unique_ptr<Metric> makeMetric(const std::string& key, const std::string& loss) {
    const Metrics& all = Metrics::all();
    std::vector<std::string> fitting;
    for (size_t i = 0; i < all.infos.size(); ++i) {
        const MetricInfo& info = all.infos[i];
        if (!fits(info, loss)) continue;
        if (info.key == key) return all.makers[i](loss);
        fitting.push_back(info.key);
    }
    requireKnownMetric(key);
    throw Error(ErrorCode::InvalidInput,
                "Metric '" + key + "' does not apply to the loss '" + loss + "'.",
                fitting.empty() ? "Only the loss itself can be shown."
                                : "Choose one of: " + joined(fitting) + ".");
}

std::vector<int64_t> predictedClasses(const Tensor& logits) {
    const LogitShape shape(logits);
    const float* values = logits.values<float>().data();
    std::vector<int64_t> classes(static_cast<size_t>(shape.count()), 0);
    for (int64_t i = 0; i < shape.count(); ++i) {
        const float* row = values + shape.offset(i);
        int64_t& best = classes[static_cast<size_t>(i)];
        for (int64_t c = 1; c < shape.classes; ++c) {
            if (row[c * shape.inner] > row[best * shape.inner]) best = c;
        }
    }
    return classes;
}

ConfusionCounter::ConfusionCounter(std::vector<std::string> classes) {
    matrix_.counts.assign(classes.size() * classes.size(), 0);
    matrix_.classes = std::move(classes);
}

void ConfusionCounter::add(const std::vector<int64_t>& predicted, const Tensor& labels) {
    const std::vector<int64_t> truth = asIntegers(labels);
    const auto classes = static_cast<int64_t>(matrix_.classes.size());
    TEMPER_ASSERT(truth.size() == predicted.size(), "there is a label for each prediction");
    for (size_t i = 0; i < truth.size(); ++i) {
        if (truth[i] < 0 || truth[i] >= classes || predicted[i] >= classes) continue;
        ++matrix_.counts[static_cast<size_t>(truth[i] * classes + predicted[i])];
    }
}

std::shared_ptr<const ConfusionMatrix> ConfusionCounter::result() const {
    return std::make_shared<const ConfusionMatrix>(matrix_);
}

}  // namespace temper
