// SPDX-License-Identifier: Apache-2.0
#include "engine/data/sound/wav_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "engine/core/counted.h"
#include "engine/data/byte_order.h"
#include "engine/data/data_file.h"

namespace temper {
namespace {

using Bytes = std::span<const std::byte>;

constexpr size_t kRiffHeader = 12;
constexpr size_t kChunkHeader = 8;
constexpr size_t kShortestFormat = 16;
constexpr size_t kExtensibleFormat = 26;  ///< with the first bytes of the subformat
constexpr uint64_t kLowestRate = 100;     ///< Units: Hz; sounds of interest have thousands
constexpr uint64_t kIntegers = 1, kFloats = 3, kExtensible = 0xFFFE;
constexpr const char* kDamaged = "The file is damaged; record or copy it again.";

struct Format {
    uint64_t kind = 0;
    uint64_t channels = 0;
    uint64_t rate = 0;
    uint64_t bits = 0;

    size_t bytes() const { return static_cast<size_t>(bits / 8); }
};

bool has(Bytes bytes, size_t at, std::string_view tag) {
    return at + tag.size() <= bytes.size() &&
           std::equal(tag.begin(), tag.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

/// The content of the first chunk with this name; what the file lacks at its end is left out.
std::optional<Bytes> chunk(Bytes file, std::string_view name) {
    size_t at = kRiffHeader;
    while (at + kChunkHeader <= file.size()) {
        const Bytes rest = file.subspan(at + kChunkHeader);
        auto size = static_cast<size_t>(littleEndian(file.subspan(at + 4, 4)));
        // A recorder that was killed has written neither size.
        if (size == 0 && name == "data" && littleEndian(file.subspan(4, 4)) == 0)
            size = rest.size();
        if (has(file, at, name)) return rest.first(std::min(size, rest.size()));
        if (size >= rest.size()) return {};
        at += kChunkHeader + size + size % 2;  // chunks begin at even places
    }
    return {};
}

Format formatOf(Bytes chunk, const std::string& name) {
    if (chunk.size() < kShortestFormat)
        throw badFile(name, "has a format chunk that is too short", kDamaged);
    const auto number = [&](size_t at, size_t size) {
        return littleEndian(chunk.subspan(at, size));
    };
    Format format{number(0, 2), number(2, 2), number(4, 4), number(14, 2)};
    if (format.kind == kExtensible && chunk.size() >= kExtensibleFormat)
        format.kind = number(24, 2);
    if (format.channels == 0 || format.rate < kLowestRate)
        throw badFile(name,
                      "has " + counted(format.channels, "channel") + " and a sample rate of " +
                          std::to_string(format.rate) + " Hz; expected at least 1 channel and " +
                          std::to_string(kLowestRate) + " Hz",
                      kDamaged);
    const bool isRead =
        format.kind == kIntegers
            ? format.bits == 8 || format.bits == 16 || format.bits == 24 || format.bits == 32
            : format.kind == kFloats && (format.bits == 32 || format.bits == 64);
    if (!isRead)
        throw Error(ErrorCode::Unsupported,
                    "File '" + name + "' has a sound of format " + std::to_string(format.kind) +
                        " with " + std::to_string(format.bits) +
                        " bits; expected integers (1) of 8, 16, 24 or 32 bits, or floats (3) of 32 "
                        "or 64 bits.",
                    "Save it as WAV with 16 bits, without compression.");
    return format;
}

/// From -1 to 1. Bytes are unsigned, wider integers are signed.
float valueOf(Bytes bytes, const Format& format) {
    const uint64_t word = littleEndian(bytes);
    if (format.kind == kFloats)
        return format.bits == 32 ? std::bit_cast<float>(static_cast<uint32_t>(word))
                                 : static_cast<float>(std::bit_cast<double>(word));
    if (format.bits == 8) return (static_cast<float>(word) - 128) / 128;
    const auto unused = static_cast<int>(32 - format.bits);
    const auto value = static_cast<int32_t>(static_cast<uint32_t>(word) << unused) >> unused;
    return static_cast<float>(std::ldexp(value, 1 - static_cast<int>(format.bits)));
}

}  // namespace

Sound decodeWav(Bytes bytes, const std::string& name) {
    if (!has(bytes, 0, "RIFF") || !has(bytes, 8, "WAVE"))
        throw badFile(name, "is not a WAV file", "Save the sound as WAV.");
    const auto described = chunk(bytes, "fmt ");
    const auto data = chunk(bytes, "data");
    if (!described || !data)
        throw badFile(name, described ? "has no samples" : "does not say its format", kDamaged);
    const Format format = formatOf(*described, name);
    Sound sound;
    sound.rate = static_cast<double>(format.rate);
    sound.channels = static_cast<int64_t>(format.channels);
    const size_t instants = data->size() / (format.bytes() * format.channels);
    sound.samples.resize(instants * format.channels);
    for (size_t i = 0; i < sound.samples.size(); ++i) {
        const float value = valueOf(data->subspan(i * format.bytes(), format.bytes()), format);
        sound.samples[i] = std::isfinite(value) ? value : 0;
    }
    return sound;
}

}  // namespace temper
