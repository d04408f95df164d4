// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/tensor.h"
#include "engine/distributed/sum_tree.h"

namespace temper {

/// The numbers [begin, end) of a tensor, which share its memory.
Tensor partOf(const Tensor& tensor, PartRange numbers);

/// Float32 numbers for those who work in the host's memory, as transports and sums do: the numbers
/// themselves if they are there; if a device has them, copies, which are made only by fetch() and
/// go back only by store().
class HostNumbers {
public:
    HostNumbers() = default;
    /// `count` numbers of which the tensor has the first ones; it owns the memory of all.
    HostNumbers(const Tensor& first, int64_t count);

    bool areCopies() const { return !all_.isOnHost(); }
    /// In the host's memory.
    float* data() const { return reinterpret_cast<float*>(host_.address()); }
    /// In the memory that they are in.
    Tensor part(PartRange numbers) const { return partOf(all_, numbers); }

    /// Copies from the device, after all work submitted to it. Throws: what that work has thrown.
    void fetch(PartRange numbers) const;
    /// Copies to the device, before all work that is submitted later.
    void store(PartRange numbers) const;

private:
    Tensor all_;
    Tensor host_;
};

}  // namespace temper
