// SPDX-License-Identifier: Apache-2.0
#include "engine/data/image/exif.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "engine/data/image/image_decoder.h"

namespace temper {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kExifMagic = "Exif\0\0"sv;
constexpr size_t kEntryBytes = 12;
constexpr uint32_t kOrientationTag = 0x0112;
constexpr uint32_t kShortType = 3;
constexpr int kUpright = 1;
constexpr int kOrientations = 8;

/// Numbers of a TIFF block, in its byte order; 0 beyond its end.
class TiffNumbers {
public:
    explicit TiffNumbers(std::span<const std::byte> bytes)
        : bytes_(bytes), isLittle_(startsWith(bytes, "II*\0"sv)) {}

    bool isTiff() const { return isLittle_ || startsWith(bytes_, "MM\0*"sv); }
    uint32_t read(size_t at, size_t width) const {
        if (at > bytes_.size() || bytes_.size() - at < width) return 0;
        uint32_t number = 0;
        for (size_t i = 0; i < width; ++i) {
            const size_t next = isLittle_ ? width - 1 - i : i;
            number = number << 8U | std::to_integer<uint32_t>(bytes_[at + next]);
        }
        return number;
    }

private:
    std::span<const std::byte> bytes_;
    bool isLittle_;
};

}  // namespace

int exifOrientation(std::span<const std::byte> block) {
    if (!startsWith(block, kExifMagic)) return kUpright;
    const TiffNumbers tiff(block.subspan(kExifMagic.size()));
    if (!tiff.isTiff()) return kUpright;
    const size_t directory = tiff.read(4, 4);
    const uint32_t entries = tiff.read(directory, 2);
    for (uint32_t i = 0; i < entries; ++i) {
        const size_t entry = directory + 2 + i * kEntryBytes;
        if (tiff.read(entry, 2) != kOrientationTag || tiff.read(entry + 2, 2) != kShortType)
            continue;
        const auto orientation = static_cast<int>(tiff.read(entry + 8, 2));
        return orientation >= kUpright && orientation <= kOrientations ? orientation : kUpright;
    }
    return kUpright;
}

Image upright(Image image, int orientation) {
    if (orientation == kUpright) return image;
    // Each orientation swaps the axes, mirrors one or both stored axes, or does both.
    const bool turns = isTurned(orientation);
    const bool mirrorsX =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool mirrorsY =
        orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    Image result(turns ? image.height : image.width, turns ? image.width : image.height,
                 image.channels);
    for (int64_t y = 0; y < result.height; ++y) {
        uint8_t* to = result.row(y);
        for (int64_t x = 0; x < result.width; ++x, to += image.channels) {
            const int64_t storedX = turns ? y : x, storedY = turns ? x : y;
            const int64_t fromX = mirrorsX ? image.width - 1 - storedX : storedX;
            const int64_t fromY = mirrorsY ? image.height - 1 - storedY : storedY;
            std::copy_n(image.row(fromY) + fromX * image.channels, image.channels, to);
        }
    }
    return result;
}

}  // namespace temper
