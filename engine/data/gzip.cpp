// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "engine/data/data_file.h"

namespace temper {
namespace {

constexpr size_t kChunkBytes = 1 << 20;
constexpr int kGzipWindow = 15 + 16;  // zlib: the largest window, in a gzip wrapper

bool isGzip(std::span<const std::byte> bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

/// zlib's stream over a whole file; gzip members may follow each other.
class Inflater {
public:
    Inflater(std::span<const std::byte> bytes, const std::string& name)
        : left_(bytes), name_(name) {
        if (inflateInit2(&stream_, kGzipWindow) != Z_OK) fail("can't be unpacked: no memory");
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    std::string run() {
        std::string result;
        int status = Z_OK;
        do {
            if (status == Z_STREAM_END) inflateReset(&stream_);
            status = step(result);
        } while (status != Z_STREAM_END || hasInput());
        return result;
    }

private:
    bool hasInput() const { return stream_.avail_in > 0 || !left_.empty(); }

    int step(std::string& result) {
        refill();
        const size_t done = result.size();
        result.resize(done + kChunkBytes);
        stream_.next_out = reinterpret_cast<Bytef*>(result.data() + done);
        stream_.avail_out = static_cast<uInt>(kChunkBytes);
        const int status = inflate(&stream_, Z_NO_FLUSH);
        result.resize(result.size() - stream_.avail_out);
        const bool isStuck = result.size() == done && !hasInput() && status != Z_STREAM_END;
        if (status == Z_BUF_ERROR || isStuck) fail("ends inside its gzip data");
        if (status != Z_OK && status != Z_STREAM_END) {
            fail(std::string("is damaged gzip data: ") +
                 (stream_.msg != nullptr ? stream_.msg : "unknown reason"));
        }
        return status;
    }

    void refill() {
        if (stream_.avail_in > 0) return;
        const size_t count = std::min<size_t>(left_.size(), std::numeric_limits<uInt>::max());
        // zlib reads only; its interface lacks the const
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(left_.data()));
        stream_.avail_in = static_cast<uInt>(count);
        left_ = left_.subspan(count);
    }

    [[noreturn]] void fail(const std::string& problem) const {
        throw badFile(name_, problem, "Copy or download the file again.");
    }

    z_stream stream_{};
    std::span<const std::byte> left_;
    const std::string& name_;
};

}  // namespace

DataFile openUnpacked(const std::string& path, const FileResolver& resolver) {
    DataFile file = openDataFile(path, resolver);
    if (!isGzip(file.bytes)) return file;
    const auto content = std::make_shared<const std::string>(Inflater(file.bytes, path).run());
    return {path, std::as_bytes(std::span<const char>(content->data(), content->size())), content};
}

}  // namespace temper
