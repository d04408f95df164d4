// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/text_types.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "engine/core/small_types.h"
#include "engine/core/tensor.h"

namespace temper {
namespace {

/// In the order of DType's numbers, from Float32 on.
constexpr std::array<std::string_view, 28> kTypeWords = {
    "float",      "uint8",          "int8",       "uint16",    "int16",        "int32",
    "int64",      "string",         "bool",       "float16",   "double",       "uint32",
    "uint64",     "complex64",      "complex128", "bfloat16",  "float8e4m3fn", "float8e4m3fnuz",
    "float8e5m2", "float8e5m2fnuz", "uint4",      "int4",      "float4e2m1",   "float8e8m0",
    "uint2",      "int2",           "float6e2m3", "float6e3m2"};

bool isWord(const TokenStream& tokens, std::string_view word, size_t ahead = 0) {
    return tokens.peek(ahead).kind == TokenKind::Word && tokens.peek(ahead).text == word;
}

void parseDim(TokenStream& tokens, onnx::TensorShapeProto::Dimension& dim) {
    if (tokens.accept("?")) return;
    if (tokens.isName()) return dim.set_dim_param(tokens.expectName("a dimension"));
    const Token token = tokens.peek();
    const int64_t value = tokens.expectInteger("a dimension: a number, a name or '?'");
    if (value < 0) tokens.failAt(token, "a dimension is negative");
    dim.set_dim_value(value);
}

void parseTensorType(TokenStream& tokens, onnx::TypeProto::Tensor& type) {
    const std::optional<DType> dtype = dtypeOfWord(tokens.peek().text);
    if (tokens.peek().kind != TokenKind::Word || !dtype) tokens.fail("an element type");
    tokens.take();
    type.set_elem_type(static_cast<int32_t>(*dtype));
    if (!tokens.accept("[")) {
        type.mutable_shape();
        return;
    }
    if (tokens.accept("]")) return;
    do parseDim(tokens, *type.mutable_shape()->add_dim());
    while (tokens.accept(","));
    tokens.expect("]");
}

/// The text without a leading '+', which from_chars does not accept.
std::string_view digitsOf(const Token& token) {
    return token.text.substr(token.text.starts_with('+') ? 1 : 0);
}

template <typename T>
T numberOf(const TokenStream& tokens, const Token& token, DType dtype) {
    T number = 0;
    const std::string_view digits = digitsOf(token);
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    if (error != std::errc() || stop != end) {
        tokens.failAt(token, "'" + std::string(token.text) + "' is not a number of type " +
                                 std::string(typeWord(dtype)));
    }
    return number;
}

template <typename T>
T parseNumber(TokenStream& tokens, DType dtype) {
    if (!isNumberNext(tokens)) tokens.fail("a number");
    const Token token = tokens.take();
    if (token.text == "true" || token.text == "false") return static_cast<T>(token.text == "true");
    return numberOf<T>(tokens, token, dtype);
}

/// `T` is the type of one element; the field may be wider.
template <typename T, typename Field>
void parseNumbers(TokenStream& tokens, DType dtype, Field& field) {
    if (tokens.accept("}")) return;
    do field.Add(parseNumber<T>(tokens, dtype));
    while (tokens.accept(","));
    tokens.expect("}");
}

void parseBooleans(TokenStream& tokens, onnx::TensorProto& tensor) {
    parseNumbers<uint8_t>(tokens, DType::Bool, *tensor.mutable_int32_data());
    for (int32_t& value : *tensor.mutable_int32_data()) value = value != 0 ? 1 : 0;
}

void parseStrings(TokenStream& tokens, onnx::TensorProto& tensor) {
    if (tokens.accept("}")) return;
    do tensor.add_string_data(tokens.expectString("a string"));
    while (tokens.accept(","));
    tokens.expect("}");
}

/// Integers, or the bits of small floating-point numbers.
void parseSmall(TokenStream& tokens, DType dtype, onnx::TensorProto& tensor) {
    google::protobuf::RepeatedField<int32_t> numbers;
    if (isSmallInteger(dtype)) {
        parseNumbers<int8_t>(tokens, dtype, numbers);
    } else {
        parseNumbers<uint8_t>(tokens, dtype, numbers);
    }
    Tensor elements(dtype, {numbers.size()});
    std::transform(numbers.begin(), numbers.end(), elements.mutableData(),
                   [](int32_t number) { return static_cast<std::byte>(number & 0xFF); });
    const std::vector<std::byte> bytes = packed(elements);
    tensor.set_raw_data(bytes.data(), bytes.size());
}

void parseElementsOf(DType dtype, TokenStream& tokens, onnx::TensorProto& tensor) {
    auto& narrow = *tensor.mutable_int32_data();
    if (isSmall(dtype)) return parseSmall(tokens, dtype, tensor);
    switch (dtype) {
        case DType::Complex64:
        case DType::Float32:
            return parseNumbers<float>(tokens, dtype, *tensor.mutable_float_data());
        case DType::Complex128:
        case DType::Float64:
            return parseNumbers<double>(tokens, dtype, *tensor.mutable_double_data());
        case DType::Int8: return parseNumbers<int8_t>(tokens, dtype, narrow);
        case DType::Int16: return parseNumbers<int16_t>(tokens, dtype, narrow);
        case DType::Int32: return parseNumbers<int32_t>(tokens, dtype, narrow);
        case DType::Int64:
            return parseNumbers<int64_t>(tokens, dtype, *tensor.mutable_int64_data());
        case DType::UInt8: return parseNumbers<uint8_t>(tokens, dtype, narrow);
        case DType::UInt16:
        case DType::Float16:
        case DType::BFloat16: return parseNumbers<uint16_t>(tokens, dtype, narrow);
        case DType::UInt32:
            return parseNumbers<uint32_t>(tokens, dtype, *tensor.mutable_uint64_data());
        case DType::UInt64:
            return parseNumbers<uint64_t>(tokens, dtype, *tensor.mutable_uint64_data());
        case DType::Bool: return parseBooleans(tokens, tensor);
        case DType::String: return parseStrings(tokens, tensor);
        default: break;
    }
    TEMPER_ASSERT(false, "the text has an element type");
}

}  // namespace

std::string_view typeWord(DType dtype) {
    const auto index = static_cast<size_t>(dtype) - 1;
    TEMPER_ASSERT(index < kTypeWords.size(), "the type is known");
    return kTypeWords[index];
}

std::optional<DType> dtypeOfWord(std::string_view word) {
    const auto found = std::find(kTypeWords.begin(), kTypeWords.end(), word);
    if (found == kTypeWords.end()) return std::nullopt;
    return static_cast<DType>(found - kTypeWords.begin() + 1);
}

bool isTypeNext(const TokenStream& tokens) {
    if (tokens.peek().kind != TokenKind::Word) return false;
    const bool isContainer = isWord(tokens, "seq") || isWord(tokens, "optional");
    return dtypeOfWord(tokens.peek().text) || (isContainer && tokens.isSymbol("(", 1));
}

void parseType(TokenStream& tokens, onnx::TypeProto& type) {
    onnx::TypeProto* inner = &type;
    int open = 0;
    const auto enter = [&](onnx::TypeProto* element) {
        tokens.take();
        tokens.expect("(");
        inner = element;
        ++open;
    };
    if (isWord(tokens, "optional")) enter(inner->mutable_optional_type()->mutable_elem_type());
    if (isWord(tokens, "seq")) enter(inner->mutable_sequence_type()->mutable_elem_type());
    parseTensorType(tokens, *inner->mutable_tensor_type());
    for (; open > 0; --open) tokens.expect(")");
}

void parseElements(TokenStream& tokens, const onnx::TypeProto& type, onnx::TensorProto& tensor) {
    const auto hasNumber = [](const auto& dim) { return dim.has_dim_value(); };
    const auto& dims = type.tensor_type().shape().dim();
    const bool isStatic = type.has_tensor_type() && type.tensor_type().has_shape() &&
                          std::all_of(dims.begin(), dims.end(), hasNumber);
    if (!isStatic) tokens.fail("a shape of numbers before the elements of a tensor");
    tensor.set_data_type(type.tensor_type().elem_type());
    for (const auto& dim : dims) tensor.add_dims(dim.dim_value());
    tokens.expect("{");
    if (tokens.isSymbol("...")) tokens.fail("the elements, which this text omits");
    parseElementsOf(static_cast<DType>(tensor.data_type()), tokens, tensor);
}

bool isNumberNext(const TokenStream& tokens) {
    const TokenKind kind = tokens.peek().kind;
    if (kind == TokenKind::Integer || kind == TokenKind::Real) return true;
    return isWord(tokens, "inf") || isWord(tokens, "nan") || isWord(tokens, "true") ||
           isWord(tokens, "false");
}

bool isRealNext(const TokenStream& tokens, size_t ahead) {
    return tokens.peek(ahead).kind == TokenKind::Real || isWord(tokens, "inf", ahead) ||
           isWord(tokens, "nan", ahead);
}

float parseFloat(TokenStream& tokens) { return parseNumber<float>(tokens, DType::Float32); }

int64_t parseInteger(TokenStream& tokens) { return parseNumber<int64_t>(tokens, DType::Int64); }

}  // namespace temper
