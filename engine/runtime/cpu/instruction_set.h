// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace temper {

/// Prevents all kernels of this process, ours and oneDNN's, from using vector instructions newer
/// than the environment variable TEMPER_MAX_CPU_ISA names: sse41, avx2, avx512_core (without
/// bfloat16) or all. A processor with fewer is used as it is. This serves to compare the results of
/// instruction sets, and to find out whether a fault depends on one. Only the first call in a
/// process has an effect; make it before kernels are made. Throws: Error(InvalidInput) for another
/// name; Error(State) if oneDNN has made kernels already.
void limitInstructionSet();

/// The newest of those names whose instructions kernels may use.
std::string instructionSetName();

/// Whether kernels may use AVX-512 (avx512_core); then oneDNN has images in blocks of 16 channels,
/// as we do, otherwise of 8.
bool mayUseAvx512();

/// What multiplies numbers in bfloat16.
enum class BFloat16Units {
    None,
    Vectors,  ///< AVX512_BF16: twice as many as in float32
    Tiles,    ///< AMX: many times as many
};
/// Those that kernels may use; None also if oneDNN has no product for them.
BFloat16Units bfloat16Units();

}  // namespace temper
