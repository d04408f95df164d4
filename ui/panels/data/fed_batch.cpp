// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/fed_batch.h"

#include <algorithm>

#include "ui/messages/problem.h"
#include "ui/tensor_view/tensor_summary.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

constexpr int64_t kShownSamples = 64;
constexpr int64_t kVersions = 8;

bool isBound(const FedBatchRequest& request) {
    return !request.inputs.empty() &&
           std::all_of(request.inputs.begin(), request.inputs.end(), [&](const ModelInput& input) {
               const auto bound = request.binding.find(input.name);
               return bound != request.binding.end() &&
                      request.data->training()->findColumn(bound->second);
           });
}

void readInputs(FedBatch& batch, const Dataset& data, const FedBatchRequest& request) {
    for (const ModelInput& input : request.inputs) {
        const size_t index = data.columnIndex(request.binding.at(input.name));
        const BatchField field = fieldFor(input.name, input.type, data.columns()[index]);
        Column column = data.columns()[index];
        column.name = input.name;
        column.isTarget = input.isTarget;
        column.dtype = input.type.dtype;
        if (field.shape) column.shape = *field.shape;
        batch.columns.push_back(std::move(column));
        batch.tensors.push_back(readFields(data, {field}, batch.samples).front());
    }
}

void readColumns(FedBatch& batch, const Dataset& data) {
    batch.columns = data.columns();
    for (size_t i = 0; i < batch.columns.size(); ++i)
        batch.tensors.push_back(data.batch(i, batch.samples));
}

}  // namespace

std::shared_ptr<const FedBatch> makeFedBatch(const FedBatchRequest& request) {
    auto batch = std::make_shared<FedBatch>();
    const Dataset& training = *request.data->training();
    batch->samples = epochOrder(training.size(), request.seed, 0);
    batch->samples.resize(
        static_cast<size_t>(std::min({training.size(), request.batchSize, kShownSamples})));
    const std::shared_ptr<const Dataset> varied = training.inEpoch(0);
    const Dataset& seen = varied ? *varied : training;
    batch->isBound = isBound(request);
    if (batch->isBound) {
        readInputs(*batch, seen, request);
    } else {
        readColumns(*batch, seen);
    }
    batch->thumbnails = thumbnailsOf(batch->columns, batch->tensors);
    if (batch->isBound && batch->thumbnails.empty()) {  // the model may take flattened pixels
        FedBatch columns;
        columns.samples = batch->samples;
        readColumns(columns, seen);
        batch->thumbnails = thumbnailsOf(columns.columns, columns.tensors);
    }
    return batch;
}

std::vector<Thumbnail> variedThumbnails(const LoadedData& data, int64_t sample) {
    std::vector<Thumbnail> thumbnails;
    const Dataset& training = *data.training();
    const std::vector<int64_t> one = {std::clamp<int64_t>(sample, 0, training.size() - 1)};
    for (int64_t epoch = 0; epoch < kVersions; ++epoch) {
        const std::shared_ptr<const Dataset> varied = training.inEpoch(epoch);
        if (!varied) break;
        for (size_t i = 0; i < varied->columns().size(); ++i) {
            const QImage image = sampleImage(varied->batch(i, one), 0);
            if (image.isNull()) continue;
            thumbnails.push_back({image, tr("Epoch %1").arg(epoch + 1)});
            break;
        }
    }
    return thumbnails;
}

}  // namespace temper::ui
