// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/host_numbers.h"

#include <memory>

namespace temper {

Tensor partOf(const Tensor& tensor, PartRange numbers) {
    const size_t offset = static_cast<size_t>(numbers.begin) * dtypeSize(tensor.dtype());
    return Tensor::wrap(tensor.dtype(), {numbers.count()}, std::make_shared<Tensor>(tensor),
                        tensor.address() + offset, tensor.memory());
}

HostNumbers::HostNumbers(const Tensor& first, int64_t count)
    : all_(partOf(first, {0, count})),
      host_(all_.isOnHost() ? all_ : Tensor(DType::Float32, {count})) {}

void HostNumbers::fetch(PartRange numbers) const {
    if (areCopies()) partOf(host_, numbers).assign(part(numbers));
}

void HostNumbers::store(PartRange numbers) const {
    if (areCopies()) part(numbers).assign(partOf(host_, numbers));
}

}  // namespace temper
