// SPDX-License-Identifier: Apache-2.0
#include "engine/training/analysis/prediction_set.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/counted.h"
#include "engine/core/random.h"
#include "engine/data/batch_loader.h"
#include "engine/training/binding/binding.h"
#include "engine/training/binding/default_inputs.h"

namespace temper {
namespace {

constexpr double kSmallest = 1e-30;  ///< minimum of a probability whose logarithm is taken

std::vector<int64_t> evenly(int64_t size, int64_t count) {
    std::vector<int64_t> samples(static_cast<size_t>(std::min(size, count)));
    const auto chosen = static_cast<int64_t>(samples.size());
    for (int64_t i = 0; i < chosen; ++i) {
        samples[static_cast<size_t>(i)] = i * size / chosen;
    }
    return samples;
}

/// The column bound to an input that has to be fed.
const std::string& boundColumn(const std::map<std::string, std::string>& binding,
                               const std::string& input) {
    const auto found = binding.find(input);
    if (found != binding.end()) return found->second;
    throw Error(ErrorCode::InvalidInput,
                "Input '" + input + "' of the model is not bound to a data column.",
                "Specify the column that feeds it.");
}

class Collector {
public:
    Collector(Predictor& predictor, const Dataset& data,
              const std::map<std::string, std::string>& binding)
        : predictor_(predictor), data_(data), fields_(fieldsFor(predictor, data, binding)) {
        set_.kind = predictor.kind();
        if (!predictor.loss().labels.empty()) return;  // the model makes them
        target_ = data.columnIndex(boundColumn(binding, predictor.loss().target));
        set_.classes = data.columns()[*target_].classes;
    }

    /// Numbers in a sample's prediction, derived from that of `samples`.
    int64_t numbersPerSample(std::span<const int64_t> samples) {
        const Tensor outputs = predictor_.predict(readFields(data_, fields_, samples));
        return outputs.numElements() / static_cast<int64_t>(samples.size());
    }

    void add(std::span<const int64_t> samples) {
        const std::vector<Tensor> inputs = readFields(data_, fields_, samples);
        const Tensor outputs = predictor_.probabilities(inputs);
        const Tensor target =
            target_ ? data_.batch(*target_, samples) : predictor_.madeLabels().clone();
        if (set_.kind == TaskKind::Numbers) {
            addNumbers(samples, outputs, target);
        } else {
            addClasses(samples, outputs, target.cast(DType::Int64));
        }
    }

    PredictionSet finish() {
        const int64_t entries = set_.entries();
        const int64_t width = entries > 0 ? static_cast<int64_t>(outputs_.size()) / entries : 0;
        set_.outputs = Tensor::of<float>({entries, width}, outputs_);
        if (set_.kind == TaskKind::Numbers) {
            set_.targets = Tensor::of<float>({entries, width}, targets_);
        } else {
            nameClasses(width);
        }
        return std::move(set_);
    }

private:
    void addClasses(std::span<const int64_t> samples, const Tensor& rows, const Tensor& labels) {
        const int64_t perSample = rows.shape()[0] / static_cast<int64_t>(samples.size());
        const int64_t classes = rows.shape()[1];
        requireSame(rows.shape()[0], labels.numElements());
        for (int64_t row = 0; row < rows.shape()[0]; ++row) {
            const int64_t label = labels.values<int64_t>()[static_cast<size_t>(row)];
            if (label < 0 || label >= classes) continue;
            const auto* values = rows.values<float>().data() + row * classes;
            outputs_.insert(outputs_.end(), values, values + classes);
            set_.labels.push_back(label);
            set_.samples.push_back(samples[static_cast<size_t>(row / perSample)]);
            if (perSample > 1) set_.places.push_back(row % perSample);
            set_.losses.push_back(-std::log(std::max<double>(values[label], kSmallest)));
        }
    }

    void addNumbers(std::span<const int64_t> samples, const Tensor& values, const Tensor& target) {
        const Tensor right = target.cast(DType::Float32);
        requireSame(values.numElements(), right.numElements());
        const auto width = static_cast<size_t>(values.shape()[1]);
        for (size_t i = 0; i < samples.size(); ++i) {
            double squares = 0;
            for (size_t k = i * width; k < (i + 1) * width; ++k) {
                outputs_.push_back(values.values<float>()[k]);
                targets_.push_back(right.values<float>()[k]);
                squares += std::pow(double{outputs_.back()} - double{targets_.back()}, 2);
            }
            set_.samples.push_back(samples[i]);
            set_.losses.push_back(width > 0 ? squares / static_cast<double>(width) : 0);
        }
    }

    void requireSame(int64_t predictions, int64_t targets) const {
        if (predictions == targets) return;
        throw Error(ErrorCode::InvalidInput,
                    "The model gives " + counted(predictions, "prediction") + " for " +
                        counted(targets, "target") + " of column '" +
                        (target_ ? data_.columns()[*target_].name : predictor_.loss().tokens) +
                        "'.",
                    "Bind the column to compare the prediction with.");
    }

