// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/cli/feeds.h"
#include "engine/core/thread_pool.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"

namespace temper::cli {

/// Inference with one model: the model and everything needed to run it.
class ModelRunner {
public:
    /// Infers the model's types. Throws: Error for a model that contradicts itself.
    explicit ModelRunner(std::unique_ptr<Graph> model, int threads = 0);
    ModelRunner(std::unique_ptr<Graph> model, std::shared_ptr<const OpSet> ops, int threads,
                const PlanOptions& options = {});

    const Graph& model() const { return *model_; }
    const std::vector<FeedInput>& inputs() const { return inputs_; }
    const std::vector<std::string>& outputNames() const { return outputNames_; }

    /// Inputs in the order of inputs(). The outputs are valid until the next run.
    std::span<const Tensor> run(std::span<const Tensor> inputs, uint64_t seed = 0) {
        return runner_->run(inputs, seed);
    }
    /// The same with sequences and optionals.
    std::vector<ValueData> runOn(std::span<const ValueData> inputs, uint64_t seed = 0) {
        return runner_->runOn(inputs, seed);
    }

private:
    std::shared_ptr<const OpSet> ops_;
    std::shared_ptr<const Graph> model_;
    std::vector<FeedInput> inputs_;
    std::vector<std::string> outputNames_;
    std::unique_ptr<ThreadPool> pool_;
    std::unique_ptr<GraphRunner> runner_;
};

}  // namespace temper::cli
