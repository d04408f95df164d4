// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// TfIdfVectorizer, of words that are integers.
void registerText(OpSet& ops);

void addTextTypes(OpCatalog& catalog);
void addTextKernels(KernelRegistry& kernels);

}  // namespace temper
