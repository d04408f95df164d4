// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "capi/src/arrays.h"
#include "capi/src/model.h"
#include "capi/src/names.h"
#include "engine/core/thread_pool.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"

/// Inference with a model. Calls take turns.
struct TemperInference {
    /// `wanted`: any values of the model; none for its outputs.
    TemperInference(const TemperModel& model, const std::vector<std::string>& wanted, int threads);

    std::shared_ptr<const temper::OpSet> ops;
    std::unique_ptr<temper::ThreadPool> pool;
    temper::GraphRunner runner;
    temper::capi::NameList inputs;
    temper::capi::NameList outputs;
    temper::capi::HeldTensors results;
    std::mutex mutex;
};
