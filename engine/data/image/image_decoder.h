// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/image/image.h"

namespace temper {

/// The contents of a file's header.
struct ImageInfo {
    int64_t width = 0;
    int64_t height = 0;
    int64_t channels = 3;  ///< 1 if the file is grey
};

/// The bytes of a picture file, and its name in errors.
struct ImageBytes {
    std::span<const std::byte> bytes;
    const std::string& name;
};

/// A picture file format. decode() may return a picture that is smaller by integer factors, but not
/// below the wanted size: large photographs decode several times faster.
struct ImageCodec {
    std::string name;                     ///< "PNG"
    std::vector<std::string> extensions;  ///< with the dot, lower case
    bool (*matches)(std::span<const std::byte> bytes);
    ImageInfo (*inspect)(const ImageBytes& file);
    Image (*decode)(const ImageBytes& file, int64_t wantedWidth, int64_t wantedHeight);
    bool (*ends)(std::span<const std::byte> bytes);  ///< like a complete file
};

/// The formats, each in its own file of this folder.
const std::vector<ImageCodec>& imageCodecs();
ImageCodec pngCodec();
ImageCodec jpegCodec();
ImageCodec webpCodec();
ImageCodec bmpCodec();

/// Whether the file's name ends like that of a picture.
bool hasImageName(std::string_view path);

/// Recognized by the content, not by the name. Throws: Error(InvalidInput) if it is not a picture,
/// is damaged, or is larger than 2^27 pixels (before memory is allocated).
ImageInfo inspectImage(const ImageBytes& file);

/// Whether the file ends as its format requires, which truncated files do not. A file that does not
/// may still be complete; decoding tells.
bool endsAsItShould(std::span<const std::byte> bytes);

/// The picture as the camera was held (Exif), without transparency, palettes resolved, 16 bits cut
/// to 8. Throws: as inspectImage().
Image decodeImage(const ImageBytes& file, int64_t wantedWidth = INT64_MAX,
                  int64_t wantedHeight = INT64_MAX);

/// For the codecs. Throws: Error(InvalidInput) if a dimension is 0 or there are too many pixels.
void requireSize(const ImageBytes& file, int64_t width, int64_t height);
bool startsWith(std::span<const std::byte> bytes, std::string_view magic);
bool endsWithBytes(std::span<const std::byte> bytes, std::string_view end);

}  // namespace temper
