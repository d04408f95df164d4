// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/data_parallel.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/core/error.h"

namespace temper::classic {
namespace {

/// Gradients are exchanged in pieces of 4 MiB.
constexpr int64_t kBucketNumbers = 1 << 20;

std::unique_ptr<GradientReduction> reductionOf(const TrainingParameters& parameters, Group& ranks,
                                               const GradientLayout& layout) {
    if (parameters.distributed.enableAdasum)
        return std::make_unique<AdasumReduction>(ranks, layout);
    return std::make_unique<MeanReduction>(ranks, layout);
}

void requireFloat32Moments(const TrainingParameters& parameters) {
    if (parameters.momentType == DType::Float32) return;
    throw Error(ErrorCode::Unsupported,
                "'deepspeed_zero_stage' is 1 and moments are " +
                    std::string(dtypeName(parameters.momentType)) +
                    "; ranks share out float32 moments only.",
                "Omit one of them.");
}

}  // namespace

DataParallel::DataParallel(temper::TrainingSession& session, const ClassicArtifacts& artifacts,
                           const TrainingParameters& parameters, Group& ranks)
    : session_(session),
      ranks_(ranks),
      tree_(ranks.size(), ranks.size()),
      layout_(session, kBucketNumbers),
      reduction_(reductionOf(parameters, ranks, layout_)),
      statistics_(session.state(), tree_, ranks.rank(), session.context().device->pool()) {
    session_.onWritten([this](const std::string& input) { noteWritten(input); });
    if (parameters.distributed.zeroStage == 0 || artifacts.groups.empty()) return;
    requireFloat32Moments(parameters);
    std::vector<UpdateGroup> updates;
    for (const WeightGroup& group : artifacts.groups)
        updates.push_back({group.optimizerModel, group.weights});
    shards_.emplace(layout_, ranks.size());
    auto sharded = std::make_unique<ShardedOptimizer>(session, ranks, layout_, *shards_, updates);
    sharded_ = sharded.get();
    session_.setUpdate(std::move(sharded));
}

DataParallel::~DataParallel() {
    session_.onWritten({});
    session_.setUpdate(nullptr);
}

void DataParallel::beginBatch(int64_t number) {
    if (number == 0) {
        statistics_.beginStep();
        statistics_.beginSlice();
    }
    session_.setTrainStepNumber(static_cast<uint64_t>(number * ranks_.size() + ranks_.rank()));
}

/// A gradient's buffer is no parameter.
void DataParallel::noteWritten(const std::string& parameter) {
    if (layout_.bucketOf(parameter) < 0) statistics_.note(parameter);
}

void DataParallel::combine(float scale) {
    requireSameScale(scale);
    reduction_->reduce();
    statistics_.endSlice(1 / static_cast<float>(ranks_.size()), true);
    statistics_.finishStep(ranks_, tree_);
}

void DataParallel::requireSameScale(float scale) {
    const std::vector<std::string> scales = ranks_.gather(std::to_string(scale));
    const auto other = std::ranges::find_if(
        scales, [&scales](const std::string& each) { return each != scales.front(); });
    if (other == scales.end()) return;
    throw Error(ErrorCode::InvalidInput,
                "The loss scale of rank " + std::to_string(other - scales.begin()) + " is " +
                    *other + "; that of rank 0 is " + scales.front() + ".",
                "Feed the same scale on all ranks.");
}

}  // namespace temper::classic
