// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/core/thread_pool.h"

namespace temper {

/// A pool for kernels: oneDNN and OpenMP start no further threads in its workers.
/// `threads` as in ThreadPool: 0 means one per core.
std::unique_ptr<ThreadPool> makeComputePool(int threads);

}  // namespace temper
