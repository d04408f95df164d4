// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/compute_pool.h"

#include <omp.h>

namespace temper {

std::unique_ptr<ThreadPool> makeComputePool(int threads) {
    return std::make_unique<ThreadPool>(threads, [] { omp_set_num_threads(1); });
}

}  // namespace temper
