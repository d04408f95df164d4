// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "capi/include/temper/temper.h"
#include "engine/core/dtype.h"

using namespace temper;

int32_t temper_abi_version() { return TEMPER_ABI_VERSION; }

const char* temper_version() { return TEMPER_VERSION; }

const char* temper_status_name(TemperStatus status) {
    switch (status) {
        case TEMPER_OK: return "ok";
        case TEMPER_INVALID_INPUT: return "invalid input";
        case TEMPER_NOT_FOUND: return "not found";
        case TEMPER_UNSUPPORTED: return "unsupported";
        case TEMPER_IO: return "input or output";
        case TEMPER_NUMERIC: return "numeric";
        case TEMPER_STATE: return "state";
        case TEMPER_INTERNAL: return "internal";
        default: return "unknown status";
    }
}

const char* temper_dtype_name(int32_t dtype) {
    const bool known = dtype >= TEMPER_DTYPE_FLOAT32 && dtype <= TEMPER_DTYPE_BFLOAT16;
    return known ? dtypeName(static_cast<DType>(dtype)).data() : "unknown";
}

void temper_memory_release(void* memory) { std::free(memory); }
