// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/instruction_set.h"

#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/core/error.h"
#include "engine/runtime/cpu/gemm.h"
#include "engine/runtime/cpu/onednn.h"

namespace temper {
namespace {

constexpr const char* kVariable = "TEMPER_MAX_CPU_ISA";

struct InstructionSet {
    std::string_view name;
    dnnl::cpu_isa oneDnn;
    int64_t highway;  ///< the newest of Highway's targets that we compile for
};

constexpr std::array kInstructionSets{
    InstructionSet{"sse41", dnnl::cpu_isa::sse41, HWY_SSE4},
    InstructionSet{"avx2", dnnl::cpu_isa::avx2, HWY_AVX2},
    InstructionSet{"avx512_core", dnnl::cpu_isa::avx512_core, HWY_AVX3},
    InstructionSet{"all", kAnyInstructions, 1},
};

const InstructionSet& find(std::string_view name) {
    const auto found = std::ranges::find(kInstructionSets, name, &InstructionSet::name);
    if (found != kInstructionSets.end()) return *found;
    throw Error(ErrorCode::InvalidInput, "Unknown instruction set '" + std::string(name) + "'.",
                "Set " + std::string(kVariable) + " to sse41, avx2, avx512_core or all.");
}

void limitTo(const InstructionSet& set) {
    if (dnnl::set_max_cpu_isa(set.oneDnn) != dnnl::status::success)
        throw Error(ErrorCode::State,
                    "The instruction set can no longer be limited: kernels already exist.",
                    "Limit it before the first computation.");
    // The newer a target of Highway, the lower its bit.
    hwy::DisableTargets(set.highway - 1);
}

/// Sets of instructions are sets of bits.
bool mayUse(dnnl::cpu_isa set) {
    const auto bits = static_cast<unsigned>(set);
    return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

}  // namespace

void limitInstructionSet() {
    static std::once_flag once;
    std::call_once(once, [] {
        const char* most = std::getenv(kVariable);
        if (most != nullptr && *most != '\0') limitTo(find(most));
    });
}

std::string instructionSetName() {
    std::string_view name = "sse2";
    for (const InstructionSet& set : kInstructionSets) {
        if (set.oneDnn != kAnyInstructions && mayUse(set.oneDnn)) name = set.name;
    }
    return std::string(name);
}

bool mayUseAvx512() { return mayUse(dnnl::cpu_isa::avx512_core); }

BFloat16Units bfloat16Units() {
    if (!hasBFloat16Gemm() || !mayUse(dnnl::cpu_isa::avx512_core_bf16)) return BFloat16Units::None;
    return mayUse(dnnl::cpu_isa::avx512_core_amx) ? BFloat16Units::Tiles : BFloat16Units::Vectors;
}

}  // namespace temper