    void nameClasses(int64_t width) {
        if (static_cast<int64_t>(set_.classes.size()) == width) return;
        set_.classes.clear();
        for (int64_t i = 0; i < width; ++i) set_.classes.push_back(std::to_string(i));
    }

    Predictor& predictor_;
    const Dataset& data_;
    std::vector<BatchField> fields_;
    std::optional<size_t> target_;  ///< the column; none if the model makes the labels
    PredictionSet set_;
    std::vector<float> outputs_;
    std::vector<float> targets_;
};

}  // namespace

float PredictionSet::output(int64_t entry, int64_t column) const {
    return outputs.values<float>()[static_cast<size_t>(entry * width() + column)];
}

int64_t PredictionSet::predictedClass(int64_t entry) const {
    const auto row = outputs.values<float>().subspan(static_cast<size_t>(entry * width()),
                                                     static_cast<size_t>(width()));
    return std::max_element(row.begin(), row.end()) - row.begin();
}

std::vector<BatchField> fieldsFor(const Predictor& predictor, const Dataset& data,
                                  const std::map<std::string, std::string>& binding) {
    std::map<std::string, ValueType> types;
    for (const std::string& input : predictor.inputNames())
        types[input] = predictor.inputType(input);
    const DefaultInputs defaults(types, data, binding);
    std::vector<BatchField> fields;
    for (const std::string& input : predictor.inputNames()) {
        const std::optional<DefaultInput> usual =
            binding.contains(input) ? std::nullopt : defaults.of(input);
        if (usual) {
            fields.push_back(usual->field);
            continue;
        }
        const size_t column = data.columnIndex(boundColumn(binding, input));
        fields.push_back(fieldFor(input, types.at(input), data.columns()[column]));
    }
    return fields;
}

PredictionSet predictDataset(Predictor& predictor, const Dataset& data,
                             const std::map<std::string, std::string>& binding,
                             const PredictionOptions& options) {
    Collector collector(predictor, data, binding);
    int64_t batchSize = options.batchSize;
    const ValueType first = predictor.inputType(predictor.inputNames().front());
    const bool isFixed = first.rank() > 0 && first.shape->front().isNumber();
    if (isFixed) batchSize = first.shape->front().value;
    int64_t count = std::min(data.size(), options.maxSamples);
    const bool isCancelled = options.cancelled && options.cancelled();
    if (count >= (isFixed ? batchSize : 1) && !isCancelled) {
        const int64_t numbers = std::max<int64_t>(
            1, collector.numbersPerSample(evenly(data.size(), isFixed ? batchSize : 1)));
        count = std::clamp(options.maxNumbers / numbers, std::min(batchSize, count), count);
        if (!isFixed)
            batchSize = std::clamp<int64_t>(options.maxBatchNumbers / numbers, 1, batchSize);
    }
    const std::vector<int64_t> samples = evenly(data.size(), count);
    const auto total = static_cast<int64_t>(samples.size());
    for (int64_t done = 0; done < total; done += batchSize) {
        if (options.cancelled && options.cancelled()) break;
        const int64_t added = std::min(batchSize, total - done);
        if (isFixed && added < batchSize) break;
        collector.add(
            std::span(samples).subspan(static_cast<size_t>(done), static_cast<size_t>(added)));
        if (options.progress) options.progress(done + added, total);
    }
    return collector.finish();
}

std::vector<int64_t> chooseEntries(const PredictionSet& set, SampleOrder order, int64_t count,
                                   int64_t truth, int64_t predicted, uint64_t seed) {
    std::vector<int64_t> entries;
    for (int64_t i = 0; i < set.entries(); ++i) {
        const bool isTrue = truth < 0 || set.labels[static_cast<size_t>(i)] == truth;
        if (isTrue && (predicted < 0 || set.predictedClass(i) == predicted)) entries.push_back(i);
    }
    const auto lossOf = [&](int64_t entry) { return set.losses[static_cast<size_t>(entry)]; };
    if (order == SampleOrder::Random) {
        const auto places = Random(seed).permutation(static_cast<int64_t>(entries.size()));
        std::vector<int64_t> drawn;
        for (const int64_t place : places) drawn.push_back(entries[static_cast<size_t>(place)]);
        entries = std::move(drawn);
    } else {
        std::stable_sort(entries.begin(), entries.end(), [&](int64_t a, int64_t b) {
            return order == SampleOrder::Worst ? lossOf(a) > lossOf(b) : lossOf(a) < lossOf(b);
        });
    }
    if (static_cast<int64_t>(entries.size()) > count) entries.resize(static_cast<size_t>(count));
    return entries;
}

}  // namespace temper
