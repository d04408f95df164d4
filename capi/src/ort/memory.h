// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "capi/src/ort/objects.h"

namespace temper::capi::ort {

/// Of the host.
const OrtMemoryInfo& hostMemory();
OrtAllocator& defaultAllocator();

/// Memory of a program's allocator. Throws: Error(InvalidInput) if it is null, std::bad_alloc.
void* allocate(OrtAllocator* allocator, size_t bytes);
/// A copy that ends with 0.
char* copyOf(std::string_view text, OrtAllocator* allocator);

/// A tensor whose numbers the allocator makes and frees; filled with zeros.
Tensor tensorOf(OrtAllocator* allocator, DType dtype, Shape shape);

}  // namespace temper::capi::ort
