// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper::test {

/// The catalog of standardOps(), for tests that link temper_ops.
inline const OpCatalog& standardCatalog() {
    static const OpSet kOps = standardOps();
    return kOps.catalog;
}

}  // namespace temper::test
