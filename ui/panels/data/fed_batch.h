// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/spec/training_spec.h"
#include "ui/document/loaded_data.h"
#include "ui/document/preparation.h"
#include "ui/panels/data/thumbnails.h"

namespace temper::ui {

/// The first batch of the first epoch exactly as a run feeds it: shuffled, varied, normalized, in
/// the inputs' types and shapes. Immutable.
struct FedBatch {
    std::vector<Column> columns;  ///< by input: its name, type and sample shape, classes, ...
    std::vector<Tensor> tensors;  ///< by input. Shapes: [samples, ...]
    std::vector<int64_t> samples;
    std::vector<Thumbnail> thumbnails;
    bool isBound = false;  ///< false: the data's columns, because inputs are not bound yet
};

struct FedBatchRequest {
    std::shared_ptr<const LoadedData> data;
    std::vector<ModelInput> inputs;
    std::map<std::string, std::string> binding;
    int64_t batchSize = 32;
    uint64_t seed = 0;
};

/// At most 64 samples of the batch. Throws: Error if a sample can't be read.
std::shared_ptr<const FedBatch> makeFedBatch(const FedBatchRequest& request);

/// The same sample as eight epochs see it; empty if the data does not vary.
std::vector<Thumbnail> variedThumbnails(const LoadedData& data, int64_t sample);

}  // namespace temper::ui
