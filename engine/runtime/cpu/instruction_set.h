// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace temper {

/// Keeps all kernels of this process, ours and oneDNN's, from vector instructions that are newer
/// than the environment variable TEMPER_MAX_CPU_ISA names: sse41, avx2, avx512_core (without
/// bfloat16) or all. A processor that has less is used as it is. It is for comparing what
/// instruction sets compute, and for finding out whether a fault is one of them. Only the first
/// call in a process does anything; it comes before kernels are made. Throws: Error(InvalidInput)
/// for another name; Error(State) if oneDNN has made kernels already.
void limitInstructionSet();

}  // namespace temper
