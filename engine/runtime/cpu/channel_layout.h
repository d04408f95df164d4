// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/runtime/kernel.h"

namespace temper {

/// Copies images [N, C, H, W] of any element type up to 8 bytes, C a multiple of kChannelBlock,
/// from input 0 to output 0: into blocks of channels (see BlockableKernel) or back.
std::unique_ptr<Kernel> channelLayoutKernel(const TensorType& type, bool toBlocked);

/// The same for `blocks` blocks of 16 planes of float32.
void copyToBlocks(ThreadPool& pool, const float* plain, float* blocked, int64_t blocks,
                  int64_t pixels);
void copyFromBlocks(ThreadPool& pool, const float* blocked, float* plain, int64_t blocks,
                    int64_t pixels);

}  // namespace temper
