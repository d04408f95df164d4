// SPDX-License-Identifier: Apache-2.0
#include <webp/decode.h>

#include "engine/data/byte_order.h"
#include "engine/data/data_file.h"
#include "engine/data/image/image_decoder.h"

namespace temper {
namespace {

const uint8_t* pointer(const ImageBytes& file) {
    return reinterpret_cast<const uint8_t*>(file.bytes.data());
}

bool isWebp(std::span<const std::byte> bytes) {
    return startsWith(bytes, "RIFF") && bytes.size() > 12 && startsWith(bytes.subspan(8), "WEBP");
}

/// The size after "RIFF" counts what follows it.
bool webpEnds(std::span<const std::byte> bytes) {
    return bytes.size() >= 8 && littleEndian(bytes.subspan(4, 4)) + 8 <= bytes.size();
}

ImageInfo inspectWebp(const ImageBytes& file) {
    int width = 0;
    int height = 0;
    if (WebPGetInfo(pointer(file), file.bytes.size(), &width, &height) == 0) {
        throw badFile(file.name, "is a damaged WebP picture (its header can't be read)");
    }
    return {width, height, 3};
}

Image decodeWebp(const ImageBytes& file, int64_t, int64_t) {
    const ImageInfo info = inspectWebp(file);
    requireSize(file, info.width, info.height);
    Image image(info.width, info.height, 3);
    if (WebPDecodeRGBInto(pointer(file), file.bytes.size(), image.pixels.data(),
                          image.pixels.size(), static_cast<int>(3 * info.width)) == nullptr) {
        throw badFile(file.name, "is a damaged WebP picture, or an animation");
    }
    return image;
}

}  // namespace

ImageCodec webpCodec() { return {"WebP", {".webp"}, isWebp, inspectWebp, decodeWebp, webpEnds}; }

}  // namespace temper
