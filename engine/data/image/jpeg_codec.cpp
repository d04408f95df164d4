// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it first
#include <span>
#include <string_view>
#include <utility>

#include <jpeglib.h>

#include <jerror.h>

#include "engine/data/data_file.h"
#include "engine/data/image/exif.h"
#include "engine/data/image/image_decoder.h"

namespace temper {
namespace {

constexpr std::string_view kMagic = "\xFF\xD8\xFF";
constexpr unsigned kLargestReduction = 8;
constexpr int kCmykChannels = 4;
constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr unsigned kLongestMarker = 0xFFFF;

/// libjpeg is C and leaves through longjmp: functions with setjmp hold nothing that needs a
/// destructor, and the error message waits in problem_.
class JpegReader {
public:
    explicit JpegReader(const ImageBytes& file) : file_(file) {
        jpeg_.err = jpeg_std_error(&errors_.base);
        errors_.base.error_exit = &JpegReader::onError;
        errors_.base.emit_message = &JpegReader::onMessage;
        jpeg_create_decompress(&jpeg_);
    }
    ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
    JpegReader(const JpegReader&) = delete;
    JpegReader& operator=(const JpegReader&) = delete;

    ImageInfo readHeader() {
        if (!tryHeader()) throw damaged();
        ImageInfo info{jpeg_.image_width, jpeg_.image_height, jpeg_.num_components == 1 ? 1 : 3};
        orientation_ = readOrientation();
        if (isTurned(orientation_)) std::swap(info.width, info.height);
        return info;
    }

    Image readImage(int64_t wantedWidth, int64_t wantedHeight) {
        const ImageInfo info = readHeader();
        requireSize(file_, info.width, info.height);
        reduce(info, wantedWidth, wantedHeight);
        if (!tryStart()) throw damaged();
        Image image(jpeg_.output_width, jpeg_.output_height, jpeg_.output_components);
        if (!tryRows(image)) throw damaged();
        return upright(image.channels == kCmykChannels ? fromCmyk(image) : std::move(image),
                       orientation_);
    }

private:
    struct Errors {
        jpeg_error_mgr base;
        jmp_buf back;
        char problem[JMSG_LENGTH_MAX] = {};
    };

    bool tryHeader() {
        if (setjmp(errors_.back) != 0) return false;
        jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(file_.bytes.data()),
                     static_cast<unsigned long>(file_.bytes.size()));
        jpeg_save_markers(&jpeg_, kExifMarker, kLongestMarker);
        jpeg_read_header(&jpeg_, TRUE);
        return true;
    }

    int readOrientation() const {
        for (const jpeg_marker_struct* marker = jpeg_.marker_list; marker != nullptr;
             marker = marker->next) {
            if (marker->marker == kExifMarker)
                return exifOrientation(std::as_bytes(std::span(marker->data, marker->data_length)));
        }
        return 1;
    }

    /// Twice the wanted size is enough for the resizing filter.
    void reduce(const ImageInfo& info, int64_t width, int64_t height) {
        unsigned factor = 1;
        while (factor < kLargestReduction && info.width / (4 * factor) >= width &&
               info.height / (4 * factor) >= height) {
            factor *= 2;
        }
        jpeg_.scale_num = 1;
        jpeg_.scale_denom = factor;
    }

    bool tryStart() {
        if (setjmp(errors_.back) != 0) return false;
        if (jpeg_.num_components == 1) jpeg_.out_color_space = JCS_GRAYSCALE;
        if (jpeg_.num_components == 3) jpeg_.out_color_space = JCS_RGB;
        if (jpeg_.num_components == kCmykChannels) jpeg_.out_color_space = JCS_CMYK;
        jpeg_start_decompress(&jpeg_);
        return true;
    }

    bool tryRows(Image& image) {
        if (setjmp(errors_.back) != 0) return false;
        while (jpeg_.output_scanline < jpeg_.output_height) {
            JSAMPROW row = image.row(jpeg_.output_scanline);
            jpeg_read_scanlines(&jpeg_, &row, 1);
        }
        jpeg_finish_decompress(&jpeg_);
        return true;
    }

    /// Adobe's programs write the four inks inverted.
    Image fromCmyk(const Image& inks) const {
        Image image(inks.width, inks.height, 3);
        const uint8_t* ink = inks.pixels.data();
        const unsigned flip = jpeg_.saw_Adobe_marker != 0 ? 0 : 255;
        for (size_t i = 0; i < image.pixels.size(); i += 3, ink += kCmykChannels) {
            const unsigned black = ink[3] ^ flip;
            for (size_t c = 0; c < 3; ++c) {
                image.pixels[i + c] = static_cast<uint8_t>((ink[c] ^ flip) * black / 255);
            }
        }
        return image;
    }

    Error damaged() const {
        return badFile(file_.name,
                       std::string("is a damaged JPEG picture (") + errors_.problem + ")");
    }

    static void onError(j_common_ptr jpeg) {
        auto* errors = reinterpret_cast<Errors*>(jpeg->err);
        errors->base.format_message(jpeg, errors->problem);
        longjmp(errors->back, 1);
    }
    /// A truncated file is only a warning to libjpeg, which fills the rest with grey.
    static void onMessage(j_common_ptr jpeg, int) {
        if (jpeg->err->msg_code == JWRN_JPEG_EOF) onError(jpeg);
    }

    const ImageBytes& file_;
    jpeg_decompress_struct jpeg_{};
    Errors errors_;
    int orientation_ = 1;  ///< markers are gone once the picture is read
};

}  // namespace

ImageCodec jpegCodec() {
    return {"JPEG",
            {".jpg", ".jpeg"},
            [](std::span<const std::byte> bytes) { return startsWith(bytes, kMagic); },
            [](const ImageBytes& file) { return JpegReader(file).readHeader(); },
            [](const ImageBytes& file, int64_t width, int64_t height) {
                return JpegReader(file).readImage(width, height);
            },
            [](std::span<const std::byte> bytes) { return endsWithBytes(bytes, "\xff\xd9"); }};
}

}  // namespace temper
