// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstdlib>

#include "engine/core/counted.h"
#include "engine/data/data_file.h"
#include "engine/data/image/image_decoder.h"

namespace temper {
namespace {

constexpr size_t kFileHeader = 14;
constexpr uint32_t kShortestHeader = 40;  ///< BITMAPINFOHEADER
constexpr uint32_t kUncompressed = 0;
constexpr uint32_t kMasks = 3;  ///< BI_BITFIELDS

/// Windows bitmaps without compression: 1, 4 and 8 bits with a palette, 16, 24 and 32 bits. Source:
/// Microsoft, "Bitmap Storage" (Win32 GDI).
class BmpReader {
public:
    explicit BmpReader(const ImageBytes& file) : file_(file) {
        headerSize_ = number(14, 4);
        if (headerSize_ < kShortestHeader) throw damaged("its header has an unknown form");
        width_ = static_cast<int32_t>(number(18, 4));
        const auto signedHeight = static_cast<int32_t>(number(22, 4));
        isTopDown_ = signedHeight < 0;
        height_ = std::abs(int64_t{signedHeight});
        bits_ = number(28, 2);
        compression_ = number(30, 4);
        requireSize(file_, width_, height_);
    }

    ImageInfo info() const { return {width_, height_, 3}; }

    Image read() {
        requireForm();
        readPalette();
        readMasks();
        const size_t stride = (static_cast<size_t>(width_) * bits_ + 31) / 32 * 4;
        const size_t begin = number(10, 4);
        const size_t available = file_.bytes.size() - std::min(begin, file_.bytes.size());
        if (available / stride < static_cast<size_t>(height_)) throw damaged("the file ends");
        Image image(width_, height_, 3);
        for (int64_t y = 0; y < height_; ++y) {
            const int64_t line = isTopDown_ ? y : height_ - 1 - y;
            readRow(begin + static_cast<size_t>(line) * stride, image.row(y));
        }
        return image;
    }

private:
    using Colour = std::array<uint8_t, 3>;

    uint32_t number(size_t at, size_t bytes) const {
        if (at + bytes > file_.bytes.size()) throw damaged("the file ends");
        uint32_t value = 0;
        for (size_t i = bytes; i-- > 0;) {
            value = value << 8 | std::to_integer<uint32_t>(file_.bytes[at + i]);
        }
        return value;
    }

    void requireForm() const {
        const bool isPlain = compression_ == kUncompressed;
        const bool isMasked = compression_ == kMasks && (bits_ == 16 || bits_ == 32);
        for (const uint32_t bits : {1, 4, 8, 16, 24, 32}) {
            if (bits_ == bits && (isPlain || isMasked)) return;
        }
        throw damaged(counted(bits_, "bit") + " with compression " + std::to_string(compression_) +
                      " can't be read");
    }

    /// Blue, green, red and a reserved byte for each colour.
    void readPalette() {
        if (bits_ > 8) return;
        const uint32_t used = number(46, 4);
        const uint32_t count = used == 0 || used > 256 ? 1U << bits_ : used;
        const size_t begin = kFileHeader + headerSize_;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t colour = number(begin + 4 * i, 4);
            palette_.push_back(Colour{static_cast<uint8_t>(colour >> 16),
                                      static_cast<uint8_t>(colour >> 8),
                                      static_cast<uint8_t>(colour)});
        }
    }

    void readMasks() {
        if (bits_ == 16) masks_ = {0x7C00, 0x03E0, 0x001F};
        if (compression_ != kMasks) return;
        for (size_t c = 0; c < 3; ++c) masks_[c] = number(kFileHeader + 40 + 4 * c, 4);
    }

    void readRow(size_t at, uint8_t* out) const {
        for (int64_t x = 0; x < width_; ++x) {
            const Colour colour = bits_ <= 8 ? fromPalette(at, static_cast<size_t>(x))
                                             : fromMasks(at, static_cast<size_t>(x));
            out = std::copy(colour.begin(), colour.end(), out);
        }
    }

    Colour fromPalette(size_t at, size_t x) const {
        const uint32_t byte = number(at + x * bits_ / 8, 1);
        const auto shift = static_cast<uint32_t>(8 - bits_ - x * bits_ % 8);
        const size_t index = byte >> shift & ((1U << bits_) - 1);
        if (index >= palette_.size()) throw damaged("a pixel's colour is not in the palette");
        return palette_[index];
    }

    Colour fromMasks(size_t at, size_t x) const {
        const uint32_t pixel = number(at + x * bits_ / 8, bits_ / 8);
        Colour colour{};
        for (size_t c = 0; c < 3; ++c) {
            const uint32_t mask = masks_[c];
            if (mask == 0) continue;
            const uint32_t most = mask >> std::countr_zero(mask);
            const uint64_t value = (pixel & mask) >> std::countr_zero(mask);
            colour[c] = static_cast<uint8_t>(value * 255 / most);
        }
        return colour;
    }

    Error damaged(const std::string& why) const {
        return badFile(file_.name, "is a damaged BMP picture (" + why + ")");
    }

    const ImageBytes& file_;
    uint32_t headerSize_ = 0;
    int64_t width_ = 0;
    int64_t height_ = 0;
    bool isTopDown_ = false;
    uint32_t bits_ = 0;
    uint32_t compression_ = 0;
    std::vector<Colour> palette_;
    std::array<uint32_t, 3> masks_ = {0xFF0000, 0x00FF00, 0x0000FF};
};

}  // namespace

ImageCodec bmpCodec() {
    return {"BMP",
            {".bmp"},
            [](std::span<const std::byte> bytes) { return startsWith(bytes, "BM"); },
            [](const ImageBytes& file) { return BmpReader(file).info(); },
            [](const ImageBytes& file, int64_t, int64_t) { return BmpReader(file).read(); },
            [](std::span<const std::byte>) { return false; }};  // nothing to check
}

}  // namespace temper
