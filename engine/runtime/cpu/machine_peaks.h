// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/core/thread_pool.h"

namespace temper {

/// The measured maximum of what the threads of a pool do together: the two lines of a roofline.
///
/// Arrays that stay in a cache move faster than in memory, so work on such arrays may take less
/// than its least time. Source: Williams, Waterman, Patterson, "Roofline: An Insightful Visual
/// Performance Model for Multicore Architectures", CACM 52(4), 2009.
struct MachinePeaks {
    double flopsPerSecond = 0;  ///< of single-precision matrix products of 512 x 512
    double bytesPerSecond = 0;  ///< read and written by a = b + s * c over large arrays

    /// The time below which neither the arithmetic nor the memory traffic can finish. Units:
    /// seconds.
    double leastSeconds(int64_t flops, int64_t bytes) const;
};

/// Takes less than half a second. The arrays take four times the last-level cache, but no more than
/// 192 MB, or 16 MB for each of many threads: if the cache is larger, part of the traffic goes to
/// it. Thread: as ThreadPool::run().
MachinePeaks measurePeaks(ThreadPool& pool);

}  // namespace temper
