// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/try_prediction.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/idle_priority.h"
#include "engine/data/augmentation.h"
#include "engine/training/analysis/occlusion.h"
#include "engine/training/analysis/prediction_set.h"

namespace temper::ui {
namespace {

/// The sample repeated for a model with a fixed batch size.
Tensor repeated(const Tensor& sample, int64_t count) {
    if (count == 1) return sample;
    Shape shape = sample.shape();
    shape.front() = count;
    Tensor batch(sample.dtype(), std::move(shape));
    for (int64_t i = 0; i < count; ++i)
        std::memcpy(batch.mutableData() + static_cast<size_t>(i) * sample.byteSize(), sample.data(),
                    sample.byteSize());
    return batch;
}

/// The batch size that a model requires for this input.
int64_t batchOf(const ValueType& type) {
    const bool isFixed = type.rank() > 0 && type.shape->front().isNumber();
    return isFixed ? type.shape->front().value : 1;
}

Tensor inputFor(const ValueType& type, const BatchField& field, const TryRequest& request) {
    if (field.column.empty()) return repeatSample(field.sample, batchOf(type));
    const Dataset& data = *request.data->training();
    const Column& column = data.columns()[data.columnIndex(field.column)];
    Tensor sample = request.sample.at(field.column).cast(type.dtype);
    Shape shape = field.shape.value_or(column.shape);
    shape.insert(shape.begin(), 1);
    return repeated(sample.reshaped(std::move(shape)), batchOf(type));
}

/// Values of the first sample, in the shape of its column.
std::vector<float> firstOf(const Tensor& batch, const Column& column) {
    const auto values = batch.values<float>();
    return {values.begin(), values.begin() + column.elementsPerSample()};
}

/// The value of the strongest channel of each pixel.
std::vector<float> overChannels(const std::vector<float>& values, int64_t channels, bool last) {
    const size_t pixels = values.size() / static_cast<size_t>(channels);
    std::vector<float> most(pixels, 0);
    for (size_t i = 0; i < values.size(); ++i) {
        float& value = most[last ? i / static_cast<size_t>(channels) : i % pixels];
        value = std::max(value, std::abs(values[i]));
    }
    return most;
}

void explainByGradient(TryResult& result, const TryRequest& request, Predictor& predictor,
                       const std::vector<Tensor>& inputs, size_t index, const Column& column) {
    const Tensor gradient = predictor.inputGradient(inputs, index, result.best);
    result.influence = firstOf(gradient, column);
    result.influenceShape = column.shape;
    if (!isPicture(column) && !(column.isImage && column.shape.size() == 3)) return;
    if (column.shape.size() == 2) {
        result.influence = overChannels(result.influence, 1, false);
        return;
    }
    const bool last = column.isImage && request.data->opened.form.channelsLast;
    const int64_t channels = last ? column.shape[2] : column.shape[0];
    result.influence = overChannels(result.influence, channels, last);
    result.influenceShape =
        last ? Shape{column.shape[0], column.shape[1]} : Shape{column.shape[1], column.shape[2]};
}

void explainByOcclusion(TryResult& result, const TryRequest& request, Predictor& predictor,
                        const std::vector<Tensor>& inputs, size_t index,
                        const std::stop_token& stop) {
    if (inputs[index].rank() < 3)
        throw Error(
            ErrorCode::Unsupported,
            "The model takes its pixels as one row, so parts of the picture can't be covered.",
            "Choose the input gradient instead.");
    OcclusionOptions options;
    const Column& column =
        request.data->training()
            ->columns()[request.data->training()->columnIndex(request.mainColumn)];
    options.channelsLast = column.isImage && request.data->opened.form.channelsLast;
    options.cancelled = [&] { return stop.stop_requested(); };
    const Tensor map = occlusionMap(predictor, inputs, index, result.best, options);
    result.influence.assign(map.values<float>().begin(), map.values<float>().end());
    result.influenceShape = map.shape();
}

void explain(TryResult& result, const TryRequest& request, Predictor& predictor,
             const std::vector<Tensor>& inputs, const std::stop_token& stop) {
    const auto& names = predictor.inputNames();
    const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
        const auto bound = request.binding.find(name);
        return bound != request.binding.end() && bound->second == request.mainColumn;
    });
    if (found == names.end()) return;
    const auto index = static_cast<size_t>(found - names.begin());
    if (request.explanation == Explanation::Occlusion)
        return explainByOcclusion(result, request, predictor, inputs, index, stop);
    const Dataset& data = *request.data->training();
    explainByGradient(result, request, predictor, inputs, index,
                      data.columns()[data.columnIndex(request.mainColumn)]);
}

struct WantedPlace {
    int64_t place;  ///< see TryRequest
    int64_t batch;  ///< number of samples, all identical
};

/// Takes one of the rows of the first sample.
void choosePlace(TryResult& result, const Tensor& rows, const Predictor& predictor,
                 const WantedPlace& wanted) {
    result.places = std::max<int64_t>(1, rows.shape()[0] / wanted.batch);
    const Tensor& labels = predictor.madeLabels();
    const int64_t usual = labels.empty() ? 0 : result.places - 1;
    result.place = wanted.place < 0 ? usual : std::min(wanted.place, result.places - 1);
    const auto row = rows.values<float>().subspan(
        static_cast<size_t>(result.place * rows.shape()[1]), static_cast<size_t>(rows.shape()[1]));
    result.outputs.assign(row.begin(), row.end());
    if (labels.empty()) return;
    const int64_t label = labels.values<int64_t>()[static_cast<size_t>(result.place)];
    if (label >= 0 && label < rows.shape()[1]) result.madeLabel = label;
}

TryResult predict(const TryRequest& request, const std::stop_token& stop) {
    const std::lock_guard lock(request.predictor->mutex);
    Predictor& predictor = *request.predictor->predictor;
    const std::vector<std::string>& names = predictor.inputNames();
    const std::vector<BatchField> fields =
        fieldsFor(predictor, *request.data->training(), request.binding);
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < names.size(); ++i)
        inputs.push_back(inputFor(predictor.inputType(names[i]), fields[i], request));
    TryResult result;
    result.kind = predictor.kind();
    choosePlace(result, predictor.probabilities(inputs), predictor,
                {request.place, batchOf(predictor.inputType(names.front()))});
    if (result.kind != TaskKind::Numbers)
        result.best =
            std::max_element(result.outputs.begin(), result.outputs.end()) - result.outputs.begin();
    if (request.explanation != Explanation::None && !stop.stop_requested()) {
        // for the single logit of "yes", even if "no" is likelier
        if (result.kind == TaskKind::Binary && request.explanation == Explanation::Gradient) {
            TryResult yes = result;
            yes.best = 0;
            explain(yes, request, predictor, inputs, stop);
            result.influence = std::move(yes.influence);
            result.influenceShape = std::move(yes.influenceShape);
        } else {
            explain(result, request, predictor, inputs, stop);
        }
    }
    return result;
}

}  // namespace

std::shared_ptr<TryPredictor> makeTryPredictor(const Weights& weights,
                                               std::shared_ptr<const OpSet> ops) {
    if (!weights.artifacts->evalModel)
        throw Error(ErrorCode::State, "Predicting needs an eval model.");
    auto made = std::make_shared<TryPredictor>();
    made->predictor =
        std::make_unique<Predictor>(*weights.artifacts->evalModel, *weights.state, std::move(ops));
    made->step = weights.step;
    return made;
}

TryResult tryOnce(const TryRequest& request, const std::stop_token& stop) {
    TryResult result;
    runAtIdlePriority([&] { result = predict(request, stop); });
    return result;
}

}  // namespace temper::ui
