// SPDX-License-Identifier: Apache-2.0
#include "engine/data/image/image_decoder.h"

#include <algorithm>
#include <cstring>

#include "engine/core/joined.h"
#include "engine/data/data_file.h"

namespace temper {
namespace {

constexpr int64_t kMaxPixels = int64_t{1} << 27;

const ImageCodec& codecOf(const ImageBytes& file) {
    if (file.bytes.empty()) throw badFile(file.name, "is empty; expected a picture");
    for (const ImageCodec& codec : imageCodecs()) {
        if (codec.matches(file.bytes)) return codec;
    }
    throw badFile(file.name, "is not in a supported picture format",
                  "The formats are " + joined(imageCodecs(), &ImageCodec::name) +
                      "; convert it or remove it.");
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool endsWith(std::string_view text, std::string_view end) {
    return text.size() >= end.size() &&
           std::equal(end.rbegin(), end.rend(), text.rbegin(),
                      [](char wanted, char found) { return wanted == lower(found); });
}

}  // namespace

const std::vector<ImageCodec>& imageCodecs() {
    static const std::vector<ImageCodec> kCodecs = {pngCodec(), jpegCodec(), webpCodec(),
                                                    bmpCodec()};
    return kCodecs;
}

bool hasImageName(std::string_view path) {
    return std::any_of(imageCodecs().begin(), imageCodecs().end(), [&](const ImageCodec& codec) {
        return std::any_of(codec.extensions.begin(), codec.extensions.end(),
                           [&](const std::string& end) { return endsWith(path, end); });
    });
}

ImageInfo inspectImage(const ImageBytes& file) {
    const ImageInfo info = codecOf(file).inspect(file);
    requireSize(file, info.width, info.height);
    return info;
}

Image decodeImage(const ImageBytes& file, int64_t wantedWidth, int64_t wantedHeight) {
    return codecOf(file).decode(file, wantedWidth, wantedHeight);
}

void requireSize(const ImageBytes& file, int64_t width, int64_t height) {
    if (width > 0 && height > 0 && width <= kMaxPixels / height) return;
    throw badFile(file.name,
                  "is a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                      " pixels; expected at least one and at most " + std::to_string(kMaxPixels));
}

bool endsAsItShould(std::span<const std::byte> bytes) {
    return std::any_of(imageCodecs().begin(), imageCodecs().end(), [&](const ImageCodec& codec) {
        return codec.matches(bytes) && codec.ends(bytes);
    });
}

bool endsWithBytes(std::span<const std::byte> bytes, std::string_view end) {
    return bytes.size() >= end.size() &&
           std::memcmp(bytes.last(end.size()).data(), end.data(), end.size()) == 0;
}

bool startsWith(std::span<const std::byte> bytes, std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

}  // namespace temper
