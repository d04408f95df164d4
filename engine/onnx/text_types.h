// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/dtype.h"
#include "engine/onnx/proto.h"
#include "engine/onnx/token_stream.h"

namespace temper {

/// The name of an element type in ONNX's textual format: "float", "double", "int64", ...
std::string_view typeWord(DType dtype);

/// The inverse; nullopt for other words.
std::optional<DType> dtypeOfWord(std::string_view word);

/// Whether a type is next: a word such as "float", "seq(" or "optional(", not a name.
bool isTypeNext(const TokenStream& tokens);

/// "float" (a scalar), "float[N, 3, ?]", "float[]" (rank unknown), "seq(float[N])",
/// "optional(seq(float[N]))".
void parseType(TokenStream& tokens, onnx::TypeProto& type);

/// The elements of a tensor, "{1.0, 2.0}", whose element type and shape are those of `type`.
/// Elements of float16 and bfloat16 are their bits as integers, as in ONNX's own parser.
void parseElements(TokenStream& tokens, const onnx::TypeProto& type, onnx::TensorProto& tensor);

/// An integer, a real number, "inf" or "nan".
float parseFloat(TokenStream& tokens);

/// Whether a number is next, including "inf", "nan", "true" and "false".
bool isNumberNext(const TokenStream& tokens);
/// Whether a number that is not an integer follows.
bool isRealNext(const TokenStream& tokens, size_t ahead = 0);
/// An integer, "true" or "false".
int64_t parseInteger(TokenStream& tokens);

}  // namespace temper
