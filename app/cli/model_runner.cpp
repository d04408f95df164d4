// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_runner.h"

#include "engine/ir/type_inference.h"
#include "engine/runtime/cpu/compute_pool.h"

namespace temper::cli {
namespace {

/// The first finding that keeps the model from being run.
void requireSound(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::Error) continue;
        throw Error(ErrorCode::InvalidInput, finding.message, finding.hint);
    }
}

}  // namespace

ModelRunner::ModelRunner(std::unique_ptr<Graph> model, int threads)
    : ModelRunner(std::move(model), std::make_shared<const OpSet>(standardOps()), threads) {}

ModelRunner::ModelRunner(std::unique_ptr<Graph> model, std::shared_ptr<const OpSet> ops,
                         int threads, const PlanOptions& options)
    : ops_(std::move(ops)), pool_(makeComputePool(threads)) {
    requireSound(inferTypes(*model, ops_->catalog));
    inputs_ = feedInputsOf(*model);
    for (const Value* output : model->outputs()) outputNames_.push_back(output->name());
    model_ = std::move(model);
    runner_ = std::make_unique<GraphRunner>(model_, ops_->catalog, ops_->cpuKernels,
                                            std::make_shared<Arena>(), *pool_, options);
}

}  // namespace temper::cli
