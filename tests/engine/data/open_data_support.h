// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/data/open_data.h"
#include "tests/engine/data/data_test_support.h"

namespace temper::test {

inline QByteArray gzipped(const QByteArray& content) {
    QByteArray result(content.size() + 1000, '\0');
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
    QByteArray input = content;
    stream.next_in = reinterpret_cast<Bytef*>(input.data());
    stream.avail_in = uInt(input.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = uInt(result.size());
    deflate(&stream, Z_FINISH);
    result.truncate(qsizetype(stream.total_out));
    deflateEnd(&stream);
    return result;
}

/// A resolver over named contents.
inline FileResolver resolverOf(std::map<std::string, QByteArray> files) {
    return [files = std::move(files)](
               const std::string& path) -> std::optional<std::span<const std::byte>> {
        const auto found = files.find(path);
        if (found == files.end()) return std::nullopt;
        return std::as_bytes(
            std::span<const char>(found->second.data(), size_t(found->second.size())));
    };
}

inline OpenedData open(const std::string& spec, const QByteArray& content,
                       const std::string& path = "mem.csv") {
    return openData(spec, {}, resolverOf({{path, content}}));
}

inline std::vector<float> floatsOf(const Dataset& data, size_t column) {
    std::vector<float> all;
    for (int64_t i = 0; i < data.size(); ++i) {
        const Tensor sample = data.get(i, column);
        all.insert(all.end(), sample.values<float>().begin(), sample.values<float>().end());
    }
    return all;
}

inline std::vector<int64_t> labelsOf(const Dataset& data, size_t column = 1) {
    std::vector<int64_t> all;
    for (int64_t i = 0; i < data.size(); ++i) all.push_back(data.get(i, column).toInt64());
    return all;
}

}  // namespace temper::test
