// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "engine/ir/graph.h"

namespace temper {

/// Whether the bytes begin as a model in ONNX Runtime's own format does (identifier "ORTM").
bool isOrtModel(std::span<const std::byte> bytes);

/// Reads a model in ORT format, version 4 to 6, written by ONNX Runtime or Temper.
///
/// Skips what only speeds up loading in ONNX Runtime: kernel types, runtime optimizations, edges.
/// Fused operators stay as they are. The graph owns its data.
/// Source: spec/checkpoint.md section 9.
/// Throws: Error(InvalidInput) naming what is wrong; Error(Unsupported) for other versions, sparse
/// and string initializers, and attributes of kinds that a Graph does not hold.
std::unique_ptr<Graph> parseOrtModel(std::span<const std::byte> bytes);

/// The bytes of the model in ORT format; equal graphs give equal bytes.
///
/// With the types of all values inferred and completeForOrtFormat(), ONNX Runtime loads it in every
/// build. Operators of domains other than ONNX's and com.microsoft's have no entry in the table of
/// kernel types: the model is then written as format version 4, which only builds that know ONNX's
/// operator declarations load. ONNX Runtime also refuses operators that it knows only as functions
/// (CastLike, HardSwish, ...). Throws: Error(Unsupported) above 2 GiB, FlatBuffers' limit, and for
/// a value without a type.
std::string serializeOrtModel(const Graph& graph);

/// The operators of the model in the format that ONNX Runtime's reduced builds read: a line of
/// domain, version and names for each version of each domain, "ai.onnx;13;Gemm,ReduceSum".
std::string requiredOperators(const Graph& graph);

}  // namespace temper
