// SPDX-License-Identifier: Apache-2.0
#include "engine/data/npy_header.h"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "engine/core/joined.h"
#include "engine/data/byte_order.h"
#include "engine/data/data_file.h"

namespace temper {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxRank = 64;
constexpr size_t kAlignment = 64;

struct NpyType {
    std::string_view code;
    DType dtype;
    size_t swapUnit;
};

constexpr std::array<NpyType, 14> kTypes = {{
    {"b1", DType::Bool, 1},
    {"i1", DType::Int8, 1},
    {"u1", DType::UInt8, 1},
    {"i2", DType::Int16, 2},
    {"u2", DType::UInt16, 2},
    {"i4", DType::Int32, 4},
    {"u4", DType::UInt32, 4},
    {"i8", DType::Int64, 8},
    {"u8", DType::UInt64, 8},
    {"f2", DType::Float16, 2},
    {"f4", DType::Float32, 4},
    {"f8", DType::Float64, 8},
    {"c8", DType::Complex64, 4},
    {"c16", DType::Complex128, 8},
}};

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Reads the Python dictionary literal of the header, which has exactly three keys.
class HeaderParser {
public:
    HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    NpyHeader parse() {
        expect('{');
        while (!take('}')) {
            parseEntry();
            if (!take(',') && peek() != '}') fail("lacks an expected ',' or '}' after a value");
        }
        if (peek() != '\0') fail("continues after '}'");
        if (!hasType_ || !hasOrder_ || !hasShape_) {
            fail("lacks one of 'descr', 'fortran_order' and 'shape'");
        }
        return header_;
    }

private:
    void parseEntry() {
        const std::string_view key = parseString();
        expect(':');
        if (key == "descr" && !hasType_) {
            parseType();
        } else if (key == "fortran_order" && !hasOrder_) {
            header_.fortranOrder = parseBool();
            hasOrder_ = true;
        } else if (key == "shape" && !hasShape_) {
            parseShape();
        } else {
            fail("has the unexpected or repeated key '" + std::string(key.substr(0, 40)) + "'");
        }
    }

    void parseType() {
        if (peek() != '\'' && peek() != '"') {
            throw unsupported("of a structured type");
        }
        const std::string_view descr = parseString();
        const bool hasOrderMark =
            !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
        const std::string_view code = hasOrderMark ? descr.substr(1) : descr;
        for (const NpyType& type : kTypes) {
            if (type.code != code) continue;
            header_.dtype = type.dtype;
            header_.swapUnit = descr[0] == '>' ? type.swapUnit : 1;
            hasType_ = true;
            return;
        }
        throw unsupported("of type '" + std::string(descr.substr(0, 40)) + "'");
    }

    Error unsupported(const std::string& type) const {
        return {ErrorCode::Unsupported,
                "File '" + name_ + "' holds elements " + type +
                    "; expected booleans, integers, floating or complex numbers.",
                "Convert the array before saving, e.g. with array.astype(numpy.float32)."};
    }

    bool parseBool() {
        skipSpace();
        for (const auto& [word, value] :
             {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
            if (!text_.substr(at_).starts_with(word)) continue;
            at_ += word.size();
            return value;
        }
        fail("has a 'fortran_order' that is neither True nor False");
    }

    void parseShape() {
        expect('(');
        while (!take(')')) {
            if (header_.shape.size() == kMaxRank) fail("has more than 64 dimensions");
            header_.shape.push_back(parseDimension());
            if (!take(',') && peek() != ')') fail("has a 'shape' without ',' or ')'");
        }
        hasShape_ = true;
    }

    int64_t parseDimension() {
        skipSpace();
        int64_t value = -1;
        const char* begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc() || value < 0) fail("has a dimension that is not a number >= 0");
        at_ += static_cast<size_t>(end - begin);
        if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // written by Python 2
        return value;
    }

    std::string_view parseString() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail("lacks a quoted text");
        const size_t begin = ++at_;
        const size_t end = text_.find(quote, begin);
        if (end == std::string_view::npos) fail("has an unterminated text");
        at_ = end + 1;
        return text_.substr(begin, end - begin);
    }

    void skipSpace() {
        while (at_ < text_.size() && isSpace(text_[at_])) ++at_;
    }

    char peek() {
        skipSpace();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool take(char wanted) {
        if (peek() != wanted) return false;
        ++at_;
        return true;
    }

    void expect(char wanted) {
        if (!take(wanted)) fail("lacks an expected '" + std::string(1, wanted) + "'");
    }

    [[noreturn]] void fail(const std::string& problem) const {
        throw badFile(name_, "has a damaged NPY header: it " + problem,
                      "Save the array again with numpy.save.");
    }

    std::string_view text_;
    const std::string& name_;
    size_t at_ = 0;
    NpyHeader header_;
    bool hasType_ = false;
    bool hasOrder_ = false;
    bool hasShape_ = false;
};

Error truncated(const std::string& name) {
    return badFile(name, "ends inside the NPY header", "The file is truncated; copy it again.");
}

std::string_view typeCode(DType dtype) {
    for (const NpyType& type : kTypes) {
        if (type.dtype == dtype) return type.code;
    }
    throw Error(ErrorCode::Unsupported,
                "NPY files can't hold elements of type " + std::string(dtypeName(dtype)) + ".");
}

std::string formatDictionary(DType dtype, const Shape& shape) {
    const std::string mark = dtypeSize(dtype) == 1 ? "|" : "<";
    const std::string dims = joined(shape, [](int64_t dim) { return std::to_string(dim); });
    return "{'descr': '" + mark + std::string(typeCode(dtype)) +
           "', 'fortran_order': False, 'shape': (" + dims + (shape.size() == 1 ? "," : "") + "), }";
}

}  // namespace

NpyHeader parseNpyHeader(std::span<const std::byte> bytes, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.empty()) throw badFile(name, "is empty; expected an NPY array");
    if (!text.starts_with(kMagic.substr(0, text.size()))) {
        throw badFile(name, "does not start with '\\x93NUMPY'; it is not an NPY array");
    }
    if (text.size() < 8) throw truncated(name);
    const int version = static_cast<unsigned char>(text[6]);
    if (version < 1 || version > 3) {
        throw badFile(name, "has NPY version " + std::to_string(version) + "; expected 1, 2 or 3");
    }
    const size_t lengthBytes = version == 1 ? 2 : 4;
    const size_t begin = 8 + lengthBytes;
    if (text.size() < begin) throw truncated(name);
    const uint64_t length = littleEndian(bytes.subspan(8, lengthBytes));
    if (length > text.size() - begin) throw truncated(name);
    NpyHeader header = HeaderParser(text.substr(begin, length), name).parse();
    header.dataOffset = begin + length;
    return header;
}

std::string formatNpyHeader(DType dtype, const Shape& shape) {
    std::string dictionary = formatDictionary(dtype, shape);
    const bool isLong = dictionary.size() > 65000;
    const size_t begin = isLong ? 12 : 10;
    const size_t total = (begin + dictionary.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
    dictionary.resize(total - begin - 1, ' ');
    dictionary += '\n';
    std::string text(kMagic);
    text += isLong ? '\2' : '\1';
    text += '\0';
    for (size_t i = 0; i < begin - 8; ++i) {
        text += static_cast<char>(dictionary.size() >> (8 * i) & 0xFF);
    }
    return text + dictionary;
}

}  // namespace temper
