// SPDX-License-Identifier: Apache-2.0
#include "engine/data/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/data/data_file.h"

namespace temper {
namespace {

constexpr size_t kChunkBytes = 1 << 20;
constexpr int kGzipWindow = 15 + 16;  // zlib: the largest window, in a gzip wrapper

/// The next piece of compressed content; empty at the end. Valid until the next call.
using NextPiece = std::function<std::span<const std::byte>()>;

/// zlib's stream over a whole file; gzip members may follow each other.
class Inflater {
public:
    Inflater(NextPiece next, const std::string& name)
        : next_(std::move(next)), name_(name), chunk_(kChunkBytes) {
        if (inflateInit2(&stream_, kGzipWindow) != Z_OK) fail("can't be unpacked: no memory");
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    void run(const TakePiece& take) {
        int status = Z_OK;
        do {
            if (status == Z_STREAM_END) inflateReset(&stream_);
            status = step(take);
        } while (status != Z_STREAM_END || hasInput());
    }

private:
    bool hasInput() {
        if (stream_.avail_in == 0) refill();
        return stream_.avail_in > 0;
    }

    int step(const TakePiece& take) {
        const bool isAtEnd = !hasInput();
        stream_.next_out = reinterpret_cast<Bytef*>(chunk_.data());
        stream_.avail_out = static_cast<uInt>(kChunkBytes);
        const int status = inflate(&stream_, Z_NO_FLUSH);
        const size_t done = kChunkBytes - stream_.avail_out;
        const bool isStuck = done == 0 && isAtEnd && status != Z_STREAM_END;
        if (status == Z_BUF_ERROR || isStuck) fail("ends inside its gzip data");
        if (status != Z_OK && status != Z_STREAM_END) {
            fail(std::string("is damaged gzip data: ") +
                 (stream_.msg != nullptr ? stream_.msg : "unknown reason"));
        }
        take(std::span<const std::byte>(chunk_).first(done));
        return status;
    }

    void refill() {
        const std::span<const std::byte> piece = next_();
        // zlib only reads it; its interface lacks the const
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(piece.data()));
        stream_.avail_in = static_cast<uInt>(piece.size());
    }

    [[noreturn]] void fail(const std::string& problem) const {
        throw badFile(name_, problem, "Copy or download the file again.");
    }

    z_stream stream_{};
    NextPiece next_;
    const std::string& name_;
    std::vector<std::byte> chunk_;
};

}  // namespace

bool isGzip(std::span<const std::byte> bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

void unpackGzip(std::span<const std::byte> bytes, const std::string& name, const TakePiece& take) {
    const auto next = [&bytes] {
        const size_t count = std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
        const auto piece = bytes.first(count);
        bytes = bytes.subspan(count);
        return piece;
    };
    Inflater(next, name).run(take);
}

void unpackGzip(const FileReader& file, const TakePiece& take) {
    std::vector<std::byte> piece;
    uint64_t at = 0;
    const auto next = [&] {
        piece.resize(std::min<uint64_t>(kChunkBytes, file.size() - at));
        file.read(at, piece);
        at += piece.size();
        return std::span<const std::byte>(piece);
    };
    Inflater(next, file.name()).run(take);
}

DataFile openUnpacked(const std::string& path, const FileResolver& resolver) {
    DataFile file = openDataFile(path, resolver);
    if (!isGzip(file.bytes)) return file;
    const auto content = std::make_shared<std::string>();
    unpackGzip(file.bytes, path, [&content](std::span<const std::byte> piece) {
        content->append(reinterpret_cast<const char*>(piece.data()), piece.size());
    });
    return {path, std::as_bytes(std::span<const char>(content->data(), content->size())), content};
}

}  // namespace temper
